// Figures that count up once, as soon as enough of their section can be seen. What is prerendered is the final figure.
import { createContext, useContext, useEffect, useRef, useState } from "react";

const Stage = createContext("built");

/** A section whose counters start when `share` of it (0 to 1) is visible; with reduced motion they stay as they are. */
export function CountSection({ share, children, ...rest }) {
  const root = useRef(null);
  const [stage, setStage] = useState("built");
  useEffect(() => {
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    setStage("idle");
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.intersectionRatio >= share)) return;
        setStage("running");
        observer.disconnect();
      },
      { threshold: share },
    );
    observer.observe(root.current);
    return () => observer.disconnect();
  }, [share]);
  return (
    <section {...rest} ref={root} data-stage={stage}>
      <Stage.Provider value={stage}>{children}</Stage.Provider>
    </section>
  );
}

/** A whole number that goes from zero to `target` in `steps` steps within `duration` milliseconds. */
export function CountUp({ target, duration, steps }) {
  const stage = useContext(Stage);
  const [step, setStep] = useState(steps);
  useEffect(() => {
    if (stage === "built") return undefined;
    setStep(0);
    if (stage !== "running") return undefined;
    const begun = performance.now();
    const timer = setInterval(() => {
      const now = Math.min(steps, Math.floor(((performance.now() - begun) * steps) / duration));
      setStep(now);
      if (now === steps) clearInterval(timer);
    }, duration / steps);
    return () => clearInterval(timer);
  }, [stage, target, duration, steps]);
  return Math.round((target * step) / steps).toLocaleString("en");
}
