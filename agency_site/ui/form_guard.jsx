// Submits a form once, and shows if the answer takes long or is missing.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

const DOUBLE_MS = 700;
/** After this time the wait is shown. */
const NOTICED_MS = 1000;
/** An answer may be lost with the connection: the form can be sent again after this many milliseconds. */
const LONGEST_MS = 15000;
/** An event of the form; its detail is true while the form is being sent. */
const SENT = "sent";
/** Placeholder of the stamp that the server writes into the form (`site/layout/served_pages.py`). */
const NOTHING = { __html: "" };

/** Inside a form: a line that is shown while the answer is delayed, and the server's stamp. */
export function FormGuard({ honeypot, place, stamp, answers, sending: sendingText, unanswered }) {
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
    let emptied = -Infinity;
    let timers = [];

    const note = (isSending, shown = "") => {
      timers.forEach(clearTimeout);
      sending = isSending;
      setStatus(shown);
      form.dispatchEvent(new CustomEvent(SENT, { detail: isSending }));
    };
    end.current = () => note(false);
    const submit = (event) => {
      if (event.target !== form) return;
      // The second half of a double click; the answer to the first may have emptied the form.
      if (sending || performance.now() - emptied < DOUBLE_MS) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      note(true);
      timers = [setTimeout(setStatus, NOTICED_MS, sendingText), setTimeout(note, LONGEST_MS, false, unanswered)];
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

/** The submit button of a protected form: disabled and labelled `busy` from the submit until the form can be sent again. */
export function SubmitButton({ busy, disabled = false, children, ...rest }) {
  const button = useRef(null);
  const [sending, setSending] = useState(false);
  useEffect(() => {
    const { form } = button.current;
    const note = ({ detail }) => setSending(detail);
    form.addEventListener(SENT, note);
    return () => form.removeEventListener(SENT, note);
  }, []);
  return (
    <button {...rest} type="submit" ref={button} disabled={disabled || sending}>
      {sending ? busy : children}
    </button>
  );
}
