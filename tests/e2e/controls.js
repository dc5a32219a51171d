// What a page shows and what one can do in it, by the names that people and screen readers know. The tests of all engines use it.
(() => {
  // Until then nothing is painted, and nothing is where it will be.
  if ([...document.querySelectorAll("link[rel=stylesheet]")].some((one) => !one.sheet)) throw new Error("stylesheets are on their way");
  const SELECTORS = {
    button: "button, [role=button], [type=submit], summary",
    link: "a[href]",
    heading: "h1, h2, h3, h4, h5, h6, [role=heading]",
    dialog: "dialog, [role=dialog]",
    field: "input, textarea, select",
    table: "table",
    part: "form, section, main, footer, nav, article, li, dialog, [role=dialog], [role=region], [role=group]",
  };
  SELECTORS.control = `${SELECTORS.button}, ${SELECTORS.link}, [type=radio], [role=tab]`;

  const clean = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const words = (node) => {
    const copy = node.cloneNode(true);
    const copies = [...copy.querySelectorAll("*")];
    const isSilent = (one) => one.matches("[aria-hidden=true]") || getComputedStyle(one).display === "none";
    [...node.querySelectorAll("*")].forEach((one, at) => { if (isSilent(one)) copies[at].remove(); });
    return clean(copy.textContent);
  };
  const nameOf = (node) => {
    const ids = (node.getAttribute("aria-labelledby") ?? "").split(" ");
    const labels = [...ids.map((id) => document.getElementById(id)).filter(Boolean)];
    if (labels.length === 0 && node.hasAttribute("aria-label")) return clean(node.getAttribute("aria-label"));
    labels.push(...(labels.length === 0 ? (node.labels ?? []) : []));
    if (labels.length > 0) return clean(labels.map(words).join(" "));
    return node.matches("form, section, main, footer, nav") ? "" : words(node);
  };
  const visible = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== "hidden";
  // "Phone" is also called "Phone (optional)", a day of the calendar "Monday 7 December 2026, free". A plain page may call a control
  // otherwise: "Book at 11:00|Select Time to Book".
  const called = (node, names) => names.split("|").some((name) =>
    [name, `${name} (`, `${name},`, `${name}.`].some((start, nth) => (nth ? nameOf(node).startsWith(start) : nameOf(node) === start)));

  const roots = (within) => {
    if (!within) return [document];
    return [...document.querySelectorAll(SELECTORS.part)].filter((part) => visible(part) && called(part, within));
  };
  const find = (role, name, within) =>
    roots(within).flatMap((root) => [...root.querySelectorAll(SELECTORS[role])]).filter((node) => called(node, name) && !node.matches("[aria-hidden=true]"));
  const covers = (node, x, y) => {
    const top = document.elementFromPoint(x, y);
    return Boolean(top) && (node.contains(top) || top.closest("label")?.control === node);
  };
  const places = (node) => [node, ...(node.labels ?? [])].flatMap((one) => [...one.getClientRects()]);

  return {
    // Where the pointer can reach it; null while it cannot: not there, hidden, covered or disabled.
    point(role, name, within) {
      for (const node of find(role, name, within)) {
        if (node.matches(":disabled, [aria-disabled=true]") || !places(node).length) continue;
        const before = node.getBoundingClientRect();
        if (before.top < 0 || before.bottom > innerHeight || !places(node).some((one) => covers(node, one.x + one.width / 2, one.y + one.height / 2)))
          node.scrollIntoView({ block: "center", behavior: "instant" });
        for (const place of places(node)) {
          const [x, y] = [Math.floor(place.x + place.width / 2), Math.floor(place.y + place.height / 2)];
          if (covers(node, x, y)) return [x, y];
        }
      }
      return null;
    },
    // The key that brings the keyboard's focus nearer: none once it is there; null while nothing can have it.
    key(role, name, within) {
      const reachable = document.querySelector("dialog:modal") ?? document;
      const node = find(role, name, within)
        .find((one) => reachable.contains(one) && places(one).length > 0 && !one.matches(":disabled, [aria-disabled=true]"));
      if (!node) return null;
      const at = document.activeElement;
      if (node === at) return "";
      const inside = node.tabIndex < 0 ? node.closest("table")?.contains(at) : node.type === "radio" && node.name === at.name;
      if (!inside) return "Tab";
      return node.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_PRECEDING ? "ArrowRight" : "ArrowLeft";
    },
    value(label, within) {
      const [field] = find("field", label, within).filter((one) => places(one).length > 0);
      return !field ? null : field.matches("[type=checkbox], [type=radio]") ? field.checked : field.value;
    },
    select(label, option, within) {
      const [field] = find("field", label, within).filter(visible);
      const chosen = [...(field?.options ?? [])].find((one) => clean(one.label) === option);
      if (!chosen) return false;
      field.value = chosen.value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    },
    count: (role, name, within) => find(role, name, within).filter(visible).length,
    chosen: (name) => find("control", name, "").some((node) => nameOf(node).endsWith(", selected")),
    text: (within) => clean(roots(within).map((root) => (root.body ?? root).innerText).join(" ")),
    sideways: () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
})()
