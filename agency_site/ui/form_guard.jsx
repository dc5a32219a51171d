// Submits a form once, shows if the answer takes long or is missing, and focuses the first wrong field after a refusal.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

const DOUBLE_MS = 700;
/** After this time the wait is shown. */
const NOTICED_MS = 1000;
/** Placeholder of the stamp that the server writes into the form (`site/layout/served_pages.py`). */
const NOTHING = { __html: "" };
/** While the server cannot be reached, Reflex keeps what was sent, and sends it by itself (`reachability.jsx`). */
const isUnreachable = () => "unreachable" in document.documentElement.dataset;

/**
 * Inside a form: a line that is shown while the answer is delayed, and the server's stamp. An answer may be lost with the
 * connection: the form can be sent again after `longest` milliseconds.
 */
export function FormGuard({ honeypot, place, stamp, answers, longest, sending: sendingText, unanswered, unreachable }) {
  const mark = useRef(null);
  const end = useRef(null);
  const [status, setStatus] = useState("");
  useEffect(() => {
    const line = place && document.getElementById(place);
    if (line) line.textContent = status;
  }, [place, status]);
  useLayoutEffect(() => {
    const form = mark.current.closest("form");
    let sending = false;
    let submitter;
    let emptied = -Infinity;
    let timers = [];

    const note = (isSending, shown = "") => {
      timers.forEach(clearTimeout);
      sending = isSending;
      setStatus(shown);
      // Not `disabled`: the button would lose the focus.
      if (submitter) submitter.ariaDisabled = isSending ? "true" : null;
    };
    end.current = () => {
      const isAnswered = sending;
      note(false);
      if (isAnswered) form.querySelector("[aria-invalid=true]")?.focus();
    };
    const notice = () => setStatus(isUnreachable() ? unreachable : sendingText);
    const expire = () => {
      if (!isUnreachable()) return note(false, unanswered);
      notice();
      timers = [setTimeout(expire, longest)];
    };
    const submit = (event) => {
      if (event.target !== form) return;
      // The second half of a double click; the answer to the first may have emptied the form.
      if (sending || performance.now() - emptied < DOUBLE_MS) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      submitter = event.submitter;
      note(true);
      timers = [setTimeout(notice, NOTICED_MS), setTimeout(expire, longest)];
      // A browser extension may have filled in the honeypot: the visitor reads the refusal, and the next submit is accepted.
      setTimeout(() => { if (form.elements[honeypot]) form.elements[honeypot].value = ""; });
    };

    const gone = new AbortController();
    form.addEventListener("input", () => { emptied = -Infinity; }, { signal: gone.signal });
    form.addEventListener("reset", () => { emptied = performance.now(); }, { signal: gone.signal });
    // On the window in the capture phase, so that no other listener handles the second half of a double click as a submit.
    window.addEventListener("submit", submit, { signal: gone.signal, capture: true });
    return () => {
      timers.forEach(clearTimeout);
      gone.abort();
    };
  }, [honeypot]);
  useLayoutEffect(() => end.current(), [answers]);
  return (
    <>
      <span hidden ref={mark} />
      {stamp && <form-stamp suppressHydrationWarning dangerouslySetInnerHTML={NOTHING} />}
      {!place && <p className="form-wait" aria-live="polite">{status}</p>}
    </>
  );
}
