// What reading pages do in the browser beyond HTML. The markup underneath works without it: links and a details element.
import { useRef } from "react";

const REDUCED_MOTION = "(prefers-reduced-motion: reduce)";

/** A table of contents that folds: choosing an entry scrolls to its section and closes the list. */
export function FoldingContents({ children, ...rest }) {
  const root = useRef(null);
  const choose = (event) => {
    const link = event.target.closest("a[href*='#']");
    const section = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!section) return;
    event.preventDefault();
    root.current.open = false;
    section.setAttribute("tabindex", "-1");
    section.scrollIntoView({ behavior: window.matchMedia(REDUCED_MOTION).matches ? "auto" : "smooth" });
    section.focus({ preventScroll: true });
    window.history.replaceState(window.history.state, "", link.hash);
  };
  return <details {...rest} ref={root} onClick={choose}>{children}</details>;
}
