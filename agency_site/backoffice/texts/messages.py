"""Text messages in the back office: their list, the page of each, and resending."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement
from sqlalchemy import select as rows_of
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    brief_moment_cell,
    moment_cell,
    number_cell,
    search_text_in,
    when,
)
from agency_site.backoffice.outbox.mails import record_href
from agency_site.backoffice.record_page import RecordState, action_button, record_screens
from agency_site.backoffice.records import Action, HistoryLine, Record, Related, RelatedLine, Values
from agency_site.backoffice.state import has_permission
from agency_site.errors import Conflict
from agency_site.members import ByMember
from agency_site.notices.rules import NOTICE_NAMES
from agency_site.phone_numbers import format_phone_number
from agency_site.sms.redaction import hide_links
from agency_site.sms.rules import TextState
from agency_site.sms.staff_usecases import (
    ERASED,
    FROM_STAFF,
    RESENDABLE,
    explain_no_resend,
    find_copy,
    find_original,
    is_unresolved_failure,
    resend_text,
)
from agency_site.sms.tables import SmsMessage
from agency_site.ui.elements import notice

STATES: Mapping[TextState, Cell] = ByMember(
    {
        TextState.QUEUED: Cell("Queued", "busy"),
        TextState.SENDING: Cell("Being sent", "busy"),
        TextState.SENT: Cell("Sent", "good"),
        TextState.DELIVERED: Cell("Delivered", "good"),
        TextState.UNKNOWN: Cell("Perhaps sent", "bad"),
        TextState.KEPT: Cell("Not sent", "quiet"),
        TextState.FAILED: Cell("Failed", "bad"),
        TextState.STOPPED: Cell("Stopped by the recipient", "quiet"),
    },
    Cell,
)
_EXPLANATIONS: Mapping[TextState, str] = {
    TextState.UNKNOWN: (
        "The provider gave no answer, so the message may have arrived. If you resend it, the recipient may get it twice."
    ),
    TextState.KEPT: "No provider was configured when this message was written.",
    TextState.FAILED: "The message did not arrive.",
    TextState.STOPPED: "The recipient has stopped text messages since it was written.",
}
"""What a state means, where its name does not say it."""
KINDS: Mapping[str, str] = {FROM_STAFF: "Written by staff", **NOTICE_NAMES}
"""Labels of the kinds; an unknown kind shows its own name."""
_WAITING = "waiting"
_LISTED = (
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
"""All columns of the list: the texts, whose links are encrypted, are left out."""


def _list_rows() -> Any:
    return rows_of(*map(col, _LISTED))


def kind_of(kind: str) -> str:
    """Return the label of a kind."""
    return KINDS.get(kind, kind.replace("-", " ").capitalize())


def format_cost(cost: int, currency: str) -> str:
    """Return what the provider charged, such as `KES 0.80`; empty if nothing is known."""
    return f"{currency} {Decimal(cost) / 10_000:.2f}".strip() if cost else ""


def _cost_cell(row: Any) -> Cell:
    return Cell(format_cost(row.cost, row.currency), "whole")


def _error_cell(row: Any) -> Cell:
    return Cell("" if row.state is TextState.DELIVERED else row.last_error)


def _next_attempt_cell(row: SmsMessage) -> Cell:
    is_waiting = row.state is TextState.QUEUED and row.due_at and row.due_at > row.created_at
    return moment_cell(row.due_at if is_waiting else None)


def _original_cell(row: SmsMessage) -> Cell:
    original = find_original(row)
    return Cell("an earlier message", href=TEXTS.address(str(original))) if original else Cell("")


def _in_state(value: str) -> ColumnElement[bool]:
    return is_unresolved_failure() if value == _WAITING else col(SmsMessage.state) == TextState(value)


async def _list_copies(session: AsyncSession, row: SmsMessage) -> list[RelatedLine]:
    copy = await find_copy(session, row)
    return (
        [RelatedLine("A later message", when(copy.created_at), TEXTS.address(str(copy.id)))] if copy else []
    )


async def list_steps(_session: AsyncSession, row: SmsMessage) -> list[HistoryLine]:
    """Return the steps of a message, newest first."""
    provider = "The provider"
    steps = [HistoryLine("Written", "", when(row.created_at), row.requested_by or "System")]
    if row.sent_at:
        steps.append(HistoryLine("Accepted", "", when(row.sent_at), provider))
    if row.reported_at:
        at = when(row.reported_at)
        steps.append(HistoryLine(STATES[row.state].text, _error_cell(row).text, at, provider))
    return steps[::-1]


async def _read_values(session: AsyncSession, row: SmsMessage, _who: Staff) -> dict[str, str]:
    if not row.to:
        raise Conflict(ERASED)
    return {
        "label": kind_of(row.kind),
        "text": hide_links(row.text),
        "explanation": _EXPLANATIONS.get(row.state, ""),
        "error": _error_cell(row).text,
        "refusal": await explain_no_resend(session, row) if _can_resend(row) else "",
    }


def _can_resend(row: SmsMessage) -> bool:
    return row.state in RESENDABLE


async def _resend(session: AsyncSession, row: SmsMessage, _values: Values, who: Staff) -> None:
    await resend_text(session, row, who.email)


_RESEND = Action(
    "resend", "Resend", _resend, event="resent", done="Text message resent.", when=_can_resend,
    refusal=lambda _row: "Only a message that failed, may not have arrived or was not sent can be resent.",
    each=True, each_question="Resend {count} to the original numbers?", is_shown=False, tone="ink", icon="refresh",
)  # fmt: skip

TEXTS = Record(
    table=SmsMessage,
    kind="text",
    noun=("text message", "text messages"),
    icon="phone",
    path="/admin/text",
    list_path="/admin/texts",
    list_name="texts",
    parameter="id",
    see=Permission.SEE_MAIL,
    work=Permission.WORK_MAIL,
    reference=col(SmsMessage.id),
    missing="This message does not exist.",
    state=lambda row: STATES[row.state],
    heading=lambda row: (format_phone_number(row.to), ""),
    facts=(
        Column("parts", "Messages charged", lambda row: Cell(str(row.parts))),
        Column("cost", "Cost", _cost_cell),
        Column("attempts", "Attempts", lambda row: Cell(str(row.attempts))),
        Column("due", "Next attempt", _next_attempt_cell),
        Column("about", "About", lambda row: Cell(row.about, href=record_href(row.about))),
        Column("original", "Copy of", _original_cell),
    ),
    related=(Related("copies", _list_copies, heading="Resent as"),),
    history=list_steps,
    values=_read_values,
    list_rows=_list_rows,
    columns=(
        Column("to", "To", lambda row: Cell(format_phone_number(row.to) or "Erased", "strong")),
        Column("kind", "Type", lambda row: Cell(kind_of(row.kind))),
        Column("state", "State", lambda row: STATES[row.state]),
        Column("error", "Error", _error_cell),
        Column("at", "Created", lambda row: brief_moment_cell(row.created_at), unit="Nairobi", sort=col(SmsMessage.id)),
        Column("parts", "Parts", lambda row: number_cell(row.parts), caption=True),
        Column("cost", "Cost", _cost_cell),
        Column("about", "About", lambda row: Cell(row.about, "whole")),
        Column("attempts", "Attempts", lambda row: number_cell(row.attempts), is_shown=False),
        Column("sent", "Sent", lambda row: moment_cell(row.sent_at), unit="Nairobi", is_shown=False),
        Column("by", "Requested by", lambda row: Cell(row.requested_by), is_shown=False),
    ),
    order="-at",
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
    actions=(_RESEND,),
    empty="No text messages yet.",
    attention=("state", _WAITING),
)  # fmt: skip


def _draw_resending() -> rx.Component:
    refusal = RecordState.facts["refusal"]
    return rx.cond(
        refusal == "",
        action_button(TEXTS, _RESEND),
        rx.cond(has_permission(Permission.WORK_MAIL), small_note(refusal)),
    )


def _draw_explanation() -> rx.Component:
    facts = RecordState.facts
    error = rx.cond(facts["error"] != "", rx.el.p(facts["error"], class_name="mail-error"))
    return rx.cond(facts["explanation"] != "", notice(rx.el.p(facts["explanation"]), error, role="note"))


def _draw_text() -> rx.Component:
    return card(
        "Text",
        small_note("Links are hidden, because only the recipient may use them."),
        rx.el.pre(
            RecordState.facts["text"], class_name="office-pre", tab_index=0, role="region", aria_label="Text"
        ),
    )


SCREENS = record_screens(TEXTS, head=(_draw_resending,), top=(_draw_explanation,), body=(_draw_text,))
