"""One outgoing message: what it says, as its recipient sees it, what became of it, and sending it again."""

from dataclasses import dataclass

import reflex as rx
from reflex_components_core.el.elements.inline import A as PlainAnchor

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.intervals import LOOK_MS
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.labels import FAILURES, kind_of, state_cell
from agency_site.backoffice.outbox.list import OUTBOX_LIST, PATH
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import Office, may
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.mail.rules import MailState
from agency_site.mail.staff_usecases import (
    ONE_TIME_LINK_NOTICE,
    MessagePreview,
    OutboxEntry,
    preview_message,
    resend_message,
)
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, link_button, notice
from agency_site.ui.icon import icon

LARGEST_ID = 2**31 - 1
FILES = "/admin/export/mail/"
_RECORDS = {"EN-": "/admin/order?ref=", "BK-": "/admin/booking?ref="}
"""Where the record stands that a message is about, by how its reference begins."""


@dataclass
class Header:
    """One header."""

    name: str
    value: str


@dataclass
class Carried:
    """A file that travels with the message."""

    name: str
    href: str


class MessageDesk(Office):
    """The message that is open."""

    identity: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    text: rx.Field[str] = rx.field("")
    headers: rx.Field[list[Header]] = rx.field(default_factory=list)
    files: rx.Field[list[Carried]] = rx.field(default_factory=list)
    again: rx.Field[int] = rx.field(0)
    """The message that this one was sent again with, just now."""

    @staff_page(Right.SEE_MAIL)
    async def open_message(self, _who: Staff) -> None:
        """Show the message that the address names."""
        self.identity, self.again, self.facts, self.text = 0, 0, {}, ""
        self.headers, self.files = [], []
        await self._load(str(self.router.url.query_parameters.get("id", "")))

    @staff_watch(Right.SEE_MAIL)
    async def look_again(self, _who: Staff) -> None:
        """Show what becomes of it."""
        if self.identity:
            await self._load(str(self.identity))

    @staff_event(Right.WORK_MAIL)
    async def send_again(self, who: Staff) -> None:
        """Send it once more."""
        async with session_scope() as session:
            line = await resend_message(session, self.identity, who.email)
            await audit.record(session, who, "mail.resent", "mail", str(self.identity))
        self.again = line.id
        self._say("It is sent once more, as a new message.")

    async def _load(self, asked: str) -> None:
        identity = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 11 else 0
        if not 0 < identity <= LARGEST_ID:
            raise NotFound("There is no such message.")
        async with read_scope() as session:
            shown = await preview_message(session, identity)
        facts = _facts(shown.entry)
        if (identity, facts) == (self.identity, self.facts):
            return
        self.identity, self.facts, self.text = identity, facts, shown.text
        self.headers = [Header(name, value) for name, value in shown.headers]
        self.files = _files(shown)


def _files(shown: MessagePreview) -> list[Carried]:
    return [
        Carried(name, f"{FILES}{shown.entry.id}/files/{position}")
        for position, name in enumerate(shown.attachments)
    ]


def _facts(line: OutboxEntry) -> dict[str, str]:
    standing = state_cell(line.state)
    record = next((path for start, path in _RECORDS.items() if line.about.startswith(start)), "")
    return {
        "subject": line.subject,
        "to": line.to,
        "kind": kind_of(line.kind),
        "state": standing.text,
        "tone": standing.tone,
        "failure": FAILURES[line.failure] if line.failure else "",
        "error": line.last_error if line.state is not MailState.SENT else "",
        "attempts": str(line.attempts),
        "written": when(line.created_at),
        "sent": when(line.sent_at),
        "about": line.about,
        "record": f"{record}{line.about}" if record else "",
        "repeats": str(line.repeats or ""),
        "by": line.requested_by,
        "open": "yes" if line.state is MailState.QUEUED else "",
        "one_time": ONE_TIME_LINK_NOTICE if line.has_one_time_link else "",
    }


def _page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=LOOK_MS, active=MessageDesk.identity > 0, on_tick=MessageDesk.look_again),
        rx.cond(MessageDesk.identity > 0, _message(), _nothing()),
    )


def _nothing() -> rx.Component:
    return rx.el.div(
        rx.el.p("This page shows one message. Choose it in the list."),
        link_button("All mail", PATH, "ink"),
        class_name="office-card",
    )


def _message() -> rx.Component:
    return rx.fragment(
        _head(),
        rx.el.div(_preview(), rx.el.div(_became(), _files_card(), _headers()), class_name="office-columns"),
    )


def _head() -> rx.Component:
    facts = MessageDesk.facts
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
            rx.el.p(facts["one_time"], class_name="office-note"),
            rx.cond(may(Right.WORK_MAIL) & (facts["open"] == ""), _again(), rx.fragment()),
        ),
        rx.cond(facts["failure"] != "", _failure(), rx.fragment()),
        class_name="office-card mail-head",
        aria_label="Message",
    )


def _again() -> rx.Component:
    return rx.el.div(
        button(
            icon("refresh", size=18),
            "Send it again",
            tone="ink",
            class_name="button-small",
            on_click=MessageDesk.send_again,
        ),
        rx.cond(
            MessageDesk.again > 0,
            rx.el.a(
                "See the new message",
                href="/admin/message?id=" + MessageDesk.again.to_string(),
                class_name="office-quiet",
            ),
            rx.fragment(),
        ),
        class_name="office-row",
    )


def _failure() -> rx.Component:
    facts = MessageDesk.facts
    return notice(
        rx.el.p(facts["failure"]),
        rx.cond(facts["error"] != "", rx.el.p(facts["error"], class_name="mail-error"), rx.fragment()),
        tone="error",
        role="note",
        class_name="mail-failure",
    )


def _preview() -> rx.Component:
    return rx.el.section(
        rx.el.h2("As its recipient sees it"),
        rx.el.p(
            "Without the addresses of its buttons and links, which are the recipient's alone.",
            class_name="office-note",
        ),
        # No script runs in it, no form is sent, no link leads anywhere.
        rx.el.iframe(
            src=FILES + MessageDesk.identity.to_string(),
            title="The message as its recipient sees it",
            custom_attrs={"sandbox": ""},
            class_name="mail-frame",
        ),
        rx.el.details(
            rx.el.summary("As plain text"),
            rx.el.pre(
                MessageDesk.text, class_name="office-pre", tab_index=0, role="region", aria_label="Plain text"
            ),
            class_name="office-behind",
        ),
        class_name="office-card",
    )


def _became() -> rx.Component:
    facts = MessageDesk.facts
    return rx.el.section(
        rx.el.h2("What became of it"),
        rx.el.dl(
            _fact("Written", facts["written"]),
            _fact("Sent", facts["sent"], shown=facts["sent"] != ""),
            _fact("Attempts", facts["attempts"]),
            _fact("Last error", facts["error"], shown=(facts["error"] != "") & (facts["failure"] == "")),
            _fact("About", _record(), shown=facts["about"] != ""),
            _fact(
                "Repeats",
                rx.el.a(
                    "an earlier message", href="/admin/message?id=" + facts["repeats"], class_name="link"
                ),
                shown=facts["repeats"] != "",
            ),
            _fact("Sent by", facts["by"], shown=facts["by"] != ""),
            class_name="office-facts",
        ),
        class_name="office-card",
    )


def _record() -> rx.Component:
    facts = MessageDesk.facts
    return rx.cond(
        facts["record"] != "",
        rx.el.a(facts["about"], href=facts["record"], class_name="link"),
        rx.el.span(facts["about"]),
    )


def _fact(label: str, value: object, *, shown: object = True) -> rx.Component:
    return rx.cond(shown, rx.fragment(rx.el.dt(label), rx.el.dd(value)), rx.fragment())


def _files_card() -> rx.Component:
    return rx.cond(
        MessageDesk.files,
        rx.el.section(
            rx.el.h2("Files with it"),
            rx.el.ul(
                rx.foreach(
                    MessageDesk.files,
                    lambda one: rx.el.li(
                        PlainAnchor.create(
                            icon("download", size=18), one.name, href=one.href, download=True, class_name="office-quiet"
                        ),
                        key=one.href,
                    ),
                ),
                class_name="office-log",
            ),
            class_name="office-card",
        ),
        rx.fragment(),
    )  # fmt: skip


def _headers() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Headers"),
        rx.el.dl(
            rx.foreach(
                MessageDesk.headers,
                lambda one: rx.el.div(rx.el.dt(one.name), rx.el.dd(one.value), key=one.name),
            ),
            class_name="mail-headers",
        ),
        class_name="office-card",
    )


OUTBOX_MESSAGE = Screen(
    path="/admin/message",
    title="Message",
    right=Right.SEE_MAIL,
    body=_page,
    on_load=(MessageDesk.open_message,),
    under=PATH,
)
SCREENS = (OUTBOX_LIST, OUTBOX_MESSAGE)
