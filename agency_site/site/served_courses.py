"""The home page, the academy and the pages of courses with their open course runs, drawn by the server.

Without open runs and without a filter in the address, the published files are served.
"""

from html import escape

from fastapi import APIRouter, Request, Response

from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES as DELIVERED_COURSES
from agency_site.content.courses import courses as list_courses
from agency_site.content.published import kept_until_changed
from agency_site.places import Offer
from agency_site.site.academy.open_runs import (
    OpenOffers,
    describe_offer,
    find_open_offers,
    next_run_region,
    region_name,
    run_list,
)
from agency_site.site.academy.structured_data import course_instances, identity_of
from agency_site.site.academy.tracks import is_track, tracks
from agency_site.site.catalogue import CourseFilter
from agency_site.site.catalogue import courses as course_list
from agency_site.site.home.work import Work, kinds_of_work
from agency_site.site.home_address import COURSES, WORK
from agency_site.site.layout.served_pages import Drawing, page_response, published_page
from agency_site.ui.server_html import describe_states, new_state, render_html

pages = APIRouter(include_in_schema=False)


@pages.get("/")
async def show_home(request: Request) -> Response:
    query, offers = request.query_params, await find_open_offers()
    is_filtered = WORK.parameter in query or COURSES.parameter in query
    if not offers and not is_filtered:
        return published_page(request)
    drawing = _draw_filtered(WORK.read(query), COURSES.read(query)) if is_filtered else Drawing({}, "")
    return page_response(request, "/", drawing.regions | _next_runs(offers), states=drawing.states)


@kept_until_changed(64)
def _draw_filtered(work: str, courses: str) -> Drawing:
    chosen = {WORK.parameter: work, COURSES.parameter: courses}
    kinds, course_filter = new_state(Work), new_state(CourseFilter)
    kinds._show(chosen)
    course_filter._show(chosen)
    regions = {
        "courses": render_html(course_list(course_filter)),
        "work": render_html(kinds_of_work(kinds)),
    }
    return Drawing(regions, describe_states(kinds, course_filter))


async def show_course(request: Request) -> Response:
    path, offers = request.url.path, await find_open_offers()
    courses = [course for course in _list_courses_on(path) if course.slug in offers]
    if not courses:
        return published_page(request)
    return page_response(
        request,
        path,
        {region_name(course): _draw_runs(tuple(offers[course.slug])) for course in courses},
        facts={
            identity_of(course): {"hasCourseInstance": course_instances(course, offers[course.slug])}
            for course in courses
        },
    )


@pages.get("/academy")
async def show_academy(request: Request) -> Response:
    offers = await find_open_offers()
    if not offers:
        return published_page(request)
    return page_response(request, "/academy", _next_runs(offers))


def _next_runs(offers: OpenOffers) -> dict[str, str]:
    """Return the regions of cards with the start of each course's first open run."""
    return {
        next_run_region(course): escape(describe_offer(offers[course.slug][0]))
        for course in list_courses()
        if course.slug in offers
    }


@kept_until_changed(64)
def _draw_runs(offers: tuple[Offer, ...]) -> str:
    return render_html(run_list(offers))


def _list_courses_on(path: str) -> tuple[Course, ...]:
    courses = tuple(course for course in list_courses() if course.path == path)
    return tracks() if any(map(is_track, courses)) else courses


for _path in {course.path for course in DELIVERED_COURSES}:
    pages.add_api_route(_path, show_course, methods=["GET"])
