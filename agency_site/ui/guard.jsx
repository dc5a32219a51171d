// Holds a form's submit back until its proof of work is found. Everything that finds it is loaded on the first focus.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { getBackendURL } from "$/utils/state";

const SENDING = "Sending …";
const AWAY = "No connection to our server just now. What you typed stays here, and the form goes out once it is back.";
const BROKEN = "The form could not be sent. What you typed is still here. Please copy it, and reload the page.";
const DOUBLE_MS = 700;
/** An answer may be lost with the connection: then the form can be sent again after this many milliseconds. */
const LONGEST_MS = 15000;
/** Sent to the form: it is on its way, though a proof may still be missing; it was not sent after all. */
const BEGUN = "sending";
const STOPPED = "unsent";

function challengeAddress() {
  const address = getBackendURL();
  address.pathname = "/api/challenge";
  address.search = "";
  return address;
}

/** Resolves after a second and a half, or as soon as the browser is online again. */
function aMoment() {
  return new Promise((done) => {
    const timer = setTimeout(done, 1500);
    window.addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
  });
}

/** Inside a form: its hidden box for the proof, and a line that says while a press has to wait. */
export function FormGuard({ name, trap, place }) {
  const box = useRef(null);
  const [said, say] = useState("");
  const [aside, setAside] = useState(null);
  useEffect(() => setAside(place ? document.getElementById(place) : null), [place]);
  // Before the effect that sends what was submitted before the page was alive.
  useLayoutEffect(() => {
    const { form } = box.current;
    let prover = null;
    let held = false;
    let passing = false;
    let emptied = -Infinity;

    const words = () => {
      const typed = [...new FormData(form).entries()].filter(([key]) => key !== name);
      return JSON.stringify(typed);
    };
    const load = async () => {
      const { makeProver } = await import("./proving.js");
      prover ??= makeProver(challengeAddress());
      return prover;
    };
    const prepare = () => load().then((found) => found.prepare()).catch(() => {});
    const pass = (proof, typed) => {
      box.current.value = proof;
      prover.spend(proof, typed);
    };
    const settle = async () => {
      for (;;) {
        try {
          return await (await load()).proof();
        } catch (fault) {
          if (fault.told) throw fault;
          say(AWAY);
          await aMoment();
          if (!form.isConnected) return "";
        }
      }
    };
    const report = (type) => form.dispatchEvent(new Event(type));
    const wait = async () => {
      held = true;
      say(SENDING);
      report(BEGUN);
      try {
        const proof = await settle();
        if (!proof || !form.isConnected) return;
        pass(proof, words());
        passing = true;
        form.requestSubmit();
        say("");
      } catch (fault) {
        say(fault.told ? fault.message : BROKEN);
        report(STOPPED);
      } finally {
        held = passing = false;
      }
    };
    const submit = (event) => {
      if (event.target !== form || passing) return;
      const typed = words();
      const proof = prover?.ready(typed);
      if (proof && !held) {
        pass(proof, typed);
        say("");
        report(BEGUN);
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      // The second half of a double press, when the answer to the first has emptied the form already.
      const double = performance.now() - emptied < DOUBLE_MS;
      if (!held && !double) wait();
    };
    const typing = () => { emptied = -Infinity; prepare(); };
    const noteReset = () => { emptied = performance.now(); };
    const emptyTrap = () => {
      // An extension may have filled it in: the visitor is told, and the next press goes through.
      setTimeout(() => { if (form.elements[trap]) form.elements[trap].value = ""; });
    };

    form.addEventListener("focusin", prepare);
    form.addEventListener("input", typing);
    form.addEventListener("submit", emptyTrap);
    form.addEventListener("reset", noteReset);
    // On the window and first: nobody else may take a held submit for a real one.
    window.addEventListener("submit", submit, true);
    if (form.contains(document.activeElement)) prepare();
    return () => {
      form.removeEventListener("focusin", prepare);
      form.removeEventListener("input", typing);
      form.removeEventListener("submit", emptyTrap);
      form.removeEventListener("reset", noteReset);
      window.removeEventListener("submit", submit, true);
    };
  }, [name, trap]);
  return (
    <>
      <input type="hidden" name={name} ref={box} />
      {place ? aside && createPortal(said, aside) : <p className="form-wait" aria-live="polite">{said}</p>}
    </>
  );
}

/**
 * The submit button of a guarded form. From the submit on, before any answer, it is disabled and says `busy`; it is itself
 * again when `answers` changes, or when the form could not be sent.
 */
export function SubmitButton({ answers, busy, disabled = false, children, ...rest }) {
  const button = useRef(null);
  const [sending, setSending] = useState(false);
  useEffect(() => {
    const { form } = button.current;
    const begin = () => setSending(true);
    const end = () => setSending(false);
    form.addEventListener(BEGUN, begin);
    form.addEventListener(STOPPED, end);
    return () => {
      form.removeEventListener(BEGUN, begin);
      form.removeEventListener(STOPPED, end);
    };
  }, []);
  useEffect(() => {
    if (!sending) return undefined;
    const timer = setTimeout(() => setSending(false), LONGEST_MS);
    return () => clearTimeout(timer);
  }, [sending]);
  useEffect(() => setSending(false), [answers]);
  return (
    <button {...rest} type="submit" ref={button} disabled={disabled || sending}>
      {sending ? busy : children}
    </button>
  );
}
