"""Personal data in the outbox: messages to a person, and notices to staff that name the person.

Erasing blanks the content and keeps the row, as a record that a message of its kind was sent.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Text, cast, delete, func, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.characters import is_blank
from agency_site.content.brand import BRAND
from agency_site.db.personal_data import ClassifiedColumns
from agency_site.email_addresses import address_spellings, stored_address
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.form_input import phone_number
from agency_site.mail.redaction import redact_message
from agency_site.mail.render import render_text
from agency_site.mail.rules import MailState
from agency_site.mail.tables import ConfirmedAddress, OutboxMessage
from agency_site.phone_numbers import number_spellings
from agency_site.settings import settings

_BLANKED = "blanked mails"
"""Key of `session.info`: the number of messages blanked in this transaction."""
_BLANK_CONTENT = {"heading": "", "paragraphs": [], "facts": [], "actions": [], "closing": []}

MESSAGES = ClassifiedColumns(
    table=OutboxMessage,
    personal=("to", "to_name", "subject", "content", "attachments"),
    retained=("id", "about", "kind", "state", "created_at", "sent_at"),
    secret=("headers", "last_error", "search", "due_at", "leased_until"),
    internal=("shared_body_id", "message_id", "key", "original_id", "requested_by", "attempts", "failure"),
)

CONFIRMED_ADDRESSES = ClassifiedColumns(
    table=ConfirmedAddress, personal=("address",), retained=("confirmed_at",), internal=("id",)
)
"""Erasing deletes the row."""


@dataclass(frozen=True)
class Person:
    """The person of a data request, by e-mail address or phone number."""

    address: str
    """E-mail address in its stored form, in lower case; empty for any."""
    number: str
    """Phone number in E.164; empty for any."""

    @property
    def names(self) -> tuple[str, ...]:
        """Address and number, if present."""
        return tuple(filter(None, (self.address, self.number)))

    @property
    def spellings(self) -> tuple[str, ...]:
        """Spellings of address and number in texts: a domain in ASCII or in its own script, which JSON may escape, and a number
        as people write it."""
        names = (*address_spellings(self.address), *number_spellings(self.number))
        return tuple(dict.fromkeys(text for name in names if name for text in (name, json.dumps(name)[1:-1])))

    def named_in(self, text: str) -> bool:
        """Return whether `text` names exactly this address or number, not a longer one that contains it."""
        exact = (rf"(?<![\w.%+-]){re.escape(name)}(?![\w-]|\.\w)" for name in self.spellings)
        return any(re.search(pattern, text, re.IGNORECASE) for pattern in exact)


def person(email: str, phone: str) -> Person:
    """Return the person of an address or a phone number in any spelling.

    Raises InputRejected for an invalid number, Conflict for an address or number of the agency, which all messages contain.
    """
    try:
        number = phone_number(phone) if not is_blank(phone) else ""
    except ValueError as invalid:
        raise InputRejected(str(invalid), (FieldError("phone", str(invalid)),)) from None
    address = stored_address(email)
    own_addresses = {
        BRAND.email,
        BRAND.staff_email,
        BRAND.bookings_email,
        settings().mail_from,
        settings().mail_staff,
    }
    if (address and address in {own.lower() for own in own_addresses}) or number == BRAND.phone_e164:
        raise Conflict("This is the agency's own address or number. All messages contain it.")
    return Person(address, number)


async def export(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Return all messages to the address or naming address or number, oldest first, and whether the address is confirmed.

    Private links are redacted, because staff see the export. Raises as `person`.
    """
    whom = person(email, phone)
    ids = await _find_ids(session, whom)
    query = select(OutboxMessage).where(col(OutboxMessage.id).in_(ids)).order_by(col(OutboxMessage.id))
    return [_export_row(row) for row in await session.exec(query)] + await _export_confirmed(session, whom)


async def _export_confirmed(session: AsyncSession, whom: Person) -> list[dict[str, object]]:
    query = select(ConfirmedAddress).where(ConfirmedAddress.address == whom.address)
    return [
        {
            "record": "confirmed address",
            "reference": "",
            "address": row.address,
            "confirmed_at": row.confirmed_at.isoformat(),
        }
        for row in await session.exec(query)
    ]


def _export_row(row: OutboxMessage) -> dict[str, object]:
    return {
        "record": "mail",
        "reference": str(row.id),
        "about": row.about,
        "kind": row.kind,
        "to": row.to,
        "to_name": row.to_name,
        "subject": row.subject,
        "text": render_text(
            redact_message(row.to_message()), row.shared_body.text if row.shared_body else ""
        ),
        "attachments": [part["filename"] for part in row.attachments],
        "state": row.state.value,
        "created_at": row.created_at.isoformat(),
        "sent_at": row.sent_at.isoformat() if row.sent_at else None,
    }


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank content and recipient of the person's messages; queued ones are not sent.

    Returns the number of messages blanked in this transaction, including those of `erase_about`. Raises as `person`.
    `actor` is unused: every feature has this signature, but the outbox has no event log.
    """
    whom = person(email, phone)
    await _blank(session, col(OutboxMessage.id).in_(await _find_ids(session, whom)))
    await session.exec(delete(ConfirmedAddress).where(col(ConfirmedAddress.address) == whom.address))
    return int(session.info.pop(_BLANKED, 0))


async def erase_about(session: AsyncSession, reference: str) -> int:
    """Blank all messages about a record, to any recipient; return their number."""
    return await _blank(session, col(OutboxMessage.about) == reference)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` settled messages older than `before`; return their number. Concurrent calls do not block.

    Addresses that were confirmed earlier must be confirmed again.
    """
    await session.exec(delete(ConfirmedAddress).where(col(ConfirmedAddress.confirmed_at) < before))
    settled = col(OutboxMessage.state) != MailState.QUEUED
    old = select(OutboxMessage.id).where(
        settled, col(OutboxMessage.created_at) < before, col(OutboxMessage.to) != ""
    )
    batch = old.order_by(col(OutboxMessage.created_at), col(OutboxMessage.id)).limit(limit)
    ids = (await session.exec(batch.with_for_update(skip_locked=True))).all()
    return await _blank(session, col(OutboxMessage.id).in_(ids)) if ids else 0


async def _blank(session: AsyncSession, condition: ColumnElement[bool]) -> int:
    # A message without a due time is not sent; sent and failed ones keep their state.
    await session.exec(
        update(OutboxMessage)
        .where(condition, col(OutboxMessage.state) == MailState.QUEUED)
        .values(state=MailState.KEPT, due_at=None, leased_until=None)
        .execution_options(synchronize_session=False)
    )
    blanked = await session.exec(
        update(OutboxMessage)
        .where(condition, col(OutboxMessage.to) != "")
        .values(
            to="",
            to_name="",
            subject="",
            content=_BLANK_CONTENT,
            attachments=[],
            headers=[],
            last_error="",
            search=func.lower(col(OutboxMessage.about)),
        )
        .execution_options(synchronize_session=False)
    )
    session.info[_BLANKED] = session.info.get(_BLANKED, 0) + blanked.rowcount
    return int(blanked.rowcount)


async def _find_ids(session: AsyncSession, who: Person) -> list[int]:
    """Return the ids of the person's messages. SQL searches JSON as text, which is slow but rare; `named_in` compares exactly."""
    content = cast(OutboxMessage.content, Text) + cast(OutboxMessage.headers, Text)
    conditions: list[ColumnElement[bool]] = (
        [func.lower(col(OutboxMessage.to)).in_(address_spellings(who.address))] if who.address else []
    )
    conditions += [func.lower(content).contains(name, autoescape=True) for name in who.spellings]
    if not conditions:
        return []
    candidates = await session.exec(
        select(OutboxMessage.id, OutboxMessage.to, content).where(or_(*conditions))
    )
    return [
        row_id
        for row_id, to, text in candidates
        if row_id and (stored_address(to) == who.address or who.named_in(text))
    ]
