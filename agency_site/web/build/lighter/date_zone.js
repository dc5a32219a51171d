// Stands for @date-fns/tz: the calendar shows days that Python has worked out, and is never given a time zone.
export class TZDate extends Date {
  static tz() {
    throw new RangeError("The calendar was given a time zone: put @date-fns/tz back (plugin.py)");
  }
}
