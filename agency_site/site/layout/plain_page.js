// The page as it was before React began. It comes back, with the visitor's input, if React fails.
const FIELDS = "input:not([type=file]),select,textarea";
/** Key in the storage of a tab in which React has failed (`web/build/hydration.js`). */
const FAILED = "react-failed";
/** What a tap on a field causes, and the change of its value. */
const FIELD_EVENTS = ["touchstart", "touchend", "pointerdown", "pointerup", "mousedown", "mouseup", "click", "input", "change"];

const isTicked = ({ type }) => type === "checkbox" || type === "radio";
const isChanged = (field) => {
  if (field.options) return !([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.selected;
  return isTicked(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
};
const nameOf = (element) => {
  const { id, form, name, value, firstChild } = element;
  return id || [form?.getAttribute("action"), name, isTicked(element) ? value : firstChild?.textContent].join();
};
const successorOf = (element) =>
  [...document.querySelectorAll(element.localName)].find((other) => nameOf(other) === nameOf(element));

// React ignores an event whose value it has already seen.
const report = (field) => {
  field._valueTracker?.setValue(`${field._valueTracker.getValue()} `);
  for (const kind of isTicked(field) ? ["click"] : ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
};

/** Translations and extensions move nodes: one is removed where it is now, and others are inserted before what contains it now. */
function tolerateMovedNodes() {
  const { removeChild, insertBefore } = Node.prototype;
  Node.prototype.removeChild = function remove(child) {
    // Without stylesheets, which React removes with all else if it fails, the page would flash.
    if (child.parentNode && child.rel !== "stylesheet") removeChild.call(child.parentNode, child);
    return child;
  };
  Node.prototype.insertBefore = function insert(node, next) {
    let place = next;
    while (place && place.parentNode !== this) place = place.parentNode;
    return insertBefore.call(this, node, place);
  };
  // A translation puts an element in the place of a text. When React changes the text, it comes back.
  const inPlaceOf = new WeakMap();
  new MutationObserver((records) => {
    for (const { removedNodes: [text], addedNodes: [other], previousSibling: before } of records)
      if (text instanceof Text) inPlaceOf.set(text, other ?? (before?.localName === "font" ? before : undefined));
  }).observe(document, { childList: true, subtree: true });
  const nodeValue = Object.getOwnPropertyDescriptor(Node.prototype, "nodeValue");
  Object.defineProperty(Node.prototype, "nodeValue", { ...nodeValue, set(value) {
    if (!this.isConnected && inPlaceOf.get(this)?.isConnected) inPlaceOf.get(this).replaceWith(this);
    nodeValue.set.call(this, value);
  } });
}

/** Calls `hydrate` with options of `hydrateRoot` that put the page back, with the visitor's input, when React fails. */
export function hydrateOverPlainPage(hydrate) {
  const { documentElement: root, head, activeElement } = document;
  let page = root.cloneNode(true);
  const isOffice = page.querySelector("[data-hydrates]") !== null;
  const inHead = [...head.children];
  // Fields that have changed, folds that were opened, and what had the focus last.
  const touched = new Set([...document.querySelectorAll(FIELDS)].filter(isChanged));
  let focused = activeElement;
  let react;

  const putBack = () => {
    // First, because the caret is at the end of a value that changes under the focus.
    if (!focused.isConnected) successorOf(focused)?.focus({ preventScroll: true });
    for (const element of [...touched].filter(({ isConnected }) => !isConnected)) {
      touched.delete(element);
      const same = successorOf(element);
      if (!same) continue;
      touched.add(same);
      for (const key of ["value", "checked", "open"].filter((name) => name in element)) same[key] = "", same[key] = element[key];
    }
  };
  const restore = () => {
    for (const { name, value } of page.attributes) root.setAttribute(name, value);
    for (const name of ["hydrated", "connected", "unreachable", ...(isOffice ? [] : ["scripts"])]) delete root.dataset[name];
    head.append(...inHead.filter(({ isConnected }) => !isConnected));
    document.body.replaceWith(page.querySelector("body"));
    putBack();
    const screen = document.querySelector("[data-hydrates]");
    if (screen) Object.assign(screen, { role: "alert", textContent: "This page could not be shown. Reloading it often helps." });
    else sessionStorage.setItem(FAILED, "yes");
    navigator.sendBeacon("/api/failures");
  };
  const fail = (error) => {
    console.error(error);
    const failed = react;
    react = undefined;
    if (!failed) return;
    // At once: where an effect fails, React would draw without end.
    failed.unmount();
    // When React has removed what it had drawn, and before the browser paints.
    queueMicrotask(restore);
  };
  // What the visitor did had no effect. A browser may refuse what a script asks, however.
  const onException = ({ error, reason = error }) => {
    const isOurs = reason?.stack?.includes("/assets/") && !(reason instanceof DOMException);
    if (isOurs && !isOffice) fail(reason);
  };

  for (const name of ["error", "unhandledrejection"]) addEventListener(name, onException);
  addEventListener("focusin", ({ target }) => { focused = target; });
  addEventListener("input", ({ target }) => { if (target.matches(FIELDS)) touched.add(target); }, true);
  // If the answer to a form cannot be shown, its page comes back, with the day and the time that were chosen.
  addEventListener("submit", ({ target }) => { if (!isOffice && !target.closest("dialog")) page = root.cloneNode(true); }, true);
  addEventListener("toggle", ({ target }) => { if (target.matches("details")) touched.add(target); }, true);
  // React would finish its beginning within a tap, before its effect is shown. Afterwards fields are reported.
  const keepFromReact = (event) => {
    if (react && !("hydrated" in root.dataset) && event.target.closest?.("label,input,select,textarea")) event.stopPropagation();
  };
  for (const name of FIELD_EVENTS) addEventListener(name, keepFromReact, true);
  // Before the click that needed scripts, which depends on what was typed.
  addEventListener("hydrated", () => [...touched].filter((field) => field.matches(FIELDS) && isChanged(field)).forEach(report), { capture: true, once: true });
  tolerateMovedNodes();
  // The page is not what React expects: it has been changed, and React would draw that of the build.
  const onRecoverableError = isOffice ? reportError : fail;
  react = hydrate({ onCaughtError: fail, onUncaughtError: fail, onRecoverableError });
}
