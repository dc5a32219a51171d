"""Which address may subscribe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.newsletter.rules import subscriber_email


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
