"""Idempotency keys: a client that repeats a request gets the first response again, for 24 hours."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.features.checkout.tables import IdempotencyKey
from agency_site.features.checkout.transitions import Scope

_KEPT = timedelta(hours=24)
_LEASE = timedelta(minutes=2)
"""Longer than any push may take: after that the process that worked on it was killed."""
_LONGEST_KEY = 255
_PAUSE = 0.1


@dataclass(frozen=True)
class StoredResponse:
    """HTTP status and JSON body."""

    status: int
    body: dict[str, Any]


async def run_once(
    scope: Scope, route: str, key: str, body: str, work: Callable[[], Awaitable[StoredResponse]]
) -> StoredResponse:
    """The response of `work`, done at most once at a time for `key`, and returned again for a repeated request.

    Raises InputRejected for an invalid key, and Conflict when the key was sent with another body before
    or the first request is still being worked on after a long wait.
    """
    if not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        reason = f"Idempotency-Key has 1 to {_LONGEST_KEY} printable ASCII characters."
        raise InputRejected(reason, (FieldError("Idempotency-Key", reason),))
    digest = hashlib.sha256(body.encode()).hexdigest()
    waited = 0.0
    while waited < _LEASE.total_seconds():
        async with scope() as session:
            row, claimed = await _claim_key(session, route, key, digest)
        if row.body_digest != digest:
            raise Conflict("This Idempotency-Key was used with another request. Please send a new key.")
        if claimed:
            return await _work_and_store(scope, route, key, work)
        if row.status is not None:
            return StoredResponse(row.status, row.answer)
        await asyncio.sleep(_PAUSE)
        waited += _PAUSE
    raise Conflict("The first request with this Idempotency-Key is still being worked on.")


async def _claim_key(session: AsyncSession, route: str, key: str, digest: str) -> tuple[IdempotencyKey, bool]:
    """The row of the key, and whether this caller is the one to do its work."""
    moment = now()
    mine = (col(IdempotencyKey.route) == route, col(IdempotencyKey.key) == key)
    await session.exec(delete(IdempotencyKey).where(*mine, col(IdempotencyKey.created_at) <= moment - _KEPT))
    row = IdempotencyKey(
        route=route, key=key, body_digest=digest, created_at=moment, leased_until=moment + _LEASE
    )
    try:
        async with session.begin_nested():
            session.add(row)
            await session.flush()
    except IntegrityError:
        abandoned = await session.exec(
            update(IdempotencyKey)
            .where(
                *mine,
                col(IdempotencyKey.body_digest) == digest,
                col(IdempotencyKey.status).is_(None),
                col(IdempotencyKey.leased_until) <= moment,
            )
            .values(leased_until=moment + _LEASE)
        )
        return (await session.exec(select(IdempotencyKey).where(*mine))).one(), bool(abandoned.rowcount)
    return row, True


async def _work_and_store(
    scope: Scope, route: str, key: str, work: Callable[[], Awaitable[StoredResponse]]
) -> StoredResponse:
    try:
        response = await work()
    except BaseException:
        # Without an answer there is nothing to repeat; the work itself guards against being done twice.
        await asyncio.shield(_release_key(scope, route, key))
        raise
    async with scope() as session:
        await session.exec(
            update(IdempotencyKey)
            .where(col(IdempotencyKey.route) == route, col(IdempotencyKey.key) == key)
            .values(status=response.status, answer=response.body)
        )
    return response


async def _release_key(scope: Scope, route: str, key: str) -> None:
    async with scope() as session:
        mine = col(IdempotencyKey.route) == route, col(IdempotencyKey.key) == key
        await session.exec(delete(IdempotencyKey).where(*mine, col(IdempotencyKey.status).is_(None)))


async def delete_old_responses(session: AsyncSession) -> int:
    """Delete responses older than a day: they contain personal data. Returns how many."""
    deleted = await session.exec(
        delete(IdempotencyKey).where(col(IdempotencyKey.created_at) <= now() - _KEPT)
    )
    return int(deleted.rowcount)
