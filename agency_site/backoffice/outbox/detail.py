"""The detail page of an outgoing message: preview, delivery, attachments, headers, resending."""

from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.detail_page import DetailPage, detail_page, detail_screen
from agency_site.backoffice.elements import (
    button_row,
    card,
    columns,
    fact,
    fact_list,
    small_button,
    small_note,
)
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.labels import FAILURES, kind_of, record_href, state_cell
from agency_site.backoffice.outbox.list import OUTBOX_LIST, PATH
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.engine import session_scope
from agency_site.errors import NotFound
from agency_site.ids import parse_id
from agency_site.mail.rules import MailState
from agency_site.mail.staff_usecases import (
    ONE_TIME_LINK_NOTICE,
    MessagePreview,
    OutboxEntry,
    preview_message,
    resend_message,
)
from agency_site.ui.elements import notice
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor

FILES = "/admin/export/mail/"


@dataclass
class Header:
    name: str
    value: str


@dataclass
class AttachmentLink:
    name: str
    href: str


class OutboxDetail(DetailPage, StaffState):
    """The open message."""

    VIEW: ClassVar = Permission.SEE_MAIL
    EDIT: ClassVar = Permission.WORK_MAIL
    PARAMETER: ClassVar = "id"

    text: rx.Field[str] = rx.field("")
    headers: rx.Field[list[Header]] = rx.field(default_factory=list)
    files: rx.Field[list[AttachmentLink]] = rx.field(default_factory=list)
    copy_id: rx.Field[int] = rx.field(0)
    """The id of the copy that was just sent; 0 for none."""

    @staff_event(Permission.WORK_MAIL)
    async def resend(self, who: Staff) -> None:
        async with session_scope() as session:
            entry = await resend_message(session, _message_id(self.reference), who.email)
            await audit.record(session, who, "mail.resent", "mail", self.reference)
        self.copy_id = entry.id
        self._say("Message resent.")

    async def _opened(self, _who: Staff) -> None:
        self.copy_id = 0

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        preview = await preview_message(session, _message_id(reference))
        return {
            "reference": reference,
            "facts": _message_facts(preview.entry),
            "text": preview.text,
            "headers": [Header(name, value) for name, value in preview.headers],
            "files": _build_attachment_links(preview),
        }


def _message_id(reference: str) -> int:
    """Return the id in the page's address. Raises NotFound for an invalid one."""
    identity = parse_id(reference)
    if not identity:
        raise NotFound("This message does not exist.")
    return identity


def _build_attachment_links(preview: MessagePreview) -> list[AttachmentLink]:
    return [
        AttachmentLink(name, f"{FILES}{preview.entry.id}/files/{position}")
        for position, name in enumerate(preview.attachments)
    ]


def _message_facts(entry: OutboxEntry) -> dict[str, str]:
    state = state_cell(entry.state)
    return {
        "subject": entry.subject,
        "to": entry.to,
        "kind": kind_of(entry.kind),
        "state": state.text,
        "tone": state.tone,
        "failure": FAILURES[entry.failure] if entry.failure else "",
        "error": entry.last_error if entry.state is not MailState.SENT else "",
        "attempts": str(entry.attempts),
        "written": when(entry.created_at),
        "sent": when(entry.sent_at),
        "about": entry.about,
        "record": record_href(entry.about),
        "repeats": str(entry.original_id or ""),
        "by": entry.requested_by,
        "open": "yes" if entry.state is MailState.QUEUED else "",
        "one_time": ONE_TIME_LINK_NOTICE if entry.has_one_time_link else "",
    }


def _message_page() -> rx.Component:
    return detail_page(
        OutboxDetail,
        _message_heading(),
        columns(_preview_card(), rx.el.div(_delivery_card(), _files_card(), _headers_card())),
        empty=("Choose a message from the list.", "All mail", PATH),
        class_name="",
    )


def _message_heading() -> rx.Component:
    facts = OutboxDetail.facts
    return rx.el.section(
        rx.el.div(
            rx.el.p(
                rx.el.span(facts["kind"]),
                rx.el.span(facts["state"], class_name="office-tone office-tone-" + facts["tone"]),
                class_name="office-run mail-kind",
            ),
            rx.el.h2(facts["subject"]),
            rx.el.p("To ", rx.el.strong(facts["to"])),
        ),
        rx.cond(
            facts["one_time"] != "",
            small_note(facts["one_time"]),
            rx.cond(has_permission(Permission.WORK_MAIL) & (facts["open"] == ""), _resend_button()),
        ),
        rx.cond(facts["failure"] != "", _failure_notice()),
        class_name="office-card mail-head",
        aria_label="Message",
    )


def _resend_button() -> rx.Component:
    return button_row(
        small_button(icon("refresh", size=18), "Resend", tone="ink", on_click=OutboxDetail.resend),
        rx.cond(
            OutboxDetail.copy_id > 0,
            rx.el.a(
                "Open the copy",
                href="/admin/message?id=" + OutboxDetail.copy_id.to_string(),
                class_name="office-quiet",
            ),
        ),
    )


def _failure_notice() -> rx.Component:
    facts = OutboxDetail.facts
    return notice(
        rx.el.p(facts["failure"]),
        rx.cond(facts["error"] != "", rx.el.p(facts["error"], class_name="mail-error")),
        tone="error",
        role="note",
        class_name="mail-failure",
    )


def _preview_card() -> rx.Component:
    return card(
        "Preview",
        small_note("Links are hidden, because only the recipient may use them."),
        # The sandbox allows no scripts, forms or navigation.
        rx.el.iframe(
            src=FILES + OutboxDetail.reference,
            title="Preview of the message",
            custom_attrs={"sandbox": ""},
            class_name="mail-frame",
        ),
        rx.el.details(
            rx.el.summary("Plain text version"),
            rx.el.pre(
                OutboxDetail.text,
                class_name="office-pre",
                tab_index=0,
                role="region",
                aria_label="Plain text",
            ),
            class_name="office-behind",
        ),
    )


def _delivery_card() -> rx.Component:
    facts = OutboxDetail.facts
    return card(
        "Delivery",
        fact_list(
            fact("Created", facts["written"]),
            fact("Sent", facts["sent"], is_shown=facts["sent"] != ""),
            fact("Attempts", facts["attempts"]),
            fact("Last error", facts["error"], is_shown=(facts["error"] != "") & (facts["failure"] == "")),
            fact("About", _record_link(), is_shown=facts["about"] != ""),
            fact(
                "Copy of",
                rx.el.a(
                    "an earlier message", href="/admin/message?id=" + facts["repeats"], class_name="link"
                ),
                is_shown=facts["repeats"] != "",
            ),
            fact("Resent by", facts["by"], is_shown=facts["by"] != ""),
        ),
    )


def _record_link() -> rx.Component:
    facts = OutboxDetail.facts
    return rx.cond(
        facts["record"] != "",
        rx.el.a(facts["about"], href=facts["record"], class_name="link"),
        rx.el.span(facts["about"]),
    )


def _files_card() -> rx.Component:
    return rx.cond(
        OutboxDetail.files,
        card(
            "Attachments",
            rx.el.ul(
                rx.foreach(
                    OutboxDetail.files,
                    lambda file: rx.el.li(
                        PlainAnchor.create(
                            icon("download", size=18), file.name, href=file.href, download=True, class_name="office-quiet"
                        ),
                        key=file.href,
                    ),
                ),
                class_name="office-log",
            ),
        ),
    )  # fmt: skip


def _headers_card() -> rx.Component:
    return card(
        "Headers",
        rx.el.dl(
            rx.foreach(
                OutboxDetail.headers,
                lambda header: rx.el.div(rx.el.dt(header.name), rx.el.dd(header.value), key=header.name),
            ),
            class_name="mail-headers",
        ),
    )


OUTBOX_MESSAGE = detail_screen(OutboxDetail, "/admin/message", "Message", _message_page, under=PATH)
SCREENS = (OUTBOX_LIST, OUTBOX_MESSAGE)
