"""What an order's page shows of its record: plain texts, ready to be drawn. No I/O."""

from dataclasses import dataclass

from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.labels import state_cell
from agency_site.features.checkout.admin.labels import (
    dialled,
    moves_of,
    order_cell,
    payment_cell,
    places,
    pretty,
    quoted,
    reason_of,
    shillings,
    spoken,
    told,
)
from agency_site.features.checkout.records import CallbackRecord, OrderFile, PaymentRecord
from agency_site.features.checkout.rules import BOOKED, OrderState, PaymentState, kes
from agency_site.features.checkout.status_polling import UNSENT
from agency_site.mail.staff_usecases import OutboxEntry


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
    """One question to M-Pesa with its answer."""

    id: int
    at: str
    who: str
    what: str
    detail: str


@dataclass
class Push:
    """One push to a phone, with all that M-Pesa said about it."""

    id: int
    title: str
    amount: str
    state: str
    tone: str
    receipt: str
    why: str
    """Why it needs review; empty: it does not."""
    steps: list[str]
    """What staff can do with it now: `ask`, `decide`, `receipt`, `refund`."""
    facts: list[Fact]
    ids: list[Fact]
    """M-Pesa's names for it, for whoever asks M-Pesa."""
    callbacks: list[CallbackLine]
    queries: list[QueryLine]


@dataclass
class Sent:
    """One message about the order."""

    id: int
    subject: str
    recipient: str
    state: str
    tone: str
    at: str


def facts_of(file: OrderFile) -> dict[str, str]:
    """All that the page says about the order itself."""
    order, seat = file.order, file.enrolment
    standing = order_cell(order.state)
    return {
        "standing": standing.text,
        "tone": standing.tone,
        "name": f"{order.first_name} {order.last_name}".strip() or "Erased on request",
        "email": order.email,
        "phone": order.phone,
        "dialled": dialled(order.phone),
        "course": order.course_name,
        "places": places(order.quantity),
        "sum": f"{places(order.quantity)} at {kes(order.unit_price)}" if order.quantity > 1 else "",
        "amount": kes(order.amount),
        "placed": when(order.created_at),
        "changed": when(order.updated_at) if order.updated_at > order.created_at else "",
        "enrolled": when(seat.created_at) if seat else "",
        "ended": when(seat.ended_at) if seat else "",
    }


def steps_of(file: OrderFile) -> list[str]:
    """What staff can do with the order now: `contact`, `resend`, `receipt`."""
    steps = ["contact"] if file.order.email else []
    settled = file.order.state in (OrderState.PAID, OrderState.FREE)
    steps += ["resend"] if settled and file.order.email else []
    return steps + (["receipt"] if any(one.state is PaymentState.PAID for one in file.payments) else [])


def pushes_of(file: OrderFile) -> list[Push]:
    """The payments, the newest first."""
    count = len(file.payments)
    found = [
        _push(file, one, f"Payment {number}" if count > 1 else "Payment")
        for number, one in enumerate(file.payments, 1)
    ]
    return found[::-1]


def _push(file: OrderFile, one: PaymentRecord, title: str) -> Push:
    standing = payment_cell(one.state)
    return Push(
        id=one.id,
        title=title,
        amount=kes(one.amount),
        state=standing.text,
        tone=standing.tone,
        receipt=one.receipt or "",
        why=_why(file, one),
        steps=_payment_steps(one),
        facts=[Fact(label, text) for label, text in _payment_facts(one) if text],
        ids=[Fact(label, text) for label, text in _payment_ids(one) if text],
        callbacks=[_callback(told_of) for told_of in one.callbacks],
        queries=[
            QueryLine(
                asked.id,
                when(asked.at),
                spoken(asked.actor),
                _capital(told(asked.outcome)),
                quoted(asked.result_code, asked.result_text),
            )
            for asked in one.status_queries
        ],
    )


def _why(file: OrderFile, one: PaymentRecord) -> str:
    if one.state is not PaymentState.NEEDS_REVIEW:
        return ""
    reasons = [
        event.why
        for event in file.events
        if event.payment_id == one.id and event.to_state == PaymentState.NEEDS_REVIEW
    ]
    return reasons[0] if reasons else ""


def _payment_steps(one: PaymentRecord) -> list[str]:
    steps = ["decide"] if one.state is PaymentState.NEEDS_REVIEW else []
    steps += ["receipt"] if one.state in BOOKED and not one.receipt else []
    steps += ["ask"] if one.checkout_request_id and one.state not in UNSENT and one.phone else []
    return steps + (["refund"] if one.state is PaymentState.PAID else [])


def _payment_facts(one: PaymentRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("Asked on", when(one.created_at)),
        ("Phone", dialled(one.phone) or "Erased"),
        ("M-Pesa receipt", one.receipt or ("Not known yet" if one.state in BOOKED else "")),
        ("M-Pesa said", quoted(one.result_code, one.result_text)),
        ("Settled on", when(one.settled_at)),
        ("Asked again on", when(one.due_at)),
        ("Given back on", when(one.refunded_at)),
        ("Given back as", one.refund_reference or ""),
        ("Reason", one.refund_reason),
    )


def _payment_ids(one: PaymentRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("MerchantRequestID", one.merchant_request_id or ""),
        ("CheckoutRequestID", one.checkout_request_id or ""),
    )


def _callback(one: CallbackRecord) -> CallbackLine:
    said = _capital(told(one.outcome))
    money = [f"over {shillings(one.amount)}"] if one.amount else []
    money += [f"receipt {one.receipt}"] if one.receipt else []
    came = "once" if one.deliveries == 1 else f"{one.deliveries} times"
    done = one.note or ("Acted on" if one.handled_at else "Not acted on yet")
    where = f"Came {came} from {one.source or 'an unknown address'}"
    detail = ". ".join(filter(None, (quoted(one.result_code, one.result_text), where, _capital(done))))
    return CallbackLine(one.id, when(one.received_at), ", ".join([said, *money]), detail, pretty(one.body))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def log_of(file: OrderFile) -> list[HistoryLine]:
    """History and notes as one, the newest first; of the same moment notes come later."""
    steps = [
        (event.at, 0, event.id, HistoryLine(what, reason_of(event), when(event.at), spoken(event.actor)))
        for event, what in moves_of(file.events, file.payments)
    ]
    notes = [
        (note.at, 1, note.id, HistoryLine("Note", note.text, when(note.at), note.author, noted=True))
        for note in file.notes
    ]
    return [line for *_, line in sorted([*steps, *notes], key=lambda one: one[:3], reverse=True)]


def sent_of(mails: tuple[OutboxEntry, ...]) -> list[Sent]:
    """The messages about the order, the newest first."""
    found = []
    for mail in reversed(mails):
        standing = state_cell(mail.state)
        found.append(
            Sent(
                mail.id,
                mail.subject or "Erased",
                mail.to,
                standing.text,
                standing.tone,
                when(mail.created_at),
            )
        )
    return found
