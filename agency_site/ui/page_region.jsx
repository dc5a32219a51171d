// A part of a page that the server fills for a request. React keeps the server's content until the state has its values.
import { createElement, useLayoutEffect, useRef, useState } from "react";

const TAG = "page-region";
const NOTHING = { __html: "" };
const FIELDS = "input[name]:not([type=hidden]),select[name],textarea[name]";
const isTicked = ({ type }) => type === "checkbox" || type === "radio";
const nameOf = (control) => control.getAttribute("aria-label") ?? control.textContent;

/** Finds the control that replaces one of the server's; a radio button may have become a push button. */
function successorOf(region, control) {
  const { id, name, value, localName } = control;
  if (id) return document.getElementById(id);
  const isAlike = control.matches(FIELDS)
    ? (other) => other.name === name && (!isTicked(control) || other.value === value)
    : (other) => other.localName === localName && nameOf(other) === nameOf(control);
  return [...region.querySelectorAll(`${FIELDS},button,a,summary`)].find(isAlike);
}

function repeat(region, { focused, fields, unfolded }) {
  for (const { id } of unfolded) document.getElementById(id)?.setAttribute("open", "");
  for (const field of fields) {
    const same = successorOf(region, field);
    if (!same) continue;
    if (isTicked(field)) {
      if (field.checked && !same.checked && same.getAttribute("aria-pressed") !== "true") same.click();
    } else if (same.value !== field.value) {
      same.value = field.value;
      // React ignores an event whose value it has already seen.
      same._valueTracker?.setValue(`${field.value} `);
      for (const kind of ["input", "change"]) same.dispatchEvent(new Event(kind, { bubbles: true }));
    }
  }
  if (focused) successorOf(region, focused)?.focus({ preventScroll: true });
}

const isServed = (name) => typeof document === "object" && document.querySelector(`${TAG}[name="${name}"][data-served]`) !== null;

export function PageRegion({ name, ready = false, className, children }) {
  const [waits, setWaits] = useState(() => isServed(name));
  const region = useRef(null);
  const before = useRef(null);
  useLayoutEffect(() => {
    if (!waits || !ready) return undefined;
    let frame;
    const draw = () => {
      const { current } = region;
      // Wait while a control is pressed: browsers send no click if it is replaced between down and up.
      if (current.querySelector(":active")) {
        frame = requestAnimationFrame(draw);
        return;
      }
      before.current = {
        focused: current.contains(document.activeElement) ? document.activeElement : null,
        fields: [...current.querySelectorAll(FIELDS)],
        unfolded: [...current.querySelectorAll("details[open][id]")],
      };
      setWaits(false);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [waits, ready]);
  useLayoutEffect(() => {
    if (waits || !before.current) return;
    repeat(region.current, before.current);
    before.current = null;
  }, [waits]);
  return waits
    ? createElement(TAG, { key: "served", ref: region, name, className, "data-served": "", dangerouslySetInnerHTML: NOTHING, suppressHydrationWarning: true })
    : createElement(TAG, { key: "drawn", ref: region, name, className }, children);
}
