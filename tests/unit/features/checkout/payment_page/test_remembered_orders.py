"""What a browser keeps of its orders, whatever somebody has made of it."""

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
    kept = ""
    for slug, token in (("google-ads", "one"), ("meta-ads", "two"), ("google-ads", "three")):
        kept = add_token(kept, slug, token)
    assert list(parse_tokens(kept).items()) == [("meta-ads", "two"), ("google-ads", "three")]
    assert parse_tokens(remove_token(kept, "google-ads")) == {"meta-ads": "two"}
    assert remove_token(remove_token(kept, "google-ads"), "meta-ads") == ""


def test_no_more_than_a_few_courses_are_kept() -> None:
    kept = ""
    for number in range(2 * MOST_COURSES):
        kept = add_token(kept, f"course-{number}", "token")
    assert len(parse_tokens(kept)) == MOST_COURSES
    assert f"course-{2 * MOST_COURSES - 1}" in parse_tokens(kept)


@pytest.mark.parametrize("stored", ["", "{", "7", "[]", '{"a": 7}', '{"a": ""}', json.dumps({"a": "x" * 65})])
def test_what_is_no_token_is_dropped(stored: str) -> None:
    assert parse_tokens(stored) == {}


@given(st.text())
def test_any_text_can_be_read_and_added_to(stored: str) -> None:
    assert parse_tokens(add_token(stored, "google-ads", "token"))["google-ads"] == "token"
