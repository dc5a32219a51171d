"""Personal data in enquiries: export, erasure and retention."""

from datetime import datetime
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.personal_data import PersonalData
from agency_site.features.contact.rules import EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.form_input import search_text
from agency_site.mail.personal_data import erase_about
from agency_site.visits.rules import ORIGIN_COLUMNS


def _replace(enquiry: Enquiry) -> dict[str, Any]:
    # The plan is business data and stays; the domain may name the person.
    details = {name: "" if name == "domain_name" else value for name, value in enquiry.details.items()}
    search = search_text(enquiry.reference)
    return {"content_key": None, "details": details, "search": search, "updated_at": now()}


ENQUIRIES = PersonalData[Enquiry](
    table=Enquiry,
    record="enquiry",
    personal=("fullname", "email", "phone", "subject", "message"),
    retained=("reference", "kind", "state", "details", "created_at", *ORIGIN_COLUMNS),
    secret=("content_key", "search"),
    internal=("id", "version", "thread", "updated_at"),
    replace=_replace,
    related=erase_about,
    events=EnquiryEvent,
    exported_events=("at", "what", "note", "reply"),
    event_words=("note", "reply"),
)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Erase up to `limit` answered or closed enquiries that last changed before `before`; return their number."""
    done = col(Enquiry.state).in_((EnquiryState.ANSWERED, EnquiryState.CLOSED))
    old = select(Enquiry).where(done, col(Enquiry.updated_at) < before).order_by(col(Enquiry.id))
    return await ENQUIRIES.expire(session, old, limit)
