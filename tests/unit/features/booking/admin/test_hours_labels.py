"""How the back office says when bookings are taken, and reads what staff type about it."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.booking.admin.hours_labels import (
    blackout_row,
    choice_values,
    closed_on_holidays,
    coming_holidays,
    moment_typed,
    seats_typed,
    special_typed,
    special_values,
    spoken_choices,
    standing_choices,
    standing_of,
    times_typed,
)
from agency_site.features.booking.business_hours_records import (
    BlackoutRecord,
    ChoicesRecord,
    SpecialDayRecord,
)
from agency_site.features.booking.rules import slot_start

TUESDAY, JAMHURI = date(2026, 11, 24), date(2026, 12, 12)


def special(day: date = TUESDAY, **otherwise: object) -> SpecialDayRecord:
    made = {
        "closed": False,
        "times": ("10:00", "12:00"),
        "capacity": 2,
        "reason": "",
        "version": 1,
        "author": "a@b.ke",
    }
    return SpecialDayRecord(day, **{**made, **otherwise})  # type: ignore[arg-type]


class TestBlackouts:
    def test_within_a_day_the_day_is_said_once(self) -> None:
        begins = slot_start(TUESDAY, time(9))
        short = BlackoutRecord(1, begins, begins + timedelta(hours=3), "", "")
        long = BlackoutRecord(1, begins, begins + timedelta(days=1), "", "")
        assert blackout_row(short).span == "Tue 24 Nov 2026, 09:00 to 12:00"
        assert blackout_row(long).span == "Tue 24 Nov 2026, 09:00 to Wed 25 Nov 2026, 09:00"

    def test_what_the_boxes_send_is_a_nairobi_moment(self) -> None:
        assert moment_typed("ends_at", "2026-11-24T09:30") == datetime(2026, 11, 24, 6, 30, tzinfo=UTC)

    @given(st.text(max_size=30))
    def test_anything_else_is_refused_at_its_field(self, typed: str) -> None:
        with pytest.raises(InputRejected) as refused:
            moment_typed("ends_at", typed)
        assert set(refused.value.by_field()) == {"ends_at"}


class TestSpecialDays:
    def test_they_say_how_they_stand(self) -> None:
        assert standing_of(special()) == "10:00, 12:00, 2 per time"
        assert standing_of(special(times=(), capacity=None)) == "Usual times"
        assert standing_of(special(closed=True)) == "Closed"

    def test_times_stand_with_spaces_or_commas_between(self) -> None:
        assert times_typed(" 09:00,11:00 ;  14:00 ") == ["09:00", "11:00", "14:00"]

    def test_typed_and_stored_compare_alike(self) -> None:
        typed = {"times": "10:00, 12:00", "capacity": " 2", "reason": ""}
        assert special_typed(typed, closed=False) == special_values(special())
        closed = special(closed=True, times=(), capacity=None, reason="Away")
        assert special_typed({**typed, "reason": " Away"}, closed=True) == special_values(closed)
        assert special_values(None)["standing"] == "Like its weekday"

    @pytest.mark.parametrize(("typed", "seats"), [("", None), ("  ", None), ("1", 1), (" 50 ", 50)])
    def test_seats_are_a_number_or_as_usual(self, typed: str, seats: int | None) -> None:
        assert seats_typed("usual", typed) == seats

    @pytest.mark.parametrize("typed", ["0", "51", "-1", "two", "1.5", "9" * 40, "٣"])
    def test_other_seats_are_refused(self, typed: str) -> None:
        with pytest.raises(InputRejected) as refused:
            seats_typed("usual", typed)
        assert set(refused.value.by_field()) == {"usual"}


class TestHolidaysAndChoices:
    def test_holidays_of_the_next_year_say_how_they_stand(self, noon: datetime) -> None:
        shown = {one.date: one for one in coming_holidays([special(JAMHURI)], closed=True)}
        assert min(shown) == JAMHURI.isoformat()
        assert max(shown) <= "2027-11-20"
        assert (shown["2026-12-12"].name, shown["2026-12-12"].standing) == (
            "Jamhuri Day", "10:00, 12:00, 2 per time",
        )  # fmt: skip
        assert shown["2026-12-25"].standing == "Closed"
        assert {one.standing for one in coming_holidays([], closed=False)} == {"Open as on other days"}

    def test_without_choices_the_settings_hold(self) -> None:
        nothing = choice_values(ChoicesRecord(None, None, 0, ""))
        assert spoken_choices(nothing) == {"usual": "As in the settings", "holidays": "As in the settings"}
        assert standing_choices(spoken_choices(nothing)) == {"usual": "1", "holidays": "Closed"}
        assert closed_on_holidays(ChoicesRecord(None, None, 0, ""))

    def test_choices_outrank_them(self) -> None:
        chosen = ChoicesRecord(3, False, 4, "owner@example.com")
        assert standing_choices(spoken_choices(choice_values(chosen))) == {
            "usual": "3", "holidays": "Open as on other days",
        }  # fmt: skip
        assert not closed_on_holidays(chosen)
