"""Components of the private order page."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.features.checkout.order_state import OrderPage
from agency_site.ui.behaviours import Interval
from agency_site.ui.blocks import fact
from agency_site.ui.elements import button, link_button, live_notice, notice, skeleton, text_link
from agency_site.ui.forms import prefixed_field


def order_panel() -> rx.Component:
    """The order, or that the link opens none."""
    return rx.fragment(
        rx.cond(
            ~OrderPage.looked_up,
            rx.el.div(skeleton("h-12 w-3/4 mb-4"), skeleton("h-40")),
            rx.cond(OrderPage.known, _order(), _unknown()),
        ),
        Interval.create(every=OrderPage.poll_ms, active=OrderPage.watching, on_tick=OrderPage.watch),
    )


def _unknown() -> rx.Component:
    return rx.el.div(
        rx.el.h1("We have no order under this address."),
        rx.el.p("Please check that you opened the whole link, or call us on ",
                text_link(BRAND.phone, f"tel:{BRAND.phone_e164}"), ".", class_name="text-lead mt-5 mb-8"),
        link_button("Our courses", "/academy"),
    )  # fmt: skip


def _order() -> rx.Component:
    state = OrderPage
    return rx.fragment(
        rx.el.p("Order ", state.reference, class_name="font-semibold text-muted"),
        rx.el.h1(state.heading, class_name="mt-2"),
        rx.el.div(_standing(), role="status", class_name="mt-7"),
        rx.el.div(
            live_notice(
                rx.cond(
                    state.failure != "", rx.el.p(state.failure, role="alert", class_name="font-semibold")
                ),
                rx.el.p(state.reason, role="status"),
                tone=rx.Var.create("error"),
                shown=state.failure != "",
            ),
            class_name="mt-4",
        ),
        _facts(),
        rx.el.div(
            rx.cond(
                state.receipt_link != "",
                rx.el.a(
                    "Download the receipt", href=state.receipt_link, reload_document=True, class_name="button"
                ),
            ),
            rx.cond(state.watching, button("Check again", tone="ink", on_click=state.check_again)),
            rx.cond(
                state.order_again_link != "",
                link_button("Order this course again", state.order_again_link, tone="ink"),
            ),
            class_name="flex flex-wrap gap-3 mt-6",
        ),
        rx.el.p(
            rx.cond(state.looks > 0, _looked(), ""), role="status", class_name="mt-3 text-small text-muted"
        ),
        rx.cond(state.may_retry, _retry()),
    )


def _looked() -> rx.Var[str]:
    return "Checked " + OrderPage.looks.to_string() + rx.cond(OrderPage.looks == 1, " time.", " times.")


def _standing() -> rx.Component:
    text = rx.el.p(OrderPage.detail)
    return rx.match(
        OrderPage.tone,
        ("success", notice(text, tone="success", role="group")),
        ("error", notice(text, tone="error", role="group")),
        notice(text, tone="info", role="group"),
    )


def _facts() -> rx.Component:
    state = OrderPage
    return rx.el.dl(
        fact("Course", state.course),
        fact("Places", state.quantity.to_string()),
        fact("Amount", state.amount),
        rx.cond(state.payer != "", fact("M-Pesa number", state.payer)),
        rx.cond(state.receipt != "", fact("M-Pesa receipt", state.receipt)),
        rx.cond(state.paid_on != "", fact("Paid on", state.paid_on + ", Nairobi time")),
        class_name="panel grid gap-y-3 mt-6",
    )


def _retry() -> rx.Component:
    state = OrderPage
    return rx.el.section(
        rx.el.h2("Try again", class_name="text-subheading mb-4"),
        rx.el.form(
            prefixed_field(
                "+254", "M-Pesa number", "mpesaPhone", form="retry", type="tel", max_length=32,
                hint="Leave it empty to use the same phone as before.", error=state.number_error,
            ),
            rx.el.button(
                rx.cond(state.busy, "Processing...", "Pay " + state.amount),
                type="submit", disabled=state.busy, class_name="button",
            ),
            on_submit=state.pay_again,
            custom_attrs={"noValidate": True},
        ),
        class_name="panel mt-6",
    )  # fmt: skip
