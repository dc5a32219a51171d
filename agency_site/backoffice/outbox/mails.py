"""Outgoing mail in the back office: its list, the page of each message with its preview, and resending."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    Tone,
    brief_moment_cell,
    moment_cell,
    number_cell,
    search_text_in,
    when,
)
from agency_site.backoffice.outbox.failures import MailFailures, failures_panel
from agency_site.backoffice.record_page import RecordState, record_screens
from agency_site.backoffice.records import Action, Record, Related, RelatedLine, Values
from agency_site.backoffice.screens import Screen
from agency_site.mail.rules import ONE_TIME_KINDS, MailFailure, MailState
from agency_site.mail.staff_usecases import (
    ONE_TIME_LINK_NOTICE,
    QUEUED_NOTICE,
    build_preview,
    is_unresolved_failure,
    resend_message,
)
from agency_site.mail.tables import OutboxMessage
from agency_site.members import ByMember, names
from agency_site.notices.rules import NOTICE_NAMES, NoticeKind
from agency_site.ui.elements import notice
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor

_FILES = "/admin/export/mail/"
_WAITING = "waiting"
_LISTED = (
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
"""All columns of the list: the content of the messages, which is most of their size, is left out."""
STATES = names(
    {
        MailState.QUEUED: "Queued",
        MailState.SENT: "Sent",
        MailState.KEPT: "Not sent",
        MailState.FAILED: "Failed",
    }
)
_TONES: dict[MailState, Tone] = ByMember(
    {
        MailState.QUEUED: "busy",
        MailState.SENT: "good",
        MailState.KEPT: "quiet",
        MailState.FAILED: "bad",
    },
    lambda _state: "quiet",
)
FAILURES = names(
    {
        MailFailure.REFUSED: (
            "Rejected by the mail server: the address or the content is invalid. Resending would fail again."
        ),
        MailFailure.GIVEN_UP: (
            "All attempts failed: the mail server was unreachable or busy. Resending may succeed."
        ),
    }
)
_NOTICES = (
    NoticeKind.BOOKING_CONFIRMED, NoticeKind.BOOKING_MOVED, NoticeKind.BOOKING_CANCELLED, NoticeKind.BOOKING_REMINDER,
    NoticeKind.BOOKING_SOON, NoticeKind.PAYMENT_LINK, NoticeKind.SESSION_CHANGED, NoticeKind.WAITING_OFFER,
)  # fmt: skip
"""Kinds whose mails have the kind of their notice; the others have several mails."""
KINDS: Mapping[str, str] = {
    **{kind.value: NOTICE_NAMES[kind] for kind in _NOTICES},
    "staff-notices": "Several notices at once",
    "staff-weekly-figures": "To owners: the week in figures",
    "booking-assigned": "Booking given to another consultant",
    "booking-way": "Booking: another way to meet",
    "booking-restored": "Booking reinstated",
    "enrolment-asked": "Free place to confirm",
    "enrolment-confirmed": "Enrolment and receipt",
    "learner-confirmed": "Place in a course",
    "learner-replaced": "Place transferred to another person",
    "learner-link": "Learner's link resent",
    "run-cancelled": "Course run cancelled",
    "session-reminder": "Session reminder",
    "run-message": "Message to a course run",
    "recording-added": "Recording of a session",
    "waiting-joined": "Waiting list joined",
    "place-ended": "Place cancelled",
    "certificate-issued": "Certificate",
    "learner-moved": "Place moved to another course run",
    "order-exists": "Existing order",
    "payment-unpaid": "Payment not completed",
    "payment-refunded": "Refund",
    "staff-payment-surplus": "To staff: more paid than the order costs",
    "payment-part": "Partial payment received",
    "comment-received": "Comment received",
    "comment-published": "Comment published",
    "registration-confirmed": "Webinar registration confirmed",
    "registration-reminder": "Webinar reminder",
    "registration-cancelled": "Webinar registration cancelled",
    "webinar-changed": "Webinar changed",
    "webinar-cancelled": "Webinar cancelled",
    "message-received": "Enquiry received",
    "signup-received": "Plan sign-up received",
    "newsletter-confirm": "Newsletter: confirmation request",
    "newsletter-known": "Newsletter: already subscribed",
    "newsletter-issue": "Newsletter issue",
    "newsletter-test": "Newsletter: test issue",
    "enquiry-reply": "Reply to an enquiry",
    "staff-booked": "To staff: new booking",
    "calendar-partly-read": "To staff: a calendar is read only partly",
    "calendar-unreadable": "To staff: a calendar cannot be read",
    "staff-moved": "To staff: booking moved",
    "staff-cancelled": "To staff: booking cancelled",
    "staff-enrolled": "To staff: new enrolment",
    "staff-payment-review": "To staff: payment needs review",
    "staff-payment-returned": "To staff: payment reversed by M-Pesa",
    "staff-run-cancelled": "To staff: money for a cancelled course run",
    "staff-reversal": "To staff: refund through M-Pesa",
    "staff-gateway": "To staff: M-Pesa rejects requests",
    "staff-comment": "To staff: new comment",
    "staff-message": "To staff: new enquiry",
    "staff-text": "To staff: text message received",
    "staff-signup": "To staff: plan sign-up",
    "staff-registered": "To staff: webinar registration",
    "staff-invitation": "To staff: invitation",
    "staff-reset": "To staff: password reset",
}
"""Labels of the kinds; an unknown kind shows its own name."""


def state_cell(state: MailState) -> Cell:
    return Cell(STATES[state], _TONES[state])


_RECORDS = {
    "BK-": "/admin/booking?ref=",
    "EN-": "/admin/order?ref=",
    "LN-": "/admin/learner?ref=",
    "WL-": "/admin/waiting-lists?q=",
}
"""The page or list of the record of a message, by the prefix of its reference."""


def kind_of(kind: str) -> str:
    return KINDS.get(kind, kind.replace("-", " ").capitalize())


def record_href(about: str) -> str:
    """Return the address that shows the record of that reference; empty if there is none."""
    path = _RECORDS.get(about[:3], "")
    return f"{path}{about}" if path else ""


def _list_rows() -> Any:
    return rows_of(*map(col, _LISTED))


def _in_state(value: str) -> ColumnElement[bool]:
    return is_unresolved_failure() if value == _WAITING else col(OutboxMessage.state) == MailState(value)


def _error_cell(row: Any) -> Cell:
    return Cell("" if row.state is MailState.SENT else row.last_error)


def _unexplained_error_cell(row: OutboxMessage) -> Cell:
    """Return the error of a message whose failure, which the page shows with the error, is unknown."""
    return Cell("") if row.failure else _error_cell(row)


def _original_cell(row: OutboxMessage) -> Cell:
    return (
        Cell("an earlier message", href=MAILS.address(str(row.original_id))) if row.original_id else Cell("")
    )


async def _list_copies(session: AsyncSession, row: OutboxMessage) -> list[RelatedLine]:
    copies = select(OutboxMessage.id, OutboxMessage.created_at).where(OutboxMessage.original_id == row.id)
    rows = (await session.exec(copies.order_by(col(OutboxMessage.id).desc()))).all()
    return [RelatedLine("A later message", when(at), MAILS.address(str(copy))) for copy, at in rows]


async def _list_files(_session: AsyncSession, row: OutboxMessage) -> list[RelatedLine]:
    names_of_files = build_preview(row).attachments
    return [
        RelatedLine(name, "", f"{_FILES}{row.id}/files/{position}")
        for position, name in enumerate(names_of_files)
    ]


async def _list_headers(_session: AsyncSession, row: OutboxMessage) -> list[RelatedLine]:
    return [RelatedLine(name, value) for name, value in build_preview(row).headers]


async def _read_values(_session: AsyncSession, row: OutboxMessage, _who: Staff) -> dict[str, str]:
    return {
        "label": kind_of(row.kind),
        "text": build_preview(row).text,
        "failure": FAILURES[row.failure] if row.failure else "",
        "error": _error_cell(row).text,
        "one_time": ONE_TIME_LINK_NOTICE if row.kind in ONE_TIME_KINDS else "",
    }


def _can_resend(row: OutboxMessage) -> bool:
    return row.kind not in ONE_TIME_KINDS and row.state is not MailState.QUEUED


def _refuse(row: OutboxMessage) -> str:
    return ONE_TIME_LINK_NOTICE if row.kind in ONE_TIME_KINDS else QUEUED_NOTICE


async def _resend(session: AsyncSession, row: OutboxMessage, _values: Values, who: Staff) -> None:
    await resend_message(session, row.id or 0, who.email)


MAILS = Record(
    table=OutboxMessage,
    kind="mail",
    noun=("mail", "mails"),
    icon="mail",
    path="/admin/message",
    list_path="/admin/mail",
    list_name="mail",
    title="Mail",
    parameter="id",
    see=Permission.SEE_MAIL,
    work=Permission.WORK_MAIL,
    reference=col(OutboxMessage.id),
    missing="This message does not exist.",
    state=lambda row: state_cell(row.state),
    heading=lambda row: (row.subject, f"To {row.to}"),
    facts=(
        Column("at", "Created", lambda row: moment_cell(row.created_at), unit="Nairobi"),
        Column("sent", "Sent", lambda row: moment_cell(row.sent_at), unit="Nairobi"),
        Column("attempts", "Attempts", lambda row: Cell(str(row.attempts))),
        Column("error", "Last error", _unexplained_error_cell),
        Column("about", "About", lambda row: Cell(row.about, href=record_href(row.about))),
        Column("original", "Copy of", _original_cell),
        Column("by", "Resent by", lambda row: Cell(row.requested_by)),
    ),
    related=(
        Related("files", _list_files, is_shown=False),
        Related("headers", _list_headers, is_shown=False),
        Related("copies", _list_copies, heading="Resent as"),
    ),
    values=_read_values,
    list_rows=_list_rows,
    columns=(
        Column("to", "To", lambda row: Cell(row.to or "Erased", "strong")),
        Column("subject", "Subject", lambda row: Cell(row.subject)),
        Column("state", "State", lambda row: state_cell(row.state)),
        Column("error", "Error", _error_cell),
        Column("at", "Created", lambda row: brief_moment_cell(row.created_at), unit="Nairobi", sort=col(OutboxMessage.id)),
        Column("kind", "Type", lambda row: Cell(kind_of(row.kind))),
        Column("attempts", "Attempts", lambda row: number_cell(row.attempts), is_shown=False),
        Column("sent", "Sent", lambda row: moment_cell(row.sent_at), unit="Nairobi", is_shown=False),
        Column("about", "About", lambda row: Cell(row.about), is_shown=False),
        Column("by", "Resent by", lambda row: Cell(row.requested_by), is_shown=False),
    ),
    order="-at",
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
        Action("resend", "Resend", _resend, event="resent", done="Message resent.", when=_can_resend, refusal=_refuse,
               each=True, each_question="Resend {count} to the original recipients?", tone="ink", icon="refresh"),
    ),
    empty="No mail yet.",
    attention=("state", _WAITING),
)  # fmt: skip


def _draw_one_time_notice() -> rx.Component:
    words = RecordState.facts["one_time"]
    return rx.cond(words != "", small_note(words))


def _draw_failure() -> rx.Component:
    facts = RecordState.facts
    error = rx.cond(facts["error"] != "", rx.el.p(facts["error"], class_name="mail-error"))
    return rx.cond(
        facts["failure"] != "", notice(rx.el.p(facts["failure"]), error, tone="error", role="note")
    )


def _draw_preview() -> rx.Component:
    text = rx.el.pre(
        RecordState.facts["text"],
        class_name="office-pre",
        tab_index=0,
        role="region",
        aria_label="Plain text",
    )
    return card(
        "Preview",
        small_note("Links are hidden, because only the recipient may use them."),
        # The sandbox allows no scripts, forms or navigation.
        rx.el.iframe(
            src=_FILES + RecordState.reference,
            title="Preview of the message",
            custom_attrs={"sandbox": ""},
            class_name="mail-frame",
        ),
        rx.el.details(rx.el.summary("Plain text version"), text, class_name="office-behind"),
    )


def _draw_files() -> rx.Component:
    files: Any = RecordState.related["files"]
    items = rx.foreach(files, lambda file: rx.el.li(_file_link(file), key=file.href))
    return rx.cond(files, card("Attachments", rx.el.ul(items, class_name="office-log")))


def _file_link(file: Any) -> rx.Component:
    return PlainAnchor.create(
        icon("download", size=18), file.label, href=file.href, download=True, class_name="office-quiet"
    )


def _draw_headers() -> rx.Component:
    headers: Any = RecordState.related["headers"]
    items = rx.foreach(
        headers, lambda line: rx.el.div(rx.el.dt(line.label), rx.el.dd(line.text), key=line.label)
    )
    return card("Headers", rx.el.dl(items, class_name="mail-headers"))


def _mark_wide() -> rx.Component:
    # The stylesheet widens pages with this marker: subjects and errors are long.
    return rx.el.span(hidden=True, class_name="mail-list")


def _screens() -> tuple[Screen, Screen]:
    mails, message = record_screens(
        MAILS,
        above=(_mark_wide, failures_panel),
        head=(_draw_one_time_notice,),
        top=(_draw_failure,),
        body=(_draw_preview,),
        side=(_draw_files, _draw_headers),
    )
    return replace(mails, on_load=(*mails.on_load, MailFailures.open_failures)), message


SCREENS = _screens()
