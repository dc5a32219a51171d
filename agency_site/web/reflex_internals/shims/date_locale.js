// Shim of date-fns/locale/en-US: its texts are for formatting, which date_format.js does.
export const enUS = { code: "en-US", options: { weekStartsOn: 0, firstWeekContainsDate: 1 } };
