// Synchronises the address bar and the page: small React components, wrapped for Python in address_bar.py.
import { useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/**
 * A new query on the same path is a filter, not a new page: the scroll position stays. For a link with a fragment the router
 * scrolls to its target, and focus follows.
 */
export function KeepScrollPosition() {
  const { search, hash } = useLocation();
  const how = useNavigationType();
  const opened = useRef(false);
  useLayoutEffect(() => {
    if (!opened.current) {
      opened.current = true;
      return;
    }
    if (hash && how === "PUSH") {
      document.getElementById(hash.slice(1))?.focus({ preventScroll: true });
      return;
    }
    const top = window.scrollY;
    // The router scrolls to the top in the layout effects of this same commit: undo it before the browser paints.
    queueMicrotask(() => window.scrollTo({ top, behavior: "instant" }));
  }, [search, hash]);
  return null;
}

/** An input whose value is the query parameter of its name, except while the visitor types in it. */
export function QueryInput({ name, ...rest }) {
  const element = useRef(null);
  const { search, key } = useLocation();
  const how = useNavigationType();
  const opened = useRef(false);
  // A layout effect, so that nothing else is painted before.
  useLayoutEffect(() => {
    const value = new URLSearchParams(search).get(name) ?? "";
    const first = !opened.current;
    opened.current = true;
    const typing = first ? element.current.value !== "" : how !== "POP" && document.activeElement === element.current;
    if (!typing) element.current.value = value;
  }, [key]);
  return <input {...rest} name={name} ref={element} />;
}
