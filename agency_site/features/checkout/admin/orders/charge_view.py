"""The screen on which staff place an order for a client: the form, then the total with the ways to continue."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.clients import ClientAction
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import button_row, card, field_pair, small_note, unvalidated_form
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.features.checkout.admin.labels import CHARGE, CONTACT
from agency_site.features.checkout.admin.orders.charge import NewOrder
from agency_site.features.checkout.admin.orders.list import ORDERS
from agency_site.features.checkout.admin.orders.payments_view import (
    accept_in_full,
    list_facts,
    one_name_tick,
    payment_fields,
)
from agency_site.features.checkout.orders.request import COMPANY_LENGTH, COUPON_LENGTH, NAME_LENGTH
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH, YES
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import button, link_button, notice
from agency_site.ui.forms import Kind, field, select_field, state_options, text_area

_FORM, _RECORD, _GIVE, _ASSIGN = "charge", "charge-record", "charge-give", "charge-assign"

_LENGTHS = {
    "email": EMAIL_LENGTH,
    "phone": PHONE_LENGTH,
    "company_name": COMPANY_LENGTH,
    "company_pin": PHONE_LENGTH,
    "coupon": COUPON_LENGTH,
}

_TYPES = {"email": "email", "phone": "tel"}

_KINDS: Mapping[str, Kind] = {
    "first_name": "person",
    "last_name": "person",
    "company_pin": "code",
    "coupon": "code",
    "quantity": "number",
}

_OPTIONAL = ("company_name", "company_pin", "coupon")


def _new_order_page() -> rx.Component:
    return rx.el.div(
        Interval.create(every=REFRESH_MS, active=True, on_tick=NewOrder.refresh),
        rx.cond(
            NewOrder.transaction != "",
            notice(rx.el.p("This order is for the payment of ", NewOrder.transaction_text, ".")),
        ),
        rx.cond(NewOrder.summary, _second_step(), _first_step()),
        class_name="record",
    )


def _first_step() -> rx.Component:
    choice = select_field(
        "Course",
        "choice",
        [
            rx.el.option("Choose a course", value=""),
            state_options(NewOrder.options, NewOrder.draft["choice"]),
        ],
        form=_FORM,
        error=NewOrder.errors["choice"],
    )
    return rx.el.section(
        unvalidated_form(
            choice,
            field_pair(_text_field("quantity", "Places"), _text_field("coupon", "Coupon")),
            _contact_fields("first_name", "last_name"),
            one_name_tick(is_ticked=NewOrder.draft["one_name"] == YES),
            _contact_fields("email", "phone"),
            _contact_fields("company_name", "company_pin"),
            small_note("The next step shows the total. Nothing is stored or sent before that."),
            button_row(button("Show the total", type="submit"), link_button("Cancel", ORDERS, "ghost")),
            keep_draft(_FORM),
            on_submit=NewOrder.check,
            aria_label="New order",
            class_name="office-form",
        ),
        class_name="office-card",
    )


def _second_step() -> rx.Component:
    return rx.fragment(
        card(
            "Check the order",
            list_facts(NewOrder.summary),
            rx.el.div(
                _way_button("enrol", NewOrder.enrol, "brand"),
                rx.cond(
                    NewOrder.transaction == "",
                    rx.fragment(
                        _way_button("prompt", NewOrder.charge, "brand"),
                        _way_button("link", NewOrder.send_link, "ink"),
                        _way_button("invoice", NewOrder.invoice_only, "ghost"),
                    ),
                ),
                button("Change order", tone="ghost", on_click=NewOrder.change),
                class_name="office-row money-steps",
            ),
            small_note(
                "A prompt asks for the PIN on the phone immediately, so agree with the client first. Places of a course run are "
                "kept for a short time until the order is paid.",
            ),
            identity="check-heading",
        ),
        rx.cond(NewOrder.transaction != "", _assign_form(), _record_form()),
        _give_form(),
    )


def _way_button(name: str, handler: Any, tone: Any) -> rx.Component:
    label = NewOrder.labels[name]
    return rx.cond(label != "", button(label, tone=tone, on_click=handler))


def _record_form() -> rx.Component:
    form = unvalidated_form(
        *payment_fields(_RECORD, NewOrder.draft, NewOrder.errors),
        button(NewOrder.labels["record"], type="submit", tone="ink"),
        on_submit=NewOrder.record,
        class_name="record-form",
    )
    return _way_card("record", "The money has been received", form)


def _assign_form() -> rx.Component:
    form = unvalidated_form(
        rx.el.p(NewOrder.transaction_text),
        text_area(
            "Note", "note", form=_ASSIGN, error=NewOrder.errors["note"], rows="2", max_length=REASON_LENGTH,
            optional="optional", hint="Required if you accept another amount. Please do not name people.",
        ),
        accept_in_full(),
        button("Place the order with this payment", type="submit"),
        on_submit=NewOrder.assign,
        class_name="record-form",
    )  # fmt: skip
    return _way_card("record", "Assign the payment", form)


def _give_form() -> rx.Component:
    form = unvalidated_form(
        text_area(
            "Reason", "reason", form=_GIVE, error=NewOrder.errors["reason"], rows="2", max_length=REASON_LENGTH,
            hint="For example a sponsored place, or a trainer's. Please do not name people.",
        ),
        small_note("The client is enrolled immediately and gets an e-mail."),
        button(NewOrder.labels["give"], type="submit", tone="ghost"),
        on_submit=NewOrder.give,
        class_name="record-form",
    )  # fmt: skip
    return _way_card("give", "Free place", form)


def _way_card(way: str, heading: str, form: rx.Component) -> rx.Component:
    return rx.cond(
        NewOrder.labels[way] != "",
        card(heading, form, identity=f"charge-{way}-heading"),
    )


def _contact_fields(*names: str) -> rx.Component:
    return field_pair(*(_text_field(name, CONTACT[name]) for name in names))


def _text_field(name: str, label: str) -> rx.Component:
    return field(
        label,
        name,
        form=_FORM,
        error=NewOrder.errors[name],
        type=_TYPES.get(name, "text"),
        kind=_KINDS.get(name, ""),
        max_length=_LENGTHS.get(name, NAME_LENGTH),
        default_value=NewOrder.draft[name],
        auto_complete="off",
        optional="optional" if name in _OPTIONAL else "",
    )


NEW_ORDER = Screen(
    path=CHARGE,
    title="New order",
    permission=Permission.WORK_PAYMENTS,
    body=_new_order_page,
    on_load=(NewOrder.open_form,),
    under=ORDERS,
)

CHARGE_CLIENT = ClientAction("New order", Permission.WORK_PAYMENTS, CHARGE)
