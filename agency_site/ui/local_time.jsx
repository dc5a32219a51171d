// A moment in the visitor's own time zone, beside the Nairobi time that the page says.
import { createElement, useEffect, useState } from "react";

const NAIROBI_MINUTES = 180;
const SHOWN = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" };

export function LocalTime({ moment }) {
  const [text, setText] = useState("");
  useEffect(() => {
    const when = new Date(moment);
    // JavaScript counts the minutes to UTC, not from it.
    const differs = !Number.isNaN(when.getTime()) && -when.getTimezoneOffset() !== NAIROBI_MINUTES;
    setText(differs ? `${new Intl.DateTimeFormat("en-GB", SHOWN).format(when)} where you are` : "");
  }, [moment]);
  return text ? createElement("span", { className: "block text-small text-muted" }, text) : null;
}
