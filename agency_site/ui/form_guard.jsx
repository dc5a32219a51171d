// Sends a form once, and shows that its answer takes long or has not come.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

const DOUBLE_MS = 700;
/** An answer that takes longer than this is waited for visibly. */
const NOTICED_MS = 1000;
/** An answer may be lost with the connection: the form can be sent again after this many milliseconds. */
const LONGEST_MS = 15000;
/** An event of the form. Its detail: whether it is being sent, or can be sent again. */
const SENT = "sent";
/** What the server puts into the form when it sends the page (`site/layout/served_pages.py`). */
const NOTHING = { __html: "" };

/** Inside a form: a line that is shown while its answer is delayed, and the stamp that the server has sent. */
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
      // An extension may have filled it in: the visitor reads the refusal, and the next submit is admitted.
      setTimeout(() => { if (form.elements[honeypot]) form.elements[honeypot].value = ""; });
    };

    const gone = new AbortController();
    form.addEventListener("input", () => { emptied = -Infinity; }, { signal: gone.signal });
    form.addEventListener("reset", () => { emptied = performance.now(); }, { signal: gone.signal });
    // On the window and first: no other listener may take the second half of a double click for a submit.
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

/** The submit button of a protected form: from the submit on disabled and labelled `busy`, until the form can be sent again. */
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
