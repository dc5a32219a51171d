"""An application that takes long to load, for server processes of tests."""

import threading

from starlette.types import ASGIApp

from agency_site.web.serving.api import create_api


def create() -> ASGIApp:
    """The application, after a minute."""
    threading.Event().wait(60)
    return create_api()
