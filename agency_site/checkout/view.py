"""Components of the payment page: course on the left, form on the right, the modal for the M-Pesa number."""

from typing import Any

import reflex as rx

from agency_site.checkout.state import NOT_FOUND, PaymentDesk
from agency_site.content.courses import COURSES
from agency_site.ui.behaviours import FocusWhen, Interval, ModalDialog
from agency_site.ui.elements import button, link_button, notice
from agency_site.ui.forms import field, field_error, prefixed_field, select_field, small_print
from agency_site.ui.guard import trap
from agency_site.ui.icon import icon

FORM = "payment"
KNOWN_NUMBER = "payment-known-number"


def payment_panels() -> rx.Component:
    """Course and academy blurb left, form right; stacked on phones."""
    return rx.el.div(
        _course(),
        rx.el.div(_form(), _form_outcome(), class_name="panel"),
        _modal(),
        Interval.create(every=PaymentDesk.poll_ms, active=PaymentDesk.polling, on_tick=PaymentDesk.poll),
        class_name="grid items-start gap-8 lg:grid-cols-[.9fr_1.1fr]",
    )


def _course() -> rx.Component:
    return rx.el.section(
        rx.el.p("You are enrolling in", class_name="font-semibold text-marigold"),
        rx.el.h2(PaymentDesk.course_name, class_name="mt-2 text-white"),
        rx.el.p(PaymentDesk.blurb, class_name="text-lead mt-5"),
        rx.el.p(
            rx.cond(PaymentDesk.free, "Free", PaymentDesk.unit + " a place"),
            class_name="display text-subheading mt-7 pt-6 border-t border-white/25",
        ),
        rx.cond(
            PaymentDesk.price_note != "", rx.el.p(PaymentDesk.price_note, class_name="mt-3", role="note")
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
    errors = PaymentDesk.errors
    return rx.el.form(
        rx.el.h2("Your details", class_name="text-subheading mb-5"),
        select_field(
            "Course", "course", [rx.el.option(c.payment_name, value=c.slug) for c in COURSES], form=FORM,
            error=errors["courseName"], value=PaymentDesk.slug, on_change=PaymentDesk.choose_course,
        ),
        rx.el.div(
            field("First Name", "firstName", form=FORM, error=errors["firstName"], auto_complete="given-name", max_length=80),
            field("Last Name", "lastName", form=FORM, error=errors["lastName"], auto_complete="family-name", max_length=80),
            class_name="grid sm:grid-cols-2 gap-x-5",
        ),
        field("Email", "email", form=FORM, error=errors["email"], type="email", auto_complete="email", max_length=254),
        field(
            "Phone", "phone", form=FORM, error=errors["phone"], type="tel", auto_complete="tel", max_length=32,
            placeholder="0712 345 678",
        ),
        rx.cond(PaymentDesk.free, rx.fragment(), _quantity()),
        rx.el.button(
            rx.cond(PaymentDesk.free, "Enroll for free", "Pay " + PaymentDesk.total), type="submit", class_name="button w-full"
        ),
        trap(),
        small_print("By enrolling you accept our"),
        on_mount=PaymentDesk.begin,
        on_submit=PaymentDesk.submit,
        custom_attrs={"noValidate": True},
        aria_label="Enroll and pay",
    )  # fmt: skip


def _quantity() -> rx.Component:
    return rx.el.div(
        rx.el.label("Quantity", html_for=f"{FORM}-quantity", class_name="field-label"),
        rx.el.div(
            _step("One place fewer", "\N{MINUS SIGN}", PaymentDesk.fewer, disabled=PaymentDesk.quantity <= 1),
            rx.el.input(
                id=f"{FORM}-quantity",
                name="quantity",
                type="number",
                min=1,
                step=1,
                value=PaymentDesk.quantity.to_string(),
                on_change=PaymentDesk.choose_quantity,
                aria_describedby=f"{FORM}-quantity-error",
                aria_invalid=rx.cond(PaymentDesk.errors["quantity"], "true", "false"),
                class_name="input w-24 text-center",
            ),
            _step("One place more", "+", PaymentDesk.more),
            rx.el.p(PaymentDesk.total, class_name="display text-subheading ml-auto", aria_live="polite"),
            class_name="flex flex-wrap items-center gap-2",
        ),
        field_error(PaymentDesk.errors["quantity"], f"{FORM}-quantity-error"),
        rx.cond(
            PaymentDesk.errors["quantity"],
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
    state = PaymentDesk
    return rx.el.div(
        rx.cond(
            state.failure != "", notice(rx.el.p(state.failure, class_name="font-semibold"), tone="error")
        ),
        rx.cond(state.enrolled != "", _enrolled()),
        rx.cond(~state.modal & (state.message != ""), _progress()),
        rx.cond(
            state.last_order_reference != "",
            notice(
                rx.el.p("You have an order here already: ", rx.el.strong(state.last_order_reference), "."),
                rx.el.a("See how it stands", href="/order/" + state.last_order, class_name="link"),
            ),
        ),
        class_name="mt-5 space-y-4",
    )


def _enrolled() -> rx.Component:
    return notice(
        rx.el.p("You are enrolled in ", PaymentDesk.enrolled, ".", class_name="font-semibold"),
        rx.el.p(
            "Your reference is ",
            rx.el.strong(PaymentDesk.reference),
            ". The details are on their way by e-mail.",
        ),
        _to_order_page("Open your enrolment"),
        FocusWhen.create(when=PaymentDesk.reference, target="enrolled"),
        tone="success",
        id="enrolled",
    )


def _to_order_page(label: str) -> rx.Component:
    """Nothing where the link of an older order cannot be made again."""
    return rx.cond(
        PaymentDesk.order_link != "", rx.el.a(label, href=PaymentDesk.order_link, class_name="link")
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
                    on_click=PaymentDesk.dismiss,
                    class_name="grid place-items-center w-11 h-11 rounded-pill bg-sand",
                ),
                class_name="flex items-center justify-between gap-4 mb-5",
            ),
            # Hidden, not removed: the number typed must still stand there after a refused payment.
            rx.el.div(_number_form(), hidden=PaymentDesk.polling | PaymentDesk.finished),
            rx.cond(PaymentDesk.message != "", _progress()),
            class_name="p-[clamp(22px,4vw,34px)]",
        ),
        open=PaymentDesk.modal,
        on_dismiss=PaymentDesk.dismiss,
        class_name="dialog",
        custom_attrs={"aria-labelledby": "pay-heading"},
    )


def _number_form() -> rx.Component:
    return rx.el.form(
        rx.el.p(PaymentDesk.course_name, " · ", rx.el.strong(PaymentDesk.total), class_name="mb-5"),
        prefixed_field(
            "+254", "M-Pesa number", "mpesaPhone", form=FORM, type="tel", auto_complete="tel-national", max_length=32,
            placeholder="712 345 678", hint="The phone that gets the prompt and pays.",
            custom_attrs={"list": KNOWN_NUMBER},
        ),
        rx.el.datalist(rx.el.option(value=PaymentDesk.typed_phone), id=KNOWN_NUMBER),
        rx.el.button(
            rx.cond(PaymentDesk.busy, "Processing...", "Pay " + PaymentDesk.total),
            type="submit",
            disabled=PaymentDesk.busy,
            class_name="button w-full",
        ),
        on_submit=PaymentDesk.pay,
        custom_attrs={"noValidate": True},
        class_name="mb-4",
    )  # fmt: skip


def _progress() -> rx.Component:
    """The last alert with exactly its text, and beneath it what it means and what to do."""
    state = PaymentDesk
    return rx.match(
        state.tone,
        ("success", notice(*_told(), tone="success", role="group")),
        ("error", notice(*_told(), tone="error", role="group")),
        notice(*_told(), tone="info", role="group"),
    )


def _told() -> tuple[rx.Component, ...]:
    state = PaymentDesk
    return (
        rx.el.p(state.message, role="alert", class_name="font-semibold"),
        rx.cond(state.explanation != "", rx.el.p(state.explanation, class_name="mt-1.5")),
        rx.cond(
            state.reference != "",
            rx.el.p("Order ", rx.el.strong(state.reference), ". ", _to_order_page("Open your order page"),
                    class_name="mt-1.5"),
        ),
        rx.cond(
            state.finished & (state.order_link != ""),
            link_button("See your enrolment", state.order_link, class_name="button-small mt-4"),
        ),
        rx.cond(
            (state.message == NOT_FOUND) & state.watchable,
            button("Check again", on_click=state.check_again, class_name="button-small mt-4"),
        ),
    )  # fmt: skip
