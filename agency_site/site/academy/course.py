"""The page of one course."""

import reflex as rx

from agency_site.content.course_schema import Course
from agency_site.content.courses import courses
from agency_site.content.entries import Kind
from agency_site.site.academy.sections import course_body, course_hero
from agency_site.site.academy.structured_data import course_facts
from agency_site.site.academy.tracks import is_track
from agency_site.site.layout.route import Route


def _course_page(course: Course) -> rx.Component:
    """The head and the body of the page."""
    return rx.el.div(course_hero(course), course_body(course), class_name=f"look-{course.look}")


def course_route(course: Course) -> Route:
    """The page at the course's own path."""
    return Route(
        path=course.path,
        title=course.title,
        description=course.search_description,
        body=lambda: _course_page(course),
        share_image=course.slug,
        label=course.short_title,
        above=(("Academy", "/academy"),),
        facts=(course_facts(course),),
        shows=frozenset({Kind.COURSE}),
    )


def course_routes() -> tuple[Route, ...]:
    """Return the pages of the courses that have a page of their own."""
    return tuple(course_route(course) for course in courses() if not is_track(course))
