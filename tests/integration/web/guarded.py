"""The API behind the site's own front, for server processes of tests."""

from starlette.types import ASGIApp

from agency_site.web.api import create_api
from agency_site.web.front import guarded


def create() -> ASGIApp:
    """The application."""
    return guarded(create_api())
