// What the booking screens of the back office need of a browser. Loaded by them only.
import { useEffect, useState } from "react";

/** A button that copies `text`; it shows only where the browser lets it. */
export function CopyText({ text, done, children, ...rest }) {
  const [able, setAble] = useState(false);
  const [copied, setCopied] = useState(false);
  useEffect(() => setAble(Boolean(navigator.clipboard)), []);
  if (!able) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <button {...rest} type="button" onClick={copy}>{copied ? done : children}</button>
      <span role="status" className="sr-only">{copied ? done : ""}</span>
    </>
  );
}
