// When the comments under an article open: they arrive after the page does, and nothing that is being read may move.
import { useEffect, useRef, useState } from "react";

/**
 * Around the comments of an article, `count` of them once they are known. They open by themselves while their place
 * ([data-comments]) is still below the window; otherwise a button ([data-open]) stands in room that was kept for it, and
 * they open when it is pressed, or once their place has left the window downwards.
 */
export function CommentThread({ count = 0, children, ...rest }) {
  const root = useRef(null);
  const [open, setOpen] = useState(false);
  const state = count === 0 ? "none" : open ? "open" : "held";

  useEffect(() => {
    if (!count || open) return undefined;
    const look = () => {
      const place = root.current.querySelector("[data-comments]").getBoundingClientRect();
      if (place.top >= window.innerHeight) setOpen(true);
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [count, open]);

  const press = (event) => {
    if (!event.target.closest("[data-open]")) return;
    setOpen(true);
    requestAnimationFrame(() => root.current?.querySelector("[data-comments]")?.focus());
  };
  return <div {...rest} ref={root} data-thread={state} onClick={press}>{children}</div>;
}
