"""The audit log: written in the transaction of the change that it records."""

from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.auth.submissions import apply_once
from agency_site.auth.tables import AuditEntry
from agency_site.clock import now


async def record(
    session: AsyncSession, who: Staff, action: str, kind: str, reference: str, detail: str = ""
) -> None:
    """Note that `who` did `action` to the record `kind` `reference`.

    `reference` and `detail` name records and states, never a visitor's name, address or words.
    A submit that was applied before raises AlreadyApplied: its transaction changes nothing.
    """
    await apply_once(session, who)
    await record_as(session, who.email, who.address, action, kind, reference, detail)


async def record_as(
    session: AsyncSession, actor: str, address: str, action: str, kind: str, reference: str, detail: str = ""
) -> None:
    """Note an action of an actor who is not signed in: `shell`, or an account that is about to be."""
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


REFUSALS_WITHIN, REFUSALS_PER_ACTOR = timedelta(hours=1), 20
"""Limit of refusals of one actor and kind in the log: enough to show an attack, too few to flood the log."""
SAME_WITHIN = timedelta(minutes=15)
"""A refusal that equals one of this period in every field is not written again."""


async def record_refusal(
    session: AsyncSession, actor: str, address: str, action: str, reference: str, kind: str = "staff"
) -> None:
    """Note that something was refused to `actor`, such as a sign-in, unless the log knows it already.

    `actor` and `reference` are our own names, never typed text: a stranger may type a password into the wrong box.
    """
    conditions = (AuditEntry.action == action, AuditEntry.actor == actor)
    recent = select(AuditEntry).where(*conditions, col(AuditEntry.at) > now() - REFUSALS_WITHIN)
    entries = (await session.exec(recent.order_by(col(AuditEntry.id).desc()).limit(REFUSALS_PER_ACTOR))).all()
    same = [
        entry
        for entry in entries
        if (entry.address, entry.reference) == (address[:64], reference) and entry.at > now() - SAME_WITHIN
    ]
    if not same and len(entries) < REFUSALS_PER_ACTOR:
        await record_as(session, actor, address, action, kind, reference)


async def record_refused_permission(session: AsyncSession, who: Staff, permission: Permission) -> None:
    """Note that `who` tried an action that the role does not allow."""
    await record_refusal(
        session, who.email, who.address, "staff.right_refused", permission.value, "permission"
    )


async def list_entries(session: AsyncSession, kind: str, reference: str, most: int) -> Sequence[AuditEntry]:
    """Return the entries about one record, the latest first."""
    entries = select(AuditEntry).where(AuditEntry.kind == kind, AuditEntry.reference == reference)
    return (await session.exec(entries.order_by(col(AuditEntry.id).desc()).limit(most))).all()
