"""The list of text messages, with resending as a bulk action."""

from typing import Any

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
from agency_site.backoffice.texts.labels import KINDS, STATES, format_cost, kind_of
from agency_site.ids import parse_id
from agency_site.phone_numbers import format_phone_number
from agency_site.sms.rules import TextState
from agency_site.sms.staff_usecases import is_unresolved_failure, resend_text
from agency_site.sms.tables import SmsMessage

PATH, TEXT_PATH = "/admin/texts", "/admin/text"
_WAITING = "waiting"
_SHOWN = (
    SmsMessage.id,
    SmsMessage.to,
    SmsMessage.kind,
    SmsMessage.state,
    SmsMessage.parts,
    SmsMessage.cost,
    SmsMessage.currency,
    SmsMessage.about,
    SmsMessage.attempts,
    SmsMessage.last_error,
    SmsMessage.created_at,
    SmsMessage.sent_at,
    SmsMessage.requested_by,
)
"""All columns but the texts, whose links are encrypted."""


def _in_state(value: str) -> ColumnElement[bool]:
    return is_unresolved_failure() if value == _WAITING else col(SmsMessage.state) == TextState(value)


async def _resend(session: AsyncSession, reference: str, who: Staff) -> None:
    await resend_text(session, parse_id(reference), who.email)


def _cost_cell(row: Any) -> Cell:
    return Cell(format_cost(row.cost, row.currency), "whole")


def _text_rows() -> Any:
    return rows_of(*map(col, _SHOWN))


TEXTS = ListDefinition(
    name="texts",
    title="Text messages",
    noun=("text message", "text messages"),
    kind="text",
    path=PATH,
    permission=Permission.SEE_MAIL,
    rows=_text_rows,
    identity=col(SmsMessage.id),
    reference=lambda row: str(row.id),
    columns=(
        Column("to", "To", lambda row: Cell(format_phone_number(row.to) or "Erased", "strong")),
        Column("kind", "Type", lambda row: Cell(kind_of(row.kind))),
        Column("state", "State", lambda row: STATES[row.state]),
        Column("error", "Error", lambda row: Cell(row.last_error if row.state is not TextState.DELIVERED else "")),
        Column("at", "Created", lambda row: brief_moment_cell(row.created_at), unit="Nairobi", sort=col(SmsMessage.id)),
        Column("parts", "Parts", lambda row: number_cell(row.parts), caption=True),
        Column("cost", "Cost", _cost_cell),
        Column("about", "About", lambda row: Cell(row.about, "whole")),
        Column("attempts", "Attempts", lambda row: number_cell(row.attempts), is_shown=False),
        Column("sent", "Sent", lambda row: moment_cell(row.sent_at), unit="Nairobi", is_shown=False),
        Column("by", "Requested by", lambda row: Cell(row.requested_by), is_shown=False),
    ),
    order="-at",
    href=lambda row: f"{TEXT_PATH}?id={row.id}",
    filters=(
        Choice(
            "state",
            "State",
            lambda: ((_WAITING, "Failed, needs attention"), *((state.value, cell.text) for state, cell in STATES.items())),
            _in_state,
        ),
        Choice("kind", "Type", lambda: tuple(KINDS.items()), lambda value: col(SmsMessage.kind) == value),
        Days("at", "Created", col(SmsMessage.created_at)),
    ),
    search=search_text_in(col(SmsMessage.search), reference=col(SmsMessage.about), phone=col(SmsMessage.to)),
    search_hint="Number, reference",
    actions=(
        Action("resent", "Resend", Permission.WORK_MAIL, change_each(_resend), "Resend {count} to the original numbers?"),
    ),
    empty="No text messages yet.",
    attention=("state", _WAITING),
)  # fmt: skip

TEXT_LIST = list_screen(TEXTS, icon="phone")
