"""Validation of the contact form and the plan sign-up form."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.contact.request import (
    SUBJECT_LENGTH,
    ContactMessage,
    PlanSignup,
    subject_from_address,
)
from agency_site.form_input import read_form

MESSAGE = {"name": "Amina", "email": "amina@shop.example", "subject": "A stall", "message": "Karibu."}
SIGNUP = {
    "fullName": "Amina Odhiambo", "email": "amina@shop.example", "phone": "0712 345 678",
    "domainType": "new", "domainName": "mamamboga.co.ke", "plan": "Growth",
}  # fmt: skip


def test_a_message_needs_only_an_email_and_a_text() -> None:
    message = read_form(ContactMessage, {"email": " Amina@Shop.example ", "message": "Karibu.\r\nNairobi"})
    assert (message.name, message.subject) == ("", "")
    assert message.email == "Amina@shop.example"
    assert message.message == "Karibu.\nNairobi"


@pytest.mark.parametrize(
    ("field", "value"),
    [("email", ""), ("email", "amina at shop"), ("message", "  "), ("name", "a" * 121), ("subject", "\x00")],
)
def test_an_invalid_field_of_a_message_is_reported_at_that_field(field: str, value: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(ContactMessage, MESSAGE | {field: value})
    assert rejected.value.by_field().keys() == {field}


def test_an_empty_plan_form_names_every_field() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, {})
    assert rejected.value.by_field().keys() == SIGNUP.keys()


@pytest.mark.parametrize("value", ["mamamboga", "a@b.ke", "http://", "\x00"])
def test_an_invalid_domain_is_reported_at_its_field(value: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, SIGNUP | {"domainName": value})
    assert rejected.value.by_field().keys() == {"domainName"}


@pytest.mark.parametrize("value", ["", "  ", "New", "rented"])
def test_a_domain_must_be_new_or_existing(value: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, SIGNUP | {"domainType": value})
    assert rejected.value.by_field() == {"domainType": "Please say whether the domain is new or existing."}


@pytest.mark.parametrize(("entered", "plan"), [("Pro", "Pro"), ("growth", "Growth"), ("STARTER", "Starter")])
def test_the_plan_is_found_in_upper_and_lower_case(entered: str, plan: str) -> None:
    assert read_form(PlanSignup, SIGNUP | {"plan": entered}).plan == plan


@pytest.mark.parametrize(("field", "value"), [("plan", "Gold"), ("domainType", "rented"), ("phone", "12345")])
def test_values_outside_the_choices_are_rejected(field: str, value: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, SIGNUP | {field: value})
    assert rejected.value.by_field().keys() == {field}


ANYTHING: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text())
)


@given(st.dictionaries(st.sampled_from(sorted(SIGNUP.keys() | MESSAGE.keys())), ANYTHING))
def test_any_input_is_accepted_or_rejected_without_another_error(form: dict[str, Any]) -> None:
    for shape in (ContactMessage, PlanSignup):
        with contextlib.suppress(InputRejected):
            assert read_form(shape, form).model_dump()["email"]


@given(st.text())
def test_a_proposed_subject_is_one_line_of_limited_length(text: str) -> None:
    subject = subject_from_address(text)
    assert len(subject) <= SUBJECT_LENGTH
    assert subject == " ".join(subject.split())
