"""The API behind the site's own middleware, for server processes of tests."""

from starlette.types import ASGIApp

from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.api import create_api


def create() -> ASGIApp:
    """The application."""
    return with_middleware(create_api())
