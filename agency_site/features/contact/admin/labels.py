"""Labels of enquiries in the back office: states, log entries and the facts of the detail page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agency_site.backoffice.detail_page import history_line
from agency_site.backoffice.lists.definition import Cell, when
from agency_site.backoffice.records import HistoryLine
from agency_site.db.event_log import VISITOR, LoggedEvent
from agency_site.features.contact.emails import DOMAINS
from agency_site.features.contact.records import EnquiryRecord
from agency_site.features.contact.rules import EnquiryChange, EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry
from agency_site.members import ByMember, names
from agency_site.phone_numbers import format_phone_number

MESSAGES, SIGNUPS = "/admin/messages", "/admin/signups"
ENQUIRY = "/admin/enquiry"
ERASED = "Erased"
"""Shown instead of a name after erasure."""

STATES: Mapping[EnquiryState, Cell] = ByMember(
    {
        EnquiryState.NEW: Cell("Unanswered", "bad"),
        EnquiryState.ANSWERED: Cell("Answered", "good"),
        EnquiryState.CLOSED: Cell("Closed", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""
STEP_NAMES: Mapping[EnquiryChange, str] = names(
    {
        EnquiryChange.RECEIVED: "Received",
        EnquiryChange.REPLIED: "Answered by e-mail",
        EnquiryChange.ANSWERED: "Marked as answered",
        EnquiryChange.CLOSED: "Closed",
        EnquiryChange.REOPENED: "Reopened",
        EnquiryChange.NOTED: "Note",
        EnquiryChange.ERASED: "Personal data erased",
    }
)


@dataclass
class SentReply:
    """One reply by e-mail in the conversation."""

    text: str
    at: str
    who: str


def state_cell(state: EnquiryState) -> Cell:
    return STATES[state]


def name_cell(row: Enquiry) -> Cell:
    """The sender's name in lists, which may be empty: a message needs no name."""
    return Cell(row.fullname) if row.email else Cell(ERASED, "quiet")


def title_of(enquiry: EnquiryRecord) -> str:
    """The heading of the detail page."""
    if enquiry.kind is EnquiryKind.SIGNUP:
        return f"{enquiry.details['plan']} plan"
    return enquiry.subject or "No subject"


def facts_of(enquiry: EnquiryRecord) -> dict[str, str]:
    """The facts that the detail page shows."""
    details = enquiry.details
    signed_up = enquiry.kind is EnquiryKind.SIGNUP
    return {
        "kind": enquiry.kind.value,
        "state": enquiry.state.value,
        "state_name": STATES[enquiry.state].text,
        "tone": STATES[enquiry.state].tone,
        "title": title_of(enquiry),
        "name": enquiry.fullname or enquiry.email or ERASED,
        "fullname": enquiry.fullname,
        "email": enquiry.email,
        "phone": enquiry.phone,
        "dialled": format_phone_number(enquiry.phone),
        "received": when(enquiry.created_at),
        "origin": enquiry.origin.text,
        "changed": when(enquiry.updated_at) if enquiry.updated_at != enquiry.created_at else "",
        "message": enquiry.message,
        "plan": details["plan"] if signed_up else "",
        "domain": details["domain_name"] if signed_up else "",
        "domain_is": DOMAINS[details["domain_type"]] if signed_up else "",
    }


def sent_replies(lines: Sequence[LoggedEvent]) -> list[SentReply]:
    """Return our replies, oldest first."""
    return [
        SentReply(line.reply, when(line.at), line.actor)
        for line in lines
        if line.what is EnquiryChange.REPLIED and line.reply
    ]


def history_lines(lines: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """Return the history, newest first."""
    return [
        history_line(line, STEP_NAMES, visitor=VISITOR, noted=line.what is EnquiryChange.NOTED)
        for line in reversed(lines)
    ]
