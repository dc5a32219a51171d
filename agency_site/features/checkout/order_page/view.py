"""Components of the private order page."""

import reflex as rx

from agency_site.features.checkout.order_page.state import OrderPageState
from agency_site.site.layout.private_link import private_link_page, unknown_link
from agency_site.ui.behaviours import Interval
from agency_site.ui.blocks import fact
from agency_site.ui.elements import button, link_button, live_notice, notice
from agency_site.ui.forms import prefixed_field


def order_panel() -> rx.Component:
    """The order, or that the link opens none."""
    courses = link_button("Our courses", "/academy")
    unknown = unknown_link("We have no order under this address.", courses, "the whole link")
    return private_link_page(OrderPageState, _order(), unknown, on_mount=OrderPageState.begin)


def _order() -> rx.Component:
    state = OrderPageState
    return rx.fragment(
        rx.el.p("Order ", state.reference, class_name="font-semibold text-muted"),
        rx.el.h1(state.heading, class_name="mt-2"),
        rx.el.div(_status(), role="status", class_name="mt-7"),
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
        _details(),
        rx.el.div(
            rx.cond(
                state.receipt_link != "",
                rx.el.a(
                    "Download the receipt", href=state.receipt_link, reload_document=True, class_name="button"
                ),
            ),
            rx.cond(state.polling, button("Check again", tone="ink", on_click=state.check_again)),
            rx.cond(
                state.order_again_link != "",
                link_button("Order this course again", state.order_again_link, tone="ink"),
            ),
            class_name="flex flex-wrap gap-3 mt-6",
        ),
        rx.el.p(
            rx.cond(state.checks > 0, _count_checks(), ""),
            role="status",
            class_name="mt-3 text-small text-muted",
        ),
        rx.cond(state.may_retry, _retry()),
        Interval.create(every=state.poll_ms, active=state.polling, on_tick=state.poll),
    )


def _count_checks() -> rx.Var[str]:
    return (
        "Checked "
        + OrderPageState.checks.to_string()
        + rx.cond(OrderPageState.checks == 1, " time.", " times.")
    )


def _status() -> rx.Component:
    text = rx.el.p(OrderPageState.detail)
    return rx.match(
        OrderPageState.tone,
        ("success", notice(text, tone="success", role="group")),
        ("error", notice(text, tone="error", role="group")),
        notice(text, tone="info", role="group"),
    )


def _details() -> rx.Component:
    state = OrderPageState
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
    state = OrderPageState
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
