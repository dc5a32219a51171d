"""The payment page's state: what is bought, the modal, the wait for M-Pesa."""

import logging
from typing import Any

import reflex as rx

from agency_site.abuse.admission import admit
from agency_site.abuse.rules import Form
from agency_site.abuse.visitors import address_of
from agency_site.checkout.gateway import gateway
from agency_site.checkout.request import CheckoutRequest, Enrollee, contact_phone
from agency_site.checkout.rules import PAYMENT_FAILED, PaymentFailed, PaymentUncertain, kes
from agency_site.checkout.status import order_view, payment_status
from agency_site.checkout.usecases import StartedPayment, enrol_free, start_payment
from agency_site.checkout.wording import BROKEN, GAVE_UP, note_on_price
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES, course_by_slug, payment_list
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound, SiteError
from agency_site.inputs import read_form
from agency_site.settings import settings
from agency_site.ui.forms import submitted

NOT_FOUND = "payment not found"
"""Exact text of the alert when the wait is over without an answer (specification, section 8)."""
FORM_FIELDS = ("firstName", "lastName", "email", "phone")
MOST_PLACES = 9_999
"""Beyond any class; keeps the field's number readable."""


log = logging.getLogger(__name__)


class PaymentDesk(rx.State):
    """The form on `/payment`, its modal, and what M-Pesa said."""

    slug: rx.Field[str] = rx.field(payment_list()[0].slug)
    quantity: rx.Field[int] = rx.field(1)
    errors: dict[str, str] = {}
    failure: rx.Field[str] = rx.field("")

    typed_phone: rx.Field[str] = rx.field("")
    """As it stands in the form: the modal offers it, so that nobody has to type it twice."""
    modal: rx.Field[bool] = rx.field(False)
    busy: rx.Field[bool] = rx.field(False)
    message: rx.Field[str] = rx.field("")
    """The exact text of the last alert."""
    tone: rx.Field[str] = rx.field("info")
    explanation: rx.Field[str] = rx.field("")
    polling: rx.Field[bool] = rx.field(False)
    watchable: rx.Field[bool] = rx.field(False)
    """Whether there is a payment whose answer can be asked for again."""
    poll_ms: rx.Field[int] = rx.field(3000)
    finished: rx.Field[bool] = rx.field(False)
    enrolled: rx.Field[str] = rx.field("")
    """The course that the visitor has just been enrolled in for free."""
    reference: rx.Field[str] = rx.field("")
    order_link: rx.Field[str] = rx.field("")
    last_order: str = rx.LocalStorage("", name="agency-last-order")
    """Token of the last order made in this browser, so that closing the page loses nothing."""
    last_order_reference: rx.Field[str] = rx.field("")

    _asked: str | None = None
    """The course in the address that the form was opened with."""
    _ordered: str = ""
    """Token of the last order made on this page."""
    _form: dict[str, str] = {}
    _merchant_request_id: str = ""
    _looks: int = 0

    @rx.var
    def course_name(self) -> str:
        """As the payment list calls it."""
        return self._course.payment_name

    @rx.var
    def blurb(self) -> str:
        """What the course is about."""
        return self._course.summary

    @rx.var
    def free(self) -> bool:
        """Whether the course costs nothing."""
        return self._course.free

    @rx.var
    def unit(self) -> str:
        """Price of one place."""
        return kes(self._course.payment_price)

    @rx.var
    def total(self) -> str:
        """Price times quantity, such as `KES 30,000`."""
        return kes(self._course.payment_price * self.quantity)

    @rx.var
    def price_note(self) -> str:
        """What to say where the course page names another price (readings, 6)."""
        return note_on_price(self._course)

    @property
    def _course(self) -> Course:
        return course_by_slug(self.slug) or payment_list()[0]

    @rx.event
    async def open_desk(self) -> None:
        """Choose the course that the address names, unless only the connection is new: a choice made since stays."""
        self.poll_ms = round(settings().payment_poll_seconds * 1000)
        if self._ordered:
            # The answer that carried it may have been lost, and what the browser then tells is older.
            self.last_order = self._ordered
        if self._asked != self._named:
            self.begin()
        if not self.polling:
            await self._recall()

    @rx.event
    def begin(self) -> None:
        """The form was opened: with no course or an unknown one in the address, the first of the list (readings, 8)."""
        if self.polling:
            return
        self._asked = self._named
        self.slug = (course_by_slug(self._named) or payment_list()[0]).slug
        self.busy, self.errors, self.failure = False, {}, ""

    @property
    def _named(self) -> str:
        return str(self.router.url.query_parameters.get("course", ""))

    async def _recall(self) -> None:
        self.last_order_reference = ""
        if not self.last_order or self.reference:
            return
        try:
            async with read_scope() as session:
                self.last_order_reference = (await order_view(session, self.last_order)).reference
        except NotFound:
            self.last_order = ""

    @rx.event
    def choose_course(self, slug: str) -> None:
        """Another course from the list; an unknown one is ignored."""
        if any(course.slug == slug for course in COURSES):
            self.slug = slug
            self.errors, self.failure = {}, ""

    @rx.event
    def choose_quantity(self, typed: str | float) -> None:
        """So many places, at least 1; what is not a whole number counts as 1."""
        # The browser sends what a number field holds as a number, or as text while it is being typed.
        text = str(typed)
        self.quantity = min(max(int(text), 1), MOST_PLACES) if text.isdecimal() and len(text) < 8 else 1
        self.errors = {}

    @rx.event
    def more(self) -> None:
        """One place more."""
        self.choose_quantity(self.quantity + 1)

    @rx.event
    def fewer(self) -> None:
        """One place fewer, never below 1."""
        self.choose_quantity(self.quantity - 1)

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Check the main form; then ask for the M-Pesa number, or enrol at once where the course is free."""
        self.errors, self.failure, self.message, self.finished = {}, "", "", False
        texts = submitted(form)
        self._form = {name: texts.get(name, "")[:400] for name in FORM_FIELDS}
        self.typed_phone = self._form["phone"]
        try:
            await admit(
                Form.ENROLMENT, form, address_of(self.router), texts.get("email", "") if self.free else ""
            )
            if self.free:
                await self._enrol_free()
                return
            self._check()
            self.modal = True
        except InputRejected as rejected:
            self.errors, self.failure = rejected.by_field(), rejected.message
        except SiteError as refused:
            self.failure = refused.message

    async def _enrol_free(self) -> None:
        enrollee = read_form(Enrollee, {**self._form, "courseName": self.course_name})
        done = await enrol_free(session_scope, enrollee)
        self._remember(done.reference, done.token)
        self.enrolled = done.course

    def _check(self) -> None:
        request = read_form(CheckoutRequest, self._payload(self._form["phone"]))
        request.quoted(settings().mpesa_maximum_amount)
        contact_phone(self._form["phone"])

    def _payload(self, phone: str) -> dict[str, Any]:
        return {
            **self._form,
            "phone": phone,
            "courseName": self.course_name,
            "quantity": self.quantity,
            "amount": self._course.payment_price * self.quantity,
        }

    @rx.event
    def dismiss(self) -> None:
        """Close the modal; a payment under way goes on, and the page goes on watching it."""
        self.modal = False
        if not self.polling:
            self.message = self.explanation = ""

    @rx.event
    async def pay(self, form: dict[str, Any]) -> Any:
        """Send the prompt to the phone; a second press while one is open sends nothing."""
        if self.busy or self.polling or not self._form:
            return
        self.busy, self.watchable, self.message, self.explanation = True, False, "", ""
        yield
        try:
            await admit(Form.PAYMENT, form, address_of(self.router))
            request = read_form(CheckoutRequest, self._payload(submitted(form).get("mpesaPhone", "")))
            self._wait_for(
                await start_payment(session_scope, gateway(), request, contact=self._form["phone"])
            )
        except PaymentFailed as failed:
            self._remember(failed.reference, failed.token)
            self._alert("error", failed.message, failed.reason)
        except PaymentUncertain as uncertain:
            self._remember(uncertain.reference, uncertain.token)
            # Not "try again": a prompt may be out, and paying twice would be worse than waiting.
            self._alert("info", NOT_FOUND, uncertain.message)
        except InputRejected as rejected:
            self._alert(
                "error", PAYMENT_FAILED, "; ".join(e.message for e in rejected.errors) or rejected.message
            )
        except SiteError as refused:
            self._alert("error", PAYMENT_FAILED, refused.message)
        except Exception:
            # Nobody foresaw it, so nobody knows whether a prompt went out: say so.
            log.exception("starting a payment broke")
            self._alert("error", PAYMENT_FAILED, BROKEN)
        finally:
            self.busy = False

    def _wait_for(self, started: StartedPayment) -> None:
        self._remember(started.reference, started.token)
        self._merchant_request_id, self._looks = started.merchant_request_id, 0
        self.polling = self.watchable = True
        self._alert(
            "info",
            started.customer_message,
            "Enter your M-Pesa PIN on your phone. We are watching for the answer.",
        )

    def _remember(self, reference: str, token: str) -> None:
        if reference:
            self.reference, self.order_link = reference, f"/order/{token}" if token else ""
        if token:
            self._ordered = self.last_order = token

    def _alert(self, tone: str, message: str, explanation: str) -> None:
        self.tone, self.message, self.explanation = tone, message, explanation

    @rx.event
    async def poll(self) -> None:
        """Look once; at most 10 times (readings, 19)."""
        if not self.polling:
            return
        self._looks += 1
        async with read_scope() as session:
            status = await payment_status(session, self._merchant_request_id)
        if status.paid:
            self._end("success", status.status, status.detail)
            self.finished = True
        elif status.final:
            self._end("error", PAYMENT_FAILED, status.detail)
        elif self._looks >= settings().payment_poll_retries:
            self._end("info", NOT_FOUND, GAVE_UP)

    def _end(self, tone: str, message: str, explanation: str) -> None:
        self.polling = False
        self._alert(tone, message, explanation)

    @rx.event
    def check_again(self) -> None:
        """Watch for another round."""
        if self.watchable:
            self._looks, self.polling = 0, True
            self._alert("info", "Checking again", GAVE_UP)
