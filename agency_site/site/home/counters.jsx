// Figures that count up once, as soon as enough of their section is visible. The prerendered figure is the final one.
import { useEffect, useRef, useState } from "react";

/** A whole number that goes from zero to `target` in `steps` steps within `duration` ms once `share` of its section is visible. */
export function CountUp({ target, share, duration, steps }) {
  const mark = useRef(null);
  const [step, setStep] = useState(steps);
  useEffect(() => {
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    let timer = 0;
    setStep(0);
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.intersectionRatio >= share)) return;
      observer.disconnect();
      const begun = performance.now();
      timer = setInterval(() => {
        const now = Math.min(steps, Math.floor(((performance.now() - begun) * steps) / duration));
        setStep(now);
        if (now === steps) clearInterval(timer);
      }, duration / steps);
    }, { threshold: share });
    observer.observe(mark.current.closest("section"));
    return () => { observer.disconnect(); clearInterval(timer); };
  }, [target, share, duration, steps]);
  return <span ref={mark}>{Math.round((target * step) / steps).toLocaleString("en")}</span>;
}
