"""How staff read subscribers: the names of states, steps and forms, and a subscriber as its page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agency_site.backoffice.detail_page import HistoryLine, history_line
from agency_site.backoffice.lists.definition import Cell, Tone, when
from agency_site.content.newsletter import INTERESTS
from agency_site.db.event_log import VISITOR, LoggedEvent
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.tables import Subscriber

SUBSCRIBERS, SUBSCRIBER = "/admin/subscribers", "/admin/subscriber"
ERASED = "Erased"
"""Replaces the address of somebody whose data was erased."""

STATES: Mapping[SubscriberState, Cell] = {
    SubscriberState.PENDING: Cell("Not confirmed", "busy"),
    SubscriberState.SUBSCRIBED: Cell("Subscribed", "good"),
    SubscriberState.UNSUBSCRIBED: Cell("Unsubscribed", "quiet"),
}
"""Name and colour of each state."""
BOUNCED, _BOUNCED_NAME = "bounced", "Bounced"
STATE_OPTIONS: Mapping[str, str] = {state.value: cell.text for state, cell in STATES.items()} | {
    BOUNCED: _BOUNCED_NAME
}
"""What the list filters by: a bounced subscriber is subscribed, but the mailbox does not exist."""


def state_name(subscriber: SubscriberRecord | Subscriber) -> str:
    """The state as staff read it."""
    return _BOUNCED_NAME if _is_bounced(subscriber) else STATES[subscriber.state].text


def state_tone(subscriber: SubscriberRecord | Subscriber) -> Tone:
    """The colour of the state."""
    return "bad" if _is_bounced(subscriber) else STATES[subscriber.state].tone


def _is_bounced(subscriber: SubscriberRecord | Subscriber) -> bool:
    return subscriber.state is SubscriberState.SUBSCRIBED and subscriber.bounced_at is not None


STEP_NAMES: Mapping[SubscriberChange, str] = {
    SubscriberChange.SUBSCRIBED: "Subscribed",
    SubscriberChange.CHOSE: "Consent given, interests chosen",
    SubscriberChange.CONFIRMED: "Confirmed by e-mail link",
    SubscriberChange.UNSUBSCRIBED: "Unsubscribed",
    SubscriberChange.ERASED: "Personal data erased",
}
SOURCE_NAMES: Mapping[str, str] = {
    "footer": "Page footer",
    "box": "Content page",
    "newsletter": "Newsletter page",
}
"""The forms on the site, by the word that is stored."""


def source_name(source: str) -> str:
    """The form that an address came through."""
    return SOURCE_NAMES.get(source, source)


def interests_text(interests: Sequence[str]) -> str:
    """What somebody wants to read about."""
    labels = {interest.name: interest.label for interest in INTERESTS}
    return ", ".join(labels.get(name, name) for name in interests) or "Everything"


def facts_of(subscriber: SubscriberRecord) -> dict[str, str]:
    """The subscriber as its page shows it."""
    return {
        "state_name": state_name(subscriber),
        "state": subscriber.state.value,
        "tone": state_tone(subscriber),
        "name": subscriber.email or ERASED,
        "email": subscriber.email,
        "source": source_name(subscriber.source),
        "interests": interests_text(subscriber.interests),
        "since": when(subscriber.created_at),
        "consented": when(subscriber.consented_at),
        "confirmed": when(subscriber.confirmed_at),
        "left": when(subscriber.unsubscribed_at),
        "bounced": when(subscriber.bounced_at),
    }


def log_of(lines: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """What happened, the latest first."""
    return [history_line(_with_labels(line), STEP_NAMES, visitor=VISITOR) for line in reversed(lines)]


def _with_labels(line: LoggedEvent) -> LoggedEvent:
    """The line with labels in place of stored names."""
    if line.what is SubscriberChange.SUBSCRIBED:
        return replace(line, note=source_name(line.note))
    if line.what is SubscriberChange.CHOSE:
        return replace(line, note=interests_text(tuple(filter(None, line.note.split(", ")))))
    return line
