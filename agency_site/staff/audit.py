"""The audit log: written in the transaction of what it tells about."""

from collections.abc import Sequence

from sqlmodel import col, select
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
    await record_as(session, who.email, who.address, action, kind, reference, detail)


async def record_as(
    session: AsyncSession, actor: str, address: str, action: str, kind: str, reference: str, detail: str = ""
) -> None:
    """The same for an actor who is not signed in: `shell`, or an account that is about to be."""
    session.add(
        AuditEntry(
            at=now(),
            actor=actor,
            address=address[:64],
            action=action,
            kind=kind,
            reference=reference[:80],
            detail=detail[:500],
        )
    )
    await session.flush()


async def trail(session: AsyncSession, kind: str, reference: str, most: int) -> Sequence[AuditEntry]:
    """What was done to one record, the latest first."""
    done = select(AuditEntry).where(AuditEntry.kind == kind, AuditEntry.reference == reference)
    return (await session.exec(done.order_by(col(AuditEntry.id).desc()).limit(most))).all()
