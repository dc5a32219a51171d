"""The client of M-Pesa, with the access token and the rate limit of status queries that all workers share as rows."""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from typing import Any

from sqlalchemy import or_, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import has_come
from agency_site.db.outages import log_failure, retry_outages
from agency_site.event_loops import PerLoop
from agency_site.features.checkout.payments.tables import MpesaQuerySlot, MpesaToken
from agency_site.features.checkout.payments.transitions import Scope
from agency_site.mpesa.client import TOKEN_SECONDS, DarajaClient, client_from
from agency_site.mpesa.contract import Token
from agency_site.mpesa.errors import TokenRefused
from agency_site.settings import Settings, settings
from agency_site.signing import seal, unseal

log = logging.getLogger(__name__)

FETCH_LEASE = timedelta(seconds=TOKEN_SECONDS + 2)
"""The time that one worker has to fetch a token before another tries. Both together take less time than a push may wait."""

_PURPOSE = "mpesa-token"

_PAUSE, _LONGEST_PAUSE = 0.1, 0.4

_BOOKS_INTERVAL, _BOOKS_PAUSE = timedelta(hours=1), timedelta(minutes=5)
"""The time between two readings of M-Pesa's books, and the pause after a failed one."""

_LONGEST_HOLD = timedelta(minutes=15)
"""What lies further ahead was set by a wrong clock."""

_clients: PerLoop[DarajaClient] = PerLoop()


def compute_app_key(settings: Settings) -> str:
    """Return the key of a Daraja app in the shared rows: a digest of its address and consumer key."""
    key = settings.mpesa_consumer_key.get_secret_value()
    return hashlib.sha256(f"{settings.daraja_url}\n{key}".encode()).hexdigest()


def gateway(scope: Scope) -> DarajaClient:
    """Return the client of this process and event loop, created on first use; `scope` opens the sessions for its token."""
    key, clients = compute_app_key(settings()), _clients.here()
    if key not in clients:
        clients[key] = client_from(settings(), SharedTokens(scope, key))
    return clients[key]


async def close_gateway() -> None:
    """Close the connections of this event loop's clients."""
    clients = _clients.here()
    while clients:
        _, client = clients.popitem()
        await client.aclose()


class SharedTokens:
    """A `TokenStore` in the database: one worker fetches a token while the others wait for it."""

    def __init__(self, scope: Scope, app_key: str) -> None:
        self._scope = scope
        self._app_key = app_key

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        """Return a usable token. Raises the errors of `fetch`, and TokenRefused if another worker's fetch hangs."""
        waited, pause = 0.0, _PAUSE
        while waited < 2 * FETCH_LEASE.total_seconds():
            stored = await retry_outages(self._read)
            value = unseal(_PURPOSE, stored.value) if stored else None
            if stored and value not in (None, stale) and _is_ahead(stored.use_until):
                return str(value)
            unusable = stored.value if stored and value in (None, stale) else None
            # Reading first: while another worker fetches, the waiting ones do not compete for SQLite's only write lock.
            until = stored.leased_until if stored else None
            is_fetched = until is not None and not has_come(until, now(), FETCH_LEASE)
            if not is_fetched and await retry_outages(partial(self._claim_fetch, unusable)):
                return await self._fetch_and_store(fetch)
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(2 * pause, _LONGEST_PAUSE)
        raise TokenRefused("another worker's token call does not end")

    async def _read(self) -> MpesaToken | None:
        async with self._scope.reading() as session:
            return await session.get(MpesaToken, self._app_key)

    async def _claim_fetch(self, stale: str | None) -> bool:
        """Claim the next fetch; `stale` is a stored value that cannot be used."""
        moment = now()
        unusable = [col(MpesaToken.value) == "", col(MpesaToken.use_until) <= moment]
        if stale is not None:
            unusable.append(col(MpesaToken.value) == stale)
        async with self._scope() as session:
            await _insert_if_missing(session, MpesaToken(app_key=self._app_key))
            update_result = await session.exec(
                update(MpesaToken)
                .where(
                    col(MpesaToken.app_key) == self._app_key,
                    or_(*unusable),
                    or_(
                        col(MpesaToken.leased_until).is_(None),
                        has_come(col(MpesaToken.leased_until), moment, FETCH_LEASE),
                    ),
                )
                .values(leased_until=moment + FETCH_LEASE)
            )
        return bool(update_result.rowcount)

    async def _fetch_and_store(self, fetch: Callable[[], Awaitable[Token]]) -> str:
        try:
            token = await fetch()
        except BaseException:
            # Also if this worker is cancelled: the others must not wait until the lease ends.
            await asyncio.shield(self._store(leased_until=None))
            raise
        try:
            await self._store(value=seal(_PURPOSE, token.value), use_until=token.use_until, leased_until=None)
        except DBAPIError as error:
            log_failure(
                log,
                error,
                "an access token could not be stored; only this worker uses it, others fetch their own after the lease",
            )
        return token.value

    async def _store(self, **values: object) -> None:
        async with self._scope() as session:
            await session.exec(
                update(MpesaToken).where(col(MpesaToken.app_key) == self._app_key).values(**values)
            )


def _is_ahead(moment: datetime | None) -> bool:
    return moment is not None and moment > now()


async def take_query_slot(session: AsyncSession, app_key: str, interval: timedelta) -> bool:
    """Take the slot for the next status query of the whole system. Returns False while the last query is too recent."""
    moment = now()
    await _insert_if_missing(session, MpesaQuerySlot(app_key=app_key, next_at=moment))
    update_result = await session.exec(
        update(MpesaQuerySlot)
        .where(col(MpesaQuerySlot.app_key) == app_key, _is_slot_free(col(MpesaQuerySlot.next_at), moment))
        .values(next_at=moment + interval)
    )
    return bool(update_result.rowcount)


async def return_query_slot(session: AsyncSession, app_key: str) -> None:
    """Undo `take_query_slot` within its transaction: no query was sent."""
    same_app = col(MpesaQuerySlot.app_key) == app_key
    await session.exec(update(MpesaQuerySlot).where(same_app).values(next_at=now()))


async def compute_query_wait(session: AsyncSession, app_key: str) -> int:
    """Return the seconds until the system may send its next status query; 0 if it may send one now."""
    row = await session.get(MpesaQuerySlot, app_key, populate_existing=True)
    if row is None or _is_slot_free(row.next_at, now()):
        return 0
    return ceil((row.next_at - now()).total_seconds())


def _is_slot_free(next_at: Any, moment: datetime) -> Any:
    interval = timedelta(seconds=settings().mpesa_query_interval_seconds)
    return has_come(next_at, moment, max(interval, _LONGEST_HOLD))


async def hold_queries(session: AsyncSession, app_key: str, until: datetime) -> None:
    """Send no status query before `until`, because M-Pesa has throttled them, but at most for `_LONGEST_HOLD`."""
    until = min(until, now() + _LONGEST_HOLD)
    later = col(MpesaQuerySlot.app_key) == app_key, col(MpesaQuerySlot.next_at) < until
    await session.exec(update(MpesaQuerySlot).where(*later).values(next_at=until))


async def take_books_turn(session: AsyncSession, started_at: datetime) -> bool:
    """Take the next reading of M-Pesa's books for the whole system: one an hour, and one after `started_at`.

    Returns False while none is due.
    """
    moment, key = now(), _compute_books_key(settings())
    await _insert_if_missing(session, MpesaQuerySlot(app_key=key, next_at=moment))
    is_due = or_(
        has_come(col(MpesaQuerySlot.next_at), moment, _BOOKS_INTERVAL),
        col(MpesaQuerySlot.next_at) < started_at + _BOOKS_INTERVAL,
    )
    update_result = await session.exec(
        update(MpesaQuerySlot)
        .where(col(MpesaQuerySlot.app_key) == key, is_due)
        .values(next_at=moment + _BOOKS_INTERVAL)
    )
    return bool(update_result.rowcount)


async def retry_books(session: AsyncSession) -> None:
    """Schedule another reading of the books soon, because they could not be read completely."""
    books = col(MpesaQuerySlot.app_key) == _compute_books_key(settings())
    await session.exec(update(MpesaQuerySlot).where(books).values(next_at=now() + _BOOKS_PAUSE))


def _compute_books_key(settings: Settings) -> str:
    return hashlib.sha256(f"{compute_app_key(settings)}\nbooks".encode()).hexdigest()


async def _insert_if_missing(session: AsyncSession, row: MpesaToken | MpesaQuerySlot) -> None:
    if await session.get(type(row), row.app_key) is not None:
        return
    try:
        async with session.begin_nested():
            session.add(row)
            await session.flush()
    except IntegrityError:
        # Another worker stored the same row at the same moment.
        return
