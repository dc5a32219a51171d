// The page before its scripts: loads them when they are wanted, and keeps what is done until they run.
//
// The page itself says what to load (`#scripts`, written when the site is published) and when (`data-hydrates`).
// The empty shell has no such list: its scripts load by themselves, and only the keeping is done here.
(() => {
  const SIGNS = ["pointerdown", "pointermove", "touchstart", "keydown", "focusin"];
  const quietly = { capture: true, passive: true };
  const PAUSE_MS = 2000;
  const LONGEST_PAUSE_MS = 30_000;
  // In the tab: the list of scripts for which the page was opened anew, the moment of the last such reload (Reflex's name: a
  // page that meets a server with other states reloads by itself and notes it there), and what was typed before it.
  const RENEWED = "renewed";
  const RELOADED = "reflex_last_reloaded_on_error";
  const TYPED = "typed";
  const tab = (() => {
    try {
      return sessionStorage;
    } catch {
      return undefined;
    }
  })();
  // What Python keeps for a page lives as long as the page is open: a reload begins anew, as a new tab does. Under this name
  // Reflex would find it again.
  tab?.removeItem("token");
  let begun = false;
  let pause = PAUSE_MS;
  const line = (textContent) =>
    Object.assign(document.createElement("p"), { className: "calm-line on-dark", role: "status", textContent });
  // While scripts cannot be fetched; afterwards the page has a line of its own (`site/layout/error_pages.py`).
  const cut = line(
    "No connection just now. You can go on reading; what is pressed or sent waits until it is back. What you typed stays.",
  );

  const load = async ({ preload, manifest, routes, entry }) => {
    for (const href of preload) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
    }
    const names = Object.keys(routes);
    await import(manifest);
    const modules = await Promise.all(names.map((name) => import(routes[name])));
    cut.remove();
    window.__reactRouterRouteModules = Object.fromEntries(names.map((name, place) => [name, modules[place]]));
    await import(entry);
  };
  // The scripts of a page from before an upgrade are gone while the site is there: it is opened anew, once.
  const renew = async ({ manifest }) => {
    const { status } = await fetch(manifest, { method: "HEAD", cache: "no-store" });
    // A tab that keeps nothing could not tell the second time from the first.
    if (status !== 404 || !tab || tab.getItem(RENEWED) === manifest) throw new Error("later");
    tab.setItem(RENEWED, manifest);
    tab.setItem(RELOADED, Date.now());
    location.reload();
  };
  // The same for a part that a page which is awake loads late (Vite's event). React Router sees to the parts of its routes.
  const missed = () => renew({ manifest: window.__reactRouterManifest.url }).catch(() => {});
  const sign = ({ type, movementX, movementY }) => {
    // Browsers report a resting mouse too, when the page is laid out beneath it.
    if (type !== "pointermove" || movementX !== 0 || movementY !== 0) wake();
  };
  const watch = () => SIGNS.forEach((name) => addEventListener(name, sign, quietly));
  // What cannot be fetched now is tried again by itself, ever less often, while there is a network, and at signs of life.
  const retry = () => {
    if (!cut.isConnected) return;
    begun = false;
    watch();
    if (navigator.onLine) wake();
  };
  const later = () => {
    document.body.append(cut);
    setTimeout(retry, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  };
  addEventListener("online", retry);
  const wake = () => {
    if (document.readyState === "loading") {
      addEventListener("DOMContentLoaded", wake, { once: true });
      return;
    }
    if (begun) return;
    begun = true;
    SIGNS.forEach((name) => removeEventListener(name, sign, quietly));
    const element = document.getElementById("scripts");
    if (!element) return;
    const list = JSON.parse(element.textContent);
    load(list).catch(() => renew(list)).catch(later);
  };
  const keeps = (element) => {
    try {
      return localStorage.getItem(element.dataset.hydratesFor);
    } catch {
      return null;
    }
  };
  const plan = () => {
    const how = document.querySelector("[data-hydrates]")?.dataset.hydrates;
    // An address with a query or a fragment asks for something that only scripts can show; so does what this browser keeps.
    const asked = location.search || location.hash || [...document.querySelectorAll("[data-hydrates-for]")].some(keeps);
    if (how === "idle" || asked) {
      if ("requestIdleCallback" in window) requestIdleCallback(wake, { timeout: PAUSE_MS });
      else setTimeout(wake, 200);
    }
    const awaited = how === "sight" && document.querySelector("[data-hydrates-at]");
    if (!awaited) return;
    const near = (seen) => { if (seen.some((one) => one.isIntersecting)) wake(); };
    new IntersectionObserver(near, { rootMargin: "50% 0px" }).observe(awaited);
  };

  // Presses and submits, in their order, and fields that were changed, with what they were changed to.
  const held = [];
  const changed = new Map();
  const keep = (event, { target, shown = target, again }) => {
    event.preventDefault();
    // React listens a moment before Python does. Whoever pressed in between would be answered twice.
    event.stopImmediatePropagation();
    if (target.matches("form") && held.some((one) => one.target === target)) return;
    shown?.setAttribute("data-pressed", "");
    held.push({ target, shown, again });
  };
  const press = (event) => {
    const target = event.target.closest?.("a[href],summary,label,button");
    // Links, disclosures and fields work by themselves; a submit button ends in a submit.
    if (!target?.matches("button") || target.popoverTargetElement || (target.form && target.type !== "button")) return;
    keep(event, { target, again: () => target.click() });
  };
  const submit = (event) => {
    const { target, submitter } = event;
    // The browser itself sends a form that has an address. Of any other it would put what was typed into this page's.
    if (target.hasAttribute("action")) return;
    keep(event, { target, shown: submitter, again: () => target.requestSubmit(submitter) });
  };
  const ticked = (field) => field.matches("[type=checkbox],[type=radio]");
  const note = ({ target }) => {
    [...changed.keys()].filter((field) => !field.isConnected).forEach((field) => changed.delete(field));
    changed.set(target, ticked(target) ? target.checked : target.value);
  };

  // A share link names its window. It is opened here, before hydration too: a browser opens windows only for a recent click.
  // A blocked window and a click with a modifier key leave the plain link.
  const openWindow = (event) => {
    const link = event.target.closest?.("a[data-window]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const opened = window.open("about:blank", "_blank", link.dataset.window);
    if (!opened) return;
    event.preventDefault();
    opened.opener = null;
    opened.location.href = link.href;
  };

  // What stands behind a photo that cannot be loaded shows, before hydration too.
  const hidePhoto = ({ target }) => { if (target.matches?.("img[data-photo]")) target.hidden = true; };

  // What was sent, or emptied on purpose, is no longer waiting to be sent.
  const forget = ({ target }) => { for (const field of target.elements) changed.delete(field); };

  // What was typed and not sent outlives a reload, whether the visitor asks for it or this script and Reflex do for a new
  // version. Browsers keep it by themselves, but not in fields that appear or get a value during hydration. A press is not
  // kept: what it would do now may be something else.
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
    // The second is a form that waits for its proof (`ui/form_guard.jsx`).
    const pressed = held.length > 0 || document.querySelector(".form-wait:not(:empty)") !== null;
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
      note({ target: field });
    }
    if (pressed) {
      const again = line("This page has just been renewed. What you typed is still here. Please press once more.");
      document.body.append(again);
      ["pointerdown", "keydown"].forEach((sign) => addEventListener(sign, () => again.remove(), { once: true }));
    }
    wake();
  };

  // A field that was changed too early gets its value back, should the page have put its own there meanwhile, and tells
  // its handlers. React takes a value that it has seen for no change.
  const tell = ([field, value]) => {
    if (!field.isConnected) return;
    const [property, ...kinds] = ticked(field) ? ["checked", "click"] : ["value", "input", "change"];
    if (field[property] !== value) field[property] = value;
    const tracker = field._valueTracker;
    tracker?.setValue(`${tracker.getValue()} `);
    kinds.forEach((kind) => field.dispatchEvent(new Event(kind, { bubbles: true })));
  };
  const replay = () => {
    removeEventListener("click", press, true);
    removeEventListener("submit", submit, true);
    [...changed].forEach(tell);
    for (const { target, shown, again } of held.splice(0)) {
      shown?.removeAttribute("data-pressed");
      if (target.isConnected) again();
    }
  };

  addEventListener("click", press, true);
  addEventListener("click", openWindow);
  addEventListener("submit", submit, true);
  addEventListener("input", note, true);
  addEventListener("reset", forget, true);
  addEventListener("error", hidePhoto, true);
  addEventListener("alive", replay, { once: true });
  addEventListener("load", plan);
  addEventListener("vite:preloadError", missed);
  addEventListener("pagehide", pack);
  addEventListener("DOMContentLoaded", unpack);
  watch();
})();
