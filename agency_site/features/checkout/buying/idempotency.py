"""Idempotency keys: a client that repeats a request gets the order that the first one made, for 24 hours.

The key is stored in the transaction that makes the order, so whatever breaks afterwards, a repeat makes no other.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.features.checkout.buying.tables import IdempotencyKey

_KEPT = timedelta(hours=24)

_LONGEST_KEY = 255


@dataclass(frozen=True)
class RequestKey:
    """The key that a client sent, and a digest of the request that it sent it with."""

    route: str
    key: str
    body_digest: str


def parse_key(route: str, key: str, body: str) -> RequestKey:
    """Raises InputRejected for what cannot be a key."""
    if not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        reason = f"Idempotency-Key has 1 to {_LONGEST_KEY} printable ASCII characters."
        raise InputRejected(reason, (FieldError("Idempotency-Key", reason),))
    return RequestKey(route, key, hashlib.sha256(body.encode()).hexdigest())


async def find_payment_of_key(session: AsyncSession, request: RequestKey) -> int | None:
    """The id of the payment that the first request with this key made or found; none: there was no such request.

    Raises Conflict when the key was sent with another request.
    """
    mine = col(IdempotencyKey.route) == request.route, col(IdempotencyKey.key) == request.key
    recent = col(IdempotencyKey.created_at) > now() - _KEPT
    row = (await session.exec(select(IdempotencyKey).where(*mine, recent))).one_or_none()
    if row is None:
        return None
    if row.body_digest != request.body_digest:
        raise Conflict("This Idempotency-Key was used with another request. Please send a new key.")
    return row.payment_id


async def store_key(session: AsyncSession, request: RequestKey, payment_id: int) -> None:
    """Name the payment by the key, which no request has used within the last 24 hours."""
    mine = col(IdempotencyKey.route) == request.route, col(IdempotencyKey.key) == request.key
    await session.exec(delete(IdempotencyKey).where(*mine))
    row = IdempotencyKey(
        route=request.route,
        key=request.key,
        body_digest=request.body_digest,
        payment_id=payment_id,
        created_at=now(),
    )
    session.add(row)


async def delete_old_keys(session: AsyncSession) -> int:
    """Delete keys older than a day. Returns how many."""
    deleted = await session.exec(delete(IdempotencyKey).where(is_old_key(now())))
    return int(deleted.rowcount)


def is_old_key(moment: datetime) -> ColumnElement[bool]:
    """Whether a key has ended by then."""
    return col(IdempotencyKey.created_at) <= moment - _KEPT
