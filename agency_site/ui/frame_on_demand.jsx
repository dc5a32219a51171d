// A frame of another site that loads on demand.
import { useEffect, useRef, useState } from "react";

/** Shows its children and a button; the frame is created, and the other site requested, only on click. */
export function FrameOnDemand({ src, title, label, children, ...rest }) {
  const [open, setOpen] = useState(false);
  const frame = useRef(null);
  useEffect(() => { if (open) frame.current.focus(); }, [open]);
  if (open) {
    return (
      <div {...rest}>
        <iframe ref={frame} src={src} title={title} tabIndex={-1} referrerPolicy="strict-origin-when-cross-origin" />
      </div>
    );
  }
  return (
    <div {...rest}>
      {children}
      <button type="button" className="button frame-button" onClick={() => setOpen(true)}>{label}</button>
    </div>
  );
}
