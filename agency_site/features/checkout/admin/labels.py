"""Labels and formats of orders, payments and their events. No I/O."""

import json
from collections.abc import Sequence
from itertools import pairwise

from agency_site.backoffice.lists.definition import Cell, Tone
from agency_site.backoffice.records import edit_words
from agency_site.features.checkout.order_details.records import (
    EventRecord,
    OrderDetail,
    PaymentRecord,
    StatusQueryRecord,
)
from agency_site.features.checkout.orders.rules import CONTACT_EDITED, OrderState
from agency_site.features.checkout.payments.rules import PAYMENT_STATE_NAMES, PaymentState
from agency_site.features.checkout.payments.transitions import MPESA, STATUS_POLLING, VISITOR
from agency_site.features.checkout.refunds.rules import ReversalState
from agency_site.members import names
from agency_site.mpesa.contract import Outcome
from agency_site.phone_numbers import format_phone_number

CHARGE = "/admin/orders/new"
"""The screen on which staff place an order."""

ORDER_STATES = names(
    {
        OrderState.AWAITING: "Waiting for M-Pesa",
        OrderState.UNPAID: "Not paid",
        OrderState.PAID: "Paid",
        OrderState.FREE: "Free",
        OrderState.NEEDS_REVIEW: "Needs review",
        OrderState.REFUNDED: "Refunded",
    }
)
REVERSAL_STATES = names(
    {
        ReversalState.CREATED: "refund being requested",
        ReversalState.PENDING: "M-Pesa is refunding it",
        ReversalState.UNKNOWN: "not known whether M-Pesa has refunded it",
        ReversalState.DONE: "refunded",
        ReversalState.FAILED: "not refunded",
    }
)
_ORDER_TONES: dict[OrderState, Tone] = {
    OrderState.AWAITING: "busy",
    OrderState.PAID: "good",
    OrderState.FREE: "good",
    OrderState.NEEDS_REVIEW: "bad",
}
_PAYMENT_TONES: dict[PaymentState, Tone] = {
    PaymentState.CREATED: "busy",
    PaymentState.SENDING: "busy",
    PaymentState.PENDING: "busy",
    PaymentState.UNKNOWN: "busy",
    PaymentState.PAID: "good",
    PaymentState.NEEDS_REVIEW: "bad",
}
_PEOPLE = {VISITOR: "The customer", MPESA: "M-Pesa", STATUS_POLLING: "Automatic status check"}
_OUTCOMES = {
    Outcome.PAID: "paid",
    Outcome.PENDING: "the customer has not decided yet",
    Outcome.CANCELLED: "cancelled on the phone",
    Outcome.EXPIRED: "not answered on the phone",
    Outcome.FAILED: "failed",
    Outcome.RETURNED: "reversed to the payer",
    Outcome.UNDECIDED: "no final result",
}


def order_cell(state: OrderState) -> Cell:
    return Cell(ORDER_STATES[state], _ORDER_TONES.get(state, "quiet"))


def payment_cell(state: PaymentState) -> Cell:
    return Cell(PAYMENT_STATE_NAMES[state], _PAYMENT_TONES.get(state, "quiet"))


def format_actor(actor: str) -> str:
    """Return the name of an actor."""
    return _PEOPLE.get(actor, actor)


def format_places(number: int) -> str:
    """Return a number of places in words, such as `2 places`."""
    return f"{number} place" if number == 1 else f"{number} places"


def format_json(body: str) -> str:
    """Return a stored JSON body with one member per line; other text stays unchanged."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return body


def format_outcome(outcome: str) -> str:
    """Return the label of M-Pesa's outcome."""
    if not outcome:
        return "no answer"
    return _OUTCOMES[Outcome(outcome)] if outcome in set(Outcome) else outcome


def format_result(code: str, text: str) -> str:
    """Return M-Pesa's description with its code."""
    return f"“{text.rstrip('.')}” ({code})" if text else code


def describe_answer(payment: PaymentRecord, query: StatusQueryRecord) -> str:
    """Describe the answer to a status query, and its meaning for the payment."""
    answer = f"M-Pesa responded: {format_outcome(query.outcome)} ({query.result_code})."
    if not query.outcome:
        return "M-Pesa did not respond. That says nothing about the payment; please check again later."
    if query.outcome != Outcome.PAID:
        return f"{answer} The payment is: {PAYMENT_STATE_NAMES[payment.state].lower()}."
    match payment.state:
        case PaymentState.PAID:
            return f"{answer} The payment is paid."
        case PaymentState.NEEDS_REVIEW:
            return f"{answer} The payment needs review."
        case PaymentState.REFUNDED:
            return f"{answer} It has been refunded since."
        case _:
            return f"{answer} It counts once a second check confirms it; that check follows automatically."


def describe_events(
    events: Sequence[EventRecord], payments: Sequence[PaymentRecord]
) -> list[tuple[EventRecord, str]]:
    """Return the events with their texts; an order's event that only follows its payment shares the payment's line."""
    numbers = {payment.id: number for number, payment in enumerate(payments, 1)}
    described: list[tuple[EventRecord, str]] = []
    for before, event in pairwise((None, *events)):
        assert event is not None
        if before and described and _is_same_change(before, event):
            described[-1] = (before, f"{described[-1][1]}. Order: {_name_state(event.to_state, order=True)}")
        else:
            described.append((event, _describe_event(event, numbers)))
    return described


def _is_same_change(before: EventRecord, event: EventRecord) -> bool:
    same = (before.actor, before.why) == (event.actor, event.why)
    return same and before.payment_id is not None and event.payment_id is None


def _describe_event(event: EventRecord, numbers: dict[int, int]) -> str:
    if event.from_state == event.to_state:
        return "Contact edited" if _has_old_contact(event) else capitalize(event.why)
    if event.payment_id is None:
        subject = "Order placed" if not event.from_state else "Order"
        return f"{subject}: {_name_state(event.to_state, order=True)}"
    number = f" {numbers[event.payment_id]}" if len(numbers) > 1 and event.payment_id in numbers else ""
    return f"Payment{number}: {_name_state(event.to_state, order=False)}"


def _name_state(state: str, *, order: bool) -> str:
    try:
        name = ORDER_STATES[OrderState(state)] if order else PAYMENT_STATE_NAMES[PaymentState(state)]
    except ValueError:
        return state
    return name[0].lower() + name[1:]


def _has_old_contact(event: EventRecord) -> bool:
    """Return whether the event holds old and new values of the contact; older events name only the fields."""
    return event.why.startswith(f"{CONTACT_EDITED}\n")


def format_reason(event: EventRecord) -> str:
    """Return why a state changed, or what an edit did; empty for an event that is described by its reason."""
    if _has_old_contact(event):
        return edit_words(event.why, CONTACT)
    same = event.from_state == event.to_state or event.why == event.to_state
    return "" if same else capitalize(event.why)


def capitalize(text: str) -> str:
    """Return the text with its first character in upper case, and the others unchanged."""
    return text[:1].upper() + text[1:]


def get_contact(detail: OrderDetail) -> dict[str, str]:
    """Return the fields of an order that staff can edit, by the keys of `CONTACT`."""
    fields = {name: str(getattr(detail.order, name)) for name in CONTACT}
    return {**fields, "phone": format_phone_number(detail.order.phone)}


CONTACT = {
    "first_name": "First name", "last_name": "Last name", "email": "E-mail", "phone": "Phone", "company_name": "Company",
    "company_pin": "KRA PIN",
}  # fmt: skip
