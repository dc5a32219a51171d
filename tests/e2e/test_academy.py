"""Academy, course pages and catalogue, as the specification's sections 2, 3, 4 and 9 describe them."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.course_schema import CourseCategory
from agency_site.content.courses import COURSES, catalogue, featured, related
from tests.e2e.conftest import PHONE, Opener, PageReader, hydrated, until
from tests.example_records import FREE_COURSE, OTHER_COURSE, PAID_COURSE, THIRD_COURSE

SINGLE = [
    course.slug
    for course in COURSES
    if course.slug not in ("social-media-marketing", "digital-marketing-masterclass")
]

CARDS = [course.catalogue for course in catalogue() if course.catalogue]


def count_text(*categories: CourseCategory) -> str:
    """Return the text that counts the courses of some categories."""
    count = sum(card.category in categories for card in CARDS)
    return f"{count} course{'' if count == 1 else 's'} shown"


ALL_SHOWN = count_text(*CourseCategory)


def catalogue_titles(page: Page) -> list[str]:
    """Headings of the cards that show."""
    return page.locator("#courses li:not([hidden]) h3").all_inner_texts()


def columns(page: Page) -> int:
    """Return the number of cards in the first row of the catalogue."""
    tops = page.locator("#courses li").evaluate_all(
        "cards => cards.map(card => card.getBoundingClientRect().top)"
    )
    return sum(abs(top - tops[0]) < 2 for top in tops)


def test_s2_the_catalogue_shows_all_parts_of_its_cards_without_scripts(read_page: PageReader) -> None:
    section = read_page("/").select("#courses")
    section.get_by_text("OUR COURSES")
    section.get_by_role("heading", "View Our Courses")
    for course, item in zip(catalogue(), section.select_all("li"), strict=True):
        card = course.catalogue
        assert card
        for text in (card.title, card.duration, f"{card.rating:g}", card.level, card.description):
            item.get_by_text(text)
        assert f"{course.shown_price} Starts: Very soon. No date fixed yet." in item.text
        assert item.get_by_role("link", re.compile("^Learn More"))["href"] == course.path
        item.select(".catalogue-icon svg")
    section.get_by_role("heading", "It's time to redefine success for your leadership and business")
    assert section.get_by_role("link", "Explore All Courses")["href"] == "/academy"


def test_s4_the_filter_shows_only_matching_courses_and_is_in_the_address(open_page: Opener) -> None:
    page = open_page("/")
    filters = page.get_by_role("group", name="Filter courses")
    count = page.locator("#courses").get_by_role("status")
    expect(filters.get_by_role("link", name="All")).to_have_attribute("aria-current", "true")
    expect(count).to_have_text(ALL_SHOWN)
    filters.get_by_role("link", name="Marketing").click()
    expect(count).to_have_text(count_text(CourseCategory.MARKETING))
    expect(page).to_have_url(re.compile(r"/\?courses=marketing#courses-marketing$"))
    assert not {card.title for card in CARDS if card.category is not CourseCategory.MARKETING} & {
        *catalogue_titles(page)
    }
    expect(filters).to_be_in_viewport()
    filters.get_by_role("link", name="Business").click()
    expect(count).to_have_text(count_text(CourseCategory.BUSINESS))
    expect(page).to_have_url(re.compile(r"/\?courses=business#courses-business$"))
    page.go_back()
    expect(count).to_have_text(count_text(CourseCategory.MARKETING))
    expect(filters.get_by_role("link", name="Marketing")).to_have_attribute("aria-current", "true")
    filters.get_by_role("link", name="All").click()
    expect(count).to_have_text(ALL_SHOWN)
    expect(page).not_to_have_url(re.compile("courses="))


def test_s4_a_shared_filter_address_opens_filtered_and_a_wrong_one_shows_all(read_page: PageReader) -> None:
    for choice, status in (("business", count_text(CourseCategory.BUSINESS)), ("cooking", ALL_SHOWN)):
        section = read_page(f"/?courses={choice}").select("#courses")
        assert section.get_by_role("status").text == status
        assert status.startswith(f"{len(section.select_all('li:not([hidden])'))} ")


def test_s2_the_catalogue_grid_has_one_two_and_three_columns(open_page: Opener) -> None:
    page = open_page("/", scripts=False)
    for width, expected in ((320, 1), (499, 1), (500, 2), (1023, 2), (1024, 3), (1280, 3)):
        page.set_viewport_size({"width": width, "height": 900})
        assert columns(page) == expected, width


@pytest.mark.specification
def test_s2_academy_landing_shows_the_five_figures(read_page: PageReader) -> None:
    entries = [entry.text for entry in read_page("/academy").select_all("dl > div")]
    for figure, label in (
        ("92%", "job placement"),
        ("1000+", "students trained"),
        ("120+", "industry experts"),
        ("98%", "satisfaction"),
        ("10", "certification programs"),
    ):
        assert f"{label} {figure}" in entries


def test_s2_academy_landing_lists_every_course_with_stars_and_links(read_page: PageReader) -> None:
    page = read_page("/academy")
    cards = page.select_all("#courses li")
    for card, course in zip(cards, featured(), strict=True):
        assert card.get_by_role("link", course.featured.title)["href"] == course.path
        assert f"{course.shown_price} No date fixed yet" in card.text
        stars = card.get_by_role("img", f"{course.featured.rating:g} out of 5 stars")
        assert sum(len(stars.select_all(f".icon-star{kind}")) for kind in ("", "-half", "-empty")) == 5
        assert len(stars.select_all(".icon-star")) <= course.featured.rating
    assert {link["href"] for link in page.get_all_by_role("link", "Enroll Today")} == {"/payment"}


@pytest.mark.parametrize("slug", SINGLE)
def test_s2_a_course_page_has_all_its_parts(read_page: PageReader, slug: str) -> None:
    course = next(course for course in COURSES if course.slug == slug)
    page = read_page(f"/{slug}")
    assert page.get_by_role("heading", level=1).text == course.title
    for heading in ("Overview", course.detail.learn_heading, "Who it is for", "What you gain", "Next steps"):
        page.get_by_role("heading", heading, level=2)
    facts = page.get_by_role("complementary")
    for text in (
        course.shown_price, course.duration, course.detail.format, course.detail.level, course.detail.certificate,
    ):  # fmt: skip
        facts.get_by_text(text)
    assert len(page.select_all("blockquote")) == 1
    main = page.get_by_role("main")
    enrol = main.get_all_by_role("link", re.compile("^Enroll"))
    assert {link["href"] for link in enrol} == {f"/payment?course={slug}"}
    assert {link["href"] for link in main.get_all_by_role("link", "Book a Consultation")} == {"/book"}


def test_the_facts_of_a_course_are_shown_on_a_phone(open_page: Opener) -> None:
    facts = open_page(f"/{PAID_COURSE.slug}", scripts=False, viewport=PHONE).get_by_role("complementary")
    expect(facts.get_by_text(PAID_COURSE.shown_price, exact=True)).to_be_visible()


@pytest.mark.specification
def test_s9_email_marketing_names_both_prices_before_any_money_moves(read_page: PageReader) -> None:
    facts = read_page("/email-marketing").get_by_role("complementary")
    facts.get_by_text("KES 20,000")
    assert "The payment page lists this course at KES 25,000" in facts.get_by_role("note").text
    payment = read_page(facts.get_by_role("link", "Enroll with M-Pesa")["href"])
    payment.get_by_role("button", "Pay KES 25,000")


def test_s9_digital_skills_is_free_and_leads_to_free_enrolment(read_page: PageReader) -> None:
    facts = read_page(f"/{FREE_COURSE.slug}").get_by_role("complementary")
    facts.get_by_text("FREE")
    payment = read_page(facts.get_by_role("link", "Enroll for Free")["href"])
    payment.get_by_role("button", "Enroll for free")


@pytest.mark.specification
@pytest.mark.parametrize(
    ("path", "first", "other", "level"),
    [
        ("/social-media-marketing", "Social Media Marketing", "Digital Marketing Masterclass", "Intermediate"),
        (
            "/digital-marketing-masterclass", "Digital Marketing Masterclass", "Social Media Marketing",
            "Advanced Marketing Professionals",
        ),
    ],
)  # fmt: skip
def test_s2_the_masterclass_and_social_media_share_a_page_with_two_tracks(
    open_page: Opener, path: str, first: str, other: str, level: str
) -> None:
    page = open_page(path)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(2)
    expect(tabs.first).to_contain_text(first)
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel")).to_have_count(1)
    expect(page.get_by_role("tabpanel").get_by_text(level, exact=True)).to_be_visible()
    canonical = page.locator('link[rel="canonical"]')
    expect(canonical).to_have_attribute("href", re.compile("/social-media-marketing$"))
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tabs.last).to_be_focused()
    expect(tabs.last).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name=re.compile(other))).to_be_visible()
    expect(page.get_by_role("tabpanel")).to_have_count(1)
    expect(page).to_have_url(re.compile(f"{path}$"))


@pytest.mark.specification
def test_both_tracks_can_be_read_without_scripts(open_page: Opener) -> None:
    page = open_page("/digital-marketing-masterclass", scripts=False)
    panels = page.get_by_role("tabpanel")
    expect(panels).to_have_count(2)
    expect(panels.first.get_by_text("Advanced Marketing Professionals", exact=True)).to_be_visible()
    expect(panels.last.get_by_text("Intermediate", exact=True)).to_be_visible()


def test_a_saved_course_waits_on_the_academy_page_in_this_browser(open_page: Opener) -> None:
    page = open_page(f"/{PAID_COURSE.slug}")
    page.get_by_role("button", name="Save for later").click()
    expect(page.get_by_role("button", name="Remove from your list")).to_be_visible()
    page.get_by_role("link", name="Your saved courses").click()
    saved = page.get_by_role("region", name="Your saved courses")
    expect(saved.get_by_role("link", name=PAID_COURSE.title)).to_be_visible()
    page.reload()
    hydrated(page)
    expect(saved.get_by_role("link", name=PAID_COURSE.title)).to_have_attribute(
        "href", f"/{PAID_COURSE.slug}"
    )
    saved.get_by_role("button", name=f"Remove {PAID_COURSE.title} from your list").click()
    expect(saved).to_be_hidden()
    expect(page.locator("#courses-heading")).to_be_focused()


def test_a_list_that_was_tampered_with_shows_only_courses(open_page: Opener) -> None:
    page = open_page("/academy")
    page.evaluate(f"localStorage.setItem('agency-saved-courses', '{OTHER_COURSE.slug},../admin,<b>')")
    page.reload()
    saved = page.get_by_role("region", name="Your saved courses")
    expect(saved.get_by_role("link")).to_have_count(1)
    expect(saved.get_by_role("link")).to_have_attribute("href", f"/{OTHER_COURSE.slug}")


def test_sharing_falls_back_to_plain_links(open_page: Opener) -> None:
    page = open_page(f"/{THIRD_COURSE.slug}", scripts=False)
    page.get_by_text("Share", exact=True).click()
    link = page.get_by_role("link", name="WhatsApp")
    expect(link).to_be_visible()
    assert re.search(
        rf"{quote(THIRD_COURSE.title)}%20http://[^ ]*/{THIRD_COURSE.slug}$", link.get_attribute("href") or ""
    )


def test_sharing_uses_the_browsers_own_sheet_where_there_is_one(open_page: Opener) -> None:
    page = open_page(f"/{THIRD_COURSE.slug}")
    page.add_init_script("navigator.share = async (data) => { window.shared = data; }")
    page.reload()
    hydrated(page)
    page.get_by_text("Share", exact=True).click()
    until(page, "window.shared")
    assert page.evaluate("window.shared.url").endswith(f"/{THIRD_COURSE.slug}")
    expect(page.get_by_role("link", name="WhatsApp")).to_be_hidden()


def test_every_course_names_its_next_steps_and_related_courses(read_page: PageReader) -> None:
    page = read_page(f"/{OTHER_COURSE.slug}")
    (steps,) = (
        item for item in page.get_all_by_role("list") if item.get_all_by_role("heading", "You get ready")
    )
    assert len(steps.get_all_by_role("listitem")) == 4
    for course in related(OTHER_COURSE):
        link = page.get_by_role("main").get_by_role("link", re.compile(re.escape(course.title)))
        assert link["href"] == course.path
