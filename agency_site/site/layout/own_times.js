// Moments in the visitor's own time zone, beside the Nairobi time: the elements `time.own-time`.
(() => {
  const NAIROBI_MINUTES = 180;
  const SHOWN = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" };
  const BRIEF = { weekday: "short", hour: "2-digit", minute: "2-digit" };
  window.showOwnTime = (time) => {
    const when = new Date(time.dateTime);
    const [parts, place] = time.closest(".slot") ? [BRIEF, "your time"] : [SHOWN, "where you are"];
    // Without a moment the difference is NaN.
    const differs = when.getTimezoneOffset() + NAIROBI_MINUTES;
    time.textContent = differs ? `${new Intl.DateTimeFormat("en-GB", parts).format(when)} ${place}` : "";
  };
  addEventListener("DOMContentLoaded", () => document.querySelectorAll("time.own-time").forEach(window.showOwnTime));
})();
