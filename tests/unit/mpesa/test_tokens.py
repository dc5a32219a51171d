"""The token: fetched once for concurrent callers, renewed a minute early, replaced if Daraja rejects it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import httpx
import pytest

from agency_site import clock
from agency_site.mpesa.client import DarajaClient, MemoryTokenStore, client_from, config_from
from agency_site.mpesa.contract import Token
from agency_site.mpesa.errors import Unreachable
from agency_site.mpesa.simulator.config import CONSUMER_KEY, CONSUMER_SECRET, PASSKEY
from agency_site.settings import Settings
from tests.unit.mpesa.prepared import CONFIG, PUSH, SETTLED, Daraja, token

Configure = Callable[..., Settings]


class Source:
    """Hands out numbered tokens that live for an hour."""

    def __init__(self) -> None:
        self.given = 0

    async def __call__(self) -> Token:
        self.given += 1
        value = f"t{self.given}"
        # Others get their turn here, as during a real call.
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)
        return Token(value, clock.now() + timedelta(hours=1))


async def test_all_who_ask_together_share_one_token(noon: datetime) -> None:
    store, source = MemoryTokenStore(), Source()
    assert set(await asyncio.gather(*(store.token(source) for _ in range(50)))) == {"t1"}
    assert source.given == 1


async def test_all_whose_token_was_refused_together_share_the_next(noon: datetime) -> None:
    store, source = MemoryTokenStore(), Source()
    stale = await store.token(source)
    assert set(await asyncio.gather(*(store.token(source, stale) for _ in range(50)))) == {"t2"}


async def test_a_failed_fetch_stores_nothing_and_blocks_no_other_caller(noon: datetime) -> None:
    async def fails() -> Token:
        raise ConnectionError

    store = MemoryTokenStore()
    with pytest.raises(ConnectionError):
        await store.token(fails)
    assert await store.token(Source()) == "t1"


@pytest.mark.parametrize(("expires", "seconds"), [("3599", 3599), (3599, 3599), ("soon", 3600), (None, 3600)])
async def test_a_token_is_renewed_a_minute_before_it_ends(
    noon: datetime, expires: object, seconds: int
) -> None:
    daraja = Daraja(*[httpx.Response(200, json=SETTLED)] * 3, tokens=[token("a", expires), token("b")])
    with clock.frozen(noon) as move:
        async with daraja.client() as client:
            await client.query("ws_CO_1")
            move(noon + timedelta(seconds=seconds - 61))
            await client.query("ws_CO_1")
            move(noon + timedelta(seconds=seconds - 60))
            await client.query("ws_CO_1")
    assert daraja.bearers == ["Bearer a", "Bearer a", "Bearer b"]


async def test_clients_with_one_store_use_one_token(noon: datetime) -> None:
    daraja, store = Daraja(*[httpx.Response(200, json=SETTLED)] * 2), MemoryTokenStore()
    for _ in range(2):
        async with DarajaClient(CONFIG, store, httpx.MockTransport(daraja)) as client:
            await client.query("ws_CO_1")
    assert len(daraja.token_calls) == 1


def test_without_credentials_the_client_goes_to_the_simulator_with_its_credentials(
    configure: Configure,
) -> None:
    config = config_from(configure(port=4321))
    assert config.base_url == "http://127.0.0.1:4321/simulator/mpesa"
    assert (config.consumer_key, config.consumer_secret) == (CONSUMER_KEY, CONSUMER_SECRET)
    assert (config.merchant.passkey, config.merchant.party_b) == (PASSKEY, "174379")


def test_with_credentials_the_client_goes_to_daraja_with_exactly_those(configure: Configure) -> None:
    config = config_from(
        configure(
            mpesa_consumer_key="k",
            mpesa_consumer_secret="s",
            mpesa_passkey="p",
            mpesa_party_b="5001",
            mpesa_read_timeout_seconds="7",
        )
    )
    assert config.base_url == "https://sandbox.safaricom.co.ke"
    assert (config.consumer_key, config.consumer_secret, config.merchant.passkey) == ("k", "s", "p")
    assert (config.merchant.party_b, config.read_timeout, config.connect_timeout) == ("5001", 7, 5)
    assert "'k'" not in repr(config)


async def test_the_factory_gives_a_client_that_closes(configure: Configure) -> None:
    async with client_from(configure(), MemoryTokenStore()) as client:
        assert isinstance(client, DarajaClient)


class BrokenStore:
    """A token store whose database is down."""

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        raise OSError("the database is away")


async def test_a_push_without_a_token_was_not_sent_whatever_broke() -> None:
    client = DarajaClient(CONFIG, BrokenStore(), httpx.MockTransport(Daraja()))
    with pytest.raises(Unreachable, match="no token: OSError"):
        await client.push(PUSH)


async def test_a_token_call_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(_request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr("agency_site.mpesa.client.TOKEN_SECONDS", 0.01)
    client = DarajaClient(CONFIG, MemoryTokenStore(), httpx.MockTransport(hang))
    with pytest.raises(Unreachable, match="no token within"):
        await client.push(PUSH)
