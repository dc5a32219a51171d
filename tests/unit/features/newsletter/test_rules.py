"""Which address may subscribe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.newsletter.rules import Interest, Wish, read_wish, subscriber_email


@pytest.mark.parametrize("typed", ["", " ", "\t\n  "])
def test_nothing_typed_is_no_address_and_no_error(typed: str) -> None:
    assert subscriber_email(typed) is None


def test_the_address_is_trimmed_and_lower_case() -> None:
    assert subscriber_email("  Amina@Shop.Example ") == "amina@shop.example"


@pytest.mark.parametrize(
    "typed", ["amina", "amina@", "@shop.example", "a b@shop.example", "a@b@c.example", "a@b\nc.ke"]
)
def test_what_is_no_address_is_refused_beside_its_field(typed: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        subscriber_email(typed)
    assert rejected.value.by_field().keys() == {"email"}


@given(st.text(max_size=80))
def test_any_text_is_blank_refused_or_an_address(typed: str) -> None:
    try:
        found = subscriber_email(typed)
    except InputRejected:
        return
    assert found is None or (found.count("@") == 1 and found == found.strip().lower())


def test_boxes_that_are_ticked_are_interests() -> None:
    form = {
        "email": "amina@shop.example",
        "consent": "on",
        "interest-marketing": "on",
        "interest-analytics": True,
        "interest-seo": False,
        "x": "on",
    }
    assert read_wish(form) == Wish("amina@shop.example", (Interest.MARKETING, Interest.ANALYTICS))


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
        read_wish(form)
    assert rejected.value.by_field().keys() == fields
