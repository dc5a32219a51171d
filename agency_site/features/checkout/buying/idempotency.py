"""Idempotency keys: for 24 hours a client that repeats a request gets the order of the first one.

The key is stored in the transaction that creates the order. So a repeat creates no second order, whatever fails later.
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

_LIFETIME = timedelta(hours=24)

_LONGEST_KEY = 255


@dataclass(frozen=True)
class RequestKey:
    """A client's key, with a digest of the request that carried it."""

    route: str
    key: str
    body_digest: str


def parse_key(route: str, key: str, body: str) -> RequestKey:
    """Return the key of a request. Raises InputRejected if the header is not a valid key."""
    if not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        reason = f"Idempotency-Key must have 1 to {_LONGEST_KEY} printable ASCII characters."
        raise InputRejected(reason, (FieldError("Idempotency-Key", reason),))
    return RequestKey(route, key, hashlib.sha256(body.encode()).hexdigest())


async def find_payment_of_key(session: AsyncSession, request: RequestKey) -> int | None:
    """Return the id of the payment that the first request with this key created or found; None if the key is new.

    Raises Conflict if the key was sent with another request.
    """
    same_key = col(IdempotencyKey.route) == request.route, col(IdempotencyKey.key) == request.key
    recent = col(IdempotencyKey.created_at) > now() - _LIFETIME
    row = (await session.exec(select(IdempotencyKey).where(*same_key, recent))).one_or_none()
    if row is None:
        return None
    if row.body_digest != request.body_digest:
        raise Conflict("This Idempotency-Key was used with another request. Please send a new key.")
    return row.payment_id


async def store_key(session: AsyncSession, request: RequestKey, payment_id: int) -> None:
    """Store the key of the payment. No request has used the key within the last 24 hours."""
    same_key = col(IdempotencyKey.route) == request.route, col(IdempotencyKey.key) == request.key
    await session.exec(delete(IdempotencyKey).where(*same_key))
    row = IdempotencyKey(
        route=request.route,
        key=request.key,
        body_digest=request.body_digest,
        payment_id=payment_id,
        created_at=now(),
    )
    session.add(row)


async def delete_old_keys(session: AsyncSession) -> int:
    """Delete keys older than a day. Returns the number of deleted keys."""
    deleted = await session.exec(delete(IdempotencyKey).where(is_old_key(now())))
    return int(deleted.rowcount)


def is_old_key(moment: datetime) -> ColumnElement[bool]:
    """Return the condition of keys that are too old at `moment`."""
    return col(IdempotencyKey.created_at) <= moment - _LIFETIME
