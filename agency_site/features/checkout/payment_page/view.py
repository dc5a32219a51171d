"""Components of the payment page: course on the left, form on the right, the dialog for the M-Pesa number."""

from typing import Any

import reflex as rx

from agency_site.content.courses import COURSES
from agency_site.features.checkout.order_status import Stage
from agency_site.features.checkout.payment_page.state import PaymentPageState
from agency_site.ui.behaviours import FocusWhen, Interval, ModalDialog
from agency_site.ui.elements import button, live_notice, notice
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import field, field_error, prefixed_field, select_field, small_print
from agency_site.ui.icon import icon

_FORM = "payment"


def payment_panels() -> rx.Component:
    return rx.el.div(
        _course(),
        rx.el.div(
            # Hidden, not removed: the input is still there when another order is placed.
            rx.el.div(
                rx.cond(PaymentPageState.previous != "", _new_order_note()),
                _form(),
                _form_outcome(),
                hidden=PaymentPageState.shows_order,
            ),
            rx.cond(PaymentPageState.shows_order, _order()),
            _other_order(),
            class_name="panel",
        ),
        _modal(),
        # After the dialog, which keeps focus inside itself while it is open.
        FocusWhen.create(when=PaymentPageState.focuses_order, target="order-heading"),
        Interval.create(
            every=PaymentPageState.poll_ms, active=PaymentPageState.polling, on_tick=PaymentPageState.poll
        ),
        class_name="grid grid-cols-1 items-start gap-8 lg:grid-cols-[.9fr_1.1fr]",
    )


def _course() -> rx.Component:
    return rx.el.section(
        rx.el.p("You are enrolling in", class_name="font-semibold text-marigold"),
        rx.el.h2(PaymentPageState.course_name, class_name="mt-2 text-white"),
        rx.el.p(PaymentPageState.blurb, class_name="text-lead mt-5"),
        rx.el.p(
            rx.cond(PaymentPageState.free, "Free", PaymentPageState.unit + " a place"),
            class_name="display text-subheading mt-7 pt-6 border-t border-white/25",
        ),
        rx.cond(
            PaymentPageState.price_note != "",
            rx.el.p(PaymentPageState.price_note, class_name="mt-3", role="note"),
        ),
        rx.el.ul(
            *(
                rx.el.li(icon("check", size=22), line, class_name="flex gap-3")
                for line in (
                    "Online, two hours a week, with hands-on projects",
                    "Taught by people who do the work every day",
                    "Certification of Completion",
                )
            ),
            class_name="list-none p-0 mt-7 space-y-3",
        ),
        class_name="on-dark bg-lake text-paper rounded-panel p-[clamp(24px,3.6vw,48px)] lg:sticky lg:top-24",
        aria_label="What you are enrolling in",
    )


def _form() -> rx.Component:
    errors = PaymentPageState.errors
    return rx.el.form(
        rx.el.h2("Your details", class_name="text-subheading mb-5"),
        select_field(
            "Course", "course", [rx.el.option(c.payment_name, value=c.slug) for c in COURSES], form=_FORM,
            error=errors["courseName"], value=PaymentPageState.slug, on_change=PaymentPageState.choose_course,
        ),
        rx.el.div(
            field("First Name", "firstName", form=_FORM, error=errors["firstName"], auto_complete="given-name", max_length=80),
            field("Last Name", "lastName", form=_FORM, error=errors["lastName"], auto_complete="family-name", max_length=80),
            class_name="grid sm:grid-cols-2 gap-x-5",
        ),
        field("Email", "email", form=_FORM, error=errors["email"], type="email", auto_complete="email", max_length=254),
        field(
            "Phone", "phone", form=_FORM, error=errors["phone"], type="tel", auto_complete="tel", max_length=32,
            placeholder="0712 345 678",
        ),
        rx.cond(PaymentPageState.free, rx.fragment(), _quantity()),
        rx.el.button(
            rx.cond(PaymentPageState.free, "Enroll for free", ("Pay " + PaymentPageState.total).strip()),
            type="submit", class_name="button w-full",
        ),
        honeypot(),
        small_print("By enrolling you accept our"),
        on_mount=PaymentPageState.begin,
        on_unmount=PaymentPageState.dismiss,
        on_submit=PaymentPageState.submit,
        custom_attrs={"noValidate": True},
        aria_label="Enroll and pay",
    )  # fmt: skip


def _quantity() -> rx.Component:
    return rx.el.div(
        rx.el.label("Quantity", html_for=f"{_FORM}-quantity", class_name="field-label"),
        rx.el.div(
            _step(
                "One place fewer",
                "\N{MINUS SIGN}",
                PaymentPageState.fewer,
                disabled=PaymentPageState.at_least,
            ),
            rx.el.input(
                id=f"{_FORM}-quantity",
                name="quantity",
                # It starts at 1 with every visit: a reload must not restore what multiplies a price.
                # Not `number`: an emptied one would arrive as 0.
                type="text",
                input_mode="numeric",
                auto_complete="off",
                value=PaymentPageState.quantity,
                on_change=PaymentPageState.choose_quantity,
                aria_describedby=f"{_FORM}-quantity-error",
                aria_invalid=rx.cond(PaymentPageState.errors["quantity"], "true", "false"),
                class_name="input w-24 text-center",
            ),
            _step("One place more", "+", PaymentPageState.more),
            rx.el.p(PaymentPageState.total, class_name="display text-subheading ml-auto", aria_live="polite"),
            class_name="flex flex-wrap items-center gap-2",
        ),
        field_error(PaymentPageState.errors["quantity"], f"{_FORM}-quantity-error"),
        rx.cond(
            PaymentPageState.errors["quantity"],
            rx.el.p(
                rx.el.a("Contact us about a larger group", href="/contact", class_name="link"),
                class_name="mt-2",
            ),
        ),
        class_name="field",
    )


def _step(label: str, sign: str, handler: Any, **props: object) -> rx.Component:
    return rx.el.button(
        rx.el.span(sign, aria_hidden="true"),
        rx.el.span(label, class_name="sr-only"),
        type="button",
        on_click=handler,
        class_name="button button-ink w-[52px] px-0 text-xl",
        **props,
    )


def _form_outcome() -> rx.Component:
    state = PaymentPageState
    return rx.el.div(
        rx.cond(
            state.failure != "", notice(rx.el.p(state.failure, class_name="font-semibold"), tone="error")
        ),
        _progress(~state.modal & (state.message != "")),
        rx.cond(
            (state.stage == Stage.PAYABLE) & (state.message == ""),
            notice(
                rx.el.p("Your order ", rx.el.strong(state.reference), " for this course is not paid yet."),
                _order_link("See how it stands"),
            ),
        ),
        class_name="mt-5 space-y-4",
    )


def _new_order_note() -> rx.Component:
    state = PaymentPageState
    return notice(
        rx.el.p(
            "This will be another order for the course, after ",
            rx.el.strong(state.previous),
            ". What it costs is charged in addition.",
        ),
        rx.el.button(
            "Keep the earlier order only", type="button", on_click=state.keep_order, class_name="link"
        ),
        class_name="mb-5",
    )


def _order() -> rx.Component:
    """The stored order instead of the form."""
    state = PaymentPageState
    return rx.el.section(
        rx.el.h2(state.heading, id="order-heading", class_name="text-subheading mb-5"),
        _progress(~state.modal),
        rx.el.p(
            rx.cond(
                state.stage == Stage.ENROLLED,
                "Do you want more places in this course, or a place for somebody else?",
                "If no request will reach the phone any more, or you want more places, you can place another order. "
                "It is charged in addition: if both requests are answered, both are paid.",
            ),
            class_name="mt-6 mb-3",
        ),
        button("Place another order", tone="ink", on_click=state.order_again, class_name="button-small"),
        aria_labelledby="order-heading",
    )


def _other_order() -> rx.Component:
    state = PaymentPageState
    return rx.cond(
        state.other_reference != "",
        notice(
            rx.el.p("You have an order here already: ", rx.el.strong(state.other_reference), "."),
            rx.el.a("See how it stands", href=state.other_link, class_name="link"),
            class_name="mt-5",
        ),
    )


def _order_link(label: str) -> rx.Component:
    """Nothing where the link of an older order cannot be derived any more."""
    return rx.cond(
        PaymentPageState.order_link != "",
        rx.el.a(
            label, href=PaymentPageState.order_link, on_click=PaymentPageState.dismiss, class_name="link"
        ),
    )


def _modal() -> rx.Component:
    return ModalDialog.create(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Pay with M-Pesa", class_name="text-subheading", id="pay-heading"),
                rx.el.button(
                    icon("close"),
                    rx.el.span("Close", class_name="sr-only"),
                    type="button",
                    on_click=PaymentPageState.dismiss,
                    class_name="grid place-items-center w-11 h-11 rounded-pill bg-sand",
                ),
                class_name="flex items-center justify-between gap-4 mb-5",
            ),
            # Hidden, not removed: the number must still be there after a rejected payment.
            rx.el.div(_number_form(), hidden=PaymentPageState.shows_order),
            _progress(
                PaymentPageState.modal & (PaymentPageState.shows_order | (PaymentPageState.message != ""))
            ),
            class_name="p-[clamp(22px,4vw,34px)]",
        ),
        open=PaymentPageState.modal,
        on_dismiss=PaymentPageState.dismiss,
        class_name="dialog",
        custom_attrs={"aria-labelledby": "pay-heading"},
    )


def _number_form() -> rx.Component:
    return rx.el.form(
        rx.el.p(PaymentPageState.course_name, " · ", rx.el.strong(PaymentPageState.total), class_name="mb-5"),
        prefixed_field(
            "+254", "M-Pesa number", "mpesaPhone", form=_FORM, input_mode="tel", auto_complete="tel-national", max_length=32,
            placeholder="712 345 678", hint="The phone that gets the prompt and pays.", error=PaymentPageState.number_error,
            default_value=PaymentPageState.known_number, key=PaymentPageState.known_number,
            custom_attrs={"data-initial-focus": ""},
        ),
        rx.el.button(
            rx.cond(PaymentPageState.busy, "Processing...", "Pay " + PaymentPageState.total),
            type="submit",
            disabled=PaymentPageState.busy,
            class_name="button w-full",
        ),
        rx.el.p(
            rx.cond(PaymentPageState.busy, "Asking M-Pesa to send the request to your phone. This can take half a minute.", ""),
            role="status", class_name="mt-3 text-small text-muted",
        ),
        on_submit=PaymentPageState.pay,
        custom_attrs={"noValidate": True},
        class_name="mb-4",
    )  # fmt: skip


def _progress(shown: rx.Var[bool]) -> rx.Component:
    """The last alert with exactly its text, and beneath it what it means and what to do."""
    state = PaymentPageState
    return live_notice(
        rx.cond(
            shown & (state.message != ""), rx.el.p(state.message, role="alert", class_name="font-semibold")
        ),
        rx.el.p(rx.cond(shown, state.explanation, ""), role="status", class_name="mt-1.5 empty:mt-0"),
        rx.cond(shown, _next_steps()),
        tone=state.tone,
        shown=shown,
    )


def _next_steps() -> rx.Component:
    state = PaymentPageState
    return rx.fragment(
        rx.cond(
            state.reference != "",
            rx.el.p("Order ", rx.el.strong(state.reference), ". ", _order_link("Open your order page"),
                    class_name="mt-1.5"),
        ),
        rx.cond(
            (state.stage == Stage.ENROLLED) & (state.order_link != ""),
            rx.el.a(
                rx.cond(state.free, "Open your enrolment", "See your enrolment"),
                href=state.order_link, on_click=state.dismiss, class_name="button button-small mt-4",
            ),
        ),
        rx.cond(
            ~state.polling & ((state.stage == Stage.WAITING) | (state.stage == Stage.REVIEW)),
            button("Check again", on_click=state.check_again, class_name="button-small mt-4"),
        ),
    )  # fmt: skip
