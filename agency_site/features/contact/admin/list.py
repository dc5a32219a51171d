"""The lists of enquiries and of plan sign-ups."""

from collections.abc import Sequence
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    ActionOptions,
    Cell,
    Column,
    Days,
    Filter,
    ListDefinition,
    Outcome,
    clients_in,
    excerpt,
    moment_column,
    outcomes,
    reference_column,
    search_text_in,
    state_filter,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.lists.view import list_screen
from agency_site.features.contact.admin.labels import (
    ENQUIRY,
    MESSAGES,
    SIGNUPS,
    STATES,
    name_cell,
    state_cell,
)
from agency_site.features.contact.rules import CHANGES, EnquiryKind, EnquiryState
from agency_site.features.contact.staff_usecases import set_state_of_many
from agency_site.features.contact.tables import Enquiry
from agency_site.phone_numbers import format_phone_number

EXCERPT = 60


def _state_action(state: EnquiryState, label: str, question: str) -> Action:
    async def run(
        session: AsyncSession,
        references: Sequence[str],
        who: Staff,
        options: ActionOptions,
    ) -> Sequence[Outcome]:
        changed = await set_state_of_many(session, references, state, who.email)
        why_not = f"it is {STATES[state].text.lower()} already"
        return outcomes(references, changed, why_not)

    return Action(CHANGES[state].value, label, Permission.WORK_MESSAGES, run, question)


ACTIONS = (
    _state_action(EnquiryState.CLOSED, "Close", "Close {count}? No e-mail is sent."),
    _state_action(EnquiryState.ANSWERED, "Mark as answered", "Have {count} been answered, by telephone or otherwise?"),
    _state_action(EnquiryState.NEW, "Reopen", "Reopen {count}? They will be counted as unanswered."),
)  # fmt: skip
FILTERS: tuple[Filter, ...] = (
    state_filter(col(Enquiry.state), STATES),
    Days("received", "Received", col(Enquiry.created_at)),
    *origin_filters(Enquiry),
)
REFERENCE = reference_column(Enquiry)
RECEIVED = moment_column("received", "Received", col(Enquiry.created_at), sort=True)
STATE = Column("state", "State", lambda enquiry: state_cell(enquiry.state))
CHANGED = moment_column("changed", "Changed", col(Enquiry.updated_at), is_shown=False)
EMAIL = Column("email", "E-mail", lambda enquiry: Cell(enquiry.email), is_shown=False)


def _define_list(kind: EnquiryKind, **rest: Any) -> ListDefinition:
    return ListDefinition(
        kind="enquiry",
        permission=Permission.SEE_MESSAGES,
        rows=lambda: select(Enquiry).where(col(Enquiry.kind) == kind),
        identity=col(Enquiry.id),
        reference=lambda enquiry: enquiry.reference,
        order="-received",
        href=lambda enquiry: f"{ENQUIRY}?ref={enquiry.reference}",
        filters=FILTERS,
        # Not only references: a subject may name the reference of a booking.
        search=search_text_in(col(Enquiry.search), email=col(Enquiry.email)),
        clients=clients_in(Enquiry),
        actions=ACTIONS,
        attention=("state", EnquiryState.NEW.value),
        **rest,
    )


MESSAGE_LIST_DEFINITION = _define_list(
    EnquiryKind.MESSAGE,
    name="messages",
    title="Enquiries",
    noun=("enquiry", "enquiries"),
    path=MESSAGES,
    columns=(
        REFERENCE,
        RECEIVED,
        Column("name", "Name", name_cell),
        Column(
            "subject", "Subject", lambda enquiry: Cell(enquiry.subject or excerpt(enquiry.message, EXCERPT))
        ),
        STATE,
        EMAIL,
        Column("message", "Message", lambda enquiry: Cell(excerpt(enquiry.message, EXCERPT)), is_shown=False),
        CHANGED,
        *origin_columns(Enquiry),
    ),
    search_hint="Reference, name, e-mail, subject",
    empty="No enquiries yet.",
)
SIGNUP_LIST_DEFINITION = _define_list(
    EnquiryKind.SIGNUP,
    name="signups",
    title="Plan sign-ups",
    noun=("sign-up", "sign-ups"),
    path=SIGNUPS,
    columns=(
        REFERENCE,
        RECEIVED,
        Column("name", "Name", name_cell),
        Column("phone", "Phone", lambda enquiry: Cell(format_phone_number(enquiry.phone), "whole")),
        Column("plan", "Plan", lambda enquiry: Cell(enquiry.details.get("plan", ""))),
        Column(
            "domain", "Domain", lambda enquiry: Cell(enquiry.details.get("domain_name", "")), is_shown=False
        ),
        STATE,
        EMAIL,
        CHANGED,
        *origin_columns(Enquiry),
    ),
    search_hint="Reference, name, e-mail, phone, domain",
    empty="No plan sign-ups yet.",
)

MESSAGE_LIST = list_screen(MESSAGE_LIST_DEFINITION, icon="mail")
SIGNUP_LIST = list_screen(SIGNUP_LIST_DEFINITION, icon="web")
