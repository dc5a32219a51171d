// What the page of a newsletter issue needs of a browser. Loaded by it only.
import { useEffect, useRef } from "react";

/** The answer may be lost with the connection: then the form can be sent again after this many milliseconds. */
const LONGEST_MS = 15000;

function mark(form, unsaved) {
  form.toggleAttribute("data-unsaved", unsaved);
  document.querySelectorAll("[data-saved-only]").forEach((part) => {
    part.toggleAttribute("data-waits", unsaved);
    part.querySelectorAll("button").forEach((button) => { button.disabled = unsaved; });
  });
}

/** Knows whether the form around it holds something that is not saved; the form is drawn afresh with each saving. */
export function Unsaved({ answers }) {
  const place = useRef(null);
  const free = useRef(() => {});
  useEffect(() => {
    const form = place.current?.closest("form");
    if (!form) return undefined;
    let timer = 0;
    const busy = (is) => form.toggleAttribute("data-busy", is);
    free.current = () => { clearTimeout(timer); busy(false); };
    const typed = () => mark(form, true);
    const submit = (event) => {
      if (form.hasAttribute("data-busy")) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      busy(true);
      timer = setTimeout(free.current, LONGEST_MS);
    };
    const leave = (event) => { if (form.hasAttribute("data-unsaved")) event.preventDefault(); };
    form.addEventListener("input", typed);
    form.addEventListener("submit", submit, true);
    window.addEventListener("beforeunload", leave);
    return () => {
      form.removeEventListener("input", typed);
      form.removeEventListener("submit", submit, true);
      window.removeEventListener("beforeunload", leave);
      mark(form, false);
      free.current();
    };
  }, []);
  useEffect(() => free.current(), [answers]);
  return <span ref={place} hidden />;
}
