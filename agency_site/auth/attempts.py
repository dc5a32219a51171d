"""Limits on attempts to sign in, counted in the database so that they hold over all processes.

An attempt is stored before the password is checked and deleted when the password was right, so parallel attempts
cannot bypass the limit. Strangers never lock out the holder of an account:

- Each source (an open session, a known browser, else an address) has PER_SOURCE attempts per account.
- An address has PER_ADDRESS attempts over all accounts together.
- While many attempts fail on one account, an address that never signed in to it has a single attempt.
  A browser or an address that signed in within the last month keeps its PER_SOURCE attempts.
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
"""Opens a session that commits once at its end. Functions that check passwords take it instead of a session, because no
transaction may stay open while Argon2 works."""

WINDOW = timedelta(minutes=15)
PER_SOURCE = 5
"""Attempts from one source at one account within the window."""
PER_ADDRESS = 30
"""Attempts from one address at all accounts within the window."""
ATTACK_ATTEMPTS, _ATTACK_WINDOW = 20, timedelta(hours=1)
"""Attempts at one account within an hour that count as an attack: unknown addresses are slowed down."""
TRUST = timedelta(days=30)
"""An address that signed in to the account is trusted for this long."""


@dataclass(frozen=True)
class Kind:
    """A kind of attempt."""

    name: str
    during_attack: int
    """Attempts of an unknown address while the account is under attack."""


PASSWORD = Kind("password", during_attack=1)
CODE = Kind("code", during_attack=0)
"""The visitor has the password already, so strangers cannot lock the holder out; a million codes must not be tried."""
CONFIRMATION = Kind("confirmation", during_attack=1)
"""The password once more, from a signed-in member of staff."""


@dataclass(frozen=True)
class Attempt:
    """A counted attempt that may proceed."""

    id: int
    key: str
    source: str


async def begin(scope: Scope, kind: Kind, email: str, visit: Visit) -> Attempt:
    """Count one attempt at the account of `email`. Raises TooManyRequests with the seconds to wait."""
    known_browser = _known_browser(visit, email)
    source = known_browser or client_network(visit.address)
    attempt = await _store(scope, token_hash(f"{kind.name}:{email}"), source)
    # Stored and committed first, so that parallel attempts see each other.
    async with scope() as session:
        trusted = bool(known_browser) or await _signed_in_before(session, email, source)
        until = await _blocked_until(session, kind, attempt, trusted=trusted)
        if until is not None:
            await session.exec(delete(SignInAttempt).where(col(SignInAttempt.id) == attempt.id))
    if until is not None:
        seconds = max(1, math.ceil((until - now()).total_seconds()))
        raise TooManyRequests(f"Too many attempts. Please try again in {format_wait(seconds)}.", seconds)
    return attempt


def _known_browser(visit: Visit, email: str) -> str:
    """Return the source of a browser that is signed in to the account or was before; empty for others."""
    if visit.session_id:
        return f"session:{visit.session_id}"
    device = open_device(visit.device, email)
    return f"device:{device}" if device else ""


async def clear_attempts(session: AsyncSession, attempt: Attempt) -> None:
    """Delete the attempts of this source at this account, after one was right."""
    await session.exec(
        delete(SignInAttempt).where(
            col(SignInAttempt.account_key) == attempt.key, col(SignInAttempt.address) == attempt.source
        )
    )


async def clear_all_attempts(session: AsyncSession, email: str) -> None:
    """Delete every attempt at an account that an owner has reset."""
    keys = [token_hash(f"{kind.name}:{email}") for kind in (PASSWORD, CODE, CONFIRMATION)]
    await session.exec(delete(SignInAttempt).where(col(SignInAttempt.account_key).in_(keys)))


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Delete up to `limit` attempts older than `before`; return how many."""
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

    async def find_free_moment(most: int, window: timedelta, *which: ColumnElement[bool]) -> datetime | None:
        """Return when fewer than `most` other attempts lie within the window; None if that is now."""
        recent = select(SignInAttempt.at).where(
            col(SignInAttempt.id) != attempt.id, col(SignInAttempt.at) > now() - window, *which
        )
        rows = await session.exec(recent.order_by(col(SignInAttempt.at).desc()).offset(most - 1).limit(1))
        latest = rows.one_or_none()
        return latest + window if latest else None

    if trusted:
        return await find_free_moment(PER_SOURCE, WINDOW, at_account, here)
    attacked_until = await find_free_moment(ATTACK_ATTEMPTS, _ATTACK_WINDOW, at_account)
    if attacked_until and not kind.during_attack:
        return attacked_until
    waits = (
        await find_free_moment(
            kind.during_attack if attacked_until else PER_SOURCE, WINDOW, at_account, here
        ),
        await find_free_moment(PER_ADDRESS, WINDOW, here),
    )
    return max((wait for wait in waits if wait), default=None)
