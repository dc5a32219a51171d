"""The academy: landing page and course pages."""

from agency_site.site.academy.course import ROUTES as COURSE_ROUTES
from agency_site.site.academy.landing import ROUTES as LANDING_ROUTES
from agency_site.site.academy.tracks import ROUTES as TRACK_ROUTES

ROUTES = (*LANDING_ROUTES, *COURSE_ROUTES, *TRACK_ROUTES)
