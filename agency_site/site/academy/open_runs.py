"""The open runs of courses on the pages that describe courses: drawn by the server for each request."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import read_scope
from agency_site.db.outages import SharedReading
from agency_site.money import kes
from agency_site.places import Offer, places
from agency_site.ui.page_region import ServedRegion

OpenOffers = Mapping[str, Sequence[Offer]]
"""By the course's slug; of each those with places first, and the next first."""
_offers: SharedReading[tuple[Offer, ...]] = SharedReading()
"""By the course's slug."""
_PATIENCE_SECONDS = 1.0
"""After which a page is shown without runs: it does not need the database."""


async def find_open_offers() -> OpenOffers:
    """The runs that take learners, or are full; none while the database is away."""
    offers = await read_offers(_PATIENCE_SECONDS) or ()
    found = defaultdict(list)
    for offer in sorted(offers, key=lambda one: one.free == 0):
        found[offer.course_slug].append(offer)
    return found


async def read_offers(seconds: float, course_slug: str = "") -> tuple[Offer, ...] | None:
    """The open runs of a course, or of all; none where the database does not answer within `seconds`."""
    return await _offers.read(course_slug, seconds, partial(_list_offers, course_slug))


async def _list_offers(course_slug: str) -> tuple[Offer, ...]:
    async with read_scope() as session:
        return await places().list_offers(session, course_slug)


def describe_offer(offer: Offer) -> str:
    """Such as `Starts Tuesday 12 January 2027, 18:30, 4 places left`, and the price where it is not the course's."""
    course = course_by_slug(offer.course_slug)
    if offer.price is None or (course is not None and course.detail_price == offer.price):
        return offer.text
    return f"{offer.text}, {kes(offer.price)} a place"


def open_runs(course: Course) -> rx.Component:
    """The place of the course's open runs."""
    return ServedRegion.create(name=region_name(course))


def next_run(course: Course, otherwise: str = "") -> rx.Component:
    """The place of the course's next run, which shows `otherwise` while there is none."""
    return ServedRegion.create(otherwise, name=next_run_region(course))


def region_name(course: Course) -> str:
    """The region of a course's open runs."""
    return f"runs-{course.slug}"


def next_run_region(course: Course) -> str:
    """The region of a course's next run, on a card."""
    return f"next-{course.slug}"


def next_run_line(offers: Sequence[Offer]) -> rx.Component:
    """When the first of a course's open runs starts."""
    return rx.el.p(describe_offer(offers[0]), class_name="mt-4 font-semibold")


def run_list(offers: Sequence[Offer]) -> rx.Component:
    """The open runs of a course."""
    return rx.el.ul(*map(_run_line, offers), class_name="list-none p-0 mt-4 grid gap-2 font-semibold")


def _run_line(offer: Offer) -> rx.Component:
    text = describe_offer(offer)
    if offer.free != 0:
        return rx.el.li(text)
    waiting_list = rx.el.a(
        "Join the waiting list",
        rx.el.span(", ", text, class_name="sr-only"),
        href=f"/waiting-list/{offer.run}",
        class_name="link tall-link font-normal",
    )
    return rx.el.li(text, rx.el.div(waiting_list))
