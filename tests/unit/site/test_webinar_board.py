"""The filters in an address of the webinars page."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.entries import Kind
from agency_site.content.published import previewed
from agency_site.content.webinars import PAGE_SIZE, WEBINARS, Webinar, WebinarStatus, past, upcoming
from agency_site.site.webinar_board import PATH, BoardView, count_pages, list_webinars, read_view


def query_of(view: BoardView) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(view.address).query))


def test_the_plain_page_shows_the_next_webinars_and_counts_them_all() -> None:
    view = read_view({})
    assert view.address == PATH
    assert view.page_webinars == upcoming()[:PAGE_SIZE]
    assert (view.pages - 1) * PAGE_SIZE < len(upcoming()) <= view.pages * PAGE_SIZE
    assert view.summary.startswith(f"{len(upcoming())} webinar")


def test_the_summary_counts_webinars_and_pages() -> None:
    webinar = WEBINARS[0].model_copy(update={"status": WebinarStatus.UPCOMING})
    for count, summary in (
        (0, "No webinars found"),
        (1, "1 webinar found"),
        (5, "5 webinars found, page 1 of 3"),
    ):
        with previewed({Kind.WEBINAR: (webinar,) * count}):
            assert read_view({}).summary == summary


def test_webinars_to_come_are_listed_the_next_one_first_and_past_ones_the_latest_first() -> None:
    assert sorted(list_webinars(), key=lambda webinar: webinar.id) == sorted(
        WEBINARS, key=lambda webinar: webinar.id
    )
    days = [webinar.date for webinar in upcoming()]
    assert days == sorted(days)
    days = [webinar.date for webinar in past()]
    assert days == sorted(days, reverse=True)


@pytest.mark.parametrize("webinar", WEBINARS, ids=lambda webinar: webinar.id)
def test_tab_search_and_category_must_all_match(webinar: Webinar) -> None:
    words = {"tab": webinar.status.value, "q": webinar.speaker.upper(), "category": webinar.category.value}
    matches = read_view(words).matches
    assert webinar in matches
    assert all(
        (match.status, match.speaker, match.category) == (webinar.status, webinar.speaker, webinar.category)
        for match in matches
    )
    other_tab = next(status for status in WebinarStatus if status is not webinar.status)
    assert webinar not in read_view({**words, "tab": other_tab.value}).matches
    assert read_view({**words, "q": "no such words"}).matches == ()


@pytest.mark.parametrize("webinar", WEBINARS, ids=lambda webinar: webinar.id)
def test_search_reads_title_description_and_speaker_in_any_letter_case(webinar: Webinar) -> None:
    for text in (webinar.title, webinar.description[:60], webinar.speaker):
        assert webinar in read_view({"tab": webinar.status.value, "q": text.upper()}).matches


def test_a_page_beyond_the_result_is_its_last_one() -> None:
    last = read_view({}).pages
    assert read_view({"page": str(last)}).page == last
    assert read_view({"page": "99"}).page == last
    assert read_view({"page": "2", "q": "no such words"}).page == 1
    assert [read_view({"page": odd}).page for odd in ("0", "-1", "two", "", "²", "9" * 4000)] == [
        1,
        1,
        1,
        1,
        1,
        1,
    ]


def test_half_a_character_is_dropped_and_a_long_search_is_cut() -> None:
    assert read_view({"q": "word \ud83d"}).q == "word"
    assert len(read_view({"q": "x" * 5000}).q) == 80


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "tab": st.sampled_from(["upcoming", "past", "PAST", "other"]) | st.text(),
            "q": st.text(),
            "category": st.sampled_from(["SEO", "seo", "Analytics", "Nothing"]) | st.text(),
            "page": st.sampled_from(["1", "2", "3"]) | st.text(),
        },
    )
)
def test_any_query_means_a_view_whose_address_means_the_same_view(query: dict[str, str]) -> None:
    view = read_view(query)
    assert read_view(query_of(view)) == view
    assert len(view.page_webinars) <= PAGE_SIZE
    assert view.pages <= count_pages()
    assert bool(view.page_webinars) == bool(view.matches)
