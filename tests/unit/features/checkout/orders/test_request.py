from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agency_site.errors import InputRejected, rejection
from agency_site.features.checkout.orders.request import CheckoutRequest, Enrollee, parse_contact_phone
from agency_site.form_input import read_form
from tests.example_records import FREE_COURSE, PAID_COURSE

SOUND = {
    "firstName": "Amina",
    "lastName": "Wanjirũ",
    "email": "amina@example.com",
    "phone": "0712 345 678",
    "courseName": PAID_COURSE.payment_name,
    "amount": PAID_COURSE.payment_price,
}


def problems(**changes: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as invalid:
        CheckoutRequest.model_validate({**SOUND, **changes})
    return rejection("", invalid.value).by_field()


def test_the_six_fields_of_the_specification_are_enough() -> None:
    request = CheckoutRequest.model_validate(SOUND)
    assert (request.quote(250_000).quantity, request.payer()) == (1, "254712345678")


def test_names_are_trimmed_and_the_address_is_brought_to_one_form() -> None:
    request = CheckoutRequest.model_validate(
        {**SOUND, "firstName": "  Amina \t Njeri ", "email": " amina@EXAMPLE.com "}
    )
    assert (request.first_name, request.email) == ("Amina Njeri", "amina@example.com")


def test_every_empty_field_has_its_own_message() -> None:
    with pytest.raises(ValidationError) as invalid:
        CheckoutRequest.model_validate({"amount": 15_000, "firstName": None, "email": "  "})
    assert rejection("", invalid.value).by_field() == {
        "firstName": "Please enter your first name.",
        "lastName": "Please enter your last name, or tick “I have one name”.",
        "email": "Please enter your e-mail address.",
        "phone": "Please enter your phone number.",
        "courseName": "Please choose a course.",
    }


@pytest.mark.parametrize("text", ["", " ", "-", ".", "\u2013", "\u200b", None])
def test_an_empty_last_name_needs_the_tick_of_a_person_with_one_name(text: str | None) -> None:
    body = {name: value for name, value in SOUND.items() if name != "lastName"}
    body |= {} if text is None else {"lastName": text}
    for untick in ({}, {"oneName": ""}, {"oneName": False}, {"oneName": None}):
        with pytest.raises(InputRejected) as rejected:
            read_form(Enrollee, {**body, **untick})
        assert rejected.value.by_field().keys() == {"lastName"}
    for tick in ("yes", "on", True):
        assert read_form(Enrollee, {**body, "oneName": tick}).last_name == ""


@pytest.mark.parametrize("text", ["Odhiambo", "www.evil.example", "a" * 81, ["Odhiambo"]])
def test_the_tick_of_one_name_leaves_the_last_name_empty(text: object) -> None:
    assert read_form(Enrollee, {**SOUND, "lastName": text, "oneName": "yes"}).last_name == ""


def test_a_tick_that_is_none_is_named() -> None:
    assert set(problems(oneName="maybe")) == {"oneName"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("firstName", "a" * 81),
        ("firstName", ["Amina"]),
        ("lastName", "Od\x00hiambo"),
        ("lastName", "\ud800"),
        ("email", "amina"),
        ("email", "amina@example.com\r\nBcc: all@example.com"),
        ("email", "amina@"),
        ("phone", "7" * 33),
        ("amount", True),
        ("amount", -1),
        ("amount", 15_000.5),
        ("amount", 10**40),
        ("amount", "fifteen"),
        ("amount", None),
        ("quantity", 0),
        ("quantity", -3),
        ("quantity", 1.5),
        ("quantity", True),
        ("quantity", 10**30),
    ],
)
def test_what_does_not_fit_is_named(field: str, value: object) -> None:
    assert set(problems(**{field: value})) == {field}


def test_an_unknown_course_is_refused_by_name() -> None:
    request = CheckoutRequest.model_validate({**SOUND, "courseName": "Basket Weaving"})
    with pytest.raises(InputRejected) as refused:
        request.quote(250_000)
    assert refused.value.errors[0].field == "courseName"


@given(
    st.dictionaries(
        st.sampled_from([*SOUND, "quantity", "extra"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text(), max_size=2),
    )
)
def test_whatever_is_sent_is_judged_and_never_breaks(body: dict[str, Any]) -> None:
    try:
        CheckoutRequest.model_validate({**SOUND, **body}).quote(250_000)
    except (ValidationError, InputRejected):
        return


def test_a_contact_may_live_anywhere_and_is_kenyan_without_a_country() -> None:
    assert parse_contact_phone("0712 345 678") == "+254712345678"
    assert parse_contact_phone("+44 20 7946 0958") == "+442079460958"
    with pytest.raises(InputRejected):
        parse_contact_phone("12")


def test_a_free_course_needs_no_amount() -> None:
    free = {name: value for name, value in SOUND.items() if name != "amount"}
    enrollee = Enrollee.model_validate({**free, "courseName": FREE_COURSE.payment_name})
    assert enrollee.course().free
