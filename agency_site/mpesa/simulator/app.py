"""The simulator as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from agency_site.mpesa.simulator.config import SimulatorConfig, simulator_config_from
from agency_site.mpesa.simulator.control import control_routes
from agency_site.mpesa.simulator.daraja import daraja_routes
from agency_site.mpesa.simulator.engine import Engine
from agency_site.mpesa.simulator.problems import Refused
from agency_site.settings import settings


def create_simulator(config: SimulatorConfig | None = None) -> Starlette:
    """Return a simulated Daraja with its own ledger; without a config it uses the site's settings.

    It works at any mount path. A mounted application gets no shutdown event, so the outer application should await
    `app.state.engine.aclose()` at its end.
    """
    engine = Engine(config or simulator_config_from(settings()))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await engine.aclose()

    app = Starlette(
        routes=daraja_routes(engine) + (control_routes(engine) if engine.config.control else []),
        exception_handlers={404: _no_such_path, 405: _wrong_method},
        lifespan=lifespan,
    )
    app.state.engine = engine
    return app


async def _no_such_path(_request: Request, _error: Exception) -> Response:
    return Refused(404, "404.001.01", "Resource not found").response()


async def _wrong_method(_request: Request, _error: Exception) -> Response:
    return Refused(405, "405.001", "Method Not Allowed").response()
