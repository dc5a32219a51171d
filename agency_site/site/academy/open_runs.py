"""The open runs of courses on the pages that describe courses: drawn by the server for each request, then by React."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import read_scope
from agency_site.db.outages import SharedReading
from agency_site.money import kes
from agency_site.places import Offer, places
from agency_site.ui.elements import served_link
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import choose, each

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


def describe_next_runs(offers: OpenOffers) -> dict[str, str]:
    """The next run of each course that has one."""
    return {slug: describe_offer(found[0]) for slug, found in offers.items()}


@dataclass
class RunLine:
    """An open run on the page of its course."""

    text: str
    waiting_list: str
    """Where to wait for a place; empty: there are places."""


class OpenRuns(rx.State):
    """The open runs of all courses."""

    runs: dict[str, list[RunLine]] = {}
    """By the course's slug."""
    loaded: rx.Field[bool] = rx.field(False)

    @rx.event
    async def load(self) -> None:
        """Read them anew."""
        self._show(await find_open_offers())

    def _show(self, offers: OpenOffers) -> None:
        self.runs = {slug: [*map(_describe_line, found)] for slug, found in offers.items()}
        self.loaded = True


def _describe_line(offer: Offer) -> RunLine:
    return RunLine(describe_offer(offer), f"/waiting-list/{offer.run}" if offer.free == 0 else "")


State = OpenRuns | type[OpenRuns]


def open_runs(course: Course) -> rx.Component:
    """The course's open runs; nothing where it has none."""
    return PageRegion.create(run_list(course), name=region_name(course), ready=OpenRuns.loaded)


def next_run(course: Course) -> rx.Component:
    """The course's next run; nothing where it has none."""
    return PageRegion.create(next_run_line(course), name=next_run_region(course), ready=OpenRuns.loaded)


def next_run_region(course: Course) -> str:
    """The region of a course's next run, on a card."""
    return f"next-{course.slug}"


def next_run_line(course: Course, state: State = OpenRuns) -> rx.Component:
    lines = _lines_of(course, state)
    first = lines[0].text if not isinstance(lines, list) or lines else ""
    return rx.fragment(choose(lines, rx.el.p(first, class_name="mt-4 font-semibold"), rx.fragment()))


def region_name(course: Course) -> str:
    """The region of a course's open runs."""
    return f"runs-{course.slug}"


def run_list(course: Course, state: State = OpenRuns) -> rx.Component:
    lines = _lines_of(course, state)
    runs = rx.el.ul(each(lines, _run_line), class_name="list-none p-0 mt-4 grid gap-2 font-semibold")
    return rx.fragment(choose(lines, runs, rx.fragment()))


def _lines_of(course: Course, state: State) -> Any:
    return state.runs.get(course.slug, []) if isinstance(state, OpenRuns) else state.runs[course.slug]


def _run_line(line: RunLine) -> rx.Component:
    waiting_list = served_link(
        "Join the waiting list",
        rx.el.span(", ", line.text, class_name="sr-only"),
        href=line.waiting_list,
        class_name="link tall-link font-normal",
    )
    return rx.el.li(line.text, choose(line.waiting_list != "", rx.el.div(waiting_list), rx.fragment()))
