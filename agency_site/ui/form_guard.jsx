// Delays the submit of a form until its proof of work is found. The code that finds it is loaded on the first focus.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { getBackendURL } from "$/utils/state";

const SENDING = "Sending …";
const AWAY = "No connection to our server just now. What you typed stays here, and the form goes out once it is back.";
const BROKEN = "The form could not be sent. What you typed is still here. Please copy it, and reload the page.";
const UNANSWERED = "There was no answer yet. What you typed is still here. Please send it again.";
const DOUBLE_MS = 700;
/** An answer that takes longer than this is waited for visibly. */
const NOTICED_MS = 1000;
/** An answer may be lost with the connection: the form can be sent again after this many milliseconds. */
const LONGEST_MS = 15000;
/** An event of the form. Its detail: whether it is being sent, though its proof may still be missing, or can be sent again. */
const SENT = "sent";
/** What the server puts into the form when it sends the page (`site/layout/served_pages.py`). */
const NOTHING = { __html: "" };

function challengeAddress() {
  const address = getBackendURL();
  address.pathname = "/api/challenge";
  address.search = "";
  return address;
}

/** Resolves after a second and a half, or as soon as the browser is online again. */
function waitForRetry() {
  return new Promise((done) => {
    const timer = setTimeout(done, 1500);
    window.addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
  });
}

/** Inside a form: the hidden field for its proof, and a line that is shown while a submit or its answer is delayed. */
export function FormGuard({ name, honeypot, place, stamp, answers }) {
  const box = useRef(null);
  const noteAnswer = useRef(null);
  const [status, setStatus] = useState("");
  useEffect(() => {
    const line = place && document.getElementById(place);
    if (line) line.textContent = status;
  }, [place, status]);
  // Before the effect that replays what was submitted before hydration.
  useLayoutEffect(() => {
    const { form } = box.current;
    let prover = null;
    let waiting = false;
    let passing = false;
    /** Nothing is sent any more once the form has gone, or was emptied by the answer to an earlier submit. */
    let wanted = false;
    let emptied = -Infinity;
    let timers = [];

    const report = (detail) => form.dispatchEvent(new CustomEvent(SENT, { detail }));
    const readValues = () => {
      const typed = [...new FormData(form).entries()].filter(([key]) => key !== name && key !== stamp);
      return JSON.stringify(typed);
    };
    const load = async () => {
      const { makeProver } = await import("./proof_of_work.js");
      prover ??= makeProver(challengeAddress());
      return prover;
    };
    const prepare = () => load().then((found) => found.prepare()).catch(() => {});
    const stopTimers = () => timers.forEach(clearTimeout);
    const end = (status) => {
      stopTimers();
      setStatus(status);
      report(false);
    };
    const pass = (proof, typed) => {
      box.current.value = proof;
      prover.spend(proof, typed);
      setStatus("");
      stopTimers();
      timers = [setTimeout(setStatus, NOTICED_MS, SENDING), setTimeout(end, LONGEST_MS, UNANSWERED)];
    };
    noteAnswer.current = () => { if (!waiting) end(""); };
    const settle = async () => {
      while (wanted) {
        try {
          return await (await load()).proof();
        } catch (error) {
          if (error.isForVisitor) throw error;
          setStatus(AWAY);
          await waitForRetry();
        }
      }
    };
    const wait = async () => {
      waiting = true;
      stopTimers();
      setStatus(SENDING);
      report(true);
      try {
        const proof = await settle();
        if (!wanted) return end("");
        pass(proof, readValues());
        passing = true;
        form.requestSubmit();
      } catch (error) {
        end(error.isForVisitor ? error.message : BROKEN);
      } finally {
        waiting = passing = false;
      }
    };
    const submit = (event) => {
      if (event.target !== form || passing) return;
      const typed = readValues();
      const proof = prover?.ready(typed);
      if (proof && !waiting) {
        pass(proof, typed);
        report(true);
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      // The second half of a double click, after the answer to the first has emptied the form.
      if (performance.now() - emptied < DOUBLE_MS) return;
      wanted = true;
      if (!waiting) wait();
    };
    const typing = () => { emptied = -Infinity; prepare(); };
    const noteReset = () => { emptied = performance.now(); wanted = false; };
    const emptyHoneypot = () => {
      // An extension may have filled it in: the visitor reads the refusal, and the next submit is admitted.
      setTimeout(() => { if (form.elements[honeypot]) form.elements[honeypot].value = ""; });
    };

    const gone = new AbortController();
    const whileHere = { signal: gone.signal };
    form.addEventListener("focusin", prepare, whileHere);
    form.addEventListener("input", typing, whileHere);
    form.addEventListener("submit", emptyHoneypot, whileHere);
    form.addEventListener("reset", noteReset, whileHere);
    // On the window and first: no other listener may take a delayed submit for a real one.
    window.addEventListener("submit", submit, { ...whileHere, capture: true });
    if (form.contains(document.activeElement)) prepare();
    return () => {
      wanted = false;
      stopTimers();
      gone.abort();
    };
  }, [name, honeypot, stamp]);
  useLayoutEffect(() => noteAnswer.current(), [answers]);
  return (
    <>
      <input type="hidden" name={name} ref={box} />
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
