// Checks whether the server responds by HTTP. The root of all pages imports this, so it must not import Reflex.
import { useEffect, useState } from "react";

const CHECK_EVERY_MS = 5000;

const isReachable = () => fetch("/healthz", { method: "HEAD", cache: "no-store" }).then(({ ok }) => ok, () => false);

/** Shows its children while the socket is `lost` and the server does not respond by HTTP either. */
export function WhileUnreachable({ lost, children }) {
  const [unreachable, setUnreachable] = useState(false);
  useEffect(() => {
    if (!lost) {
      setUnreachable(false);
      return undefined;
    }
    let current = true;
    const check = async () => {
      const reachable = await isReachable();
      if (current) setUnreachable(!reachable);
    };
    check();
    const timer = setInterval(check, CHECK_EVERY_MS);
    return () => { current = false; clearInterval(timer); };
  }, [lost]);
  useEffect(() => { document.documentElement.toggleAttribute("data-unreachable", unreachable); }, [unreachable]);
  return unreachable ? children : null;
}
