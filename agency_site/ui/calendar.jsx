// The keys of a month of day buttons (APG, date grid): one tab stop; the arrows move by a day or a week, also into another month.
import { useLayoutEffect, useRef } from "react";

const DAY_MS = 86400000;
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** Around a month whose cells have `data-day`; `month` and `chosen` change when another month or day is drawn. */
export function DayGrid({ month, chosen, children, ...rest }) {
  const grid = useRef(null);
  const wanted = useRef(null);
  const find = (day) => grid.current.querySelector(`[data-day="${day}"] button`);
  useLayoutEffect(() => {
    const days = [...grid.current.querySelectorAll("td button")];
    const stop = find(chosen) ?? days[0];
    for (const day of days) day.tabIndex = day === stop ? 0 : -1;
    find(wanted.current)?.focus();
    wanted.current = null;
  }, [month, chosen]);
  const move = (event) => {
    const day = event.target.closest("[data-day]")?.dataset.day;
    const step = STEPS[event.key];
    if (!day || !step) return;
    event.preventDefault();
    const to = new Date(Date.parse(day) + step * DAY_MS).toISOString().slice(0, 10);
    if (find(to)) return find(to).focus();
    wanted.current = to;
    grid.current.querySelectorAll("nav button")[step < 0 ? 0 : 1].click();
  };
  return <div {...rest} ref={grid} onKeyDown={move}>{children}</div>;
}
