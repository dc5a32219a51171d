"""The state of an order's detail page. Actions apply to the order and version that the page shows, not to the address.

Only `return_payment` and `send_prompt` cause M-Pesa to move money; decisions of staff are only recorded.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.db.engine import read_scope
from agency_site.errors import Conflict, NotFound, SiteError
from agency_site.features.checkout.admin.labels import CONTACT, get_contact
from agency_site.features.checkout.admin.orders.background import (
    prompt_in_background,
    query_in_background,
    refund_in_background,
)
from agency_site.features.checkout.admin.orders.description import (
    LearnerItem,
    MessageItem,
    PaymentItem,
    build_history,
    describe_obstacle,
    describe_order,
    list_actions,
    list_credit_notes,
    list_learners,
    list_messages,
    list_payments,
)
from agency_site.features.checkout.direct_payments import manual
from agency_site.features.checkout.direct_payments.staff_request import read_manual_payment
from agency_site.features.checkout.order_details import staff_usecases
from agency_site.features.checkout.order_details.queries import find_order_detail
from agency_site.features.checkout.order_details.records import OrderDetail
from agency_site.features.checkout.orders.queries import find_order_row
from agency_site.features.checkout.orders.staff_request import (
    Contact,
    read_address,
    read_contact,
    read_note,
    read_payer,
    read_reason,
    read_receipt_number,
)
from agency_site.features.checkout.payments.claims import find_refusal
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.refunds import refunds, reversals
from agency_site.features.checkout.refunds.staff_request import read_refund
from agency_site.features.checkout.reviews import usecases as reviews
from agency_site.features.checkout.reviews.staff_request import read_decision
from agency_site.form_input import moment_field_value
from agency_site.phone_numbers import format_phone_number
from agency_site.places import places
from agency_site.ui.forms import submitted

PAYMENT_PANELS = ("decide", "receipt", "refund", "return", "kept")

OUTCOMES = (PaymentState.PAID, PaymentState.FAILED)

QUERY_WAIT = timedelta(minutes=2)
"""How long the page shows that a status query is running."""

UseCase = Callable[[AsyncSession], Awaitable[object]]


class OrderDetailState(DetailPage, StaffState):
    """The open order."""

    VIEW: ClassVar = Permission.SEE_PAYMENTS
    EDIT: ClassVar = Permission.WORK_PAYMENTS
    FIELDS: ClassVar = CONTACT

    actions: rx.Field[list[str]] = rx.field(default_factory=list)
    """The actions that are possible with the order now."""
    credit_notes: rx.Field[list[str]] = rx.field(default_factory=list)
    """Numbers of the credit notes."""
    payments: rx.Field[list[PaymentItem]] = rx.field(default_factory=list)
    learners: rx.Field[list[LearnerItem]] = rx.field(default_factory=list)
    mails: rx.Field[list[MessageItem]] = rx.field(default_factory=list)
    target: rx.Field[int] = rx.field(0)
    """The payment of the open dialog."""
    outcome: rx.Field[str] = rx.field("")
    """The selected decision about the payment under review."""
    queried: rx.Field[int] = rx.field(0)
    """The payment whose status query is running."""
    _queries_seen: int = 0
    _query_started_at: datetime | None = None

    @staff_watch(Permission.SEE_PAYMENTS)
    async def refresh(self, who: Staff) -> None:
        """Show changes by others, and the answer to a status query."""
        if self.reference:
            await self._load(who, self.reference)
            self._report_answer()

    @staff_event(Permission.WORK_MAIL)
    async def open_resend(self, _who: Staff) -> None:
        self._open_panel("resend")
        self.draft = {"address": self.facts.get("email", "")}

    @staff_event(Permission.WORK_PAYMENTS)
    async def open_contact(self, _who: Staff) -> None:
        async with read_scope() as session:
            detail = await find_order_detail(session, self.reference)
        self._open_panel("contact")
        self._open_form(detail)

    @staff_event(Permission.WORK_PAYMENTS)
    async def open_payment(self, _who: Staff, panel: str, payment_id: int) -> None:
        """Open one of `PAYMENT_PANELS` for a payment."""
        if panel not in PAYMENT_PANELS:
            return
        payment = self._find_payment(payment_id, panel)
        self._open_panel(panel)
        self.target, self._draft_version = payment.id, self.version
        self.draft = {
            "receipt": payment.receipt,
            "amount": payment.amount,
            "left": payment.left,
            "returned_as": payment.returned_as,
            "returned_at": payment.returned_at or moment_field_value(now()),
            "by_hand": "yes" if payment.by_hand else "",
            "why": payment.why,
        }

    @staff_event(Permission.WORK_PAYMENTS)
    async def open_payment_form(self, _who: Staff) -> None:
        """Open the form for a payment without a prompt."""
        if "record" in self.actions:
            self._open_panel("record")
            self.draft = {"amount": self.facts.get("due", ""), "paid_at": moment_field_value(now())}

    @staff_event(Permission.WORK_PAYMENTS)
    async def open_prompt(self, _who: Staff) -> None:
        if "prompt" in self.actions:
            self._open_panel("prompt")
            self.draft = {"phone": self.facts.get("payer", "")}

    @staff_event(Permission.WORK_PAYMENTS)
    async def send_prompt(self, who: Staff, form: dict[str, Any]) -> None:
        """Send a new prompt for the order; M-Pesa's answer is shown when it comes."""
        payer = read_payer(submitted(form))
        if "prompt" not in self.actions:
            raise Conflict("This order can't be paid now: it is already paid, or under review.")
        is_sent = await prompt_in_background(who, self.reference, payer)
        self._end_edit()
        await self._load(who, self.reference)
        self._say("The prompt was sent to the phone." if is_sent else "The prompt is being sent.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def ask_to_send_link(self, _who: Staff) -> None:
        if "prompt" in self.actions:
            self._open_panel("link")

    @staff_event(Permission.WORK_PAYMENTS)
    async def send_link(self, who: Staff) -> None:
        use_case = partial(staff_usecases.send_payment_link, reference=self.reference, actor=who.email)
        await self._run_recorded(who, "order.link_sent", use_case, "The payment link is being sent.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def choose_outcome(self, _who: Staff, outcome: str) -> None:
        """Show the fields for the selected decision."""
        self.outcome = outcome if outcome in OUTCOMES else ""
        self.errors = {}

    @staff_event(Permission.WORK_PAYMENTS)
    async def query_payment(self, who: Staff, payment_id: int) -> None:
        """Send a status query; its answer is shown when it comes."""
        payment = self._find_payment(payment_id, "query")
        self.queried, self._queries_seen, self._query_started_at = payment.id, len(payment.queries), now()
        try:
            await query_in_background(who, self.reference, payment.id)
        except SiteError:
            self.queried = 0
            await self._load(who, self.reference)
            raise
        await self._load(who, self.reference)
        self._report_answer()

    @staff_event(Permission.WORK_PAYMENTS)
    async def decide(self, who: Staff, form: dict[str, Any]) -> None:
        decision = read_decision(submitted(form))
        use_case = partial(
            reviews.resolve_review, payment_id=self._require_target(), version=self._draft_version, decision=decision,
            actor=who.email,
        )  # fmt: skip
        accepted = decision.outcome is PaymentState.PAID
        message = "Payment accepted." if accepted else "Recorded: payment not received."
        await self._run_recorded(who, f"payment.decided_{decision.outcome.value}", use_case, message)

    @staff_event(Permission.WORK_PAYMENTS)
    async def enter_receipt(self, who: Staff, form: dict[str, Any]) -> None:
        receipt = read_receipt_number(submitted(form))
        use_case = partial(
            reviews.enter_receipt, payment_id=self._require_target(), receipt=receipt, actor=who.email
        )
        await self._run_recorded(who, "payment.receipt_entered", use_case, "Receipt saved.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def refund(self, who: Staff, form: dict[str, Any]) -> None:
        refund = read_refund(submitted(form))
        use_case = partial(
            refunds.record_refund, payment_id=self._require_target(), refund=refund, actor=who.email
        )
        await self._run_recorded(who, "payment.refunded", use_case, "Refund recorded.")

    @staff_event(Permission.RETURN_PAYMENTS)
    async def return_payment(self, who: Staff, form: dict[str, Any]) -> None:
        """Have M-Pesa refund the payment; its result is shown when it comes."""
        reason, payment = read_reason(submitted(form)), self._require_target()
        accepted = await refund_in_background(who, self.reference, payment, reason)
        self._end_edit()
        await self._load(who, self.reference)
        self._say("M-Pesa is refunding the payment." if accepted else "The refund is being requested.")

    @staff_event(Permission.RETURN_PAYMENTS)
    async def give_up_return(self, who: Staff, form: dict[str, Any]) -> None:
        use_case = partial(
            reversals.give_up_reversal,
            payment_id=self._require_target(),
            reason=read_reason(submitted(form)),
            actor=who.email,
        )
        await self._run_recorded(who, "payment.return_given_up", use_case, "Recorded: not refunded.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def record_payment(self, who: Staff, form: dict[str, Any]) -> None:
        received = read_manual_payment(submitted(form))
        use_case = partial(
            manual.record_payment, reference=self.reference, received=received, actor=who.email
        )
        await self._run_recorded(who, "order.payment_recorded", use_case, "Payment recorded.")

    @staff_event(Permission.WORK_MAIL)
    async def resend(self, who: Staff, form: dict[str, Any]) -> None:
        address = read_address(submitted(form))
        use_case = partial(
            staff_usecases.resend_receipt, reference=self.reference, actor=who.email, address=address
        )
        await self._run_recorded(who, "order.receipt_resent", use_case, "The receipt is being sent.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        text = read_note(submitted(form))
        use_case = partial(staff_usecases.add_note, reference=self.reference, text=text, actor=who.email)
        await self._run_recorded(who, "order.noted", use_case, "Note saved.")

    @staff_event(Permission.WORK_PAYMENTS)
    async def save_contact(self, who: Staff, form: dict[str, Any]) -> None:
        values = submitted(form)
        options = {"place": "yes"} if "place" in values else {}
        fields = read_contact(values).model_dump()
        # Formatted as in the form, so that the comparison does not report the format as a change.
        fields["phone"] = format_phone_number(fields["phone"])
        edit = Edit("contact", fields, dict(self.draft), options)
        await self._store(who, edit, self._draft_version)

    async def _run_recorded(self, who: Staff, action: str, use_case: UseCase, message: str) -> None:
        async def work(session: AsyncSession) -> None:
            await use_case(session)
            await audit.record(session, who, action, "order", self.reference)

        await self._run(who, work, message)

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        saved = get_contact(await find_order_detail(session, self.reference))
        contact = Contact(**edit.fields, one_name=not edit.fields["last_name"])
        order = await staff_usecases.change_contact(session, self.reference, version, contact, who.email)
        corrects_place = "place" in edit.options and await places().has_learner(
            session, order.id, saved["email"]
        )
        if corrects_place:
            name = f"{contact.first_name} {contact.last_name}".strip()
            await places().correct_learner(session, order.id, saved["email"], name, contact.email)
        changed = changed_fields(CONTACT, saved, edit.fields)
        await audit.record(session, who, "order.contact_corrected", "order", self.reference, changed)
        return "Contact and the buyer's own place saved." if corrects_place else "Contact saved."

    def _reconsider(self) -> None:
        """Keep a dialog open while its action is still possible, so that staff decide again on the current data."""
        self._draft_version = self.version
        if not any(payment.id == self.target and self.panel in payment.actions for payment in self.payments):
            self._end_edit()

    def _end_edit(self) -> None:
        super()._end_edit()
        self.target, self.outcome = 0, ""

    def _require_target(self) -> int:
        """Return the payment of the open dialog.

                Raises Conflict if a change by another member of staff has closed the dialog: a submit on its way then has no
        target.
        """
        if not self.target:
            raise Conflict(
                f"Another person changed order {self.reference} in the meantime. Your changes were not saved."
            )
        return self.target

    def _find_payment(self, payment_id: int, action: str) -> PaymentItem:
        payment = next(
            (item for item in self.payments if item.id == payment_id and action in item.actions), None
        )
        if payment is None:
            raise NotFound("This action is no longer available for that payment.")
        return payment

    def _report_answer(self) -> None:
        payment = next((item for item in self.payments if item.id == self.queried), None)
        if payment and len(payment.queries) > self._queries_seen:
            self.queried = 0
            self._say(payment.answer)
        elif self._query_started_at and now() - self._query_started_at > QUERY_WAIT:
            self.queried = 0

    def _fields_of(self, record: OrderDetail) -> dict[str, str]:
        return get_contact(record)

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        detail = await find_order_detail(session, reference)
        refusal = await find_refusal(session, await find_order_row(session, reference))
        has_place = await places().has_learner(session, detail.order.id, detail.order.email)
        return {
            "reference": detail.order.reference,
            "version": detail.version,
            "facts": {
                **describe_order(detail),
                "obstacle": describe_obstacle(refusal),
                "own_place": "yes" if has_place else "",
            },
            "actions": list_actions(detail, refusal),
            "payments": list_payments(detail),
            "credit_notes": list_credit_notes(detail),
            "learners": list_learners(await places().list_order_places(session, detail.order.id)),
            "lines": build_history(detail),
            "mails": list_messages(detail.mails) if who.has_permission(Permission.SEE_MAIL) else [],
        }
