// Shim of date-fns/locale/en-US: its texts are not needed, because date_format.js formats.
export const enUS = { code: "en-US", options: { weekStartsOn: 0, firstWeekContainsDate: 1 } };
