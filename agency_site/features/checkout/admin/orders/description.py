"""Describes an order, its payments, messages and history for its detail page. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass

from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.labels import state_cell
from agency_site.features.checkout.admin.labels import (
    KINDS,
    REVERSAL_STATES,
    capitalize,
    describe_answer,
    describe_events,
    format_actor,
    format_json,
    format_outcome,
    format_reason,
    format_result,
    order_cell,
    payment_cell,
    places,
)
from agency_site.features.checkout.order_details.records import (
    CallbackRecord,
    OrderDetail,
    OrderRecord,
    PaymentRecord,
    ReportedRefundRecord,
)
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, UNPAID_ORDERS, OrderState
from agency_site.features.checkout.payments.rules import (
    RECEIPT_LABELS,
    RECEIVED,
    PaymentKind,
    PaymentState,
    is_money_here,
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
    """One line of a list of facts."""

    label: str
    text: str


@dataclass
class CallbackLine:
    """One callback; the body is folded away."""

    id: int
    at: str
    what: str
    detail: str
    body: str


@dataclass
class QueryLine:
    """One status query with its answer."""

    id: int
    at: str
    who: str
    what: str
    detail: str


@dataclass
class RefundLine:
    """One refund of a payment."""

    id: int
    what: str
    at: str
    who: str
    reason: str


@dataclass
class ReversalLine:
    """One request that M-Pesa return a payment."""

    id: int
    what: str
    at: str
    who: str
    detail: str


@dataclass
class PaymentItem:
    """One payment with everything that M-Pesa stated about it."""

    id: int
    title: str
    amount: str
    state: str
    tone: str
    receipt: str
    by_hand: bool
    """It came without a prompt of ours."""
    why: str
    """Why it needs review; empty: it does not."""
    actions: list[str]
    """What staff can do with it now: `query`, `decide`, `receipt`, `refund`, `return`, `kept`."""
    returned: str
    """The return that M-Pesa reports and that waits for staff; empty: there is none."""
    returned_as: str
    """Its receipt."""
    returned_at: str
    """When M-Pesa has returned it, as a form has it."""
    facts: list[Fact]
    left: str
    """What of it was not refunded, or what M-Pesa has returned of that, as digits."""
    refunds: list[RefundLine]
    reversals: list[ReversalLine]
    ids: list[Fact]
    """M-Pesa's ids of it, for whoever calls M-Pesa."""
    callbacks: list[CallbackLine]
    queries: list[QueryLine]
    answer: str
    """What M-Pesa answered last, and what that means; empty: it was not queried."""


@dataclass
class MessageItem:
    """One message about the order."""

    id: int
    subject: str
    recipient: str
    state: str
    tone: str
    at: str


@dataclass
class LearnerItem:
    """One place of the order."""

    reference: str
    """Of the learner."""
    name: str
    state: str
    tone: str


def list_learners(places: Sequence[OrderPlace]) -> list[LearnerItem]:
    """The places of the order, with those that have ended."""
    return [
        LearnerItem(
            one.learner,
            one.name or "Not named yet",
            "Ended" if one.has_ended else "Enrolled",
            "quiet" if one.has_ended else "good",
        )
        for one in places
    ]


def describe_order(detail: OrderDetail) -> dict[str, str]:
    """The order itself; a key without a value has an empty one."""
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
        "course": order.course_name,
        "run": enrolment.run if enrolment else order.run_reference,
        "run_starts": when(enrolment.starts_at) if enrolment else "",
        "places": places(order.quantity),
        "calculation": _describe_calculation(order),
        "amount": kes(order.amount),
        "price": f"{order.amount:,}",
        "payer": next((format_phone_number(one.phone) for one in reversed(detail.payments) if one.phone), ""),
        "balance": _describe_balance(detail),
        "missing": kes(detail.balance.missing(order.state)),
        "due": f"{detail.balance.missing(order.state):,}",
        "surplus": _describe_surplus(detail),
        "placed": when(order.created_at),
        "enrolled": when(enrolment.created_at) if enrolment else "",
        "ended": when(enrolment.ended_at) if enrolment else "",
    }


def _describe_calculation(order: OrderRecord) -> str:
    """How the amount comes about; empty for one place without a coupon."""
    if order.quantity == 1 and not order.discount:
        return ""
    coupon = f", less {kes(order.discount)} with {order.coupon_code}" if order.discount else ""
    return f"{places(order.quantity)} at {kes(order.unit_price)}{coupon}"


def _describe_balance(detail: OrderDetail) -> str:
    """Charges minus refunds, or how much of the price is here; empty where all is paid and nothing was refunded."""
    order = detail.order
    if detail.balance.kept and order.state in UNPAID_ORDERS:
        return f"{kes(detail.balance.kept)} of {kes(order.amount)} paid"
    if not detail.refunded:
        return ""
    left = kes(detail.charged - detail.refunded)
    return f"{kes(detail.charged)} received, {kes(detail.refunded)} refunded: balance {left}"


def _describe_surplus(detail: OrderDetail) -> str:
    """Money that came although the order needed none any more, and is under review; empty: none did."""
    waiting = sum(one.amount for one in detail.payments if one.state is PaymentState.NEEDS_REVIEW)
    if not waiting or detail.order.state not in SETTLED_ORDERS:
        return ""
    return (
        f"Paid twice: {kes(waiting)} came after the order needed no more money. Please return it or decide."
    )


def list_actions(detail: OrderDetail) -> list[str]:
    """What staff can do with the order now: `contact`, `resend`, `receipt`, `record`, `prompt`."""
    actions = ["contact"] if detail.order.email else []
    is_record_possible = detail.balance.missing(detail.order.state) > 0
    actions += ["record"] if is_record_possible and detail.order.state is not OrderState.NEEDS_REVIEW else []
    actions += ["prompt"] if detail.balance.due(detail.order.state) and detail.order.email else []
    settled = detail.order.state in (OrderState.PAID, OrderState.FREE)
    actions += ["resend"] if settled and detail.order.email else []
    return actions + (["receipt"] if any(one.state is PaymentState.PAID for one in detail.payments) else [])


def list_credit_notes(detail: OrderDetail) -> list[str]:
    """The numbers of the order's credit notes: one for each refund."""
    count = sum(len(one.refunds) for one in detail.payments)
    return [str(number) for number in range(1, count + 1)]


def list_payments(detail: OrderDetail) -> list[PaymentItem]:
    """The payments, the newest first."""
    count = len(detail.payments)
    found = [
        _build_payment(detail, one, f"Payment {number}" if count > 1 else "Payment")
        for number, one in enumerate(detail.payments, 1)
    ]
    return found[::-1]


def _build_payment(detail: OrderDetail, one: PaymentRecord, title: str) -> PaymentItem:
    state, returned = payment_cell(one.state), _find_waiting_return(one)
    left = one.amount - one.refunded
    return PaymentItem(
        id=one.id,
        title=title,
        amount=kes(one.amount),
        state=state.text,
        tone=state.tone,
        receipt=one.receipt or "",
        by_hand=one.kind is not PaymentKind.PROMPT,
        why=_find_review_reason(detail, one),
        returned=f"Returned by M-Pesa: {kes(returned.amount)} as {returned.receipt}, {when(returned.booked_at)}."
        if returned
        else "",
        returned_as=returned.receipt if returned else "",
        returned_at=moment_field_value(returned.booked_at) if returned else "",
        actions=_list_payment_actions(one),
        facts=[Fact(label, text) for label, text in _list_payment_facts(one) if text],
        left=f"{min(returned.amount, left) if returned else left:,}",
        refunds=[
            RefundLine(
                row.id,
                f"{kes(row.amount)} as {row.reference}",
                when(row.refunded_at),
                row.refunded_by,
                row.reason,
            )
            for row in one.refunds
        ],
        reversals=[
            ReversalLine(
                row.id,
                f"{kes(row.amount)}: {REVERSAL_STATES[row.state]}",
                when(row.requested_at),
                row.requested_by,
                ". ".join(filter(None, (row.reason, format_result(row.result_code, row.result_text)))),
            )
            for row in one.reversals
        ],
        ids=[Fact(label, text) for label, text in _list_payment_ids(one) if text],
        callbacks=[_build_callback(callback) for callback in one.callbacks],
        queries=[
            QueryLine(
                query.id,
                when(query.at),
                format_actor(query.actor),
                capitalize(format_outcome(query.outcome)),
                format_result(query.result_code, query.result_text),
            )
            for query in one.status_queries
        ],
        answer=describe_answer(one, one.status_queries[-1]) if one.status_queries else "",
    )


def _find_waiting_return(one: PaymentRecord) -> ReportedRefundRecord | None:
    """The oldest return that M-Pesa reports and that staff have neither recorded nor explained."""
    recorded = {refund.reference for refund in one.refunds}
    waiting = (row for row in one.reported_refunds if row.receipt not in recorded and not row.closing_note)
    return next(waiting, None)


def _find_review_reason(detail: OrderDetail, one: PaymentRecord) -> str:
    if one.state is not PaymentState.NEEDS_REVIEW:
        return ""
    reasons = [
        event.why
        for event in detail.events
        if event.payment_id == one.id and event.to_state == PaymentState.NEEDS_REVIEW
    ]
    return reasons[0] if reasons else ""


def _list_payment_actions(one: PaymentRecord) -> list[str]:
    actions = ["decide"] if one.state is PaymentState.NEEDS_REVIEW else []
    actions += ["receipt"] if one.state in RECEIVED and not one.receipt else []
    actions += ["query"] if one.checkout_request_id and one.state not in UNSENT and one.phone else []
    return actions + _list_ways_back(one)


_MAY_GO_BACK = (PaymentState.PAID, PaymentState.NEEDS_REVIEW)


def _list_ways_back(one: PaymentRecord) -> list[str]:
    if one.state in _MAY_GO_BACK and _find_waiting_return(one):
        return ["refund"]
    recordable = ["refund"] if is_money_here(one.kind, one.state) else []
    under_way = next((row.state for row in one.reversals if row.state in OPEN_REVERSALS), None)
    if under_way:
        return [*recordable, "kept"] if under_way is ReversalState.UNKNOWN else []
    returnable = can_be_returned(one.kind, one.state, one.receipt, one.refunded)
    return ["return", *recordable] if returnable and settings().can_reverse_payments else recordable


def _list_payment_facts(one: PaymentRecord) -> tuple[tuple[str, str], ...]:
    by_hand = one.kind is not PaymentKind.PROMPT
    phone = format_phone_number(one.phone) or ("" if by_hand else "Erased")
    return (
        ("Recorded" if by_hand else "Requested", when(one.created_at)),
        ("Paid by", KINDS[one.kind] if by_hand else ""),
        ("Paid on", when(one.paid_at)),
        ("Phone", phone),
        (RECEIPT_LABELS[one.kind], one.receipt or ("Not available yet" if one.state in RECEIVED else "")),
        ("Result", format_result(one.result_code, one.result_text)),
        ("Settled on", when(one.settled_at)),
        ("Next check", when(one.due_at)),
        ("Refunded", kes(one.refunded) if one.refunded else ""),
        ("Balance", kes(one.amount - one.refunded) if one.refunded else ""),
    )


def _list_payment_ids(one: PaymentRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("AccountReference", one.account_reference),
        ("MerchantRequestID", one.merchant_request_id or ""),
        ("CheckoutRequestID", one.checkout_request_id or ""),
    )


def _build_callback(one: CallbackRecord) -> CallbackLine:
    outcome = capitalize(format_outcome(one.outcome))
    stated = [f"over {kes_stated(one.amount)}"] if one.amount else []
    stated += [f"receipt {one.receipt}"] if one.receipt else []
    times = "once" if one.deliveries == 1 else f"{one.deliveries} times"
    handling = one.note or ("Handled" if one.handled_at else "Not handled yet")
    delivery = f"Received {times} from {one.source or 'an unknown address'}"
    detail = ". ".join(
        filter(None, (format_result(one.result_code, one.result_text), delivery, capitalize(handling)))
    )
    return CallbackLine(
        one.id, when(one.received_at), ", ".join([outcome, *stated]), detail, format_json(one.body)
    )


def build_history(detail: OrderDetail) -> list[HistoryLine]:
    """History and notes as one, the newest first; of the same moment notes come later."""
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
    return [line for *_, line in sorted([*events, *notes], key=lambda one: one[:3], reverse=True)]


def list_messages(mails: tuple[OutboxEntry, ...]) -> list[MessageItem]:
    """The messages about the order, the newest first."""
    found = []
    for mail in reversed(mails):
        state = state_cell(mail.state)
        found.append(
            MessageItem(
                mail.id,
                mail.subject or "Erased",
                mail.to,
                state.text,
                state.tone,
                when(mail.created_at),
            )
        )
    return found
