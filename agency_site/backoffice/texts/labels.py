"""Labels of text messages: kinds, states, costs, lengths, history. No I/O."""

from collections.abc import Mapping
from decimal import Decimal

from agency_site.backoffice.lists.definition import Cell, when
from agency_site.backoffice.records import HistoryLine
from agency_site.members import ByMember
from agency_site.notices.rules import NOTICE_NAMES
from agency_site.sms.rules import Length, TextState
from agency_site.sms.staff_usecases import FROM_STAFF, TextEntry

STATES: Mapping[TextState, Cell] = ByMember(
    {
        TextState.QUEUED: Cell("Queued", "busy"),
        TextState.SENDING: Cell("Being sent", "busy"),
        TextState.SENT: Cell("Sent", "good"),
        TextState.DELIVERED: Cell("Delivered", "good"),
        TextState.UNKNOWN: Cell("Perhaps sent", "bad"),
        TextState.KEPT: Cell("Not sent", "quiet"),
        TextState.FAILED: Cell("Failed", "bad"),
        TextState.STOPPED: Cell("Stopped by the recipient", "quiet"),
    },
    Cell,
)
EXPLANATIONS: Mapping[TextState, str] = {
    TextState.UNKNOWN: (
        "The provider gave no answer, so the message may have arrived. If you resend it, the recipient may get it twice."
    ),
    TextState.KEPT: "No provider was configured when this message was written.",
    TextState.FAILED: "The message did not arrive.",
    TextState.STOPPED: "The recipient has stopped text messages since it was written.",
}
"""What a state means, where its name does not say it."""
KINDS: Mapping[str, str] = {FROM_STAFF: "Written by staff", **NOTICE_NAMES}
"""Labels of the kinds; an unknown kind shows its own name."""


def kind_of(kind: str) -> str:
    return KINDS.get(kind, kind.replace("-", " ").capitalize())


def format_cost(cost: int, currency: str) -> str:
    """Return what the provider charged, such as `KES 0.80`; empty if nothing is known."""
    return f"{currency} {Decimal(cost) / 10_000:.2f}".strip() if cost else ""


def describe_length(length: Length, price: str) -> str:
    """Describe a text that is being written; `price` is that of one part in KES."""
    if not length.characters:
        return "0 characters"
    parts = f"{length.parts} message{'' if length.parts == 1 else 's'}"
    cost = f"KES {length.parts * Decimal(price):.2f}"
    alphabet = "" if length.is_gsm7 else " It has a character, such as an emoji, that makes it longer."
    return f"{length.characters} characters, {length.left} left in {parts}, {cost}.{alphabet}"


def describe_history(entry: TextEntry) -> list[HistoryLine]:
    """Return the steps of a message, newest first."""
    writer = entry.requested_by or "System"
    provider = "The provider"
    steps = [HistoryLine("Written", "", when(entry.created_at), writer)]
    if entry.sent_at:
        steps.append(HistoryLine("Accepted", "", when(entry.sent_at), provider))
    if entry.reported_at:
        is_delivered = entry.state is TextState.DELIVERED
        label = STATES[entry.state].text
        steps.append(
            HistoryLine(label, "" if is_delivered else entry.last_error, when(entry.reported_at), provider)
        )
    return steps[::-1]
