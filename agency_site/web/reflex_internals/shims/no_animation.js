// Shim of the animation of months in react-day-picker, which this calendar does not use (`animate`).
export function useAnimation() {}
