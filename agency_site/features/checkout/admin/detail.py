"""One order as staff see and work it: what its page does.

Everything acts on the order and the version that the page shows, never on the address. No handler here moves money:
what staff decide is written down, and what they ask M-Pesa changes nothing there.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.edit_conflicts import Difference, Merge
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.outbox.labels import state_cell
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound, SiteError, StaleRecord
from agency_site.features.checkout import reviews, staff_usecases
from agency_site.features.checkout.admin.labels import (
    CONTACT,
    describe_answer,
    describe_events,
    format_actor,
    format_json,
    format_outcome,
    format_reason,
    format_result,
    get_contact,
    order_cell,
    payment_cell,
    places,
    shillings,
)
from agency_site.features.checkout.admin.payment_query import ask_mpesa
from agency_site.features.checkout.jobs import UNSENT
from agency_site.features.checkout.records import CallbackRecord, OrderDetail, PaymentRecord
from agency_site.features.checkout.rules import RECEIVED, OrderState, PaymentState, kes
from agency_site.features.checkout.staff_request import (
    Contact,
    read_address,
    read_contact,
    read_decision,
    read_note,
    read_receipt_number,
    read_refund,
)
from agency_site.mail.staff_usecases import OutboxEntry
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.forms import submitted


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
class PaymentItem:
    """One payment with everything that M-Pesa stated about it."""

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
class MessageItem:
    """One message about the order."""

    id: int
    subject: str
    recipient: str
    state: str
    tone: str
    at: str


def describe_order(file: OrderDetail) -> dict[str, str]:
    """All that the page says about the order itself."""
    order, seat = file.order, file.enrolment
    standing = order_cell(order.state)
    return {
        "standing": standing.text,
        "tone": standing.tone,
        "name": f"{order.first_name} {order.last_name}".strip() or "Erased on request",
        "email": order.email,
        "phone": order.phone,
        "dialled": format_phone_number(order.phone),
        "course": order.course_name,
        "places": places(order.quantity),
        "sum": f"{places(order.quantity)} at {kes(order.unit_price)}" if order.quantity > 1 else "",
        "amount": kes(order.amount),
        "placed": when(order.created_at),
        "changed": when(order.updated_at) if order.updated_at > order.created_at else "",
        "enrolled": when(seat.created_at) if seat else "",
        "ended": when(seat.ended_at) if seat else "",
    }


def list_actions(file: OrderDetail) -> list[str]:
    """What staff can do with the order now: `contact`, `resend`, `receipt`."""
    steps = ["contact"] if file.order.email else []
    settled = file.order.state in (OrderState.PAID, OrderState.FREE)
    steps += ["resend"] if settled and file.order.email else []
    return steps + (["receipt"] if any(one.state is PaymentState.PAID for one in file.payments) else [])


def list_payments(file: OrderDetail) -> list[PaymentItem]:
    """The payments, the newest first."""
    count = len(file.payments)
    found = [
        _build_payment(file, one, f"Payment {number}" if count > 1 else "Payment")
        for number, one in enumerate(file.payments, 1)
    ]
    return found[::-1]


def _build_payment(file: OrderDetail, one: PaymentRecord, title: str) -> PaymentItem:
    standing = payment_cell(one.state)
    return PaymentItem(
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
        callbacks=[_callback(one_callback) for one_callback in one.callbacks],
        queries=[
            QueryLine(
                asked.id,
                when(asked.at),
                format_actor(asked.actor),
                _capital(format_outcome(asked.outcome)),
                format_result(asked.result_code, asked.result_text),
            )
            for asked in one.status_queries
        ],
    )


def _why(file: OrderDetail, one: PaymentRecord) -> str:
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
    steps += ["receipt"] if one.state in RECEIVED and not one.receipt else []
    steps += ["ask"] if one.checkout_request_id and one.state not in UNSENT and one.phone else []
    return steps + (["refund"] if one.state is PaymentState.PAID else [])


def _payment_facts(one: PaymentRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("Requested", when(one.created_at)),
        ("Phone", format_phone_number(one.phone) or "Erased"),
        ("M-Pesa receipt", one.receipt or ("Not available yet" if one.state in RECEIVED else "")),
        ("Result", format_result(one.result_code, one.result_text)),
        ("Settled on", when(one.settled_at)),
        ("Next check", when(one.due_at)),
        ("Refunded on", when(one.refunded_at)),
        ("Refund reference", one.refund_reference or ""),
        ("Reason", one.refund_reason),
    )


def _payment_ids(one: PaymentRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("MerchantRequestID", one.merchant_request_id or ""),
        ("CheckoutRequestID", one.checkout_request_id or ""),
    )


def _callback(one: CallbackRecord) -> CallbackLine:
    said = _capital(format_outcome(one.outcome))
    money = [f"over {shillings(one.amount)}"] if one.amount else []
    money += [f"receipt {one.receipt}"] if one.receipt else []
    came = "once" if one.deliveries == 1 else f"{one.deliveries} times"
    done = one.note or ("Handled" if one.handled_at else "Not handled yet")
    where = f"Received {came} from {one.source or 'an unknown address'}"
    detail = ". ".join(filter(None, (format_result(one.result_code, one.result_text), where, _capital(done))))
    return CallbackLine(
        one.id, when(one.received_at), ", ".join([said, *money]), detail, format_json(one.body)
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def build_history(file: OrderDetail) -> list[HistoryLine]:
    """History and notes as one, the newest first; of the same moment notes come later."""
    steps = [
        (
            event.at,
            0,
            event.id,
            HistoryLine(what, format_reason(event), when(event.at), format_actor(event.actor)),
        )
        for event, what in describe_events(file.events, file.payments)
    ]
    notes = [
        (note.at, 1, note.id, HistoryLine("Note", note.text, when(note.at), note.author, noted=True))
        for note in file.notes
    ]
    return [line for *_, line in sorted([*steps, *notes], key=lambda one: one[:3], reverse=True)]


def list_messages(mails: tuple[OutboxEntry, ...]) -> list[MessageItem]:
    """The messages about the order, the newest first."""
    found = []
    for mail in reversed(mails):
        standing = state_cell(mail.state)
        found.append(
            MessageItem(
                mail.id,
                mail.subject or "Erased",
                mail.to,
                standing.text,
                standing.tone,
                when(mail.created_at),
            )
        )
    return found


PANELS = ("contact", "resend", "decide", "receipt", "refund")
OUTCOMES = (PaymentState.PAID, PaymentState.FAILED)
LONGEST = timedelta(minutes=2)
"""After this long nobody waits for an answer of M-Pesa any more."""
UseCase = Callable[[AsyncSession], Awaitable[Any]]


class OrderDetailState(StaffState):
    """The order that is open."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    steps: rx.Field[list[str]] = rx.field(default_factory=list)
    pushes: rx.Field[list[PaymentItem]] = rx.field(default_factory=list)
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    mails: rx.Field[list[MessageItem]] = rx.field(default_factory=list)
    panel: rx.Field[str] = rx.field("")
    """What is being done: one of `PANELS`, or nothing."""
    target: rx.Field[int] = rx.field(0)
    """The payment that it is done to."""
    asking: rx.Field[int] = rx.field(0)
    """The payment whose status is being checked."""
    outcome: rx.Field[str] = rx.field("")
    """What is about to be decided of the payment under review."""
    draft: dict[str, str] = {}
    """The contact as it stood when somebody began to correct it; the receipt that M-Pesa states."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has saved meanwhile, beside what is being saved."""
    _base: dict[str, str] = {}
    _base_version: int = 0
    _merge: Merge | None = None
    """What is disputed, while it is."""
    _merged_version: int = 0
    _queries_seen: int = 0
    _query_started_at: datetime | None = None

    @staff_page(Permission.SEE_PAYMENTS)
    async def open_order(self, who: Staff) -> None:
        """Show the order that the address names."""
        if not self._returned:
            self._forget()
        await self._load(who, str(self.router.url.query_parameters.get("ref", ""))[:20])

    @staff_watch(Permission.SEE_PAYMENTS)
    async def poll(self, who: Staff) -> None:
        """Show what others do to it, and what M-Pesa has answered meanwhile."""
        if self.reference:
            self._report_answer(await self._load(who, self.reference))

    @staff_event(Permission.WORK_MAIL)
    async def start_resend(self, _who: Staff) -> None:
        """Begin to send the receipt again."""
        self._begin_panel("resend", {"address": self.facts.get("email", "")})

    @staff_event(Permission.WORK_PAYMENTS)
    async def start_contact(self, _who: Staff) -> None:
        """Begin to correct who the order belongs to."""
        async with read_scope() as session:
            file = await staff_usecases.find_order_detail(session, self.reference)
        self._base, self._base_version = get_contact(file), file.order.version
        self._begin_panel("contact", self._base)

    @staff_event(Permission.WORK_PAYMENTS)
    async def start(self, _who: Staff, panel: str, payment_id: int) -> None:
        """Begin to decide a payment, to enter its receipt, or to note that it was given back."""
        push = self._find_payment(payment_id, panel)
        self.target, self.outcome, self._base_version = push.id, "", self.version
        self._begin_panel(str(panel), {"receipt": push.receipt, "amount": push.amount, "why": push.why})

    @staff_event(Permission.SEE_PAYMENTS)
    async def stop(self, _who: Staff) -> None:
        """Leave it as it is."""
        self._close()

    @staff_event(Permission.WORK_PAYMENTS)
    async def choose(self, _who: Staff, outcome: str) -> None:
        """Show what the chosen decision needs."""
        self.outcome = outcome if isinstance(outcome, str) and outcome in OUTCOMES else ""
        self.errors = {}

    @staff_event(Permission.WORK_PAYMENTS)
    async def ask_mpesa(self, who: Staff, payment_id: int) -> None:
        """Send a status query; its answer is shown at once, or when it comes."""
        push = self._find_payment(payment_id, "ask")
        self.asking, self._queries_seen, self._query_started_at = push.id, len(push.queries), now()
        try:
            await ask_mpesa(who, self.reference, push.id)
        except SiteError:
            self.asking = 0
            await self._load(who, self.reference)
            raise
        self._report_answer(await self._load(who, self.reference))

    @staff_event(Permission.WORK_PAYMENTS)
    async def decide(self, who: Staff, form: dict[str, Any]) -> None:
        decision = read_decision(submitted(form))
        use_case = partial(
            reviews.resolve_review, payment_id=self.target, version=self._base_version, decision=decision,
            actor=who.email,
        )  # fmt: skip
        done = (
            "Payment accepted."
            if decision.outcome is PaymentState.PAID
            else "Recorded: payment not received."
        )
        await self._run(who, f"payment.decided_{decision.outcome.value}", use_case, done)

    @staff_event(Permission.WORK_PAYMENTS)
    async def enter_receipt(self, who: Staff, form: dict[str, Any]) -> None:
        receipt = read_receipt_number(submitted(form))
        use_case = partial(reviews.enter_receipt, payment_id=self.target, receipt=receipt, actor=who.email)
        await self._run(who, "payment.receipt_entered", use_case, "Receipt saved.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def refund(self, who: Staff, form: dict[str, Any]) -> None:
        refund = read_refund(submitted(form))
        use_case = partial(reviews.record_refund, payment_id=self.target, refund=refund, actor=who.email)
        await self._run(who, "payment.refunded", use_case, "Refund recorded.")

    @staff_event(Permission.WORK_MAIL)
    async def resend(self, who: Staff, form: dict[str, Any]) -> None:
        address = read_address(submitted(form))
        use_case = partial(
            staff_usecases.resend_receipt, reference=self.reference, actor=who.email, address=address
        )
        await self._run(who, "order.receipt_resent", use_case, "The receipt is being sent.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        text = read_note(submitted(form))
        use_case = partial(staff_usecases.add_note, reference=self.reference, text=text, actor=who.email)
        await self._run(who, "order.noted", use_case, "Note saved.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def correct(self, who: Staff, form: dict[str, Any]) -> None:
        await self._save(who, read_contact(submitted(form)).model_dump(), self._base_version)

    @staff_event(Permission.WORK_PAYMENTS)
    async def keep_theirs(self, who: Staff) -> None:
        """Discard what both changed; what only the second changed is saved."""
        merge = self._merge
        if merge and merge.with_theirs() != merge.theirs:
            await self._save(who, merge.with_theirs(), self._merged_version)
            return
        self._close()
        await self._load(who, self.reference)
        self._say("Kept the other version.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save what was typed over what the other saved."""
        if self._merge:
            await self._save(who, self._merge.with_mine(), self._merged_version)

    async def _run(self, who: Staff, action: str, use_case: UseCase, done: str) -> None:
        try:
            async with session_scope() as session:
                await use_case(session)
                await audit.record(session, who, action, "order", self.reference)
        except StaleRecord:
            # What was about to be done was decided on facts that have changed: look first, then it can be done still.
            await self._load(who, self.reference)
            self._base_version = self.version
            if not any(one.id == self.target and self.panel in one.steps for one in self.pushes):
                self._close()
            raise
        self._close()
        await self._load(who, self.reference)
        self._say(done)

    async def _save(self, who: Staff, mine: dict[str, str], version: int) -> None:
        try:
            async with session_scope() as session:
                await staff_usecases.change_contact(
                    session, self.reference, version, Contact(**mine), who.email
                )
                changed = changed_fields(CONTACT, self._base, mine)
                await audit.record(session, who, "order.contact_corrected", "order", self.reference, changed)
        except StaleRecord as stale:
            await self._compare(who, mine, stale.current)
            return
        self._close()
        await self._load(who, self.reference)
        self._say("Contact saved.")

    async def _compare(self, who: Staff, mine: dict[str, str], current: OrderDetail) -> None:
        merge = Merge(self._base, get_contact(current), mine)
        self.found = merge.disputed(CONTACT)
        if not self.found:
            await self._save(who, merge.with_mine(), current.order.version)
            return
        self._merge, self._merged_version = merge, current.order.version
        await self._load(who, self.reference)

    def _find_payment(self, payment_id: object, step: object) -> PaymentItem:
        found = next((one for one in self.pushes if one.id == payment_id and step in one.steps), None)
        if found is None:
            raise NotFound("This action is no longer available for that payment.")
        return found

    def _begin_panel(self, panel: str, draft: dict[str, str]) -> None:
        self.panel = panel if self.reference and panel in PANELS else ""
        self.draft, self.found = dict(draft), []
        self.errors, self.problem = {}, ""

    def _close(self) -> None:
        self.panel, self.found, self.errors, self.target, self.outcome = "", [], {}, 0, ""
        self._merge = None

    def _forget(self) -> None:
        self._close()
        self.reference, self.version, self.facts, self.steps = "", 0, {}, []
        self.pushes, self.lines, self.mails, self.asking = [], [], [], 0

    def _report_answer(self, file: OrderDetail) -> None:
        payment = next((one for one in file.payments if one.id == self.asking), None)
        if payment and len(payment.status_queries) > self._queries_seen:
            self.asking = 0
            self._say(describe_answer(payment, payment.status_queries[-1]))
        elif self._query_started_at and now() - self._query_started_at > LONGEST:
            self.asking = 0

    async def _load(self, who: Staff, reference: str) -> OrderDetail:
        async with read_scope() as session:
            file = await staff_usecases.find_order_detail(session, reference)
        self.reference, self.version = file.order.reference, file.order.version
        mails = list_messages(file.mails) if who.has_permission(Permission.SEE_MAIL) else []
        for name, value in (
            ("facts", describe_order(file)), ("steps", list_actions(file)), ("pushes", list_payments(file)),
            ("lines", build_history(file)), ("mails", mails),
        ):  # fmt: skip
            # Only what has changed travels to the browser.
            if getattr(self, name) != value:
                setattr(self, name, value)
        return file
