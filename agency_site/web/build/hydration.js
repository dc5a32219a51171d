// Before hydration: loads the scripts of the page once a visitor reaches for a control, and queues clicks and submits until they run.
//
// The page contains the list of scripts (`#scripts`, written when the site is published) and when to load them
// (`data-hydrates`). The empty shell has no list: its scripts load by themselves, and only events are queued here.
(() => {
  // What React serves. Links, disclosures and menus work without it, so reading, scrolling and leaving a page load no script.
  const CONTROLS = "form,input,select,textarea,[role=tab],button:not(.nav-link)";
  const REACHES = ["focusin", "pointerover"];
  const passively = { capture: true, passive: true };
  const PAUSE_MS = 2000;
  const LONGEST_PAUSE_MS = 30_000;
  const WITHOUT_SCRIPTS_MS = 1000;
  const SLOW_PAGE_MS = 600;
  // Keys in the session storage: the manifest for which the page was reloaded, the time of the last reload (Reflex's key: a
  // page that meets a server with other states reloads and stores it there), and the input before it.
  const RENEWED = "renewed";
  const RELOADED = "reflex_last_reloaded_on_error";
  const TYPED = "typed";
  const SERVED = "page-region[data-served]";
  const tab = (() => {
    try {
      return sessionStorage;
    } catch {
      return undefined;
    }
  })();
  // A reload gets a new state, as a new tab does: Reflex would find the old state with this token.
  tab?.removeItem("token");
  // Stylesheets show other things where this script does not run.
  document.documentElement.dataset.scripts = "";
  let begun = false;
  let pause = PAUSE_MS;
  const line = (textContent) =>
    Object.assign(document.createElement("p"), { className: "calm-line on-dark", role: "status", textContent });
  // Shown while scripts cannot be fetched; a hydrated page has a line of its own (`site/layout/error_pages.py`).
  const offlineLine = line(
    "No connection just now. You can go on reading; what is pressed or sent waits until it is back. What you typed stays.",
  );

  // Lets the browser respond and paint between two scripts.
  const pauseBriefly = () => new Promise((done) => setTimeout(done));
  // All are fetched at once, but each runs in a task of its own; the entry comes last, since it starts React.
  const load = async ({ preload, manifest, routes, entry }) => {
    for (const href of preload) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
      await pauseBriefly();
    }
    for (const script of new Set([manifest, ...preload, ...Object.values(routes)])) {
      if (script !== entry) await import(script);
      await pauseBriefly();
    }
    const modules = {};
    for (const name of Object.keys(routes)) modules[name] = await import(routes[name]);
    offlineLine.remove();
    window.__reactRouterRouteModules = modules;
    await import(entry);
  };
  // After an upgrade the scripts of an open page are gone: it is reloaded, once.
  const reloadOnce = async ({ manifest }) => {
    const { status } = await fetch(manifest, { method: "HEAD", cache: "no-store" });
    // Without storage a second reload could not be recognised.
    if (status !== 404 || !tab || tab.getItem(RENEWED) === manifest) throw new Error("later");
    tab.setItem(RENEWED, manifest);
    tab.setItem(RELOADED, Date.now());
    location.reload();
  };
  const onReach = ({ target, type, pointerType }) => {
    // A finger that comes down on a control may be about to scroll; if it taps, a click follows.
    const scrolls = type === "pointerover" && pointerType === "touch";
    if (!scrolls && target.closest?.(CONTROLS)) hydrate();
  };
  const awaitReach = () => REACHES.forEach((name) => addEventListener(name, onReach, passively));
  // Failed fetches are retried with increasing delays while there is a network, and when a visitor reaches for a control.
  const retry = () => {
    if (!offlineLine.isConnected) return;
    begun = false;
    awaitReach();
    if (navigator.onLine) hydrate();
  };
  const scheduleRetry = () => {
    document.body.append(offlineLine);
    setTimeout(retry, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  };
  addEventListener("online", retry);
  const hydrate = () => {
    if (document.readyState === "loading") {
      addEventListener("DOMContentLoaded", hydrate, { once: true });
      return;
    }
    if (begun) return;
    begun = true;
    REACHES.forEach((name) => removeEventListener(name, onReach, passively));
    const element = document.getElementById("scripts");
    if (!element) return;
    const list = JSON.parse(element.textContent);
    load(list).catch(() => reloadOnce(list)).catch(scheduleRetry);
  };
  const hasStored = (element) => {
    try {
      return localStorage.getItem(element.dataset.hydratesFor);
    } catch {
      return null;
    }
  };
  const plan = () => {
    const how = document.querySelector("[data-hydrates]")?.dataset.hydrates;
    // A query that the server has not answered, or stored data of this browser, select content that only scripts can show.
    const asks = location.search && !document.querySelector(SERVED);
    const needsScripts = asks || [...document.querySelectorAll("[data-hydrates-for]")].some(hasStored);
    if (how === "idle" || needsScripts) {
      if ("requestIdleCallback" in window) requestIdleCallback(hydrate, { timeout: PAUSE_MS });
      else setTimeout(hydrate, 200);
    }
  };

  // Clicks and submits in their order, and changed fields with their values.
  const queued = [];
  const changed = new Map();
  // `without` is what the browser does by itself if scripts take too long; it needs the network.
  const queue = (event, { target, shown = target, again, without }) => {
    event.preventDefault();
    // React handles events slightly earlier than Python does: a click in between would be handled twice.
    event.stopImmediatePropagation();
    if (target.matches("form") && queued.some((one) => one.target === target)) return;
    shown?.setAttribute("data-pressed", "");
    const one = { target, shown, again };
    queued.push(one);
    hydrate();
    if (without) leave(one, without);
  };
  const isReachable = () => fetch("/healthz", { method: "HEAD", cache: "no-store" }).then(({ ok }) => ok, () => false);
  // Where this page took so long to come, scripts and socket will not be there within the wait: it would only be added.
  const isSlow = () => {
    const [page] = performance.getEntriesByType("navigation");
    return page?.responseEnd - page?.requestStart >= SLOW_PAGE_MS;
  };
  const receives = () => performance.getEntriesByType("resource")
    .some(({ transferSize, responseEnd }) => transferSize > 0 && responseEnd > performance.now() - PAUSE_MS);
  const leave = async (one, without) => {
    // Asked during the wait. On a slow network the response would be one more behind the scripts, which show the same.
    const reachable = (isSlow() && receives()) || isReachable();
    if (!isSlow()) await new Promise((done) => setTimeout(done, WITHOUT_SCRIPTS_MS));
    const isReached = await reachable;
    if (!queued.includes(one)) return;
    if (!isReached) {
      setTimeout(leave, WITHOUT_SCRIPTS_MS, one, without);
      return;
    }
    queued.splice(queued.indexOf(one), 1);
    without();
  };
  const modified = ({ metaKey, ctrlKey, shiftKey, altKey }) => metaKey || ctrlKey || shiftKey || altKey;
  // What React draws in place of a control may come a moment after the page is hydrated.
  const clickOnce = (selector, served) => {
    const find = () => {
      const control = document.querySelector(selector);
      if (!control && served.isConnected) return false;
      // A dialog that it opens gives focus back to it.
      control?.focus({ preventScroll: true });
      control?.click();
      return true;
    };
    if (find()) return;
    const drawn = new MutationObserver(() => { if (find()) drawn.disconnect(); });
    drawn.observe(document.body, { childList: true, subtree: true });
  };
  // A form by one of its buttons that leads elsewhere than the form.
  const post = ({ form, attributes }) => {
    const action = form.getAttribute("action");
    form.setAttribute("action", attributes.formaction.value);
    HTMLFormElement.prototype.submit.call(form);
    form.setAttribute("action", action);
  };
  // Such a button on a hydrated page is one that React has yet to draw; it would take the click for a submit of the form. The
  // click waits for React's own button. If that takes too long the server answers, as it does without scripts.
  const clickServed = (event) => {
    const button = event.target.closest?.("button[formaction]");
    if (!button) return;
    event.preventDefault();
    button.setAttribute("data-pressed", "");
    clickOnce(button.dataset.again, button);
    setTimeout(async () => { if (await isReachable() && button.isConnected) post(button); }, WITHOUT_SCRIPTS_MS);
  };
  const queueClick = (event) => {
    const target = event.target.closest?.("a[href],summary,label,button");
    if (target?.dataset.again && !modified(event)) {
      // A control of what the server has drawn, which is another one once React has drawn it.
      const again = () => clickOnce(target.dataset.again, target);
      const posts = target.hasAttribute("formaction") && (() => post(target));
      queue(event, { target, again, without: target.href ? () => location.assign(target.href) : posts });
      return;
    }
    // Links, disclosures and fields work by themselves; a submit button ends in a submit.
    if (!target?.matches("button") || target.popoverTargetElement || (target.form && target.type !== "button")) return;
    queue(event, { target, again: () => target.click() });
  };
  const queueSubmit = (event) => {
    const { target, submitter } = event;
    // React draws what the server has drawn anew: the browser posts such a form at once.
    if (target.closest(SERVED) || target.querySelector(SERVED)) return;
    // Without scripts the browser posts it by itself; a form without an action would put its values into this page's address.
    if (target.method === "get" && target.hasAttribute("action")) return;
    const without = target.method === "post" ? () => HTMLFormElement.prototype.submit.call(target) : undefined;
    queue(event, { target, shown: submitter, again: () => target.requestSubmit(submitter), without });
  };
  const ticked = (field) => field.matches("[type=checkbox],[type=radio]");
  const noteChange = ({ target }) => {
    [...changed.keys()].filter((field) => !field.isConnected).forEach((field) => changed.delete(field));
    changed.set(target, ticked(target) ? target.checked : target.value);
  };

  // React would hydrate the whole page at once for any of these, while the visitor waits for a response; it sees none of them
  // until it is ready for them. What the browser does by itself is not affected.
  const HELD = [
    "pointerdown", "pointerup", "pointercancel", "mousedown", "mouseup", "touchstart", "touchend", "touchcancel", "click", "auxclick",
    "dblclick", "contextmenu", "keydown", "keypress", "keyup", "input", "change", "reset", "copy", "cut", "paste",
  ];
  const hold = (event) => event.stopPropagation();
  const release = () => HELD.forEach((name) => removeEventListener(name, hold, true));

  // A share link gives the features of its window, which is opened here: browsers open windows only for a recent click.
  // A blocked window and a click with a modifier key leave the plain link.
  const openWindow = (event) => {
    const link = event.target.closest?.("a[data-window]");
    if (!link || modified(event)) return;
    const opened = window.open("about:blank", "_blank", link.dataset.window);
    if (!opened) return;
    event.preventDefault();
    opened.opener = null;
    opened.location.href = link.href;
  };

  // Shows the initials behind a photo that cannot be loaded.
  const hidePhoto = ({ target }) => { if (target.matches?.("img[data-photo]")) target.hidden = true; };

  // Values that were sent or reset are no longer pending.
  const forget = ({ target }) => { for (const field of target.elements) changed.delete(field); };

  // Unsent input survives a reload by the visitor, by this script or by Reflex. Browsers restore it too, but not in fields
  // that appear or get a value during hydration. A queued click is dropped: its button may do something else now.
  const fields = () => [...document.querySelectorAll("input[name],select[name],textarea[name]")];
  const alike = ({ name, type, value }) => fields().filter((one) =>
    one.name === name && one.type === type && (!ticked(one) || one.value === value));
  const pack = () => {
    const kept = ({ name, type, autocomplete, isConnected }) =>
      name && isConnected && type !== "password" && autocomplete !== "off";
    const typed = [...changed.keys()].filter(kept);
    const packed = typed.map((field) => {
      const { name, type, value, checked } = field;
      return { name, type, value, checked, place: alike(field).indexOf(field) };
    });
    // The second is a form that waits for its answer (`ui/form_guard.jsx`).
    const pressed = queued.length > 0 || document.querySelector(".form-wait:not(:empty)") !== null;
    if (pressed || packed.length) tab?.setItem(TYPED, JSON.stringify({ path: location.pathname, packed, pressed }));
  };
  const unpack = () => {
    const { path, packed, pressed } = JSON.parse(tab?.getItem(TYPED) ?? null) ?? {};
    tab?.removeItem(TYPED);
    if (path !== location.pathname || performance.getEntriesByType("navigation")[0]?.type !== "reload") return;
    for (const one of packed) {
      const field = alike(one)[one.place];
      if (!field) continue;
      field[ticked(field) ? "checked" : "value"] = ticked(field) ? one.checked : one.value;
      noteChange({ target: field });
    }
    if (pressed) {
      const again = line("This page has just been renewed. What you typed is still here. Please press once more.");
      document.body.append(again);
      ["pointerdown", "keydown"].forEach((name) => addEventListener(name, () => again.remove(), { once: true }));
    }
    hydrate();
  };

  // Restores the value of a field that was changed before hydration, should React have replaced it, and dispatches its
  // events. React ignores an event whose value it has already tracked.
  const restoreField = ([field, value]) => {
    if (!field.isConnected) return;
    const [property, ...kinds] = ticked(field) ? ["checked", "click"] : ["value", "input", "change"];
    if (field[property] !== value) field[property] = value;
    const tracker = field._valueTracker;
    tracker?.setValue(`${tracker.getValue()} `);
    kinds.forEach((kind) => field.dispatchEvent(new Event(kind, { bubbles: true })));
  };
  const replay = () => {
    removeEventListener("click", queueClick, true);
    removeEventListener("submit", queueSubmit, true);
    [...changed].forEach(restoreField);
    for (const { target, shown, again } of queued.splice(0)) {
      shown?.removeAttribute("data-pressed");
      if (target.isConnected || target.dataset.again) again();
    }
  };

  addEventListener("click", queueClick, true);
  addEventListener("click", clickServed, true);
  addEventListener("click", openWindow, true);
  addEventListener("submit", queueSubmit, true);
  addEventListener("input", noteChange, true);
  addEventListener("reset", forget, true);
  addEventListener("error", hidePhoto, true);
  HELD.forEach((name) => addEventListener(name, hold, { capture: true, passive: true }));
  addEventListener("attached", release, { once: true });
  addEventListener("hydrated", replay, { once: true });
  addEventListener("load", plan);
  addEventListener("pagehide", pack);
  addEventListener("DOMContentLoaded", unpack);
  awaitReach();
})();
