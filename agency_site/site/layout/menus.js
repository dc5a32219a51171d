// Menus are details elements with `data-menu`. One closes when a link in it is followed, on Escape, and when the focus leaves it;
// with "hover" it also opens under a mouse and closes behind it.
(() => {
  const menuOf = (target) => target?.closest?.("[data-menu]");
  const closeOthers = (menu, selector) => {
    for (const other of document.querySelectorAll(selector)) if (other !== menu) other.open = false;
  };
  // Captured, because `web/build/hydration.js` stops clicks on links.
  addEventListener("click", (event) => {
    const { target, pointerType } = event;
    if (target.closest?.("[data-menu] a")) menuOf(target).open = false;
    // The pointer has already opened it, so the click would close it.
    if (pointerType === "mouse" && target.closest?.("[data-menu=hover] > summary")) event.preventDefault();
  }, true);
  addEventListener("keydown", ({ key, target }) => {
    const menu = menuOf(target) ?? document.querySelector("[data-menu=hover][open]");
    if (key !== "Escape" || !menu?.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  addEventListener("focusin", ({ target }) => closeOthers(menuOf(target), "[data-menu][open]"));
  addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse") return;
    const menu = target.closest?.("[data-menu=hover]");
    closeOthers(menu, "[data-menu=hover][open]");
    if (menu) menu.open = true;
  });
  // When a menu opens, its inner lists are closed; the back office's groups are as their page has them.
  addEventListener("toggle", ({ target }) => {
    if (!target.matches?.("[data-menu][open]")) return;
    for (const inner of target.querySelectorAll("details:not([data-stays])")) inner.open = false;
  }, true);
  // The home page's figures count up once, when 30 % of their section are visible (`assets/styles/home.css`).
  const watch = new IntersectionObserver(([{ intersectionRatio }]) => {
    if (intersectionRatio >= 0.3) document.documentElement.dataset.counting = "";
  }, { threshold: 0.3 });
  addEventListener("DOMContentLoaded", () => {
    for (const section of document.querySelectorAll("[data-counts]")) watch.observe(section);
    // The published year may be out of date.
    for (const year of document.querySelectorAll(".this-year")) year.textContent = new Date().getFullYear();
  });
})();
