// Forms of the back office that are not sent twice. Loaded by its own pages only.
import { useEffect, useRef } from "react";

/** The answer may be lost with the connection: then the form can be sent again after this many milliseconds. */
const LONGEST_MS = 15000;

/**
 * Marks the submit buttons of the form around it as busy from a press until `answers` changes. What is submitted
 * meanwhile is dropped: a second press must not book a second seat.
 */
export function BusyUntil({ answers }) {
  const place = useRef(null);
  const free = useRef(() => {});
  useEffect(() => {
    const form = place.current?.closest("form");
    if (!form) return undefined;
    let timer = 0;
    const mark = (busy) => {
      form.querySelectorAll("[type=submit]").forEach((button) => {
        if (busy) button.setAttribute("aria-disabled", "true");
        else button.removeAttribute("aria-disabled");
      });
      form.toggleAttribute("data-busy", busy);
    };
    free.current = () => { clearTimeout(timer); mark(false); };
    const submit = (event) => {
      if (form.hasAttribute("data-busy")) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      mark(true);
      timer = setTimeout(free.current, LONGEST_MS);
    };
    form.addEventListener("submit", submit, true);
    return () => { form.removeEventListener("submit", submit, true); free.current(); };
  }, []);
  useEffect(() => free.current(), [answers]);
  return <span ref={place} hidden />;
}
