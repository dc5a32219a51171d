// Sharing with the browser's own means; without them, or without scripts, the links inside still work.
import { useEffect, useRef, useState } from "react";

/** A native details element with links in it; where the browser can share by itself, its summary does that instead. */
export function ShareMenu({ title, text, path, summary, children, ...rest }) {
  const root = useRef(null);
  const share = (event) => {
    if (typeof navigator.share !== "function" || root.current.open) return;
    event.preventDefault();
    const url = new URL(path, window.location.origin).href;
    navigator.share({ title, text, url }).catch((reason) => {
      // The visitor closed the sheet: nothing to do. Anything else: offer the links.
      if (reason?.name !== "AbortError") root.current.open = true;
    });
  };
  const escape = (event) => {
    if (event.key !== "Escape" || !root.current.open) return;
    root.current.open = false;
    root.current.querySelector("summary").focus();
  };
  return (
    <details {...rest} ref={root} onKeyDown={escape}>
      <summary onClick={share}>{summary}</summary>
      {children}
    </details>
  );
}

/** A button that copies the page's address; shown only where the browser allows it. */
export function CopyLink({ path, label, done, ...rest }) {
  const [able, setAble] = useState(false);
  const [copied, setCopied] = useState(false);
  useEffect(() => setAble(Boolean(navigator.clipboard)), []);
  if (!able) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(new URL(path, window.location.origin).href);
    setCopied(true);
  };
  return (
    <>
      <button {...rest} type="button" onClick={copy}>{copied ? done : label}</button>
      <span role="status" className="sr-only">{copied ? done : ""}</span>
    </>
  );
}
