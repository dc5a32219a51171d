"""The audience, the time and the address of an issue, and masked addresses."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.clock import in_nairobi
from agency_site.features.newsletter.rules import (
    SLUG,
    SLUG_LENGTH,
    Interest,
    fits,
    masked,
    next_issue_time,
    slug_of,
)

interests = st.sets(st.sampled_from(list(Interest)))
moments = st.integers(0, 6 * 366 * 86_400).map(
    lambda s: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=s)
)


@settings(deadline=None)
@given(interests, interests)
def test_an_issue_fits_if_an_interest_is_shared_or_one_side_has_none(
    chosen: set[Interest], topics: set[Interest]
) -> None:
    assert fits(chosen, topics) == (not chosen or not topics or bool(chosen & topics))
    assert fits([interest.value for interest in chosen], [interest.value for interest in topics]) == fits(
        chosen, topics
    )


@settings(deadline=None)
@given(moments)
def test_the_next_issue_time_is_the_first_wednesday_at_seven_in_nairobi(moment: datetime) -> None:
    issue_time = next_issue_time(moment)
    local = in_nairobi(issue_time)
    assert (local.weekday(), local.time()) == (2, time(7))
    assert timedelta(0) < issue_time - moment <= timedelta(days=7)


def test_at_seven_on_a_wednesday_the_next_issue_time_is_a_week_away() -> None:
    wednesday = datetime(2026, 11, 25, 4, 0, tzinfo=UTC)
    assert next_issue_time(wednesday - timedelta(seconds=1)) == wednesday
    assert next_issue_time(wednesday) == wednesday + timedelta(days=7)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_title_makes_a_valid_address_or_none(title: str) -> None:
    slug = slug_of(title)
    assert not slug or (SLUG.fullmatch(slug) and len(slug) <= SLUG_LENGTH)


def test_a_title_is_readable_in_its_address() -> None:
    assert slug_of("a" * (SLUG_LENGTH - 1) + " word cut off") == "a" * (SLUG_LENGTH - 1)
    assert slug_of("Karibu! The baker's 3 windows, café") == "karibu-the-bakers-3-windows-cafe"


@pytest.mark.parametrize(
    ("address", "masked_address"),
    [
        ("amina@shop.example", "a•••@shop.example"),
        ("a@b.ke", "a•••@b.ke"),
        ('"a@b"@shop.example', '"•••@shop.example'),
        ("", ""),
    ],
)
def test_a_private_page_masks_the_address(address: str, masked_address: str) -> None:
    assert masked(address) == masked_address
