// A part of a page that the server fills for a request. React leaves what the server sent until it has the values itself.
import { createElement, useEffect, useLayoutEffect, useRef, useState } from "react";

const TAG = "page-region";
/** In what the server sent: this changes by itself. Without a connection the page is loaded again after these milliseconds. */
const PENDING = "[data-pending]";
const PATIENCE_MS = 8000;
const NOTHING = { __html: "" };
const ticked = ({ type }) => type === "checkbox" || type === "radio";
const fieldsOf = (region) => [...region.querySelectorAll("input[name]:not([type=hidden]),select[name],textarea[name]")];
const isAlike = (one) => (other) => other.name === one.name && other.type === one.type && (!ticked(one) || other.value === one.value);

/** What a visitor has done in the region, to be done again in the elements that replace it. */
function remember(region) {
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  return { focused, fields: fieldsOf(region), unfolded: [...region.querySelectorAll("details[open][id]")] };
}

/** A choice among radio buttons may become one among push buttons. */
const pushButton = (region, { name, value }) => region.querySelector(`button[name="${name}"][value="${value}"]`);

const nameOf = (control) => control.getAttribute("aria-label") ?? control.textContent;

function successor(region, element) {
  if (element.dataset.again) return document.querySelector(element.dataset.again);
  if (element.id) return document.getElementById(element.id);
  if (element.matches("a,button,summary")) {
    return [...region.querySelectorAll(element.localName)]
      .find((other) => nameOf(other) === nameOf(element) && other.href === element.href);
  }
  return fieldsOf(region).find(isAlike(element)) ?? pushButton(region, element);
}

function repeat(region, { focused, fields, unfolded }) {
  for (const { id } of unfolded) document.getElementById(id)?.setAttribute("open", "");
  for (const field of fields) {
    const same = fieldsOf(region).find(isAlike(field));
    if (!same) {
      const button = field.checked ? pushButton(region, field) : null;
      if (button?.getAttribute("aria-pressed") === "false") button.click();
      continue;
    }
    if (ticked(field)) {
      if (same.checked !== field.checked) same.click();
    } else if (same.value !== field.value) {
      same.value = field.value;
      // React ignores an event whose value it has already seen.
      same._valueTracker?.setValue(`${field.value} `);
      same.dispatchEvent(new Event("input", { bubbles: true }));
      same.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
  if (focused) successor(region, focused)?.focus({ preventScroll: true });
}

const served = (name) =>
  typeof document === "object" && document.querySelector(`${TAG}[name="${name}"][data-served]`) !== null;

export function PageRegion({ name, ready = false, className, children }) {
  const [waits, setWaits] = useState(() => served(name));
  const region = useRef(null);
  const done = useRef(null);
  useLayoutEffect(() => {
    if (!waits || !ready) return undefined;
    let frame;
    const draw = () => {
      // Browsers click nothing where a control goes away between pointer or key down and up. No event says when `:active` ends:
      // after a tap it outlasts the click.
      if (region.current.querySelector(":active")) {
        frame = requestAnimationFrame(draw);
        return;
      }
      done.current = remember(region.current);
      setWaits(false);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [waits, ready]);
  useEffect(() => {
    if (!waits || !region.current.querySelector(PENDING)) return undefined;
    const timer = setInterval(() => { if (navigator.onLine) location.reload(); }, PATIENCE_MS);
    return () => clearInterval(timer);
  }, [waits]);
  useLayoutEffect(() => {
    if (waits || !done.current) return;
    repeat(region.current, done.current);
    done.current = null;
  }, [waits]);
  if (waits) {
    return createElement(TAG, {
      key: "served", ref: region, name, className, "data-served": "", dangerouslySetInnerHTML: NOTHING, suppressHydrationWarning: true,
    });
  }
  return createElement(TAG, { key: "drawn", ref: region, name, className }, children);
}
