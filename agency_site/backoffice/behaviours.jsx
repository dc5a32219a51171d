// What the back office needs of a browser beyond the shared behaviours. Loaded by its own pages only.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { app } from "$/utils/context-registry";
import { leaveForSignIn } from "./drafts.jsx";

/** Makes the back office's states known to the page, before anything is drawn: public pages do not carry them. */
export function knowStates(initial) {
  for (const [name, values] of Object.entries(initial)) app.initialState[name] ??= values;
}

/** Leaves for `to` as soon as it is not empty, with a full load: the answer may bring another session. */
export function Leave({ to }) {
  useEffect(() => {
    if (!to) return;
    leaveForSignIn({ signedOut: new URL(to, window.location).searchParams.get("said") === "signed-out" });
    window.location.assign(to);
  }, [to]);
  return null;
}

/** After a change of path: window to the top, focus to the new screen's heading. */
let shownPath; // of the module, not of the component: every page brings a new shell
export function RouteFocus() {
  const { pathname } = useLocation();
  useEffect(() => {
    const before = shownPath;
    shownPath = pathname;
    if (before === undefined || before === pathname) return;
    window.scrollTo({ top: 0, behavior: "instant" });
    const heading = document.querySelector("main h1");
    heading.setAttribute("tabindex", "-1");
    heading.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}

/** A button that prints the page. */
export function Print({ label, children, ...rest }) {
  return <button type="button" {...rest} onClick={() => window.print()}>{children}{label}</button>;
}

/** A box that ticks all boxes of its form whose names begin with `prefix`, and the count of those that are ticked. */
export function SelectAll({ prefix, rows, changes, texts }) {
  const box = useRef(null);
  const [ticked, setTicked] = useState(0);
  const boxes = () => [...box.current.form.elements].filter((one) => one.name?.startsWith(prefix));
  const count = () => {
    const chosen = boxes().filter((one) => one.checked).length;
    box.current.checked = chosen > 0 && chosen === boxes().length;
    box.current.indeterminate = chosen > 0 && !box.current.checked;
    setTicked(chosen);
  };
  useEffect(() => {
    const { form } = box.current;
    form.addEventListener("change", count);
    return () => form.removeEventListener("change", count);
  }, [prefix]);
  useEffect(count, [changes]);
  const tickAll = ({ target }) => boxes().forEach((one) => { one.checked = target.checked; });
  return (
    <>
      <label className="office-tick"><input type="checkbox" ref={box} onChange={tickAll} />{texts.all}</label>
      <output className="office-note">{texts.count.replace("{ticked}", ticked).replace("{rows}", rows)}</output>
    </>
  );
}

/** Ctrl-K or Cmd-K leads to the field of that id, wherever the focus is. */
export function FocusShortcut({ target }) {
  useEffect(() => {
    const lead = (event) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== "k" || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      event.preventDefault();
      const field = document.getElementById(target);
      // Not every browser moves the focus to what it selects.
      field.focus();
      field.select();
    };
    addEventListener("keydown", lead);
    return () => removeEventListener("keydown", lead);
  }, [target]);
  return null;
}

/** Brings the element around it into sight when the page opens. */
export function InSight() {
  const mark = useRef(null);
  useEffect(() => {
    // Not its result, which is a promise in newer browsers: React would take that for a function that cleans up.
    mark.current.parentElement.scrollIntoView({ block: "nearest" });
  }, []);
  return <span ref={mark} hidden />;
}

export function OfficeStates() {
  return null;
}
