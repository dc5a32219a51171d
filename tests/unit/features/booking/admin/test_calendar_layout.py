"""How a board of bookings becomes cells and cards."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.booking.admin.calendar_layout import FEW, Card, Cell, Sheet, moment_key, sheet
from agency_site.features.booking.admin.calendar_range import Asked, View
from agency_site.features.booking.rules import BookingState, slot_start
from agency_site.features.booking.slots import Blocked, DayKind, SlotState
from agency_site.features.booking.staff_calendar import BoardBooking, BoardDay, BoardSlot, BoardView

TUESDAY = date(2026, 11, 24)
NOW = slot_start(TUESDAY, time(10, 20))
DAY = Asked(view=View.DAY, day=TUESDAY)


def at(hour: int, minute: int = 0) -> datetime:
    return slot_start(TUESDAY, time(hour, minute))


def slot(hour: int, state: SlotState = SlotState.FREE, capacity: int = 1, taken: int = 0) -> BoardSlot:
    return BoardSlot(at(hour), f"{hour:02}:00", capacity, taken, state)


def booking(
    hour: int, state: BookingState = BookingState.CONFIRMED, *, seat: int = 0, offered: bool = True
) -> BoardBooking:
    return BoardBooking(f"BK-{hour:02}{seat:02}", "Amina", at(hour), state, seat, 1, offered)


def drawn(
    *bookings: BoardBooking, slots: tuple[BoardSlot, ...] = (), asked: Asked = DAY, **day: object
) -> Sheet:
    standing = BoardDay(
        date=TUESDAY, kind=DayKind.OPEN, holiday="", special=False, note="",
        slots=slots or (slot(9), slot(11), slot(14)), bookings=bookings,
    )  # fmt: skip
    return sheet(asked, BoardView((replace(standing, **day),), ()), NOW)  # type: ignore[arg-type]


def cell(found: Sheet, at: str) -> Cell:
    return next(one for one in found.days[0].cells if one.time == at)


def cards(found: Sheet) -> list[Card]:
    return [card for one in found.days[0].cells for card in one.cards]


def test_a_free_slot_leads_to_booking_by_hand() -> None:
    free = cell(drawn(), "11:00")
    assert (free.kind, free.words, free.label) == ("free", "Free", "Tuesday 24 November, 11:00")
    assert free.href == "/admin/bookings/new?day=2026-11-24&time=11:00"


def test_seats_are_counted_where_there_are_several() -> None:
    found = drawn(
        slots=(slot(9, capacity=3, taken=1), slot(11, SlotState.TAKEN, 3, 3), slot(14, SlotState.TAKEN, 1, 2))
    )
    assert [one.words for one in found.days[0].cells] == ["2 of 3 free", "", "2 in 1 seat"]
    assert found.days[0].free == 2


def test_what_is_not_free_offers_nothing() -> None:
    found = drawn(
        slots=(slot(9, SlotState.BEGUN), slot(11, SlotState.BLACKED_OUT), slot(14, SlotState.TAKEN))
    )
    assert [(one.kind, one.href) for one in found.days[0].cells] == [
        ("past", ""),
        ("blackout", ""),
        ("taken", ""),
    ]
    assert cell(found, "14:00").words == "Taken by a booking that overlaps"


def test_a_booking_at_a_time_that_is_not_offered_has_a_row_of_its_own() -> None:
    found = drawn(booking(10, offered=False))
    assert found.times == ["09:00", "10:00", "11:00", "14:00"]
    assert cell(found, "10:00").kind == "off"
    assert cards(found)[0].outside


def test_only_confirmed_bookings_can_be_moved() -> None:
    found = drawn(
        *(booking(14, state, seat=seat) for seat, state in enumerate(BookingState)),
        asked=replace(DAY, cancelled=True),
    )
    assert {card.state for card in cards(found) if card.movable} == {"confirmed"}
    assert {card.word for card in cards(found)} == {"Confirmed", "Cancelled", "Completed", "No-show"}


def test_a_confirmed_booking_that_is_over_asks_for_its_outcome() -> None:
    assert [(card.state, card.word) for card in cards(drawn(booking(9), booking(11)))] == [
        ("waiting", "Needs an outcome"),
        ("confirmed", "Confirmed"),
    ]


def test_cancelled_bookings_wait_to_be_asked_for_and_never_count() -> None:
    gone = booking(9, BookingState.CANCELLED)
    assert cards(drawn(gone)) == []
    shown = drawn(gone, asked=replace(DAY, cancelled=True))
    assert [card.word for card in cards(shown)] == ["Cancelled"]
    assert shown.days[0].booked == 0


def test_the_present_moment_lies_before_the_first_time_to_come() -> None:
    assert [one.time for one in drawn().days[0].cells if one.next] == ["11:00"]


def test_a_month_shows_a_few_cards_and_counts_the_others() -> None:
    many = [booking(9, seat=seat) for seat in range(FEW + 2)]
    day = drawn(*many, asked=Asked(view=View.MONTH, day=TUESDAY)).days[0]
    assert (len(day.few), day.more, day.booked, day.cells) == (FEW, 2, FEW + 2, [])
    assert {card.at for card in day.few} == {"2026-11-24"}


def test_closed_days_and_blackouts_are_named() -> None:
    closed = drawn(kind=DayKind.HOLIDAY, holiday="Mashujaa Day", slots=(slot(9),)).days[0]
    assert (closed.hatched, closed.banners[0].text) == (True, "Mashujaa Day, closed")
    noted = drawn(kind=DayKind.CLOSED, note="Moving house").days[0]
    assert noted.banners[0].text == "Closed: Moving house"
    special = drawn(special=True, note="Open day", holiday="Jamhuri Day").days[0]
    assert [one.text for one in special.banners] == ["Special hours: Open day", "Jamhuri Day"]


def test_a_blackout_says_which_part_of_the_day_it_takes() -> None:
    day = drawn().days[0]
    board = BoardView(
        (BoardDay(TUESDAY, DayKind.OPEN, "", False, "", (slot(9),), ()),),
        (
            Blocked(at(13), at(15), 1, "Training"),
            Blocked(at(13) - timedelta(days=1), at(8), 2, ""),
            Blocked(at(16), at(16) + timedelta(days=1), 3, ""),
            Blocked(at(0), at(0) + timedelta(days=1), 4, "Stocktaking"),
            Blocked(at(0) + timedelta(days=1), at(9) + timedelta(days=1), 5, "tomorrow"),
        ),
    )
    assert day.banners == []
    assert [one.text for one in sheet(DAY, board, NOW).days[0].banners] == [
        "Blackout 13:00 to 15:00: Training", "Blackout until 08:00", "Blackout from 16:00", "Blackout: Stocktaking",
    ]  # fmt: skip


@given(st.lists(st.integers(0, 10**6), min_size=2))
def test_names_of_slots_sort_as_their_moments_do(minutes: list[int]) -> None:
    moments = [at(0) + timedelta(minutes=one) for one in minutes]
    assert sorted(moments, key=moment_key) == sorted(moments)
