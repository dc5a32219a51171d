"""The whole site without its published pages, for tests that speak to its socket: no build, no browser."""

import asyncio

import reflex as rx
from reflex_base.constants import Env
from reflex_base.environment import environment
from starlette.types import ASGIApp

environment.REFLEX_SKIP_COMPILE.set(True)
environment.REFLEX_ENV_MODE.set(Env.PROD)


class Slow(rx.State):
    """A handler that takes its time, as one does that waits for another server."""

    @rx.event
    async def work(self, text: str) -> None:
        """Take three seconds for nothing."""
        await asyncio.sleep(3)


def create() -> ASGIApp:
    """The application that production serves."""
    from agency_site.agency_site import create_site

    return create_site()
