"""The screen on which staff place an order for a client, whose phone then asks for the PIN."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.clients import ClientAction, find_client
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import StaffState
from agency_site.content.courses import COURSES
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, FieldError, InputRejected, UpstreamFailed
from agency_site.features.checkout.admin.labels import CHARGE, CONTACT
from agency_site.features.checkout.admin.order_list import ORDERS, order_address
from agency_site.features.checkout.admin.payment_query import complete_in_background
from agency_site.features.checkout.request import COMPANY_LENGTH, NAME_LENGTH, CheckoutRequest
from agency_site.features.checkout.rules import OrderExists, find_unit_price
from agency_site.features.checkout.staff_request import ChargeRequest, read_charge
from agency_site.features.checkout.usecases import draft_order, open_payment
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH, read_form
from agency_site.places import Offer, places
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, link_button
from agency_site.ui.forms import field, select_field, submitted

_FORM = "charge"
_LENGTHS = {
    "email": EMAIL_LENGTH,
    "phone": PHONE_LENGTH,
    "company_name": COMPANY_LENGTH,
    "company_pin": PHONE_LENGTH,
}
_KINDS = {"email": "email", "phone": "tel"}
_FIELDS = {
    "firstName": "first_name",
    "lastName": "last_name",
    "courseName": "choice",
    "run": "choice",
    "amount": "quantity",
}
"""Fields of a visitor's request by the names of this form."""


@dataclass
class CourseOption:
    """A course, or a run of it, that can be sold."""

    value: str
    text: str


class NewOrder(StaffState):
    """The form for an order."""

    draft: dict[str, str] = {}
    """The initial values of the fields."""
    options: rx.Field[list[CourseOption]] = rx.field(default_factory=list)

    @staff_page(Permission.WORK_PAYMENTS)
    async def open_form(self, who: Staff) -> None:
        """In the address, `list` and `ref` name a record of the client."""
        async with read_scope() as session:
            client = await find_client(session, who, self.router.url.query_parameters)
        await self._load_options()
        first, _, last = client.name.rpartition(" ") if client else ("", "", "")
        contact = {"email": client.email, "phone": client.phone} if client else {}
        self.draft = {
            "first_name": first or last,
            "last_name": last if first else "",
            "quantity": "1",
            **contact,
        }

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
    async def charge(self, who: Staff, form: dict[str, Any]) -> Any:
        """Place the order and send the prompt; the page of the order shows what becomes of it."""
        charge = read_charge(submitted(form))
        try:
            request = await _build_request(charge)
            draft = await draft_order(
                session_scope,
                request,
                contact=charge.phone,
                # Random, and the same when the browser repeats the submit: nobody else is taken for this client.
                client=who.submission,
                actor=who.email,
            )
            opened = await open_payment(session_scope, draft)
        except OrderExists as exists:
            raise Conflict(
                "The client has an order for this course already, paid or waiting for M-Pesa. Nothing was charged."
            ) from exists
        except InputRejected as rejected:
            errors = (FieldError(_FIELDS.get(one.field, one.field), one.message) for one in rejected.errors)
            raise InputRejected(rejected.message, tuple(errors)) from None
        # The page of the order says why, and offers another prompt or the payment link.
        with suppress(UpstreamFailed):
            await complete_in_background(who, opened)
        return rx.redirect(order_address(opened.order.reference))


async def _build_request(charge: ChargeRequest) -> CheckoutRequest:
    """The same as a visitor would send it, at the price of the list."""
    course, run = charge.choice
    async with read_scope() as session:
        offer = await places().find_offer(session, course.slug, run) if run else None
    return read_form(
        CheckoutRequest,
        {
            "firstName": charge.first_name,
            "lastName": charge.last_name,
            "email": charge.email,
            "phone": charge.phone,
            "courseName": course.payment_name,
            "run": run,
            "quantity": charge.quantity,
            "amount": find_unit_price(course, offer) * charge.quantity,
            "companyName": charge.company_name,
            "companyPin": charge.company_pin,
        },
    )


def list_options(offers: Sequence[Offer]) -> list[CourseOption]:
    """Every course with a price: each open run with places, and without one."""
    runs: dict[str, list[Offer]] = {}
    for offer in offers:
        if offer.free != 0:
            runs.setdefault(offer.course_slug, []).append(offer)
    found = []
    for course in (one for one in COURSES if not one.free):
        mine = runs.get(course.slug, [])
        found += [
            CourseOption(f"{course.slug} {one.run}", f"{course.payment_name}: {one.text}") for one in mine
        ]
        found.append(
            CourseOption(course.slug, f"{course.payment_name}: later" if mine else course.payment_name)
        )
    return found


def _page() -> rx.Component:
    choice = select_field(
        "Course",
        "choice",
        [rx.foreach(NewOrder.options, lambda one: rx.el.option(one.text, value=one.value, key=one.value))],
        form=_FORM,
        error=NewOrder.errors["choice"],
    )
    return rx.el.section(
        Interval.create(every=REFRESH_MS, active=True, on_tick=NewOrder.refresh),
        rx.el.form(
            choice,
            _field("quantity", "Places", input_mode="numeric"),
            _pair("first_name", "last_name"),
            _pair("email", "phone"),
            _pair("company_name", "company_pin"),
            rx.el.p(
                "The phone asks for the PIN at once: agree with the client first. If it is not paid, the page of the order "
                "offers another prompt and the payment link.",
                class_name="office-note",
            ),
            rx.el.div(
                button("Send M-Pesa prompt", type="submit"),
                link_button("Cancel", ORDERS, "ghost"),
                class_name="office-row",
            ),
            keep_draft(_FORM),
            on_submit=NewOrder.charge,
            custom_attrs={"noValidate": True},
            aria_label="Charge a client",
            class_name="office-form",
        ),
        class_name="office-card",
    )


def _pair(*names: str) -> rx.Component:
    labels = {**CONTACT, "phone": "M-Pesa number"}
    return rx.el.div(*(_field(name, labels[name]) for name in names), class_name="office-pair")


def _field(name: str, label: str, **props: Any) -> rx.Component:
    return field(
        label,
        name,
        form=_FORM,
        error=NewOrder.errors[name],
        type=_KINDS.get(name, "text"),
        max_length=_LENGTHS.get(name, NAME_LENGTH),
        default_value=NewOrder.draft[name],
        auto_complete="off",
        optional="optional" if name.startswith("company") else "",
        **props,
    )


NEW_ORDER = Screen(
    path=CHARGE,
    title="Charge a client",
    permission=Permission.WORK_PAYMENTS,
    body=_page,
    on_load=(NewOrder.open_form,),
    under=ORDERS,
)
CHARGE_CLIENT = ClientAction("Charge", Permission.WORK_PAYMENTS, CHARGE)
