"""The academy: landing page and course pages."""

from agency_site.site.academy.course import course_routes
from agency_site.site.academy.landing import academy_route
from agency_site.site.academy.tracks import track_routes
from agency_site.site.layout.route import Route


def academy_routes() -> tuple[Route, ...]:
    """Return the landing page and the page of each course."""
    return (academy_route(), *course_routes(), *track_routes())
