"""The list of outgoing mail, with resending as a bulk action."""

from dataclasses import replace
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement
from sqlalchemy import select as rows_of
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    brief_moment_cell,
    change_each,
    moment_cell,
    number_cell,
    search_text_in,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.backoffice.outbox.failures import MailFailures, failures_panel
from agency_site.backoffice.outbox.labels import KINDS, STATES, kind_of, state_cell
from agency_site.ids import parse_id
from agency_site.mail.rules import MailState
from agency_site.mail.staff_usecases import is_unresolved_failure, resend_message
from agency_site.mail.tables import OutboxMessage

PATH = "/admin/mail"
_SHOWN = (
    OutboxMessage.id,
    OutboxMessage.to,
    OutboxMessage.subject,
    OutboxMessage.kind,
    OutboxMessage.about,
    OutboxMessage.state,
    OutboxMessage.attempts,
    OutboxMessage.last_error,
    OutboxMessage.created_at,
    OutboxMessage.sent_at,
    OutboxMessage.requested_by,
)
"""All columns but the content of the messages, which is most of their size."""


_WAITING = "waiting"


def _in_state(value: str) -> ColumnElement[bool]:
    return is_unresolved_failure() if value == _WAITING else col(OutboxMessage.state) == MailState(value)


async def _resend(session: AsyncSession, reference: str, who: Staff) -> None:
    await resend_message(session, parse_id(reference), who.email)


def _recipient(row: Any) -> Cell:
    return Cell(row.to or "Erased", "strong")


def _message_rows() -> Any:
    return rows_of(*map(col, _SHOWN))


OUTBOX = ListDefinition(
    name="mail",
    title="Mail",
    noun=("mail", "mails"),
    path=PATH,
    permission=Permission.SEE_MAIL,
    rows=_message_rows,
    identity=col(OutboxMessage.id),
    reference=lambda row: str(row.id),
    columns=(
        Column("to", "To", _recipient),
        Column("subject", "Subject", lambda row: Cell(row.subject)),
        Column("state", "State", lambda row: state_cell(row.state)),
        Column("error", "Error", lambda row: Cell(row.last_error if row.state is not MailState.SENT else "")),
        Column("at", "Created", lambda row: brief_moment_cell(row.created_at), unit="Nairobi", sort=col(OutboxMessage.id)),
        Column("kind", "Type", lambda row: Cell(kind_of(row.kind))),
        Column("attempts", "Attempts", lambda row: number_cell(row.attempts), is_shown=False),
        Column("sent", "Sent", lambda row: moment_cell(row.sent_at), unit="Nairobi", is_shown=False),
        Column("about", "About", lambda row: Cell(row.about), is_shown=False),
        Column("by", "Resent by", lambda row: Cell(row.requested_by), is_shown=False),
    ),
    order="-at",
    href=lambda row: f"/admin/message?id={row.id}",
    filters=(
        Choice(
            "state",
            "State",
            lambda: ((_WAITING, "Failed, needs attention"), *((state.value, name) for state, name in STATES.items())),
            _in_state,
        ),
        Choice("kind", "Type", lambda: tuple(KINDS.items()), lambda value: col(OutboxMessage.kind) == value),
        Days("at", "Created", col(OutboxMessage.created_at)),
    ),
    search=search_text_in(
        col(OutboxMessage.search), reference=col(OutboxMessage.about), email=col(OutboxMessage.to)
    ),
    search_hint="Recipient, subject, reference",
    actions=(
        Action("resent", "Resend", Permission.WORK_MAIL, change_each(_resend), "Resend {count} to the original recipients?"),
    ),
    empty="No mail yet.",
    attention=("state", _WAITING),
)  # fmt: skip

# The stylesheet widens pages with this marker: subjects and errors are long.
_WIDE = rx.el.span(hidden=True, class_name="mail-list")
_LIST = list_screen(OUTBOX, _WIDE, failures_panel(), icon="mail")
OUTBOX_LIST = replace(_LIST, on_load=(*_LIST.on_load, MailFailures.open_failures))
