"""The private link of the calendar feed: who may read it."""

import hashlib

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.staff.rules import RIGHTS, Right
from agency_site.staff.tables import StaffAccount


async def calendar_reader(session: AsyncSession, token: str) -> str | None:
    """The e-mail address of the enabled account whose link carries `token`, if it still may see bookings; else none."""
    account = select(StaffAccount).where(
        StaffAccount.calendar_token_hash == hash_of(token), col(StaffAccount.disabled_at).is_(None)
    )
    found = (await session.exec(account)).one_or_none()
    if found is None or Right.SEE_BOOKINGS not in RIGHTS[found.role]:
        return None
    return found.email


def hash_of(token: str) -> str:
    """What `StaffAccount.calendar_token_hash` holds of a token: its SHA-256, in hex."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
