import { useLayoutEffect } from "react";
import { useLocation, useNavigationType } from "react-router";

/** Scrolls to the fragment of a new address, or to the top. The browser restores the position of an earlier one by itself. */
export function ScrollRestoration() {
  const { key, hash } = useLocation();
  const how = useNavigationType();
  useLayoutEffect(() => {
    if (how === "POP") return;
    const target = document.getElementById(hash.slice(1));
    if (target) target.scrollIntoView();
    else window.scrollTo(0, 0);
  }, [key]);
  return null;
}
