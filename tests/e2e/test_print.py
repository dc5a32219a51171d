"""Printed pages have text, author and addresses of links, without controls."""

import re

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.impact import list_shown
from tests.e2e.conftest import Opener, RunningSite, untouched
from tests.e2e.test_booking import take, working_day
from tests.e2e.test_payment import PATIENCE, alert, start
from tests.e2e.test_webinar_seats import fresh
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

PAGES = re.compile(rb"/Type\s*/Page\b")
ADDRESSES = """[...document.querySelectorAll("main article a[href]")].filter((one) => one.checkVisibility())
    .map((one) => [one.href, getComputedStyle(one, "::after").content.replaceAll('" "', "")])"""


def on_paper(page: Page) -> None:
    """Controls and ways through the site are gone, the agency's name and address stay, all ink is black."""
    page.emulate_media(media="print")
    controls = page.locator("button, form, input, nav, .skip, dialog, .share-row, .pattern-edge").filter(
        visible=True
    )
    expect(controls).to_have_count(0)
    expect(page.get_by_role("banner").get_by_text("Mwanga Digital")).to_be_visible()
    expect(page.get_by_role("contentinfo").get_by_text("Karen")).to_be_visible()
    inks = page.evaluate("[...document.querySelectorAll('main *')].map((one) => getComputedStyle(one).color)")
    assert set(inks) == {"rgb(0, 0, 0)"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", ["/email-marketing-blog", "/insights/what-a-till-number-teaches"])
def test_an_article_prints_as_its_text(site: RunningSite, open_page: Opener, path: str) -> None:
    page = open_page(path, viewport={"width": 794, "height": 1123})
    heading = page.get_by_role("heading", level=1)
    on_paper(page)
    expect(heading).to_be_visible()
    expect(page.locator(".article-body p").first).to_be_visible()
    expect(page.get_by_role("heading", name="Leave a comment")).to_be_hidden()
    expect(page.get_by_role("heading", name="Read next")).to_be_hidden()
    expect(page.get_by_text(f"Read it at {site.url}{path}")).to_be_visible()
    led = page.evaluate(ADDRESSES)
    assert [text for link, text in led if link not in text] == []
    assert len(led) == (path == "/email-marketing-blog")
    assert 1 <= len(PAGES.findall(page.pdf(format="A4"))) <= 6


def test_a_booking_prints_on_one_sheet(site: RunningSite, open_page: Opener) -> None:
    email, day = fresh(), working_day(14)
    assert take(site, day, "16:00", email) == 201
    [link] = re.findall(r"/booking/[\w=-]+", site.mails(email)[0][2])[:1]
    page = open_page(link)
    expect(page.get_by_role("heading", name="Your consultation")).to_be_visible()
    on_paper(page)
    expect(page.get_by_text(re.compile(r"^BK-\w+$"))).to_be_visible()
    expect(page.get_by_text("16:00", exact=False).first).to_be_visible()
    assert len(PAGES.findall(page.pdf(format="A4"))) == 1


def test_a_paid_order_prints_on_one_sheet(open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    dialog = start(page, fresh(), "712348111")
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    dialog.get_by_role("link", name="See your enrolment").click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible()
    on_paper(page)
    for label in ("Amount", "M-Pesa receipt", "Paid on"):
        expect(page.get_by_role("term").filter(has_text=label)).to_be_visible()
    assert len(PAGES.findall(page.pdf(format="A4"))) == 1


@pytest.mark.parametrize("path", ["/about", f"/{PAID_COURSE.slug}", "/digital-marketing-masterclass"])
def test_no_head_keeps_room_for_a_picture_that_is_not_printed(open_page: Opener, path: str) -> None:
    page = open_page(path, scripts=False)
    page.emulate_media(media="print")
    head = page.locator(":is(.hero-split, .course-hero)").bounding_box()
    words = page.locator(":is(.hero-split-copy, .course-hero-copy)").bounding_box()
    assert head
    assert words
    assert (head["y"], head["height"]) == pytest.approx((words["y"], words["height"]), abs=1)


def test_the_home_page_prints_its_figures_whether_or_not_they_have_counted_up(open_page: Opener) -> None:
    page = open_page("/", viewport={"width": 794, "height": 1123}, ready=untouched)
    page.emulate_media(media="print")
    figures = page.get_by_role("region", name="Our Impact").locator("dd")
    expect(figures).to_have_text([f"{stat.figure}+" for stat in list_shown()], use_inner_text=True)
