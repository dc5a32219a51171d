"""Components of the payment page: course on the left, form on the right, the modal for the M-Pesa number."""

from typing import Any

import reflex as rx

from agency_site.content.courses import COURSES
from agency_site.features.checkout.order_status import Stage
from agency_site.features.checkout.state import PaymentDesk
from agency_site.ui.behaviours import FocusWhen, Interval, ModalDialog
from agency_site.ui.elements import button, live_notice, notice
from agency_site.ui.form_guard import honeypot
from agency_site.ui.forms import field, field_error, prefixed_field, select_field, small_print
from agency_site.ui.icon import icon

FORM = "payment"


def payment_panels() -> rx.Component:
    """Course and academy blurb left, form right; stacked on phones."""
    return rx.el.div(
        _course(),
        rx.el.div(
            # Hidden, not removed: what was typed is still there when another order is placed.
            rx.el.div(
                rx.cond(PaymentDesk.previous != "", _new_order_note()),
                _form(),
                _form_outcome(),
                hidden=PaymentDesk.shows_order,
            ),
            rx.cond(PaymentDesk.shows_order, _order()),
            _other_order(),
            class_name="panel",
        ),
        _modal(),
        # After the dialog, which lets nothing outside itself have focus while it is open.
        FocusWhen.create(when=PaymentDesk.focuses_order, target="order-heading"),
        Interval.create(every=PaymentDesk.poll_ms, active=PaymentDesk.polling, on_tick=PaymentDesk.poll),
        class_name="grid grid-cols-1 items-start gap-8 lg:grid-cols-[.9fr_1.1fr]",
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
            rx.cond(PaymentDesk.free, "Enroll for free", ("Pay " + PaymentDesk.total).strip()),
            type="submit", class_name="button w-full",
        ),
        honeypot(),
        small_print("By enrolling you accept our"),
        on_mount=PaymentDesk.begin,
        on_unmount=PaymentDesk.dismiss,
        on_submit=PaymentDesk.submit,
        custom_attrs={"noValidate": True},
        aria_label="Enroll and pay",
    )  # fmt: skip


def _quantity() -> rx.Component:
    return rx.el.div(
        rx.el.label("Quantity", html_for=f"{FORM}-quantity", class_name="field-label"),
        rx.el.div(
            _step("One place fewer", "\N{MINUS SIGN}", PaymentDesk.fewer, disabled=PaymentDesk.at_least),
            rx.el.input(
                id=f"{FORM}-quantity",
                name="quantity",
                # It starts at 1 with every visit: what multiplies a price is not brought back by a reload.
                # Not `number`: an emptied one would arrive as 0.
                type="text",
                input_mode="numeric",
                auto_complete="off",
                value=PaymentDesk.quantity,
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
        _progress(~state.modal & (state.message != "")),
        rx.cond(
            (state.stage == Stage.PAYABLE) & (state.message == ""),
            notice(
                rx.el.p("Your order ", rx.el.strong(state.reference), " for this course is not paid yet."),
                _to_order_page("See how it stands"),
            ),
        ),
        class_name="mt-5 space-y-4",
    )


def _new_order_note() -> rx.Component:
    state = PaymentDesk
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
    """The stored order in place of the form."""
    state = PaymentDesk
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
    state = PaymentDesk
    return rx.cond(
        state.other_reference != "",
        notice(
            rx.el.p("You have an order here already: ", rx.el.strong(state.other_reference), "."),
            rx.el.a("See how it stands", href=state.other_link, class_name="link"),
            class_name="mt-5",
        ),
    )


def _to_order_page(label: str) -> rx.Component:
    """Nothing where the link of an older order cannot be made again."""
    return rx.cond(
        PaymentDesk.order_link != "",
        rx.el.a(label, href=PaymentDesk.order_link, on_click=PaymentDesk.dismiss, class_name="link"),
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
            rx.el.div(_number_form(), hidden=PaymentDesk.shows_order),
            _progress(PaymentDesk.modal & (PaymentDesk.shows_order | (PaymentDesk.message != ""))),
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
            "+254", "M-Pesa number", "mpesaPhone", form=FORM, input_mode="tel", auto_complete="tel-national", max_length=32,
            placeholder="712 345 678", hint="The phone that gets the prompt and pays.", error=PaymentDesk.number_error,
            default_value=PaymentDesk.known_number, key=PaymentDesk.known_number,
            custom_attrs={"data-initial-focus": ""},
        ),
        rx.el.button(
            rx.cond(PaymentDesk.busy, "Processing...", "Pay " + PaymentDesk.total),
            type="submit",
            disabled=PaymentDesk.busy,
            class_name="button w-full",
        ),
        rx.el.p(
            rx.cond(PaymentDesk.busy, "Asking M-Pesa to send the request to your phone. This can take half a minute.", ""),
            role="status", class_name="mt-3 text-small text-muted",
        ),
        on_submit=PaymentDesk.pay,
        custom_attrs={"noValidate": True},
        class_name="mb-4",
    )  # fmt: skip


def _progress(shown: rx.Var[bool]) -> rx.Component:
    """The last alert with exactly its text, and beneath it what it means and what to do."""
    state = PaymentDesk
    return live_notice(
        rx.cond(
            shown & (state.message != ""), rx.el.p(state.message, role="alert", class_name="font-semibold")
        ),
        rx.el.p(rx.cond(shown, state.explanation, ""), role="status", class_name="mt-1.5 empty:mt-0"),
        rx.cond(shown, _ways_on()),
        tone=state.tone,
        shown=shown,
    )


def _ways_on() -> rx.Component:
    state = PaymentDesk
    return rx.fragment(
        rx.cond(
            state.reference != "",
            rx.el.p("Order ", rx.el.strong(state.reference), ". ", _to_order_page("Open your order page"),
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
