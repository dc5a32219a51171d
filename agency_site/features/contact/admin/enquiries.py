"""Enquiries and plan sign-ups in the back office: staff read, answer and close them. Two lists share the page."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import reflex as rx
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Column,
    Days,
    clients_in,
    excerpt,
    moment_cell,
    moment_column,
    reference_column,
    search_text_in,
    state_filter,
    when,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.lists.search import CLIENT
from agency_site.backoffice.lists.view import list_screen
from agency_site.backoffice.record_page import RecordState, action_form, record_screens
from agency_site.backoffice.records import STATE, Action, HistoryLine, Record, Related, RelatedLine, Values
from agency_site.clock import now
from agency_site.db.deduplication import REPEAT_WINDOW
from agency_site.db.event_log import LoggedEvent, append_event, list_events
from agency_site.features.contact import emails
from agency_site.features.contact.rules import STEPS, EnquiryChange, EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.fields import Control, Field
from agency_site.form_input import text
from agency_site.ids import clean_reference
from agency_site.mail.usecases import enqueue, find_message
from agency_site.members import ByMember
from agency_site.phone_numbers import format_phone_number

REPLY_LENGTH = 10_000
_REPLIES, _REPLY = "replies", "reply"
_EXCERPT = 60

STATES: Mapping[EnquiryState, Cell] = ByMember(
    {
        EnquiryState.NEW: Cell("Unanswered", "bad"),
        EnquiryState.ANSWERED: Cell("Answered", "good"),
        EnquiryState.CLOSED: Cell("Closed", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""


def _is_signup(enquiry: Enquiry) -> bool:
    return enquiry.kind is EnquiryKind.SIGNUP


def _name_person(enquiry: Enquiry) -> str:
    """Return whom the page names: a message needs no name."""
    return enquiry.fullname or enquiry.email or "Erased"


def _describe(enquiry: Enquiry) -> tuple[str, str]:
    title = f"{enquiry.details['plan']} plan" if _is_signup(enquiry) else enquiry.subject or "No subject"
    return title, f"From {_name_person(enquiry)}, {when(enquiry.created_at)}"


def _name_cell(enquiry: Enquiry) -> Cell:
    return Cell(enquiry.fullname) if enquiry.email else Cell("Erased", "quiet")


def _phone_cell(enquiry: Enquiry) -> Cell:
    href = f"tel:{enquiry.phone}" if enquiry.phone else ""
    return Cell(format_phone_number(enquiry.phone), "whole", href=href)


def _email_cell(enquiry: Enquiry) -> Cell:
    return Cell(enquiry.email, href=f"mailto:{enquiry.email}" if enquiry.email else "")


def _client_cell(enquiry: Enquiry) -> Cell:
    if not enquiry.email:
        return Cell("")
    own_list = SIGNUPS if _is_signup(enquiry) else ENQUIRIES
    query = urlencode({"list": own_list.definition.name, "ref": enquiry.reference})
    return Cell("All records of this client", href=f"{CLIENT}?{query}")


def _describe_domain(enquiry: Enquiry) -> str:
    details = enquiry.details
    return emails.DOMAINS[details["domain_type"]] if details.get("domain_name") else ""


def _changed_cell(enquiry: Enquiry) -> Cell:
    return moment_cell(enquiry.updated_at if enquiry.updated_at != enquiry.created_at else None)


async def _read_texts(_session: AsyncSession, enquiry: Enquiry, _who: Staff) -> Mapping[str, str]:
    return {
        "kind": enquiry.kind,
        "message": enquiry.message,
        "email": enquiry.email,
        "sender": f"{_name_person(enquiry)}, {when(enquiry.created_at)}",
        "plan": enquiry.details.get("plan", ""),
        "domain": enquiry.details.get("domain_name", ""),
        "domain_status": _describe_domain(enquiry),
    }


async def _list_replies(session: AsyncSession, enquiry: Enquiry) -> list[RelatedLine]:
    """Return our replies, oldest first."""
    events = await list_events(session, EnquiryEvent, enquiry.id)
    return [
        RelatedLine(f"{event.actor}, {when(event.at)}", event.reply, who=event.actor)
        for event in events
        if event.reply
    ]


def _describe_event(event: LoggedEvent, line: HistoryLine) -> HistoryLine:
    return replace(line, noted=event.what == EnquiryChange.NOTED)


async def _send_reply(session: AsyncSession, enquiry: Enquiry, values: Values, who: Staff) -> str:
    """Answer by e-mail in the thread of our acknowledgement. The same reply again within five minutes is sent once."""
    words, message = values[_REPLY], f"Your reply is being sent to {enquiry.email}."
    if await _is_repeated(session, enquiry, words, who.email):
        return message
    message_id = await _enqueue_reply(session, enquiry, words, who.name)
    # A second reply changes no state, but the version.
    was, enquiry.state, enquiry.updated_at = enquiry.state, EnquiryState.ANSWERED, now()
    await append_event(
        session, EnquiryEvent, [enquiry.id], EnquiryChange.REPLIED, who.email, before=was, after=enquiry.state,
        reply=words, message_id=message_id,
    )  # fmt: skip
    return message


async def _is_repeated(session: AsyncSession, enquiry: Enquiry, words: str, actor: str) -> bool:
    replies = select(EnquiryEvent).where(
        EnquiryEvent.enquiry_id == enquiry.id, col(EnquiryEvent.what) == EnquiryChange.REPLIED
    )
    last = (await session.exec(replies.order_by(col(EnquiryEvent.id).desc()).limit(1))).first()
    return last is not None and (last.reply, last.actor) == (words, actor) and last.at > now() - REPEAT_WINDOW


async def _enqueue_reply(session: AsyncSession, enquiry: Enquiry, words: str, writer: str) -> str:
    """Put the reply into the outbox and return its Message-ID."""
    earlier = (
        select(EnquiryEvent.message_id)
        .where(EnquiryEvent.enquiry_id == enquiry.id, EnquiryEvent.message_id != "")
        .order_by(col(EnquiryEvent.id))
    )
    thread = [
        message_id for message_id in (enquiry.thread, *(await session.exec(earlier)).all()) if message_id
    ]
    message = emails.reply(enquiry, words, thread, writer)
    outbox_id = await enqueue(session, message, key=f"enquiry-reply:{enquiry.reference}:{enquiry.version}")
    mail = await find_message(session, outbox_id) if outbox_id else None
    return mail.message_id if mail else ""


def _state_action(
    key: str, label: str, to: EnquiryState, step: EnquiryChange, done: str, question: str, tone: str = "ghost"
) -> Action:
    """Return the action that sets a state by hand. No mail is sent."""

    async def change(session: AsyncSession, enquiry: Enquiry, _values: Values, who: Staff) -> None:
        was, enquiry.state = enquiry.state, to
        await append_event(session, EnquiryEvent, [enquiry.id], step, who.email, before=was, after=to)

    words = STATES[to].text
    return Action(
        key, label, change, event=step, is_logged=False, done=done, when=lambda enquiry: to in STEPS[enquiry.state],
        refusal=lambda _enquiry: f"It is {words.lower()} already.", sets={STATE: words}, each=True, each_question=question,
        tone=tone,
    )  # fmt: skip


async def _store_note(session: AsyncSession, enquiry: Enquiry, words: str, who: Staff) -> None:
    await append_event(session, EnquiryEvent, [enquiry.id], EnquiryChange.NOTED, who.email, note=words)


_REPLY_ACTION = Action(
    _REPLY, "Send reply", _send_reply, event=EnquiryChange.REPLIED, is_logged=False, icon="mail", is_shown=False,
    fields=(Field(_REPLY, "Your reply", Control.TEXT, longest=REPLY_LENGTH, rows=7,
                  parser=lambda words: text(words, "Your reply", REPLY_LENGTH, "Please write your reply.")),),
    when=lambda enquiry: bool(enquiry.email),
    refusal=lambda _enquiry: "This person's data was erased, so there is no address to reply to.",
    sets={STATE: STATES[EnquiryState.ANSWERED].text}, adds_to={_REPLY: _REPLIES},
)  # fmt: skip
_RECEIVED = moment_column("received", "Received", col(Enquiry.created_at), sort=True)
_NAME = Column("name", "Name", _name_cell)
_PHONE = Column("phone", "Phone", _phone_cell)
_PLAN = Column("plan", "Plan", lambda enquiry: Cell(enquiry.details.get("plan", "")))
_DOMAIN = Column(
    "domain", "Domain", lambda enquiry: Cell(enquiry.details.get("domain_name", "")), is_shown=False
)
_STATE = Column("state", "State", lambda enquiry: STATES[enquiry.state])
_EMAIL = Column("email", "E-mail", _email_cell, is_shown=False)
_LAST_COLUMNS = (
    moment_column("changed", "Changed", col(Enquiry.updated_at), is_shown=False),
    *origin_columns(Enquiry),
)

ENQUIRIES = Record(
    table=Enquiry,
    kind="enquiry",
    noun=("enquiry", "enquiries"),
    icon="mail",
    path="/admin/enquiry",
    list_path="/admin/messages",
    list_name="messages",
    see=Permission.SEE_MESSAGES,
    work=Permission.WORK_MESSAGES,
    reference=col(Enquiry.reference),
    clean_reference=clean_reference,
    events=EnquiryEvent,
    steps={
        EnquiryChange.RECEIVED: "Received",
        EnquiryChange.REPLIED: "Answered by e-mail",
        EnquiryChange.ANSWERED: "Marked as answered",
        EnquiryChange.CLOSED: "Closed",
        EnquiryChange.REOPENED: "Reopened",
        EnquiryChange.NOTED: "Note",
        EnquiryChange.ERASED: "Personal data erased",
    },
    log_labels={
        EnquiryChange.ANSWERED: "Enquiry marked as answered",
        EnquiryChange.REPLIED: "Enquiry answered by e-mail",
        EnquiryChange.NOTED: "Note added to an enquiry",
    },
    describe_event=_describe_event,
    note=_store_note,
    state=lambda enquiry: STATES[enquiry.state],
    heading=_describe,
    facts=(
        Column("name", "Name", lambda enquiry: Cell(enquiry.fullname)),
        _PHONE,
        _EMAIL,
        Column("client", "Client", _client_cell),
        _PLAN,
        _DOMAIN,
        Column("domain-status", "Domain status", lambda enquiry: Cell(_describe_domain(enquiry))),
        _RECEIVED,
        Column("origin", "Came from", lambda enquiry: Cell(enquiry.origin.text)),
        Column("changed", "Changed", _changed_cell),
    ),
    values=_read_texts,
    related=(Related(_REPLIES, _list_replies, "Reply by e-mail", is_shown=False),),
    list_rows=lambda: select(Enquiry).where(Enquiry.kind == EnquiryKind.MESSAGE),
    columns=(
        reference_column(Enquiry),
        _RECEIVED,
        _NAME,
        Column("subject", "Subject", lambda enquiry: Cell(enquiry.subject or excerpt(enquiry.message, _EXCERPT))),
        _STATE,
        _EMAIL,
        Column("message", "Message", lambda enquiry: Cell(excerpt(enquiry.message, _EXCERPT)), is_shown=False),
        *_LAST_COLUMNS,
    ),
    order="-received",
    filters=(
        state_filter(col(Enquiry.state), STATES),
        Days("received", "Received", col(Enquiry.created_at)),
        *origin_filters(Enquiry),
    ),
    # Not only references: a subject may name the reference of a booking.
    search=search_text_in(col(Enquiry.search), email=col(Enquiry.email)),
    search_hint="Reference, name, e-mail, subject",
    clients=clients_in(Enquiry),
    empty="No enquiries yet.",
    attention=("state", EnquiryState.NEW),
    actions=(
        _REPLY_ACTION,
        _state_action("close", "Close", EnquiryState.CLOSED, EnquiryChange.CLOSED, "Closed.",
                      "Close {count}? No e-mail is sent.", "ink"),
        _state_action("answer", "Mark as answered", EnquiryState.ANSWERED, EnquiryChange.ANSWERED, "Marked as answered.",
                      "Have {count} been answered, by telephone or otherwise?"),
        _state_action("reopen", "Reopen", EnquiryState.NEW, EnquiryChange.REOPENED, "Reopened; counted as unanswered.",
                      "Reopen {count}? They will be counted as unanswered."),
    ),
)  # fmt: skip
SIGNUPS = replace(
    ENQUIRIES,
    noun=("sign-up", "sign-ups"),
    icon="web",
    list_path="/admin/signups",
    list_name="signups",
    title="Plan sign-ups",
    list_rows=lambda: select(Enquiry).where(Enquiry.kind == EnquiryKind.SIGNUP),
    columns=(
        reference_column(Enquiry),
        _RECEIVED,
        _NAME,
        _PHONE,
        _PLAN,
        _DOMAIN,
        _STATE,
        _EMAIL,
        *_LAST_COLUMNS,
    ),
    search_hint="Reference, name, e-mail, phone, domain",
    empty="No plan sign-ups yet.",
)  # fmt: skip
"""Declares the second list; its page is the one of `ENQUIRIES`."""


def _conversation() -> rx.Component:
    facts = RecordState.facts
    replies: Any = RecordState.related[_REPLIES]
    return card(
        "Conversation",
        rx.el.ol(
            rx.el.li(
                rx.cond(facts["kind"] == EnquiryKind.SIGNUP.value, _plan_request(), _message_text()),
                rx.el.small(facts["sender"]),
                class_name="thread-theirs",
            ),
            rx.foreach(replies, _reply_item),
            class_name="thread",
        ),
        rx.cond(
            facts["email"] == "",
            small_note("This person's data was erased, so a reply is not possible."),
            action_form(
                ENQUIRIES,
                _REPLY_ACTION,
                small_note("By e-mail to ", facts["email"], ". We add a greeting, your name and their message."),
            ),
        ),
    )  # fmt: skip


def _message_text() -> rx.Component:
    message = RecordState.facts["message"]
    return rx.el.p(rx.cond(message != "", message, "The text was erased."), class_name="office-said-text")


def _plan_request() -> rx.Component:
    facts = RecordState.facts
    return rx.el.p(
        "I would like the ", rx.el.strong(facts["plan"]), " plan",
        rx.cond(
            facts["domain"] != "",
            rx.fragment(" for ", rx.el.strong(facts["domain"]), " (", facts["domain_status"], ")"),
        ),
        ".",
    )  # fmt: skip


def _reply_item(reply: Any, index: rx.Var[int]) -> rx.Component:
    return rx.el.li(
        rx.el.p(reply.text, class_name="office-said-text"),
        rx.el.small(reply.label),
        key=index.to_string(),
        class_name="thread-ours",
    )


_LIST, _PAGE = record_screens(ENQUIRIES, body=(_conversation,))
SCREENS = (_LIST, list_screen(SIGNUPS.definition, icon=SIGNUPS.icon), _PAGE)
