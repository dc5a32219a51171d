// Keeps the address bar and the page in step. Each is one small React component, wrapped for Python in address_bar.py.
import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigate, useNavigationType } from "react-router";

/** The router matches /About/ to /about: the address is replaced, so that one page has one address. */
export function CanonicalPath({ path }) {
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  useLayoutEffect(() => {
    if (pathname !== path) navigate({ pathname: path, search, hash }, { replace: true });
  }, [pathname, path]);
  return null;
}

/** Leads another spelling of a path to the registered one; shows its children when the path is none of `aliases`. */
export function KnownAlias({ aliases, children }) {
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  const target = aliases[pathname.toLowerCase().replace(/\/+$/, "")];
  useLayoutEffect(() => {
    if (target) navigate({ pathname: target, search, hash }, { replace: true });
  }, [target]);
  return target ? null : children;
}

const PATIENCE_MS = 2000;

/** Loads the page when a new query on it has no answer: without a socket the server draws what it asks for. */
function useAnswer(search, ready) {
  const opened = useRef(search);
  useEffect(() => {
    if (ready || search === opened.current) return undefined;
    const timer = setTimeout(() => window.location.reload(), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [search, ready]);
}

/**
 * A new query on the same path is a filter, not a new page: the scroll position stays. For a link with a fragment the router
 * scrolls to its target, and focus follows.
 */
export function KeepScrollPosition({ ready = true }) {
  const { pathname, search, hash } = useLocation();
  useAnswer(search, ready);
  const how = useNavigationType();
  const before = useRef(pathname);
  useLayoutEffect(() => {
    const moved = before.current !== pathname;
    before.current = pathname;
    if (moved) return;
    if (hash && how === "PUSH") {
      document.getElementById(hash.slice(1))?.focus({ preventScroll: true });
      return;
    }
    const top = window.scrollY;
    // The router scrolls to the top in the layout effects of this same commit: undo it before the browser paints.
    queueMicrotask(() => window.scrollTo({ top, behavior: "instant" }));
  }, [pathname, search, hash]);
  return null;
}

/** An input whose value is the query parameter of its name, except while the visitor types in it. */
export function QueryInput({ name, ...rest }) {
  const element = useRef(null);
  const { search, key } = useLocation();
  const how = useNavigationType();
  const opened = useRef(false);
  // Before the region around it repeats what was typed into the server's input (`page_region.jsx`).
  useLayoutEffect(() => {
    const value = new URLSearchParams(search).get(name) ?? "";
    const first = !opened.current;
    opened.current = true;
    const typing = first ? element.current.value !== "" : how !== "POP" && document.activeElement === element.current;
    if (!typing) element.current.value = value;
  }, [key]);
  return <input {...rest} name={name} ref={element} />;
}
