"""How the back office says what a booking is and what happened to it."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.db.event_log import SYSTEM, VISITOR, LoggedEvent
from agency_site.errors import InputRejected
from agency_site.features.booking.admin.labels import (
    details_given,
    dialled,
    facts_of,
    log_of,
    national,
    over,
    state_cell,
    steps_of,
)
from agency_site.features.booking.admin.slot_finder import _offered_day, _week_name, chosen_start
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.rules import (
    NOTE,
    BookingChange,
    BookingState,
    slot_start,
    staff_may_set,
    stamp,
)
from agency_site.features.booking.slots import DayKind, SlotState
from agency_site.features.booking.staff_calendar import BoardDay, BoardSlot

TUESDAY = date(2026, 11, 24)
MADE = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def booking(**otherwise: object) -> BookingRecord:
    made = BookingRecord(
        id=1, reference="BK-7F3K9Q", state=BookingState.CONFIRMED, fullname="Amina Odhiambo", email="amina@example.com",
        phone="+254712345678", message="", starts_at=slot_start(TUESDAY, time(9)), seat=0, version=1, created_at=MADE,
        updated_at=MADE,
    )  # fmt: skip
    return replace(made, **otherwise)  # type: ignore[arg-type]


def line(what: str, before: str = "", after: str = "", text: str = "", actor: str = VISITOR) -> LoggedEvent:
    return LoggedEvent(MADE, actor, what, before, after, text)


class TestStanding:
    def test_a_confirmed_booking_asks_for_its_outcome_once_its_half_hour_is_over(
        self, noon: datetime
    ) -> None:
        assert state_cell(BookingState.CONFIRMED, noon - timedelta(minutes=29)).text == "Confirmed"
        assert state_cell(BookingState.CONFIRMED, noon - timedelta(minutes=30)).text == "Needs an outcome"
        assert state_cell(BookingState.COMPLETED, noon - timedelta(days=3)).text == "Completed"
        assert not over(noon)

    def test_what_can_become_of_it_follows_state_and_time(self, noon: datetime) -> None:
        past = noon - timedelta(hours=3)
        assert steps_of(booking()) == ["move", "cancel", "correct"]
        assert steps_of(booking(starts_at=past)) == ["move", "cancel", "complete", "no_show", "correct"]
        assert steps_of(booking(state=BookingState.CANCELLED)) == ["confirm", "correct"]
        assert steps_of(booking(state=BookingState.CANCELLED, fullname="")) == []
        assert steps_of(booking(fullname="")) == ["cancel"]

    @pytest.mark.parametrize("state", list(BookingState))
    def test_no_step_is_offered_that_the_rules_refuse(self, noon: datetime, state: BookingState) -> None:
        leads = {
            "cancel": BookingState.CANCELLED, "complete": BookingState.COMPLETED, "no_show": BookingState.NO_SHOW,
            "confirm": BookingState.CONFIRMED,
        }  # fmt: skip
        offered = {leads[step] for step in steps_of(booking(state=state, starts_at=noon)) if step in leads}
        assert offered == {after for after in BookingState if staff_may_set(state, after)}

    def test_facts_stand_on_a_nairobi_clock(self, noon: datetime) -> None:
        facts = facts_of(booking())
        assert facts["when"] == "Tuesday 24 November 2026, 09:00 to 09:30"
        assert facts["changed"] == ""
        assert facts_of(booking(fullname=""))["fullname"] == "Erased on request"


class TestPhones:
    def test_kenyan_numbers_are_grouped(self) -> None:
        assert dialled("+254712345678") == "+254 712 345 678"
        assert national("+254712345678") == "0712 345 678"

    def test_other_numbers_stay(self) -> None:
        assert dialled("+442079460958") == national("+442079460958") == "+442079460958"
        assert national("") == ""


class TestHistory:
    def test_newest_first_with_times_and_people_in_words(self) -> None:
        booked = line(BookingChange.BOOKED, after=stamp(slot_start(TUESDAY, time(9))))
        moved = line(
            BookingChange.MOVED, stamp(slot_start(TUESDAY, time(9))), stamp(slot_start(TUESDAY, time(11))),
            actor="desk@example.com",
        )  # fmt: skip
        said = [(one.who, one.what) for one in log_of((booked, moved, line("reminded", actor=SYSTEM)))]
        assert said == [
            ("The site", "Reminder sent"),
            ("desk@example.com", "Moved from Tue 24 Nov 2026, 09:00 to Tue 24 Nov 2026, 11:00"),
            ("The client", "Booked for Tue 24 Nov 2026, 09:00"),
        ]

    def test_a_correction_names_the_fields_and_no_values(self) -> None:
        (shown,) = log_of((line(BookingChange.CORRECTED, text="fullname, phone"),))
        assert (shown.what, shown.words) == ("Details corrected: name, phone", "")

    def test_notes_and_reasons_keep_their_words(self) -> None:
        note, gone = log_of((line("cancelled", text="Client travels"), line(NOTE, text="Rang.")))
        assert (note.noted, note.words) == (True, "Rang.")
        assert (gone.noted, gone.words) == (False, "Client travels")

    @given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
    def test_no_line_breaks_the_page(self, what: str, before: str, after: str) -> None:
        assert log_of((line(what, before, after),))
        assert log_of((line(BookingChange.MOVED, before, after, what),))


class TestTyped:
    def test_details_are_put_in_shape(self) -> None:
        given = details_given({"fullname": " Amina  Odhiambo ", "phonenumber": "0712 345 678"})
        assert given == {
            "fullname": "Amina Odhiambo", "emailaddress": "", "phonenumber": "+254712345678", "message": "",
        }  # fmt: skip

    def test_complaints_speak_of_the_client(self) -> None:
        with pytest.raises(InputRejected) as refused:
            details_given({"emailaddress": "nowhere"})
        assert refused.value.by_field() == {
            "fullname": "Please enter the client's full name.",
            "emailaddress": "Please enter a valid e-mail address, such as amina@example.com.",
            "phonenumber": "Please enter the client's phone number.",
        }

    def test_a_chosen_slot_is_a_nairobi_time(self) -> None:
        assert chosen_start({"start": "2026-11-24T09:00"}) == datetime(2026, 11, 24, 6, 0, tzinfo=UTC)

    @pytest.mark.parametrize("typed", ["", "T", "2026-11-24", "2026-13-45T09:00", "2026-11-24T9", "\ud83dT"])
    def test_what_is_no_slot_is_refused_at_the_choice(self, typed: str) -> None:
        with pytest.raises(InputRejected) as refused:
            chosen_start({"start": typed})
        assert set(refused.value.by_field()) == {"start"}


class TestFinder:
    def test_seven_days_are_named(self) -> None:
        assert _week_name(TUESDAY) == "24 to 30 November 2026"
        assert _week_name(date(2026, 12, 28)) == "28 December to 3 January 2027"

    def test_a_slot_says_why_it_cannot_be_had_or_what_is_left(self, noon: datetime) -> None:
        start = slot_start(TUESDAY, time(9))
        states = [SlotState.FREE, SlotState.TAKEN, SlotState.BLACKED_OUT, SlotState.BEGUN]
        slots = tuple(BoardSlot(start, "09:00", 3, 1, state) for state in states)
        shown = _offered_day(BoardDay(TUESDAY, DayKind.OPEN, "", False, "", slots, ()))
        assert [(slot.free, slot.note) for slot in shown.slots] == [
            (True, "2 left"), (False, "taken"), (False, "blackout"), (False, "over"),
        ]  # fmt: skip
        assert shown.slots[0].spoken == "09:00 on Tuesday 24 November, 2 left"

    def test_a_day_without_slots_says_why(self, noon: datetime) -> None:
        holiday = BoardDay(TUESDAY, DayKind.HOLIDAY, "Jamhuri Day", False, "", (), ())
        closed = replace(holiday, kind=DayKind.CLOSED, note="Stocktaking")
        assert [_offered_day(one).note for one in (holiday, closed, replace(closed, note=""))] == [
            "Jamhuri Day", "Stocktaking", "Closed",
        ]  # fmt: skip
