"""The calendar as it is shown: days with their slots, cards and banners, computed from the schedule. No I/O."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

from agency_site.backoffice.calendar_query import (
    CalendarQuery,
    CalendarView,
    calendar_url,
    format_title,
    turn_page,
    visible_days,
)
from agency_site.clock import in_nairobi
from agency_site.features.booking.admin.labels import NEEDS_OUTCOME, STATE_NAMES
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.calendar.schedule import (
    Schedule,
    ScheduleBooking,
    ScheduleDay,
    ScheduleSlot,
)
from agency_site.features.booking.schedule.rules import format_day, slot_start
from agency_site.features.booking.schedule.slots import BlackoutSpan, DayKind, SlotState, booking_policy
from agency_site.phone_numbers import format_phone_number

_CARDS_IN_MONTH = 3
"""Cards that one day of a month has room for."""


@dataclass
class BookingCard:
    key: str
    reference: str
    name: str
    time: str
    phone: str
    topic: str
    """The client's message, on one line."""
    at: str
    """The key of its slot or day."""
    state: str
    """Or `waiting`, for a confirmed one that is over and needs an outcome."""
    state_label: str
    version: int
    movable: bool
    off_schedule: bool
    """Its time is not offered that day."""


@dataclass
class SlotCell:
    key: str
    """Its moment with Nairobi's offset, such as `2026-11-24T11:00+03:00`: sorts by time."""
    time: str
    label: str
    """Such as `Tuesday 24 November, 11:00`."""
    kind: str
    """`free`, `taken`, `blackout`, `past`, or `off` where the day offers no such time."""
    note: str
    """Text beside the cards."""
    href: str
    """The form that books it; empty: not free."""
    next: bool
    """The first slot after the present moment."""
    cards: list[BookingCard]


@dataclass
class DayBanner:
    """A note about a day as a whole, or about a part of it."""

    text: str
    kind: str
    """`closed`, `blackout` or `note`."""


@dataclass
class DayLayout:
    date: str
    weekday: str
    number: str
    label: str
    href: str
    """Its own day view."""
    today: bool
    other_month: bool
    """Of the month before or after the one shown."""
    hatched: bool
    banners: list[DayBanner]
    booked: int
    free: int
    """Seats."""
    full: bool
    """It takes bookings, but no seat is left."""
    cells: list[SlotCell]
    """Empty in a month."""
    month_cards: list[BookingCard]
    """In a month: as many cards as there is room for."""
    hidden_cards: int
    """The number of the others."""


@dataclass
class CalendarLinks:
    previous: str = ""
    next: str = ""
    today: str = ""
    month: str = ""
    week: str = ""
    day: str = ""
    toggle_cancelled: str = ""


@dataclass
class CalendarLayout:
    view: str = ""
    """Empty while nothing is loaded."""
    is_view_chosen: bool = True
    title: str = ""
    day: str = ""
    summary: str = ""
    cancelled: bool = False
    links: CalendarLinks = field(default_factory=CalendarLinks)
    times: list[str] = field(default_factory=list)
    days: list[DayLayout] = field(default_factory=list)


def lay_out_calendar(query: CalendarQuery, schedule: Schedule, now: datetime) -> CalendarLayout:
    """The schedule of the query's visible days, at the moment `now`."""
    shown = [replace(day, bookings=_filter_bookings(day.bookings, query)) for day in schedule.days]
    is_month = query.view is CalendarView.MONTH
    times = [] if is_month else sorted({at for day in shown for at in _times(day)})
    days = [_lay_out_day(day, schedule.blackouts, times, query, now) for day in shown]
    return CalendarLayout(
        view=query.view.value,
        is_view_chosen=query.is_view_chosen,
        title=format_title(query),
        day=query.day.isoformat(),
        summary=_summarize(days),
        cancelled=query.cancelled,
        links=_links(query, in_nairobi(now).date()),
        times=times,
        days=days,
    )


def moment_key(starts_at: datetime) -> str:
    """The key of a slot in the page; Nairobi's offset never changes, so keys sort as the moments do."""
    return in_nairobi(starts_at).isoformat(timespec="minutes")


def _filter_bookings(
    bookings: Iterable[ScheduleBooking], query: CalendarQuery
) -> tuple[ScheduleBooking, ...]:
    return tuple(one for one in bookings if query.cancelled or one.state is not BookingState.CANCELLED)


def _times(day: ScheduleDay) -> list[str]:
    return [slot.time for slot in day.slots] + [_format_time(one.starts_at) for one in day.bookings]


def _format_time(moment: datetime) -> str:
    return f"{in_nairobi(moment):%H:%M}"


def _lay_out_day(
    day: ScheduleDay,
    blackouts: Sequence[BlackoutSpan],
    times: Sequence[str],
    query: CalendarQuery,
    now: datetime,
) -> DayLayout:
    is_month, today = query.view is CalendarView.MONTH, in_nairobi(now).date()
    # A slot of today that has begun can be booked for a client who walks in, and is no time to offer on the phone.
    coming = [slot for slot in day.slots if slot.state is SlotState.FREE and slot.starts_at > now]
    free = sum(_seats_left(slot) for slot in coming)
    closed = day.kind in (DayKind.CLOSED, DayKind.HOLIDAY)
    return DayLayout(
        date=day.date.isoformat(),
        weekday=f"{day.date:%a}",
        number=str(day.date.day),
        label=f"{format_day(day.date)} {day.date.year}",
        href=calendar_url(replace(query, view=CalendarView.DAY, day=day.date)),
        today=day.date == today,
        other_month=is_month and day.date.month != query.day.month,
        hatched=closed or (bool(day.slots) and all(s.state is SlotState.BLACKED_OUT for s in day.slots)),
        banners=_banners(day, blackouts),
        booked=sum(one.state is not BookingState.CANCELLED for one in day.bookings),
        free=free,
        full=not free and any(slot.state is SlotState.TAKEN for slot in day.slots),
        cells=[] if is_month else _cells(day, times, now),
        month_cards=[_card(one, day.date.isoformat(), now) for one in day.bookings[:_CARDS_IN_MONTH]]
        if is_month
        else [],
        hidden_cards=max(0, len(day.bookings) - _CARDS_IN_MONTH) if is_month else 0,
    )


def _cells(day: ScheduleDay, times: Sequence[str], now: datetime) -> list[SlotCell]:
    slots = {slot.time: slot for slot in day.slots}
    cells = [_cell(day, at, slots.get(at), now) for at in times]
    coming = (cell for cell in cells if cell.kind != "off" and cell.key > moment_key(now))
    if day.date == in_nairobi(now).date() and (first := next(coming, None)):
        first.next = True
    return cells


def _cell(day: ScheduleDay, at: str, slot: ScheduleSlot | None, now: datetime) -> SlotCell:
    key = moment_key(slot_start(day.date, time.fromisoformat(at)))
    cards = [_card(one, key, now) for one in day.bookings if _format_time(one.starts_at) == at]
    kind, note = _slot_kind(slot)
    if kind == "past" and cards:
        note = ""
    return SlotCell(
        key=key,
        time=at,
        label=f"{format_day(day.date)}, {at}",
        kind=kind,
        note=note,
        href=f"/admin/bookings/new?day={day.date}&time={at}" if kind == "free" else "",
        next=False,
        cards=cards,
    )


def _slot_kind(slot: ScheduleSlot | None) -> tuple[str, str]:
    if slot is None:
        return "off", ""
    match slot.state:
        case SlotState.FREE:
            return "free", f"{_seats_left(slot)} of {slot.capacity} free" if slot.capacity > 1 else "Free"
        case SlotState.BLACKED_OUT:
            return "blackout", "Blackout"
        case SlotState.BEGUN | SlotState.TOO_SOON:
            return "past", "Past"
        case SlotState.TAKEN:
            # More bookings than seats: the capacity was lowered. None: a booking of another time overlaps the slot.
            if slot.taken > slot.capacity:
                return "taken", f"{slot.taken} in {_format_seats(slot.capacity)}"
            return "taken", "" if slot.taken else "Blocked by an overlapping booking"


def _format_seats(number: int) -> str:
    return f"{number} seat" if number == 1 else f"{number} seats"


def _seats_left(slot: ScheduleSlot) -> int:
    return max(1, slot.capacity - slot.taken)


def _card(booking: ScheduleBooking, at: str, now: datetime) -> BookingCard:
    confirmed = booking.state is BookingState.CONFIRMED
    waiting = confirmed and booking.starts_at + booking_policy().length <= now
    return BookingCard(
        key=f"booking-{booking.reference}",
        reference=booking.reference,
        name=booking.fullname or booking.reference,
        time=_format_time(booking.starts_at),
        phone=format_phone_number(booking.phone),
        topic=" ".join(booking.message.split()),
        at=at,
        state="waiting" if waiting else booking.state.value,
        state_label=NEEDS_OUTCOME if waiting else STATE_NAMES[booking.state],
        version=booking.version,
        movable=confirmed and bool(booking.fullname),
        off_schedule=not booking.is_offered,
    )


def _summarize(days: Iterable[DayLayout]) -> str:
    shown = [day for day in days if not day.other_month]
    return f"{sum(day.booked for day in shown)} booked, {sum(day.free for day in shown)} free"


def _links(query: CalendarQuery, today: date) -> CalendarLinks:
    chosen = replace(query, is_view_chosen=True)
    # A month or week that contains today leads to today's week or day.
    first, last = visible_days(query)
    closer = today if first <= today <= last and query.view is not CalendarView.DAY else query.day
    return CalendarLinks(
        previous=calendar_url(turn_page(chosen, -1)),
        next=calendar_url(turn_page(chosen, 1)),
        today=calendar_url(replace(chosen, day=today)),
        month=calendar_url(replace(chosen, view=CalendarView.MONTH)),
        week=calendar_url(replace(chosen, view=CalendarView.WEEK, day=closer)),
        day=calendar_url(replace(chosen, view=CalendarView.DAY, day=closer)),
        toggle_cancelled=calendar_url(replace(chosen, cancelled=not query.cancelled)),
    )


def _banners(day: ScheduleDay, blackouts: Sequence[BlackoutSpan]) -> list[DayBanner]:
    """`blackouts` may belong to other days."""
    banners = []
    if day.kind is DayKind.HOLIDAY:
        banners.append(DayBanner(f"{day.holiday}, closed", "closed"))
    elif day.kind is DayKind.CLOSED:
        banners.append(DayBanner(f"Closed: {day.note}" if day.note else "Closed", "closed"))
    elif day.is_exception:
        banners.append(DayBanner(f"Special hours: {day.note}" if day.note else "Special hours", "note"))
    if day.holiday and day.kind is not DayKind.HOLIDAY:
        banners.append(DayBanner(day.holiday, "note"))
    begins = slot_start(day.date, time.min)
    ends = begins + timedelta(days=1)
    return banners + [
        DayBanner(_blackout_text(one, begins, ends), "blackout")
        for one in blackouts
        if one.starts_at < ends and one.ends_at > begins
    ]


def _blackout_text(one: BlackoutSpan, begins: datetime, ends: datetime) -> str:
    whole = one.starts_at <= begins, one.ends_at >= ends
    match whole:
        case True, True:
            hours = ""
        case True, False:
            hours = f" until {_format_time(one.ends_at)}"
        case False, True:
            hours = f" from {_format_time(one.starts_at)}"
        case _:
            hours = f" {_format_time(one.starts_at)} to {_format_time(one.ends_at)}"
    return f"Blackout{hours}" + (f": {one.reason}" if one.reason else "")
