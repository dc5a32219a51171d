// Delays the submit of a form until its proof of work is found. The code that finds it is loaded on the first focus.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
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
/** Events of the form: it is being sent, though its proof may still be missing; it can be sent again. */
const BEGUN = "sending";
const ENDED = "sent";
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
  const [aside, setAside] = useState(null);
  useEffect(() => setAside(place ? document.getElementById(place) : null), [place]);
  // Before the effect that replays what was submitted before hydration.
  useLayoutEffect(() => {
    const { form } = box.current;
    let prover = null;
    let waiting = false;
    let passing = false;
    let wanted = false;
    let emptied = -Infinity;
    let timers = [];

    const report = (type) => form.dispatchEvent(new Event(type));
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
    const stopTimers = () => timers.splice(0).forEach(clearTimeout);
    const giveUp = () => { setStatus(UNANSWERED); report(ENDED); };
    const pass = (proof, typed) => {
      box.current.value = proof;
      prover.spend(proof, typed);
      setStatus("");
      stopTimers();
      timers = [setTimeout(() => setStatus(SENDING), NOTICED_MS), setTimeout(giveUp, LONGEST_MS)];
    };
    noteAnswer.current = () => {
      stopTimers();
      if (waiting) return;
      setStatus("");
      report(ENDED);
    };
    const settle = async () => {
      for (;;) {
        try {
          return await (await load()).proof();
        } catch (error) {
          if (error.isForVisitor) throw error;
          setStatus(AWAY);
          await waitForRetry();
          if (!form.isConnected) return "";
        }
      }
    };
    const wait = async () => {
      waiting = true;
      stopTimers();
      setStatus(SENDING);
      report(BEGUN);
      try {
        const proof = await settle();
        if (!proof || !form.isConnected) return;
        // The answer to an earlier submit of the same has come meanwhile.
        if (!wanted) { setStatus(""); report(ENDED); return; }
        pass(proof, readValues());
        passing = true;
        form.requestSubmit();
      } catch (error) {
        setStatus(error.isForVisitor ? error.message : BROKEN);
        report(ENDED);
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
        report(BEGUN);
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      // The second half of a double click, after the answer to the first has emptied the form.
      const double = performance.now() - emptied < DOUBLE_MS;
      if (double) return;
      wanted = true;
      if (!waiting) wait();
    };
    const typing = () => { emptied = -Infinity; prepare(); };
    const noteReset = () => { emptied = performance.now(); wanted = false; };
    const emptyHoneypot = () => {
      // An extension may have filled it in: the visitor reads the refusal, and the next submit is admitted.
      setTimeout(() => { if (form.elements[honeypot]) form.elements[honeypot].value = ""; });
    };

    form.addEventListener("focusin", prepare);
    form.addEventListener("input", typing);
    form.addEventListener("submit", emptyHoneypot);
    form.addEventListener("reset", noteReset);
    // On the window and first: no other listener may take a delayed submit for a real one.
    window.addEventListener("submit", submit, true);
    if (form.contains(document.activeElement)) prepare();
    return () => {
      stopTimers();
      form.removeEventListener("focusin", prepare);
      form.removeEventListener("input", typing);
      form.removeEventListener("submit", emptyHoneypot);
      form.removeEventListener("reset", noteReset);
      window.removeEventListener("submit", submit, true);
    };
  }, [name, honeypot, stamp]);
  useLayoutEffect(() => noteAnswer.current(), [answers]);
  return (
    <>
      <input type="hidden" name={name} ref={box} />
      {stamp && <form-stamp suppressHydrationWarning dangerouslySetInnerHTML={NOTHING} />}
      {place ? aside && createPortal(status, aside) : <p className="form-wait" aria-live="polite">{status}</p>}
    </>
  );
}

/** The submit button of a protected form: from the submit on disabled and labelled `busy`, until the form can be sent again. */
export function SubmitButton({ busy, disabled = false, children, ...rest }) {
  const button = useRef(null);
  const [sending, setSending] = useState(false);
  useEffect(() => {
    const { form } = button.current;
    const begin = () => setSending(true);
    const end = () => setSending(false);
    form.addEventListener(BEGUN, begin);
    form.addEventListener(ENDED, end);
    return () => {
      form.removeEventListener(BEGUN, begin);
      form.removeEventListener(ENDED, end);
    };
  }, []);
  return (
    <button {...rest} type="submit" ref={button} disabled={disabled || sending}>
      {sending ? busy : children}
    </button>
  );
}
