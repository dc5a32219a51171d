// A moment in the visitor's own time zone, beside the Nairobi time. Its text is not React's: `site/layout/own_times.js` writes it.
import { useLayoutEffect, useRef } from "react";

const NOTHING = { __html: "" };

export function LocalTime({ moment }) {
  const time = useRef(null);
  useLayoutEffect(() => window.showOwnTime?.(time.current), [moment]);
  return <time ref={time} dateTime={moment} className="own-time" suppressHydrationWarning dangerouslySetInnerHTML={NOTHING} />;
}
