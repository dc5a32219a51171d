// A month grid by react-day-picker; Python has computed the open days and their labels.
import { useState } from "react";
import { DayPicker } from "react-day-picker";

const local = (iso) => {
  const [year, month, day] = iso.split("-").map(Number);
  return new Date(year, month - 1, day);
};
const two = (number) => String(number).padStart(2, "0");
const iso = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** The month in the address, which the visitor may have changed before scripts ran. */
const askedMonth = () => {
  const asked = typeof location === "object" && new URLSearchParams(location.search).get("month");
  return /^\d{4}-\d\d$/.test(asked) ? local(`${asked}-01`) : undefined;
};

/** `days`: [{date, label, open, note}], first to last bookable day; `selected` and `today`: YYYY-MM-DD. */
export function DayGrid({ days = [], selected, today, texts, onChoose, ...rest }) {
  const known = Object.fromEntries(days.map((day) => [day.date, day]));
  const chosen = selected ? local(selected) : undefined;
  const [month, setMonth] = useState(askedMonth);
  if (!days.length) return null;
  const label = (date) => known[iso(date)]?.label ?? date.toLocaleDateString("en-GB", { dateStyle: "full" });
  return (
    <div {...rest}>
      <DayPicker
        mode="single"
        required
        weekStartsOn={1}
        selected={chosen}
        today={today ? local(today) : undefined}
        month={month ?? chosen}
        onMonthChange={setMonth}
        startMonth={local(days[0].date)}
        endMonth={local(days[days.length - 1].date)}
        disabled={(date) => !known[iso(date)]?.open}
        modifiers={{ closed: (date) => known[iso(date)]?.note === "closed", full: (date) => known[iso(date)]?.note === "full" }}
        modifiersClassNames={{ closed: "rdp-closed", full: "rdp-full" }}
        labels={{
          labelDayButton: (date, modifiers) => label(date) + (modifiers.selected ? texts.selected : ""),
          labelPrevious: () => texts.previous,
          labelNext: () => texts.next,
        }}
        formatters={{ formatWeekdayName: (date) => date.toLocaleDateString("en-GB", { weekday: "short" }) }}
        onSelect={(date) => { if (date) onChoose?.(iso(date)); }}
      />
    </div>
  );
}
