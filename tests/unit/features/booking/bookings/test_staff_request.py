"""Input of staff about bookings and business hours: parsed, or rejected at its field."""

from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from agency_site.backoffice.records import parse_fields
from agency_site.errors import InputRejected
from agency_site.features.booking.admin.bookings.record import BOOKINGS, CLIENT_FIELDS
from agency_site.features.booking.business_hours.staff_request import (
    BlackoutRequest,
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.form_input import read_form

PERIOD = {"starts_at": "2026-11-24T08:00", "ends_at": "2026-11-24T09:30"}
DAY = {"day": "2026-11-24", "state": "open"}


def rejected_fields(shape: type[BaseModel], form: dict[str, Any]) -> set[str]:
    with pytest.raises(InputRejected) as error:
        read_form(shape, form)
    return set(error.value.by_field())


def test_the_period_of_a_blackout_is_nairobi_time() -> None:
    request = read_form(BlackoutRequest, {**PERIOD, "reason": " Fire  drill "})
    assert request.ends_at == datetime(2026, 11, 24, 6, 30, tzinfo=UTC)
    assert request.reason == "Fire drill"


@given(st.text(max_size=30))
def test_any_other_text_is_rejected_at_its_field(value: str) -> None:
    assert rejected_fields(BlackoutRequest, {**PERIOD, "ends_at": value}) == {"ends_at"}


def test_times_are_separated_by_spaces_or_commas() -> None:
    request = read_form(ScheduleExceptionRequest, {**DAY, "times": " 14:00,11:00 ;  09:00 "})
    assert request.times == (time(9), time(11), time(14))


def test_times_and_capacity_of_a_closed_day_are_ignored() -> None:
    request = read_form(ScheduleExceptionRequest, {**DAY, "state": "closed", "times": "x", "capacity": "99"})
    assert (request.day, request.closed, request.times, request.capacity) == (
        date(2026, 11, 24),
        True,
        (),
        None,
    )


@pytest.mark.parametrize(("value", "capacity"), [("", None), ("  ", None), ("1", 1), (" 50 ", 50)])
def test_a_capacity_is_a_number_or_empty(value: str, capacity: int | None) -> None:
    assert read_form(PolicyOverridesRequest, {"usual": value}).capacity == capacity


@pytest.mark.parametrize("value", ["0", "51", "-1", "two", "1.5", "9" * 40])
def test_other_capacities_are_rejected(value: str) -> None:
    assert rejected_fields(PolicyOverridesRequest, {"usual": value}) == {"usual"}


@pytest.mark.parametrize(
    ("name", "least", "most"), [("notice_hours", 0, 720), ("buffer_minutes", 0, 240), ("daily_limit", 1, 50)]
)
def test_numbers_of_the_policy_have_a_range(name: str, least: int, most: int) -> None:
    for value, number in (("", None), (str(least), least), (f" {most} ", most)):
        assert getattr(read_form(PolicyOverridesRequest, {name: value}), name) == number
    for value in (str(least - 1), str(most + 1), "two", "1.5", "9" * 40):
        assert rejected_fields(PolicyOverridesRequest, {name: value}) == {name}


@pytest.mark.parametrize(("value", "closed"), [("", None), ("closed", True), ("open", False), ("x", None)])
def test_holidays_are_closed_open_or_follow_the_setting(value: str, closed: bool | None) -> None:
    assert read_form(PolicyOverridesRequest, {"holidays": value}).closed_on_holidays is closed


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"day": "soon"}, "day"),
        ({"times": "9"}, "times"),
        ({"times": "09:00 09:20"}, "times"),
        ({"capacity": "0"}, "capacity"),
        ({"reason": "x" * 201}, "reason"),
    ],
)
def test_errors_of_a_schedule_exception_name_the_field(wrong: dict[str, str], field: str) -> None:
    assert rejected_fields(ScheduleExceptionRequest, {**DAY, **wrong}) == {field}


def test_a_reason_that_is_too_long_is_rejected() -> None:
    cancel = BOOKINGS.find_action("cancel")
    assert cancel
    assert parse_fields(cancel.fields, {"reason": " Is \n ill "})["reason"] == "Is ill"
    assert len(parse_fields(cancel.fields, {"reason": "x" * 500})["reason"]) == 500
    with pytest.raises(InputRejected) as error:
        parse_fields(cancel.fields, {"reason": "x" * 501})
    assert set(error.value.by_field()) == {"reason"}


def test_details_are_normalized() -> None:
    texts = {
        "fullname": " Amina  Odhiambo ",
        "phone": "0712 345 678",
        "email": " ",
        "message": " a\r\nb ",
        "way": "karen",
    }
    assert parse_fields(CLIENT_FIELDS, texts) == {
        "fullname": "Amina Odhiambo", "email": "", "phone": "+254712345678", "message": "a\nb",
        "service": "", "way": "karen",
    }  # fmt: skip


def test_error_messages_name_the_client() -> None:
    with pytest.raises(InputRejected) as error:
        parse_fields(CLIENT_FIELDS, {"email": "nowhere"})
    assert error.value.by_field() == {
        "fullname": "Please enter the client's full name.",
        "phone": "Please enter the client's phone number.",
        "email": "Please enter a valid e-mail address, such as amina@example.com.",
        "way": "Please choose how to meet: in Karen, by phone or by video.",
    }


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"fullname": "x" * 121}, "fullname"),
        ({"fullname": "Win: http://evil.example/claim"}, "fullname"),
        ({"phone": "12"}, "phone"),
        ({"email": f"{'x' * 250}@example.com"}, "email"),
        ({"service": "plumbing"}, "service"),
        ({"way": "pigeon"}, "way"),
        ({"message": "x" * 2001}, "message"),
        ({"message": "a\0b"}, "message"),
    ],
)
def test_wrong_details_are_rejected_at_their_field(wrong: dict[str, str], field: str) -> None:
    sound = {"fullname": "Amina Odhiambo", "phone": "0712 345 678", "way": "phone", "message": "x" * 2000}
    assert parse_fields(CLIENT_FIELDS, sound)
    with pytest.raises(InputRejected) as error:
        parse_fields(CLIENT_FIELDS, sound | wrong)
    assert set(error.value.by_field()) == {field}
