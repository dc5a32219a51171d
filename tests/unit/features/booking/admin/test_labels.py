"""Labels of bookings and their events in the back office."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.backoffice.lists.definition import Column
from agency_site.backoffice.records import HistoryLine, _history_lines, parse_fields
from agency_site.db.event_log import SYSTEM, VISITOR, LoggedEvent, describe_edit
from agency_site.errors import InputRejected
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.admin.bookings.slot_finder import _offered_day, _week_name, parse_start
from agency_site.features.booking.admin.labels import state_cell
from agency_site.features.booking.bookings.rules import NOTE, BookingChange, BookingState, can_staff_set
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.calendar.schedule import ScheduleDay, ScheduleSlot
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.schedule.rules import serialize_start, slot_start
from agency_site.features.booking.schedule.slots import DayKind, SlotState

TUESDAY = date(2026, 11, 24)
MADE = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def booking(**otherwise: object) -> Booking:
    values: dict[str, Any] = {
        "id": 1, "reference": "BK-7F3K9Q", "state": BookingState.CONFIRMED, "fullname": "Amina Odhiambo",
        "email": "amina@example.com", "phone": "+254712345678", "message": "", "starts_at": slot_start(TUESDAY, time(9)),
        "minutes": 30, "seat": 0, "version": 1, "created_at": MADE, "updated_at": MADE,
    }  # fmt: skip
    return Booking(**values | otherwise)


def state_of(row: Booking) -> str:
    assert BOOKINGS.state
    return BOOKINGS.state(row).text


def fact(row: Booking, key: str) -> str:
    """Return the text of a fact of the page that is no field."""
    return next(
        each.cell(row).text for each in BOOKINGS.facts if isinstance(each, Column) and each.key == key
    )


def describe_history(events: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """Return the history of the page, newest first."""
    return list(_history_lines(BOOKINGS, reversed(events)))


def line(what: str, before: str = "", after: str = "", text: str = "", actor: str = VISITOR) -> LoggedEvent:
    return LoggedEvent(MADE, actor, what, before, after, text)


class TestState:
    def test_a_confirmed_booking_needs_an_outcome_once_its_half_hour_is_over(self, noon: datetime) -> None:
        assert state_cell(BookingState.CONFIRMED, noon + timedelta(minutes=1)).text == "Confirmed"
        assert state_cell(BookingState.CONFIRMED, noon).text == "Needs an outcome"
        assert state_cell(BookingState.COMPLETED, noon - timedelta(days=3)).text == "Completed"

    def test_a_booking_lasts_as_long_as_when_it_was_booked(self, noon: datetime) -> None:
        long = booking(starts_at=noon - timedelta(minutes=45), minutes=60)
        assert BOOKINGS.heading(long)[1] == "Friday 20 November 2026, 11:15 to 12:15"
        assert state_of(long) == "Confirmed"

    def test_possible_actions_follow_state_and_time(self, noon: datetime) -> None:
        past = noon - timedelta(hours=3)
        assert BOOKINGS.list_possible(booking()) == ["edit", "move", "assign", "cancel"]
        assert BOOKINGS.list_possible(booking(starts_at=past)) == [
            "edit", "complete", "no_show", "move", "assign", "cancel",
        ]  # fmt: skip
        assert BOOKINGS.list_possible(booking(state=BookingState.CANCELLED)) == ["edit", "reinstate"]
        assert BOOKINGS.list_possible(booking(state=BookingState.COMPLETED)) == ["edit", "no_show"]
        assert BOOKINGS.list_possible(booking(state=BookingState.NO_SHOW)) == ["edit", "complete"]
        assert BOOKINGS.list_possible(booking(state=BookingState.CANCELLED, fullname="")) == []
        assert BOOKINGS.list_possible(booking(fullname="")) == ["cancel"]

    @pytest.mark.parametrize("state", list(BookingState))
    def test_only_actions_that_the_rules_allow_are_possible(
        self, noon: datetime, state: BookingState
    ) -> None:
        leads = {
            "cancel": BookingState.CANCELLED, "complete": BookingState.COMPLETED, "no_show": BookingState.NO_SHOW,
            "reinstate": BookingState.CONFIRMED,
        }  # fmt: skip
        possible = BOOKINGS.list_possible(booking(state=state, starts_at=noon))
        assert {leads[step] for step in possible if step in leads} == {
            after for after in BookingState if can_staff_set(state, after)
        }

    def test_times_are_nairobi_times(self, noon: datetime) -> None:
        assert BOOKINGS.heading(booking()) == (
            "Amina Odhiambo", "Tuesday 24 November 2026, 09:00 to 09:30",
        )  # fmt: skip
        assert fact(booking(), "booked") == "Wed 18 Nov 2026, 12:00"
        assert fact(booking(), "changed") == ""
        assert fact(booking(updated_at=MADE + timedelta(hours=1)), "changed") == "Wed 18 Nov 2026, 13:00"
        assert BOOKINGS.heading(booking(fullname=""))[0] == "Erased"

    def test_a_dialog_says_where_a_notice_to_a_client_without_an_address_goes(self, noon: datetime) -> None:
        notice = " No e-mail address: an SMS goes to 0712 345 678, if it is a Kenyan mobile."
        for key in ("move", "assign", "cancel", "reinstate"):
            action = BOOKINGS.find_action(key)
            assert action
            assert callable(action.question)
            texts = [
                action.question(row)
                for row in (booking(), booking(email=""), booking(fullname="", email="", phone=""))
            ]
            assert texts == [texts[0], texts[0] + notice, texts[0]]


class TestHistory:
    def test_the_newest_event_is_first_with_its_time_and_actor(self) -> None:
        booked = line(BookingChange.BOOKED, after=serialize_start(slot_start(TUESDAY, time(9))))
        moved = line(
            BookingChange.MOVED, serialize_start(slot_start(TUESDAY, time(9))), serialize_start(slot_start(TUESDAY, time(11))),
            actor="desk@example.com",
        )  # fmt: skip
        entries = [
            (entry.who, entry.what)
            for entry in describe_history((booked, moved, line("reminded", actor=SYSTEM)))
        ]
        assert entries == [
            ("System", "Reminder sent"),
            ("desk@example.com", "Moved from Tue 24 Nov 2026, 09:00 to Tue 24 Nov 2026, 11:00"),
            ("The client", "Booked for Tue 24 Nov 2026, 09:00"),
        ]

    def test_an_edit_names_old_and_new_values(self) -> None:
        edit = describe_edit(
            {"phone": "+254733111222", "email": "", "fullname": "A: B"},
            {"phone": "+254711000111", "email": "a@b.example", "fullname": "A: C"},
        )
        (entry,) = describe_history((line(BookingChange.CORRECTED, text=edit),))
        assert entry.what == "Details edited: phone, e-mail, name"
        assert entry.words.splitlines() == [
            "Phone: 0733 111 222 → 0711 000 111",
            "E-mail: empty → a@b.example",
            "Name: A: B → A: C",
        ]

    def test_an_edit_names_choices_and_the_consultant_in_words(self) -> None:
        edit = describe_edit(
            {"service": "", "way": Way.KAREN, "person": "Wanjiru"},
            {"service": "web-design", "way": Way.VIDEO, "person": "Brian"},
        )
        (entry,) = describe_history((line(BookingChange.CORRECTED, text=edit),))
        assert entry.what == "Details edited: service, how, consultant"
        assert entry.words.splitlines() == [
            "Service: empty → Web Design & Development",
            "How: In Karen → By video",
            "Consultant: Wanjiru → Brian",
        ]

    def test_an_edit_from_before_values_were_stored_names_the_fields(self) -> None:
        (entry,) = describe_history((line(BookingChange.CORRECTED, text="fullname, phone"),))
        assert (entry.what, entry.words) == ("Details edited: name, phone", "")

    def test_notes_and_reasons_are_shown_unchanged(self) -> None:
        note, cancellation = describe_history(
            (line("cancelled", text="Client travels"), line(NOTE, text="Rang."))
        )
        assert (note.noted, note.words) == (True, "Rang.")
        assert (cancellation.noted, cancellation.words) == (False, "Client travels")

    @given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
    def test_no_stored_event_breaks_the_page(self, what: str, before: str, after: str) -> None:
        assert describe_history((line(what, before, after),))
        assert describe_history((line(BookingChange.MOVED, before, after, what),))


class TestChosenStart:
    def test_a_chosen_slot_is_a_nairobi_time(self) -> None:
        assert parse_start("2026-11-24T09:00") == datetime(2026, 11, 24, 6, 0, tzinfo=UTC)

    @pytest.mark.parametrize("start", ["", "T", "2026-11-24", "2026-13-45T09:00", "2026-11-24T9", "\ud83dT"])
    def test_an_invalid_start_is_rejected_at_its_field(self, start: str) -> None:
        action = BOOKINGS.find_action("move")
        assert action
        with pytest.raises(InputRejected) as refused:
            parse_fields(action.fields, {"start": start})
        assert refused.value.by_field() == {"start": "Please choose one of the free times."}


class TestFinder:
    def test_a_week_is_named_by_its_first_and_last_day(self) -> None:
        assert _week_name(TUESDAY) == "24 to 30 November 2026"
        assert _week_name(date(2026, 12, 28)) == "28 December to 3 January 2027"

    def test_a_slot_shows_why_it_is_unavailable_or_how_many_seats_are_left(self, noon: datetime) -> None:
        start = slot_start(TUESDAY, time(9))
        states = [SlotState.FREE, SlotState.TAKEN, SlotState.BUSY, SlotState.BLACKED_OUT, SlotState.BEGUN]
        slots = tuple(ScheduleSlot(start, "09:00", 3, 1, state, seats_left=2) for state in states)
        day = _offered_day(ScheduleDay(TUESDAY, DayKind.OPEN, "", False, "", slots, ()))
        assert [(slot.free, slot.note) for slot in day.slots] == [
            (True, "2 left"), (False, "taken"), (False, "busy"), (False, "blackout"), (False, "past"),
        ]  # fmt: skip
        assert day.slots[0].label == "09:00 on Tuesday 24 November, 2 left"

    def test_a_day_without_slots_shows_why(self, noon: datetime) -> None:
        holiday = ScheduleDay(TUESDAY, DayKind.HOLIDAY, "Jamhuri Day", False, "", (), ())
        closed = replace(holiday, kind=DayKind.CLOSED, note="Stocktaking")
        assert [_offered_day(day).note for day in (holiday, closed, replace(closed, note=""))] == [
            "Jamhuri Day", "Stocktaking", "Closed",
        ]  # fmt: skip
