"""State of the payment page: what is bought, and the stored order that the page shows instead of its form."""

import logging
import re
import secrets
from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.characters import is_blank
from agency_site.clock import format_moment
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES, course_by_slug, payment_list
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.outages import is_outage
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound, SiteError
from agency_site.features.checkout.buying.order_status import (
    OrderView,
    Stage,
    choose_heading,
    choose_tone,
    find_order,
)
from agency_site.features.checkout.buying.unpaid_places import explain_places_limit
from agency_site.features.checkout.buying.usecases import request_free_place, start_payment
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
    find_quantity_error,
    find_unit_price,
    format_after_prefix,
    parse_quantity,
)
from agency_site.features.checkout.payment_page.remembered_orders import add_token, parse_tokens, remove_token
from agency_site.features.checkout.payment_page.run_choices import (
    CHOOSE_RUN,
    NOT_AVAILABLE,
    RunChoice,
    list_choices,
)
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.messages import AWAY, BROKEN, GAVE_UP, explain_price
from agency_site.features.checkout.payments.rules import (
    PaymentFailed,
    PaymentNotStored,
    PaymentUncertain,
    TooManyPrompts,
)
from agency_site.form_input import read_form
from agency_site.money import kes
from agency_site.places import KeptPlace, Offer, describe_kept_places, places
from agency_site.settings import settings
from agency_site.site.academy.open_runs import read_offers
from agency_site.ui.forms import submitted

VALID, NOT_FOUND = "payment valid", "payment not found"
"""Exact texts of the alerts that end the wait (specification, section 8)."""
MAILBOX = "Look into your mailbox"
CONFIRM_THERE = (
    "We have written to {email}. Open the link in that mail and confirm your place there: you are enrolled then. "
    "If no mail comes within a few minutes, look into the spam folder too, or call us."
)
_AWAY = f"{AWAY} Please do not pay again meanwhile."
ENTER_PIN = "Enter your M-Pesa PIN on your phone. We are watching for the answer."
DETAILS = ("firstName", "lastName", "email", "phone", "companyName", "companyPin")
"""Fields of the main form that the payment repeats."""
NUMBER = "mpesaPhone"
"""The field of the form that asks for the M-Pesa number."""
COUPON, DISCOUNT = "coupon", "discount"
"""Fields of the coupon's code, and of the whole shillings that the visitor was shown it takes off."""
RUN, PRICE = "run", "price"
"""Fields of the chosen course run, and of the price a place that the visitor was shown with it."""
PLACE = "place"
"""Field, and parameter of the address, with the token of a place that a waiting list keeps."""
ORDERS_KEY = "agency-orders"
"""Where a browser keeps the tokens of its orders."""
_LONGEST_DETAIL, _LONGEST_CLIENT, _LONGEST_TOKEN = 400, 64, 64
_LONGEST_TYPED = 20
PATIENCE_SECONDS = 2.0
"""After which the form is shown without a choice of runs: the database is away."""
_REFERENCE = re.compile(r"[A-Z]{2}-[A-Z0-9]{4,9}")
_SHOWN_STAGES = frozenset({Stage.WAITING, Stage.REVIEW, Stage.ENROLLED})
"""Stages of a stored order in which the page shows the order instead of its form."""


log = logging.getLogger(__name__)


def new_client() -> str:
    """Return a secret by which the server recognises the orders that one form creates."""
    return secrets.token_hex(16)


def find_course(slug: str) -> Course:
    """The course of that name, or the first of the list."""
    return course_by_slug(slug) or payment_list()[0]


class PaymentPageState(rx.State):
    """The form on `/payment`, its dialog, and the visitor's order for the chosen course as it is stored.

    What the page shows follows from `stage`, which is read from the database: the form where there is no order or it is
    not paid, otherwise the order. Everything but the choice of course belongs to one course and is reset with it.
    """

    loaded: rx.Field[bool] = rx.field(False)
    """The course of the address is chosen, and the visitor's order is looked up."""
    slug: rx.Field[str] = rx.field(payment_list()[0].slug)
    quantity: rx.Field[str] = rx.field("1")
    """As it is typed."""
    runs: rx.Field[list[RunChoice]] = rx.field(default_factory=list)
    """The open runs of the course, and none of them; empty: there is nothing to choose."""
    run: rx.Field[str] = rx.field("")
    """Reference of the chosen one."""
    place: rx.Field[str] = rx.field("")
    """Token of the place that a waiting list keeps for the visitor; empty: there is none."""
    kept_until: rx.Field[str] = rx.field("")
    """Until when; empty: it is kept no longer."""
    kept_places: rx.Field[int] = rx.field(0)
    unit_price: rx.Field[int] = rx.field(payment_list()[0].payment_price)
    """Whole shillings a place, in the chosen run."""
    coupon: rx.Field[str] = rx.field("")
    """Code of the coupon that is used; empty: none."""
    discount: rx.Field[int] = rx.field(0)
    """Whole shillings that it takes off."""
    errors: dict[str, str] = {}
    failure: rx.Field[str] = rx.field("")

    stage: rx.Field[str] = rx.field("")
    """The stored order's `Stage`; empty: there is none."""
    heading: rx.Field[str] = rx.field("")
    reference: rx.Field[str] = rx.field("")
    order_link: rx.Field[str] = rx.field("")
    tone: rx.Field[str] = rx.field("info")
    message: rx.Field[str] = rx.field("")
    """The exact text of the last alert."""
    explanation: rx.Field[str] = rx.field("")
    focuses_order: rx.Field[bool] = rx.field(False)
    """The order has just replaced the form, so focus moves to it: the focused control is hidden now."""
    previous: rx.Field[str] = rx.field("")
    """Reference of the order that another one is to be placed after, on purpose; empty: none is."""

    modal: rx.Field[bool] = rx.field(False)
    busy: rx.Field[bool] = rx.field(False)
    polling: rx.Field[bool] = rx.field(False)
    known_number: rx.Field[str] = rx.field("")
    """The form's phone, as the initial value of the dialog's field."""
    number_error: rx.Field[str] = rx.field("")
    """What is wrong with the M-Pesa number in the dialog."""
    poll_ms: rx.Field[int] = rx.field(3000)
    browser_orders: str = rx.LocalStorage("", name=ORDERS_KEY, sync=True)
    """Tokens of this browser's orders by course (`request.parse_tokens`), the same in all its tabs."""
    other_reference: rx.Field[str] = rx.field("")
    """The newest order of this browser, where it is for another course."""
    other_link: rx.Field[str] = rx.field("")

    client: rx.Field[str] = rx.field("")
    """Secret of this tab, by which the server recognises the orders that it created."""
    details: dict[str, str] = {}
    """What was typed into the main form, for the form that asks for the M-Pesa number."""

    _opened_course: str | None = None
    """The course in the address that the form was opened with."""
    _tokens: dict[str, str] = {}
    """Tokens of the orders created in this tab, by course: the response with one may not have reached the browser."""
    _token: str = ""
    """Of the order that is shown."""
    _polls: int = 0
    _offers: tuple[Offer, ...] = ()
    """What `runs` shows."""
    _offers_shown: bool = False
    """The visitor has seen a choice of runs."""
    _price_shown: int = 0
    """The price a place that the visitor has seen; 0: unknown."""
    _kept_run: str = ""
    """The run in which the shown order, which is not paid, may have places."""
    _kept_place: KeptPlace | None = None
    """What `place` opens."""

    @rx.var
    def course_name(self) -> str:
        return self._course.payment_name

    @rx.var
    def blurb(self) -> str:
        return self._course.summary

    @rx.var
    def free(self) -> bool:
        """Whether the course costs nothing."""
        return self._course.free

    @rx.var
    def unit(self) -> str:
        return kes(self.unit_price)

    @rx.var
    def total(self) -> str:
        """Price times quantity, such as `KES 30,000`; empty while the quantity is no number."""
        count = parse_quantity(self.quantity)
        return kes(self.unit_price * count) if count else ""

    @rx.var
    def due(self) -> str:
        """What is charged, with the coupon's discount; empty while the quantity is no number."""
        count = parse_quantity(self.quantity)
        return kes(self.unit_price * count - self.discount) if count else ""

    @rx.var
    def discount_note(self) -> str:
        """Such as `KES 30,000 less KES 3,000 with JANUARY-10`; empty without a coupon."""
        return f"{self.total} less {kes(self.discount)} with {self.coupon}" if self.discount else ""

    @rx.var
    def at_least(self) -> bool:
        """Whether there cannot be fewer places."""
        return (parse_quantity(self.quantity) or 1) <= 1

    @rx.var
    def price_note(self) -> str:
        """What to say where the course page names another price (readings, 6)."""
        return explain_price(self._course, self.unit_price)

    @rx.var
    def shows_order(self) -> bool:
        """Whether the page shows the stored order instead of its form."""
        return self.stage in _SHOWN_STAGES and not self.previous

    @property
    def _course(self) -> Course:
        return find_course(self.slug)

    @rx.event
    async def open_page(self) -> None:
        """Choose the course in the address, unless the client has only reconnected: a choice made since stays."""
        self.poll_ms = round(settings().payment_poll_seconds * 1000)
        for slug, token in self._tokens.items():
            if slug not in parse_tokens(self.browser_orders):
                self.browser_orders = add_token(self.browser_orders, slug, token)
        if self._opened_course != self._parameter("course"):
            await self._open_form()
        elif not self.stage:
            await self._show_newest_order()
            await self._load_runs()
        self.client = self.client or new_client()
        self.loaded = True

    @rx.event
    async def begin(self) -> None:
        """React has mounted the page: without a known course in the address, the first of the list (readings, 8)."""
        await self._open_form()

    async def _open_form(self) -> None:
        self._opened_course = self._parameter("course")
        self._choose(find_course(self._opened_course))
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
        """The form for a course; `previous` is the order that another one is to be placed after, if any."""
        self._choose(find_course(slug))
        self.place = place[:_LONGEST_TOKEN]
        self.previous = previous if _REFERENCE.fullmatch(previous) else ""
        self.client = client[:_LONGEST_CLIENT] or new_client()

    def _read_posted(self, fields: Mapping[str, str]) -> None:
        """The page as it was when a browser posted one of its forms by itself."""
        self._open_without_scripts(
            fields.get("course", ""),
            fields.get("previousOrder", ""),
            fields.get("client", ""),
            fields.get(PLACE, ""),
        )
        self.run, self._offers_shown = fields.get(RUN, "")[:REFERENCE_LENGTH], RUN in fields
        self._price_shown = parse_quantity(fields.get(PRICE, ""))
        self.choose_quantity(fields.get("quantity", "1"))
        self.coupon = fields.get(COUPON, "")[:COUPON_LENGTH]
        self.discount = parse_quantity(fields.get(DISCOUNT, ""))
        self._keep_details(fields)

    def _keep_details(self, fields: Mapping[str, str]) -> None:
        self.details = {name: fields.get(name, "")[:_LONGEST_DETAIL] for name in DETAILS}
        self.known_number = format_after_prefix(self.details["phone"])

    def _choose(self, course: Course) -> None:
        self.slug, self.quantity = course.slug, "1"
        self.errors, self.failure, self.number_error, self.known_number = {}, "", "", ""
        self.stage = self.heading = self.reference = self.order_link = self.message = self.explanation = ""
        self.previous = self._token = self._kept_run = self.place = self.kept_until = ""
        self._kept_place, self.kept_places = None, 0
        self.runs, self.run, self._offers, self._offers_shown = [], "", (), False
        self.coupon, self.discount = "", 0
        self.unit_price = self._price_shown = course.payment_price
        self.modal = self.busy = self.polling = self.focuses_order = False
        self.details = {}

    async def _load_runs(self) -> None:
        """Read the open runs of the course. The chosen one stays, unless it cannot be chosen any more."""
        offers = await read_offers(PATIENCE_SECONDS, self.slug)
        if offers is not None and self.place:
            async with read_scope() as session:
                self._kept_place = await places().find_kept_place(session, self.place)
        self._show_runs(offers)

    def _show_runs(self, offers: tuple[Offer, ...] | None) -> None:
        if offers is None:
            # Nothing can be bought now, and nothing that was chosen is lost.
            return
        self._offers = offers
        self.kept_until = format_moment(self._kept_place.until) if self._kept_place else ""
        self.kept_places = self._kept_place.places if self._kept_place else 0
        if self.kept_places and not self._offers_shown:
            self.quantity = str(self.kept_places)
        kept = self._kept_place.run if self._kept_place else self._kept_run
        self.runs = list_choices(self._course, self._offers, kept)
        able = [one.reference for one in self.runs if not one.full]
        if not self._offers_shown or self.run not in able:
            self.run = kept if kept and kept in able else next(iter(able), "")
        self._offers_shown = bool(self.runs)
        self._show_price()

    def _show_price(self) -> None:
        self.unit_price = self._price_shown = find_unit_price(self._course, self._offer)

    @property
    def _offer(self) -> Offer | None:
        return next((offer for offer in self._offers if offer.run == self.run), None)

    async def _check_run(self) -> None:
        """Read the runs again. Raises InputRejected unless the choice and its price are what the visitor was shown."""
        chosen, price, shown = self.run, self._price_shown, self._offers_shown
        await self._load_runs()
        if self.runs and not shown:
            raise _reject_run(CHOOSE_RUN)
        if self.run != chosen:
            raise _reject_run(NOT_AVAILABLE)
        if price not in {0, self.unit_price}:
            raise _reject_run(
                f"A place costs {self.unit} on this date, not {kes(price)}. Nothing was charged."
            )

    async def _use_coupon(self, code: str) -> None:
        """Use the coupon of that code for what is chosen; blank: none. Raises InputRejected where it cannot be used."""
        self.coupon, self.discount = "", 0
        if is_blank(code):
            return
        try:
            async with read_scope() as session:
                found = await find_coupon(session, code, self.slug, self.run, self.details["email"])
        except Exception as error:
            if is_outage(error):
                raise PaymentNotStored from error
            raise
        total = self.unit_price * parse_quantity(self.quantity)
        self.coupon, self.discount = found.code, found.discount.of(total)

    async def _check_coupon(self) -> None:
        """Read the coupon again. Raises InputRejected unless it takes off what the visitor was shown."""
        shown = self.discount
        await self._use_coupon(self.coupon)
        if self.discount != shown:
            message = f"The coupon takes off {kes(self.discount)} now, not {kes(shown)}. Nothing was charged."
            raise InputRejected(message, (FieldError(COUPON, message),))

    async def _show_newest_order(self) -> None:
        """Show the newest order for the course whose token this browser or this tab has."""
        tokens = {parse_tokens(self.browser_orders).get(self.slug, ""), self._tokens.get(self.slug, "")} - {
            ""
        }
        found = [(view, token) for token in tokens if (view := await self._find_order(token))]
        if found:
            view, self._token = max(found, key=lambda one: one[0].created_at)
            self._show(view)
            self.browser_orders = add_token(self.browser_orders, self.slug, self._token)
        elif tokens:
            self.browser_orders = remove_token(self.browser_orders, self.slug)
        await self._find_other_order()

    async def _find_other_order(self) -> None:
        self.other_reference = self.other_link = ""
        slug, token = next(reversed(parse_tokens(self.browser_orders).items()), ("", ""))
        view = await self._find_order(token) if token and slug != self.slug else None
        if view is not None:
            self.other_reference, self.other_link = view.reference, f"/order/{token}"

    async def _find_order(self, token: str) -> OrderView | None:
        try:
            async with read_scope() as session:
                return await find_order(session, token)
        except NotFound:
            return None

    @rx.event
    async def choose_course(self, slug: str) -> None:
        course = next((course for course in COURSES if course.slug == slug), None)
        if course is not None and course.slug != self.slug:
            self._choose(course)
            await self._show_newest_order()
            await self._load_runs()

    @rx.event
    def choose_run(self, reference: str) -> None:
        """Choose an open run of the course, or none; any other is ignored."""
        if reference in [one.reference for one in self.runs if not one.full]:
            self.run = reference
            self._show_price()
            self.errors = {name: error for name, error in self.errors.items() if name != RUN}
            self.choose_quantity(self.quantity)

    @rx.event
    def choose_quantity(self, typed: str) -> None:
        # Clients may send any type, whatever is declared.
        text = str(typed).strip()[:_LONGEST_TYPED]
        self.quantity = "1" if re.fullmatch(r"0+|-[0-9]*", text) else text
        self.errors = {name: error for name, error in self.errors.items() if name != "quantity"}
        if self.quantity and (wrong := self._find_quantity_error()):
            self.errors = {**self.errors, "quantity": wrong}

    def _find_quantity_error(self) -> str:
        kept, wanted = self._kept_place, parse_quantity(self.quantity)
        is_kept = kept is not None and kept.run == self.run
        if kept and is_kept and wanted > kept.places:
            return describe_kept_places(kept.places)
        wrong = find_quantity_error(self.quantity, self.unit_price, settings().mpesa_maximum_amount)
        return wrong or ("" if is_kept else explain_places_limit(wanted, self.run))

    @rx.event
    def more(self) -> None:
        self.choose_quantity(str(parse_quantity(self.quantity) + 1))

    @rx.event
    def fewer(self) -> None:
        self.choose_quantity(str(max(parse_quantity(self.quantity) - 1, 1)))

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Check the main form; then ask for the M-Pesa number, or enrol at once where the course is free."""
        if self.shows_order or self.busy:
            return
        self.client = self.client or new_client()
        await self._check(submitted(form), self.router.session.client_ip, admit)

    async def _check(self, form: Mapping[str, str], address: str, admission: Admission) -> None:
        self.errors, self.failure, self.message, self.explanation, self.number_error = {}, "", "", "", ""
        self.focuses_order = False
        self._keep_details(form)
        recipient = self.details["email"] if self.free else ""
        try:
            await admission(Form.ENROLMENT, form, address, recipient)
            await self._check_run()
            if self.free:
                await self._request_free_place()
                return
            await self._use_coupon(form.get(COUPON, ""))
            request = self._read_request(self.details["phone"])
            if request.amount:
                self.modal = True
            else:
                await self._enrol_without_payment(request)
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

    async def _request_free_place(self) -> None:
        form = {
            **self.details,
            "previousOrder": self.previous,
            "courseName": self.course_name,
            "run": self.run,
        }
        enrollee = read_form(Enrollee, form)
        await request_free_place(session_scope, enrollee, client=self.client, place=self.place)
        self._alert("success", MAILBOX, CONFIRM_THERE.format(email=enrollee.email))

    async def _enrol_without_payment(self, request: CheckoutRequest) -> None:
        """Place an order of which a coupon takes off all."""
        done = await start_payment(
            session_scope,
            gateway(session_scope),
            request,
            contact=parse_contact_phone(self.details["phone"]),
            client=self.client,
            place=self.place,
        )
        await self._remember(done.reference, done.token)
        self.focuses_order = True

    def _read_request(self, phone: str) -> CheckoutRequest:
        """The main form with the phone that pays. Raises InputRejected for the first form that does not fit."""
        count = parse_quantity(self.quantity)
        if error := self._find_quantity_error():
            raise InputRejected(error, (FieldError("quantity", error),))
        order = {
            **self.details,
            "previousOrder": self.previous,
            "courseName": self.course_name,
            "quantity": count,
            "amount": self.unit_price * count - self.discount,
            "run": self.run,
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
            self.modal = self.focuses_order = False
            self.message = self.explanation = self.number_error = ""
            self.errors, self.failure = {}, ""
            self.polling = False

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
            return
        self.busy, self.message, self.explanation, self.number_error = True, "", "", ""
        yield
        try:
            await self._pay(submitted(form), self.router.session.client_ip, admit)
        finally:
            self.busy = False

    async def _pay(self, form: Mapping[str, str], address: str, admission: Admission) -> None:
        try:
            await admission(Form.PAYMENT, form, address)
            await self._check_run()
            await self._check_coupon()
            request = self._read_request(form.get(NUMBER, ""))
            started = await start_payment(
                session_scope,
                gateway(session_scope),
                request,
                contact=parse_contact_phone(self.details["phone"]),
                client=self.client,
                place=self.place,
                address=address,
            )
            view = await self._remember(started.reference, started.token)
            if view is None or view.stage is Stage.WAITING:
                self._alert("info", started.customer_message, ENTER_PIN)
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
        """An order for the course is paid or may still be: show it where this browser created it, else say where it is."""
        self.previous = ""
        if exists.token:
            await self._remember(exists.reference, exists.token)
        else:
            await self._show_newest_order()
        self.modal = False
        if not self.shows_order:
            self.errors, self.failure = {"email": exists.message}, exists.message

    async def _remember(self, reference: str, token: str) -> OrderView | None:
        """Store the order's token in this browser, and show the order; none where its link cannot be derived any more."""
        self.reference, self.order_link, self.previous, self._token = reference, "", "", token
        if token:
            self._tokens = {**self._tokens, self.slug: token}
            self.browser_orders = add_token(self.browser_orders, self.slug, token)
        try:
            view = await self._find_order(token) if token else None
        except Exception as error:
            if not is_outage(error):
                raise
            self.polling = True
            return None
        if view is not None:
            self._show(view)
        return view

    def _show(self, view: OrderView) -> None:
        self.stage, self.tone = view.stage.value, choose_tone(view)
        self.heading = choose_heading(view)
        if view.stage is Stage.ENROLLED:
            self.heading = f"{self.heading} in {view.course_name}"
        self.reference, self.order_link = view.reference, f"/order/{self._token}"
        self._kept_run = view.run.reference if view.run and view.stage is Stage.PAYABLE else ""
        self.message, self.explanation = "", view.detail
        self.polling, self._polls = view.stage is Stage.WAITING, 0

    def _alert(self, tone: str, message: str, explanation: str) -> None:
        self.tone, self.message, self.explanation = tone, message, explanation

    @rx.event
    async def poll(self) -> None:
        """Read the stored order; at most 10 times (readings, 19)."""
        if not self.polling:
            return
        try:
            view = await self._find_order(self._token)
        except Exception as error:
            if not is_outage(error):
                raise
            self._alert("info", "One moment, please", _AWAY)
            return
        if view is not None and (not self.stage or self.explanation == _AWAY):
            self._show(view)
            self._alert("info", "Checking again", GAVE_UP)
        self._polls += 1
        if view is None or view.stage is Stage.WAITING:
            if self._polls >= settings().payment_poll_retries:
                self.polling = False
                self._alert("info", NOT_FOUND, GAVE_UP)
            return
        self._show(view)
        self._announce_result(view)

    def _announce_result(self, view: OrderView) -> None:
        """Show the result of the wait in the texts of the specification."""
        if view.stage is Stage.ENROLLED:
            self._alert("success", VALID, view.detail)
        elif view.stage is Stage.REVIEW:
            self._alert("info", NOT_FOUND, view.detail)
        else:
            self._alert("error", PAYMENT_FAILED, view.detail)

    @rx.event
    def check_again(self) -> None:
        """Poll for another round."""
        if self._token and self.stage in (Stage.WAITING, Stage.REVIEW):
            self.polling, self._polls = True, 0
            self._alert("info", "Checking again", GAVE_UP)


def _reject_run(message: str) -> InputRejected:
    return InputRejected(message, (FieldError(RUN, message),))
