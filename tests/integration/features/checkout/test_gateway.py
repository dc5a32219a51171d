"""Workers share one access token and one rate limit of M-Pesa."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.features.checkout.payments.gateway import (
    FETCH_LEASE,
    SharedTokens,
    hold_queries,
    take_books_turn,
    take_query_slot,
)
from agency_site.features.checkout.payments.rules import SEND_WITHIN
from agency_site.features.checkout.payments.tables import MpesaToken
from agency_site.mpesa.client import TOKEN_SECONDS
from agency_site.mpesa.contract import Token
from agency_site.mpesa.errors import TokenRefused

pytestmark = pytest.mark.usefixtures("database")
INTERVAL = timedelta(seconds=12)


class Daraja:
    """Hands out numbered tokens that live for an hour, as configured."""

    def __init__(self) -> None:
        self.numbers: Iterator[int] = count(1)
        self.calls = 0
        self.broken = False

    async def fetch(self) -> Token:
        self.calls += 1
        if self.broken:
            raise TokenRefused("down")
        return Token(f"token-{next(self.numbers)}", clock.now() + timedelta(hours=1))


def store(app: str = "app") -> SharedTokens:
    """The store as another worker has it."""
    return SharedTokens(session_scope, app)


@pytest.mark.each_database
async def test_many_workers_share_one_token(noon: datetime) -> None:
    daraja = Daraja()
    values = await asyncio.gather(*(store().token(daraja.fetch) for _ in range(20)))
    assert (set(values), daraja.calls) == ({"token-1"}, 1)


async def test_a_token_is_renewed_when_its_time_is_over_or_it_was_refused(noon: datetime) -> None:
    daraja = Daraja()
    assert await store().token(daraja.fetch) == "token-1"
    assert await store().token(daraja.fetch, stale="token-1") == "token-2"
    # A worker that was refused the old token takes the new one that another has fetched since.
    assert await store().token(daraja.fetch, stale="token-1") == "token-2"
    with clock.frozen(noon + timedelta(hours=1)):
        assert await store().token(daraja.fetch) == "token-3"
    assert daraja.calls == 3


@pytest.mark.each_database
async def test_workers_refused_together_fetch_once(noon: datetime) -> None:
    daraja = Daraja()
    await store().token(daraja.fetch)
    values = await asyncio.gather(*(store().token(daraja.fetch, stale="token-1") for _ in range(10)))
    assert (set(values), daraja.calls) == ({"token-2"}, 2)


async def test_apps_have_tokens_of_their_own(noon: datetime) -> None:
    daraja = Daraja()
    assert await store("one").token(daraja.fetch) != await store("two").token(daraja.fetch)


async def test_a_failed_fetch_raises_and_releases_the_lease(noon: datetime) -> None:
    daraja = Daraja()
    daraja.broken = True
    with pytest.raises(TokenRefused):
        await store().token(daraja.fetch)
    daraja.broken = False
    assert await store().token(daraja.fetch) == "token-1"


async def test_a_worker_cancelled_while_fetching_releases_the_lease(noon: datetime) -> None:
    started = asyncio.Event()

    async def hang() -> Token:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    stopped = asyncio.create_task(store().token(hang))
    await started.wait()
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped
    assert await store().token(Daraja().fetch) == "token-1"


async def test_a_killed_workers_fetch_is_taken_over_when_its_lease_ends(noon: datetime) -> None:
    assert await store()._claim_fetch(None)
    assert not await store()._claim_fetch(None)
    with clock.frozen(noon + FETCH_LEASE):
        assert await store().token(Daraja().fetch) == "token-1"


def test_a_killed_worker_delays_no_push_beyond_its_deadline() -> None:
    assert FETCH_LEASE + timedelta(seconds=TOKEN_SECONDS) < SEND_WITHIN


async def slot(app: str = "app") -> bool:
    async with session_scope() as session:
        return await take_query_slot(session, app, INTERVAL)


@pytest.mark.each_database
async def test_one_query_per_interval_for_all_workers(noon: datetime) -> None:
    with clock.frozen(noon) as move:
        assert sum(await asyncio.gather(*(slot() for _ in range(10)))) == 1
        assert await slot("another app")
        move(noon + INTERVAL - timedelta(milliseconds=1))
        assert not await slot()
        move(noon + INTERVAL)
        assert sum(await asyncio.gather(*(slot() for _ in range(10)))) == 1


async def test_what_a_fast_clock_has_put_off_waits_no_longer_once_the_clock_is_right(noon: datetime) -> None:
    daraja = Daraja()

    async def take() -> tuple[bool, bool]:
        is_query_free = await slot()
        async with session_scope() as session:
            return is_query_free, await take_books_turn(session, noon - timedelta(days=1))

    with clock.frozen(noon + timedelta(hours=2)):
        assert await take() == (True, True)
        assert await take() == (False, False)
        async with session_scope() as session:
            session.add(MpesaToken(app_key="app", leased_until=clock.now() + FETCH_LEASE))
    assert await take() == (True, True)
    assert await store().token(daraja.fetch) == "token-1"


async def test_a_hold_is_kept_and_never_shortened(noon: datetime) -> None:
    with clock.frozen(noon) as move:
        assert await slot()
        for pause in (60, 20):
            async with session_scope() as session:
                await hold_queries(session, "app", noon + timedelta(seconds=pause))
        move(noon + timedelta(seconds=59))
        assert not await slot()
        move(noon + timedelta(seconds=60))
        assert await slot()
