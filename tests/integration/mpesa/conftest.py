"""The real client and the real simulator over HTTP on the loopback address."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime

import httpx
import pytest

from agency_site.mpesa.client import DarajaClient, DarajaConfig, MemoryTokenStore
from agency_site.mpesa.contract import PushRequest
from agency_site.mpesa.simulator import SimulatorConfig, create_simulator
from agency_site.mpesa.simulator.config import CONSUMER_KEY, CONSUMER_SECRET, PASSKEY, SHORTCODE
from agency_site.mpesa.wire import Merchant
from tests.simulator import Control, Receiver, serving
from tests.unit.mpesa.prepared import FOREVER

QUICK = SimulatorConfig(delay=0.05, late=3600, silence=3600, prompt_window=3600)
"""The customer decides at once; what should not happen by itself is an hour away."""
MERCHANT = Merchant(
    shortcode=SHORTCODE, passkey=PASSKEY, party_b=SHORTCODE, transaction_type="CustomerPayBillOnline"
)


def client_for(base_url: str, secret: str = CONSUMER_SECRET) -> DarajaClient:
    """Return a client with its own token store."""
    return DarajaClient(DarajaConfig(base_url, CONSUMER_KEY, secret, MERCHANT), MemoryTokenStore())


@dataclass
class World:
    """Simulator, client and receiver, wired together."""

    base_url: str
    client: DarajaClient
    control: Control
    receiver: Receiver
    http: httpx.AsyncClient
    tokens: MemoryTokenStore = field(default_factory=MemoryTokenStore)

    def request(
        self, last: str = "111", amount: int = 1500, path: str = "secret/7", deadline: datetime = FOREVER
    ) -> PushRequest:
        """Return a push to a phone that ends in these digits."""
        address = f"{self.receiver.url}/hooks/{path}"
        return PushRequest(f"254712345{last}", amount, "OR7F3K9Q", "Course fee", address, deadline)

    async def hasty(self) -> DarajaClient:
        """A client that waits only briefly for an answer; it has a token, so only its next call is late."""
        await self.client.query("ws_CO_0")
        config = DarajaConfig(self.base_url, CONSUMER_KEY, CONSUMER_SECRET, MERCHANT, read_timeout=0.3)
        return DarajaClient(config, self.tokens)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    receiver, tokens = Receiver(), MemoryTokenStore()
    async with (
        serving(receiver.app) as receiver.url,
        serving(create_simulator(QUICK)) as base_url,
        DarajaClient(DarajaConfig(base_url, CONSUMER_KEY, CONSUMER_SECRET, MERCHANT), tokens) as client,
        httpx.AsyncClient(base_url=base_url, timeout=30, trust_env=False) as http,
    ):
        yield World(base_url, client, Control(http), receiver, http, tokens)
