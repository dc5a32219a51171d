"""The suppression list: keyed hashes of addresses that want no newsletter, which stay after an erasure."""

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
    """Add addresses to the list. Present ones stay unchanged."""
    moment, given_addresses = now(), [address for address in addresses if address]
    present = await suppressed(session, given_addresses)
    rows = [
        {"address_key": _keys(address)[0], "since": moment}
        for address in given_addresses
        if address not in present
    ]
    if rows:
        await insert_new(session, Suppression, rows)


async def lift(session: AsyncSession, address: str) -> None:
    """Remove an address from the list after its owner confirmed a subscription."""
    await session.exec(delete(Suppression).where(col(Suppression.address_key).in_(_keys(address))))


async def suppressed(session: AsyncSession, addresses: Sequence[str]) -> frozenset[str]:
    """Return those of the addresses, at most a few hundred, that are on the list."""
    keys = {key: address for address in addresses for key in _keys(address)}
    query = select(Suppression.address_key).where(col(Suppression.address_key).in_(keys))
    return frozenset(keys[key] for key in await session.exec(query))


async def suppressed_since(session: AsyncSession, address: str) -> datetime | None:
    """Return the moment since which an address is on the list. None if it is not."""
    if not address.strip():
        return None
    query = select(func.min(Suppression.since)).where(col(Suppression.address_key).in_(_keys(address)))
    return (await session.exec(query)).one()


def _keys(address: str) -> tuple[str, ...]:
    """Return the hashes of an address under each secret key, the present one first."""
    # Older rows hashed domains in their own script, newer ones in ASCII.
    spellings = address_spellings(stored_address(address))
    return tuple(key for spelling in spellings for key in signatures("newsletter-suppression", spelling))
