"""Who wants no newsletter: kept as keyed hashes, so that it holds after everything else about somebody is erased."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import func
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.email_addresses import address_spellings, stored_address
from agency_site.features.newsletter.tables import Suppression
from agency_site.signing import signatures


async def suppress(session: AsyncSession, addresses: Iterable[str]) -> None:
    """Put addresses on the list; those that are there stay as they are."""
    moment, wanted = now(), [address for address in addresses if address]
    there = await suppressed(session, wanted)
    rows = [{"address_key": _keys(one)[0], "since": moment} for one in wanted if one not in there]
    if rows:
        await insert_new(session, Suppression, rows)


async def lift(session: AsyncSession, address: str) -> None:
    """Take an address off the list: whoever reads the mailbox has confirmed a subscription."""
    await session.exec(delete(Suppression).where(col(Suppression.address_key).in_(_keys(address))))


async def suppressed(session: AsyncSession, addresses: Sequence[str]) -> frozenset[str]:
    """Those among a few hundred addresses that are on the list."""
    keys = {key: address for address in addresses for key in _keys(address)}
    listed = select(Suppression.address_key).where(col(Suppression.address_key).in_(keys))
    return frozenset(keys[key] for key in await session.exec(listed))


async def suppressed_since(session: AsyncSession, address: str) -> datetime | None:
    """Since when an address is on the list; none: it is not."""
    if not address.strip():
        return None
    listed = select(func.min(Suppression.since)).where(col(Suppression.address_key).in_(_keys(address)))
    return (await session.exec(listed)).one()


def _keys(address: str) -> tuple[str, ...]:
    """What the list may hold of an address: its hash under each secret key, the present one first."""
    # Until domains were stored in ASCII, their own script was hashed.
    spellings = address_spellings(stored_address(address))
    return tuple(key for one in spellings for key in signatures("newsletter-suppression", one))
