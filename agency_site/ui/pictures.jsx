// Pictures and frames that need the browser's word: one failed to load, one may load only when asked for.
import { useEffect, useRef, useState } from "react";

/** A picture that hides itself when it cannot be loaded, so that what lies behind it shows. */
export function Photo({ src, alt, ...rest }) {
  const element = useRef(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    // The error may have happened before this script listened.
    const { complete, naturalWidth } = element.current;
    setFailed(complete && naturalWidth === 0);
  }, [src]);
  return <img {...rest} ref={element} src={src} alt={alt} hidden={failed} onError={() => setFailed(true)} />;
}

/** Shows its children and a button; the frame of the other site is made, and that site asked, only after the press. */
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
