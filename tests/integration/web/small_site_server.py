"""The edge with a few published pages in front of the API, for server processes of tests."""

import tempfile
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.api import create_api
from agency_site.web.serving.edge import in_front_of
from tests.small_site import small_site


def create() -> ASGIApp:
    """The application."""
    folder = Path(tempfile.mkdtemp(prefix="agency-small-site-"))
    with pytest.MonkeyPatch.context() as patch:
        return with_middleware(in_front_of(create_api(), small_site(folder, patch)))
