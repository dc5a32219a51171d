"""The layout of the calendar, computed from a schedule."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.calendar_query import CalendarQuery, CalendarView
from agency_site.features.booking.admin.calendar.layout import (
    _CARDS_IN_MONTH,
    BookingCard,
    CalendarLayout,
    SlotCell,
    lay_out_calendar,
    moment_key,
)
from agency_site.features.booking.admin.toolbar import CALENDAR
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.calendar.schedule import (
    Schedule,
    ScheduleBooking,
    ScheduleDay,
    ScheduleSlot,
)
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import BlackoutSpan, DayKind, SlotState

TUESDAY = date(2026, 11, 24)
NOW = slot_start(TUESDAY, time(10, 20))
DAY = CalendarQuery(path=CALENDAR, view=CalendarView.DAY, day=TUESDAY)


def at(hour: int, minute: int = 0) -> datetime:
    return slot_start(TUESDAY, time(hour, minute))


def slot(
    hour: int,
    state: SlotState = SlotState.FREE,
    capacity: int = 1,
    bookings: int = 0,
    busy: tuple[str, ...] = (),
) -> ScheduleSlot:
    return ScheduleSlot(
        at(hour), f"{hour:02}:00", capacity, bookings, state, max(0, capacity - bookings), busy
    )


def booking(
    hour: int, state: BookingState = BookingState.CONFIRMED, *, seat: int = 0, offered: bool = True
) -> ScheduleBooking:
    return ScheduleBooking(
        f"BK-{hour:02}{seat:02}",
        "Amina",
        "254712345678",
        "A shop\nin Karen",
        at(hour),
        state,
        seat,
        1,
        offered,
        at(hour) + timedelta(minutes=30),
    )


def layout_of(
    *bookings: ScheduleBooking,
    slots: tuple[ScheduleSlot, ...] = (),
    query: CalendarQuery = DAY,
    **day: object,
) -> CalendarLayout:
    tuesday = ScheduleDay(
        date=TUESDAY, kind=DayKind.OPEN, holiday="", is_exception=False, note="",
        slots=slots or (slot(9), slot(11), slot(14)), bookings=bookings,
    )  # fmt: skip
    return lay_out_calendar(query, Schedule((replace(tuesday, **day),), ()), NOW)  # type: ignore[arg-type]


def cell(layout: CalendarLayout, at: str) -> SlotCell:
    return next(cell for cell in layout.days[0].cells if cell.time == at)


def cards(layout: CalendarLayout) -> list[BookingCard]:
    return [card for cell in layout.days[0].cells for card in cell.cards]


def test_a_free_slot_leads_to_booking_by_hand() -> None:
    free = cell(layout_of(), "11:00")
    assert (free.kind, free.note, free.label) == ("free", "Free", "Tuesday 24 November, 11:00")
    assert free.href == "/admin/bookings/new?day=2026-11-24&time=11:00"


def test_free_seats_are_counted_if_a_slot_has_several() -> None:
    layout = layout_of(
        slots=(
            slot(11, capacity=3, bookings=1),
            slot(13, SlotState.TAKEN, 3, 3),
            slot(14, SlotState.TAKEN, 1, 2),
        )
    )
    assert [row.note for row in layout.days[0].cells] == ["2 of 3 free", "", "2 in 1 seat"]
    assert layout.days[0].free == 2


def test_a_slot_that_is_not_free_cannot_be_booked() -> None:
    layout = layout_of(
        slots=(slot(9, SlotState.BEGUN), slot(11, SlotState.BLACKED_OUT), slot(14, SlotState.TAKEN))
    )
    assert [(row.kind, row.href) for row in layout.days[0].cells] == [
        ("past", ""),
        ("blackout", ""),
        ("taken", ""),
    ]
    assert cell(layout, "14:00").note == "Blocked by another booking"


def test_a_time_at_which_nobody_is_free_says_why() -> None:
    layout = layout_of(
        slots=(slot(11, SlotState.BUSY, busy=("Google calendar of Wanjiru",)), slot(14, SlotState.TAKEN, 0))
    )
    busy = cell(layout, "11:00")
    assert (busy.kind, busy.note, busy.busy) == ("busy", "", ["Google calendar of Wanjiru"])
    assert cell(layout, "14:00").note == "No consultant works then"


def test_a_free_time_of_one_consultant_leads_to_a_booking_with_that_person() -> None:
    query = replace(DAY, person="CO-7F3K9Q")
    assert cell(layout_of(query=query), "11:00").href.endswith("&time=11:00&person=CO-7F3K9Q")
    assert "person=CO-7F3K9Q" in layout_of(query=query).links.next


def test_a_card_names_the_consultant_and_another_way_than_karen() -> None:
    def meeting(way: Way, consultant: str = "") -> str:
        return cards(layout_of(replace(booking(11), way=way, consultant=consultant)))[0].meeting

    assert meeting(Way.KAREN) == ""
    assert meeting(Way.KAREN, "Wanjiru") == "Wanjiru"
    assert meeting(Way.VIDEO) == "By video"
    assert meeting(Way.VIDEO, "Wanjiru") == "Wanjiru, by video"


def test_a_booking_at_a_time_that_is_not_offered_has_a_row_of_its_own() -> None:
    layout = layout_of(booking(10, offered=False))
    assert layout.times == ["09:00", "10:00", "11:00", "14:00"]
    assert cell(layout, "10:00").kind == "off"
    assert cards(layout)[0].off_schedule


def test_only_confirmed_bookings_can_be_moved() -> None:
    layout = layout_of(
        *(booking(14, state, seat=seat) for seat, state in enumerate(BookingState)),
        query=replace(DAY, cancelled=True),
    )
    assert {card.state for card in cards(layout) if card.movable} == {"confirmed"}
    assert {card.state_label for card in cards(layout)} == {"Confirmed", "Cancelled", "Completed", "No-show"}


def test_a_confirmed_booking_that_is_over_needs_an_outcome() -> None:
    assert [(card.state, card.state_label) for card in cards(layout_of(booking(9), booking(11)))] == [
        ("waiting", "Needs an outcome"),
        ("confirmed", "Confirmed"),
    ]


def test_cancelled_bookings_are_shown_on_request_and_never_count() -> None:
    cancelled = booking(9, BookingState.CANCELLED)
    assert cards(layout_of(cancelled)) == []
    layout = layout_of(cancelled, query=replace(DAY, cancelled=True))
    assert [card.state_label for card in cards(layout)] == ["Cancelled"]
    assert layout.days[0].booked == 0


def test_the_first_upcoming_slot_is_marked() -> None:
    assert [row.time for row in layout_of().days[0].cells if row.next] == ["11:00"]


def test_a_month_shows_a_few_cards_and_counts_the_others() -> None:
    many = [booking(9, seat=seat) for seat in range(_CARDS_IN_MONTH + 2)]
    day = layout_of(*many, query=CalendarQuery(path=CALENDAR, view=CalendarView.MONTH, day=TUESDAY)).days[0]
    assert (len(day.month_cards), day.hidden_cards, day.booked, day.cells) == (
        _CARDS_IN_MONTH,
        2,
        _CARDS_IN_MONTH + 2,
        [],
    )
    assert {card.at for card in day.month_cards} == {"2026-11-24"}


def test_closed_days_and_blackouts_are_named() -> None:
    closed = layout_of(kind=DayKind.HOLIDAY, holiday="Mashujaa Day", slots=(slot(9),)).days[0]
    assert (closed.hatched, closed.banners[0].text) == (True, "Mashujaa Day, closed")
    noted = layout_of(kind=DayKind.CLOSED, note="Moving house").days[0]
    assert noted.banners[0].text == "Closed: Moving house"
    special = layout_of(is_exception=True, note="Open day", holiday="Jamhuri Day").days[0]
    assert [row.text for row in special.banners] == ["Schedule exception: Open day", "Jamhuri Day"]


def test_a_blackout_names_the_part_of_the_day_that_it_covers() -> None:
    day = layout_of().days[0]
    schedule = Schedule(
        (ScheduleDay(TUESDAY, DayKind.OPEN, "", False, "", (slot(9),), ()),),
        (
            BlackoutSpan(at(13), at(15), 1, "Training"),
            BlackoutSpan(at(13) - timedelta(days=1), at(8), 2, ""),
            BlackoutSpan(at(16), at(16) + timedelta(days=1), 3, ""),
            BlackoutSpan(at(0), at(0) + timedelta(days=1), 4, "Stocktaking"),
            BlackoutSpan(at(0) + timedelta(days=1), at(9) + timedelta(days=1), 5, "tomorrow"),
        ),
    )
    assert day.banners == []
    assert [row.text for row in lay_out_calendar(DAY, schedule, NOW).days[0].banners] == [
        "Blackout 13:00 to 15:00: Training", "Blackout until 08:00", "Blackout from 16:00", "Blackout: Stocktaking",
    ]  # fmt: skip


@given(st.lists(st.integers(0, 10**6), min_size=2))
def test_keys_of_slots_sort_by_time(minutes: list[int]) -> None:
    moments = [at(0) + timedelta(minutes=minute) for minute in minutes]
    assert sorted(moments, key=moment_key) == sorted(moments)


def test_only_upcoming_times_count_as_free() -> None:
    layout = layout_of(slots=(slot(9), slot(10), slot(11), slot(14)))
    assert layout.summary == "0 booked, 2 free"
    # A client who walks in can still be given one that has begun.
    assert cell(layout, "09:00").kind == "free"


def test_a_day_names_phone_and_topic_of_each_booking() -> None:
    (card,) = cards(layout_of(booking(11)))
    assert (card.phone, card.topic) == ("0712 345 678", "A shop in Karen")


def test_a_week_over_the_end_of_a_month_counts_all_of_its_days_and_a_month_its_own() -> None:
    monday = date(2026, 11, 30)
    days = tuple(
        ScheduleDay(
            date=monday + timedelta(days=number), kind=DayKind.OPEN, holiday="", is_exception=False, note="",
            slots=(), bookings=(replace(booking(9), reference=f"BK-{number}"),),
        )
        for number in range(7)
    )  # fmt: skip
    schedule = Schedule(days, ())
    week, month = (
        lay_out_calendar(replace(DAY, view=view, day=date(2026, 12, 2)), schedule, NOW)
        for view in (CalendarView.WEEK, CalendarView.MONTH)
    )
    assert ([day.other_month for day in week.days], week.summary) == ([False] * 7, "7 booked, 0 free")
    assert ([day.other_month for day in month.days], month.summary) == (
        [True] + [False] * 6,
        "6 booked, 0 free",
    )
