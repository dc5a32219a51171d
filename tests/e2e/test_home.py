"""The home page's sections (specification, sections 2, 4, 8 and 9)."""

import re
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.course_schema import CourseCategory
from agency_site.content.courses import catalogue
from agency_site.content.hero import HERO
from agency_site.content.impact import list_shown
from agency_site.content.partners import PARTNERS
from agency_site.content.portfolio import PORTFOLIO
from agency_site.content.testimonials import TESTIMONIALS, TRUST_LINE
from tests.e2e.conftest import PHONE, Opener, PageReader, hydrated, untouched
from tests.html_document import section_under

CATEGORIES = [group.category for group in PORTFOLIO]
SHOWN_OF_BUSINESS = re.compile(
    f"^{sum(course.catalogue.category is CourseCategory.BUSINESS for course in catalogue() if course.catalogue)} courses? shown$"
)
FIGURES = [f"{stat.figure}+" for stat in list_shown()]


def section(page: Page, heading: str | re.Pattern[str]) -> Locator:
    """The section under a heading."""
    return page.locator("section").filter(has=page.get_by_role("heading", level=2, name=heading))


def animation(track: Locator) -> dict[str, str]:
    """Return the animation of a strip."""
    return dict(
        track.evaluate(
            """e => { const s = getComputedStyle(e); return {name: s.animationName, time: s.animationDuration,
            curve: s.animationTimingFunction, count: s.animationIterationCount, state: s.animationPlayState}; }"""
        )
    )


@pytest.mark.specification
def test_s2_the_sections_are_in_the_specified_order(read_page: PageReader) -> None:
    page = read_page("/")
    text = page.get_by_role("main").text
    landmarks = [
        "talked about",
        "Trusted by 500+ Kenyan brands, entrepreneurs & tech leaders",
        "Brand communication",
        "Web design & development",
        "View All Blogs",
        "Our Impact",
        "OUR COURSES",
        "Our Esteemed Clients",
        "Eyeing that career in the digital space?",
    ]
    places = [text.find(landmark) for landmark in landmarks]
    assert -1 not in places
    assert places == sorted(places)
    page.get_by_role("heading", level=1)


@pytest.mark.thorough
def test_s2_testimonials_scroll_on_wide_screens_and_pause(open_page: Opener) -> None:
    page = open_page("/")
    trust = section(page, TRUST_LINE)
    expect(trust.get_by_role("figure")).to_have_count(len(TESTIMONIALS))
    track = trust.locator(".strip-track")
    assert (animation(track)["name"], animation(track)["state"]) == ("strip", "running")
    trust.get_by_role("button", name="Pause what clients say").click()
    expect(trust.get_by_role("button", name="Play what clients say")).to_be_visible()
    assert animation(track)["state"] == "paused"
    trust.get_by_role("button", name="Play what clients say").click()
    expect(trust.get_by_role("button", name="Pause what clients say")).to_be_visible()
    assert animation(track)["state"] == "running"
    trust.locator(".strip").hover()
    assert animation(track)["state"] == "paused"


def test_s2_testimonials_are_a_stacked_list_on_phones(open_page: Opener) -> None:
    page = open_page("/", viewport=PHONE)
    trust = section(page, TRUST_LINE)
    assert animation(trust.locator(".strip-track"))["name"] == "none"
    boxes = [figure.bounding_box() for figure in trust.get_by_role("figure").all()]
    for box, following in pairwise(boxes):
        assert box is not None
        assert following is not None
        assert following["y"] >= box["y"] + box["height"]
    expect(trust.get_by_role("button")).to_have_count(0)


@pytest.mark.specification
def test_s2_the_brand_call_leads_to_content_strategy(read_page: PageReader) -> None:
    call = section_under(read_page("/"), re.compile("^Say one thing")).get_by_role("link")
    assert call["href"] == "/services/content-strategy"


@pytest.mark.specification
def test_s4_the_first_category_shows_at_first(open_page: Opener) -> None:
    page = open_page("/")
    tabs = page.get_by_role("tablist", name="Kinds of work").get_by_role("tab")
    assert [tab.inner_text() for tab in tabs.all()] == CATEGORIES
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_have_count(1)
    expect(panel.get_by_role("img")).to_have_count(4)


@pytest.mark.specification
def test_s2_a_tab_shows_its_pictures_or_says_that_they_are_being_prepared(open_page: Opener) -> None:
    page = open_page("/")
    panel = page.get_by_role("tabpanel")
    page.get_by_role("tab", name="Software Development").click()
    expect(panel.get_by_role("heading", name="Pamoja SACCO")).to_be_visible()
    expect(page.get_by_role("tab", selected=True)).to_have_text("Software Development")
    page.get_by_role("tab", name=CATEGORIES[1]).click()
    expect(panel.get_by_text(PORTFOLIO[1].empty_text)).to_be_visible()
    expect(panel.get_by_role("article")).to_have_count(0)


@pytest.mark.thorough
def test_a_reload_shows_what_the_address_says_and_lets_move_what_was_paused(open_page: Opener) -> None:
    page = open_page("/")
    page.get_by_role("tab", name="Software Development").click()
    expect(page).to_have_url(re.compile(r"/\?work=software#work-tab-software$"))
    business = page.get_by_role("group", name="Filter courses").get_by_role("link", name="Business")
    expect(business).to_have_attribute("href", re.compile("work=software"))
    business.click()
    expect(page).to_have_url(re.compile(r"/\?work=software&courses=business#courses-business$"))
    carousel = page.get_by_role("region", name="Highlights")
    carousel.get_by_role("button", name="Pause").click()
    expect(carousel.get_by_role("button", name="Play")).to_be_visible()
    page.reload()
    hydrated(page)
    expect(carousel.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("tab", selected=True)).to_have_text("Software Development")
    expect(page.locator("#courses").get_by_role("status")).to_have_text(SHOWN_OF_BUSINESS)
    page.goto("/")
    hydrated(page)
    expect(page.get_by_role("tab", selected=True)).to_have_text(CATEGORIES[0])
    expect(page.locator("#courses").get_by_role("status")).to_have_text(f"{len(catalogue())} courses shown")
    assert urlsplit(page.url).query == ""


def test_choosing_a_tab_keeps_the_visitors_place(open_page: Opener) -> None:
    page = open_page("/", viewport=PHONE)
    tab = page.get_by_role("tab", name="Software Development")
    tab.click()
    expect(page).to_have_url(re.compile("work=software#work-tab-software$"))
    expect(tab).to_be_focused()
    expect(tab).to_be_in_viewport()


def test_tabs_follow_the_arrow_keys(open_page: Opener) -> None:
    page = open_page("/")
    page.get_by_role("tab", name=CATEGORIES[0]).focus()
    page.keyboard.press("ArrowLeft")
    last = page.get_by_role("tab", name=CATEGORIES[3])
    expect(last).to_be_focused()
    expect(last).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name=CATEGORIES[3])).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("tab", name=CATEGORIES[0])).to_have_attribute("aria-selected", "true")
    assert page.locator("[role=tab][tabindex='0']").count() == 1


@pytest.mark.specification
def test_s2_one_featured_article_three_smaller_and_the_way_to_all(read_page: PageReader) -> None:
    blogs = section_under(read_page("/"), "Read this before you spend.")
    articles = blogs.get_all_by_role("article")
    hrefs = [article.get_by_role("link")["href"] for article in articles]
    assert hrefs == ["/digitalmarketing-blog", "/Visual-blog", "/email-marketing-blog", "/video-blog"]
    categories = ["Digital Marketing", "Content Creation", "Email Marketing", "Video Marketing"]
    for article, category in zip(articles, categories, strict=True):
        article.get_by_text(category)
        article.get_by_text(re.compile(r"^[34] min read$"))
    assert blogs.get_by_role("link", "View All Blogs")["href"] == "/blog"


def impact(page: Page) -> tuple[Locator, list[str]]:
    """The banner and what its four counters show."""
    banner = section(page, "Our Impact")
    return banner, [figure.inner_text() for figure in banner.locator("dd > [aria-hidden]").all()]


@pytest.mark.specification
def test_s2_without_scripts_the_final_figures_are_shown(read_page: PageReader) -> None:
    banner = read_page("/").get_by_role("region", "Our Impact")
    assert [figure.text for figure in banner.select_all("dd > [aria-hidden]")] == FIGURES
    assert "meaningful results and lasting partnerships" in banner.text
    for term in (
        "enterprises transformed",
        "daily active users",
        "uptime reliability",
        "industries served",
    ):
        banner.get_by_text(re.compile(f"^{term}"))


def scroll_until_visible(page: Page, share: float) -> None:
    """Scroll down until `share` of the impact banner is in the window."""
    page.evaluate(
        """share => { const box = document.querySelector('[aria-label="Our Impact"]').getBoundingClientRect();
        window.scrollBy({top: box.top - innerHeight + box.height * share, behavior: 'instant'}); }""",
        share,
    )


def observe_after_the_page(page: Page, share: float) -> None:
    """Wait until an observer that was made later than the page's own reports that so much of the banner is visible."""
    page.evaluate(
        """share => new Promise(done => new IntersectionObserver(
        ([entry]) => { if (entry.intersectionRatio >= share) done(); }, {threshold: share}
        ).observe(document.querySelector('[aria-label="Our Impact"]')))""",
        share,
    )


@pytest.mark.thorough
@pytest.mark.specification
def test_s4_the_counters_wait_for_thirty_percent_then_count_once_for_two_seconds(open_page: Opener) -> None:
    page = open_page("/", prepare=lambda page: page.clock.install())
    banner, figures = impact(page)
    assert figures == ["0+"] * len(FIGURES)
    scroll_until_visible(page, 0.2)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert impact(page)[1] == ["0+"] * len(FIGURES)
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
    scroll_until_visible(page, 0.4)
    observe_after_the_page(page, 0.3)
    users = banner.locator("dd > [aria-hidden]").nth(1)
    # 3,000 in 60 steps of 50, the last of them at most one step late.
    for milliseconds, seen in (
        (500, "(700|750)"),
        (500, "1,(450|500)"),
        (500, "2,(200|250)"),
        (450, "2,(850|900)"),
    ):
        page.clock.run_for(milliseconds)
        expect(users).to_have_text(re.compile(rf"^{seen}\+$"))
    page.clock.run_for(100)
    expect(banner.locator("dd > [aria-hidden]")).to_have_text(FIGURES)
    page.evaluate("window.scrollTo(0, 0)")
    scroll_until_visible(page, 0.8)
    page.clock.run_for(100)
    assert impact(page)[1] == FIGURES


@pytest.mark.thorough
def test_the_counters_do_not_move_with_reduced_motion(open_page: Opener) -> None:
    _, figures = impact(open_page("/", reduced_motion="reduce"))
    assert figures == FIGURES


@pytest.mark.thorough
def test_s9_partners_loop_in_twenty_seconds_and_pause(open_page: Opener) -> None:
    page = open_page("/")
    clients = section(page, "Our Esteemed Clients")
    expect(clients).to_contain_text("collaborating with industry leaders")
    names = [mark.get_attribute("alt") for mark in clients.get_by_role("img").all()]
    assert names == [partner.name for partner in PARTNERS]
    assert clients.locator(".strip-copy[aria-hidden=true] img").count() == len(PARTNERS)
    track = clients.locator(".strip-track")
    assert animation(track) == {
        "name": "strip", "time": "20s", "curve": "linear", "count": "infinite", "state": "running"
    }  # fmt: skip
    clients.get_by_role("button", name="Pause").click()
    expect(clients.get_by_role("button", name="Play")).to_be_visible()
    assert animation(track)["state"] == "paused"
    clients.get_by_role("button", name="Play").click()
    expect(clients.get_by_role("button", name="Pause")).to_be_visible()
    assert animation(track)["state"] == "running"
    clients.locator(".strip").hover()
    assert animation(track)["state"] == "paused"


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{"scripts": False}, {"reduced_motion": "reduce"}])
def test_nothing_moves_where_it_could_not_or_should_not(
    open_page: Opener, options: dict[str, object]
) -> None:
    page = open_page("/", **options)
    for track in page.locator(".strip-track").all():
        assert animation(track)["name"] == "none"
    expect(page.locator(".strip-pause:visible")).to_have_count(0)


def test_s2_the_academy_banner_leads_to_the_academy(read_page: PageReader) -> None:
    banner = section_under(read_page("/"), "Eyeing that career in the digital space?")
    assert banner.get_by_role("link")["href"] == "/academy"


@pytest.mark.specification
def test_r2_the_portfolio_page_shows_all_four_categories(read_page: PageReader) -> None:
    page = read_page("/portfolio")
    assert [heading.text for heading in page.select_all("main h2")][:4] == CATEGORIES
    assert len(page.get_by_role("main").get_all_by_role("article")) == 12
    page.get_by_text(PORTFOLIO[1].empty_text)
    assert "Android and USSD" in page.select("#pamoja-sacco").text
    kinds = page.get_by_role("navigation", "Kinds of work")
    assert kinds.get_by_role("link", CATEGORIES[2])["href"] == "#software"
    assert CATEGORIES[2] in page.select("#software").text


def test_a_project_of_the_home_page_leads_to_its_case(open_page: Opener) -> None:
    page = open_page("/")
    case = PORTFOLIO[0].images[0]
    page.get_by_role("link", name=case.title).click()
    expect(page).to_have_url(re.compile(f"/portfolio#{case.id}$"))
    expect(page.locator(f"#{case.id}")).to_be_in_viewport()


def test_without_scripts_every_slide_and_every_kind_of_work_is_shown(open_page: Opener) -> None:
    page = open_page("/", scripts=False)
    for slide in HERO:
        expect(page.get_by_role("heading", name=slide.title)).to_be_visible()
    for group in PORTFOLIO:
        expect(page.get_by_role("heading", name=group.category, exact=True)).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/academy"])
@pytest.mark.parametrize("height", [540, 640])
def test_the_first_button_is_in_view_on_a_short_phone(open_page: Opener, path: str, height: int) -> None:
    page = open_page(path, viewport={"width": 360, "height": height}, ready=untouched)
    box = page.locator("main .button").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= height
