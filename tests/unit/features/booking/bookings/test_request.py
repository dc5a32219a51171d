"""Validation of a visitor's booking request."""

from collections.abc import Callable
from datetime import date, time
from typing import Any

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agency_site.backoffice.records import parse_fields
from agency_site.errors import InputRejected, rejection
from agency_site.features.booking.admin.bookings.record import CLIENT_FIELDS
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.form_input import parse_date, read_form
from agency_site.form_input import phone_number as e164

SOUND = {
    "fullname": "Amina Odhiambo",
    "emailaddress": "amina@example.com",
    "phonenumber": "0712 345 678",
    "message": "A new website, please.",
    "date": "2026-11-24",
    "time": "11:00",
}


def messages_of(form: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as invalid:
        BookingRequest.model_validate(form)
    return rejection("", invalid.value).by_field()


def test_a_sound_request_is_parsed_and_trimmed() -> None:
    request = BookingRequest.model_validate(
        SOUND
        | {"fullname": "  Amina \t Odhiambo ", "emailaddress": " Amina@EXAMPLE.com ", "message": " a\r\nb "}
    )
    assert (request.fullname, request.emailaddress, request.phonenumber) == (
        "Amina Odhiambo",
        "Amina@example.com",
        "+254712345678",
    )
    assert (request.message, request.date, request.time) == ("a\nb", date(2026, 11, 24), time(11))


@pytest.mark.parametrize("form", [{}, dict.fromkeys(SOUND), dict.fromkeys(SOUND, " ")])
def test_a_missing_field_has_a_plain_message(form: dict[str, object]) -> None:
    assert messages_of(form) == {
        "fullname": "Please enter your full name.",
        "emailaddress": "Please enter your e-mail address.",
        "phonenumber": "Please enter your phone number.",
        "date": "Please choose a date, written as in 2026-11-24.",
        "time": "Please choose a time, written as in 09:00.",
    }


def test_the_message_may_be_left_out() -> None:
    assert BookingRequest.model_validate({k: v for k, v in SOUND.items() if k != "message"}).message == ""
    assert BookingRequest.model_validate(SOUND | {"message": None}).message == ""


@pytest.mark.parametrize(
    ("field", "limit"), [("fullname", 120), ("emailaddress", 254), ("phonenumber", 32), ("message", 2000)]
)
def test_each_text_has_a_limit(field: str, limit: int) -> None:
    assert f"at most {limit:,} characters" in messages_of(SOUND | {field: "x" * (limit + 1)})[field]


@pytest.mark.parametrize("field", ["fullname", "emailaddress", "phonenumber", "message"])
@pytest.mark.parametrize("value", [7, [], {}, True, "a\0b", "a\ud800b", "a\x1bb"])
def test_characters_that_no_database_or_mail_can_store_are_rejected(field: str, value: object) -> None:
    assert list(messages_of(SOUND | {field: value})) == [field]


@pytest.mark.parametrize(
    "email",
    [
        "amina",
        "amina@",
        "@example.com",
        "a b@example.com",
        "a@b",
        "a@example.com\nBcc: x@example.com",
        "ü@x.ke",
    ],
)
def test_an_unreachable_address_is_rejected(email: str) -> None:
    assert messages_of(SOUND | {"emailaddress": email}) == {
        "emailaddress": "Please enter a valid e-mail address, such as amina@example.com."
    }


def test_a_foreign_domain_is_kept_in_its_ascii_form() -> None:
    request = BookingRequest.model_validate(SOUND | {"emailaddress": "a@bücher.example"})
    assert request.emailaddress == "a@xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("0712345678", "+254712345678"),
        ("712 345 678", "+254712345678"),
        ("254-712-345-678", "+254712345678"),
        ("+254 (0)712 345678", "+254712345678"),
        ("00254 712 345678", "+254712345678"),
        ("0110 123456", "+254110123456"),
        ("020 2222222", "+254202222222"),
        ("+44 20 7946 0958", "+442079460958"),
        ("0044 20 7946 0958", "+442079460958"),
    ],
)
def test_usual_notations_of_phone_numbers_are_accepted(value: str, stored: str) -> None:
    assert e164(value) == stored


@pytest.mark.parametrize("value", ["12", "0712", "+999 123 456 789", "telephone", "0712 345 678 9012", "++"])
def test_an_invalid_number_is_rejected(value: str) -> None:
    with pytest.raises(ValueError, match="valid phone number"):
        e164(value)


REGIONS = sorted(phonenumbers.SUPPORTED_REGIONS)


@pytest.mark.parametrize("region", REGIONS)
def test_every_country_may_book(region: str) -> None:
    example = phonenumbers.example_number(region)
    assert example is not None
    stored = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
    for shape in (phonenumbers.PhoneNumberFormat.E164, phonenumbers.PhoneNumberFormat.INTERNATIONAL):
        assert e164(phonenumbers.format_number(example, shape)) == stored


@given(st.text(max_size=32))
def test_any_text_is_a_phone_number_or_is_rejected(value: str) -> None:
    try:
        stored = e164(value)
    except ValueError:
        return
    assert e164(stored) == stored
    assert len(stored) <= 16


@given(
    st.dictionaries(
        st.sampled_from(sorted(SOUND)), st.none() | st.text() | st.integers() | st.lists(st.text())
    )
)
def test_no_input_breaks_the_form(form: dict[str, object]) -> None:
    fields: set[str] = set()
    try:
        BookingRequest.model_validate(SOUND | form)
    except ValidationError as invalid:
        fields = set(rejection("", invalid).by_field())
    assert fields <= set(form)


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-30",
        "24/11/2026",
        "20261124",
        "0001-01-01",
        "9999-12-31",
        "\uff12\uff10\uff12\uff16-11-24",
        "",
        None,
        5,
    ],
)
def test_only_real_dates_of_this_era_are_accepted(value: object) -> None:
    with pytest.raises(ValueError, match="Please choose a date"):
        parse_date(value)


@pytest.mark.parametrize("value", ["9:00", "24:00", "11:60", "11:00:00", "noon", "", None, 9])
def test_only_times_of_day_are_accepted(value: object) -> None:
    assert list(messages_of(SOUND | {"time": value})) == ["time"]


def read_request(value: str) -> object:
    form = {"fullname": value, "emailaddress": value, "phonenumber": value, "message": value}
    return read_form(ClientBookingRequest, form)


def read_details(value: str) -> object:
    form = {"fullname": value, "email": value, "phone": value, "message": value, "way": "karen"}
    return parse_fields(CLIENT_FIELDS, form)


@pytest.mark.parametrize("read", [read_request, read_details])
@pytest.mark.parametrize("value", ["", "x" * 3_000])
def test_error_messages_for_staff_name_the_client(read: Callable[[str], object], value: str) -> None:
    with pytest.raises(InputRejected) as refused:
        read(value)
    assert "fullname" in refused.value.by_field()
    assert "your" not in " ".join(refused.value.by_field().values()).casefold()
