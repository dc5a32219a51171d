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
    Column,
    Days,
    ListDefinition,
    Outcome,
    clients_in,
    moment_column,
    outcomes,
    reference_column,
    search_in,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
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
    columns=(
        reference_column(Subscriber),
        Column("email", "E-mail", lambda subscriber: Cell(subscriber.email) if subscriber.email else Cell(ERASED, "quiet")),
        moment_column("since", "Since", col(Subscriber.created_at), sort=True),
        Column("source", "Source", lambda subscriber: Cell(source_name(subscriber.source))),
        Column("interests", "Interests", lambda subscriber: Cell(interests_text(subscriber.interests))),
        moment_column("consented", "Consent", col(Subscriber.consented_at), is_shown=False),
        moment_column("confirmed", "Confirmed", col(Subscriber.confirmed_at), is_shown=False),
        Column("state", "State", lambda subscriber: Cell(state_name(subscriber), state_tone(subscriber))),
        moment_column("bounced", "Mailbox does not exist since", col(Subscriber.bounced_at), is_shown=False),
        moment_column("left", "Unsubscribed on", col(Subscriber.unsubscribed_at), is_shown=False),
        *origin_columns(Subscriber),
    ),
    order="-since",
    href=lambda subscriber: f"{SUBSCRIBER}?ref={subscriber.reference}",
    filters=(
        Choice("state", "State", lambda: list(STATE_OPTIONS.items()), _in_state),
        Choice(
            "source",
            "Source",
            lambda: list(SOURCE_NAMES.items()),
            lambda value: col(Subscriber.source) == value,
        ),
        Days("since", "Since", col(Subscriber.created_at)),
        *origin_filters(Subscriber),
    ),
    search=search_in(Subscriber),
    clients=clients_in(Subscriber),
    search_hint="Reference, e-mail",
    actions=(
        Action(
            "unsubscribed",
            "Unsubscribe",
            Permission.WORK_SUBSCRIBERS,
            _unsubscribe,
            "Unsubscribe {count}? They will get no more issues and no e-mail about this.",
            wants_reason=True,
        ),
    ),
    empty="No subscribers yet.",
)  # fmt: skip

SUBSCRIBER_LIST = list_screen(SUBSCRIBER_LIST_DEFINITION, icon="tag")
