"""The filters in an address of the webinars page."""

from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.webinars import PAGE_SIZE, WEBINARS
from agency_site.site.webinar_board import MOST_PAGES, PATH, BoardView, read_view


def query_of(view: BoardView) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(view.address).query))


def test_the_plain_page_shows_the_first_two_of_five_on_three_pages() -> None:
    view = read_view({})
    assert view.address == PATH
    assert [item.id for item in view.page_webinars] == [webinar.id for webinar in WEBINARS[:2]]
    assert view.pages == 3
    assert view.summary == "5 webinars found, page 1 of 3"


def test_tab_search_and_category_must_all_match() -> None:
    assert [match.id for match in read_view({"tab": "past"}).matches] == ["words-that-sell"]
    assert [match.id for match in read_view({"q": "PETER kiprono"}).matches] == [
        "found-near-me",
        "numbers-that-matter",
    ]
    assert [match.id for match in read_view({"q": "peter", "category": "SEO"}).matches] == ["found-near-me"]
    assert read_view({"q": "peter", "category": "SEO", "tab": "past"}).summary == "No webinars found"


def test_search_reads_title_description_and_speaker_in_any_letter_case() -> None:
    results = {
        word: [match.id for match in read_view({"q": word}).matches]
        for word in ("ON ONE PAGE", "gikomba", "salim")
    }
    assert results == {
        "ON ONE PAGE": ["plan-2027"],
        "gikomba": ["thirty-posts"],
        "salim": ["first-newsletter"],
    }


def test_a_page_beyond_the_result_is_its_last_one() -> None:
    assert read_view({"page": "3"}).page == 3
    assert read_view({"page": "99"}).page == 3
    assert read_view({"page": "2", "tab": "past"}).page == 1
    assert [read_view({"page": odd}).page for odd in ("0", "-1", "two", "", "²", "9" * 4000)] == [
        1,
        1,
        1,
        1,
        1,
        1,
    ]


def test_half_a_character_is_dropped_and_a_long_search_is_cut() -> None:
    assert read_view({"q": "salim \ud83d"}).q == "salim"
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
    assert view.pages <= MOST_PAGES
    assert bool(view.page_webinars) == bool(view.matches)
