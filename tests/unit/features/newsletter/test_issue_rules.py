"""For whom an issue is, when it is sent, its address, and how an address is masked."""

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
def test_an_issue_fits_when_something_is_shared_or_one_side_names_nothing(
    wanted: set[Interest], about: set[Interest]
) -> None:
    assert fits(wanted, about) == (not wanted or not about or bool(wanted & about))
    assert fits([one.value for one in wanted], [one.value for one in about]) == fits(wanted, about)


@settings(deadline=None)
@given(moments)
def test_the_next_issue_time_is_the_first_wednesday_at_seven_in_nairobi(moment: datetime) -> None:
    found = next_issue_time(moment)
    local = in_nairobi(found)
    assert (local.weekday(), local.time()) == (2, time(7))
    assert timedelta(0) < found - moment <= timedelta(days=7)


def test_at_seven_on_a_wednesday_the_next_issue_time_is_a_week_away() -> None:
    wednesday = datetime(2026, 11, 25, 4, 0, tzinfo=UTC)
    assert next_issue_time(wednesday - timedelta(seconds=1)) == wednesday
    assert next_issue_time(wednesday) == wednesday + timedelta(days=7)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_title_makes_an_address_or_none(title: str) -> None:
    found = slug_of(title)
    assert not found or (SLUG.fullmatch(found) and len(found) <= SLUG_LENGTH)


def test_a_title_is_readable_in_its_address() -> None:
    assert slug_of("a" * (SLUG_LENGTH - 1) + " word cut off") == "a" * (SLUG_LENGTH - 1)
    assert slug_of("Karibu! The baker's 3 windows, café") == "karibu-the-bakers-3-windows-cafe"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("amina@shop.example", "a•••@shop.example"),
        ("a@b.ke", "a•••@b.ke"),
        ('"a@b"@shop.example', '"•••@shop.example'),
        ("", ""),
    ],
)
def test_a_private_page_masks_the_address(address: str, shown: str) -> None:
    assert masked(address) == shown
