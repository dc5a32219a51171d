"""The calendar as it is drawn: days with their cells and cards, worked out of the board. No I/O."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time

from agency_site.clock import in_nairobi
from agency_site.features.booking.admin.calendar_banners import Banner, banners_of
from agency_site.features.booking.admin.calendar_range import Asked, View, address, span, title, turned
from agency_site.features.booking.admin.labels import NEEDS_OUTCOME, STATE_NAMES
from agency_site.features.booking.rules import BookingState, slot_start, spoken_day
from agency_site.features.booking.slots import Blocked, DayKind, SlotState, policy
from agency_site.features.booking.staff_calendar import BoardBooking, BoardDay, BoardSlot, BoardView

FEW = 3
"""Cards that one day of a month has room for."""


@dataclass
class Card:
    """One booking."""

    key: str
    reference: str
    name: str
    time: str
    at: str
    """The cell that it stands in."""
    state: str
    """Or `waiting`, for a confirmed one that is over: somebody has to say what became of it."""
    word: str
    """The same in words."""
    version: int
    movable: bool
    outside: bool
    """Its time is none that is offered that day."""


@dataclass
class Cell:
    """One time of one day."""

    key: str
    """Its moment as Nairobi writes it, such as `2026-11-24T11:00+03:00`: sorts by time."""
    time: str
    label: str
    """Such as `Tuesday 24 November, 11:00`."""
    kind: str
    """`free`, `taken`, `blackout`, `past`, or `off` where the day offers no such time."""
    words: str
    """What stands there beside the cards."""
    href: str
    """Where to book it by hand; empty: not free."""
    next: bool
    """The present moment is right before it."""
    cards: list[Card]


@dataclass
class DaySheet:
    """One day."""

    date: str
    weekday: str
    number: str
    label: str
    href: str
    """Its own day view."""
    today: bool
    beyond: bool
    """Of the month before or after the one shown."""
    hatched: bool
    banners: list[Banner]
    booked: int
    free: int
    """Seats."""
    full: bool
    """It takes bookings, but no seat is left."""
    cells: list[Cell]
    """Empty in a month."""
    few: list[Card]
    """In a month: as many cards as there is room for."""
    more: int
    """And how many others."""


@dataclass
class Ways:
    """Addresses of what lies around."""

    before: str = ""
    after: str = ""
    today: str = ""
    month: str = ""
    week: str = ""
    day: str = ""
    other: str = ""
    """The same with cancelled bookings, or without them."""


@dataclass
class Sheet:
    """All that the calendar shows."""

    view: str = ""
    """Empty while nothing has been looked up."""
    chosen: bool = True
    title: str = ""
    day: str = ""
    summary: str = ""
    cancelled: bool = False
    ways: Ways = field(default_factory=Ways)
    times: list[str] = field(default_factory=list)
    days: list[DaySheet] = field(default_factory=list)


def sheet(asked: Asked, board: BoardView, now: datetime) -> Sheet:
    """The board of `span(asked)`, drawn at the moment `now`."""
    kept = [replace(day, bookings=_kept(day.bookings, asked)) for day in board.days]
    month = asked.view is View.MONTH
    times = [] if month else sorted({at for day in kept for at in _times(day)})
    days = [_day(day, board.blackouts, times, asked, now) for day in kept]
    return Sheet(
        view=asked.view.value,
        chosen=asked.chosen,
        title=title(asked),
        day=asked.day.isoformat(),
        summary=_summary(days),
        cancelled=asked.cancelled,
        ways=_ways(asked, in_nairobi(now).date()),
        times=times,
        days=days,
    )


def moment_key(starts_at: datetime) -> str:
    """The name of a slot in the page; Nairobi's offset never changes, so names sort as the moments do."""
    return in_nairobi(starts_at).isoformat(timespec="minutes")


def _kept(bookings: Iterable[BoardBooking], asked: Asked) -> tuple[BoardBooking, ...]:
    return tuple(one for one in bookings if asked.cancelled or one.state is not BookingState.CANCELLED)


def _times(day: BoardDay) -> list[str]:
    return [slot.time for slot in day.slots] + [_clock(one.starts_at) for one in day.bookings]


def _clock(moment: datetime) -> str:
    return f"{in_nairobi(moment):%H:%M}"


def _day(
    day: BoardDay, blackouts: Sequence[Blocked], times: Sequence[str], asked: Asked, now: datetime
) -> DaySheet:
    month, here = asked.view is View.MONTH, in_nairobi(now).date()
    free = sum(_seats_left(slot) for slot in day.slots if slot.state is SlotState.FREE)
    closed = day.kind in (DayKind.CLOSED, DayKind.HOLIDAY)
    return DaySheet(
        date=day.date.isoformat(),
        weekday=f"{day.date:%a}",
        number=str(day.date.day),
        label=f"{spoken_day(day.date)} {day.date.year}",
        href=address(replace(asked, view=View.DAY, day=day.date)),
        today=day.date == here,
        beyond=month and day.date.month != asked.day.month,
        hatched=closed or (bool(day.slots) and all(s.state is SlotState.BLACKED_OUT for s in day.slots)),
        banners=banners_of(day, blackouts),
        booked=sum(one.state is not BookingState.CANCELLED for one in day.bookings),
        free=free,
        full=not free and any(slot.state is SlotState.TAKEN for slot in day.slots),
        cells=[] if month else _cells(day, times, now),
        few=[_card(one, day.date.isoformat(), now) for one in day.bookings[:FEW]] if month else [],
        more=max(0, len(day.bookings) - FEW) if month else 0,
    )


def _cells(day: BoardDay, times: Sequence[str], now: datetime) -> list[Cell]:
    slots = {slot.time: slot for slot in day.slots}
    cells = [_cell(day, at, slots.get(at), now) for at in times]
    coming = (cell for cell in cells if cell.kind != "off" and cell.key > moment_key(now))
    if day.date == in_nairobi(now).date() and (first := next(coming, None)):
        first.next = True
    return cells


def _cell(day: BoardDay, at: str, slot: BoardSlot | None, now: datetime) -> Cell:
    key = moment_key(slot_start(day.date, time.fromisoformat(at)))
    cards = [_card(one, key, now) for one in day.bookings if _clock(one.starts_at) == at]
    kind, words = _standing(slot)
    if kind == "past" and cards:
        words = ""
    return Cell(
        key=key,
        time=at,
        label=f"{spoken_day(day.date)}, {at}",
        kind=kind,
        words=words,
        href=f"/admin/bookings/new?day={day.date}&time={at}" if kind == "free" else "",
        next=False,
        cards=cards,
    )


def _standing(slot: BoardSlot | None) -> tuple[str, str]:
    if slot is None:
        return "off", ""
    match slot.state:
        case SlotState.FREE:
            return "free", f"{_seats_left(slot)} of {slot.capacity} free" if slot.capacity > 1 else "Free"
        case SlotState.BLACKED_OUT:
            return "blackout", "Blackout"
        case SlotState.BEGUN:
            return "past", "Over"
        case SlotState.TAKEN:
            # With more bookings than seats the capacity was lowered; with none an odd booking reaches into it.
            if slot.taken > slot.capacity:
                return "taken", f"{slot.taken} in {_seats(slot.capacity)}"
            return "taken", "" if slot.taken else "Taken by a booking that overlaps"


def _seats(number: int) -> str:
    return f"{number} seat" if number == 1 else f"{number} seats"


def _seats_left(slot: BoardSlot) -> int:
    return max(1, slot.capacity - slot.taken)


def _card(booking: BoardBooking, at: str, now: datetime) -> Card:
    confirmed = booking.state is BookingState.CONFIRMED
    waiting = confirmed and booking.starts_at + policy().length <= now
    return Card(
        key=f"booking-{booking.reference}",
        reference=booking.reference,
        name=booking.fullname or booking.reference,
        time=_clock(booking.starts_at),
        at=at,
        state="waiting" if waiting else booking.state.value,
        word=NEEDS_OUTCOME if waiting else STATE_NAMES[booking.state],
        version=booking.version,
        movable=confirmed and bool(booking.fullname),
        outside=not booking.offered,
    )


def _summary(days: Iterable[DaySheet]) -> str:
    shown = [day for day in days if not day.beyond]
    return f"{sum(day.booked for day in shown)} booked, {sum(day.free for day in shown)} free"


def _ways(asked: Asked, today: date) -> Ways:
    chosen = replace(asked, chosen=True)
    # From a month or week that holds today one looks closer at today.
    first, last = span(asked)
    closer = today if first <= today <= last and asked.view is not View.DAY else asked.day
    return Ways(
        before=address(turned(chosen, -1)),
        after=address(turned(chosen, 1)),
        today=address(replace(chosen, day=today)),
        month=address(replace(chosen, view=View.MONTH)),
        week=address(replace(chosen, view=View.WEEK, day=closer)),
        day=address(replace(chosen, view=View.DAY, day=closer)),
        other=address(replace(chosen, cancelled=not asked.cancelled)),
    )
