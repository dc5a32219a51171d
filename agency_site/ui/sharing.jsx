// Sharing with the browser's share sheet; without it, or without scripts, the links inside work.
import { useEffect, useRef, useState } from "react";

/** A menu of links (`site/layout/menus.js`); if the browser has a share sheet, its summary opens that instead. */
export function ShareMenu({ title, text, path, summary, children, ...rest }) {
  const root = useRef(null);
  const share = (event) => {
    if (typeof navigator.share !== "function" || root.current.open) return;
    event.preventDefault();
    const url = new URL(path, window.location.origin).href;
    navigator.share({ title, text, url }).catch((reason) => {
      // AbortError: the visitor closed the sheet. After any other error show the links.
      if (reason?.name !== "AbortError") root.current.open = true;
    });
  };
  return (
    <details {...rest} ref={root} data-menu="">
      <summary onClick={share}>{summary}</summary>
      {children}
    </details>
  );
}

const CONFIRMED_MS = 3000;

/**
 * A button that copies `text`, or the address of `path`, and shows `done` for a moment. Browsers have no clipboard on
 * plain connections; then there is no button.
 */
export function CopyButton({ text, path, label, done, children, ...rest }) {
  const [able, setAble] = useState(false);
  const [copied, setCopied] = useState(false);
  useEffect(() => setAble(Boolean(navigator.clipboard)), []);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!able) return null;
  const copy = () => {
    const copiedText = text ?? new URL(path, window.location.origin).href;
    navigator.clipboard.writeText(copiedText).then(() => setCopied(true), () => setAble(false));
  };
  return (
    <>
      <button {...rest} type="button" onClick={copy}>{children}{copied ? done : label}</button>
      <span role="status" className="sr-only">{copied ? done : ""}</span>
    </>
  );
}
