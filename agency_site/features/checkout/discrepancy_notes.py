"""Closing a discrepancy of the reconciliation report with a note: who has found out what it is, and when."""

from sqlalchemy.exc import IntegrityError
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import Conflict
from agency_site.features.checkout.discrepancies import Difference, Subject, difference_about
from agency_site.features.checkout.rules import kes
from agency_site.features.checkout.staff_request import closing_note
from agency_site.features.checkout.tables import DiscrepancyClosure
from agency_site.features.checkout.transitions import lock_order, note

CHANGED = "This difference is not the same any more. Please look at the report again."


async def close_difference(
    session: AsyncSession, subject: Subject, amount: int, typed: str, actor: str
) -> Difference:
    """Close the difference about `subject`, of which `amount` was at stake when `actor` looked; returns it as it was.

    The history of its order keeps the note. Raises InputRejected for `note`, and Conflict when the difference is gone,
    closed already, or about another amount.
    """
    why = closing_note(typed)
    order = await lock_order(session, subject.order_id) if subject.order_id is not None else None
    found = await difference_about(session, subject)
    if found is None or found.subject != subject or found.closure or found.amount != amount:
        raise Conflict(CHANGED)
    session.add(
        DiscrepancyClosure(
            order_id=subject.order_id,
            callback_id=subject.callback_id,
            amount=amount,
            note=why,
            closed_by=actor,
            closed_at=now(),
        )
    )
    if order is not None:
        note(session, order, None, actor, f"difference of {kes(amount)} closed: {why}")
    try:
        await session.flush()
    except IntegrityError:
        # A callback without an order has no row to lock: of two who close it at once, the database stops the second.
        raise Conflict(CHANGED) from None
    return found
