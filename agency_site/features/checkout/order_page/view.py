"""Components of the private order page."""

from functools import partial

import reflex as rx

from agency_site.features.checkout.messages import AWAY
from agency_site.features.checkout.order_page.state import CreditNoteLink, OrderPageState
from agency_site.features.checkout.payment_page.state import NUMBER
from agency_site.features.checkout.payment_page.view import company_fields
from agency_site.places import UNKNOWN_ORDER
from agency_site.site.layout.private_link import private_link_page, unknown_link
from agency_site.ui.behaviours import Interval
from agency_site.ui.blocks import fact
from agency_site.ui.elements import link_button, live_notice, notice
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import button_form, prefixed_field
from agency_site.ui.values import choose, each, entry_of

State = OrderPageState | type[OrderPageState]


def order_panel() -> rx.Component:
    """The order, or that the link opens none."""
    return private_link_page(OrderPageState, order(), unknown_order(), on_mount=OrderPageState.begin)


def unknown_order() -> rx.Component:
    courses = link_button("Our courses", "/academy")
    return unknown_link(UNKNOWN_ORDER, courses, "the whole link")


def order(state: State = OrderPageState, number: str = "") -> rx.Component:
    """The order; `number` is what was typed into the form for another attempt."""
    return rx.fragment(
        rx.el.p("Order ", state.reference, class_name="font-semibold text-muted"),
        rx.el.h1(state.heading, class_name="mt-2"),
        rx.el.div(_status(state), role="status", class_name="mt-7"),
        rx.el.div(
            live_notice(
                choose(state.failure != "", rx.el.p(state.failure, role="alert", class_name="font-semibold")),
                rx.el.p(state.reason, role="status"),
                tone="error",
                shown=state.failure != "",
            ),
            choose(
                state.second_payment != "", notice(rx.el.p(state.second_payment), tone="info", role="group")
            ),
            live_notice(rx.el.p(choose(state.away, AWAY), role="status"), tone="info", shown=state.away),
            class_name="mt-4 grid gap-4",
        ),
        _details(state),
        rx.el.div(
            choose(
                state.receipt_link != "",
                rx.el.a(
                    "Download the receipt", href=state.receipt_link, reload_document=True, class_name="button"
                ),
            ),
            choose(
                state.invoice_link != "",
                rx.el.a(
                    "Download the invoice",
                    href=state.invoice_link,
                    reload_document=True,
                    class_name="button button-ink",
                ),
            ),
            each(state.credit_notes, _credit_note),
            choose(state.learners_link != "", link_button("Name the learners", state.learners_link)),
            choose(state.polling, _check_again(state)),
            choose(
                state.order_again_link != "",
                link_button("Order this course again", state.order_again_link, tone="ink"),
            ),
            class_name="flex flex-wrap gap-3 mt-6",
        ),
        rx.el.p(
            choose(
                state.checks > 0,
                rx.fragment("Checked ", state.checks, choose(state.checks == 1, " time.", " times.")),
            ),
            role="status",
            class_name="mt-3 text-small text-muted",
        ),
        choose(
            state.may_confirm,
            button_form(
                "Confirm my place",
                state.link + "/confirm",
                OrderPageState.confirm_place,
                id="confirm-place",
                class_name="mt-6",
            ),
        ),
        choose(state.may_retry, _retry(state, number)),
        choose(state.takes_company, _company(state)),
        Interval.create(every=state.poll_ms, active=state.polling, on_tick=OrderPageState.poll),
    )


def _credit_note(one: CreditNoteLink) -> rx.Component:
    return rx.el.a(
        one.text, href=one.href, reload_document=True, class_name="button button-ink", key=one.href
    )


def _check_again(state: State) -> rx.Component:
    """A link to this page, marked as one that changes by itself (`ui/page_region.jsx`)."""
    return link_button(
        "Check again",
        state.link,
        tone="ink",
        on_click=OrderPageState.check_again.prevent_default,
        custom_attrs={"data-pending": ""},
    )


def _status(state: State) -> rx.Component:
    text = rx.el.p(state.detail)
    other = choose(
        state.tone == "error",
        notice(text, tone="error", role="group"),
        notice(text, tone="info", role="group"),
    )
    return rx.fragment(choose(state.tone == "success", notice(text, tone="success", role="group"), other))


def _details(state: State) -> rx.Component:
    return rx.el.dl(
        fact("Course", state.course),
        choose(state.run != "", rx.fragment(fact("Course run", state.run), fact("Starts", state.starts))),
        fact("Places", state.quantity),
        choose(state.discount != "", fact("Coupon", state.discount)),
        fact("Amount", state.amount),
        choose(
            state.paid_so_far != "",
            rx.fragment(fact("Paid so far", state.paid_so_far), fact("To pay", state.due)),
        ),
        choose(
            state.company != "",
            rx.fragment(fact("Invoiced to", state.company), fact("KRA PIN", state.company_pin)),
        ),
        choose(state.payer != "", fact("M-Pesa number", state.payer)),
        choose(state.receipt != "", fact(state.receipt_label, state.receipt)),
        choose(state.paid_on != "", fact("Paid on", state.paid_on + ", Nairobi time")),
        choose(state.refunded != "", fact("Given back", state.refunded)),
        class_name="panel grid gap-y-3 mt-6",
    )


def _company(state: State) -> rx.Component:
    error, typed = partial(entry_of, state.company_errors), partial(entry_of, state.typed_company)
    return rx.el.form(
        company_fields(
            "A company pays: get an invoice",
            "invoice",
            (typed("companyName"), typed("companyPin")),
            (error("companyName"), error("companyPin")),
            rx.el.button("Save", type="submit", class_name="button"),
        ),
        honeypot(),
        action=state.link + "/company",
        method="post",
        on_submit=OrderPageState.add_company,
        custom_attrs={"noValidate": True},
        aria_label="A company pays",
        class_name="panel mt-6",
    )


def _retry(state: State, number: str) -> rx.Component:
    return rx.el.section(
        rx.el.h2(choose(state.payer != "", "Try again", "Pay with M-Pesa"), class_name="text-subheading mb-4"),
        rx.el.form(
            prefixed_field(
                "+254", "M-Pesa number", NUMBER, form="retry", type="tel", max_length=32,
                hint="Leave it empty to use the phone of this order.", error=state.number_error,
                default_value=number,
            ),
            rx.el.button(
                choose(state.busy, "Processing...", "Pay " + state.due),
                type="submit", disabled=state.busy, class_name="button",
            ),
            action=state.link + "/retry",
            method="post",
            on_submit=OrderPageState.pay_again,
            custom_attrs={"noValidate": True},
        ),
        rx.el.p(
            "You can also pay by hand, all at once or in parts: ", state.ways_to_pay, ".",
            class_name="mt-4 text-small text-muted",
        ),
        class_name="panel mt-6",
    )  # fmt: skip
