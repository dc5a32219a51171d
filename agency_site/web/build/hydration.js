// Before hydration a page is plain HTML, and the browser acts by itself: links are followed and forms are posted. This loads the
// page's scripts, and remembers one click on a button that only scripts can serve.
//
// The page contains the list of its scripts (`#scripts`, written when the site is published) and when to load them (`data-hydrates`).
(() => {
  // What React serves. Reading, scrolling, menus and links load no script.
  const CONTROLS = "form,[role=tab],[data-live],button:not([popovertarget])";
  const IDLE_MS = 2000;
  const flags = document.documentElement.dataset;
  // Stylesheets show other things where this script does not run.
  flags.scripts = "";
  try {
    // A reload gets a new state, as a new tab does: Reflex would find the old state with this token.
    sessionStorage.removeItem("token");
  } catch { /* Storage is switched off. */ }

  // Lets the browser respond and paint between two scripts.
  const pause = () => new Promise((done) => setTimeout(done));
  // All are fetched at once, but each runs in a task of its own; the entry comes last, since it starts React.
  const load = async ({ preload, manifest, routes, entry }) => {
    for (const href of preload) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
      await pause();
    }
    for (const script of new Set([manifest, ...preload, ...Object.values(routes)])) {
      if (script !== entry) await import(script);
      await pause();
    }
    const modules = {};
    for (const name of Object.keys(routes)) modules[name] = await import(routes[name]);
    window.__reactRouterRouteModules = modules;
    fields = [...document.querySelectorAll("input,select,textarea")];
    await import(entry);
  };
  // The page's own: those that React draws later know what was typed.
  let fields = [];
  let begun = false;
  const hydrate = () => {
    const list = document.getElementById("scripts");
    if (begun || !list) return;
    begun = true;
    // Without a network, or after an upgrade, the page stays plain until a visitor reaches for a control again.
    load(JSON.parse(list.textContent)).catch(() => { begun = false; });
  };
  const onReach = ({ target, pointerType }) => {
    // A finger that comes down on a control may be about to scroll; if it taps, focus or a click follows.
    if (pointerType !== "touch" && target.closest?.(CONTROLS)) hydrate();
  };
  const hasStored = (element) => {
    try {
      return localStorage.getItem(element.dataset.hydratesFor) !== null;
    } catch {
      return false;
    }
  };
  const plan = () => {
    const how = document.querySelector("[data-hydrates]")?.dataset.hydrates;
    // A query that the server has not answered, or stored data of this browser, select content that only scripts can show.
    const asks = location.search && !document.querySelector("page-region[data-served]");
    if (how !== "idle" && !asks && ![...document.querySelectorAll("[data-hydrates-for]")].some(hasStored)) return;
    if (window.requestIdleCallback) requestIdleCallback(hydrate, { timeout: IDLE_MS });
    else setTimeout(hydrate, 200);
  };

  // A button that does nothing by itself and was clicked while its scripts are on their way.
  let clicked;
  const onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    // Another page is loaded as a whole; React serves the back office, tabs, and other queries of the same page.
    const isOwn = "connected" in flags && (link?.pathname === location.pathname || link?.role === "tab");
    if (link && !isOwn && !link.closest(".office")) event.stopPropagation();
    if (link?.dataset.window && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) openWindow(event, link);
    const button = event.target.closest?.("button");
    if ("hydrated" in flags || !button || button.popoverTargetElement || (button.form && button.type !== "button")) return;
    event.stopPropagation();
    clicked = button;
    hydrate();
  };
  // A share link gives the features of its window, which is opened here: browsers open windows only for a recent click.
  const openWindow = (event, link) => {
    const opened = window.open("about:blank", "_blank", link.dataset.window);
    // A blocked window leaves the plain link.
    if (!opened) return;
    event.preventDefault();
    opened.opener = null;
    opened.location.href = link.href;
  };
  // Without a socket the browser posts a form by itself, and always one by a button that leads elsewhere than the form. While the
  // server cannot be reached (`ui/reachability.jsx`) React keeps it.
  const onSubmit = (event) => {
    const posts = event.target.hasAttribute("action") && !("connected" in flags) && !("unreachable" in flags);
    if (posts || event.submitter?.hasAttribute("formaction")) event.stopPropagation();
  };
  // Shows the initials behind a photo that cannot be loaded.
  const onError = ({ target }) => { if (target.matches?.("img[data-photo]")) target.hidden = true; };

  const isTicked = ({ type }) => type === "checkbox" || type === "radio";
  const isChanged = (field) => {
    if (field.options) return !([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.selected;
    return isTicked(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
  };
  // React ignores an event whose value it has already seen.
  const report = (field) => {
    field._valueTracker?.setValue(`${field._valueTracker.getValue()} `);
    for (const kind of isTicked(field) ? ["click"] : ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const onHydrated = () => {
    // React may have drawn another button of the same name in its place (`ui/page_region.jsx`).
    const button = clicked?.id ? document.getElementById(clicked.id) : clicked;
    clicked = undefined;
    fields.filter((field) => field.isConnected && isChanged(field)).forEach(report);
    if (button?.isConnected) button.click();
  };

  addEventListener("click", onClick, true);
  addEventListener("submit", onSubmit, true);
  addEventListener("error", onError, true);
  addEventListener("hydrated", onHydrated, { once: true });
  for (const name of ["focusin", "pointerover"]) addEventListener(name, onReach, { capture: true, passive: true });
  addEventListener("load", plan);
})();
