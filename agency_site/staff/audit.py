"""The audit log: written in the transaction of what it tells about."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.staff.rules import Staff
from agency_site.staff.tables import AuditEntry


async def record(
    session: AsyncSession, who: Staff, action: str, kind: str, reference: str, detail: str = ""
) -> None:
    """Note that `who` did `action` to the record `kind` `reference`.

    `reference` and `detail` name records and states, never a visitor's name, address or words.
    """
    session.add(
        AuditEntry(
            at=now(),
            actor=who.email,
            address=who.address,
            action=action,
            kind=kind,
            reference=reference[:80],
            detail=detail[:500],
        )
    )
    await session.flush()
