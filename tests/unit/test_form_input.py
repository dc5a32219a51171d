"""What people type: trimmed, checked, with one plain message for each error."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from agency_site.errors import InputRejected
from agency_site.form_input import (
    CHECK_FIELDS,
    EmailAddress,
    FullName,
    InputModel,
    PhoneNumber,
    email_address,
    field_text,
    fold,
    is_address,
    line,
    phone_number,
    read_form,
    search_text,
    search_words,
    text,
)


class Sample(InputModel):
    """A form with one field of each kind."""

    model_config = ConfigDict(alias_generator=to_camel)
    full_name: FullName
    email: EmailAddress
    phone: PhoneNumber
    places: int = 1


def messages(given_values: object) -> dict[str, str]:
    """The message of each field."""
    with pytest.raises(ValidationError) as refused:
        Sample.model_validate(given_values)
    return {
        str(error["loc"][-1]): error["msg"].removeprefix("Value error, ") for error in refused.value.errors()
    }


@pytest.mark.parametrize(
    "nothing",
    [{}, {"fullName": None, "email": None, "phone": None}, {"fullName": " ", "email": "", "phone": "\n"}],
)
def test_missing_null_and_blank_are_asked_for_in_the_same_words(nothing: dict[str, object]) -> None:
    assert messages(nothing) == {
        "fullName": "Please enter your full name.",
        "email": "Please enter your e-mail address.",
        "phone": "Please enter your phone number.",
    }


def test_values_are_trimmed_and_normalised() -> None:
    sample = Sample.model_validate(
        {"fullName": "  Amina \n Odhiambo ", "email": "Amina@EXAMPLE.com", "phone": "0712 345-678"}
    )
    assert (sample.full_name, sample.email, sample.phone) == (
        "Amina Odhiambo",
        "Amina@example.com",
        "+254712345678",
    )


@pytest.mark.parametrize(
    "raw", ["0712345678", "+254 712 345 678", "00254712345678", "712345678", "254712345678"]
)
def test_kenyan_numbers_need_no_country_code(raw: str) -> None:
    assert phone_number(raw) == "+254712345678"


def test_numbers_from_abroad_are_kept() -> None:
    assert phone_number("+44 20 7946 0958") == "+442079460958"


@pytest.mark.parametrize("wrong", ["12345", "phone", "+254 7", "0712 345 67"])
def test_what_is_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="valid phone number"):
        phone_number(wrong)


def test_a_control_character_is_refused_and_a_new_line_is_not() -> None:
    assert text("one\r\ntwo", "Your message", 20) == "one\ntwo"
    with pytest.raises(ValueError, match="cannot be used"):
        text("one\x00two", "Your message", 20)


def test_length_is_counted_after_trimming() -> None:
    assert line(" " * 50 + "abc", "It", 3) == "abc"
    with pytest.raises(ValueError, match="at most 3 characters"):
        line("abcd", "It", 3)


@given(st.one_of(st.none(), st.integers(), st.text(), st.lists(st.text()), st.binary()))
def test_anything_at_all_is_either_taken_or_refused(value: object) -> None:
    for parse in (email_address, phone_number):
        with contextlib.suppress(ValueError):
            assert parse(value)


def test_a_search_finds_names_without_accents_and_phones_as_people_dial_them() -> None:
    assert search_text("BK-7F3K9Q", "Wanjirũ  Mbũthia", "+254712345678") == (
        "bk-7f3k9q wanjiru mbuthia +254712345678 0712345678"
    )
    assert fold("  ÉMILE\tOtieno ") == "emile otieno"


@pytest.mark.parametrize("hostile", ["\ufdfa", "\U0001f600", "a"])
def test_what_is_searched_fits_into_an_index_of_postgresql(hostile: str) -> None:
    assert 600 <= len(search_text("BK-7F3K9Q", hostile * 900).encode()) <= 2_700


def test_a_form_of_one_box_names_it_when_it_refuses() -> None:
    assert field_text(" One.\r\nTwo. ", "why", "The reason", 20) == "One.\nTwo."
    assert field_text("", "why", "The reason", 20) == ""
    for raw, complaint in (("", "Say why."), ("a" * 21, "The reason may have at most 20 characters.")):
        with pytest.raises(InputRejected) as refused:
            field_text(raw, "why", "The reason", 20, "Say why.")
        assert refused.value.by_field() == {"why": complaint}


@pytest.mark.parametrize(("said", "message"), [((), CHECK_FIELDS), (("Not so.",), "Not so.")])
def test_an_invalid_form_is_refused_with_a_message_for_each_field(
    said: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputRejected) as refused:
        read_form(Sample, {"fullName": "Amina Odhiambo", "phone": "0712 345 678"}, *said)
    assert refused.value.message == message
    assert refused.value.by_field() == {"email": "Please enter your e-mail address."}


@pytest.mark.parametrize(
    "raw",
    ["0712345678", "0712 345 678", "0712-345-678", "(0712) 345.678", "+254712345678", "+254 712 345 678", "254712345678",
     "00254 712 345678", "+254 (0) 712 345678", "712345678", "\uff10712345678", "+254\u2011712\u2011345\u2011678"],
)  # fmt: skip
def test_a_phone_number_is_looked_for_however_it_is_written(raw: str) -> None:
    stored = search_text("BK-7F3K9Q", "Amina Otieno", "+254712345678")
    assert search_words(f"{raw} otieno") == ["712345678", "otieno"]
    assert all(word in stored for word in search_words(raw))


@pytest.mark.parametrize("raw", ["+44 20 7946 0958", "0044 20 7946 0958", "020 7946 0958", "442079460958"])
def test_a_search_finds_a_number_from_abroad(raw: str) -> None:
    assert all(word in search_text("+442079460958") for word in search_words(raw))


def test_an_address_has_a_mailbox_and_a_domain() -> None:
    addresses = ["amina@example.com", "amina@example.co.ke"]
    parts = ["amina@", "@example.com", "amina@example", "amina", "a@b@c.ke", "a@.ke"]
    assert [word for word in addresses + parts if is_address(word)] == addresses


@pytest.mark.parametrize(
    "raw", ["bk-234567", "0712345678@example.com", "amina1234567", "2026-11-20", "0712", "1234567890123456"]
)
def test_what_is_no_whole_phone_number_stays_as_it_is(raw: str) -> None:
    assert search_words(raw) == [raw]
