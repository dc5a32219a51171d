"""The state of the payment page: its form and dialog, on top of the choice of a course and the watched order."""

import logging
import re
import secrets
from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.characters import is_blank
from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.outages import is_outage
from agency_site.errors import Conflict, FieldError, InputRejected, SiteError
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.buying.usecases import StartedPayment, request_free_place, start_payment
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.coupons.usecases import find_coupon
from agency_site.features.checkout.orders.request import (
    COUPON_LENGTH,
    REFERENCE_LENGTH,
    CheckoutRequest,
    Enrollee,
    parse_contact_phone,
)
from agency_site.features.checkout.orders.rules import (
    PAYMENT_FAILED,
    Discount,
    OrderExists,
    RunFull,
    format_after_prefix,
    parse_quantity,
)
from agency_site.features.checkout.payment_page.course_choice import PRICE, RUN
from agency_site.features.checkout.payment_page.watched_order import WatchedOrder
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.messages import BROKEN
from agency_site.features.checkout.payments.rules import (
    PaymentFailed,
    PaymentNotStored,
    PaymentUncertain,
    TooManyPrompts,
)
from agency_site.form_input import read_form
from agency_site.money import kes
from agency_site.settings import settings
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.forms import submitted
from agency_site.visits.cookie import parse_origin
from agency_site.visits.rules import Origin

MAILBOX = "Check your e-mail"
CONFIRM_THERE = (
    "We have sent an e-mail to {email}. Open the link in it and confirm your place: you are then enrolled. "
    "If it does not arrive within a few minutes, check your spam folder, or call us."
)
ENTER_PIN = "Enter your M-Pesa PIN on your phone. We are watching for the answer."
DETAILS = ("firstName", "lastName", "oneName", "email", "phone", "smsReminders", "companyName", "companyPin")
"""Fields of the main form that the payment repeats."""
NUMBER = "mpesaPhone"
"""The field of the dialog for the M-Pesa number."""
COUPON, DISCOUNT = "coupon", "discount"
"""Fields of the coupon's code, and of the whole shillings that the visitor was shown it takes off."""
PLACE = "place"
"""Field, and parameter of the address, with the token of a place that a waiting list keeps."""
_LONGEST_DETAIL, _LONGEST_CLIENT, _LONGEST_TOKEN = 400, 64, 64
_REFERENCE = re.compile(r"[A-Z]{2}-[A-Z0-9]{4,9}")


log = logging.getLogger(__name__)


def new_client() -> str:
    """Return a secret by which the server recognises the orders that one form creates."""
    return secrets.token_hex(16)


class PaymentPageState(GuardedForm, WatchedOrder, rx.State):
    """The form on `/payment` and its dialog.

    The page shows the form if the course has no order or an unpaid one, otherwise the order (`stage`, read from the database).
    Each field but the chosen course belongs to one course and is reset with it.

    It is one state in three classes: what is due follows from choice and coupon, and a second state would be a second
    message for each click.
    """

    coupon: rx.Field[str] = rx.field("")
    """Code of the coupon that is used; empty if there is none."""
    discount: rx.Field[int] = rx.field(0)
    """Whole shillings that it takes off."""
    failure: rx.Field[str] = rx.field("")
    modal: rx.Field[bool] = rx.field(False)
    busy: rx.Field[bool] = rx.field(False)
    known_number: rx.Field[str] = rx.field("")
    """The form's phone, as the initial value of the dialog's field."""
    number_error: rx.Field[str] = rx.field("")
    """The error of the M-Pesa number in the dialog."""
    client: rx.Field[str] = rx.field("")
    """Secret of this tab, by which the server recognises the orders that it created."""
    details: dict[str, str] = {}
    """The submitted details of the main form, for the form that asks for the M-Pesa number."""

    _opened_course: str | None = None
    """The course in the address with which the form was opened."""

    @rx.var
    def due(self) -> str:
        """The charge after the coupon's discount; empty while the quantity is not a number."""
        count = parse_quantity(self.quantity)
        return kes(self.unit_price * count - self.discount) if count else ""

    @rx.var
    def discount_note(self) -> str:
        """The price before the coupon, such as `KES 30,000 less KES 3,000 with JANUARY-10`; empty without a coupon."""
        return f"{self.total} less {kes(self.discount)} with {self.coupon}" if self.discount else ""

    @rx.event
    async def open_page(self) -> None:
        """Show another course of the address, or read order and runs again after a reconnect: a choice made since stays."""
        if self._opened_course is None:
            # A page that has just been opened begins with `begin`.
            return
        self._restore_tokens()
        if self._opened_course != self._parameter("course"):
            await self._open_form()
        elif not self.stage:
            await self._show_newest_order()
            await self._load_runs()

    @rx.event
    async def begin(self, form: dict[str, Any]) -> None:
        """Begin with the form that the server has drawn; without one, with the address. A state that has begun goes on."""
        if self._opened_course is not None:
            return
        self.poll_ms = round(settings().payment_poll_seconds * 1000)
        fields = submitted(form)
        if not fields.get("client"):
            await self._open_form()
            return
        self._opened_course = self._parameter("course")
        self._read_posted(fields)
        self.coupon = ""
        await self._show_newest_order()
        await self._load_runs()

    async def _open_form(self) -> None:
        self.client = self.client or new_client()
        self._opened_course = self._parameter("course")
        self._choose(course_by_slug(self._opened_course))
        self.place = self._parameter(PLACE)[:_LONGEST_TOKEN]
        await self._show_newest_order()
        await self._load_runs()
        after = self._parameter("after")
        if self.shows_order and self.reference == after:
            self.order_again()
        if not self.shows_order and _REFERENCE.fullmatch(after):
            # From the page of an order that this browser does not know.
            self.previous = after

    def _parameter(self, name: str) -> str:
        return str(self.router.url.query_parameters.get(name, ""))

    def _open_without_scripts(self, slug: str, previous: str, client: str = "", place: str = "") -> None:
        """Open the form for a course in a new state; `previous` is the order after which another one is placed, if any.

        Errors are not touched: a page that React adopts keeps those that the server has drawn.
        """
        self._open_course(course_by_slug(slug))
        self.place = place[:_LONGEST_TOKEN]
        self.previous = previous if _REFERENCE.fullmatch(previous) else ""
        self.client = client[:_LONGEST_CLIENT] or new_client()

    def _read_posted(self, fields: Mapping[str, str]) -> None:
        """Restore the page from which a browser without scripts posted a form."""
        self._open_without_scripts(
            fields.get("course", ""),
            fields.get("previousOrder", ""),
            fields.get("client", ""),
            fields.get(PLACE, ""),
        )
        self.run, self._offers_shown = fields.get(RUN, "")[:REFERENCE_LENGTH], RUN in fields
        self._price_shown = parse_quantity(fields.get(PRICE, ""))
        self._set_quantity(fields.get("quantity", "1"))
        self.coupon = fields.get(COUPON, "")[:COUPON_LENGTH]
        self.discount = parse_quantity(fields.get(DISCOUNT, ""))
        self._keep_details(fields)

    def _keep_details(self, fields: Mapping[str, str]) -> None:
        self.details = {name: fields.get(name, "")[:_LONGEST_DETAIL] for name in DETAILS}
        self.known_number = format_after_prefix(self.details["phone"])

    def _choose(self, course: Course | None) -> None:
        """Begin anew with a course, or with the question for one."""
        self._reset_choice(course)
        self._reset_order()
        self.failure = self.number_error = self.known_number = self.coupon = ""
        self.discount, self.details = 0, {}
        self.modal = self.busy = False

    @rx.event
    async def choose_course(self, slug: str) -> None:
        course = course_by_slug(slug)
        if course is not None and course.slug != self.slug:
            self._choose(course)
            await self._show_newest_order()
            await self._load_runs()

    async def _use_coupon(self, code: str) -> None:
        """Use the coupon of that code, or none if it is blank. Raises InputRejected if it cannot be used for the choice."""
        self.coupon, self.discount = "", 0
        if is_blank(code):
            return
        try:
            async with read_scope() as session:
                offer = await find_coupon(session, code, self.slug, self.run, self.details["email"])
        except Exception as error:
            if is_outage(error):
                raise PaymentNotStored from error
            raise
        total = self.unit_price * parse_quantity(self.quantity)
        self.coupon, self.discount = offer.code, offer.discount.of(total)

    async def _check_coupon(self) -> None:
        """Read the coupon again. Raises InputRejected unless it takes off the amount that the visitor was shown."""
        shown_discount = self.discount
        await self._use_coupon(self.coupon)
        if self.discount != shown_discount:
            message = f"The coupon now takes off {kes(self.discount)}, not {kes(shown_discount)}. Nothing was charged."
            raise InputRejected(message, (FieldError(COUPON, message),))

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Check the main form; then ask for the M-Pesa number, or enrol at once if nothing is due."""
        if not self.shows_order and not self.busy:
            self.client = self.client or new_client()
            await self._check(
                submitted(form),
                self.router.session.client_ip,
                admit,
                parse_origin(self.router.headers.cookie),
            )
        self.answers += 1

    async def _check(
        self, form: Mapping[str, str], address: str, admission: Admission, origin: Origin
    ) -> None:
        self._clear_messages()
        self.focuses_order = False
        self._keep_details(form)
        recipient = self.details["email"] if self.free else ""
        try:
            await admission(Form.ENROLMENT, form, address, recipient)
            await self._check_choice()
            if self.free:
                await self._request_free_place(origin)
                return
            await self._use_coupon(form.get(COUPON, ""))
            request = self._read_request(self.details["phone"])
            if request.amount:
                self.modal = True
            else:
                # A coupon takes off the whole price.
                order = await self._start_payment(request.from_visit(origin))
                await self._remember(order.reference, order.token)
                self.focuses_order = True
        except OrderExists as exists:
            await self._show_existing(exists)
        except RunFull as full:
            await self._load_runs()
            self.errors, self.failure = {RUN: full.message}, full.message
        except CouponUsedUp as used_up:
            self.errors, self.failure = {COUPON: used_up.message}, used_up.message
        except PaymentNotStored as failed:
            self.failure = failed.reason
        except InputRejected as rejected:
            self.errors, self.failure = rejected.by_field(), rejected.message
        except SiteError as refused:
            self.failure = refused.message

    def _clear_messages(self) -> None:
        self.errors, self.failure = {}, ""
        self.message = self.explanation = self.number_error = ""

    async def _request_free_place(self, origin: Origin) -> None:
        enrollee = read_form(Enrollee, self._order_fields).from_visit(origin)
        await request_free_place(session_scope, enrollee, client=self.client, place=self.place)
        self._alert("success", MAILBOX, CONFIRM_THERE.format(email=enrollee.email))

    async def _start_payment(self, request: CheckoutRequest, address: str = "") -> StartedPayment:
        return await start_payment(
            session_scope,
            gateway(session_scope),
            request,
            contact=parse_contact_phone(self.details["phone"]),
            client=self.client,
            place=self.place,
            address=address,
        )

    @property
    def _order_fields(self) -> dict[str, Any]:
        return {
            **self.details,
            "previousOrder": self.previous,
            "courseName": self.course_name,
            "run": self.run,
        }

    def _read_request(self, phone: str) -> CheckoutRequest:
        """Return the order with the phone that pays. Raises InputRejected for the first form that has an error."""
        count = parse_quantity(self.quantity)
        if error := self._find_quantity_error():
            raise InputRejected(error, (FieldError("quantity", error),))
        order = {
            **self._order_fields,
            "quantity": count,
            "amount": self.unit_price * count - self.discount,
            "coupon": self.coupon,
        }
        discount = Discount(None, self.discount) if self.discount else None
        read_form(CheckoutRequest, order).checked().quote(
            settings().mpesa_maximum_amount, self._offer, discount
        )
        parse_contact_phone(self.details["phone"])
        return read_form(CheckoutRequest, {**order, "phone": phone})

    @rx.event
    def dismiss(self) -> None:
        """Close the dialog; a payment that has started continues, and the page keeps polling it."""
        self.modal, self.focuses_order = False, self.shows_order
        if not self.shows_order:
            self.message = self.explanation = self.number_error = ""

    @rx.event
    def order_again(self) -> None:
        """Show the form for another order that names the present one: it is charged in addition."""
        if self.shows_order and self.reference:
            self.previous, self.quantity = self.reference, "1"
            self.modal = self.focuses_order = self.polling = False
            self._clear_messages()

    @rx.event
    async def keep_order(self) -> None:
        """Show the stored order; nothing more is ordered."""
        self.previous, self.modal = "", False
        self.errors, self.failure, self.number_error = {}, "", ""
        await self._show_newest_order()

    @rx.event
    async def pay(self, form: dict[str, Any]) -> Any:
        """Send the prompt to the phone; a second submit while one is open sends nothing."""
        if self.busy or self.shows_order or not self.details or not self.modal:
            self.answers += 1
            return
        fields = submitted(form)
        self.message = self.explanation = self.number_error = ""
        self.busy = self._is_complete(fields)
        yield
        try:
            await self._pay(
                fields, self.router.session.client_ip, admit, parse_origin(self.router.headers.cookie)
            )
        finally:
            self.busy = False
            self.answers += 1

    def _is_complete(self, form: Mapping[str, str]) -> bool:
        """Return whether M-Pesa is going to be asked, unless the choice can no longer be bought."""
        try:
            self._read_request(form.get(NUMBER, ""))
        except InputRejected:
            return False
        return True

    async def _pay(self, form: Mapping[str, str], address: str, admission: Admission, origin: Origin) -> None:
        try:
            await admission(Form.PAYMENT, form, address)
            await self._check_choice()
            await self._check_coupon()
            request = self._read_request(form.get(NUMBER, "")).from_visit(origin)
            payment = await self._start_payment(request, address)
            view = await self._remember(payment.reference, payment.token)
            if view is None or view.stage is Stage.WAITING:
                self._alert("info", payment.customer_message, ENTER_PIN)
            else:
                self._announce_result(view)
        except (PaymentFailed, PaymentUncertain) as failed:
            # Without a reference nothing was stored.
            view = await self._remember(failed.reference, failed.token) if failed.reference else None
            self.polling = view is None and failed.token != ""
            self._alert("error", failed.message, failed.reason)
        except OrderExists as exists:
            await self._show_existing(exists)
        except TooManyPrompts as full:
            self._alert("error", PAYMENT_FAILED, "")
            self.number_error = full.message
        except InputRejected as rejected:
            self._alert(
                "error", PAYMENT_FAILED, "; ".join(e.message for e in rejected.errors) or rejected.message
            )
        except Conflict as refused:
            await self._show_newest_order()
            await self._load_runs()
            self._alert("error", PAYMENT_FAILED, refused.message)
        except SiteError as refused:
            self._alert("error", PAYMENT_FAILED, refused.message)
        except Exception:
            # Unexpected, so it is unknown whether a prompt was sent: the message says so.
            log.exception("starting a payment failed unexpectedly")
            self._alert("error", PAYMENT_FAILED, BROKEN)

    async def _show_existing(self, exists: OrderExists) -> None:
        """Show the order for the course that is paid or may still be, if this browser created it; else say where it is."""
        self.previous = ""
        if exists.token:
            await self._remember(exists.reference, exists.token)
        else:
            await self._show_newest_order()
        self.modal = False
        if not self.shows_order:
            self.errors, self.failure = {"email": exists.message}, exists.message
