// Before hydration a page is plain HTML, whose links and forms the browser handles by itself. This script loads the page's
// scripts, and remembers a click on a button that needs them.
//
// The page contains the list of its scripts (`#scripts`, written when the site is published).
(() => {
  // Controls that need React. Reading, scrolling, menus and links load no script.
  const CONTROLS = "form,[role=tab],[data-live],button:not([popovertarget])";
  const flags = document.documentElement.dataset;

  // A browser may have no storage, deny it, or have no room in it. Scripts then get one that ends with the page.
  const memory = {
    getItem(key) { return this[key] ?? null; },
    setItem(key, value) { this[key] = `${value}`; },
    removeItem(key) { delete this[key]; },
  };
  const replaceStorage = (name, stored) => {
    const value = Object.assign(Object.create(memory), stored);
    Object.defineProperty(window, name, { value });
    return value;
  };
  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function set(...entry) {
    try {
      setItem.apply(this, entry);
    } catch {
      replaceStorage(this === window.localStorage ? "localStorage" : "sessionStorage", this).setItem(...entry);
    }
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].setItem("token", "");
      // A reload must get a new state, like a new tab; with this token Reflex would find the old one.
      window[name].removeItem("token");
    } catch { replaceStorage(name); }
  }
  // A tab in which React has failed stays plain (`site/layout/plain_page.js`); the back office tries again.
  const isPlainTab = sessionStorage.getItem("react-failed") && location.pathname.split("/")[1] !== "admin";
  // Stylesheets depend on whether scripts run.
  if (!isPlainTab) flags.scripts = "";

  // Lets the browser handle input and paint between two scripts.
  const pause = () => new Promise((done) => setTimeout(done));
  // All are fetched at once, but each one runs in its own task; the entry is last, because it starts React.
  const load = async ({ preload, routes, entry }) => {
    for (const href of preload) {
      document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
      await pause();
    }
    for (const script of new Set([...preload, ...Object.values(routes)])) {
      if (script !== entry) await import(script);
      await pause();
    }
    const modules = {};
    for (const name of Object.keys(routes)) modules[name] = await import(routes[name]);
    window.__reactRouterRouteModules = modules;
    // React empties a text area that still has the text from the server.
    for (const area of document.querySelectorAll("textarea")) area.value += "";
    await import(entry);
  };
  let begun = false;
  const hydrate = () => {
    const list = document.getElementById("scripts");
    if (begun || !list || isPlainTab) return;
    begun = true;
    // If loading fails (no network, a new version), try again when the visitor reaches for a control.
    load(JSON.parse(list.textContent)).catch(() => { begun = false; });
  };
  // Where visitors save data, only a button that does nothing without scripts loads them.
  const [page = {}] = performance.getEntriesByType("navigation");
  const savesData = () => navigator.connection?.saveData || page.serverTiming?.some(({ name }) => name === "save-data");
  // Not a pointer that comes over a control: scrolling moves controls under a resting pointer.
  // After the frame that shows what the visitor has done.
  const onReach = ({ target }) => { if (target.closest?.(CONTROLS) && !savesData()) requestAnimationFrame(() => setTimeout(hydrate)); };
  const hasStored = ({ dataset }) => localStorage.getItem(dataset.hydratesFor) !== null;
  // The content of the back office comes over the socket. What a visitor has stored in this browser, only scripts can show.
  const plan = () => {
    const stored = !savesData() && [...document.querySelectorAll("[data-hydrates-for]")].some(hasStored);
    if (stored || document.querySelector("[data-hydrates]")) hydrate();
  };

  // The browser acts by itself. While the server cannot be reached (`ui/reachability.jsx`) React keeps the input instead.
  const isPlain = () => !("connected" in flags) && !("unreachable" in flags);
  // A button that needs scripts and was clicked before they were loaded.
  let clicked;
  const onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    // Links to other pages load them completely; React handles the back office, tabs, and queries of the same page.
    const isOwn = "connected" in flags && (link?.pathname === location.pathname || link?.role === "tab");
    if (link && !isOwn && !link.closest(".office")) event.stopPropagation();
    if (link?.dataset.window && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) openWindow(event, link);
    const button = event.target.closest?.("button");
    // A button with an address of its own, such as a day: React answers it once it is connected.
    if (button?.hasAttribute("formaction") && isPlain()) event.stopPropagation();
    if ("hydrated" in flags || !button || button.popoverTargetElement || (button.form && button.type !== "button")) return;
    event.stopPropagation();
    clicked = button;
    hydrate();
  };
  // Opens the window of a share link here, because browsers open windows only during a click.
  const openWindow = (event, link) => {
    const opened = window.open("about:blank", "_blank", link.dataset.window);
    // If the window is blocked, the link works as usual.
    if (!opened) return;
    event.preventDefault();
    opened.opener = null;
    opened.location.href = link.href;
  };
  // The browser posts a form if there is no socket, and always for a button with its own address.
  const onSubmit = (event) => {
    const posts = event.target.hasAttribute("action") && isPlain();
    if (posts || event.submitter?.hasAttribute("formaction")) event.stopPropagation();
  };
  // Shows the initials behind a photo that cannot be loaded.
  const onError = ({ target }) => { if (target.matches?.("img[data-photo]")) target.hidden = true; };

  const onHydrated = () => { if (clicked?.isConnected) clicked.click(); };

  addEventListener("click", onClick, true);
  addEventListener("submit", onSubmit, true);
  addEventListener("error", onError, true);
  addEventListener("hydrated", onHydrated, { once: true });
  addEventListener("focusin", onReach, true);
  addEventListener("click", onReach, true);
  addEventListener("load", plan);
  // A browser sends no request when the visitor opens a page that it has prefetched. The server counts views.
  if (page.deliveryType === "navigational-prefetch") navigator.sendBeacon("/api/views", document.referrer);
})();
