"""State of the private order page: one order as it is stored, at any time, on any device."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import format_moment, in_nairobi
from agency_site.db.engine import session_scope
from agency_site.db.outages import is_outage
from agency_site.errors import InputRejected, NotFound, SiteError
from agency_site.features.checkout.gateway import gateway
from agency_site.features.checkout.invoice import describe_paybill
from agency_site.features.checkout.messages import describe_second_payment
from agency_site.features.checkout.order_status import (
    OrderView,
    Stage,
    choose_heading,
    choose_tone,
    find_order,
)
from agency_site.features.checkout.payment_page.state import NUMBER, PaymentPageState
from agency_site.features.checkout.request import Company, add_token
from agency_site.features.checkout.rules import (
    PAYMENT_FAILED,
    PaymentFailed,
    PaymentNotStored,
    PaymentUncertain,
    PaymentUnread,
    TooManyPrompts,
    parse_payer_phone,
)
from agency_site.features.checkout.usecases import add_company, confirm_free_place, retry_payment
from agency_site.form_input import read_form
from agency_site.money import kes
from agency_site.settings import settings
from agency_site.site.layout.private_link import PrivateLink
from agency_site.ui.forms import submitted

_ORDERED = (Stage.WAITING, Stage.REVIEW, Stage.ENROLLED)
"""Stages in which another order for the course must be placed on purpose."""


@dataclass
class CreditNoteLink:
    """Where the credit note of a refund is."""

    text: str
    href: str


class OrderPageState(PrivateLink, rx.State):
    link: rx.Field[str] = rx.field("")
    """Of this page."""
    heading: rx.Field[str] = rx.field("")
    tone: rx.Field[str] = rx.field("info")
    detail: rx.Field[str] = rx.field("")
    reference: rx.Field[str] = rx.field("")
    course: rx.Field[str] = rx.field("")
    run: rx.Field[str] = rx.field("")
    """Reference of the course run; empty: there is none."""
    starts: rx.Field[str] = rx.field("")
    quantity: rx.Field[str] = rx.field("1")
    amount: rx.Field[str] = rx.field("")
    payer: rx.Field[str] = rx.field("")
    receipt: rx.Field[str] = rx.field("")
    receipt_label: rx.Field[str] = rx.field("")
    company: rx.Field[str] = rx.field("")
    """The company that pays; empty: none."""
    company_pin: rx.Field[str] = rx.field("")
    takes_company: rx.Field[bool] = rx.field(False)
    """The buyer can say that a company pays."""
    company_errors: dict[str, str] = {}
    typed_company: dict[str, str] = {}
    """What was refused, to be shown again."""
    invoice_link: rx.Field[str] = rx.field("")
    discount: rx.Field[str] = rx.field("")
    """What a coupon has taken off; empty: nothing."""
    paid_on: rx.Field[str] = rx.field("")
    paid_so_far: rx.Field[str] = rx.field("")
    """The part of the price that has arrived; empty if none or all has."""
    due: rx.Field[str] = rx.field("")
    """What remains to be paid."""
    refunded: rx.Field[str] = rx.field("")
    """How much was refunded; empty if nothing was."""
    second_payment: rx.Field[str] = rx.field("")
    """Explains money that came after the order was paid; may be empty."""
    ways_to_pay: rx.Field[str] = rx.field("")
    """Where money can be sent by hand; empty if nothing is to be paid."""
    credit_notes: rx.Field[list[CreditNoteLink]] = rx.field(default_factory=list)
    free: rx.Field[bool] = rx.field(False)
    receipt_link: rx.Field[str] = rx.field("")
    may_confirm: rx.Field[bool] = rx.field(False)
    """A free place that is yet to be confirmed."""
    may_retry: rx.Field[bool] = rx.field(False)
    order_again_link: rx.Field[str] = rx.field("")
    """Where another order for the course can be placed."""
    learners_link: rx.Field[str] = rx.field("")
    """Where the buyer says who learns; empty: there are no places."""
    polling: rx.Field[bool] = rx.field(False)
    """The page polls while the payment is undecided."""
    poll_ms: rx.Field[int] = rx.field(3000)
    busy: rx.Field[bool] = rx.field(False)
    failure: rx.Field[str] = rx.field("")
    """The exact text of the last alert."""
    reason: rx.Field[str] = rx.field("")
    number_error: rx.Field[str] = rx.field("")
    """What is wrong with the M-Pesa number."""
    away: rx.Field[bool] = rx.field(False)
    """The database is away: the page shows what it read last."""
    checks: rx.Field[int] = rx.field(0)
    """How often "Check again" was clicked, so that a click visibly does something."""
    _course: str = ""
    """The slug of the order's course."""

    @rx.event
    async def open_order(self) -> None:
        """Show the order of the link's token; a result stays when the client has only reconnected."""
        self._reset_for_another_link()
        self.poll_ms = round(settings().payment_poll_seconds * 1000)
        await self._refresh()
        if self.exists and self.order_again_link:
            # Another order can be placed from here, so the payment page needs the token of this one.
            payment_page = await self.get_state(PaymentPageState)
            payment_page.browser_orders = add_token(payment_page.browser_orders, self._course, self._token)

    @rx.event
    def begin(self) -> None:
        """React has mounted the page: reset the last result."""
        self.busy, self.checks = False, 0
        self.failure = self.reason = self.number_error = ""
        self.company_errors = {}

    @rx.event
    async def check_again(self) -> None:
        self.failure = self.reason = self.number_error = ""
        self.checks += 1
        await self._refresh()

    @rx.event
    async def poll(self) -> None:
        if self.polling:
            await self._refresh()

    @rx.event
    async def pay_again(self, form: dict[str, Any]) -> Any:
        """Send another prompt, only when the last one can no longer be answered."""
        if self.busy:
            return
        self.busy, self.failure, self.reason, self.number_error = True, "", "", ""
        yield
        try:
            await self._retry(submitted(form), self._token, self.router.session.client_ip, admit)
        finally:
            self.busy = False
        await self._refresh()

    @rx.event
    async def confirm_place(self) -> None:
        """Take the place in a free course."""
        await self._confirm_place(self._token)
        await self._refresh()

    async def _confirm_place(self, token: str) -> None:
        self.failure = self.reason = ""
        try:
            async with session_scope() as session:
                await confirm_free_place(session, token)
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    @rx.event
    async def add_company(self, form: dict[str, Any]) -> None:
        """Store the company that pays."""
        await self._add_company(submitted(form), self._token, self.router.session.client_ip, admit)
        await self._refresh()

    async def _add_company(
        self, form: Mapping[str, str], token: str, address: str, admission: Admission
    ) -> None:
        self.failure = self.reason = ""
        self.company_errors, self.typed_company = {}, {}
        try:
            await admission(Form.COMPANY, form, address)
            company = read_form(Company, form)
            async with session_scope() as session:
                await add_company(session, token, company)
        except InputRejected as rejected:
            self.company_errors = rejected.by_field()
            self.typed_company = {name: form.get(name, "")[:400] for name in ("companyName", "companyPin")}
            self.failure = "" if self.company_errors else rejected.message
        except NotFound:
            self.exists = False
        except SiteError as refused:
            self.failure = refused.message

    async def _refresh(self) -> None:
        """Show the order as it is stored. While the database is away the page stays, says so and goes on polling."""
        try:
            await self._load(find_order)
        except Exception as error:
            if not (self.exists and is_outage(error)):
                raise
            self.away = self.polling = True
        else:
            self.away = False

    async def _open_without_scripts(self, token: str) -> None:
        self._opened = token
        await self._load(find_order, token)
        if self.order_again_link:
            # Only scripts know of the orders of this browser.
            self.order_again_link += f"&after={self.reference}"

    async def _retry(self, form: Mapping[str, str], token: str, address: str, admission: Admission) -> None:
        try:
            await admission(Form.PAYMENT, form, address)
            typed = form.get(NUMBER, "")[:40]
            payer = parse_payer_phone(typed) if typed else ""
            await retry_payment(session_scope, gateway(session_scope), token, payer)
        except PaymentNotStored as failed:
            self.failure, self.reason = failed.message, failed.reason
        except PaymentUnread as unread:
            self.failure = unread.reason
        except (PaymentFailed, PaymentUncertain) as failed:
            # The page shows the reason, or what it waits for, with the order from now on.
            self.failure = failed.message if isinstance(failed, PaymentFailed) else ""
        except TooManyPrompts as full:
            self.failure, self.number_error = PAYMENT_FAILED, full.message
        except InputRejected as rejected:
            self.failure = PAYMENT_FAILED
            self.reason = "; ".join(e.message for e in rejected.errors) or rejected.message
        except SiteError as refused:
            self.failure, self.reason = PAYMENT_FAILED, refused.message

    def _show(self, order: OrderView) -> None:
        self._course = order.course_slug
        self.link = f"/order/{self._opened}"
        self.free = order.free or order.stage is Stage.UNCONFIRMED
        self.heading, self.detail = choose_heading(order), order.detail
        self.tone = choose_tone(order)
        self.reference, self.course, self.quantity = order.reference, order.course_name, str(order.quantity)
        self.run = order.run.reference if order.run else ""
        self.starts = f"{format_moment(order.run.starts_at)}, Nairobi time" if order.run else ""
        self.company, self.company_pin = order.company, order.company_pin
        self.invoice_link = f"/api/orders/{self._opened}/invoice.pdf" if order.company else ""
        self.amount = "Free" if self.free else kes(order.amount)
        self.discount = f"{kes(order.discount)} off with {order.coupon}" if order.discount else ""
        self.payer, self.receipt = order.payer, order.receipt
        self.receipt_label = order.receipt_label
        self.paid_on = f"{in_nairobi(order.paid_at):%-d %B %Y, %H:%M}" if order.paid_at else ""
        self.refunded = kes(order.refunded) if order.refunded else ""
        is_part = order.received - order.refunded > 0 and order.due > 0
        self.paid_so_far = kes(order.received - order.refunded) if is_part else ""
        self.due = kes(order.due)
        self.second_payment = describe_second_payment(order.surplus) if order.surplus else ""
        self.ways_to_pay = describe_paybill(order.reference) if order.stage is Stage.PAYABLE else ""
        self.credit_notes = [
            CreditNoteLink(
                f"Download credit note {number}" if order.credit_notes > 1 else "Download the credit note",
                f"/api/orders/{self._opened}/credit-notes/{number}.pdf",
            )
            for number in range(1, order.credit_notes + 1)
        ]
        has_receipt = order.paid and order.stage is not Stage.REFUNDED
        self.receipt_link = f"/api/orders/{self._opened}/receipt.pdf" if has_receipt else ""
        self.learners_link = f"{self.link}/learners" if order.stage is Stage.ENROLLED else ""
        self.may_retry = order.stage is Stage.PAYABLE
        self.may_confirm = order.stage is Stage.UNCONFIRMED
        self.polling = order.stage in (Stage.WAITING, Stage.REVIEW)
        # A page that refreshes itself would lose what is typed.
        self.takes_company = order.takes_company and not self.polling
        self.order_again_link = f"/payment?course={order.course_slug}" if order.stage in _ORDERED else ""
