// The few things that only a browser can do. Each is one small React component, wrapped for Python in behaviours.py.
// Everything here is an enhancement: the markup underneath works without it.
import { useContext, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { EventLoopContext } from "$/utils/context";
import { isReachable } from "./reachability.jsx";

const MOTION = "(prefers-reduced-motion: reduce)";

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

/** A region that ticks by itself, but not while someone points at it or has focus in it, nor with reduced motion. */
export function AutoAdvance({ every, playing = true, onTick, children, ...rest }) {
  const [paused, setPaused] = useState(false);
  const [reduced, setReduced] = useState(false);
  useEffect(() => {
    const query = window.matchMedia(MOTION);
    const update = () => setReduced(query.matches);
    update();
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  const pointer = useRef(false);
  const focus = useRef(false);
  const region = useRef(null);
  const sync = () => setPaused(pointer.current || focus.current);
  useEffect(() => {
    // Both may have happened before hydration, without an event here.
    pointer.current = region.current.matches(":hover");
    focus.current = region.current.matches(":focus-within");
    sync();
  }, []);
  return (
    <div
      {...rest}
      ref={region}
      onMouseEnter={() => { pointer.current = true; sync(); }}
      onMouseLeave={() => { pointer.current = false; sync(); }}
      onFocus={() => { focus.current = true; sync(); }}
      onBlur={(event) => { focus.current = event.currentTarget.contains(event.relatedTarget); sync(); }}
    >
      <Interval every={every} active={playing && !paused && !reduced} onTick={onTick} />
      {children}
    </div>
  );
}

/**
 * A native modal dialog that follows `open`: the browser keeps focus inside and gives it back afterwards. Focus begins at
 * the element marked `data-initial-focus`, if there is one, otherwise at the first.
 */
export function ModalDialog({ open = false, onDismiss, children, ...rest }) {
  const element = useRef(null);
  const opener = useRef(null);
  const wanted = useRef(open);
  wanted.current = open;
  useEffect(() => {
    const dialog = element.current;
    if (open && !dialog.open) {
      opener.current = document.activeElement;
      dialog.showModal();
      const first = dialog.querySelector("[data-initial-focus]");
      first?.focus();
      first?.select?.(); // what is filled in already is replaced by typing
    }
    if (!open && dialog.open) {
      dialog.close();
      opener.current?.focus?.();
    }
  }, [open]);
  const keepInside = (event) => {
    if (event.key !== "Tab") return;
    const stops = [...element.current.querySelectorAll("a[href],button:not([disabled]),input,select,textarea")].filter(
      (stop) => stop.offsetParent !== null,
    );
    const edge = event.shiftKey ? stops[0] : stops[stops.length - 1];
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? stops[stops.length - 1] : stops[0]).focus();
  };
  return (
    <dialog
      {...rest}
      ref={element}
      onKeyDown={keepInside}
      onCancel={(event) => { event.preventDefault(); onDismiss?.(); }}
      // A second Esc in a row closes it in any case: browsers enforce that.
      onClose={() => { if (wanted.current) onDismiss?.(); }}
    >
      {children}
    </dialog>
  );
}

/** After a change of path inside the site: window to the top, focus to the new page's heading, as soon as there is one. */
let shownPath; // of the module, not of the component: every page brings a new shell
export function RouteFocus() {
  const { pathname } = useLocation();
  useEffect(() => {
    const before = shownPath;
    shownPath = pathname;
    if (before === undefined || before === pathname) return undefined;
    window.scrollTo({ top: 0, behavior: "instant" });
    const page = document.querySelector("main");
    const arrive = () => {
      const heading = page.querySelector("h1");
      (heading ?? page).setAttribute("tabindex", "-1");
      (heading ?? page).focus({ preventScroll: true });
      return heading;
    };
    if (!page || arrive()) return undefined;
    // Private pages load their record first. Focus that has moved meanwhile is not moved again.
    const awaited = new MutationObserver(() => {
      if (document.activeElement !== page) awaited.disconnect();
      else if (page.querySelector("h1")) arrive();
    });
    awaited.observe(page, { subtree: true, childList: true });
    return () => awaited.disconnect();
  }, [pathname]);
  return null;
}

/**
 * A menu button whose list opens on hover, focus and click, and closes on leave, Esc and the choice of a link. Before
 * hydration the stylesheet opens it; hydration takes over what it finds open. After a navigation inside the site the
 * pointer still rests where the last page had the list, and nothing opens.
 */
export function Dropdown({ label, id, children, ...rest }) {
  const [open, setOpen] = useState(false);
  const [live, setLive] = useState(() => typeof document === "object" && "hydrated" in document.documentElement.dataset);
  const root = useRef(null);
  const pinned = useRef(false);
  useEffect(() => {
    if (live) return;
    setOpen(root.current.matches(":hover, :focus-within"));
    setLive(true);
  }, []);
  const close = () => { pinned.current = false; setOpen(false); };
  const escape = (event) => {
    if (event.key !== "Escape" || !open) return;
    root.current.querySelector("button").focus();
    close();
  };
  const toggle = () => {
    if (pinned.current) return close();
    pinned.current = true;
    setOpen(true);
  };
  return (
    <div
      {...rest}
      ref={root}
      className="dropdown"
      data-live={live ? "" : undefined}
      data-open={open}
      onMouseEnter={() => setOpen(true)}
      onMouseLeave={close}
      onBlur={(event) => { if (!event.currentTarget.contains(event.relatedTarget)) close(); }}
      onKeyDown={escape}
    >
      <button
        type="button"
        className="nav-link"
        aria-expanded={open}
        aria-controls={id}
        onFocus={(event) => { if (event.target.matches(":focus-visible")) setOpen(true); }}
        onClick={toggle}
      >
        {label}
      </button>
      <ul id={id} className="dropdown-list" onClick={(event) => { if (event.target.closest("a")) close(); }}>
        {children}
      </ul>
    </div>
  );
}

/** The phone's menu: a native details element; opening folds its submenus, choosing a link or Esc closes it. */
export function FoldingMenu({ children, ...rest }) {
  const root = useRef(null);
  return (
    <details
      {...rest}
      ref={root}
      onToggle={(event) => {
        if (event.target !== root.current || !root.current.open) return;
        root.current.querySelectorAll("details").forEach((inner) => { inner.open = false; });
      }}
      onClick={(event) => { if (event.target.closest("a")) root.current.open = false; }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !root.current.open) return;
        root.current.open = false;
        root.current.querySelector("summary").focus();
      }}
    >
      {children}
    </details>
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
 * Focus never falls back to the top of the page. When its element is disabled for a moment, focus returns afterwards; when
 * it is removed or hidden, the nearest heading around its place gets focus. A click beside everything removes focus on
 * purpose.
 */
export function FocusKeeper() {
  useEffect(() => {
    let path = [];
    let timer = 0;
    const lost = () => !document.activeElement || document.activeElement === document.body;
    const note = () => {
      path = [];
      for (let at = document.activeElement; at && at !== document.body; at = at.parentElement) path.push(at);
    };
    const seen = (element) => element.isConnected && element.checkVisibility({ visibilityProperty: true });
    const keep = () => {
      if (!path.length || !lost() || !document.hasFocus()) return;
      const [last, ...around] = path;
      if (seen(last)) return last.focus({ preventScroll: true });
      const headings = (one) => [...(one.querySelector("main") ?? one).querySelectorAll("h1,h2,h3")];
      const heading = around.filter(seen).map((one) => headings(one).find(seen)).find(Boolean);
      if (!heading) return;
      heading.setAttribute("tabindex", "-1");
      heading.focus();
    };
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      if (path.length && lost()) timer = setTimeout(keep, 50);
    });
    const forget = () => { path = []; };
    note();
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", forget, true);
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", forget, true);
    };
  }, []);
  return null;
}

/** The year in Nairobi: the build's at first, the present one once scripts run. */
export function CurrentYear({ built }) {
  const [year, setYear] = useState(built);
  useEffect(() => {
    // UTC+3 the whole year. `Intl` would load its tables of time zones, which takes a slow phone 35 ms.
    setYear(String(new Date(Date.now() + 3 * 3600 * 1000).getUTCFullYear()));
  }, []);
  return year;
}

/** Marks a clicked button until the page changes, so that there is feedback within 100 ms on a slow network. */
export function ClickFeedback() {
  useEffect(() => {
    let marked = null;
    let timer = 0;
    const clear = () => { marked?.removeAttribute("data-pressed"); marked = null; clearTimeout(timer); };
    const observer = new MutationObserver((changes) => {
      if (marked && changes.some((change) => change.attributeName !== "data-pressed")) clear();
    });
    const mark = (event) => {
      const button = event.target.closest?.("button");
      if (!button || button.disabled) return;
      clear();
      marked = button;
      button.setAttribute("data-pressed", "");
      timer = setTimeout(clear, 2000);
    };
    document.addEventListener("click", mark, true);
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    return () => { document.removeEventListener("click", mark, true); observer.disconnect(); clear(); };
  }, []);
  return null;
}

/**
 * Empties the form with this id when `when` changes after a submit made on this page. A counter that arrives late from
 * an earlier visit in the same tab must not wipe what is being typed.
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

/** Without a connection the page counts as hydrated after this many milliseconds: what needs no server should work. */
const LONGEST_MS = 3000;

/**
 * Says that React handles events from here on ("attached"), and marks the page as hydrated, once the server has handled the
 * events of its opening (`ready`): an earlier click would be overwritten by them. The script in the head then replays queued
 * clicks and submits. From here on links are followed inside the page, so that whole pages need not be prefetched.
 */
export function HydrationMarker({ ready }) {
  useEffect(() => { window.dispatchEvent(new Event("attached")); }, []);
  useEffect(() => {
    const announce = () => {
      Object.assign(document.documentElement.dataset, { hydrated: "", scripts: "" });
      window.dispatchEvent(new Event("hydrated"));
      document.querySelector("script[type=speculationrules]")?.remove();
    };
    const timer = setTimeout(announce, ready ? 0 : LONGEST_MS);
    return () => clearTimeout(timer);
  }, [ready]);
  return null;
}

const POST_AFTER_MS = 2000;

/** Has the browser post a form that could not be sent over the socket within two seconds, if the server can be reached. */
export function PostFallback({ ready }) {
  const [, connectErrors] = useContext(EventLoopContext);
  const open = useRef(false);
  const openings = useRef(0);
  const isOpen = ready && connectErrors.length === 0;
  if (isOpen && !open.current) openings.current += 1;
  open.current = isOpen;
  useEffect(() => {
    const post = async (form, before) => {
      // A socket that was open meanwhile has sent it.
      const remains = () => openings.current === before && form.isConnected;
      if (!remains()) return;
      if ((await isReachable()) && remains()) HTMLFormElement.prototype.submit.call(form);
    };
    const wait = ({ target }) => {
      if (open.current || target.method !== "post" || !target.hasAttribute("action")) return;
      const before = openings.current;
      setTimeout(() => post(target, before), POST_AFTER_MS);
    };
    window.addEventListener("submit", wait);
    return () => window.removeEventListener("submit", wait);
  }, []);
  return null;
}
