"""The SMS simulator over HTTP, and the site's callbacks, which it calls."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import httpx
import pytest
from fastapi import FastAPI

from agency_site.settings import Settings
from agency_site.sms.africas_talking import close_sms_clients
from agency_site.sms.api import router
from agency_site.sms.simulator import SmsSimulatorConfig, create_sms_simulator
from agency_site.sms.simulator.app import SmsEngine
from tests.simulator import Control, serving


@dataclass
class SmsWorld:
    """The simulator that the settings refer to."""

    control: Control
    engine: SmsEngine

    async def report(self) -> None:
        """Have the simulator send all outstanding delivery reports."""
        await self.control.post("reports")

    async def list_accepted(self) -> list[str]:
        """Return the numbers of the messages that the simulator has accepted, oldest first."""
        return [message["number"] for message in (await self.control.get("messages"))["messages"]]


def callback_site() -> FastAPI:
    """The routes of callbacks, without background jobs."""
    site = FastAPI()
    site.include_router(router)
    return site


@pytest.fixture
async def sms(configure: Callable[..., Settings], database: str) -> AsyncIterator[SmsWorld]:
    assert database
    secret = configure().sms_callback_secrets[0]
    async with serving(callback_site()) as site_url:
        config = SmsSimulatorConfig(f"{site_url}/api/sms/{secret}", delay=3600, late=3600, silence=3600)
        simulator = create_sms_simulator(config)
        async with (
            serving(simulator) as base_url,
            httpx.AsyncClient(base_url=base_url, timeout=30, trust_env=False) as http,
        ):
            configure(sms_base_url=base_url)
            yield SmsWorld(Control(http), simulator.state.engine)
            await close_sms_clients()
            await simulator.state.engine.aclose()
