// Browser behaviour: small React components, wrapped for Python in behaviours.py.
// Everything here is an enhancement: the markup underneath works without it.
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { EventLoopContext } from "$/utils/context";

/** Calls `onTick` every `every` milliseconds while `active`, never while the tab is hidden. */
export function Interval({ every, active = true, onTick }) {
  const tick = useRef(onTick);
  tick.current = onTick;
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) tick.current?.();
    }, every);
    return () => clearInterval(timer);
  }, [every, active]);
  return null;
}

/**
 * A native modal dialog that follows `open`: the browser keeps focus inside and returns it afterwards. Focus begins at
 * the element marked `data-initial-focus`, or at the first one.
 */
export function ModalDialog({ open = false, onDismiss, children, ...rest }) {
  const element = useRef(null);
  const opener = useRef(null);
  // The server draws no dialog, and what was typed in it must be there when it opens again.
  const [drawn, setDrawn] = useState(open);
  if (open && !drawn) setDrawn(true);
  const wanted = useRef(open);
  wanted.current = open;
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    if (open && !dialog.open) {
      opener.current = document.activeElement;
      dialog.showModal();
      const first = dialog.querySelector("[data-initial-focus]");
      first?.focus();
      first?.select?.(); // typing replaces the present text
    }
    if (!open && dialog.open) {
      dialog.close();
      opener.current?.focus?.();
    }
  }, [open]);
  return drawn && (
    <dialog
      {...rest}
      ref={element}
      onCancel={(event) => { event.preventDefault(); onDismiss?.(); }}
      // Browsers close it on a second Esc in a row, whatever onCancel does.
      onClose={() => { if (wanted.current) onDismiss?.(); }}
    >
      {children}
    </dialog>
  );
}

/** A row of tabs: arrow keys, Home and End move between them and choose (APG, tabs with automatic activation). */
export function TabList({ children, ...rest }) {
  const move = (event) => {
    const tabs = [...event.currentTarget.querySelectorAll("[role=tab]")];
    const here = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || here < 0) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };
  return <div role="tablist" {...rest} onKeyDown={move}>{children}</div>;
}

/** Moves focus to the element with this id each time `when` changes to something true. */
export function FocusWhen({ when, target }) {
  useEffect(() => {
    if (!when) return;
    const element = document.getElementById(target);
    if (!element) return;
    if (!element.matches("a[href],button,input,select,textarea,[tabindex]")) element.setAttribute("tabindex", "-1");
    element.focus();
  }, [when, target]);
  return null;
}

/**
 * Empties the form with this id when `when` changes after a submit made on this page. A counter that arrives late from
 * an earlier visit in the same tab must not delete the present input.
 */
export function ResetAfter({ when, target }) {
  const sent = useRef(false);
  useEffect(() => {
    const form = document.getElementById(target);
    const note = () => { sent.current = true; };
    form?.addEventListener("submit", note);
    return () => form?.removeEventListener("submit", note);
  }, [target]);
  useEffect(() => {
    if (!sent.current) return;
    sent.current = false;
    document.getElementById(target)?.reset();
  }, [when, target]);
  return null;
}

/** Without a connection the page counts as hydrated after this many milliseconds, so that local functions work. */
const LONGEST_MS = 3000;

/**
 * Marks the page as hydrated once the server has handled its `on_load` events (`ready`), which would overwrite the effect of
 * an earlier click, and as connected while its socket is open (`web/build/hydration.js`).
 */
export function HydrationMarker({ ready }) {
  const [, connectErrors] = useContext(EventLoopContext);
  const connected = ready && connectErrors.length === 0;
  useEffect(() => {
    document.documentElement.toggleAttribute("data-connected", connected);
  }, [connected]);
  useEffect(() => {
    const announce = () => {
      document.documentElement.toggleAttribute("data-hydrated", true);
      window.dispatchEvent(new Event("hydrated"));
    };
    const timer = setTimeout(announce, ready ? 0 : LONGEST_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  return null;
}

/**
 * Calls `onConnect` with the values of some fields of a form each time that a connection has begun and the page has its state,
 * which may be a new one. The first values are those of the page as it was adopted: a state that comes may change fields.
 */
export function WhenConnected({ ready, form, names, onConnect }) {
  const adopted = useRef(null);
  const read = () => Object.fromEntries([...new FormData(document.getElementById(form))].filter(([name]) => names.includes(name)));
  useLayoutEffect(() => { adopted.current = read(); }, []);
  useEffect(() => {
    if (!ready) return;
    onConnect(adopted.current ?? read());
    adopted.current = null;
  }, [ready]);
  return null;
}

const NOTHING = { __html: "" };

/** An empty line below a field, whose content is not React's (`site/layout/mail_suggestions.js`). */
export function MailSuggestion({ field }) {
  return <p id={`${field}-suggestion`} className="field-suggestion" aria-live="polite" suppressHydrationWarning dangerouslySetInnerHTML={NOTHING} />;
}
