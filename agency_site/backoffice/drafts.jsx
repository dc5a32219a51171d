// Unsaved text of back-office forms: kept in the browser until it is saved, and submitted under one key until there is an answer.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** Without an answer the form can be submitted again after this many milliseconds, under the same key. */
const LONGEST_MS = 15000;
/** How long the answer may take after a reconnect before the form is submitted again. */
const GRACE_MS = 1000;
/** Drafts hold personal data: a forgotten one is deleted after this many milliseconds, which are longer than a weekend. */
const LIFETIME_MS = 3 * 24 * 3600 * 1000;
const PREFIX = "agency-office-draft:";
const NEVER_KEPT = "[type=hidden],[type=password],[type=file],[autocomplete=one-time-code],button,output,fieldset";

const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
const read = (key) => JSON.parse(localStorage.getItem(key));
const write = (key, draft) => localStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() }));
const remove = (key) => localStorage.removeItem(key);
const isSaved = (submission, answer) => Boolean(submission) && submission === answer.key && answer.outcome === "saved";

const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const isTick = ({ type }) => type === "checkbox" || type === "radio";
const nameOf = (control) => (isTick(control) ? `${control.name}=${control.value}` : control.name);
const valueOf = (control) => (isTick(control) ? control.checked : control.value);
const controlsOf = (form) => [...form.elements].filter((control) => control.name && !control.matches(NEVER_KEPT));

function savedValueOf(control) {
  if (isTick(control)) return control.defaultChecked;
  if (control.options) return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0])?.value;
  return control.defaultValue;
}

function fill(control, value) {
  // React learns of a click, so that what depends on the choice is drawn.
  if (!isTick(control)) control.value = value;
  else if (control.checked !== value) control.click();
}

/** Marks the form as unsaved; controls that work on the saved version are disabled meanwhile. */
function mark(form, unsaved) {
  form.toggleAttribute("data-unsaved", unsaved);
  document.querySelectorAll(`[data-saved-only="${form.id}"]`).forEach((part) => {
    part.toggleAttribute("data-waits", unsaved);
    part.querySelectorAll("button").forEach((button) => { button.disabled = unsaved; });
  });
}

/** Returns the draft at `key`; a record that was just created takes over the text typed while it was being saved. */
function take(key, answer) {
  const unnamed = key.slice(0, key.lastIndexOf(":") + 1);
  const typedOn = read(unnamed);
  if (unnamed === key || !isSaved(typedOn?.after, answer)) return read(key);
  remove(unnamed);
  return typedOn;
}

/** Inside a form: keeps what is typed under `name` for `account` until `answer` says that its submit was saved, or a reset. */
export function Draft({ name, account, answer, ready, texts }) {
  const box = useRef(null);
  const act = useRef({});
  const [shown, show] = useState({});
  useLayoutEffect(() => {
    if (!account) return undefined;
    const { form } = box.current;
    const key = `${PREFIX}${account}:${name}`;
    const begun = take(key, answer);
    const left = new Map(Object.entries(begun?.fields ?? {}));
    let submission = begun?.submission ?? "";
    let typedSince = false;
    let waiting = false;
    let timer = 0;
    const wait = (busy) => {
      clearTimeout(timer);
      form.toggleAttribute("data-busy", busy);
      if (busy) timer = setTimeout(() => { wait(false); show({ unanswered: true }); }, LONGEST_MS);
    };
    const keep = () => {
      const changed = controlsOf(form).filter((control) => valueOf(control) !== savedValueOf(control));
      const now = changed.map((control) => [nameOf(control), { now: valueOf(control), was: savedValueOf(control) }]);
      const fields = { ...Object.fromEntries(left), ...Object.fromEntries(now) };
      const any = Object.keys(fields).length > 0;
      if (any) write(key, { fields, ...(typedSince ? { after: submission } : { submission }) });
      else remove(key);
      mark(form, any);
    };
    const restore = () => {
      for (const control of controlsOf(form).filter((candidate) => left.has(nameOf(candidate)))) {
        const { now, was } = left.get(nameOf(control));
        const stale = !begun.after && was !== savedValueOf(control);
        // Text restored over a changed value is a new submit, not a repetition of the one in progress.
        if (stale && answer.key !== submission) submission = "";
        left.delete(nameOf(control));
        fill(control, now);
        show(({ stale: before }) => ({ at: begun.at, stale: before || stale }));
      }
    };
    act.current.answered = ({ key: named, outcome }) => {
      if (!submission || named !== submission) return;
      waiting = false;
      wait(false);
      if (outcome === "saved" && !typedSince) return form.reset();
      // The next submit gets a new key; only a conflict is resolved under the same key.
      if (outcome !== "disputed") submission = "";
      if (outcome === "refused") form.querySelector('[aria-invalid="true"]')?.focus();
      keep();
    };
    act.current.waits = () => waiting;
    act.current.reconnected = () => {
      if (!waiting || !form.isConnected) return;
      wait(false);
      form.requestSubmit();
    };
    const listeners = {
      input() {
        if (waiting) typedSince = true;
        else submission = "";
        keep();
      },
      submit(event) {
        if (form.hasAttribute("data-busy")) return event.stopPropagation(), event.preventDefault();
        submission ||= newKey();
        box.current.value = submission;
        // A repeated submit saves what the first one had.
        typedSince &&= waiting;
        waiting = true;
        keep();
        wait(true);
      },
      reset() {
        submission = "";
        typedSince = waiting = false;
        left.clear();
        remove(key);
        mark(form, false);
        show({});
      },
    };
    for (const [kind, listener] of Object.entries(listeners)) form.addEventListener(kind, listener, true);
    // Controls may be drawn later; they are filled when they appear.
    const drawn = new MutationObserver(() => { if (left.size) restore(); });
    drawn.observe(form, { subtree: true, childList: true });
    if (isSaved(submission, answer)) form.reset();
    else if (left.size) restore(), keep();
    return () => {
      for (const [kind, listener] of Object.entries(listeners)) form.removeEventListener(kind, listener, true);
      drawn.disconnect();
      wait(false);
      mark(form, false);
      // The same form is used for another record.
      if (form.isConnected) form.reset();
      show({});
    };
  }, [name, account]);
  useLayoutEffect(() => { act.current.answered?.(answer); }, [answer]);
  useEffect(() => {
    // A submit from before the connection. It may have survived the reconnect, so its answer may still come.
    if (!ready || !act.current.waits?.()) return undefined;
    const timer = setTimeout(() => act.current.reconnected(), GRACE_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  const when = shown.at && new Date(shown.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  return (
    <>
      <input type="hidden" name="submission" ref={box} />
      <div role="status" className="office-draft">
        {when && <p>{texts.unsaved.replace("{moment}", when)} {shown.stale && texts.stale} <button type="reset" className="office-quiet">{texts.discard}</button></p>}
        {shown.unanswered && <p>{texts.unanswered}</p>}
      </div>
    </>
  );
}

/** Has the browser ask before it leaves unsaved text. */
function ask(event) {
  if (![...document.querySelectorAll("form[data-unsaved]")].some((form) => form.checkVisibility())) return;
  event.preventDefault();
  // Reflex closes the socket when a page is left, but the user may stay on this one.
  event.stopImmediatePropagation();
}
// Before Reflex connects, because listeners on the window are called in the order in which they were added.
if (typeof window !== "undefined") window.addEventListener("beforeunload", ask);

/** Once per page: deletes drafts that are done with. */
export function DraftKeeper({ account, answer }) {
  useLayoutEffect(() => {
    const isKept = (key) => key.startsWith(`${PREFIX}${account}:`) && read(key).at > Date.now() - LIFETIME_MS;
    if (account) keys().filter((key) => !isKept(key)).forEach(remove);
    const signOut = ({ target }) => { if (target.matches('[action^="/admin/sign-out"]')) leaveForSignIn({ signedOut: true }); };
    // On the window, because `web/build/hydration.js` stops the event there while the page has no socket.
    window.addEventListener("submit", signOut, true);
    return () => window.removeEventListener("submit", signOut, true);
  }, [account]);
  useLayoutEffect(() => {
    const removeSubmitted = () => keys().filter((key) => read(key).submission === answer.key).forEach(remove);
    if (answer.outcome === "saved") removeSubmitted();
    // The buttons of a conflict are outside of the form.
    const decide = ({ target }) => {
      if (answer.outcome !== "disputed" || !target.closest?.("[data-discard]")) return;
      document.querySelectorAll(`[name=submission][value="${answer.key}"]`).forEach(({ form }) => form.reset());
      removeSubmitted();
    };
    document.addEventListener("click", decide);
    return () => document.removeEventListener("click", decide);
  }, [answer]);
  return null;
}

/** Leaves after the session has ended, without asking. Drafts stay for the same account, unless it signed out here. */
export function leaveForSignIn({ signedOut }) {
  document.querySelectorAll("form[data-unsaved]").forEach((form) => form.removeAttribute("data-unsaved"));
  if (signedOut) keys().forEach(remove);
}
