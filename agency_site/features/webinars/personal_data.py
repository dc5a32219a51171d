"""What registrations hold about one person, and its removal: on request, or after retention.

A person is identified by e-mail address or phone number, whichever of the two is not empty.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.content.webinars import WEBINARS
from agency_site.db.record_versions import change
from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.form_input import phone_number, search_text
from agency_site.mail.personal_data import erase_about

_EXPORTED = {
    "reference", "state", "webinar", "fullname", "email", "phone", "created_at", "cancelled_at",
}  # fmt: skip


async def held(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Every registration, in a form that JSON can hold."""
    rows = (await session.exec(_registrations(email, phone))).all()
    return [
        {"record": "webinar registration", **row.model_dump(mode="json", include=_EXPORTED)} for row in rows
    ]


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Cancel the registrations and blank what is personal, mails included; how many records were blanked."""
    rows = (await session.exec(_registrations(email, phone).with_for_update())).all()
    for row in rows:
        cancelled: dict[str, Any] = {
            "state": RegistrationState.CANCELLED,
            "cancelled_at": now(),
            "cancelled_by": actor,
        }
        await _blank(session, row, cancelled if row.state is RegistrationState.REGISTERED else {})
        await erase_about(session, row.reference)
    return len(rows)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` registrations of webinars that took place before that moment; how many there were.

    They keep their state. Several processes may do so at once: none waits for a row that another holds.
    """
    later = [webinar.id for webinar in WEBINARS if webinar.starts_at >= before]
    table = WebinarRegistration
    old = select(table).where(
        col(table.updated_at) < before, col(table.email) != "", col(table.webinar).not_in(later)
    )
    batch = old.order_by(col(table.id)).limit(limit).with_for_update(skip_locked=True)
    rows = (await session.exec(batch.execution_options(populate_existing=True))).all()
    for row in rows:
        await _blank(session, row, {})
    return len(rows)


def _registrations(email: str, phone: str) -> SelectOfScalar[WebinarRegistration]:
    table = WebinarRegistration
    # Erased rows have empty columns: they belong to nobody, least of all to whoever left a box empty.
    theirs = or_(
        (func.lower(col(table.email)) == email.strip().lower()) & (col(table.email) != ""),
        (col(table.phone) == _as_stored(phone)) & (col(table.phone) != ""),
    )
    return select(table).where(theirs).order_by(col(table.id)).execution_options(populate_existing=True)


def _as_stored(phone: str) -> str:
    try:
        return phone_number(phone)
    except ValueError:
        return phone.strip()


async def _blank(session: AsyncSession, row: WebinarRegistration, values: dict[str, Any]) -> None:
    blank = {"fullname": "", "email": "", "phone": "", "search": search_text(row.reference)}
    await change(session, WebinarRegistration, row.id, row.version, updated_at=now(), **blank, **values)
