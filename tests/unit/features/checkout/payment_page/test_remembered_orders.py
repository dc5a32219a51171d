"""The orders that a browser remembers, even if a visitor has changed the stored text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.checkout.payment_page.remembered_orders import (
    MOST_COURSES,
    add_token,
    parse_tokens,
    remove_token,
)


def test_each_course_has_its_newest_order_and_the_newest_of_all_comes_last() -> None:
    stored = ""
    for slug, token in (("google-ads", "one"), ("meta-ads", "two"), ("google-ads", "three")):
        stored = add_token(stored, slug, token)
    assert list(parse_tokens(stored).items()) == [("meta-ads", "two"), ("google-ads", "three")]
    assert parse_tokens(remove_token(stored, "google-ads")) == {"meta-ads": "two"}
    assert remove_token(remove_token(stored, "google-ads"), "meta-ads") == ""


def test_the_oldest_courses_are_dropped() -> None:
    stored = ""
    for number in range(2 * MOST_COURSES):
        stored = add_token(stored, f"course-{number}", "token")
    assert len(parse_tokens(stored)) == MOST_COURSES
    assert f"course-{2 * MOST_COURSES - 1}" in parse_tokens(stored)


@pytest.mark.parametrize("stored", ["", "{", "7", "[]", '{"a": 7}', '{"a": ""}', json.dumps({"a": "x" * 65})])
def test_values_that_are_not_tokens_are_dropped(stored: str) -> None:
    assert parse_tokens(stored) == {}


@given(st.text())
def test_a_token_can_be_added_to_any_stored_text(stored: str) -> None:
    assert parse_tokens(add_token(stored, "google-ads", "token"))["google-ads"] == "token"
