// A moment in the visitor's own time zone, beside the Nairobi time.
import { createElement } from "react";

const NAIROBI_MINUTES = 180;
const SHOWN = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" };
const BRIEF = { weekday: "short", hour: "2-digit", minute: "2-digit" };

export function LocalTime({ moment, place, brief }) {
  // Pages are compiled without a moment; then the difference is NaN.
  const when = new Date(moment);
  const difference = when.getTimezoneOffset() + NAIROBI_MINUTES;
  if (!difference) return null;
  return createElement("span", { className: `block text-small ${brief ? "" : "text-muted"}` }, `${new Intl.DateTimeFormat("en-GB", brief ? BRIEF : SHOWN).format(when)} ${place}`);
}
