"""Signed-in browsers: start, find, extend and end their sessions.

`find` runs before every action of staff, so an ended session, a disabled account or a changed role takes effect at the
next event of an open page.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Update, and_, delete, func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import ABSOLUTE, IDLE, SessionEnd, Staff
from agency_site.auth.tables import StaffAccount, StaffSession
from agency_site.auth.tokens import new_token
from agency_site.clock import now
from agency_site.db.read_models import ReadModel
from agency_site.ids import token_hash

_TOUCH_AFTER = timedelta(minutes=1)
"""The stored time of the last activity is updated at most this often."""


@dataclass(frozen=True)
class Visit:
    """The browser of a sign-in."""

    address: str
    browser: str = ""
    """The User-Agent header."""
    device: str = ""
    """The sealed note of a browser that signed in before (`tokens.seal_device`)."""
    token: str = ""
    """The token of the browser's present session, which a new one replaces."""
    session_id: int = 0
    """The session in which a member of staff proves again who they are; 0 for a sign-in."""


@dataclass(frozen=True)
class OpenSession(ReadModel):
    """A signed-in browser as its owner sees it."""

    id: int
    address: str
    browser: str
    created_at: datetime
    seen_at: datetime


def _live(moment: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        col(StaffSession.ended_at).is_(None),
        col(StaffSession.seen_at) > moment - IDLE,
        col(StaffSession.created_at) > moment - ABSOLUTE,
    )


async def start(session: AsyncSession, account: StaffAccount, visit: Visit) -> str:
    """Sign the browser in. Returns a fresh token, of which only the hash is stored."""
    moment, token = now(), new_token()
    assert account.id is not None
    if visit.token:
        await session.exec(_ending(moment).where(col(StaffSession.token_hash) == token_hash(visit.token)))
    session.add(
        StaffSession(
            account_id=account.id,
            token_hash=token_hash(token),
            address=visit.address[:64],
            browser=browser_name(visit.browser),
            created_at=moment,
            seen_at=moment,
        )
    )
    await session.flush()
    return token


async def find(session: AsyncSession, token: str, address: str) -> Staff | None:
    """Return the member of staff with that session token, now at `address`; None if the session has ended."""
    if not token:
        return None
    query = (
        select(StaffAccount, col(StaffSession.id))
        .join(StaffSession, col(StaffSession.account_id) == col(StaffAccount.id))
        .where(
            col(StaffSession.token_hash) == token_hash(token),
            col(StaffAccount.disabled_at).is_(None),
            *_live(now()),
        )
    )
    row = (await session.exec(query)).one_or_none()
    if row is None:
        return None
    account, session_id = row
    return Staff(account.id or 0, account.email, account.name, account.role, session_id or 0, address[:64])


async def touch(session: AsyncSession, session_id: int) -> None:
    """Note activity of the session, which extends it. Never revives an ended session."""
    moment = now()
    await session.exec(
        update(StaffSession)
        .where(
            col(StaffSession.id) == session_id,
            col(StaffSession.seen_at) < moment - _TOUCH_AFTER,
            *_live(moment),
        )
        .values(seen_at=moment)
        .execution_options(synchronize_session=False)
    )


async def why_ended(session: AsyncSession, token: str) -> SessionEnd | None:
    """Return why the session of that token ended; None if it has not, if no reason was noted, or for an unknown token.

    Only the browser that holds the token learns why its session ended.
    """
    query = (
        select(StaffSession, col(StaffAccount.disabled_at))
        .join(StaffAccount, col(StaffSession.account_id) == col(StaffAccount.id))
        .where(col(StaffSession.token_hash) == token_hash(token))
    )
    row = (await session.exec(query)).one_or_none() if token else None
    if row is None:
        return None
    session_row, disabled_at = row
    if session_row.ended_at:
        return session_row.end_reason
    if disabled_at:
        return SessionEnd.DISABLED
    if session_row.created_at <= now() - ABSOLUTE:
        return SessionEnd.EXPIRED
    return SessionEnd.IDLE if session_row.seen_at <= now() - IDLE else None


async def end(session: AsyncSession, session_id: int, reason: SessionEnd) -> None:
    await session.exec(_ending(now(), reason).where(col(StaffSession.id) == session_id))


async def end_all(
    session: AsyncSession, account_id: int, reason: SessionEnd, except_session: int | None = None
) -> int:
    """End all sessions of an account except `except_session`; return how many were open."""
    moment = now()
    ending = _ending(moment, reason).where(
        col(StaffSession.account_id) == account_id,
        col(StaffSession.id) != (except_session or 0),
        *_live(moment),
    )
    return int((await session.exec(ending)).rowcount)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Delete up to `limit` sessions that ended before `before`; return how many."""
    over = func.coalesce(StaffSession.ended_at, StaffSession.seen_at) < before
    old = (
        select(StaffSession.id).where(over, ~and_(*_live(now()))).order_by(col(StaffSession.id)).limit(limit)
    )
    ids = (await session.exec(old.with_for_update(skip_locked=True))).all()
    await session.exec(delete(StaffSession).where(col(StaffSession.id).in_(ids)))
    return len(ids)


async def list_sessions(session: AsyncSession, account_id: int) -> list[OpenSession]:
    """Return the signed-in browsers of an account, the most recently active first."""
    live = select(StaffSession).where(col(StaffSession.account_id) == account_id, *_live(now()))
    rows = await session.exec(live.order_by(col(StaffSession.seen_at).desc(), col(StaffSession.id).desc()))
    return [OpenSession.of(row) for row in rows.all()]


def _ending(moment: datetime, reason: SessionEnd | None = None) -> Update:
    return (
        update(StaffSession)
        .where(col(StaffSession.ended_at).is_(None))
        .values(ended_at=moment, end_reason=reason)
        .execution_options(synchronize_session=False)
    )


_PROGRAMS = (
    ("Edge", r"Edg[A-Z]?[a-z]*/"),
    ("Opera", r"OPR/|Opera"),
    ("Samsung Internet", r"SamsungBrowser/"),
    ("Firefox", r"Firefox/|FxiOS/"),
    ("Chrome", r"Chrome/|CriOS/"),
    ("Safari", r"Safari/"),
)
_SYSTEMS = (
    ("Android", r"Android"),
    ("iPhone", r"iPhone"),
    ("iPad", r"iPad"),
    ("Windows", r"Windows"),
    ("Mac", r"Mac OS X"),
    ("ChromeOS", r"CrOS"),
    ("Linux", r"Linux"),
)


def browser_name(agent: str) -> str:
    """Return the common name of a browser from its User-Agent, such as `Chrome on Android`."""

    def first_match(signs: tuple[tuple[str, str], ...], otherwise: str) -> str:
        return next((name for name, sign in signs if re.search(sign, agent)), otherwise)

    system = first_match(_SYSTEMS, "")
    program = first_match(_PROGRAMS, "Another program")
    return f"{program} on {system}" if system else program
