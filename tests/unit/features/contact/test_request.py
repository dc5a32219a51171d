"""What the contact form and the plan form take, and what they say when they do not."""

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


def test_a_message_needs_only_what_an_answer_needs() -> None:
    message = read_form(ContactMessage, {"email": " Amina@Shop.example ", "message": "Karibu.\r\nNairobi"})
    assert (message.name, message.subject) == ("", "")
    assert message.email == "Amina@shop.example"
    assert message.message == "Karibu.\nNairobi"


@pytest.mark.parametrize(
    ("field", "typed"),
    [("email", ""), ("email", "amina at shop"), ("message", "  "), ("name", "a" * 121), ("subject", "\x00")],
)
def test_a_message_that_does_not_fit_is_refused_beside_its_field(field: str, typed: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(ContactMessage, MESSAGE | {field: typed})
    assert rejected.value.by_field().keys() == {field}


def test_an_empty_plan_form_names_every_field() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, {})
    assert rejected.value.by_field().keys() == SIGNUP.keys()


@pytest.mark.parametrize("typed", ["mamamboga", "a@b.ke", "http://", "\x00"])
def test_what_is_no_domain_is_refused_beside_its_field(typed: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, SIGNUP | {"domainName": typed})
    assert rejected.value.by_field().keys() == {"domainName"}


@pytest.mark.parametrize("typed", ["", "  ", "New", "rented"])
def test_new_or_existing_must_be_said(typed: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, SIGNUP | {"domainType": typed})
    assert rejected.value.by_field() == {"domainType": "Please say whether the domain is new or existing."}


@pytest.mark.parametrize(("sent", "plan"), [("Pro", "Pro"), ("growth", "Growth"), ("STARTER", "Starter")])
def test_the_plan_is_known_in_any_letter_case(sent: str, plan: str) -> None:
    assert read_form(PlanSignup, SIGNUP | {"plan": sent}).plan == plan


@pytest.mark.parametrize(("field", "typed"), [("plan", "Gold"), ("domainType", "rented"), ("phone", "12345")])
def test_other_choices_are_refused(field: str, typed: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(PlanSignup, SIGNUP | {field: typed})
    assert rejected.value.by_field().keys() == {field}


ANYTHING: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text())
)


@given(st.dictionaries(st.sampled_from(sorted(SIGNUP.keys() | MESSAGE.keys())), ANYTHING))
def test_whatever_is_sent_is_taken_or_refused_and_never_breaks(form: dict[str, Any]) -> None:
    for shape in (ContactMessage, PlanSignup):
        with contextlib.suppress(InputRejected):
            assert read_form(shape, form).model_dump()["email"]


@given(st.text())
def test_a_proposed_subject_is_one_bounded_line(text: str) -> None:
    subject = subject_from_address(text)
    assert len(subject) <= SUBJECT_LENGTH
    assert subject == " ".join(subject.split())
