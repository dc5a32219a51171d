"""Fixtures for all tests."""

import functools
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import httpx
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from starlette.types import ASGIApp

from agency_site import clock
from agency_site.antispam.limiter import close_limiters
from agency_site.feature_contracts import join_features
from agency_site.settings import Settings, settings, variable
from tests.http_clients import client_of

join_features()

# Hidden developer settings must not decide how the tests end.
for _name in [name for name in os.environ if name.startswith("AGENCY_")]:
    del os.environ[_name]
os.environ["AGENCY_LOG_LEVEL"] = "warning"
Settings.model_config["env_file"] = None

# How long an example takes says more about who else uses the machine than about the rule.
# Mutation testing runs a test many times in one process, each time with another instance of its class.
hypothesis_settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow]
)
hypothesis_settings.load_profile("unhurried")

FRIDAY_NOON = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
"""Friday 20 November 2026, 12:00 in Nairobi: an ordinary working day."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "content_as_delivered", "false: tests marked `specification` do not run", type="bool", default=True
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the facts of the specification on a site whose content has moved on."""
    if config.getini("content_as_delivered"):
        return
    facts = [item for item in items if item.get_closest_marker("specification")]
    config.hook.pytest_deselected(items=facts)
    items[:] = [item for item in items if item not in facts]


@pytest.fixture(scope="session", autouse=True)
def shared_certificates() -> Iterator[None]:
    """HTTP clients share what they read from the file of certificates: reading it takes 25 ms, and each test has clients
    of its own."""
    with pytest.MonkeyPatch.context() as patch:
        cached = functools.cache(httpx.create_ssl_context)
        patch.setattr("httpx._transports.default.create_ssl_context", cached)
        yield


@pytest.fixture
def noon() -> Iterator[datetime]:
    """The clock is frozen at Friday noon in Nairobi; `clock.frozen` moves it further."""
    with clock.frozen(FRIDAY_NOON):
        yield FRIDAY_NOON


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Set settings for one test: `configure(booking_capacity=2)`."""

    def apply(**values: object) -> Settings:
        for name, value in values.items():
            monkeypatch.setenv(variable(name), str(value))
        settings.cache_clear()
        return settings()

    yield apply
    settings.cache_clear()


@pytest.fixture
async def client(application: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the fixture `application`, without headers or cookies of its own."""
    async with client_of(application) as http:
        yield http


@pytest.fixture
async def fresh_limits() -> AsyncIterator[None]:
    """The counters of rate limits are reset before the test, and connections to Redis closed after it."""
    await close_limiters()
    yield
    await close_limiters()
