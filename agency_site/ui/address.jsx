// Keeps one value of Python's state and one query parameter of the address the same, both ways.
import { useEffect, useRef } from "react";
import { useSearchParams } from "react-router";

/** `onVisit` fires when the address asks for something else (opened, back, forward); a new `current` goes into it. */
export function QueryParameter({ parameter, current, blank = "", onVisit }) {
  const [query, setQuery] = useSearchParams();
  const asked = query.get(parameter) ?? blank;
  const opened = useRef(false);
  useEffect(() => {
    if (asked !== current) onVisit?.(asked);
  }, [asked]);
  useEffect(() => {
    if (!opened.current) { opened.current = true; return; }
    if (asked === current) return;
    setQuery(
      (now) => {
        const next = new URLSearchParams(now);
        if (current === blank) next.delete(parameter);
        else next.set(parameter, current);
        return next;
      },
      { preventScrollReset: true },
    );
  }, [current]);
  return null;
}
