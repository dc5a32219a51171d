"""One-time links with which somebody chooses a password: the first owner, an invited member of staff, one who forgot it."""

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
    """What a link that can still be used is for."""

    purpose: LinkPurpose
    account_id: int | None
    email: str = ""
    name: str = ""


async def make_link(session: AsyncSession, purpose: LinkPurpose, account_id: int | None) -> str:
    """A fresh link, as its absolute address; its token is not kept. Earlier links of the account end."""
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


async def setup_link(session: AsyncSession) -> str | None:
    """The link with which the first owner begins; none once there is an account.

    Every start makes a new one, because the old token is not kept; several servers may start, so the earlier ones stay
    good until one of them is used.
    """
    if await anybody(session):
        return None
    over = (col(StaffLink.purpose) == LinkPurpose.SETUP, col(StaffLink.expires_at) <= now())
    await session.exec(delete(StaffLink).where(*over))
    return await make_link(session, LinkPurpose.SETUP, None)


async def anybody(session: AsyncSession) -> bool:
    """Whether there is any account."""
    return bool((await session.exec(select(exists(select(StaffAccount.id))))).one())


async def read_link(session: AsyncSession, purpose: LinkPurpose, token: str) -> Offer:
    """What the link offers. Raises LinkGone for one that is unknown, used or too old."""
    found = await session.exec(
        select(StaffLink, StaffAccount)
        .join(StaffAccount, col(StaffAccount.id) == col(StaffLink.account_id), isouter=True)
        .where(*_usable(purpose), col(StaffLink.token_hash) == token_hash(token))
    )
    link, account = found.one_or_none() or (None, None)
    if link is None or (account and account.disabled_at):
        raise LinkGone
    if account:
        return Offer(purpose, account.id, account.email, account.name)
    if await anybody(session):
        raise LinkGone
    return Offer(purpose, None)


async def use_link(session: AsyncSession, purpose: LinkPurpose, token: str) -> None:
    """Use the link up; of two who try at the same instant one gets LinkGone. A set-up link takes all others along."""
    ours = token_hash(token)
    which = () if purpose is LinkPurpose.SETUP else (col(StaffLink.token_hash) == ours,)
    used = (
        update(StaffLink)
        .where(*_usable(purpose), *which)
        .values(used_at=now())
        .returning(col(StaffLink.token_hash))
        .execution_options(synchronize_session=False)
    )
    if ours not in {found for (found,) in await session.exec(used)}:
        raise LinkGone


async def withdraw_links(session: AsyncSession, account_id: int) -> None:
    """End all links of an account that were not used."""
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
