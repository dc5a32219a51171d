"""Who wants no newsletter: kept as keyed hashes, so that it holds after everything else about somebody is erased."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserting import insert_new
from agency_site.newsletter.rules import address_key
from agency_site.newsletter.tables import Suppression
from agency_site.settings import settings


async def suppress(session: AsyncSession, addresses: Iterable[str]) -> None:
    """Put addresses on the list; those that are there stay as they are."""
    moment = now()
    rows = [{"address_key": _key(address), "since": moment} for address in addresses if address]
    if rows:
        await insert_new(session, Suppression, rows)


async def lift(session: AsyncSession, address: str) -> None:
    """Take an address off the list: whoever reads the mailbox has confirmed a subscription."""
    await session.exec(delete(Suppression).where(col(Suppression.address_key) == _key(address)))


async def suppressed(session: AsyncSession, addresses: Sequence[str]) -> frozenset[str]:
    """Those among a few hundred addresses that are on the list."""
    keys = {_key(address): address for address in addresses}
    listed = select(Suppression.address_key).where(col(Suppression.address_key).in_(keys))
    return frozenset(keys[key] for key in await session.exec(listed))


async def suppressed_since(session: AsyncSession, address: str) -> datetime | None:
    """Since when an address is on the list; none: it is not."""
    if not address.strip():
        return None
    listed = select(Suppression.since).where(Suppression.address_key == _key(address))
    return (await session.exec(listed)).one_or_none()


def _key(address: str) -> str:
    return address_key(address, settings().secret_key.get_secret_value())
