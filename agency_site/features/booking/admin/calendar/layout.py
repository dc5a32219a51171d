"""Computing the layout of the calendar from the schedule: days with slots, cards and banners. No I/O."""

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
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.features.booking.schedule.rules import format_day, slot_start
from agency_site.features.booking.schedule.slots import BlackoutSpan, DayKind, SlotState
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.forms import Option

_CARDS_IN_MONTH = 3
"""The most cards on a day of the month view."""


@dataclass
class BookingCard:
    key: str
    reference: str
    name: str
    time: str
    phone: str
    topic: str
    """The client's message, on one line."""
    meeting: str
    """The consultant and, unless it is in Karen, the way, such as `Wanjiru, by video`."""
    at: str
    """The key of its slot or day."""
    state: str
    """The state, or `waiting` if it is confirmed, over, and needs an outcome."""
    state_label: str
    version: int
    movable: bool
    off_schedule: bool
    """True if its time is not offered on that day."""


@dataclass
class SlotCell:
    key: str
    """The moment with the offset of Nairobi, such as `2026-11-24T11:00+03:00`. It sorts by time."""
    time: str
    label: str
    """The text for screen readers, such as `Tuesday 24 November, 11:00`."""
    kind: str
    """`free`, `taken`, `busy`, `blackout`, `past`, or `off` if the day does not offer this time."""
    note: str
    """The text beside the cards."""
    href: str
    """The address of the form that books it. Empty if it is not free."""
    next: bool
    """True for the first slot after the present moment."""
    busy: list[str]
    """The names of the staff calendars that are busy then."""
    cards: list[BookingCard]


@dataclass
class DayBanner:
    """A note about a day or a part of it."""

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
    """The address of its day view."""
    today: bool
    other_month: bool
    """True if it belongs to the month before or after."""
    hatched: bool
    banners: list[DayBanner]
    booked: int
    free: int
    """The number of free seats."""
    full: bool
    """True if all its seats are taken."""
    cells: list[SlotCell]
    """Empty in the month view."""
    month_cards: list[BookingCard]
    """The cards in the month view, as many as there is room for."""
    hidden_cards: int
    """The number of cards for which there is no room."""


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
    """Empty until the calendar is loaded."""
    is_view_chosen: bool = True
    title: str = ""
    day: str = ""
    summary: str = ""
    cancelled: bool = False
    links: CalendarLinks = field(default_factory=CalendarLinks)
    persons: list[Option] = field(default_factory=list)
    """The active consultants."""
    person: str = ""
    """The reference of the consultant whose slots and bookings are shown. Empty for all."""
    times: list[str] = field(default_factory=list)
    days: list[DayLayout] = field(default_factory=list)


def lay_out_calendar(query: CalendarQuery, schedule: Schedule, now: datetime) -> CalendarLayout:
    """Return the layout of the query's visible days at the moment `now`."""
    visible = [replace(day, bookings=_filter_bookings(day.bookings, query)) for day in schedule.days]
    is_month = query.view is CalendarView.MONTH
    times = [] if is_month else sorted({at for day in visible for at in _slot_and_booking_times(day)})
    days = [_lay_out_day(day, schedule.blackouts, times, query, now) for day in visible]
    return CalendarLayout(
        view=query.view.value,
        is_view_chosen=query.is_view_chosen,
        title=format_title(query),
        day=query.day.isoformat(),
        summary=_summarize(days),
        cancelled=query.cancelled,
        links=_calendar_links(query, in_nairobi(now).date()),
        persons=[Option(person.reference, person.name) for person in schedule.persons],
        person=query.person,
        times=times,
        days=days,
    )


def moment_key(starts_at: datetime) -> str:
    """Return the key of a slot in the page. The offset of Nairobi never changes, so keys sort by time."""
    return in_nairobi(starts_at).isoformat(timespec="minutes")


def _filter_bookings(
    bookings: Iterable[ScheduleBooking], query: CalendarQuery
) -> tuple[ScheduleBooking, ...]:
    return tuple(
        booking for booking in bookings if query.cancelled or booking.state is not BookingState.CANCELLED
    )


def _slot_and_booking_times(day: ScheduleDay) -> list[str]:
    return [slot.time for slot in day.slots] + [_format_time(booking.starts_at) for booking in day.bookings]


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
    # A slot of today that has begun can be booked for a client who walks in, but staff do not offer it on the phone.
    upcoming = [slot for slot in day.slots if slot.state is SlotState.FREE and slot.starts_at > now]
    free = sum(slot.seats_left for slot in upcoming)
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
        banners=_day_banners(day, blackouts),
        booked=sum(booking.state is not BookingState.CANCELLED for booking in day.bookings),
        free=free,
        full=not free and any(slot.state is SlotState.TAKEN for slot in day.slots),
        cells=[] if is_month else _slot_cells(day, times, query.person, now),
        month_cards=[
            _booking_card(booking, day.date.isoformat(), now) for booking in day.bookings[:_CARDS_IN_MONTH]
        ]
        if is_month
        else [],
        hidden_cards=max(0, len(day.bookings) - _CARDS_IN_MONTH) if is_month else 0,
    )


def _slot_cells(day: ScheduleDay, times: Sequence[str], person: str, now: datetime) -> list[SlotCell]:
    slots = {slot.time: slot for slot in day.slots}
    cells = [_slot_cell(day, at, slots.get(at), person, now) for at in times]
    upcoming = (cell for cell in cells if cell.kind != "off" and cell.key > moment_key(now))
    if day.date == in_nairobi(now).date() and (first := next(upcoming, None)):
        first.next = True
    return cells


def _slot_cell(day: ScheduleDay, at: str, slot: ScheduleSlot | None, person: str, now: datetime) -> SlotCell:
    key = moment_key(slot_start(day.date, time.fromisoformat(at)))
    cards = [
        _booking_card(booking, key, now) for booking in day.bookings if _format_time(booking.starts_at) == at
    ]
    kind, note = _slot_kind(slot)
    if kind == "past" and cards:
        note = ""
    return SlotCell(
        key=key,
        time=at,
        label=f"{format_day(day.date)}, {at}",
        kind=kind,
        note=note,
        href=_new_booking_url(day.date, at, person) if kind == "free" else "",
        next=False,
        busy=list(slot.busy) if slot else [],
        cards=cards,
    )


def _new_booking_url(day: date, at: str, person: str) -> str:
    return f"/admin/bookings/new?day={day}&time={at}" + (f"&person={person}" if person else "")


def _slot_kind(slot: ScheduleSlot | None) -> tuple[str, str]:
    if slot is None:
        return "off", ""
    match slot.state:
        case SlotState.FREE:
            return "free", f"{slot.seats_left} of {slot.capacity} free" if slot.capacity > 1 else "Free"
        case SlotState.BLACKED_OUT:
            return "blackout", "Blackout"
        case SlotState.BEGUN | SlotState.TOO_SOON:
            return "past", "Past"
        case SlotState.BUSY:
            return "busy", "" if slot.busy else "Busy"
        case SlotState.TAKEN:
            if not slot.capacity:
                return "taken", "No consultant works then"
            # More bookings than seats follow from a lowered capacity; no booking, from one that overlaps from another time,
            # from the buffer or from the daily limit.
            if slot.bookings > slot.capacity:
                return "taken", f"{slot.bookings} in {_format_seats(slot.capacity)}"
            return "taken", "" if slot.bookings else "Blocked by another booking"


def _format_seats(number: int) -> str:
    return f"{number} seat" if number == 1 else f"{number} seats"


def _booking_card(booking: ScheduleBooking, at: str, now: datetime) -> BookingCard:
    confirmed = booking.state is BookingState.CONFIRMED
    waiting = confirmed and booking.ends_at <= now
    return BookingCard(
        key=f"booking-{booking.reference}",
        reference=booking.reference,
        name=booking.fullname or booking.reference,
        time=_format_time(booking.starts_at),
        phone=format_phone_number(booking.phone),
        topic=" ".join(booking.message.split()),
        meeting=_describe_meeting(booking),
        at=at,
        state="waiting" if waiting else booking.state.value,
        state_label=NEEDS_OUTCOME if waiting else STATE_NAMES[booking.state],
        version=booking.version,
        movable=confirmed and bool(booking.fullname),
        off_schedule=not booking.is_offered,
    )


def _describe_meeting(booking: ScheduleBooking) -> str:
    way = "" if booking.way is Way.KAREN else WAY_LABELS[booking.way]
    text = ", ".join(part for part in (booking.consultant, way.lower()) if part)
    return text[:1].upper() + text[1:]


def _summarize(days: Iterable[DayLayout]) -> str:
    in_view = [day for day in days if not day.other_month]
    return f"{sum(day.booked for day in in_view)} booked, {sum(day.free for day in in_view)} free"


def _calendar_links(query: CalendarQuery, today: date) -> CalendarLinks:
    chosen = replace(query, is_view_chosen=True)
    # From a month or week that contains today, the links lead to the week or day of today.
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


def _day_banners(day: ScheduleDay, blackouts: Sequence[BlackoutSpan]) -> list[DayBanner]:
    """Return the banners of a day. `blackouts` may belong to other days."""
    banners = []
    if day.kind is DayKind.HOLIDAY:
        banners.append(DayBanner(f"{day.holiday}, closed", "closed"))
    elif day.kind is DayKind.CLOSED:
        banners.append(DayBanner(f"Closed: {day.note}" if day.note else "Closed", "closed"))
    elif day.is_exception:
        banners.append(
            DayBanner(f"Schedule exception: {day.note}" if day.note else "Schedule exception", "note")
        )
    if day.holiday and day.kind is not DayKind.HOLIDAY:
        banners.append(DayBanner(day.holiday, "note"))
    begins = slot_start(day.date, time.min)
    ends = begins + timedelta(days=1)
    return banners + [
        DayBanner(_blackout_text(blackout, begins, ends), "blackout")
        for blackout in blackouts
        if blackout.starts_at < ends and blackout.ends_at > begins
    ]


def _blackout_text(blackout: BlackoutSpan, begins: datetime, ends: datetime) -> str:
    match blackout.starts_at <= begins, blackout.ends_at >= ends:
        case True, True:
            hours = ""
        case True, False:
            hours = f" until {_format_time(blackout.ends_at)}"
        case False, True:
            hours = f" from {_format_time(blackout.starts_at)}"
        case _:
            hours = f" {_format_time(blackout.starts_at)} to {_format_time(blackout.ends_at)}"
    return f"Blackout{hours}" + (f": {blackout.reason}" if blackout.reason else "")
