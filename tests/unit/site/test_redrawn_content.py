"""Pages show what staff publish about courses, plans, people and webinars."""

import re

import pytest

from agency_site.content.about import TEAM
from agency_site.content.courses import COURSES, course_by_slug
from agency_site.content.entries import Kind
from agency_site.content.hosting import PLANS
from agency_site.content.partners import PARTNERS
from agency_site.content.published import Records, previewed
from agency_site.content.testimonials import TESTIMONIALS
from agency_site.content.webinars import WEBINARS, WebinarStatus
from agency_site.features.newsletter.view import footer_form
from agency_site.site.academy.open_runs import ENROLMENT_CLOSED
from agency_site.web.publishing.redrawn_pages import make_page, redraw_page
from tests.built_pages import build_page
from tests.example_records import PAID_COURSE, WEBINAR
from tests.unit.site.test_redrawn_structure import change_all, list_routes

TRACK = "social-media-marketing"


def redraw(path: str, records: Records) -> str:
    """Return the page of the build at that path with these records."""
    with previewed({}):
        built = list_routes()
        like = path if path in built else WEBINAR.href
        page = build_page(built[like], footer_form)
    with previewed(records):
        route = list_routes()[path]
        if route.made_like:
            return make_page(page, route, footer_form)
        return redraw_page(page, route, built[path], footer_form)


def price(slug: str, shillings: int) -> Records:
    """Every course as delivered, except for this price."""
    course = course_by_slug(slug)
    assert course is not None
    dearer = course.model_copy(update={"payment_price": shillings, "detail_price": shillings})
    return {Kind.COURSE: tuple(dearer if other.slug == slug else other for other in COURSES)}


def head_of(page: str) -> str:
    return page.partition("</head>")[0]


def test_a_price_is_on_the_page_of_its_course_for_readers_and_for_search_engines() -> None:
    page = redraw(PAID_COURSE.path, price(PAID_COURSE.slug, 17_000))
    assert ">KES 17,000<" in page
    assert '"price":17000' in page.replace(" ", "")
    assert "KES 17,000." in head_of(page)


def test_a_page_of_two_courses_names_both_prices_once_they_differ() -> None:
    assert "online, at KES 17,000 and KES 15,000." in redraw(f"/{TRACK}", price(TRACK, 17_000))


def test_the_academy_begins_with_its_lowest_price() -> None:
    assert "from KES 9,000 and one free" in head_of(redraw("/academy", price(PAID_COURSE.slug, 9_000)))
    assert "and two free" in head_of(redraw("/academy", price(PAID_COURSE.slug, 0)))


@pytest.mark.parametrize("slug", [PAID_COURSE.slug, TRACK])
def test_the_page_of_a_closed_course_says_so_and_has_no_button_to_enrol(slug: str) -> None:
    course = course_by_slug(slug)
    assert course is not None
    others = price(slug, course.detail_price)[Kind.COURSE]
    page = redraw(course.path, {Kind.COURSE: change_all(others, is_open=False)})
    assert page.count(ENROLMENT_CLOSED) >= 3
    assert f"/payment?course={slug}" not in page
    assert "https://schema.org/OutOfStock" in page


def test_the_price_of_a_plan_is_wherever_plans_are() -> None:
    plans = change_all(PLANS, price=9_900)
    for path in ("/hosting", "/services/web-design", f"/signup/{PLANS[1].slug}"):
        page = redraw(path, {Kind.PLAN: plans})
        assert page.count("9,900 ksh") >= len(PLANS), path
        # The description of the share picture says what the delivered picture shows.
        assert PLANS[1].price_text not in page.partition("</head>")[2], path
    assert "Pro 9,900 ksh a month" in head_of(redraw("/hosting", {Kind.PLAN: plans}))


def test_a_member_without_a_photo_has_initials_and_no_picture() -> None:
    member = TEAM[0].model_copy(update={"image_url": "", "name": "Zuri Zawadi"})
    page = redraw("/about", {Kind.TEAM_MEMBER: (member,)})
    assert ">ZZ</span>" in page
    assert "Portrait of" not in page
    assert TEAM[1].name not in page


def test_marks_and_voices_of_the_home_page_follow() -> None:
    partner = PARTNERS[0].model_copy(update={"name": "Zuri Foods", "logo": "/pictures/zuri.webp"})
    voice = TESTIMONIALS[0].model_copy(update={"quote": "They answer the phone."})
    page = redraw("/", {Kind.PARTNER: (*PARTNERS, partner), Kind.TESTIMONIAL: (voice,)})
    assert 'alt="Zuri Foods"' in page
    assert "/images//pictures" not in page
    assert page.count("They answer the phone.") == 2
    assert TESTIMONIALS[1].quote not in page


def test_a_new_webinar_has_a_page_with_a_form_and_is_on_the_board() -> None:
    new = WEBINAR.model_copy(update={"id": "new-webinar", "title": "Radio for shopkeepers"})
    records: Records = {Kind.WEBINAR: (*WEBINARS, new)}
    page = redraw(new.href, records)
    assert f'action="{new.href}"' in page
    assert WEBINAR.href not in re.sub(r'<a [^>]*href="[^"]*"', "", page)
    assert "start()" not in page
    board = redraw("/webinar", records)
    assert f'href="{new.href}"' in board
    assert "Radio for shopkeepers" in board


def test_a_webinar_that_has_taken_place_offers_its_recording() -> None:
    past = WEBINAR.model_copy(update={"status": WebinarStatus.PAST, "recording": "https://video.example/1"})
    page = redraw(WEBINAR.href, {Kind.WEBINAR: (past, *(other for other in WEBINARS if other.id != past.id))})
    assert 'href="https://video.example/1"' in page
    assert "seat-form" not in page


def test_a_cancelled_webinar_says_so_and_takes_nobody() -> None:
    records: Records = {Kind.WEBINAR: change_all(WEBINARS, cancelled=True)}
    page = redraw(WEBINAR.href, records)
    assert "This webinar has been cancelled" in page
    assert "https://schema.org/EventCancelled" in page
    assert "seat-form" not in page
    assert "Cancelled. " in head_of(page)
    board = redraw("/webinar", records)
    assert ">Cancelled</p>" in board
    assert "Reserve a seat" not in board
    assert WEBINAR.title not in redraw("/resources", records)
