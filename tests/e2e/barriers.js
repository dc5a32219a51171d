// Barriers to reading or using, measured in the open page. Each function returns a list of problems.
(() => {
  const TARGETS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=tab], [tabindex='0']";
  const CONTROLS = "a, button, summary, [role=tab]";
  const CLIPS = new Set(["hidden", "clip"]);
  const SCROLLS = new Set(["auto", "scroll"]);
  const SLACK = 2;
  const DESCENT = 6; // letters reach below and above the box of a tight line

  const box = (element) => element.getBoundingClientRect();
  const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  /** Clipped to nothing on purpose: the words are read out. What can be focused in there would be lost to the eye. */
  const forEars = (element) => {
    for (let around = element; around; around = around.parentElement) {
      if (around.matches(".skip") || getComputedStyle(around).clipPath === "inset(50%)") return true;
    }
    return false;
  };
  const tag = (element) => element.outerHTML.slice(0, element.outerHTML.indexOf(">") + 1).slice(0, 130);
  const named = (element) => `${tag(element)} ${(element.textContent || "").trim().slice(0, 40)}`;

  /** A link inside a sentence is as high as its line (WCAG 2.5.5 and 2.5.8 except it). */
  const inSentence = (element) =>
    getComputedStyle(element).display === "inline" &&
    [...element.parentElement.childNodes].some(
      (node) => node !== element && node.textContent.trim().length > 1 && (node.nodeType === Node.TEXT_NODE || seen(node)),
    );

  /** The size that a finger meets: a box is also clicked through its label, a link through what it lays over its place. */
  const reach = (element) => {
    const over = getComputedStyle(element, "::after");
    const laid = over.content !== "none" && over.position === "absolute";
    const met = [box(element), ...[...(element.labels || [])].filter(seen).map(box)];
    if (laid) met.push({ width: parseFloat(over.width), height: parseFloat(over.height) });
    return [Math.max(...met.map((one) => one.width)), Math.max(...met.map((one) => one.height))];
  };

  /** Seven days are side by side: on 320 px they are as wide as a seventh, and still as high as all others. */
  const least = (element, usual) => (element.matches(".calendar td button, .cal-number") && innerWidth < 390 ? 34 : usual);

  const clickable = (element) => [element, ...(element.labels || [])].some((one) => seen(one) && !forEars(one));

  /** Targets with a side shorter than `usual` pixels, and those that only the keyboard finds. */
  const small = (usual) => {
    const targets = [...document.querySelectorAll(TARGETS)].filter((element) => seen(element) && !element.matches(":disabled"));
    return [
      ...targets
        .filter((element) => !forEars(element) && !inSentence(element))
        .filter((element) => Math.min(...reach(element)) < least(element, usual) - 0.5)
        .map((element) => `small ${reach(element).map(Math.round).join("x")}: ${named(element)}`),
      ...targets
        .filter((element) => element.tabIndex >= 0 && !clickable(element) && !element.matches(".skip"))
        .map((element) => `hidden: ${named(element)}`),
    ];
  };

  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || forEars(parent) || !seen(parent)) continue;
      if (parent.closest("script, style, noscript, svg, option, [aria-hidden=true], .strip")) continue;
      found.push([walker.currentNode, parent]);
    }
    return found;
  };

  const beyond = (rect, edge) => rect.right > edge.right + SLACK || rect.left < edge.left - SLACK;
  const over = (rect, edge) => rect.bottom > edge.bottom + DESCENT || rect.top < edge.top - DESCENT;

  const cutBy = (parent, rect) => {
    for (let around = parent; around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (SCROLLS.has(style.overflowX) || SCROLLS.has(style.overflowY)) return "";
      const edge = box(around);
      if (around.matches(CONTROLS) && style.display !== "inline" && (beyond(rect, edge) || over(rect, edge))) return "hangs out";
      if (CLIPS.has(style.overflowX) && beyond(rect, edge)) return "cut at the side";
      if (CLIPS.has(style.overflowY) && over(rect, edge)) return "cut below";
    }
    return rect.right > innerWidth + SLACK || rect.left < -SLACK ? "outside" : "";
  };

  /** Text that a box around it cuts off, that overflows its control or the window; sideways scroll. */
  const cut = () => {
    const range = document.createRange();
    const found = [];
    for (const [node, parent] of texts()) {
      range.selectNodeContents(node);
      const rect = range.getBoundingClientRect();
      const why = rect.width && cutBy(parent, rect);
      if (why) found.push(`${why}: ${node.textContent.trim().slice(0, 60)} in ${tag(parent)}`);
    }
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return wide > 0 ? [`sideways by ${wide}`, ...found] : found;
  };

  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (element) => {
    for (let around = element; around; around = around.parentElement) {
      const colour = getComputedStyle(around).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0.5) return colour;
    }
    return "rgb(255, 255, 255)";
  };

  const MARKED = "[aria-clickable=true], [aria-selected=true], [aria-current=page], [aria-current=true]";
  const look = (element) => {
    const style = getComputedStyle(element);
    const looks = ["backgroundColor", "backgroundImage", "borderTopWidth", "borderBottomWidth", "borderTopColor", "outlineStyle", "fontWeight", "textDecorationLine"];
    return looks.map((name) => style[name]).join(" ");
  };
  const peer = (element) =>
    [...element.parentElement.parentElement.querySelectorAll(element.tagName)].find(
      (other) => other !== element && seen(other) && other.classList[0] === element.classList[0] && !other.matches(`${MARKED}, :disabled`),
    );
  const edged = (element) => {
    const style = getComputedStyle(element);
    return style.borderBottomStyle !== "none" && parseFloat(style.borderBottomWidth) > 0;
  };

  /** With forced colours: text that cannot be read, boxes without an edge, marks that are gone. */
  const forced = () => [
    ...texts()
      .filter(([, parent]) => !parent.matches(":disabled, [aria-disabled=true]"))
      .filter(([, parent]) => contrast(getComputedStyle(parent).color, ground(parent)) < 4.5)
      .map(([node, parent]) => `faint: ${node.textContent.trim().slice(0, 40)} in ${tag(parent)}`),
    ...[...document.querySelectorAll(".button, .slot, .tab, .input, input[type=text], input[type=email], textarea, select")]
      .filter((element) => seen(element) && !edged(element) && !edged(element.parentElement))
      .map((element) => `no edge: ${named(element)}`),
    ...[...document.querySelectorAll(MARKED)]
      .filter((element) => seen(element) && element.matches("a, button") && peer(element))
      .filter((element) => look(element) === look(peer(element)))
      .map((element) => `no mark: ${named(element)}`),
  ];

  const ring = (element) =>
    [getComputedStyle(element), getComputedStyle(element, "::after")].find((one) => one.outlineStyle !== "none" && parseFloat(one.outlineWidth) >= 2 && (channels(one.outlineColor)[3] ?? 1) > 0);

  /** Stops of the keyboard whose ring is not there or hardly differs from the ground around (WCAG 1.4.11, 2.4.7). */
  const rings = () => {
    const found = [];
    for (const element of [...document.querySelectorAll(TARGETS)].filter((one) => seen(one) && one.tabIndex >= 0)) {
      element.focus({ preventScroll: true });
      if (document.activeElement !== element) continue;
      // A field inside a frame: the frame wears the ring.
      const ringed = [element, element.parentElement].find(ring);
      const around = ringed && ring(ringed);
      const shadow = getComputedStyle(element).boxShadow;
      if (!around && !/0px 0px 0px 3px/.test(shadow)) found.push(`no ring: ${named(element)}`);
      if (around && contrast(around.outlineColor, ground(ringed.parentElement)) < 3) found.push(`faint ring: ${named(element)}`);
    }
    document.activeElement.blur();
    return found;
  };

  window.barriers = { small, cut, forced, rings };
})();
