"""The private link with which a calendar program reads the bookings on behalf of a member of staff."""

from dataclasses import dataclass

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import PERMISSIONS, Permission, Role, Staff
from agency_site.auth.second_factor import must_set_up_totp
from agency_site.auth.tables import StaffAccount
from agency_site.auth.tokens import new_token
from agency_site.ids import token_hash

BOOKINGS_FEED = frozenset({Permission.SEE_BOOKINGS, Permission.EXPORT})
"""Required to read bookings as a feed."""
SESSIONS_FEED = frozenset({Permission.SEE_LEARNERS})
"""Required to read the own course sessions as a feed."""


@dataclass(frozen=True)
class CalendarReader:
    """The member of staff on whose behalf a calendar program asks."""

    account_id: int
    email: str
    role: Role


async def make_calendar_token(session: AsyncSession, who: Staff) -> str:
    """Return a fresh token for the link and revoke the one before. Only its hash is stored."""
    token = new_token()
    await _store_hash(session, who, token_hash(token))
    await audit.record(session, who, "staff.calendar_link_made", "staff", who.email)
    return token


async def revoke_calendar_token(session: AsyncSession, who: Staff) -> None:
    await _store_hash(session, who, None)
    await audit.record(session, who, "staff.calendar_link_revoked", "staff", who.email)


async def has_calendar_token(session: AsyncSession, account_id: int) -> bool:
    hashes = await session.exec(select(StaffAccount.calendar_token_hash).where(StaffAccount.id == account_id))
    return hashes.one() is not None


async def find_calendar_reader(
    session: AsyncSession, token: str, required: frozenset[Permission] = BOOKINGS_FEED
) -> CalendarReader | None:
    """Return the holder of the link.

    None if it was revoked, or its holder is disabled, must set up a second factor or lacks one of the `required` permissions.
    """
    accounts = await session.exec(
        select(StaffAccount).where(
            StaffAccount.calendar_token_hash == token_hash(token), col(StaffAccount.disabled_at).is_(None)
        )
    )
    account = accounts.one_or_none()
    if account is None or not required <= PERMISSIONS[account.role]:
        return None
    if await must_set_up_totp(session, account.id or 0):
        return None
    return CalendarReader(account.id or 0, account.email, account.role)


async def _store_hash(session: AsyncSession, who: Staff, new_hash: str | None) -> None:
    await session.exec(
        update(StaffAccount)
        .where(col(StaffAccount.id) == who.account_id)
        .values(calendar_token_hash=new_hash)
        .execution_options(synchronize_session=False)
    )
