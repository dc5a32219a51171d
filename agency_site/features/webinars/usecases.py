"""Registering for webinars, cancelling, and reminders. The person gets an e-mail about each."""

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content import webinars
from agency_site.content.published import require_published
from agency_site.content.webinars import Webinar
from agency_site.db.deduplication import REPEAT_WINDOW, insert_or_find, wait_for_turn
from agency_site.db.event_log import VISITOR
from agency_site.db.found_rows import find_one
from agency_site.db.leases import finish
from agency_site.db.record_versions import update_record
from agency_site.errors import StaleRecord
from agency_site.features.webinars import emails
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.rules import (
    LINK_PURPOSE,
    REFERENCE,
    REMINDER_BEFORE,
    RegistrationState,
    WebinarBegun,
    WebinarCancelled,
    WebinarFull,
    describe_event,
)
from agency_site.features.webinars.tables import REACHABLE, WebinarRegistration
from agency_site.form_input import search_text
from agency_site.ids import token_hash
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.usecases import (
    can_mail_recipient,
    count_recent_messages,
    enqueue,
    enqueue_all,
    enqueue_unless_repeated,
)
from agency_site.signing import find_private_token, private_token

REGISTERED = col(WebinarRegistration.state) == RegistrationState.REGISTERED


async def register(session: AsyncSession, request: RegistrationRequest) -> RegistrationRecord:
    """Take a seat in a webinar. A person who has one keeps it, and a person who cancelled gets a new one.

    A new registration sends a confirmation, and a notice to staff. Registering again after a while sends another
    confirmation, as the first may be lost. Raises MailLimitReached if enough of them were sent, WebinarBegun,
    WebinarCancelled, and WebinarFull.
    """
    require_published()
    webinar = webinars.find(request.webinar)
    if webinar is not None and webinar.cancelled:
        raise WebinarCancelled("This webinar has been cancelled. Please choose another one.")
    if webinar is None or webinar.starts_at <= now():
        raise WebinarBegun("This webinar has begun, so registration is closed.")
    if webinar.capacity is not None:
        # Registrations take turns: two that count at the same time could both take the last seat.
        await wait_for_turn(session, f"webinar:{webinar.id}")
    address, table = request.email.lower(), WebinarRegistration
    same_person = and_(col(table.email) == address, col(table.webinar) == webinar.id, REACHABLE)
    previous = (await session.exec(select(table).where(same_person))).one_or_none()
    if previous is not None and previous.state is RegistrationState.REGISTERED:
        return await _confirm_again(session, previous, webinar)
    count = await count_registered(session, webinar.id)
    if webinar.capacity is not None and count >= webinar.capacity:
        raise WebinarFull("This webinar is full: every seat is taken.")
    row = await _store_registration(session, request, webinar, same_person)
    record = RegistrationRecord.of(row)
    token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash)
    messages = {
        "notice": emails.staff_registered(record, webinar, count + 1),
        "confirmed": emails.registered(record, webinar, token),
    }
    key = f"{record.reference}:{record.version}"
    await enqueue_all(session, {f"registration-{name}:{key}": message for name, message in messages.items()})
    return record


async def find_new_token(
    session: AsyncSession, request: RegistrationRequest, record: RegistrationRecord
) -> str:
    """Return the token of a registration that this request has made, even if it is repeated within `REPEAT_WINDOW`.

    Empty for an older registration: a visitor who enters the address of another person must not get their private link.
    """
    row = await _find_registration_row(session, record.reference)
    is_same = all(getattr(row, name) == value for name, value in registration_values(request).items())
    if not is_same or row.created_at <= now() - REPEAT_WINDOW:
        return ""
    return find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash) or ""


async def is_full(session: AsyncSession, webinar: Webinar) -> bool:
    """Return whether every seat is taken. A webinar without a capacity is never full."""
    return webinar.capacity is not None and await count_registered(session, webinar.id) >= webinar.capacity


async def count_registered(session: AsyncSession, webinar: str) -> int:
    """Count the registrations for the webinar of that id."""
    query = select(func.count()).where(col(WebinarRegistration.webinar) == webinar, REGISTERED)
    return (await session.exec(query)).one()


async def find_registration_by_token(session: AsyncSession, token: str) -> RegistrationRecord:
    """Return the registration of a private token. Raises NotFound."""
    return RegistrationRecord.of(await _find_row_by_token(session, token))


async def find_registration(session: AsyncSession, reference: str) -> RegistrationRecord:
    """Return the registration of that reference. Raises NotFound."""
    return RegistrationRecord.of(await _find_registration_row(session, reference))


async def cancel_by_token(session: AsyncSession, token: str) -> RegistrationRecord:
    """Cancel through the private link, and mail a file that removes the webinar from the person's calendar.

    Cancelling twice changes nothing. Raises NotFound, and WebinarBegun if it is too late.
    """
    row = await _find_row_by_token(session, token, lock=True)
    webinar = webinars.find(row.webinar)
    if row.state is RegistrationState.CANCELLED:
        return RegistrationRecord.of(row)
    if webinar is not None and webinar.starts_at <= now():
        raise WebinarBegun("This webinar has begun, so your seat can no longer be cancelled.")
    cancelled = await cancel_by_staff(session, row.reference, row.version, VISITOR)
    if webinar is not None and cancelled.email:
        key = f"registration-cancelled:{cancelled.reference}:{cancelled.version}"
        await enqueue(session, emails.cancelled(cancelled, webinar), key=key)
    return cancelled


async def cancel_by_staff(
    session: AsyncSession, reference: str, version: int, actor: str
) -> RegistrationRecord:
    """Cancel for the person, without an e-mail. Raises NotFound and StaleRecord."""
    row = await _find_registration_row(session, reference)
    if row.version == version and row.state is RegistrationState.CANCELLED:
        return RegistrationRecord.of(row)
    values = {
        "state": RegistrationState.CANCELLED,
        "cancelled_at": now(),
        "cancelled_by": actor,
        "due_at": None,
    }
    if not await update_record(session, WebinarRegistration, row.id, version, updated_at=now(), **values):
        raise StaleRecord(reference, await find_registration(session, reference))
    return await find_registration(session, reference)


async def find_outdated(session: AsyncSession) -> list[str]:
    """Return the registrations whose webinar is coming and has another time or room than the one that the mails have said."""
    coming = {
        webinar.id: describe_event(webinar) for webinar in webinars.webinars() if webinar.starts_at > now()
    }
    table = WebinarRegistration
    query = select(table.reference, table.webinar, table.announced_event).order_by(col(table.id))
    announced = await session.exec(query.where(col(table.webinar).in_(coming), REGISTERED, REACHABLE))
    return [reference for reference, webinar, event in announced.all() if event != coming[webinar]]


async def notify_attendee(session: AsyncSession, reference: str) -> bool:
    """Enqueue the mail about a changed webinar, and move the reminder. Return whether there is a mail.

    The attendee gets one mail for each change, however many workers do this. The calendar file has the next version.
    """
    row = await _find_registration_row(session, reference)
    webinar = webinars.find(row.webinar)
    is_reachable = row.state is RegistrationState.REGISTERED and row.email
    if not is_reachable or webinar is None or webinar.starts_at <= now():
        return False
    if row.announced_event == describe_event(webinar):
        return False
    before, version = row.announced_event, row.version
    values = {
        "announced_event": describe_event(webinar),
        "due_at": _plan_reminder(webinar),
        "updated_at": now(),
    }
    if not await update_record(session, WebinarRegistration, row.id, version, **values):
        # Another worker has notified this person, or the seat has just been cancelled.
        return False
    if not before:
        # Stored by a release that did not store the event: only the reminder moves.
        return False
    await session.refresh(row)
    record, key = RegistrationRecord.of(row), f"webinar-changed:{row.reference}:{row.version}"
    if webinar.cancelled:
        message = emails.webinar_cancelled(record, webinar)
    else:
        token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash)
        message = emails.changed(record, webinar, token)
    return await enqueue(session, message, key=key) is not None


def _plan_reminder(webinar: Webinar) -> datetime | None:
    """Return when the reminder is due; None if it is too late for one, or if the webinar is cancelled."""
    due_at = webinar.starts_at - REMINDER_BEFORE
    return due_at if due_at > now() and not webinar.cancelled else None


async def enqueue_reminder(session: AsyncSession, reference: str) -> bool:
    """Enqueue the reminder of a claimed registration. Return False if it was cancelled or reminded, or the webinar has begun."""
    query = select(WebinarRegistration).where(WebinarRegistration.reference == reference).with_for_update()
    row = (await session.exec(query)).one_or_none()
    if row is None or row.due_at is None or row.due_at > now():
        return False
    if row.state is not RegistrationState.REGISTERED:
        return False
    await finish(session, row)
    webinar = webinars.find(row.webinar)
    if webinar is None or webinar.cancelled or webinar.starts_at <= now():
        return False
    token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash)
    message = emails.reminder(RegistrationRecord.of(row), webinar, token)
    key = f"registration-reminder:{reference}:{row.version}:{webinar.starts_at.isoformat()}"
    return await enqueue(session, message, key=key) is not None


def registration_values(request: RegistrationRequest) -> dict[str, Any]:
    """Return the columns that a request fills."""
    return {
        "webinar": request.webinar,
        "fullname": request.full_name,
        "email": request.email.lower(),
        "phone": request.phone,
    }


async def _store_registration(
    session: AsyncSession, request: RegistrationRequest, webinar: Webinar, same_person: ColumnElement[bool]
) -> WebinarRegistration:
    """Insert the registration, or reopen the cancelled one of the same person."""
    seed, moment = secrets.token_urlsafe(24), now()
    search = (request.email, request.phone, request.full_name, request.webinar)
    values = registration_values(request) | {
        "state": RegistrationState.REGISTERED,
        "updated_at": moment,
        "cancelled_at": None,
        "cancelled_by": "",
        "announced_event": describe_event(webinar),
        "due_at": _plan_reminder(webinar),
        "leased_until": None,
    }
    new = {
        "token_seed": seed,
        "token_hash": token_hash(private_token(LINK_PURPOSE, seed)),
        "version": 1,
        "created_at": moment,
        **request.origin.columns(),
    }
    table = WebinarRegistration
    stored = await insert_or_find(session, table, values | new, REFERENCE, search, same_person)
    row = await session.get_one(table, stored.identity, populate_existing=True, with_for_update=True)
    if row.state is RegistrationState.REGISTERED:
        return row
    values["search"] = search_text(row.reference, *search)
    await update_record(session, table, row.id, row.version, **values)
    await session.refresh(row)
    return row


async def _confirm_again(
    session: AsyncSession, row: WebinarRegistration, webinar: Webinar
) -> RegistrationRecord:
    record = RegistrationRecord.of(row)
    if await can_mail_recipient(session, record.email, emails.CONFIRMED):
        token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash)
        key = f"registration-confirmed:{record.reference}:{record.version}"
        await enqueue_unless_repeated(session, emails.registered(record, webinar, token), key=key)
    elif not await count_recent_messages(session, emails.CONFIRMED, record.email, REPEAT_WINDOW):
        raise MailLimitReached
    return record


async def _find_registration_row(session: AsyncSession, reference: str) -> WebinarRegistration:
    query = select(WebinarRegistration).where(WebinarRegistration.reference == reference)
    return await find_one(session, query, f"There is no registration {reference}.", fresh=True)


async def _find_row_by_token(session: AsyncSession, token: str, *, lock: bool = False) -> WebinarRegistration:
    """Return the row. With `lock`, the person and staff take turns until the transaction ends."""
    query = select(WebinarRegistration).where(WebinarRegistration.token_hash == token_hash(token))
    query = query.with_for_update() if lock else query
    return await find_one(session, query, "There is no registration at this link.", fresh=True)
