"""What the outbox holds about a person, and erasing it: recipients, and notices to staff that name the person.

The row stays, so that the books of what was sent when stay whole; what it said goes.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Text, cast, func, or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.content.brand import BRAND
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.form_input import phone_number
from agency_site.mail.redaction import redact_message
from agency_site.mail.render import render_text
from agency_site.mail.rules import MailState
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

_BLANKED = "blanked mails"
"""Where a session counts the messages that its transaction has blanked."""
_BLANK_WORDS = {"heading": "", "paragraphs": [], "facts": [], "actions": [], "closing": []}


@dataclass(frozen=True)
class Person:
    """Whom records are looked for by."""

    address: str
    """E-mail address in lower case; empty: any."""
    number: str
    """Phone number in E.164; empty: any."""

    @property
    def names(self) -> tuple[str, ...]:
        """What text names the person by."""
        return tuple(filter(None, (self.address, self.number)))

    def named_in(self, text: str) -> bool:
        """Whether `text` names exactly this address or number, not a longer one that contains it."""
        exact = (rf"(?<![\w.%+-]){re.escape(name)}(?![\w-]|\.\w)" for name in self.names)
        return any(re.search(one, text, re.IGNORECASE) for one in exact)


def person(email: str, phone: str) -> Person:
    """Who is meant; a phone number in any spelling. Raises InputRejected for a number that is none.

    Raises Conflict for an address or number of our own, which all messages carry.
    """
    try:
        number = phone_number(phone) if phone.strip() else ""
    except ValueError as invalid:
        raise InputRejected(str(invalid), (FieldError("phone", str(invalid)),)) from None
    address = email.strip().lower()
    ours = {BRAND.email, BRAND.staff_email, BRAND.bookings_email, settings().mail_from, settings().mail_staff}
    if (address and address in {one.lower() for one in ours}) or number == BRAND.phone_e164:
        raise Conflict("This is our own address or number: all our messages carry it.")
    return Person(address, number)


async def held(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Every message to the person of that address, and every one that names address or number; oldest first.

    Without the addresses of buttons and links: who exports is staff, and the person has them in the mailbox.

    Raises as `person`.
    """
    ids = await _ids(session, person(email, phone))
    found = select(OutboxMessage).where(col(OutboxMessage.id).in_(ids)).order_by(col(OutboxMessage.id))
    return [_told(row) for row in await session.exec(found)]


def _told(row: OutboxMessage) -> dict[str, object]:
    return {
        "record": "mail",
        "reference": str(row.id),
        "about": row.about,
        "kind": row.kind,
        "to": row.to,
        "to_name": row.to_name,
        "subject": row.subject,
        "text": render_text(redact_message(row.message()), row.shared_body.text if row.shared_body else ""),
        "attachments": [part["filename"] for part in row.attachments],
        "state": row.state.value,
        "created_at": row.created_at.isoformat(),
        "sent_at": row.sent_at.isoformat() if row.sent_at else None,
    }


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank what those messages say and to whom. One that still waits is not sent any more.

    Returns how many messages this transaction has blanked, with those that went with their records (`erase_about`).
    Raises as `person`. `actor` is taken as by all slices; the outbox has no history of its own.
    """
    ids = await _ids(session, person(email, phone))
    await _blank(session, col(OutboxMessage.id).in_(ids))
    return int(session.info.pop(_BLANKED, 0))


async def erase_about(session: AsyncSession, reference: str) -> int:
    """Blank all messages about one record, also those that went to other addresses; returns how many."""
    return await _blank(session, col(OutboxMessage.about) == reference)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` messages of before that moment that wait for nothing any more; returns how many.

    Several processes may do so at once: none waits for a message that another holds.
    """
    over = col(OutboxMessage.state) != MailState.QUEUED
    old = select(OutboxMessage.id).where(
        over, col(OutboxMessage.created_at) < before, col(OutboxMessage.to) != ""
    )
    held = old.order_by(col(OutboxMessage.created_at), col(OutboxMessage.id)).limit(limit)
    ids = (await session.exec(held.with_for_update(skip_locked=True))).all()
    return await _blank(session, col(OutboxMessage.id).in_(ids)) if ids else 0


async def _blank(session: AsyncSession, those: ColumnElement[bool]) -> int:
    # Without due time nobody sends it; what has left, or failed, keeps that state.
    await session.exec(
        update(OutboxMessage)
        .where(those, col(OutboxMessage.state) == MailState.QUEUED)
        .values(state=MailState.KEPT, due_at=None, leased_until=None)
        .execution_options(synchronize_session=False)
    )
    blanked = await session.exec(
        update(OutboxMessage)
        .where(those, col(OutboxMessage.to) != "")
        .values(
            to="",
            to_name="",
            subject="",
            words=_BLANK_WORDS,
            attachments=[],
            headers=[],
            last_error="",
            search=func.lower(col(OutboxMessage.about)),
        )
        .execution_options(synchronize_session=False)
    )
    session.info[_BLANKED] = session.info.get(_BLANKED, 0) + blanked.rowcount
    return int(blanked.rowcount)


async def _ids(session: AsyncSession, who: Person) -> list[int]:
    """The messages of a person. JSON is searched as text, which is slow and rare; what is found is read exactly."""
    told = cast(OutboxMessage.words, Text) + cast(OutboxMessage.headers, Text)
    ways: list[ColumnElement[bool]] = (
        [func.lower(col(OutboxMessage.to)) == who.address] if who.address else []
    )
    ways += [func.lower(told).contains(named, autoescape=True) for named in who.names]
    if not ways:
        return []
    found = await session.exec(select(OutboxMessage.id, OutboxMessage.to, told).where(or_(*ways)))
    return [
        row_id for row_id, to, text in found if row_id and (to.lower() == who.address or who.named_in(text))
    ]
