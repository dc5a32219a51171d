"""The page of a text message: its text, its delivery, its history, resending."""

from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.detail_page import (
    DetailPage,
    detail_page,
    detail_screen,
    history_card,
    record_head,
)
from agency_site.backoffice.elements import card, columns, fact, fact_list, small_button, small_note
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.labels import record_href
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.backoffice.texts.labels import EXPLANATIONS, STATES, describe_history, format_cost, kind_of
from agency_site.backoffice.texts.list import PATH, TEXT_LIST, TEXT_PATH
from agency_site.ids import parse_id
from agency_site.phone_numbers import format_phone_number
from agency_site.sms.rules import TextState
from agency_site.sms.staff_usecases import RESENDABLE, TextPreview, preview_text, resend_text
from agency_site.ui.elements import notice, text_link
from agency_site.ui.icon import icon


class TextDetail(DetailPage, StaffState):
    """The open text message."""

    VIEW: ClassVar = Permission.SEE_MAIL
    EDIT: ClassVar = Permission.WORK_MAIL
    PARAMETER: ClassVar = "id"

    text: rx.Field[str] = rx.field("")

    @staff_event(Permission.WORK_MAIL)
    async def resend(self, who: Staff) -> None:
        """Send a copy of the message."""
        identity, reference = parse_id(self.reference), self.reference

        async def work(session: AsyncSession) -> None:
            await resend_text(session, identity, who.email)
            await audit.record(session, who, "text.resent", "text", reference)

        await self._run(who, work, "Text message resent.")

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        preview = await preview_text(session, parse_id(reference))
        return {
            "reference": reference,
            "facts": _text_facts(preview),
            "text": preview.entry.text,
            "lines": describe_history(preview.entry),
        }


def _text_facts(preview: TextPreview) -> dict[str, str]:
    entry = preview.entry
    state = STATES[entry.state]
    is_waiting = entry.state is TextState.QUEUED and entry.due_at and entry.due_at > entry.created_at
    return {
        "to": format_phone_number(entry.to),
        "kind": kind_of(entry.kind),
        "state": state.text,
        "tone": state.tone,
        "explanation": EXPLANATIONS.get(entry.state, ""),
        "error": entry.last_error if entry.state is not TextState.DELIVERED else "",
        "parts": str(entry.parts),
        "cost": format_cost(entry.cost, entry.currency),
        "attempts": str(entry.attempts),
        "due": when(entry.due_at) if is_waiting else "",
        "about": entry.about,
        "record": record_href(entry.about),
        "repeats": str(preview.original_id or ""),
        "copy": str(preview.copy_id or ""),
        "refusal": preview.refusal if entry.state in RESENDABLE else "",
        "can_resend": "" if preview.refusal else "yes",
    }


def _text_page() -> rx.Component:
    facts = TextDetail.facts
    return detail_page(
        TextDetail,
        record_head(
            facts["kind"], facts["state"], facts["tone"], facts["to"], "", _resend_button(), label="Text message"
        ),
        rx.cond(
            facts["explanation"] != "",
            notice(
                rx.el.p(facts["explanation"]),
                rx.cond(facts["error"] != "", rx.el.p(facts["error"], class_name="mail-error")),
                role="note",
            ),
        ),
        columns(_text_card(), rx.el.div(_delivery_card(), history_card(TextDetail.lines))),
        empty=("Choose a text message from the list.", "All text messages", PATH),
    )  # fmt: skip


def _resend_button() -> rx.Component:
    facts = TextDetail.facts
    button = small_button(icon("refresh", size=18), "Resend", tone="ink", on_click=TextDetail.resend)
    return rx.cond(
        has_permission(Permission.WORK_MAIL),
        rx.cond(
            facts["can_resend"] != "",
            button,
            rx.cond(facts["refusal"] != "", small_note(facts["refusal"])),
        ),
    )


def _text_card() -> rx.Component:
    return card(
        "Text",
        small_note("Links are hidden, because only the recipient may use them."),
        rx.el.pre(TextDetail.text, class_name="office-pre", tab_index=0, role="region", aria_label="Text"),
    )


def _delivery_card() -> rx.Component:
    facts = TextDetail.facts
    record = rx.cond(facts["record"] != "", text_link(facts["about"], facts["record"]), facts["about"])
    return card(
        "Delivery",
        fact_list(
            fact("Messages charged", facts["parts"]),
            fact("Cost", facts["cost"], is_shown=facts["cost"] != ""),
            fact("Attempts", facts["attempts"]),
            fact("Next attempt", facts["due"], is_shown=facts["due"] != ""),
            fact("About", record, is_shown=facts["about"] != ""),
            fact(
                "Copy of",
                text_link("an earlier message", f"{TEXT_PATH}?id=" + facts["repeats"]),
                is_shown=facts["repeats"] != "",
            ),
            fact(
                "Resent as",
                text_link("a later message", f"{TEXT_PATH}?id=" + facts["copy"]),
                is_shown=facts["copy"] != "",
            ),
        ),
    )


TEXT_DETAIL = detail_screen(TextDetail, TEXT_PATH, "Text message", _text_page, under=PATH)
SCREENS = (TEXT_LIST, TEXT_DETAIL)
