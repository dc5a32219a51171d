"""The home page's sections (specification, sections 2, 4, 8 and 9)."""

import re
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.course_schema import CourseCategory
from agency_site.content.courses import catalogue
from agency_site.content.impact import list_shown
from agency_site.content.partners import PARTNERS
from agency_site.content.portfolio import PORTFOLIO
from agency_site.content.testimonials import TESTIMONIALS, TRUST_LINE
from tests.e2e.conftest import PHONE, Opener, PageReader, hydrated, untouched
from tests.html_document import parse_html, section_under

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
    trust.get_by_role("checkbox", name="Pause what clients say").check()
    assert animation(track)["state"] == "paused"
    trust.get_by_role("checkbox", name="Play what clients say").uncheck()
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
    expect(trust.get_by_role("checkbox")).to_have_count(0)


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
def test_s2_a_tab_shows_its_pictures(open_page: Opener) -> None:
    page = open_page("/")
    panel = page.get_by_role("tabpanel")
    page.get_by_role("tab", name="Software Development").click()
    expect(panel.get_by_role("heading", name="Pamoja SACCO")).to_be_visible()
    expect(page.get_by_role("tab", selected=True)).to_have_text("Software Development")
    page.get_by_role("tab", name=CATEGORIES[1]).click()
    expect(panel.get_by_role("article")).to_have_count(3)


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
    carousel.get_by_role("checkbox", name="Pause").check()
    expect(carousel).to_have_attribute("data-slide", "0")
    page.reload()
    hydrated(page)
    expect(carousel.get_by_role("checkbox", name="Pause")).not_to_be_checked()
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


# What the counters show: the number that CSS counts, or the text.
_FIGURES = """(ms) => {
  const counting = document.getAnimations().filter(({ animationName }) => animationName === "count");
  if (ms !== null) for (const animation of counting) animation.currentTime = ms;
  return [...document.querySelectorAll(".counter")].map((counter) => {
    const style = getComputedStyle(counter);
    if (style.getPropertyValue("--counting") === "0") return counter.innerText;
    const parts = ["::before", "::after"].filter((part) => getComputedStyle(counter, part).fontSize !== "0px");
    return `${parts} ${style.getPropertyValue("--figure")}`;
  });
}"""
TRUE_FIGURES = [stat.figure for stat in list_shown()]


def figures(page: Page, ms: float | None = None) -> list[str]:
    """Return what the counters show, `ms` milliseconds after they have begun."""
    return list(page.evaluate(_FIGURES, ms))


def is_counting(page: Page) -> bool:
    """Return whether a counter runs."""
    return bool(
        page.evaluate(
            "document.getAnimations().some((one) => one.animationName === 'count' && one.playState === 'running')"
        )
    )


def scroll_until_visible(page: Page, share: float) -> None:
    """Scroll until `share` of the impact banner is in the window, and wait until the page's observer has noticed it."""
    page.evaluate(
        """share => { const banner = document.querySelector('[aria-label="Our Impact"]'), box = banner.getBoundingClientRect();
        window.scrollBy({top: box.top - innerHeight + box.height * share, behavior: 'instant'});
        return new Promise(done => new IntersectionObserver(() => done()).observe(banner)); }""",
        share,
    )


@pytest.mark.specification
def test_s4_the_counters_wait_for_thirty_percent_then_count_once_for_two_seconds(open_page: Opener) -> None:
    page = open_page("/", ready=untouched)
    scroll_until_visible(page, 0.2)
    assert not is_counting(page)
    assert figures(page) == ["::before 0"] * len(TRUE_FIGURES)
    scroll_until_visible(page, 0.4)
    assert is_counting(page)
    # 3,000 in 60 steps of 50; from 1,000 on with a comma.
    for ms, seen in (
        (10, "::before 0"),
        (500, "::before 750"),
        (1000, "::after 1500"),
        (1990, "::after 2950"),
    ):
        assert figures(page, ms)[1] == seen
    assert figures(page, 2000) == TRUE_FIGURES
    page.evaluate("window.scrollTo(0, 0)")
    scroll_until_visible(page, 0.8)
    assert figures(page) == TRUE_FIGURES


def test_the_counters_count_on_a_page_that_react_has_taken_over(open_page: Opener) -> None:
    page = open_page("/")
    scroll_until_visible(page, 0.8)
    assert is_counting(page)


@pytest.mark.parametrize("options", [{"scripts": False}, {"reduced_motion": "reduce"}])
def test_the_true_figures_are_shown_where_nothing_counts(
    open_page: Opener, options: dict[str, object]
) -> None:
    assert figures(open_page("/", ready=untouched, **options)) == TRUE_FIGURES


def test_a_page_saved_before_the_counters_began_has_the_true_figures(open_page: Opener) -> None:
    page = open_page("/", ready=untouched)
    saved = parse_html(page.content())
    banner = saved.get_by_role("region", "Our Impact")
    assert [figure.text for figure in banner.select_all("dd > [aria-hidden]")] == FIGURES


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
    clients.get_by_role("checkbox", name="Pause the clients' marks").check()
    assert animation(track)["state"] == "paused"
    clients.get_by_role("checkbox", name="Play the clients' marks").uncheck()
    assert animation(track)["state"] == "running"
    clients.locator(".strip").hover()
    assert animation(track)["state"] == "paused"


@pytest.mark.thorough
def test_no_strip_moves_with_reduced_motion(open_page: Opener) -> None:
    page = open_page("/", reduced_motion="reduce")
    for track in page.locator(".strip-track").all():
        assert animation(track)["name"] == "none"
    expect(page.get_by_role("checkbox", name="Pause what clients say")).to_be_hidden()


def test_a_strip_is_paused_without_scripts(open_page: Opener) -> None:
    page = open_page("/", scripts=False)
    track = section(page, TRUST_LINE).locator(".strip-track")
    assert animation(track)["state"] == "running"
    page.get_by_role("checkbox", name="Pause what clients say").check()
    assert animation(track)["state"] == "paused"


def test_s2_the_academy_banner_leads_to_the_academy(read_page: PageReader) -> None:
    banner = section_under(read_page("/"), "Eyeing that career in the digital space?")
    assert banner.get_by_role("link")["href"] == "/academy"


@pytest.mark.specification
def test_r2_the_portfolio_page_shows_all_four_categories(read_page: PageReader) -> None:
    page = read_page("/portfolio")
    assert [heading.text for heading in page.select_all("main h2")][:4] == CATEGORIES
    assert len(page.get_by_role("main").get_all_by_role("article")) == 19
    assert "Android and USSD" in page.select("#pamoja-sacco").text
    kinds = page.get_by_role("navigation", "Kinds of work")
    assert kinds.get_by_role("link", CATEGORIES[2])["href"] == "#software"
    assert CATEGORIES[2] in page.select("#software").text


def test_a_project_of_the_home_page_leads_to_its_case(open_page: Opener) -> None:
    page = open_page("/")
    case = PORTFOLIO[0].images[0]
    page.get_by_role("link", name=case.title).click()
    expect(page).to_have_url(re.compile(f"{case.href}$"))
    for heading in ("What was asked", "What we made", "What came of it"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()


def test_a_case_is_read_without_scripts(open_page: Opener) -> None:
    case = PORTFOLIO[0].images[0]
    page = open_page(case.href, viewport=PHONE, scripts=False)
    for description in (case.alt, case.detail_alt):
        picture = page.get_by_role("img", name=description)
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
    page.get_by_role("link", name="Next project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(PORTFOLIO[0].images[1].title)


def test_without_scripts_every_kind_of_work_is_shown(open_page: Opener) -> None:
    page = open_page("/", scripts=False)
    for group in PORTFOLIO:
        expect(page.get_by_role("heading", name=group.category, exact=True)).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/academy"])
@pytest.mark.parametrize("height", [540, 640])
def test_the_first_button_is_in_view_on_a_short_phone(open_page: Opener, path: str, height: int) -> None:
    page = open_page(path, viewport={"width": 360, "height": height}, ready=untouched)
    box = page.locator("main .button").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= height
