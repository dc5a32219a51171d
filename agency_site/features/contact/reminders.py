"""Reminders of webinars, the day before, sent from rows whose time has come."""

from datetime import datetime

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content import webinars
from agency_site.db.leases import claim
from agency_site.features.contact import registration_emails as emails
from agency_site.features.contact.records import RegistrationRecord
from agency_site.features.contact.registrations import REMINDER_BEFORE, token_of
from agency_site.features.contact.rules import RegistrationState
from agency_site.features.contact.tables import WebinarRegistration
from agency_site.mail.usecases import enqueue

_PLANNED = col(WebinarRegistration.due_at).is_not(None)
_WAITING = col(WebinarRegistration.state) == RegistrationState.REGISTERED


async def moved(session: AsyncSession) -> tuple[str, ...]:
    """Ids of the webinars that content has moved to another time since people registered."""
    planned = (
        select(WebinarRegistration.webinar, WebinarRegistration.due_at).where(_PLANNED, _WAITING).distinct()
    )
    kept = (await session.exec(planned)).all()
    return tuple(sorted({name for name, due in kept if due != _reminder_of(name, due)}))


def _reminder_of(name: str, due: datetime | None) -> datetime | None:
    webinar = webinars.find(name)
    return webinar.starts_at - REMINDER_BEFORE if webinar else due


async def follow(session: AsyncSession, moved_webinars: tuple[str, ...]) -> None:
    """Let the reminders of these webinars follow them."""
    for name in moved_webinars:
        webinar = webinars.find(name)
        if webinar is None:
            continue
        rows = update(WebinarRegistration).where(col(WebinarRegistration.webinar) == name, _PLANNED, _WAITING)
        await session.exec(rows.values(due_at=webinar.starts_at - REMINDER_BEFORE))


async def claim_reminders(session: AsyncSession, limit: int = 20) -> list[str]:
    """References whose reminder is due, held for this worker. Call it in a session of its own."""
    rows = await claim(session, WebinarRegistration, now(), _WAITING, limit=limit)
    return [row.reference for row in rows]


async def remind(session: AsyncSession, reference: str) -> bool:
    """Enqueue the reminder of a claimed registration; False when it was given back, reminded, or comes too late."""
    found = select(WebinarRegistration).where(WebinarRegistration.reference == reference).with_for_update()
    row = (await session.exec(found)).one_or_none()
    if (
        row is None
        or row.due_at is None
        or row.due_at > now()
        or row.state is not RegistrationState.REGISTERED
    ):
        return False
    row.due_at = row.leased_until = None
    webinar = webinars.find(row.webinar)
    if webinar is None or webinar.starts_at <= now():
        return False
    message = emails.reminder(RegistrationRecord.of(row), webinar, await token_of(session, reference))
    key = f"registration-reminder:{reference}:{row.version}:{webinar.starts_at.isoformat()}"
    return await enqueue(session, message, key=key) is not None
