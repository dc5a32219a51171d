// Behaviours of the back office beyond the shared ones. Loaded only by its own pages.
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { app } from "$/utils/context-registry";
import { leaveForSignIn } from "./drafts.jsx";

/** Registers the back office's states before the page is drawn, because the shared scripts leave them out. */
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
let shownPath; // In the module, not in the component: every page has a new shell.
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

/** The title of the page, with the record that it shows in front. */
export function PageTitle({ subject, title }) {
  useEffect(() => { document.title = subject ? `${subject} | ${title}` : title; }, [subject, title]);
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
  const boxes = () => [...box.current.form.elements].filter((control) => control.name?.startsWith(prefix));
  const count = () => {
    const chosen = boxes().filter((control) => control.checked).length;
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
  const tickAll = ({ target }) => boxes().forEach((control) => { control.checked = target.checked; });
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
      // Not every browser focuses a field when it selects its text.
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
    // Without returning the result, a promise in newer browsers, which React would take for a cleanup function.
    mark.current.parentElement.scrollIntoView({ block: "nearest" });
  }, []);
  return <span ref={mark} hidden />;
}

/**
 * A link that opens WhatsApp with the text in the field of that id, in which `{name}` becomes `values.name`. `text` is the field's first
 * text. It is read again before each click, because the browser may have restored an unsaved one.
 */
export function WhatsAppLink({ number, field, text, values, children, ...rest }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const read = () => setTyped(document.getElementById(field)?.value ?? text);
  const words = typed.replace(/\{(\w+)\}/g, (mark, name) => (Object.hasOwn(values, name) ? values[name] : mark));
  const query = new URLSearchParams({ text: words }).toString().replaceAll("+", "%20");
  return (
    <a
      {...rest} href={`https://wa.me/${number}?${query}`} target="_blank" rel="noopener noreferrer"
      onFocus={read} onPointerEnter={read} onPointerDown={read}
    >
      {children}
    </a>
  );
}

export function OfficeStates() {
  return null;
}
