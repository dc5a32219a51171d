// The page before its scripts: loads them when they are wanted, and keeps what is done until they run.
//
// The page itself says what to load (`#scripts`, written when the site is published) and when (`data-hydrates`).
// The empty shell has no such list: its scripts load by themselves, and only the keeping is done here.
(() => {
  const SIGNS = ["pointerdown", "pointermove", "touchstart", "keydown", "focusin"];
  const quietly = { capture: true, passive: true };
  const PAUSE_MS = 2000;
  const LONGEST_PAUSE_MS = 30_000;
  let begun = false;
  let pause = PAUSE_MS;
  // While scripts cannot be fetched; afterwards the page has a line of its own (`layout/errors.py`).
  const cut = Object.assign(document.createElement("p"), {
    className: "calm-line on-dark",
    role: "status",
    textContent:
      "No connection just now. You can go on reading; what is pressed or sent waits until it is back. What you typed stays.",
  });

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
  const watch = () => SIGNS.forEach((sign) => addEventListener(sign, wake, quietly));
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
    SIGNS.forEach((sign) => removeEventListener(sign, wake, quietly));
    const list = document.getElementById("scripts");
    if (list) load(JSON.parse(list.textContent)).catch(later);
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
  const note = ({ target }) => changed.set(target, ticked(target) ? target.checked : target.value);

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
    removeEventListener("input", note, true);
    [...changed].forEach(tell);
    for (const { target, shown, again } of held) {
      shown?.removeAttribute("data-pressed");
      if (target.isConnected) again();
    }
  };

  addEventListener("click", press, true);
  addEventListener("submit", submit, true);
  addEventListener("input", note, true);
  addEventListener("alive", replay, { once: true });
  addEventListener("load", plan);
  watch();
})();
