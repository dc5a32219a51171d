"""Texts of an order's page: the order, its payments, messages and history. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass

from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.mails import state_cell
from agency_site.backoffice.records import HistoryLine
from agency_site.features.checkout.admin.labels import (
    REVERSAL_STATES,
    capitalize,
    describe_answer,
    describe_events,
    format_actor,
    format_json,
    format_outcome,
    format_places,
    format_reason,
    format_result,
    order_cell,
    payment_cell,
)
from agency_site.features.checkout.order_details.records import (
    CallbackRecord,
    OrderDetail,
    OrderRecord,
    PaymentRecord,
    ReportedRefundRecord,
)
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, UNPAID_ORDERS, OrderState
from agency_site.features.checkout.payments.messages import explain_unpayable
from agency_site.features.checkout.payments.rules import (
    BY_HAND,
    KIND_NAMES,
    RECEIPT_LABELS,
    RECEIVED,
    UNRECORDABLE,
    PaymentState,
    Refusal,
    has_arrived,
)
from agency_site.features.checkout.payments.status_queries import UNSENT
from agency_site.features.checkout.refunds.rules import OPEN_REVERSALS, ReversalState, can_be_returned
from agency_site.form_input import moment_field_value
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.money import kes, kes_stated
from agency_site.phone_numbers import format_phone_number
from agency_site.places import OrderPlace
from agency_site.settings import settings


@dataclass
class Fact:
    """A label and a value."""

    label: str
    text: str


@dataclass
class CallbackLine:
    """A callback; its body is collapsed."""

    id: int
    at: str
    what: str
    detail: str
    body: str


@dataclass
class QueryLine:
    """A status query with its answer."""

    id: int
    at: str
    who: str
    what: str
    detail: str


@dataclass
class RefundLine:
    """A refund of a payment."""

    id: int
    what: str
    at: str
    who: str
    reason: str


@dataclass
class ReversalLine:
    """A request to M-Pesa to refund a payment."""

    id: int
    what: str
    at: str
    who: str
    detail: str


@dataclass
class PaymentItem:
    """A payment with all messages of M-Pesa about it."""

    id: int
    title: str
    amount: str
    state: str
    tone: str
    receipt: str
    by_hand: bool
    """It was made without a prompt."""
    why: str
    """Why it needs review; empty if it does not."""
    actions: list[str]
    """The actions that are possible now: `query`, `decide`, `receipt`, `refund`, `return`, `kept`."""
    returned: str
    """The reversal that M-Pesa reports and that waits for staff; empty without one."""
    returned_as: str
    """The receipt of the reversal."""
    returned_at: str
    """When M-Pesa reversed it, as a form field."""
    facts: list[Fact]
    left: str
    """The amount that was not refunded, or the reversed part of it, as digits."""
    refunds: list[RefundLine]
    reversals: list[ReversalLine]
    ids: list[Fact]
    """M-Pesa's ids, for calls to its support."""
    callbacks: list[CallbackLine]
    queries: list[QueryLine]
    answer: str
    """M-Pesa's last answer and its meaning; empty if it was not queried."""


@dataclass
class MessageItem:
    """A message about the order."""

    id: int
    subject: str
    recipient: str
    state: str
    tone: str
    at: str


@dataclass
class LearnerItem:
    """A place of the order."""

    reference: str
    """The learner's reference."""
    name: str
    state: str
    tone: str


def list_learners(places: Sequence[OrderPlace]) -> list[LearnerItem]:
    """Return the places of the order, including ended ones."""
    return [
        LearnerItem(
            place.learner,
            place.name or "Not named yet",
            "Ended" if place.has_ended else "Enrolled",
            "quiet" if place.has_ended else "good",
        )
        for place in places
    ]


def describe_order(detail: OrderDetail) -> dict[str, str]:
    """Return the facts of the order itself; missing values are empty."""
    order, enrolment, state = detail.order, detail.enrolment, order_cell(detail.order.state)
    return {
        "state": state.text,
        "tone": state.tone,
        "name": f"{order.first_name} {order.last_name}".strip() or "Erased on request",
        "email": order.email,
        "phone": order.phone,
        "phone_label": format_phone_number(order.phone),
        "company": order.company_name,
        "company_pin": order.company_pin,
        "origin": order.origin.text,
        "course": order.course_name,
        "run": enrolment.run if enrolment else order.run_reference,
        "run_starts": when(enrolment.starts_at) if enrolment else "",
        "places": format_places(order.quantity),
        "calculation": _describe_calculation(order),
        "amount": kes(order.amount),
        "price": f"{order.amount:,}",
        "payer": next(
            (format_phone_number(payment.phone) for payment in reversed(detail.payments) if payment.phone), ""
        ),
        "balance": _describe_balance(detail),
        "missing": kes(detail.balance.missing(order.state)),
        "due": f"{detail.balance.missing(order.state):,}",
        "surplus": _describe_surplus(detail),
        "placed": when(order.created_at),
        "enrolled": when(enrolment.created_at) if enrolment else "",
        "ended": when(enrolment.ended_at) if enrolment else "",
    }


def _describe_calculation(order: OrderRecord) -> str:
    """Explain the amount; empty for one place without a coupon."""
    if order.quantity == 1 and not order.discount:
        return ""
    coupon = f", less {kes(order.discount)} with {order.coupon_code}" if order.discount else ""
    return f"{format_places(order.quantity)} at {kes(order.unit_price)}{coupon}"


def _describe_balance(detail: OrderDetail) -> str:
    """Return charges minus refunds, or the paid part of the price; empty if all is paid and nothing was refunded."""
    order = detail.order
    if detail.balance.net and order.state in UNPAID_ORDERS:
        return f"{kes(detail.balance.net)} of {kes(order.amount)} paid"
    if not detail.refunded:
        return ""
    left = kes(detail.charged - detail.refunded)
    return f"{kes(detail.charged)} received, {kes(detail.refunded)} refunded: balance {left}"


def _describe_surplus(detail: OrderDetail) -> str:
    """Describe money that the order did not need and that is under review; empty without such money."""
    waiting = sum(payment.amount for payment in detail.payments if payment.state is PaymentState.NEEDS_REVIEW)
    if not waiting or detail.order.state not in SETTLED_ORDERS:
        return ""
    return f"Paid twice: {kes(waiting)} came after the order was paid. Please refund it, or decide what happens with it."


def describe_obstacle(refusal: Refusal | None) -> str:
    """Return why the buyer cannot be asked for money; empty if that is possible, or the page shows it anyway."""
    return "" if refusal is None or refusal in UNRECORDABLE else explain_unpayable(refusal)


def list_actions(detail: OrderDetail, refusal: Refusal | None) -> list[str]:
    """Return the actions that are possible with the order now: `contact`, `resend`, `receipt`, `record`, `prompt`.

    `refusal` says why the buyer cannot be asked for money.
    """
    actions = ["contact"] if detail.order.email else []
    actions += ["record"] if refusal not in UNRECORDABLE else []
    actions += ["prompt"] if refusal is None and detail.balance.due(detail.order.state) else []
    settled = detail.order.state in (OrderState.PAID, OrderState.FREE)
    actions += ["resend"] if settled and detail.order.email else []
    return actions + (
        ["receipt"] if any(payment.state is PaymentState.PAID for payment in detail.payments) else []
    )


def list_credit_notes(detail: OrderDetail) -> list[str]:
    """Return the numbers of the order's credit notes: one for each refund."""
    count = sum(len(payment.refunds) for payment in detail.payments)
    return [str(number) for number in range(1, count + 1)]


def list_payments(detail: OrderDetail) -> list[PaymentItem]:
    """Return the payments, newest first."""
    count = len(detail.payments)
    items = [
        _build_payment(detail, payment, f"Payment {number}" if count > 1 else "Payment")
        for number, payment in enumerate(detail.payments, 1)
    ]
    return items[::-1]


def _build_payment(detail: OrderDetail, payment: PaymentRecord, title: str) -> PaymentItem:
    state, returned = payment_cell(payment.state), _find_waiting_return(payment)
    left = payment.amount - payment.refunded
    return PaymentItem(
        id=payment.id,
        title=title,
        amount=kes(payment.amount),
        state=state.text,
        tone=state.tone,
        receipt=payment.receipt or "",
        by_hand=payment.kind in BY_HAND,
        why=_find_review_reason(detail, payment),
        returned=f"Reversed by M-Pesa: {kes(returned.amount)} as {returned.receipt}, {when(returned.booked_at)}."
        if returned
        else "",
        returned_as=returned.receipt if returned else "",
        returned_at=moment_field_value(returned.booked_at) if returned else "",
        actions=_list_payment_actions(payment),
        facts=[Fact(label, text) for label, text in _list_payment_facts(payment) if text],
        left=f"{min(returned.amount, left) if returned else left:,}",
        refunds=[
            RefundLine(
                row.id,
                f"{kes(row.amount)} as {row.reference}",
                when(row.refunded_at),
                row.refunded_by,
                row.reason,
            )
            for row in payment.refunds
        ],
        reversals=[
            ReversalLine(
                row.id,
                f"{kes(row.amount)}: {REVERSAL_STATES[row.state]}",
                when(row.requested_at),
                row.requested_by,
                ". ".join(filter(None, (row.reason, format_result(row.result_code, row.result_text)))),
            )
            for row in payment.reversals
        ],
        ids=[Fact(label, text) for label, text in _list_payment_ids(payment) if text],
        callbacks=[_build_callback(callback) for callback in payment.callbacks],
        queries=[
            QueryLine(
                query.id,
                when(query.at),
                format_actor(query.actor),
                capitalize(format_outcome(query.outcome)),
                format_result(query.result_code, query.result_text),
            )
            for query in payment.status_queries
        ],
        answer=describe_answer(payment, payment.status_queries[-1]) if payment.status_queries else "",
    )


def _find_waiting_return(payment: PaymentRecord) -> ReportedRefundRecord | None:
    """Return the oldest reversal that M-Pesa reports and that staff have neither recorded nor explained."""
    recorded = {refund.reference for refund in payment.refunds}
    waiting = (
        row for row in payment.reported_refunds if row.receipt not in recorded and not row.closing_note
    )
    return next(waiting, None)


def _find_review_reason(detail: OrderDetail, payment: PaymentRecord) -> str:
    if payment.state is not PaymentState.NEEDS_REVIEW:
        return ""
    reasons = [
        event.why
        for event in detail.events
        if event.payment_id == payment.id and event.to_state == PaymentState.NEEDS_REVIEW
    ]
    return reasons[0] if reasons else ""


def _list_payment_actions(payment: PaymentRecord) -> list[str]:
    actions = ["decide"] if payment.state is PaymentState.NEEDS_REVIEW else []
    actions += ["receipt"] if payment.state in RECEIVED and not payment.receipt else []
    actions += (
        ["query"] if payment.checkout_request_id and payment.state not in UNSENT and payment.phone else []
    )
    return actions + _list_refund_actions(payment)


_REFUNDABLE_STATES = (PaymentState.PAID, PaymentState.NEEDS_REVIEW)


def _list_refund_actions(payment: PaymentRecord) -> list[str]:
    if payment.state in _REFUNDABLE_STATES and _find_waiting_return(payment):
        return ["refund"]
    recordable = ["refund"] if has_arrived(payment.kind, payment.state) else []
    under_way = next((row.state for row in payment.reversals if row.state in OPEN_REVERSALS), None)
    if under_way:
        return [*recordable, "kept"] if under_way is ReversalState.UNKNOWN else []
    returnable = can_be_returned(payment.kind, payment.state, payment.receipt, payment.refunded)
    return ["return", *recordable] if returnable and settings().can_reverse_payments else recordable


def _list_payment_facts(payment: PaymentRecord) -> tuple[tuple[str, str], ...]:
    by_hand = payment.kind in BY_HAND
    phone = format_phone_number(payment.phone) or ("" if by_hand else "Erased")
    return (
        ("Entered" if by_hand else "Requested", when(payment.created_at)),
        ("Paid by", KIND_NAMES[payment.kind] if by_hand else ""),
        ("Paid on", when(payment.paid_at)),
        ("Phone", phone),
        (
            RECEIPT_LABELS[payment.kind],
            payment.receipt or ("Not available yet" if payment.state in RECEIVED else ""),
        ),
        ("Result", format_result(payment.result_code, payment.result_text)),
        ("Completed on", "" if by_hand else when(payment.settled_at)),
        ("Next check", when(payment.due_at)),
        ("Refunded", kes(payment.refunded) if payment.refunded else ""),
        ("Balance", kes(payment.amount - payment.refunded) if payment.refunded else ""),
    )


def _list_payment_ids(payment: PaymentRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("AccountReference", payment.account_reference),
        ("MerchantRequestID", payment.merchant_request_id or ""),
        ("CheckoutRequestID", payment.checkout_request_id or ""),
    )


def _build_callback(callback: CallbackRecord) -> CallbackLine:
    outcome = capitalize(format_outcome(callback.outcome))
    statements = [f"over {kes_stated(callback.amount)}"] if callback.amount else []
    statements += [f"receipt {callback.receipt}"] if callback.receipt else []
    times = "once" if callback.deliveries == 1 else f"{callback.deliveries} times"
    handling = callback.note or ("Processed" if callback.handled_at else "Not processed yet")
    delivery = f"Received {times} from {callback.source or 'an unknown address'}"
    detail = ". ".join(
        filter(
            None, (format_result(callback.result_code, callback.result_text), delivery, capitalize(handling))
        )
    )
    return CallbackLine(
        callback.id,
        when(callback.received_at),
        ", ".join([outcome, *statements]),
        detail,
        format_json(callback.body),
    )


def build_history(detail: OrderDetail) -> list[HistoryLine]:
    """Return history and notes together, newest first; notes follow events of the same moment."""
    events = [
        (
            event.at,
            0,
            event.id,
            HistoryLine(what, format_reason(event), when(event.at), format_actor(event.actor)),
        )
        for event, what in describe_events(detail.events, detail.payments)
    ]
    notes = [
        (note.at, 1, note.id, HistoryLine("Note", note.text, when(note.at), note.author, noted=True))
        for note in detail.notes
    ]
    return [line for *_, line in sorted([*events, *notes], key=lambda entry: entry[:3], reverse=True)]


def list_messages(mails: tuple[OutboxEntry, ...]) -> list[MessageItem]:
    """Return the messages about the order, newest first."""
    items = []
    for mail in reversed(mails):
        state = state_cell(mail.state)
        items.append(
            MessageItem(
                mail.id,
                mail.subject or "Erased",
                mail.to,
                state.text,
                state.tone,
                when(mail.created_at),
            )
        )
    return items
