"""Labels of subscribers in the back office: states, sources, log entries and the facts of the detail page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agency_site.backoffice.detail_page import history_line
from agency_site.backoffice.lists.definition import Cell, Tone, when
from agency_site.backoffice.records import HistoryLine
from agency_site.content.newsletter import INTERESTS
from agency_site.db.event_log import VISITOR, LoggedEvent
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.members import ByMember, names

SUBSCRIBERS, SUBSCRIBER = "/admin/subscribers", "/admin/subscriber"
ERASED = "Erased"
"""Shown instead of an address after erasure."""

STATES: Mapping[SubscriberState, Cell] = ByMember(
    {
        SubscriberState.PENDING: Cell("Not confirmed", "busy"),
        SubscriberState.SUBSCRIBED: Cell("Subscribed", "good"),
        SubscriberState.UNSUBSCRIBED: Cell("Unsubscribed", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""
BOUNCED, _BOUNCED_NAME = "bounced", "Bounced"
STATE_OPTIONS: Mapping[str, str] = {state.value: cell.text for state, cell in STATES.items()} | {
    BOUNCED: _BOUNCED_NAME
}
"""The filter of the list. A bounced subscriber is subscribed, but the mailbox does not exist."""


def state_name(subscriber: SubscriberRecord | Subscriber) -> str:
    return _BOUNCED_NAME if _is_bounced(subscriber) else STATES[subscriber.state].text


def state_tone(subscriber: SubscriberRecord | Subscriber) -> Tone:
    return "bad" if _is_bounced(subscriber) else STATES[subscriber.state].tone


def _is_bounced(subscriber: SubscriberRecord | Subscriber) -> bool:
    return subscriber.state is SubscriberState.SUBSCRIBED and subscriber.bounced_at is not None


STEP_NAMES: Mapping[SubscriberChange, str] = names(
    {
        SubscriberChange.SUBSCRIBED: "Subscribed",
        SubscriberChange.CHOSE: "Consent given, interests chosen",
        SubscriberChange.CONFIRMED: "Confirmed by e-mail link",
        SubscriberChange.UNSUBSCRIBED: "Unsubscribed",
        SubscriberChange.ERASED: "Personal data erased",
    }
)
SOURCE_NAMES: Mapping[str, str] = {
    "footer": "Page footer",
    "box": "Content page",
    "newsletter": "Newsletter page",
}
"""The names of the forms on the site, by stored value."""


def source_name(source: str) -> str:
    return SOURCE_NAMES.get(source, source)


def interests_text(interests: Sequence[str]) -> str:
    """The topics of a subscriber in words."""
    labels = {interest.name: interest.label for interest in INTERESTS}
    return ", ".join(labels.get(name, name) for name in interests) or "Everything"


def facts_of(subscriber: SubscriberRecord) -> dict[str, str]:
    """The facts that the detail page shows."""
    return {
        "state_name": state_name(subscriber),
        "state": subscriber.state.value,
        "tone": state_tone(subscriber),
        "name": subscriber.email or ERASED,
        "email": subscriber.email,
        "source": source_name(subscriber.source),
        "origin": subscriber.origin.text,
        "interests": interests_text(subscriber.interests),
        "since": when(subscriber.created_at),
        "consented": when(subscriber.consented_at),
        "confirmed": when(subscriber.confirmed_at),
        "left": when(subscriber.unsubscribed_at),
        "bounced": when(subscriber.bounced_at),
    }


def history_lines(lines: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """Return the history, newest first."""
    return [history_line(_with_labels(line), STEP_NAMES, visitor=VISITOR) for line in reversed(lines)]


def _with_labels(line: LoggedEvent) -> LoggedEvent:
    """Replace stored names in the line with labels."""
    if line.what is SubscriberChange.SUBSCRIBED:
        return replace(line, note=source_name(line.note))
    if line.what is SubscriberChange.CHOSE:
        return replace(line, note=interests_text(tuple(filter(None, line.note.split(", ")))))
    return line
