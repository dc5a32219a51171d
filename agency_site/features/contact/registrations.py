"""Places in webinars: take one, give it back. Each way its holder hears of it by mail."""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content import webinars
from agency_site.content.webinars import WEBINARS, Webinar
from agency_site.db.columns import INDEXED_LENGTH
from agency_site.db.deduplication import REPEAT_WINDOW, insert_or_find, wait_for_turn
from agency_site.db.event_log import VISITOR
from agency_site.db.record_versions import change
from agency_site.errors import Conflict, NotFound
from agency_site.features.contact import registration_emails as emails
from agency_site.features.contact.records import RegistrationChanged, RegistrationRecord
from agency_site.features.contact.request import RegistrationRequest, read_registration
from agency_site.features.contact.rules import REGISTRATION_REFERENCE, RegistrationState
from agency_site.features.contact.tables import REACHABLE, WebinarRegistration
from agency_site.form_input import search_text
from agency_site.ids import token_hash
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.usecases import (
    can_mail_recipient,
    count_recent_messages,
    enqueue,
    enqueue_unless_repeated,
)
from agency_site.signing import find_private_token, private_token

REMINDER_BEFORE = timedelta(days=1)

PURPOSE = "webinar"
"""Of the tokens in private links."""


class WebinarBegun(Conflict):
    """Nobody can register any more."""


class WebinarFull(Conflict):
    """Every place is taken."""


async def register(session: AsyncSession, form: Mapping[str, Any]) -> RegistrationRecord:
    """Take a place in a webinar; who has one already keeps it, and who gave theirs back gets a new one.

    Whoever gets a place is sent a confirmation, and staff a notice. Who has one and asks again after a while is sent
    another confirmation: the first may be lost. Raises InputRejected with one message per field at fault,
    MailboxFull when enough of them have gone out, WebinarBegun, and WebinarFull.
    """
    request = read_registration(form)
    webinar = next(webinar for webinar in WEBINARS if webinar.id == request.webinar)
    if webinar.starts_at <= now():
        raise WebinarBegun("This webinar has begun, so its list is closed.")
    if webinar.capacity is not None:
        # Counting and taking must not come between another's counting and taking.
        await wait_for_turn(session, f"webinar:{webinar.id}")
    known = await _known(session, request)
    if known is not None and known.state is RegistrationState.REGISTERED:
        return await _confirm_again(session, known, webinar)
    if await is_full(session, webinar):
        raise WebinarFull("This webinar is full: every seat is taken.")
    return await _place(session, request, webinar)


async def is_full(session: AsyncSession, webinar: Webinar) -> bool:
    """Whether every place is taken; never without a capacity."""
    return webinar.capacity is not None and await places_taken(session, webinar.id) >= webinar.capacity


async def _place(session: AsyncSession, request: RegistrationRequest, webinar: Webinar) -> RegistrationRecord:
    row = registration_values(request) | _opening() | {"due_at": reminder_at(webinar)}
    placed = await insert_or_find(
        session,
        WebinarRegistration,
        row,
        REGISTRATION_REFERENCE,
        partial(search_of, values=row),
        _same_person(request),
    )
    if not placed.new:
        await _take_again(session, placed.identity, request, webinar)
    record = await find(session, placed.reference)
    taken = await places_taken(session, webinar.id)
    notice = emails.staff_registered(record, webinar, taken)
    await enqueue(session, notice, key=f"registration-notice:{record.reference}:{record.version}")
    await _confirm(session, record, webinar)
    return record


async def _confirm(session: AsyncSession, record: RegistrationRecord, webinar: Webinar) -> None:
    message = emails.registered(record, webinar, await token_of(session, record.reference))
    key = f"registration-confirmed:{record.reference}:{record.version}"
    await enqueue_unless_repeated(session, message, key=key)


async def _confirm_again(
    session: AsyncSession, known: WebinarRegistration, webinar: Webinar
) -> RegistrationRecord:
    record = RegistrationRecord.of(known)
    if await can_mail_recipient(session, record.email, emails.CONFIRMED):
        await _confirm(session, record, webinar)
    elif not await count_recent_messages(session, emails.CONFIRMED, record.email, REPEAT_WINDOW):
        raise MailLimitReached
    return record


async def find_by_token(session: AsyncSession, token: str) -> RegistrationRecord:
    """The registration that its holder's private token opens. Raises NotFound."""
    return RegistrationRecord.of(await _row_of_token(session, token))


async def cancel(session: AsyncSession, token: str) -> RegistrationRecord:
    """Give the place back through the private link; its holder gets a mail that takes it out of their calendar.

    Once given back it stays so. Raises NotFound, and WebinarBegun when it is too late.
    """
    row = await _row_of_token(session, token, held=True)
    webinar = webinars.find(row.webinar)
    if row.state is RegistrationState.CANCELLED:
        return RegistrationRecord.of(row)
    if webinar is not None and webinar.starts_at <= now():
        raise WebinarBegun("This webinar has begun: there is no seat left to give back.")
    gone = await cancel_for(session, row.reference, row.version, VISITOR)
    if webinar is not None and gone.email:
        key = f"registration-cancelled:{gone.reference}:{gone.version}"
        await enqueue(session, emails.given_back(gone, webinar), key=key)
    return gone


async def cancel_for(session: AsyncSession, reference: str, version: int, actor: str) -> RegistrationRecord:
    """Give somebody's place back for them; nobody gets mail. Raises NotFound and RegistrationChanged."""
    row = await _row(session, reference)
    if row.version == version and row.state is RegistrationState.CANCELLED:
        return RegistrationRecord.of(row)
    values = {
        "state": RegistrationState.CANCELLED,
        "cancelled_at": now(),
        "cancelled_by": actor,
        "due_at": None,
    }
    if not await change(session, WebinarRegistration, row.id, version, updated_at=now(), **values):
        raise RegistrationChanged(await find(session, reference))
    return await find(session, reference)


async def find(session: AsyncSession, reference: str) -> RegistrationRecord:
    """The registration of that reference. Raises NotFound."""
    return RegistrationRecord.of(await _row(session, reference))


async def places_taken(session: AsyncSession, webinar: str) -> int:
    """How many are registered for the webinar of that id."""
    taken = select(func.count()).where(
        col(WebinarRegistration.webinar) == webinar,
        col(WebinarRegistration.state) == RegistrationState.REGISTERED,
    )
    return (await session.exec(taken)).one()


async def token_of(session: AsyncSession, reference: str) -> str | None:
    """The token of the private link, for mails; none once its secret key is not among ours any more. Raises NotFound."""
    row = await _row(session, reference)
    return find_private_token(PURPOSE, row.token_seed, row.token_hash)


def reminder_at(webinar: Webinar) -> datetime | None:
    """When those who register now are reminded; none when that moment has passed."""
    moment = webinar.starts_at - REMINDER_BEFORE
    return moment if moment > now() else None


def registration_values(request: RegistrationRequest) -> dict[str, Any]:
    """The columns that a request fills."""
    return {
        "webinar": request.webinar,
        "fullname": request.full_name,
        "email": request.email.lower(),
        "phone": request.phone,
    }


def search_of(reference: str, values: Mapping[str, Any]) -> str:
    """What a registration of these columns is found by."""
    parts = (values["email"], values["phone"], values["fullname"], values["webinar"])
    return search_text(reference, *parts)[:INDEXED_LENGTH]


def _opening() -> dict[str, Any]:
    seed, moment = secrets.token_urlsafe(24), now()
    return {
        "state": RegistrationState.REGISTERED,
        "token_seed": seed,
        "token_hash": token_hash(private_token(PURPOSE, seed)),
        "version": 1,
        "created_at": moment,
        "updated_at": moment,
        "cancelled_at": None,
        "cancelled_by": "",
        "leased_until": None,
    }


def _same_person(request: RegistrationRequest) -> ColumnElement[bool]:
    address = col(WebinarRegistration.email) == request.email.lower()
    return and_(address, col(WebinarRegistration.webinar) == request.webinar, REACHABLE)


async def _known(session: AsyncSession, request: RegistrationRequest) -> WebinarRegistration | None:
    found = select(WebinarRegistration).where(_same_person(request))
    return (await session.exec(found)).one_or_none()


async def _take_again(
    session: AsyncSession, identity: int, request: RegistrationRequest, webinar: Webinar
) -> None:
    """Somebody known comes back, or pressed twice: only a cancelled registration changes."""
    found = select(WebinarRegistration).where(WebinarRegistration.id == identity).with_for_update()
    row = (await session.exec(found.execution_options(populate_existing=True))).one()
    if row.state is RegistrationState.REGISTERED:
        return
    values = registration_values(request)
    found_by = search_of(row.reference, values)
    again: dict[str, Any] = {"state": RegistrationState.REGISTERED, "cancelled_at": None, "cancelled_by": ""}
    again |= {"due_at": reminder_at(webinar), "leased_until": None}
    await change(
        session,
        WebinarRegistration,
        identity,
        row.version,
        updated_at=now(),
        search=found_by,
        **values,
        **again,
    )


async def _row(session: AsyncSession, reference: str) -> WebinarRegistration:
    found = select(WebinarRegistration).where(WebinarRegistration.reference == reference)
    row = (await session.exec(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(f"There is no registration {reference}.")
    return row


async def _row_of_token(session: AsyncSession, token: str, *, held: bool = False) -> WebinarRegistration:
    """The row; `held` until the transaction ends, so that its holder and staff take turns."""
    found = select(WebinarRegistration).where(WebinarRegistration.token_hash == token_hash(token))
    found = found.with_for_update() if held else found
    row = (await session.exec(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound("We know no registration under this link.")
    return row
