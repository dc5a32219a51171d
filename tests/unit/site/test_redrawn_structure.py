"""Pages keep their structure when staff publish: React finds each static part of the build, whatever it shows now."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

import pytest

from agency_site.content.about import TEAM
from agency_site.content.articles import ARTICLES
from agency_site.content.courses import COURSES
from agency_site.content.entries import Kind
from agency_site.content.hosting import PLANS
from agency_site.content.insights import INSIGHTS
from agency_site.content.partners import PARTNERS
from agency_site.content.portfolio import PROJECTS
from agency_site.content.published import Records, previewed
from agency_site.content.schema import Record
from agency_site.content.testimonials import TESTIMONIALS
from agency_site.content.webinars import WEBINARS, WebinarStatus
from agency_site.features.booking.page import booking_route
from agency_site.features.comments.view import comment_count, comment_regions, comment_section
from agency_site.features.contact.page import enquiry_routes
from agency_site.features.newsletter.view import footer_form, newsletter_box
from agency_site.features.webinars.page import webinar_routes
from agency_site.site import pages
from agency_site.site.feature_elements import Parts
from agency_site.site.layout.page import shell
from agency_site.site.layout.route import Route
from agency_site.ui.server_html import render_html
from agency_site.ui.static_markup import draw_static_parts

PARTS = Parts(newsletter_box, comment_count, comment_section, comment_regions)


def change_all(records: Iterable[Record], **values: object) -> tuple[Record, ...]:
    """The records with other values in every one."""
    return tuple(record.model_copy(update=values) for record in records)


FEWER: Records = {
    Kind.ARTICLE: ARTICLES[:2],
    Kind.INSIGHT: INSIGHTS[:2],
    Kind.WEBINAR: WEBINARS[:1],
    Kind.TEAM_MEMBER: TEAM[:1],
    Kind.TESTIMONIAL: TESTIMONIALS[:1],
    Kind.PARTNER: PARTNERS[:1],
    Kind.PROJECT: (),
}
MORE: Records = {
    Kind.ARTICLE: (*ARTICLES, ARTICLES[0].model_copy(update={"slug": "new-article", "featured": False})),
    Kind.INSIGHT: (*INSIGHTS, INSIGHTS[0].model_copy(update={"slug": "new-insight", "featured": False})),
    Kind.WEBINAR: (*WEBINARS, WEBINARS[0].model_copy(update={"id": "new-webinar"})),
    Kind.TEAM_MEMBER: (*TEAM, TEAM[0].model_copy(update={"id": "new-member"})),
    Kind.TESTIMONIAL: TESTIMONIALS * 3,
    Kind.PARTNER: PARTNERS * 2,
    Kind.PROJECT: (*PROJECTS, PROJECTS[0].model_copy(update={"id": "new-project", "group": "social"})),
}
BARE: Records = {
    Kind.ARTICLE: change_all(ARTICLES, hashtags=(), next=None, revised=None, headings=(), lead=""),
    Kind.INSIGHT: change_all(INSIGHTS, revised=None, headings=(), lead=""),
    Kind.TEAM_MEMBER: change_all(TEAM, image_url=""),
    Kind.PROJECT: change_all(PROJECTS, type="", languages=()),
    Kind.PLAN: change_all(PLANS, features=(), popular=False),
    Kind.WEBINAR: change_all(WEBINARS, capacity=None, recording=""),
}
PRICES: Records = {
    Kind.COURSE: tuple(
        course.model_copy(update={"payment_price": price, "detail_price": price})
        for course, price in zip(COURSES, range(17_000, 90_000, 1_000), strict=False)
    ),
    Kind.PLAN: change_all(PLANS, price=9_900, features=("One", "Two", "Three", "Four"), popular=True),
}
TWO_PRICES: Records = {Kind.COURSE: change_all(COURSES, payment_price=25_000, detail_price=20_000)}
NONE: Records = {
    Kind.WEBINAR: (),
    Kind.TEAM_MEMBER: (),
    Kind.TESTIMONIAL: (),
    Kind.PARTNER: (),
    Kind.PROJECT: (),
}
ALL_FREE: Records = {Kind.COURSE: change_all(COURSES, payment_price=0, detail_price=0)}
FREE: Records = {Kind.COURSE: change_all(COURSES[:1], payment_price=0, detail_price=0) + COURSES[1:]}
CLOSED: Records = {Kind.COURSE: change_all(COURSES, is_open=False)}
CANCELLED: Records = {Kind.WEBINAR: change_all(WEBINARS, cancelled=True)}
PAST: Records = {Kind.WEBINAR: change_all(WEBINARS, status=WebinarStatus.PAST)}
UPCOMING: Records = {
    Kind.WEBINAR: tuple(
        webinar.model_copy(
            update={
                "status": WebinarStatus.UPCOMING,
                "date": webinar.date + timedelta(days=365),
                "capacity": 7,
            }
        )
        for webinar in WEBINARS
    )
}
CONTENTS = {
    "fewer": FEWER,
    "more": MORE,
    "bare": BARE,
    "prices": PRICES,
    "two prices": TWO_PRICES,
    "none": NONE,
    "all free": ALL_FREE,
    "free": FREE,
    "closed": CLOSED,
    "cancelled": CANCELLED,
    "past": PAST,
    "upcoming": UPCOMING,
}


def list_routes() -> dict[str, Route]:
    """The public pages that show content which staff can change, by path."""
    routes = (*pages(PARTS), *enquiry_routes(), *webinar_routes())
    return {route.path: route for route in routes if route.shows}


def draw_regions(route: Route) -> Mapping[str, str]:
    return {name: render_html(draw()) for name, draw in route.regions.items()}


def draw_parts(route: Route, regions: frozenset[str]) -> list[str]:
    """The names of the elements of each static part outside these regions, in order."""
    parts = draw_static_parts(shell(route, footer_form), regions)
    return [match[1] if (match := re.match(r"<([a-z0-9-]+)", part)) else part for part in parts]


def list_pages(records: Records) -> Iterator[tuple[Route, Route]]:
    """Each page of the build that shows these kinds, as built and with these records."""
    with previewed({}):
        built = list_routes()
    with previewed(records):
        routes = list_routes()
    for path, route in routes.items():
        if route.shows & records.keys():
            yield built[route.made_like or path], route


@pytest.mark.parametrize("name", CONTENTS)
def test_each_page_has_the_static_parts_of_the_build_whatever_staff_publish(name: str) -> None:
    records = CONTENTS[name]
    count = 0
    for built, route in list_pages(records):
        with previewed(records):
            now = draw_regions(route)
        with previewed({}):
            before = {} if route.made_like else draw_regions(built)
        regions = frozenset(region for region, html in now.items() if html != before.get(region))
        with previewed({}):
            expected = draw_parts(built, regions)
        with previewed(records):
            assert draw_parts(route, regions) == expected, route.path
        count += 1
    assert count


def test_every_kind_of_content_is_shown_by_a_page_and_tried_here() -> None:
    kinds = {kind for route in (*list_routes().values(), booking_route()) for kind in route.shows}
    # Every page has the announcement, mails have their texts.
    assert kinds == set(Kind) - {Kind.ANNOUNCEMENT, Kind.MAIL_TEXT}
    tried = {kind for records in CONTENTS.values() for kind in records}
    # Hours are one record, which each page that shows them draws in a region of its own.
    assert tried >= kinds - {Kind.HOURS}
