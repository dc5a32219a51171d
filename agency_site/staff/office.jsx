// What the back office needs of a browser beyond the shared behaviours. Loaded by its own pages only.
import { useEffect, useState } from "react";
import { app } from "$/utils/context-registry";

/** Makes the back office's states known to the page, before anything is drawn: public pages do not carry them. */
export function knowStates(initial) {
  for (const [name, values] of Object.entries(initial)) app.initialState[name] ??= values;
}

/** Leaves for `to` as soon as it is not empty, with a full load: the answer may bring another session. */
export function Leave({ to }) {
  useEffect(() => {
    if (to) window.location.assign(to);
  }, [to]);
  return null;
}

const SAID_MS = 3000;

/** A button that copies `text`, and says so. Browsers offer no clipboard to plain connections: then there is none. */
export function Copy({ text, label, children, ...rest }) {
  const [able, setAble] = useState(false);
  const [copied, setCopied] = useState(false);
  useEffect(() => setAble(Boolean(navigator.clipboard)), []);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  if (!able) return null;
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true), () => setAble(false));
  return (
    <>
      <button type="button" {...rest} onClick={copy}>{children}{copied ? "Copied" : label}</button>
      <span role="status" className="sr-only">{copied ? "Copied" : ""}</span>
    </>
  );
}

/** A button that prints the page. */
export function Print({ label, children, ...rest }) {
  return <button type="button" {...rest} onClick={() => window.print()}>{children}{label}</button>;
}

export function OfficeStates() {
  return null;
}
