"""The API for tests that do not examine how it is assembled."""

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from agency_site.web.serving.api import create_api


@functools.cache
def shared_api() -> FastAPI:
    """One for all tests of a process: FastAPI prepares the routes of each with its first requests, some 60 ms.

    Without background work: the tests say when jobs run.
    """
    api = create_api()
    api.router.lifespan_context = _without_jobs
    return api


@asynccontextmanager
async def _without_jobs(_app: FastAPI) -> AsyncIterator[None]:
    yield
