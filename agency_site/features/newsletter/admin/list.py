"""The list of subscribers."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    ActionOptions,
    Cell,
    Choice,
    Client,
    Clients,
    Column,
    Days,
    ListDefinition,
    Outcome,
    holding,
    moment_cell,
    outcomes,
    with_contact,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.features.newsletter.admin.labels import (
    BOUNCED,
    ERASED,
    SOURCE_NAMES,
    STATE_OPTIONS,
    SUBSCRIBER,
    SUBSCRIBERS,
    interests_text,
    source_name,
    state_name,
    state_tone,
)
from agency_site.features.newsletter.bounces import is_bounced, is_reachable
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.staff_usecases import unsubscribe_many
from agency_site.features.newsletter.tables import Subscriber


async def _unsubscribe(
    session: AsyncSession, references: Sequence[str], who: Staff, options: ActionOptions
) -> Sequence[Outcome]:
    unsubscribed = await unsubscribe_many(session, references, options.reason, who.email)
    return outcomes(references, unsubscribed, "already unsubscribed")


def _in_state(value: str) -> ColumnElement[bool]:
    if value == BOUNCED:
        return is_bounced()
    state = SubscriberState(value)
    return is_reachable() if state is SubscriberState.SUBSCRIBED else col(Subscriber.state) == state


SUBSCRIBER_LIST_DEFINITION = ListDefinition(
    name="subscribers",
    title="Subscribers",
    noun=("subscriber", "subscribers"),
    path=SUBSCRIBERS,
    permission=Permission.SEE_SUBSCRIBERS,
    rows=lambda: select(Subscriber),
    identity=col(Subscriber.id),
    reference=lambda one: one.reference,
    columns=(
        Column(
            "reference", "Reference", lambda one: Cell(one.reference, "strong"), sort=col(Subscriber.reference)
        ),
        Column("email", "E-mail", lambda one: Cell(one.email) if one.email else Cell(ERASED, "quiet")),
        Column("since", "Since", lambda one: moment_cell(one.created_at), unit="Nairobi", sort=col(Subscriber.created_at)),
        Column("source", "Source", lambda one: Cell(source_name(one.source))),
        Column("interests", "Interests", lambda one: Cell(interests_text(one.interests))),
        Column("consented", "Consent", lambda one: moment_cell(one.consented_at), unit="Nairobi", shown=False),
        Column("confirmed", "Confirmed", lambda one: moment_cell(one.confirmed_at), unit="Nairobi", shown=False),
        Column("state", "State", lambda one: Cell(state_name(one), state_tone(one))),
        Column("bounced", "Mailbox does not exist since", lambda one: moment_cell(one.bounced_at), unit="Nairobi", shown=False),
        Column("left", "Unsubscribed on", lambda one: moment_cell(one.unsubscribed_at), unit="Nairobi", shown=False),
    ),
    order="-since",
    href=lambda one: f"{SUBSCRIBER}?ref={one.reference}",
    filters=(
        Choice("state", "State", lambda: list(STATE_OPTIONS.items()), _in_state),
        Choice(
            "source",
            "Source",
            lambda: list(SOURCE_NAMES.items()),
            lambda value: col(Subscriber.source) == value,
        ),
        Days("since", "Since", col(Subscriber.created_at)),
    ),
    search=holding(col(Subscriber.search), reference=col(Subscriber.reference), email=col(Subscriber.email)),
    clients=Clients(
        lambda one: Client("", one.email),
        col(Subscriber.reference),
        with_contact(col(Subscriber.email)),
    ),
    search_hint="Reference, e-mail",
    actions=(
        Action(
            "unsubscribed",
            "Unsubscribe",
            Permission.WORK_SUBSCRIBERS,
            _unsubscribe,
            "Unsubscribe {count}? They get no more issues, and no e-mail about this.",
            wants_reason=True,
        ),
    ),
    empty="No subscribers yet.",
)  # fmt: skip

SUBSCRIBER_LIST = list_screen(SUBSCRIBER_LIST_DEFINITION, icon="tag")
