"""Subscribers in the back office: whom the newsletter goes to, and whom staff unsubscribe because they ask for it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    clients_in,
    moment_column,
    reference_column,
    search_in,
    when,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.lists.search import CLIENT
from agency_site.backoffice.record_page import record_screens
from agency_site.backoffice.records import STATE, Action, HistoryLine, Record, Values
from agency_site.clock import now
from agency_site.content.newsletter import INTERESTS
from agency_site.db.event_log import LoggedEvent, append_event
from agency_site.features.newsletter.bounces import is_bounced, is_reachable
from agency_site.features.newsletter.preferences import suppress_subscribers
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent
from agency_site.fields import Field
from agency_site.form_input import text
from agency_site.ids import parse_reference
from agency_site.members import ByMember, names

_LIST_PATH, _LIST_NAME = "/admin/subscribers", "subscribers"
_REASON_LENGTH = 2_000
_ERASED = "Erased"
"""Shown instead of an address after erasure."""
STATES: Mapping[SubscriberState, Cell] = ByMember(
    {
        SubscriberState.PENDING: Cell("Not confirmed", "busy"),
        SubscriberState.SUBSCRIBED: Cell("Subscribed", "good"),
        SubscriberState.UNSUBSCRIBED: Cell("Unsubscribed", "quiet"),
    },
    Cell,
)
_BOUNCED = "bounced"
"""The filter of subscribers whose mailbox does not exist, though they are subscribed."""
_SOURCES = {"footer": "Page footer", "box": "Content page", "newsletter": "Newsletter page"}
"""The names of the forms on the site, by stored value."""
_STEPS = names(
    {
        SubscriberChange.SUBSCRIBED: "Subscribed",
        SubscriberChange.CHOSE: "Consent given, interests chosen",
        SubscriberChange.CONFIRMED: "Confirmed by e-mail link",
        SubscriberChange.UNSUBSCRIBED: "Unsubscribed",
        SubscriberChange.ERASED: "Personal data erased",
    }
)


def _state_cell(subscriber: Subscriber) -> Cell:
    is_subscribed = subscriber.state is SubscriberState.SUBSCRIBED
    return Cell("Bounced", "bad") if is_subscribed and subscriber.bounced_at else STATES[subscriber.state]


def _has_state(value: str) -> ColumnElement[bool]:
    if value == _BOUNCED:
        return is_bounced()
    state = SubscriberState(value)
    return is_reachable() if state is SubscriberState.SUBSCRIBED else col(Subscriber.state) == state


def _name_source(source: str) -> str:
    return _SOURCES.get(source, source)


def _describe_interests(interests: Sequence[str]) -> str:
    labels = {interest.name: interest.label for interest in INTERESTS}
    return ", ".join(labels.get(name, name) for name in interests) or "Everything"


def _describe_event(event: LoggedEvent, line: HistoryLine) -> HistoryLine:
    """Replace stored names in the line with labels."""
    if event.what == SubscriberChange.SUBSCRIBED:
        return replace(line, words=_name_source(event.note))
    if event.what == SubscriberChange.CHOSE:
        return replace(line, words=_describe_interests(list(filter(None, event.note.split(", ")))))
    return line


def _client_cell(subscriber: Subscriber) -> Cell:
    """Return the link to all records of the person, of whom nothing is known after erasure."""
    href = f"{CLIENT}?list={_LIST_NAME}&ref={subscriber.reference}"
    return Cell("All records of this client", href=href) if subscriber.email else Cell("")


def _moment_fact(column: Any, label: str, otherwise: str = "") -> Column:
    return Column(column.key, label, lambda row: Cell(when(getattr(row, column.key)) or otherwise))


def _parse_reason(reason: str) -> str:
    return text(reason, "The reason", _REASON_LENGTH, "Please say how the person asked for it.")


async def _unsubscribe(session: AsyncSession, subscriber: Subscriber, values: Values, who: Staff) -> None:
    """Unsubscribe the address. The person gets no mail about it."""
    subscriber.state, subscriber.unsubscribed_at = SubscriberState.UNSUBSCRIBED, now()
    await suppress_subscribers(session, [subscriber.id], [subscriber.email])
    step, reason = SubscriberChange.UNSUBSCRIBED, values["reason"]
    await append_event(session, SubscriberEvent, [subscriber.id], step, who.email, note=reason)


SUBSCRIBERS = Record(
    table=Subscriber,
    kind="subscriber",
    noun=("subscriber", _LIST_NAME),
    icon="tag",
    path="/admin/subscriber",
    list_path=_LIST_PATH,
    see=Permission.SEE_SUBSCRIBERS,
    work=Permission.WORK_SUBSCRIBERS,
    reference=col(Subscriber.reference),
    clean_reference=parse_reference,
    events=SubscriberEvent,
    steps={change.value: words for change, words in _STEPS.items()},
    describe_event=_describe_event,
    state=_state_cell,
    heading=lambda subscriber: (subscriber.email or _ERASED, f"Since {when(subscriber.created_at)}"),
    facts=(
        Column("email", "E-mail", lambda subscriber: Cell(subscriber.email, href=f"mailto:{subscriber.email}")),
        Column("client", "Client", _client_cell),
        Column("source", "Source", lambda subscriber: Cell(_name_source(subscriber.source))),
        Column("origin", "Came from", lambda subscriber: Cell(subscriber.origin.text)),
        Column("interests", "Interests", lambda subscriber: Cell(_describe_interests(subscriber.interests))),
        _moment_fact(col(Subscriber.consented_at), "Consent given", "Not requested by this form"),
        _moment_fact(col(Subscriber.confirmed_at), "Confirmed on"),
        _moment_fact(col(Subscriber.bounced_at), "Mailbox does not exist since"),
        _moment_fact(col(Subscriber.unsubscribed_at), "Unsubscribed on"),
    ),
    columns=(
        reference_column(Subscriber),
        Column("email", "E-mail", lambda subscriber: Cell(subscriber.email) if subscriber.email else Cell(_ERASED, "quiet")),
        moment_column("since", "Since", col(Subscriber.created_at), sort=True),
        Column("source", "Source", lambda subscriber: Cell(_name_source(subscriber.source))),
        Column("interests", "Interests", lambda subscriber: Cell(_describe_interests(subscriber.interests))),
        moment_column("consented", "Consent", col(Subscriber.consented_at), is_shown=False),
        moment_column("confirmed", "Confirmed", col(Subscriber.confirmed_at), is_shown=False),
        Column("state", "State", _state_cell),
        moment_column("bounced", "Mailbox does not exist since", col(Subscriber.bounced_at), is_shown=False),
        moment_column("left", "Unsubscribed on", col(Subscriber.unsubscribed_at), is_shown=False),
        *origin_columns(Subscriber),
    ),
    order="-since",
    filters=(
        Choice("state", "State",
               lambda: [*((state.value, cell.text) for state, cell in STATES.items()), (_BOUNCED, "Bounced")], _has_state),
        Choice("source", "Source", lambda: list(_SOURCES.items()), lambda value: col(Subscriber.source) == value),
        Days("since", "Since", col(Subscriber.created_at)),
        *origin_filters(Subscriber),
    ),
    search=search_in(Subscriber),
    search_hint="Reference, e-mail",
    clients=clients_in(Subscriber),
    empty="No subscribers yet.",
    actions=(
        Action("unsubscribe", "Unsubscribe", _unsubscribe, event="unsubscribed", is_logged=False,
               done="Unsubscribed. No more issues are sent to this address.",
               fields=(Field("reason", "How did they ask for it?", longest=_REASON_LENGTH, parser=_parse_reason),),
               title="Unsubscribe this address?",
               question=lambda subscriber: f"No more issues will be sent to {subscriber.email}, and no e-mail about this.",
               when=lambda subscriber: subscriber.state is not SubscriberState.UNSUBSCRIBED,
               refusal=lambda _subscriber: "This address is already unsubscribed.",
               sets={STATE: STATES[SubscriberState.UNSUBSCRIBED].text}, each=True,
               each_question="Unsubscribe {count}? They will get no more issues and no e-mail about this."),
    ),
)  # fmt: skip

SCREENS = record_screens(SUBSCRIBERS)
