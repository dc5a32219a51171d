"""How often somebody may try to sign in, counted in the database so that it holds over all processes.

An attempt is stored before the password is checked, and removed when it was right: attempts side by side cannot
all slip through. What a stranger does never locks the holder of an account out:

- Each source (a browser that signed in before, else an address) has a few attempts per account.
- An address has more of them over all accounts together.
- While many attempts fail on one account, an address that never signed in to it has one attempt instead of a few.
  A browser or an address that did so within the last month has its few attempts whatever others do.
"""

import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.sessions import Visit
from agency_site.auth.tables import SignInAttempt, StaffAccount, StaffSession
from agency_site.auth.tokens import open_device
from agency_site.client_address import client_network
from agency_site.clock import format_wait, now
from agency_site.errors import TooManyRequests
from agency_site.ids import token_hash

Scope = Callable[[], AbstractAsyncContextManager[AsyncSession]]
"""Opens a session that commits once at its end. Verbs that check passwords take it instead of a session: no
transaction may stay open while Argon2 works."""

WINDOW = timedelta(minutes=15)
PER_SOURCE = 5
"""Attempts from one source at one account within the window."""
PER_ADDRESS = 30
"""Attempts from one address at all accounts within the window."""
CROWD, _CROWD_WINDOW = 20, timedelta(hours=1)
"""Attempts at one account within an hour from which strangers' addresses are slowed down."""
TRUST = timedelta(days=30)
"""How long an address counts as the account's own after a sign-in."""


@dataclass(frozen=True)
class Kind:
    """What is tried."""

    name: str
    in_a_crowd: int
    """Attempts that a stranger's address has while many fail on the account."""


PASSWORD = Kind("password", in_a_crowd=1)
CODE = Kind("code", in_a_crowd=0)
"""Whoever gets here has the password, so nobody is locked out by strangers; a million codes must not be tried."""
CONFIRMATION = Kind("confirmation", in_a_crowd=1)
"""The password once more, by somebody who is signed in."""


@dataclass(frozen=True)
class Attempt:
    """One attempt that may go ahead."""

    id: int
    key: str
    source: str


async def begin(scope: Scope, kind: Kind, email: str, visit: Visit) -> Attempt:
    """Count one attempt at the account of `email`. Raises TooManyRequests with the seconds to wait."""
    device = open_device(visit.device, email)
    source = f"device:{device}" if device else client_network(visit.address)
    attempt = await _store(scope, token_hash(f"{kind.name}:{email}"), source)
    # Stored and committed first: of attempts side by side each sees the others.
    async with scope() as session:
        trusted = bool(device) or await _signed_in_before(session, email, source)
        until = await _blocked_until(session, kind, attempt, trusted=trusted)
        if until is not None:
            await session.exec(delete(SignInAttempt).where(col(SignInAttempt.id) == attempt.id))
    if until is not None:
        seconds = max(1, math.ceil((until - now()).total_seconds()))
        raise TooManyRequests(f"Too many attempts. Please try again in {format_wait(seconds)}.", seconds)
    return attempt


async def forgive(session: AsyncSession, attempt: Attempt) -> None:
    """The attempt was right: its source starts again at zero for this account."""
    await session.exec(
        delete(SignInAttempt).where(
            col(SignInAttempt.account_key) == attempt.key, col(SignInAttempt.address) == attempt.source
        )
    )


async def forgive_all(session: AsyncSession, email: str) -> None:
    """Forget every attempt at an account: somebody with the permission has reset it."""
    keys = [token_hash(f"{kind.name}:{email}") for kind in (PASSWORD, CODE, CONFIRMATION)]
    await session.exec(delete(SignInAttempt).where(col(SignInAttempt.account_key).in_(keys)))


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Forget up to `limit` attempts of before that moment; returns how many."""
    old = (
        select(SignInAttempt.id)
        .where(col(SignInAttempt.at) < before)
        .order_by(col(SignInAttempt.at))
        .limit(limit)
    )
    ids = (await session.exec(old.with_for_update(skip_locked=True))).all()
    await session.exec(delete(SignInAttempt).where(col(SignInAttempt.id).in_(ids)))
    return len(ids)


async def _store(scope: Scope, key: str, source: str) -> Attempt:
    async with scope() as session:
        row = SignInAttempt(account_key=key, address=source, at=now())
        session.add(row)
        await session.flush()
        assert row.id is not None
        return Attempt(row.id, key, source)


async def _signed_in_before(session: AsyncSession, email: str, source: str) -> bool:
    recent = (
        select(StaffSession.address)
        .join(StaffAccount, col(StaffAccount.id) == col(StaffSession.account_id))
        .where(StaffAccount.email == email, col(StaffSession.created_at) > now() - TRUST)
        .distinct()
    )
    return source in {client_network(address) for address in (await session.exec(recent)).all()}


async def _blocked_until(
    session: AsyncSession, kind: Kind, attempt: Attempt, *, trusted: bool
) -> datetime | None:
    at_account = col(SignInAttempt.account_key) == attempt.key
    here = col(SignInAttempt.address) == attempt.source

    async def free_again(most: int, window: timedelta, *which: ColumnElement[bool]) -> datetime | None:
        """When fewer than `most` other attempts will lie within the window; none: now."""
        recent = select(SignInAttempt.at).where(
            col(SignInAttempt.id) != attempt.id, col(SignInAttempt.at) > now() - window, *which
        )
        found = await session.exec(recent.order_by(col(SignInAttempt.at).desc()).offset(most - 1).limit(1))
        latest = found.one_or_none()
        return latest + window if latest else None

    if trusted:
        return await free_again(PER_SOURCE, WINDOW, at_account, here)
    crowded = await free_again(CROWD, _CROWD_WINDOW, at_account)
    if crowded and not kind.in_a_crowd:
        return crowded
    waits = (
        await free_again(kind.in_a_crowd if crowded else PER_SOURCE, WINDOW, at_account, here),
        await free_again(PER_ADDRESS, WINDOW, here),
    )
    return max((wait for wait in waits if wait), default=None)
