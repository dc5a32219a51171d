"""Validation of the subscription forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.newsletter.request import ConsentedSubscription, Subscription
from agency_site.features.newsletter.rules import Interest
from agency_site.form_input import read_form


def read_email(value: object) -> str:
    return read_form(Subscription, {"email": value}).email


@pytest.mark.parametrize("value", ["", " ", "\t\n  "])
def test_nothing_typed_is_no_address_and_no_error(value: str) -> None:
    assert read_email(value) == ""


def test_the_address_is_trimmed_and_lower_case() -> None:
    assert read_email("  Amina@Shop.Example ") == "amina@shop.example"


@pytest.mark.parametrize(
    "value", ["amina", "amina@", "@shop.example", "a b@shop.example", "a@b@c.example", "a@b\nc.ke"]
)
def test_what_is_no_address_is_refused_beside_its_field(value: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_email(value)
    assert rejected.value.by_field().keys() == {"email"}


@given(st.text(max_size=80))
def test_any_text_is_blank_rejected_or_an_address(value: str) -> None:
    try:
        email = read_email(value)
    except InputRejected:
        return
    assert email == "" or (email.count("@") == 1 and email == email.strip().lower())


def test_ticked_checkboxes_are_interests() -> None:
    form = {
        "email": "amina@shop.example",
        "consent": "on",
        "interest-marketing": "on",
        "interest-analytics": True,
        "interest-seo": False,
        "x": "on",
    }
    subscription = read_form(ConsentedSubscription, form)
    assert subscription.email == "amina@shop.example"
    assert subscription.interests == (Interest.MARKETING, Interest.ANALYTICS)


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ({}, {"email", "consent"}),
        ({"email": "amina@shop.example"}, {"consent"}),
        ({"email": "  ", "consent": "on"}, {"email"}),
        ({"email": "amina", "consent": "on"}, {"email"}),
        ({"email": None, "consent": False}, {"email", "consent"}),
    ],
)
def test_the_newsletter_page_needs_an_address_and_consent(form: dict[str, object], fields: set[str]) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_form(ConsentedSubscription, form)
    assert rejected.value.by_field().keys() == fields
