// Forms of the back office: what is typed is kept as a draft until it is saved, a submit is applied once, and leaving
// with unsaved text asks first. Loaded by the back office's own pages only.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useBlocker } from "react-router";

/** Without an answer the form can be submitted by hand again after this many milliseconds. */
const LONGEST_MS = 15000;
/** How long the answer may take after a reconnect before the form is submitted again. */
const GRACE_MS = 1000;
/** Drafts hold personal data: a forgotten one is deleted after this many milliseconds, which are longer than a weekend. */
const LIFETIME_MS = 3 * 24 * 3600 * 1000;
const PREFIX = "agency-office-draft:";
const NO_ANSWER = "There was no answer yet. What you typed is kept here. It is sent again once the connection is back.";

const isSaved = (submission, answer) => Boolean(submission) && submission === answer.key && answer.outcome === "saved";

/** The drafts in the browser's storage. A browser that allows none has none. */
const drafts = {
  keys() {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    } catch {
      return [];
    }
  },
  read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  },
  write(key, draft) {
    try {
      localStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() }));
    } catch {
      // Full or forbidden: then the page alone keeps it.
    }
  },
  remove(key) {
    try {
      localStorage.removeItem(key);
    } catch {
      // There is none.
    }
  },
  /** A record that has just been saved for the first time takes what was typed in its form meanwhile. */
  adopt(key, answer) {
    const unnamed = key.slice(0, key.lastIndexOf(":") + 1);
    const draft = unnamed === key ? null : drafts.read(unnamed);
    if (!draft || !isSaved(draft.after, answer)) return;
    drafts.write(key, draft);
    drafts.remove(unnamed);
  },
};

/** The forms of the page that hold something unsaved. */
const unsaved = new Set();
const isShown = (form) => form.isConnected && form.checkVisibility();
const isUnsaved = () => [...unsaved].some(isShown);
/** A submit that succeeds may lead to another page itself: while its answer is awaited nothing asks. */
const asksToStay = () => [...unsaved].some((form) => isShown(form) && !form.hasAttribute("data-busy"));

function mark(form, is) {
  if (is) unsaved.add(form);
  else unsaved.delete(form);
  form.toggleAttribute("data-unsaved", is);
  document.querySelectorAll(`[data-saved-only="${form.id}"]`).forEach((part) => {
    part.toggleAttribute("data-waits", is);
    part.querySelectorAll("button").forEach((button) => { button.disabled = is; });
  });
}

function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const NEVER_KEPT = new Set(["hidden", "password", "file", "submit", "button", "reset"]);
const isTick = (control) => control.type === "checkbox" || control.type === "radio";
const nameOf = (control) => (isTick(control) ? `${control.name}=${control.value}` : control.name);
const valueOf = (control) => (isTick(control) ? control.checked : control.value);

function controlsOf(form) {
  return [...form.elements].filter(
    (one) => one.name && !NEVER_KEPT.has(one.type) && one.autocomplete !== "one-time-code",
  );
}

function savedValueOf(control) {
  if (isTick(control)) return control.defaultChecked;
  if (control.options) return ([...control.options].find((one) => one.defaultSelected) ?? control.options[0])?.value;
  return control.defaultValue;
}

/** What was changed in the form: by the control's name its value, and the value that was saved. */
function changesIn(form) {
  const changed = controlsOf(form).filter((one) => valueOf(one) !== savedValueOf(one));
  return Object.fromEntries(changed.map((one) => [nameOf(one), { now: valueOf(one), was: savedValueOf(one) }]));
}

function fill(control, value) {
  // React learns of a click, so that what depends on the choice is drawn.
  if (isTick(control)) {
    if (control.checked !== value) control.click();
  } else {
    control.value = value;
  }
}

/** Puts a draft's changes back; returns a function that stops waiting for controls that are not drawn yet. */
function restore(form, changes, onStale) {
  const left = new Map(Object.entries(changes));
  const pass = () => {
    for (const control of controlsOf(form)) {
      const change = left.get(nameOf(control));
      if (!change) continue;
      left.delete(nameOf(control));
      if (change.was !== savedValueOf(control)) onStale();
      fill(control, change.now);
    }
    if (!left.size) observer.disconnect();
  };
  const observer = new MutationObserver(pass);
  observer.observe(form, { subtree: true, childList: true });
  pass();
  return () => observer.disconnect();
}

/**
 * Inside a form: keeps what is typed under `name` for `account`, marks the form as busy from a submit until `answer`
 * names it, and submits it once more when the page was connected again (`ready`) without an answer.
 */
export function Draft({ name, account, answer, ready }) {
  const box = useRef(null);
  const act = useRef({});
  const [restored, setRestored] = useState(null);
  const [said, say] = useState("");
  const latest = useRef(answer);
  latest.current = answer;

  useLayoutEffect(() => {
    const { form } = box.current;
    const key = `${PREFIX}${account}:${name}`;
    if (!account) return undefined;
    let submission = "";
    let waiting = false;
    let resent = false;
    let typedSince = false;
    let disputed = false;
    let passing = false;
    let timer = 0;
    let stop = () => {};

    const setBusy = (busy) => {
      clearTimeout(timer);
      form.toggleAttribute("data-busy", busy);
      form.querySelectorAll("[type=submit]").forEach((button) => {
        if (busy) button.setAttribute("aria-disabled", "true");
        else button.removeAttribute("aria-disabled");
      });
      if (busy) timer = setTimeout(() => { setBusy(false); say(NO_ANSWER); }, LONGEST_MS);
    };
    const keep = () => {
      const fields = changesIn(form);
      const any = Object.keys(fields).length > 0;
      // What was typed after a submit is not part of it: `after` names that submit.
      if (any) drafts.write(key, { fields, ...(typedSince ? { submission: "", after: submission } : { submission }) });
      else drafts.remove(key);
      mark(form, any);
    };
    const forget = () => {
      stop();
      submission = "";
      waiting = disputed = typedSince = false;
      drafts.remove(key);
      form.reset();
      mark(form, false);
      setRestored(null);
      say("");
    };
    const typed = () => {
      if (waiting) typedSince = true;
      else submission = "";
      disputed = false;
      keep();
    };
    const submit = (event) => {
      if (event.target !== form) return;
      if (form.hasAttribute("data-busy") && !passing) {
        event.preventDefault();
        event.stopPropagation();
        return;
      }
      submission ||= newKey();
      box.current.value = submission;
      waiting = true;
      typedSince = false;
      if (!passing) resent = false;
      keep();
      say("");
      setBusy(true);
    };
    const clicked = (event) => {
      const within = event.target.closest?.("[data-discard]");
      if (within && (form.contains(within) || (disputed && within.dataset.discard === "disputed"))) forget();
    };
    act.current = {
      forget,
      answered({ key: named, outcome }) {
        if (!waiting && !disputed) return;
        if (!submission || named !== submission) return;
        setBusy(false);
        say("");
        waiting = false;
        disputed = outcome === "disputed";
        if (outcome === "saved" && !typedSince) return forget();
        // The next submit is another one; only what is disputed is decided under the same key.
        if (!disputed) submission = "";
        keep();
      },
      reconnected() {
        if (!waiting || resent || !form.isConnected) return;
        resent = passing = true;
        form.requestSubmit();
        passing = false;
      },
    };

    drafts.adopt(key, latest.current);
    const kept = drafts.read(key);
    if (kept && isSaved(kept.submission, latest.current)) {
      drafts.remove(key);
    } else if (kept) {
      let stale = false;
      const goesOn = isSaved(kept.after, latest.current);
      submission = kept.submission;
      disputed = Boolean(submission) && submission === latest.current.key && latest.current.outcome === "disputed";
      stop = restore(form, kept.fields, () => { stale = !goesOn; });
      // What was restored over other values is another submit than the one that was begun.
      if (stale && !disputed) submission = "";
      mark(form, Object.keys(changesIn(form)).length > 0);
      setRestored({ at: kept.at, stale });
    }
    form.addEventListener("input", typed);
    form.addEventListener("submit", submit, true);
    form.addEventListener("discard", forget);
    document.addEventListener("click", clicked);
    return () => {
      stop();
      act.current = {};
      form.removeEventListener("input", typed);
      form.removeEventListener("submit", submit, true);
      form.removeEventListener("discard", forget);
      document.removeEventListener("click", clicked);
      setBusy(false);
      mark(form, false);
      // The same form goes on with another record.
      if (form.isConnected) form.reset();
      setRestored(null);
      say("");
    };
  }, [name, account]);

  useLayoutEffect(() => { act.current.answered?.(answer); }, [answer]);
  useEffect(() => {
    // The first submit may have survived the reconnect: its answer comes now.
    const timer = setTimeout(() => { if (ready) act.current.reconnected?.(); }, GRACE_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  return (
    <>
      <input type="hidden" name="submission" ref={box} />
      <div role="status" className="office-draft">
        {restored && (
          <p>
            What you typed here on {new Date(restored.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })} is
            not saved yet.{restored.stale && " The record has changed since: compare before you save."}{" "}
            <button type="button" className="office-quiet" onClick={() => act.current.forget?.()}>Discard it</button>
          </p>
        )}
        {said && <p>{said}</p>}
      </div>
    </>
  );
}

/** Once per page: deletes drafts that are saved, too old or of another account, and asks before unsaved text is left. */
export function DraftKeeper({ account, answer }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (!account) return;
    const isKept = (key) => key.startsWith(`${PREFIX}${account}:`) && drafts.read(key)?.at > Date.now() - LIFETIME_MS;
    drafts.keys().filter((key) => !isKept(key)).forEach(drafts.remove);
  }, [account]);
  useLayoutEffect(() => {
    const removeSubmitted = () =>
      drafts.keys().filter((key) => drafts.read(key)?.submission === answer.key).forEach(drafts.remove);
    if (answer.outcome === "saved") removeSubmitted();
    if (answer.outcome !== "disputed") return undefined;
    // The form of a dialog is gone while its conflict is resolved.
    const clicked = (event) => { if (event.target.closest?.('[data-discard="disputed"]')) removeSubmitted(); };
    document.addEventListener("click", clicked);
    return () => document.removeEventListener("click", clicked);
  }, [answer]);
  useEffect(() => {
    let signingOut = false;
    const ask = (event) => { if (isUnsaved()) event.preventDefault(); };
    const signOut = (event) => { signingOut ||= event.target.matches('[action^="/admin/sign-out"]'); };
    const leave = () => { if (signingOut) drafts.keys().forEach(drafts.remove); };
    window.addEventListener("beforeunload", ask);
    window.addEventListener("pagehide", leave);
    document.addEventListener("submit", signOut);
    return () => {
      window.removeEventListener("beforeunload", ask);
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("submit", signOut);
    };
  }, []);
  // A replaced address is not left: the record of the page has got its own.
  const blocker = useBlocker(
    ({ currentLocation: here, nextLocation: there, historyAction }) =>
      historyAction !== "REPLACE" && (here.pathname !== there.pathname || here.search !== there.search) && asksToStay(),
  );
  const asks = blocker.state === "blocked";
  useEffect(() => {
    if (asks && !dialog.current.open) dialog.current.showModal();
    if (!asks && dialog.current.open) dialog.current.close();
  }, [asks]);
  const stay = () => blocker.reset?.();
  const discard = () => {
    document.querySelectorAll("form[data-unsaved]").forEach((form) => form.dispatchEvent(new Event("discard")));
    blocker.proceed?.();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog office-dialog"
      aria-labelledby="draft-heading"
      onCancel={(event) => { event.preventDefault(); stay(); }}
      onClose={() => { if (asks) stay(); }}
    >
      <h2 id="draft-heading">Leave without saving?</h2>
      <p>What you typed is not saved. Kept as a draft, it is back in its form when you open this page again in this browser.</p>
      <div className="office-row">
        <button type="button" className="button button-primary" onClick={stay}>Stay here</button>
        <button type="button" className="button button-ghost" onClick={() => blocker.proceed?.()}>Leave, keep the draft</button>
        <button type="button" className="button button-ghost" onClick={discard}>Leave, discard it</button>
      </div>
    </dialog>
  );
}

/** The session is over: the page leaves without asking. Drafts wait for the same account, unless it has signed out here. */
export function leaveForSignIn({ signedOut }) {
  unsaved.clear();
  if (signedOut) drafts.keys().forEach(drafts.remove);
}
