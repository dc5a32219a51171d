// Stands for the sliding of months in react-day-picker, which this calendar never asks for (`animate`).
export function useAnimation() {}
