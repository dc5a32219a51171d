"""The state of the screen on which staff place an order for a client.

The first step reads who orders what. The second shows the total and a button for each way to continue: a prompt, a payment
link, a received payment, an invoice, or a free place. Nothing is stored or sent before the second step.
"""

import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.clients import find_client
from agency_site.backoffice.detail_page import read_reference
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.content.courses import payment_list
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, FieldError, InputRejected, UpstreamFailed
from agency_site.features.checkout.admin.orders.background import complete_in_background
from agency_site.features.checkout.admin.orders.charge_request import ChargeRequest, read_charge
from agency_site.features.checkout.admin.orders.description import Fact
from agency_site.features.checkout.admin.orders.list import order_address
from agency_site.features.checkout.buying.orders import OrderDraft
from agency_site.features.checkout.buying.usecases import draft_order, open_payment, place_order
from agency_site.features.checkout.coupons.usecases import FREE_PLACE, find_coupon
from agency_site.features.checkout.direct_payments import manual
from agency_site.features.checkout.direct_payments.staff_request import (
    read_in_full,
    read_manual_payment,
    read_optional_note,
)
from agency_site.features.checkout.order_details import staff_usecases
from agency_site.features.checkout.orders.queries import find_company
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.orders.rules import (
    OrderExists,
    OrderState,
    find_unit_price,
    parse_payer_phone,
)
from agency_site.features.checkout.orders.staff_request import read_reason
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.transitions import record_event
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import find_unassigned
from agency_site.form_input import moment_field_value, read_form
from agency_site.money import kes, kes_stated
from agency_site.phone_numbers import format_phone_number
from agency_site.places import Offer, places
from agency_site.ui.forms import Option, submitted

_FIELDS = {
    "firstName": "first_name",
    "lastName": "last_name",
    "courseName": "choice",
    "run": "choice",
    "amount": "quantity",
    "companyName": "company_name",
    "companyPin": "company_pin",
}
"""This form's fields by the field names of a visitor's request."""

_FORM_FIELDS = (
    "choice", "quantity", "coupon", "first_name", "last_name", "one_name", "email", "phone", "company_name", "company_pin",
)  # fmt: skip

WAYS = ("enrol", "prompt", "link", "record", "invoice", "give")
"""The ways to continue with an order."""

Following = Callable[[AsyncSession, Order], Awaitable[object]]
"""The action that follows a new order, in the transaction that stores it."""


class NewOrder(StaffState):
    """The new order."""

    draft: dict[str, str] = {}
    """The initial values of the fields."""
    options: rx.Field[list[Option]] = rx.field(default_factory=list)
    summary: rx.Field[list[Fact]] = rx.field(default_factory=list)
    """The facts of the second step; empty during the first."""
    labels: dict[str, str] = dict.fromkeys(WAYS, "")
    """The labels of the second step's buttons; empty if a way is not possible."""
    transaction: rx.Field[str] = rx.field("")
    """The receipt of the unassigned payment that will pay for the order; empty without one."""
    transaction_text: rx.Field[str] = rx.field("")
    _first_step_fields: dict[str, str] = {}
    """The fields of the first step as submitted."""
    _client: str = ""
    """Random, the same for all clicks about one order, so that a second click places no second order."""

    @staff_page(Permission.WORK_PAYMENTS)
    async def open_form(self, who: Staff) -> None:
        """Fill the form: in the address, `list` and `ref` name a record of the client, `transaction` an unassigned payment."""
        self.summary, self._first_step_fields, self.errors = [], {}, {}
        async with read_scope() as session:
            client = await find_client(session, who, self.router.url.query_parameters)
            company = await find_company(session, client.email) if client else ("", "")
            await self._load_transaction(session)
        await self._load_options()
        first, _, last = client.name.partition(" ") if client else ("", "", "")
        contact = {"email": client.email, "phone": format_phone_number(client.phone)} if client else {}
        self.draft = {
            "first_name": first,
            "last_name": last,
            "quantity": "1",
            "company_name": company[0],
            "company_pin": company[1],
            **contact,
        }

    async def _load_transaction(self, session: AsyncSession) -> None:
        self.transaction = self.transaction_text = ""
        if receipt := read_reference(self, "transaction"):
            transaction = await find_unassigned(session, receipt)
            self.transaction, self.transaction_text = transaction.receipt, _describe_transaction(transaction)

    @staff_watch(Permission.WORK_PAYMENTS)
    async def refresh(self, _who: Staff) -> None:
        """Show which runs are open now."""
        await self._load_options()

    async def _load_options(self) -> None:
        async with read_scope() as session:
            options = list_options(await places().list_offers(session))
        if options != self.options:
            self.options = options

    @staff_event(Permission.WORK_PAYMENTS)
    async def check(self, _who: Staff, form: dict[str, Any]) -> None:
        """Show the total and the ways to continue; nothing is stored or sent."""
        fields = submitted(form)
        charge = read_charge(fields)
        with _name_fields():
            draft = await draft_order(
                session_scope, await _build_request(charge), contact=charge.phone, state=OrderState.UNPAID
            )
        self._first_step_fields = {name: fields.get(name, "")[:400] for name in _FORM_FIELDS}
        self._client = secrets.token_hex(16)
        self.labels = {**dict.fromkeys(WAYS, ""), **_label_ways(charge, draft)}
        self.summary = _summarize(charge, draft)
        self.draft = {"amount": f"{draft.amount:,}", "paid_at": moment_field_value(now())}

    @staff_event(Permission.WORK_PAYMENTS)
    async def change(self, _who: Staff) -> None:
        """Go back to the first step with its fields."""
        self.summary, self.draft, self.errors = [], dict(self._first_step_fields), {}

    @staff_event(Permission.WORK_PAYMENTS)
    async def charge(self, who: Staff) -> Any:
        """Place the order and send the prompt; the order's page shows the result."""
        with _name_fields():
            draft = await self._draft(who, OrderState.AWAITING)
            opened = await open_payment(session_scope, draft)
        # The order's page shows the error, and offers another prompt or the payment link.
        with suppress(UpstreamFailed):
            await complete_in_background(who, opened)
        return rx.redirect(order_address(opened.order.reference))

    @staff_event(Permission.WORK_PAYMENTS)
    async def send_link(self, who: Staff) -> Any:
        """Place the order and mail the link to its page."""

        async def send(session: AsyncSession, order: Order) -> None:
            await staff_usecases.send_payment_link(session, order.reference, who.email)

        return await self._place(who, send, "payment link sent")

    @staff_event(Permission.WORK_PAYMENTS)
    async def invoice_only(self, who: Staff) -> Any:
        """Place the order; nothing is sent."""
        return await self._place(who, _do_nothing, "invoice only")

    @staff_event(Permission.WORK_PAYMENTS)
    async def record(self, who: Staff, form: dict[str, Any]) -> Any:
        """Place the order with a payment that was received already."""
        received = read_manual_payment(submitted(form))

        async def pay(session: AsyncSession, order: Order) -> None:
            await manual.record_payment(session, order.reference, received, who.email)

        return await self._place(who, pay, "payment recorded")

    @staff_event(Permission.WORK_PAYMENTS)
    async def assign(self, who: Staff, form: dict[str, Any]) -> Any:
        """Place the order with the unassigned payment."""
        fields, receipt = submitted(form), self.transaction
        explanation, in_full = read_optional_note(fields), read_in_full(fields)

        async def pay(session: AsyncSession, order: Order) -> None:
            await manual.assign_transaction(
                session, receipt, order.reference, explanation, who.email, in_full=in_full
            )

        return await self._place(who, pay, f"payment {receipt} assigned")

    @staff_event(Permission.WORK_PAYMENTS)
    async def give(self, who: Staff, form: dict[str, Any]) -> Any:
        """Place the order free of charge: a sponsored place, or a trainer's."""
        reason = read_reason(submitted(form))

        async def explain(session: AsyncSession, order: Order) -> None:
            record_event(session, order, None, who.email, f"free of charge: {reason}")

        return await self._place(who, explain, "free of charge", free=True)

    @staff_event(Permission.WORK_PAYMENTS)
    async def enrol(self, who: Staff) -> Any:
        """Place an order that its coupon makes free."""
        return await self._place(who, _do_nothing, "free with a coupon")

    async def _place(self, who: Staff, following: Following, description: str, *, free: bool = False) -> Any:
        async def follow(session: AsyncSession, order: Order) -> None:
            await following(session, order)
            await audit.record(session, who, "order.placed", "order", order.reference, description)

        with _name_fields():
            draft = await self._draft(who, OrderState.UNPAID, free=free)
            order = await place_order(session_scope, draft, follow)
        return rx.redirect(order_address(order.reference))

    async def _draft(self, who: Staff, state: OrderState, *, free: bool = False) -> OrderDraft:
        """Return the order of the second step. Raises Conflict without one, and InputRejected if its price has changed since."""
        if not self.summary:
            raise Conflict("Please fill in the order first.")
        charge = read_charge(self._first_step_fields)
        request = await _build_request(charge, free=free)
        return await draft_order(
            session_scope,
            request,
            contact=charge.phone,
            client=self._client,
            actor=who.email,
            coupon=FREE_PLACE if free else None,
            state=state,
        )


async def _do_nothing(_session: AsyncSession, _order: Order) -> None:
    """Let no action follow the order."""


@contextmanager
def _name_fields() -> Iterator[None]:
    """Translate errors of use cases into the messages and fields of this form."""
    try:
        yield
    except OrderExists as exists:
        raise Conflict(
            f"The client has an order for this course already, {exists.reference}: it is paid, paid in part, or waiting for "
            "M-Pesa. Nothing was charged."
        ) from exists
    except InputRejected as rejected:
        errors = (
            FieldError(_FIELDS.get(error.field, error.field), error.message) for error in rejected.errors
        )
        raise InputRejected(rejected.message, tuple(errors)) from None


async def _build_request(charge: ChargeRequest, *, free: bool = False) -> CheckoutRequest:
    """Return the request that a visitor would send for this order, at the list price."""
    course, run = charge.choice
    async with read_scope() as session:
        offer = await places().find_offer(session, course.slug, run) if run else None
        coupon = (
            await find_coupon(session, charge.coupon, course.slug, run, charge.email)
            if charge.coupon and not free
            else None
        )
    total = find_unit_price(course, offer) * charge.quantity
    discount = FREE_PLACE.discount if free else coupon.discount if coupon else None
    return read_form(
        CheckoutRequest,
        {
            "firstName": charge.first_name,
            "lastName": charge.last_name,
            "oneName": charge.one_name,
            "email": charge.email,
            "phone": charge.phone,
            "courseName": course.payment_name,
            "run": run,
            "quantity": charge.quantity,
            "coupon": coupon.code if coupon else "",
            "amount": total - (discount.of(total) if discount else 0),
            "companyName": charge.company_name,
            "companyPin": charge.company_pin,
        },
    )


def _describe_transaction(transaction: UnassignedTransaction) -> str:
    return f"{kes_stated(transaction.amount)} of {when(transaction.booked_at)}, receipt {transaction.receipt}"


def _summarize(charge: ChargeRequest, draft: OrderDraft) -> list[Fact]:
    company = f"{charge.company_name}, KRA PIN {charge.company_pin}" if charge.company_name else ""
    discount = f"{draft.coupon_code}, less {kes(draft.discount)}" if draft.coupon_code else ""
    lines = (
        ("Client", f"{charge.first_name} {charge.last_name}".strip()),
        ("E-mail", charge.email),
        ("Phone", format_phone_number(charge.phone)),
        ("Company", company),
        ("Course", draft.course.payment_name),
        ("Course run", draft.offer.text if draft.offer else ""),
        ("Places", f"{draft.quantity} at {kes(draft.unit_price)}"),
        ("Coupon", discount),
        ("Total", kes(draft.amount)),
    )
    return [Fact(label, text) for label, text in lines if text]


def _label_ways(charge: ChargeRequest, draft: OrderDraft) -> dict[str, str]:
    total = kes(draft.amount)
    if not draft.amount:
        return {"enrol": f"Enrol {charge.email} free of charge"}
    prompt = (
        {"prompt": f"Send a prompt for {total} to {format_phone_number(charge.phone)}"}
        if _takes_prompt(charge)
        else {}
    )
    return {
        **prompt,
        "link": f"E-mail {charge.email} a link to pay {total}",
        "record": f"Record a payment of {total}",
        "invoice": f"Place the order for {total} and send nothing",
        "give": f"Enrol free of charge, worth {total}",
    }


def _takes_prompt(charge: ChargeRequest) -> bool:
    """Return whether the client's phone can get an M-Pesa prompt."""
    try:
        parse_payer_phone(charge.phone)
    except InputRejected:
        return False
    return True


def list_options(offers: Sequence[Offer]) -> list[Option]:
    """Return every open course with a price: each open run with free places, and the course without a run."""
    runs: dict[str, list[Offer]] = {}
    for offer in offers:
        if offer.free != 0:
            runs.setdefault(offer.course_slug, []).append(offer)
    options = []
    for course in (course for course in payment_list() if course.is_open):
        course_runs = runs.get(course.slug, [])
        options += [
            Option(f"{course.slug} {offer.run}", f"{course.payment_name}: {offer.text}")
            for offer in course_runs
        ]
        options.append(
            Option(course.slug, f"{course.payment_name}: a later run" if course_runs else course.payment_name)
        )
    return options
