"""Traces of a visit: one cookie, no request to other companies, little in the browser; and the legal pages."""

import re
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page, Response, expect

from agency_site.content.feeds import FEEDS
from agency_site.content.legal import PERIODS, PRIVACY, TERMS, LegalText, period_line
from agency_site.settings import Settings
from tests.e2e.conftest import PHONE, Opener, PageReader, RunningSite, hydrated
from tests.e2e.test_booking import choose, working_day
from tests.e2e.test_booking import fill as fill_booking
from tests.e2e.test_every_page import ROUTES
from tests.e2e.test_payment import PATIENCE, alert, start
from tests.e2e.test_reading import comment
from tests.example_records import ARTICLE, PAID_COURSE
from tests.http_clients import CHROME

STORED = {"agency-saved-courses", "agency-orders", "comment-author"}
"""Allowed keys in the browser's storage, which the privacy notice lists."""
TABS = {"token"}
"""Allowed keys while a tab is open."""


def book(page: Page) -> None:
    page.goto("/book")
    hydrated(page)
    choose(page, working_day(11), "14:00")
    fill_booking(page, "nocookie@example.com")
    page.get_by_role("button", name="Book at 14:00").click()
    expect(page.get_by_text("Booking confirmed!")).to_be_visible()


def pay(page: Page) -> None:
    page.goto(f"/payment?course={PAID_COURSE.slug}")
    hydrated(page)
    dialog = start(page, "nocookie@example.com", "712 999 111")
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)


def say_something(page: Page) -> None:
    page.goto(ARTICLE.href)
    hydrated(page)
    comment(page, website="https://example.co.ke", keep=True)
    expect(page.get_by_text("Thank you for your comment!")).to_be_visible()


def save_a_course(page: Page) -> None:
    page.goto(f"/{PAID_COURSE.slug}")
    hydrated(page)
    page.get_by_role("button", name="Save for later").click()
    expect(page.get_by_role("button", name="Remove from your list")).to_be_visible()


def keys(page: Page, storage: str) -> set[str]:
    return set(page.evaluate(f"Object.keys({storage})"))


@pytest.mark.thorough
def test_a_whole_visit_sets_one_cookie_and_tells_no_other_company(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/", user_agent=CHROME)
    set_cookies: list[str] = []
    hosts: set[str | None] = set()

    def look(response: Response) -> None:
        hosts.add(urlsplit(response.url).hostname)
        set_cookies.extend(response.url for name in response.headers if name == "set-cookie")

    page.on("response", look)
    for path in ROUTES:
        page.goto(path)
        hydrated(page)
    for deed in (book, pay, say_something, save_a_course):
        deed(page)
    assert [(cookie["name"], cookie["value"]) for cookie in page.context.cookies()] == [("visit", "&&&/")]
    assert page.evaluate("document.cookie") == ""
    # The first page has set it.
    assert set_cookies == []
    assert hosts == {urlsplit(site.url).hostname}
    assert keys(page, "localStorage") == STORED
    assert keys(page, "sessionStorage") <= TABS
    assert page.evaluate("JSON.parse(localStorage.getItem('comment-author')).email") == "amina@example.com"


@pytest.mark.thorough
def test_saved_details_never_reach_the_server_by_themselves(open_page: Opener) -> None:
    page = open_page("/")
    page.evaluate(
        "localStorage.setItem('comment-author', JSON.stringify({name: 'Zawadi', email: 'z@example.com'}))"
    )
    requests: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: requests.append(str(frame))))
    page.goto(ARTICLE.href)
    hydrated(page)
    expect(page.get_by_label("Full Name *")).to_have_value("Zawadi")
    page.goto("/about")
    hydrated(page)
    assert [frame for frame in requests if "Zawadi" in frame] == []


@pytest.mark.parametrize("text", [PRIVACY, TERMS], ids=lambda text: text.slug)
def test_the_small_print_reads_without_scripts_and_leads_to_its_parts(
    read_page: PageReader, text: LegalText
) -> None:
    page = read_page(f"/{text.slug}")
    assert page.get_by_role("heading", level=1).text == text.heading
    page.get_by_text(text.changed_line)
    crumbs = page.get_by_role("navigation", "Breadcrumb")
    assert crumbs.get_by_role("link", "Home")["href"] == "/"
    crumbs.get_by_text(text.title)
    contents = page.get_by_role("navigation", "On this page").get_all_by_role("link")
    assert [(link.text, link["href"]) for link in contents] == [
        (part.text, f"#{part.id}") for part in text.headings
    ]
    for part in text.headings:
        assert page.select(f"#{part.id}").text == part.text
    footer = page.get_by_role("contentinfo")
    for name, path in (("Privacy", "/privacy"), ("Terms", "/terms")):
        assert footer.get_by_role("link", name)["href"] == path


@pytest.mark.thorough
def test_on_a_phone_the_contents_fold_away_and_close_on_a_choice(open_page: Opener) -> None:
    page = open_page("/privacy", viewport=PHONE)
    contents = page.locator("details.contents-panel")
    link = contents.get_by_role("link", name="Your rights")
    expect(link).to_be_hidden()
    contents.locator("summary").click()
    link.click()
    expect(link).to_be_hidden()
    expect(page.get_by_role("heading", name="Your rights")).to_be_in_viewport()


def periods() -> list[str]:
    """The rows of the table of retention periods, with the settings of a fresh installation."""
    fresh = Settings(_env_file=None)
    return [f"{period.what} {period_line(period, getattr(fresh, period.setting))}" for period in PERIODS]


def test_the_page_says_how_long_this_server_keeps_each_kind(read_page: PageReader) -> None:
    assert [row.text for row in read_page("/privacy").select_all("table tbody tr")] == periods()


@pytest.mark.thorough
def test_the_periods_stay_when_the_page_hydrates(open_page: Opener) -> None:
    rows = open_page("/privacy").locator("table tbody tr").all_inner_texts()
    assert [re.sub(r"\s+", " ", row).strip() for row in rows] == periods()


@pytest.mark.parametrize(
    "path",
    ["/book", "/payment?course=google-ads", "/contact", "/signup/pro", ARTICLE.href, "/newsletter", "/blog"],
)
def test_where_something_personal_is_typed_the_notice_is_one_click_away(
    read_page: PageReader, path: str
) -> None:
    line = read_page(path).select_all("main .small-print")[0]
    link = line.get_by_role("link", re.compile("^privacy notice"))
    assert link["href"] == "/privacy"
    assert link["target"] == "_blank"


@pytest.mark.parametrize(
    ("spelling", "path"),
    [("/Privacy-Policy", "/privacy"), ("/terms-and-conditions", "/terms"), ("/TERMS/", "/terms")],
)
def test_other_spellings_lead_to_the_legal_pages(read_page: PageReader, spelling: str, path: str) -> None:
    assert read_page(spelling).select("link[rel=canonical]")["href"].endswith(path)


@pytest.mark.parametrize("path", ["/blog", "/insights"])
def test_feeds_are_linked_and_open_as_files(site: RunningSite, read_page: PageReader, path: str) -> None:
    main = read_page(path).get_by_role("main")
    for feed in FEEDS:
        assert main.get_by_role("link", feed.name)["href"] == feed.href
        answer = httpx.get(site.url + feed.href)
        assert (answer.status_code, answer.headers["content-type"]) == (200, feed.media_type)
        again = httpx.get(site.url + feed.href, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304


@pytest.mark.parametrize("path", ["/", "/book", ARTICLE.href])
def test_every_page_names_the_feeds_in_its_head(read_page: PageReader, path: str) -> None:
    page = read_page(path)
    for feed in FEEDS:
        assert page.select(f"head link[rel=alternate][type='{feed.media_type}']")["href"] == feed.href
