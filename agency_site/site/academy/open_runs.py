"""The open runs of courses on the pages that describe courses: drawn by the server for each request."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug, courses
from agency_site.db.engine import read_scope
from agency_site.db.outages import SharedReading
from agency_site.money import kes
from agency_site.places import Offer, places
from agency_site.ui.page_region import ServedRegion

ENROLMENT_CLOSED = "Enrolment is closed"
"""Shown instead of runs and buttons of a course that takes no new learners."""
NO_DATE = "No date fixed yet"
"""Shown on the card of a course without an open run."""
OpenOffers = Mapping[str, Sequence[Offer]]
"""Open runs by the course's slug; runs with free places first, then by date."""
_offers: SharedReading[tuple[Offer, ...]] = SharedReading("runs of a course")
"""Cached by the course's slug."""
_PATIENCE_SECONDS = 1.0
"""After this time a page is shown without runs, because it does not need the database."""


async def find_open_offers() -> OpenOffers:
    """Return the open and the full runs of courses that take learners; empty while the database is unavailable."""
    offers = await read_offers(_PATIENCE_SECONDS) or ()
    closed = {course.slug for course in courses() if not course.is_open}
    by_course = defaultdict(list)
    for offer in sorted(offers, key=lambda offer: offer.free == 0):
        if offer.course_slug not in closed:
            by_course[offer.course_slug].append(offer)
    return by_course


async def read_offers(seconds: float, course_slug: str = "") -> tuple[Offer, ...] | None:
    """Return the open runs of a course, or of all courses; None if the database does not respond within `seconds`."""
    return await _offers.read(course_slug, seconds, partial(_list_offers, course_slug))


async def _list_offers(course_slug: str) -> tuple[Offer, ...]:
    async with read_scope() as session:
        return await places().list_offers(session, course_slug)


def describe_offer(offer: Offer) -> str:
    """Return a text such as `Starts Tuesday 12 January 2027, 18:30, 4 places left`, with the price if the run has its own."""
    course = course_by_slug(offer.course_slug)
    if offer.price is None or (course is not None and course.detail_price == offer.price):
        return offer.text
    return f"{offer.text}, {kes(offer.price)} a place"


def open_runs(course: Course) -> rx.Component:
    """The region of the course's open runs."""
    return ServedRegion.create(name=region_name(course))


def next_run(course: Course, otherwise: str) -> rx.Component:
    """The region of the course's next run, which shows `otherwise` if there is none."""
    return ServedRegion.create(
        otherwise if course.is_open else ENROLMENT_CLOSED, name=next_run_region(course)
    )


def region_name(course: Course) -> str:
    """Return the name of the region of a course's open runs."""
    return f"runs-{course.slug}"


def next_run_region(course: Course) -> str:
    """Return the name of the region of a course's next run on a card."""
    return f"next-{course.slug}"


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
