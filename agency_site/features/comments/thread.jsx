// When the comments under an article open: they arrive after the page does, and nothing that is being read may move.
import { useEffect, useRef, useState } from "react";

/** Whether the page came with its comments: this component is about to take their place. */
const sentByServer = () =>
  typeof document === "object" && document.querySelector("page-region[data-served] > #comments") !== null;

/**
 * Around the comments of an article, `count` of them once they are known. They open by themselves while their place
 * ([data-comments]) is still below the window; otherwise a button ([data-open]) is shown in space reserved for it, and
 * they open when it is clicked, or once their place is below the window again.
 */
export function CommentThread({ count = 0, children, ...rest }) {
  const root = useRef(null);
  const [open, setOpen] = useState(sentByServer);
  const state = count === 0 ? "none" : open ? "open" : "held";

  useEffect(() => {
    if (!count || open) return undefined;
    const openBelowWindow = () => {
      const place = root.current.querySelector("[data-comments]").getBoundingClientRect();
      if (place.top >= window.innerHeight) setOpen(true);
    };
    openBelowWindow();
    window.addEventListener("scroll", openBelowWindow, { passive: true });
    return () => window.removeEventListener("scroll", openBelowWindow);
  }, [count, open]);

  const onClick = (event) => {
    if (!event.target.closest("[data-open]")) return;
    setOpen(true);
    requestAnimationFrame(() => root.current?.querySelector("[data-comments]")?.focus());
  };
  return <div {...rest} ref={root} data-thread={state} onClick={onClick}>{children}</div>;
}
