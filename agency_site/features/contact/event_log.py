"""The history of enquiries: every change writes a line, in the same transaction."""

from collections.abc import Sequence

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.contact.records import EnquiryLine
from agency_site.features.contact.rules import EnquiryChange
from agency_site.features.contact.tables import Enquiry, EnquiryEvent

VISITOR = "visitor"


async def write_line(
    session: AsyncSession,
    enquiries: Sequence[int | None],
    what: EnquiryChange,
    actor: str,
    *,
    before: str = "",
    after: str = "",
    note: str = "",
    reply: str = "",
    message_id: str = "",
) -> None:
    """Add a line to the history of each enquiry of these ids. `note` says why, `reply` what was answered by e-mail."""
    line = {
        "at": now(),
        "actor": actor,
        "what": what,
        "before": before,
        "after": after,
        "note": note,
        "reply": reply,
        "message_id": message_id,
    }
    if enquiries:
        await insert_new(session, EnquiryEvent, [line | {"enquiry_id": identity} for identity in enquiries])


async def history(session: AsyncSession, reference: str) -> tuple[EnquiryLine, ...]:
    """What happened to the enquiry of that reference, oldest first; nothing for an unknown one."""
    lines = (
        select(EnquiryEvent)
        .join(Enquiry, col(Enquiry.id) == EnquiryEvent.enquiry_id)
        .where(Enquiry.reference == reference)
        .order_by(col(EnquiryEvent.id))
    )
    return tuple(EnquiryLine.of(row) for row in (await session.exec(lines)).all())
