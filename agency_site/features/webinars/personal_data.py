"""Personal data in webinar registrations: what is exported and erased, and when it expires."""

from datetime import datetime
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.webinars import webinars
from agency_site.db.event_log import RETENTION
from agency_site.db.personal_data import PersonalData
from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.form_input import search_text
from agency_site.mail.personal_data import erase_about
from agency_site.visits.rules import ORIGIN_COLUMNS


async def _cancel(session: AsyncSession, row: WebinarRegistration, actor: str) -> dict[str, Any]:
    """Cancel the registration of a person who is erased on request. A registration that expires keeps its state."""
    if actor == RETENTION or row.state is not RegistrationState.REGISTERED:
        return {}
    return {"state": RegistrationState.CANCELLED, "cancelled_at": now(), "cancelled_by": actor}


REGISTRATIONS = PersonalData[WebinarRegistration](
    table=WebinarRegistration,
    record="webinar registration",
    personal=("fullname", "email", "phone"),
    retained=("reference", "webinar", "state", "created_at", "cancelled_at", *ORIGIN_COLUMNS),
    secret=("search",),
    internal=(
        "id", "version", "token_seed", "token_hash", "updated_at", "cancelled_by", "announced_event", "due_at", "leased_until"
    ),
    replace=lambda row: {"search": search_text(row.reference), "updated_at": now()},
    related=erase_about,
    end=_cancel,
)  # fmt: skip


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` registrations of webinars that took place before `before`. Return their number."""
    coming_webinars = [webinar.id for webinar in webinars() if webinar.starts_at >= before]
    table = WebinarRegistration
    query = select(table).where(col(table.updated_at) < before, col(table.webinar).not_in(coming_webinars))
    return await REGISTRATIONS.expire(session, query.order_by(col(table.id)), limit)
