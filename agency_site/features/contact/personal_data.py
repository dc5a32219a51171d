"""Everything that enquiries hold about one person, and its removal: on request, or once its time is over.

A person is known by e-mail address or phone number, whichever of the two is not empty.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.record_versions import change
from agency_site.features.contact.rules import EnquiryChange, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.form_input import phone_number, search_text
from agency_site.mail.personal_data import erase_about

RETENTION = "retention"
"""Who acted, where it was nobody's wish."""
_SHOWN = {
    "reference", "kind", "state", "fullname", "email", "phone", "subject", "message", "details", "created_at",
}  # fmt: skip


async def held(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Every enquiry with its answers and notes, in a form that JSON can hold."""
    found: list[dict[str, object]] = []
    for enquiry in (await session.exec(_enquiries(email, phone))).all():
        events = select(EnquiryEvent).where(EnquiryEvent.enquiry_id == enquiry.id)
        lines = (await session.exec(events.order_by(col(EnquiryEvent.id)))).all()
        said = [line.model_dump(mode="json", include={"at", "what", "note", "reply"}) for line in lines]
        shown = enquiry.model_dump(mode="json", include=_SHOWN)
        found.append({"record": "enquiry", **shown, "history": said})
    return found


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank what is personal, and keep references, dates and states; how many records were blanked.

    What staff answered and noted about the person is erased as well, and so are the mails about it.
    """
    enquiries = (await session.exec(_enquiries(email, phone).with_for_update())).all()
    for enquiry in enquiries:
        await _blank_enquiry(session, enquiry, actor)
        await erase_about(session, enquiry.reference)
    return len(enquiries)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` enquiries that need nothing more and last changed before that moment; how many there were.

    Several processes may do so at once: none waits for a row that another holds.
    """
    done = col(Enquiry.state).in_((EnquiryState.ANSWERED, EnquiryState.CLOSED))
    old = select(Enquiry).where(done, col(Enquiry.updated_at) < before, col(Enquiry.email) != "")
    batch = old.order_by(col(Enquiry.id)).limit(limit).with_for_update(skip_locked=True)
    enquiries = (await session.exec(batch.execution_options(populate_existing=True))).all()
    for enquiry in enquiries:
        await _blank_enquiry(session, enquiry, RETENTION)
    return len(enquiries)


def _enquiries(email: str, phone: str) -> SelectOfScalar[Enquiry]:
    # Erased rows have empty columns: they belong to nobody, least of all to whoever left a box empty.
    theirs = or_(
        (func.lower(col(Enquiry.email)) == email.strip().lower()) & (col(Enquiry.email) != ""),
        (col(Enquiry.phone) == _as_stored(phone)) & (col(Enquiry.phone) != ""),
    )
    return select(Enquiry).where(theirs).order_by(col(Enquiry.id)).execution_options(populate_existing=True)


def _as_stored(phone: str) -> str:
    try:
        return phone_number(phone)
    except ValueError:
        return phone.strip()


async def _blank_enquiry(session: AsyncSession, enquiry: Enquiry, actor: str) -> None:
    # Which plan somebody wanted is the business's own; the domain may name the person.
    details = {name: "" if name == "domain_name" else value for name, value in enquiry.details.items()}
    blank: dict[str, Any] = dict.fromkeys(("fullname", "email", "phone", "subject", "message"), "")
    rest = {"content_key": None, "details": details, "search": search_text(enquiry.reference)}
    await change(session, Enquiry, enquiry.id, enquiry.version, updated_at=now(), **blank, **rest)
    words = update(EnquiryEvent).where(col(EnquiryEvent.enquiry_id) == enquiry.id).values(note="", reply="")
    await session.exec(words.execution_options(synchronize_session=False))
    await append_event(session, EnquiryEvent, [enquiry.id], EnquiryChange.ERASED, actor)
