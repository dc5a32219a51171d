// Shim of @date-fns/tz (saves 1.3 KB on /book, whose budget needs it): the calendar shows days that Python has computed and
// gets no time zone.
export class TZDate extends Date {
  static tz() {
    throw new RangeError("The calendar was given a time zone: put @date-fns/tz back (module_shims.py)");
  }
}
