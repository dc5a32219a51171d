"""What staff type into the form of an issue."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agency_site.clock import NAIROBI
from agency_site.content.newsletter import ISSUES
from agency_site.errors import InputRejected
from agency_site.features.newsletter.request import TITLE_LENGTH, read_draft, read_interests, read_moment
from agency_site.features.newsletter.rules import SLUG, TAKEN_SLUGS, Interest

anything = st.one_of(st.text(max_size=300), st.none(), st.integers(), st.booleans(), st.lists(st.text()))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["title", "slug", "summary", "text", "interest-seo", "x"]), anything))
def test_any_form_is_a_draft_or_says_what_is_wrong(form: dict[str, object]) -> None:
    try:
        draft = read_draft(form)
    except InputRejected:
        return
    assert 0 < len(draft.title) <= TITLE_LENGTH
    assert SLUG.fullmatch(draft.slug)
    assert "\n" not in draft.title + draft.summary


def test_every_field_at_fault_is_named() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_draft({"title": " ", "summary": "x" * 301, "text": "\x00"})
    assert rejected.value.by_field().keys() == {"title", "summary", "text"}


def test_the_address_is_made_from_the_title_unless_one_is_typed() -> None:
    assert read_draft({"title": "The queue"}).slug == "the-queue"
    assert read_draft({"title": "The queue", "slug": "wait"}).slug == "wait"


@pytest.mark.parametrize(
    "slug", [*sorted(TAKEN_SLUGS), ISSUES[0].id, "Upper", "a--b", "-a", "a/b", "ä", "a b"]
)
def test_an_address_that_cannot_be_is_refused(slug: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        read_draft({"title": "The queue", "slug": slug})
    assert rejected.value.by_field().keys() == {"slug"}


def test_a_title_without_letters_needs_an_address() -> None:
    with pytest.raises(InputRejected) as rejected:
        read_draft({"title": "!!!"})
    assert rejected.value.by_field().keys() == {"slug"}


def test_only_interests_that_there_are_count() -> None:
    ticked = {"interest-email": "on", "interest-cooking": "on", "interest-seo": ""}
    assert read_interests(ticked) == (Interest.EMAIL,)


@settings(deadline=None)
@given(anything)
def test_any_moment_is_one_in_nairobi_or_refused(typed: object) -> None:
    try:
        found = read_moment(typed)
    except InputRejected:
        return
    assert found.tzinfo is NAIROBI


def test_a_moment_is_read_on_a_nairobi_clock() -> None:
    assert read_moment("2026-11-25T07:00").isoformat() == "2026-11-25T07:00:00+03:00"
    with pytest.raises(InputRejected):
        read_moment("2026-11-25T07:00Z")
