"""Validation of the form of an issue."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.clock import NAIROBI
from agency_site.content.newsletter import ISSUES
from agency_site.errors import InputRejected
from agency_site.features.newsletter.request import TITLE_LENGTH, read_draft, read_interests, read_moment
from agency_site.features.newsletter.rules import RESERVED_SLUGS, SLUG, Interest

anything = st.one_of(st.text(max_size=300), st.none(), st.integers(), st.booleans(), st.lists(st.text()))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["title", "slug", "summary", "text", "interest-seo", "x"]), anything))
def test_any_form_is_a_draft_or_is_rejected(form: dict[str, object]) -> None:
    try:
        draft = read_draft(form)
    except InputRejected:
        return
    assert 0 < len(draft.title) <= TITLE_LENGTH
    assert SLUG.fullmatch(draft.slug)
    assert "\n" not in draft.title + draft.summary


def test_every_invalid_field_is_reported() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_draft({"title": " ", "summary": "x" * 301, "text": "\x00"})
    assert rejected.value.by_field().keys() == {"title", "summary", "text"}


def test_an_empty_address_is_made_from_the_title() -> None:
    assert read_draft({"title": "The queue"}).slug == "the-queue"
    assert read_draft({"title": "The queue", "slug": "wait"}).slug == "wait"


@pytest.mark.parametrize(
    "slug", [*sorted(RESERVED_SLUGS), ISSUES[0].id, "Upper", "a--b", "-a", "a/b", "ä", "a b"]
)
def test_an_invalid_or_reserved_address_is_rejected(slug: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_draft({"title": "The queue", "slug": slug})
    assert rejected.value.by_field().keys() == {"slug"}


def test_a_title_without_letters_needs_an_address() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_draft({"title": "!!!"})
    assert rejected.value.by_field().keys() == {"slug"}


def test_unknown_interests_are_ignored() -> None:
    ticked = {"interest-email": "on", "interest-cooking": "on", "interest-seo": ""}
    assert read_interests(ticked) == (Interest.EMAIL,)


@settings(deadline=None)
@given(anything)
def test_any_moment_is_read_in_nairobi_or_rejected(value: object) -> None:
    try:
        moment = read_moment(value)
    except InputRejected:
        return
    assert moment.tzinfo is NAIROBI


def test_a_moment_is_read_as_nairobi_time() -> None:
    assert read_moment("2026-11-25T07:00").isoformat() == "2026-11-25T07:00:00+03:00"
    with pytest.raises(InputRejected):
        read_moment("2026-11-25T07:00Z")
