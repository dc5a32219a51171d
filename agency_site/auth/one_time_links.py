"""One-time links for choosing a password: for the first owner, an invited member of staff, or one who forgot it."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, exists, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.errors import LinkGone
from agency_site.auth.rules import LINK_LIFETIME, LinkPurpose
from agency_site.auth.tables import StaffAccount, StaffLink
from agency_site.auth.tokens import new_token
from agency_site.clock import now
from agency_site.ids import token_hash
from agency_site.settings import settings

_PATHS = {
    LinkPurpose.SETUP: "/admin/set-up/",
    LinkPurpose.INVITATION: "/admin/invitation/",
    LinkPurpose.RESET: "/admin/reset/",
}


@dataclass(frozen=True)
class Offer:
    """The purpose and the account of a usable link."""

    purpose: LinkPurpose
    account_id: int | None
    email: str = ""
    name: str = ""


async def make_link(session: AsyncSession, purpose: LinkPurpose, account_id: int | None) -> str:
    """Return a fresh link as an absolute address; only the hash of its token is stored. Earlier links of the account end."""
    moment, token = now(), new_token()
    if account_id is not None:
        await withdraw_links(session, account_id)
    session.add(
        StaffLink(
            account_id=account_id,
            purpose=purpose,
            token_hash=token_hash(token),
            created_at=moment,
            expires_at=moment + LINK_LIFETIME,
        )
    )
    await session.flush()
    return f"{settings().site_url}{_PATHS[purpose]}{token}"


async def make_setup_link(session: AsyncSession) -> str | None:
    """Return the link for the first owner; None once there is an account.

    Every start makes a new one, because only hashes are stored; several servers may start, so earlier links stay
    valid until one of them is used.
    """
    if await has_account(session):
        return None
    expired = (col(StaffLink.purpose) == LinkPurpose.SETUP, col(StaffLink.expires_at) <= now())
    await session.exec(delete(StaffLink).where(*expired))
    return await make_link(session, LinkPurpose.SETUP, None)


async def has_account(session: AsyncSession) -> bool:
    return bool((await session.exec(select(exists(select(StaffAccount.id))))).one())


async def read_link(session: AsyncSession, purpose: LinkPurpose, token: str) -> Offer:
    """Return the link's offer. Raises LinkGone for a link that is unknown, used or too old."""
    rows = await session.exec(
        select(StaffLink, StaffAccount)
        .join(StaffAccount, col(StaffAccount.id) == col(StaffLink.account_id), isouter=True)
        .where(*_usable(purpose), col(StaffLink.token_hash) == token_hash(token))
    )
    link, account = rows.one_or_none() or (None, None)
    if link is None or (account and account.disabled_at):
        raise LinkGone
    if account:
        return Offer(purpose, account.id, account.email, account.name)
    if await has_account(session):
        raise LinkGone
    return Offer(purpose, None)


async def use_link(session: AsyncSession, purpose: LinkPurpose, token: str) -> None:
    """Mark the link as used; of two parallel attempts one gets LinkGone. A set-up link uses up all others."""
    own_hash = token_hash(token)
    conditions = () if purpose is LinkPurpose.SETUP else (col(StaffLink.token_hash) == own_hash,)
    statement = (
        update(StaffLink)
        .where(*_usable(purpose), *conditions)
        .values(used_at=now())
        .returning(col(StaffLink.token_hash))
        .execution_options(synchronize_session=False)
    )
    if own_hash not in {used_hash for (used_hash,) in await session.exec(statement)}:
        raise LinkGone


async def withdraw_links(session: AsyncSession, account_id: int) -> None:
    """End all unused links of an account."""
    await session.exec(
        update(StaffLink)
        .where(col(StaffLink.account_id) == account_id, col(StaffLink.used_at).is_(None))
        .values(used_at=now())
        .execution_options(synchronize_session=False)
    )


def _usable(purpose: LinkPurpose) -> tuple[ColumnElement[bool], ...]:
    return (
        col(StaffLink.purpose) == purpose,
        col(StaffLink.used_at).is_(None),
        col(StaffLink.expires_at) > now(),
    )
