"""The webinars page: tab, search, category and page work together and are in the address (specification, 2, 4, 5, 8)."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.webinars import WEBINARS, WebinarStatus, upcoming
from tests.e2e.conftest import PHONE, Opener, PageReader, hydrated, until, untouched
from tests.e2e.test_socket_blocked import attached

TITLES = {webinar.id: webinar.title for webinar in WEBINARS}
PAST = next(webinar for webinar in WEBINARS if webinar.status is WebinarStatus.PAST)


def visible_titles(page: Page) -> list[str]:
    """Titles of the cards that can be seen."""
    return page.locator("#webinars article:visible h3").all_inner_texts()


def expect_shown(page: Page, *ids: str) -> None:
    expect(page.locator("#webinars article:visible h3")).to_have_text([TITLES[item] for item in ids])


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def chip(page: Page, name: str) -> None:
    page.get_by_role("group", name="Category").get_by_role("link", name=name, exact=True).click()


@pytest.mark.specification
def test_s2_webinars_page_opens_with_tabs_search_chips_two_cards_and_pages_1_2_3(
    read_page: PageReader,
) -> None:
    page = read_page("/webinar")
    assert page.get_by_role("tab", "Upcoming Webinars")["aria-selected"] == "true"
    assert page.get_by_role("tab", "Past Recordings")["aria-selected"] == "false"
    chips = page.get_by_role("group", "Category").get_all_by_role("link")
    assert [chip.text for chip in chips] == [
        "All",
        "Digital Strategy",
        "Social Media",
        "SEO",
        "Email Marketing",
        "Content Marketing",
        "Analytics",
    ]
    page.get_by_role("searchbox", "Search webinars")
    titles = [title.text for title in page.select_all("#webinars article:not([hidden]) h3")]
    assert titles == [TITLES["plan-2027"], TITLES["thirty-posts"]]
    pages = page.get_by_role("navigation", "Pages of webinars").get_all_by_role("link")
    assert [link.text for link in pages] == ["1", "2", "3"]
    page.get_by_role("main").get_by_role("region", "Newsletter")


@pytest.mark.specification
def test_s2_without_scripts_links_and_search_find_every_webinar(open_page: Opener) -> None:
    page = open_page("/webinar", scripts=False)
    read = visible_titles(page)
    for number in ("2", "3"):
        page.get_by_role("link", name=f"Page {number}").click()
        expect(page.get_by_role("link", name=f"Page {number}")).to_have_attribute("aria-current", "page")
        read += visible_titles(page)
    tab(page, "Past Recordings")
    expect(page.get_by_role("tab", name="Past Recordings")).to_have_attribute("aria-selected", "true")
    assert read + visible_titles(page) == [webinar.title for webinar in WEBINARS]
    tab(page, "Upcoming Webinars")
    chip(page, "SEO")
    page.get_by_role("searchbox").fill("peter")
    page.get_by_role("button", name="Search").click()
    expect_shown(page, "found-near-me")
    expect(page).to_have_url(re.compile(r"/webinar\?category=SEO&q=peter#webinars$"))
    expect(page.get_by_role("searchbox")).to_have_value("peter")


@pytest.mark.specification
def test_s4_tab_category_and_search_combine(open_page: Opener) -> None:
    page = open_page("/webinar")
    page.get_by_role("searchbox").press_sequentially("PETER kip")
    expect_shown(page, "found-near-me", "numbers-that-matter")
    chip(page, "SEO")
    expect_shown(page, "found-near-me")
    tab(page, "Past Recordings")
    expect(page.get_by_role("status").filter(has_text="No webinars found")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    expect_shown(page, PAST.id)


@pytest.mark.specification
def test_s5_search_reads_title_description_and_speaker(open_page: Opener) -> None:
    page = open_page("/webinar")
    search = page.get_by_role("searchbox")
    for text, result in (
        ("ONE PAGE", "plan-2027"),
        ("gikomba", "thirty-posts"),
        ("Salim", "first-newsletter"),
    ):
        search.fill(text)
        expect_shown(page, result)


def test_s8_a_search_without_a_match_says_no_webinars_found(read_page: PageReader) -> None:
    page = read_page("/webinar?q=blockchain")
    assert "No webinars found" in page.select("#webinars").text
    assert page.get_all_by_role("navigation", "Pages of webinars") == []


@pytest.mark.thorough
@pytest.mark.specification
def test_a_view_can_be_shared_and_the_back_button_walks_through_it(open_page: Opener) -> None:
    page = open_page("/webinar?tab=past&q=words&category=Content+Marketing")
    expect_shown(page, PAST.id)
    expect(page.get_by_role("searchbox")).to_have_value("words")
    expect(page.get_by_role("link", name="Content Marketing", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    tab(page, "Upcoming Webinars")
    expect(page).to_have_url(re.compile(r"/webinar\?q=words&category=Content\+Marketing#webinars-upcoming$"))
    page.get_by_role("link", name="Show all").click()
    expect(page).to_have_url(re.compile(r"/webinar#webinars$"))
    expect(page.get_by_role("searchbox")).to_have_value("")
    page.get_by_role("link", name="Page 3").click()
    expect_shown(page, "numbers-that-matter")
    expect(page).to_have_url(re.compile(r"/webinar\?page=3#webinars$"))
    expect(page.get_by_role("link", name="Page 3")).to_have_attribute("aria-current", "page")
    page.go_back()
    expect_shown(page, "plan-2027", "thirty-posts")
    page.go_back()
    page.go_back()
    expect_shown(page, PAST.id)
    expect(page.get_by_role("searchbox")).to_have_value("words")


@pytest.mark.thorough
@pytest.mark.specification
def test_typing_leaves_one_step_in_the_history(open_page: Opener) -> None:
    page = open_page("/resources")
    page.get_by_role("link", name="See all webinars").click()
    page.get_by_role("searchbox").press_sequentially("salim", delay=260)
    expect_shown(page, "first-newsletter")
    expect(page).to_have_url(re.compile(r"q=salim$"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/resources$"))


@pytest.mark.thorough
@pytest.mark.specification
@pytest.mark.parametrize("hydrate", [hydrated, untouched], ids=["hydrated", "not hydrated"])
def test_choosing_a_filter_keeps_focus_and_the_start_of_the_list_in_view(
    open_page: Opener, hydrate: Callable[[Page], None]
) -> None:
    page = open_page("/webinar", viewport=PHONE, ready=hydrate)
    chip(page, "SEO")
    expect_shown(page, "found-near-me")
    expect(page).to_have_url(re.compile("category=SEO"))
    expect(page.get_by_role("link", name="SEO", exact=True)).to_be_focused()
    expect(page.locator("#webinars").get_by_role("status")).to_be_in_viewport()


@pytest.mark.thorough
@pytest.mark.parametrize("hydrate", [hydrated, untouched], ids=["hydrated", "not hydrated"])
def test_another_page_of_the_list_begins_at_its_start(
    open_page: Opener, hydrate: Callable[[Page], None]
) -> None:
    page = open_page("/webinar", viewport=PHONE, ready=hydrate)
    page.get_by_role("link", name="Page 2").click()
    expect_shown(page, *[item.id for item in upcoming()[2:4]])
    expect(page.locator("#webinars article:visible h3").first).to_be_in_viewport()
    until(page, "document.getElementById('webinars').getBoundingClientRect().top >= 0")


@pytest.mark.thorough
@pytest.mark.specification
def test_without_a_socket_a_filter_is_answered_by_the_server(open_page: Opener) -> None:
    page = open_page(
        "/webinar",
        prepare=lambda page: page.route_web_socket("**/_event/**", lambda _: None),
        ready=attached,
    )
    chip(page, "SEO")
    expect_shown(page, "found-near-me")
    expect(page.get_by_role("link", name="SEO", exact=True)).to_have_attribute("aria-current", "true")
    chip(page, "All")
    expect_shown(page, *[item.id for item in upcoming()[:2]])


@pytest.mark.thorough
def test_focus_follows_to_the_list_when_its_page_changes(open_page: Opener) -> None:
    page = open_page("/webinar")
    page.get_by_role("link", name="Page 2").press("Enter")
    expect(page.get_by_role("tabpanel")).to_be_focused()


def test_arrow_keys_move_between_the_tabs(open_page: Opener) -> None:
    page = open_page("/webinar")
    page.get_by_role("tab", name="Upcoming Webinars").focus()
    page.keyboard.press("ArrowRight")
    expect_shown(page, PAST.id)
    expect(page.get_by_role("tab", name="Past Recordings")).to_be_focused()


def test_r11_an_upcoming_webinar_leads_to_its_page_and_a_past_one_to_its_recording(
    read_page: PageReader,
) -> None:
    link = read_page("/webinar").get_all_by_role("link", "Reserve a seat")[0]
    assert link["href"] == upcoming()[0].href
    read_page(link["href"]).get_by_role("heading", upcoming()[0].title, level=1)
    watch = read_page("/webinar?tab=past").get_by_role("link", re.compile("^Watch the recording"))
    assert watch["href"] == PAST.recording
    assert watch["target"] == "_blank"
