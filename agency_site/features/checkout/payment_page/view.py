"""Components of the payment page: course on the left, form on the right, the dialog for the M-Pesa number.

Without scripts the form leads to a page with the same question as the dialog.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from agency_site.content.courses import courses
from agency_site.features.checkout.buying.order_status import Stage
from agency_site.features.checkout.orders.request import COMPANY_LENGTH, COUPON_LENGTH, ONE_NAME
from agency_site.features.checkout.payment_page.course_choice import PRICE, RUN, RunChoice
from agency_site.features.checkout.payment_page.state import (
    COUPON,
    DETAILS,
    DISCOUNT,
    NUMBER,
    PLACE,
    PaymentPageState,
)
from agency_site.form_input import PHONE_LENGTH
from agency_site.money import kes
from agency_site.site.academy.open_runs import ENROLMENT_CLOSED
from agency_site.ui.behaviours import FocusWhen, Interval, ModalDialog
from agency_site.ui.choices import text_reminder_tick, value_tick
from agency_site.ui.elements import button, disclosure, live_notice, notice, served_link, text_link
from agency_site.ui.form_guard import SubmitButton, guard
from agency_site.ui.forms import field, field_error, prefixed_field, select_field, small_print, text_input
from agency_site.ui.icon import icon
from agency_site.ui.values import cond, count, entry_of, foreach, negate

State = PaymentPageState | type[PaymentPageState]
_FORM, FORM_ID = "payment", "payment-form"
CHOICES = ["course", RUN, "quantity", "client", "previousOrder", PLACE]
"""Fields of the main form that decide what the page shows."""
_ACTION = "/payment"
_PROMPT_MS = 60_000
"""M-Pesa can take half a minute to answer a prompt."""
_STILL_ASKING = (
    "M-Pesa has not answered yet. If your phone asks for your PIN, answer there; nothing is charged twice."
)
BACK = "back"
"""Name of the buttons that only show the main form anew, with what was typed."""


def payment_panels(state: State = PaymentPageState) -> rx.Component:
    return _panels(
        state,
        rx.fragment(
            # Hidden, not removed: the input is still there when another order is placed.
            rx.el.div(
                cond(state.previous != "", _new_order_note(state)),
                cond(state.place != "", _kept_place(state)),
                _form(state),
                _form_outcome(state),
                hidden=state.shows_order,
            ),
            cond(state.shows_order, _order(state)),
            _other_order(state),
        ),
        _modal(state),
        # The form with the submit button gives way to the order, inside the dialog.
        FocusWhen.create(when=cond(state.modal, state.shows_order, False), target="pay-heading"),
        # After the dialog, which keeps focus inside itself while it is open.
        FocusWhen.create(when=state.focuses_order, target="order-heading"),
        Interval.create(every=state.poll_ms, active=state.polling, on_tick=PaymentPageState.poll),
    )


def number_panels(state: PaymentPageState) -> rx.Component:
    """The content of the dialog as a page, for browsers without scripts."""
    return _panels(
        state,
        rx.fragment(
            rx.el.h2("Pay with M-Pesa", class_name="text-subheading mb-5"),
            _number_form(state, _back_button("Change your details"), auto_focus=not state.number_error),
            _progress(state, state.message != ""),
        ),
    )


def _panels(state: State, panel: rx.Component, *behaviours: rx.Component) -> rx.Component:
    return rx.el.div(
        cond(state.slug != "", _course(state), _course_list()),
        rx.el.div(panel, class_name="panel"),
        *behaviours,
        class_name="grid grid-cols-1 items-start gap-8 lg:grid-cols-[.9fr_1.1fr]",
    )


def _course(state: State) -> rx.Component:
    return rx.el.section(
        rx.el.p("You are enrolling in", class_name="font-semibold text-marigold"),
        rx.el.h2(state.course_name, class_name="mt-2 text-white"),
        rx.el.p(state.blurb, class_name="text-lead mt-5"),
        rx.el.p(
            cond(state.free, "Free", state.unit + " a place"),
            class_name="display text-subheading mt-7 pt-6 border-t border-white/25",
        ),
        cond(
            state.price_note != "",
            rx.el.p(state.price_note, class_name="mt-3", role="note"),
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


def _course_list() -> rx.Component:
    """The question for a course, with what each one costs."""
    return rx.el.section(
        rx.el.h2("Which course?", class_name="text-white"),
        rx.el.ul(
            *(
                rx.el.li(
                    rx.el.a(
                        course.payment_name,
                        href=f"{_ACTION}?course={course.slug}",
                        class_name="inline-flex items-center min-h-11 font-semibold",
                    ),
                    rx.el.span(
                        "Free" if course.free else kes(course.payment_price), class_name="whitespace-nowrap"
                    ),
                    class_name="flex flex-wrap items-center justify-between gap-x-4 py-1 border-t border-white/25",
                )
                for course in courses()
                if course.is_open
            ),
            class_name="list-none p-0 mt-5",
        ),
        class_name="on-dark bg-lake text-paper rounded-panel p-[clamp(24px,3.6vw,48px)]",
        aria_label="Courses and their prices",
    )


def _form(state: State) -> rx.Component:
    error = partial(entry_of, state.errors)
    options = [rx.el.option("Choose a course", value="")]
    options += [rx.el.option(course.payment_name, value=course.slug) for course in courses()]
    return rx.el.form(
        rx.el.h2(cond(state.slug != "", "Your details", "Your course"), class_name="text-subheading mb-5"),
        select_field(
            "Course", "course", options, form=_FORM,
            error=error("courseName"), value=state.slug, on_change=PaymentPageState.choose_course,
        ),
        cond(state.closed, _closed_note()),
        rx.el.div(_details(state, error), hidden=state.closed | (state.slug == "")),
        # Behind the other button: Enter in a field sends the form.
        rx.el.div(_back_button("Show the price of the course chosen above"), class_name="without-scripts"),
        id=FORM_ID,
        action=_ACTION,
        method="post",
        on_submit=PaymentPageState.submit,
        custom_attrs={"noValidate": True},
        aria_label="Enrol and pay",
    )  # fmt: skip


def _closed_note() -> rx.Component:
    return notice(
        rx.el.p(f"{ENROLMENT_CLOSED} for this course.", class_name="font-semibold"),
        rx.el.p("Choose another course above, or ", text_link("ask us", "/contact"), " when it opens again."),
        class_name="mb-5",
    )


def _details(state: State, error: Callable[[str], Any]) -> rx.Component:
    """The form below the choice of a course."""
    return rx.fragment(
        _runs(state),
        rx.el.div(
            field("First Name", "firstName", form=_FORM, error=error("firstName"), auto_complete="given-name", max_length=80),
            rx.el.div(
                field(
                    "Last Name", "lastName", form=_FORM, error=error("lastName"), auto_complete="family-name", max_length=80,
                ),
                value_tick(ONE_NAME, "oneName"),
            ),
            class_name="grid sm:grid-cols-2 gap-x-5",
        ),
        field("Email", "email", form=_FORM, error=error("email"), type="email", auto_complete="email", max_length=254),
        field(
            "Phone", "phone", form=_FORM, error=error("phone"), type="tel", auto_complete="tel", max_length=32,
            placeholder="0712 345 678",
        ),
        text_reminder_tick("smsReminders"),
        cond(state.free, rx.fragment(), rx.fragment(_quantity(state), _coupon(state), _company(state))),
        SubmitButton.create(
            cond(state.free, "Enroll for free", ("Pay " + state.total).strip()), busy="Checking...", class_name="button w-full"
        ),
        _order_inputs(state),
        guard(state, stamp=False),
        small_print("By enrolling you accept our"),
    )  # fmt: skip


def _order_inputs(state: State) -> rx.Component:
    """Hidden fields that both forms send."""
    place = cond(state.place != "", _hidden(PLACE, state.place), rx.fragment())
    return rx.fragment(_hidden("client", state.client), _hidden("previousOrder", state.previous), place)


def _runs(state: State) -> rx.Component:
    """The choice of a course run, or nothing if the course has no open run."""
    error_id, error = f"{_FORM}-{RUN}-error", entry_of(state.errors, RUN)
    choices = rx.el.fieldset(
        rx.el.legend("When do you want to start?", class_name="field-label"),
        rx.el.div(
            foreach(state.runs, lambda run: _run_choice(state, error_id, run)), class_name="grid gap-3"
        ),
        field_error(error, error_id),
        class_name="field border-0 p-0 m-0 mb-5 min-w-0",
    )
    # While the database is away there is no choice to show, but the run that was chosen must not be lost.
    chosen_run = cond(state.run != "", _hidden(RUN, state.run), rx.fragment())
    return rx.fragment(cond(count(state.runs) > 0, choices, chosen_run))


def _kept_place(state: State) -> rx.Component:
    """The notice that a waiting list keeps a place for the visitor, or that the time for it is over."""
    is_kept = rx.el.p(
        cond(
            state.kept_places > 1,
            rx.fragment(state.kept_places, " places are kept for you until "),
            "A place is kept for you until ",
        ),
        rx.el.strong(state.kept_until), ", Nairobi time.",
        class_name="font-semibold",
    )  # fmt: skip
    is_over = rx.fragment(
        rx.el.p("We are no longer keeping a place for you.", class_name="font-semibold"),
        served_link("See the waiting list", href="/waiting/" + state.place, class_name="link"),
    )
    return notice(cond(state.kept_until != "", is_kept, is_over), class_name="mb-5")


def _run_choice(state: State, error_id: str, run: RunChoice) -> rx.Component:
    waiting_list = served_link(
        "Join the waiting list",
        rx.el.span(" of this date, ", run.text, class_name="sr-only"),
        href="/waiting-list/" + run.reference,
        class_name="link tall-link ml-1",
    )
    return rx.el.div(
        _run_label(state, error_id, run),
        cond(run.full, waiting_list, rx.fragment()),
        key=run.reference,
    )


def _run_label(state: State, error_id: str, run: RunChoice) -> rx.Component:
    identifier = f"{_FORM}-{RUN}-" + run.reference
    return rx.el.label(
        rx.el.input(
            type="radio",
            id=identifier,
            name=RUN,
            value=run.reference,
            checked=state.run == run.reference,
            disabled=run.full,
            on_change=PaymentPageState.choose_run,
            aria_describedby=error_id,
            aria_invalid=cond(entry_of(state.errors, RUN), "true", "false"),
            class_name="choice-mark",
        ),
        rx.el.span(
            run.text,
            cond(
                run.price != "",
                rx.el.span(" · ", rx.el.strong(run.price, class_name="whitespace-nowrap")),
                rx.fragment(),
            ),
            class_name=cond(run.full, "text-muted", ""),
        ),
        html_for=identifier,
        class_name="choice choice-framed",
    )


def _run_inputs(state: State) -> rx.Component:
    """Hidden fields of the price that is shown, and of the chosen run if there are runs."""
    chosen_run = cond((count(state.runs) > 0) | (state.run != ""), _hidden(RUN, state.run), rx.fragment())
    return rx.fragment(chosen_run, _hidden(PRICE, state.unit_price))


def _hidden(name: str, value: Any) -> rx.Component:
    return rx.el.input(type="hidden", name=name, default_value=value)


def _back_button(label: str) -> rx.Component:
    return rx.el.button(label, type="submit", name=BACK, value="1", class_name="link tall-link mt-4")


def _quantity(state: State) -> rx.Component:
    error = entry_of(state.errors, "quantity")
    return rx.el.div(
        rx.el.label("Quantity", html_for=f"{_FORM}-quantity", class_name="field-label"),
        rx.el.div(
            _quantity_button(
                "fewer",
                "One place fewer",
                "\N{MINUS SIGN}",
                PaymentPageState.fewer,
                aria_disabled=cond(state.at_least, "true", None),
            ),
            text_input(
                id=f"{_FORM}-quantity",
                name="quantity",
                # Without autocomplete, as a reload must not restore a number that multiplies a price.
                # Not `type="number"`: an emptied one would arrive as 0.
                kind="number",
                type="text",
                auto_complete="off",
                value=state.quantity,
                on_change=PaymentPageState.choose_quantity,
                aria_describedby=f"{_FORM}-quantity-error",
                aria_invalid=cond(error, "true", "false"),
                class_name="input w-24 text-center",
            ),
            _quantity_button("more", "One place more", "+", PaymentPageState.more),
            rx.el.p(state.total, class_name="display text-subheading ml-auto", aria_live="polite"),
            class_name="flex flex-wrap items-center gap-2",
        ),
        field_error(error, f"{_FORM}-quantity-error"),
        cond(
            error,
            rx.el.p(
                rx.el.a("Contact us about a larger group", href="/contact", class_name="link"),
                class_name="mt-2",
            ),
        ),
        class_name="field",
    )


def _coupon(state: State) -> rx.Component:
    return field(
        "Coupon code", COUPON, form=_FORM, error=entry_of(state.errors, COUPON), optional="optional",
        max_length=COUPON_LENGTH, auto_complete="off", kind="code",
        hint="The discount is shown before you pay.",
    )  # fmt: skip


def _company(state: State) -> rx.Component:
    error, value = partial(entry_of, state.errors), partial(entry_of, state.details)
    return company_fields(
        "A company pays", _FORM, (value("companyName"), value("companyPin")), (error("companyName"), error("companyPin")),
        class_name="field",
    )  # fmt: skip


def company_fields(
    summary: str,
    form: str,
    values: tuple[Any, Any],
    errors: tuple[Any, Any],
    *below: rx.Component,
    **props: object,
) -> rx.Component:
    """The fields of the company to which the invoice is made out, open once one of them has a value or an error."""
    (name, pin), (name_error, pin_error) = values, errors
    is_open: Any = False
    for text in (*values, *errors):
        is_open = cond(text, True, is_open)
    return disclosure(
        summary,
        field(
            "Company name", "companyName", form=form, error=name_error, auto_complete="organization", max_length=COMPANY_LENGTH,
            default_value=name, required=False,
        ),
        field(
            "KRA PIN", "companyPin", form=form, error=pin_error, auto_complete="off", max_length=PHONE_LENGTH,
            kind="code", default_value=pin, required=False, hint="Such as P051234567X. Both are on your invoice.",
        ),
        *below,
        id=f"{form}-company",
        open=is_open,
        **props,
    )  # fmt: skip


def _quantity_button(name: str, label: str, sign: str, handler: Any, **props: object) -> rx.Component:
    identifier = f"{_FORM}-{name}"
    return rx.el.button(
        rx.el.span(sign, aria_hidden="true"),
        rx.el.span(label, class_name="sr-only"),
        id=identifier,
        type="button",
        on_click=handler,
        class_name="button button-ink w-[52px] px-0 text-xl needs-scripts",
        **props,
    )


def _form_outcome(state: State) -> rx.Component:
    return rx.el.div(
        cond(state.failure != "", notice(rx.el.p(state.failure, class_name="font-semibold"), tone="error")),
        _progress(state, negate(state.modal) & (state.message != "")),
        cond(
            (state.stage == Stage.PAYABLE) & (state.message == ""),
            notice(
                rx.el.p("Your order ", rx.el.strong(state.reference), " for this course is not paid yet."),
                _order_link(state, "See this order"),
            ),
        ),
        class_name="mt-5 space-y-4",
    )


def _new_order_note(state: State) -> rx.Component:
    return notice(
        rx.el.p(
            "This will be an additional order for the course, after ",
            rx.el.strong(state.previous),
            ". It is charged separately.",
        ),
        rx.el.a(
            "Keep the earlier order only",
            href=_ACTION + "?course=" + state.slug,
            on_click=PaymentPageState.keep_order.prevent_default,
            class_name="link",
        ),
        class_name="mb-5",
    )


def _order(state: State) -> rx.Component:
    """The stored order instead of the form."""
    return rx.el.section(
        rx.el.h2(state.heading, id="order-heading", class_name="text-subheading mb-5"),
        _progress(state, negate(state.modal)),
        rx.el.p(
            cond(
                state.stage == Stage.ENROLLED,
                "Do you want more places in this course, or a place for another person?",
                "If no prompt arrives, or you want more places, you can place another order. "
                "It is charged in addition: if you answer both prompts, you pay for both.",
            ),
            class_name="mt-6 mb-3",
        ),
        button(
            "Place another order",
            tone="ink",
            on_click=PaymentPageState.order_again,
            class_name="button-small",
        ),
        aria_labelledby="order-heading",
    )


def _other_order(state: State) -> rx.Component:
    other = notice(
        rx.el.p("You already have an order: ", rx.el.strong(state.other_reference), "."),
        served_link("See this order", href=state.other_link, class_name="link"),
        class_name="mt-5",
    )
    return rx.fragment(cond(state.other_reference != "", other))


def _order_link(state: State, label: str) -> rx.Component:
    """A link to the order's page, or nothing if it cannot be derived: the secret key has changed since."""
    link = served_link(label, href=state.order_link, on_click=PaymentPageState.dismiss, class_name="link")
    return rx.fragment(cond(state.order_link != "", link))


def _modal(state: State) -> rx.Component:
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
            rx.el.div(_number_form(state), hidden=state.shows_order),
            _progress(state, state.modal & (state.shows_order | (state.message != ""))),
            class_name="p-[clamp(22px,4vw,34px)]",
        ),
        open=state.modal,
        on_dismiss=PaymentPageState.dismiss,
        class_name="dialog",
        custom_attrs={"aria-labelledby": "pay-heading"},
    )


def _number_form(state: State, *below: rx.Component, **field_props: object) -> rx.Component:
    return rx.el.form(
        rx.el.p(state.course_name, " · ", rx.el.strong(state.due), class_name="mb-5"),
        cond(state.discount_note != "", rx.el.p(state.discount_note, class_name="mb-5"), rx.fragment()),
        prefixed_field(
            "+254", "M-Pesa number", NUMBER, form=_FORM, auto_complete="tel-national", max_length=32,
            placeholder="712 345 678", hint="The phone that gets the prompt and pays.", error=state.number_error,
            default_value=state.known_number, key=state.known_number,
            custom_attrs={"data-initial-focus": ""}, **field_props,
        ),
        SubmitButton.create("Pay " + state.due, busy="Processing...", class_name="button w-full"),
        guard(state, stamp=False, longest=_PROMPT_MS, unanswered=_STILL_ASKING),
        rx.el.p(
            cond(state.busy, "Asking M-Pesa to send the request to your phone. This can take half a minute.", ""),
            role="status", class_name="mt-3 text-small text-muted",
        ),
        *below,
        *(_hidden(name, entry_of(state.details, name)) for name in DETAILS),
        _hidden("course", state.slug),
        _hidden("quantity", state.quantity),
        _hidden(COUPON, state.coupon),
        _hidden(DISCOUNT, state.discount),
        _run_inputs(state),
        _order_inputs(state),
        action=_ACTION,
        method="post",
        on_submit=PaymentPageState.pay,
        custom_attrs={"noValidate": True},
        class_name="mb-4",
    )  # fmt: skip


def _progress(state: State, is_shown: Any) -> rx.Component:
    """The last alert with exactly its text, and beneath it the explanation and the next steps."""
    return live_notice(
        cond(
            is_shown & (state.message != ""), rx.el.p(state.message, role="alert", class_name="font-semibold")
        ),
        rx.el.p(cond(is_shown, state.explanation, ""), role="status", class_name="mt-1.5 empty:mt-0"),
        cond(is_shown, _next_steps(state)),
        tone=state.tone,
        is_shown=is_shown,
    )


def _next_steps(state: State) -> rx.Component:
    return rx.fragment(
        cond(
            state.reference != "",
            rx.el.p("Order ", rx.el.strong(state.reference), ". ", _order_link(state, "Open your order page"),
                    class_name="mt-1.5"),
        ),
        cond(
            (state.stage == Stage.ENROLLED) & (state.order_link != ""),
            served_link(
                cond(state.free, "Open your enrolment", "See your enrolment"),
                href=state.order_link, on_click=PaymentPageState.dismiss, class_name="button button-small mt-4",
            ),
        ),
        cond(
            negate(state.polling) & ((state.stage == Stage.WAITING) | (state.stage == Stage.REVIEW)),
            button("Check again", on_click=PaymentPageState.check_again, class_name="button-small mt-4"),
        ),
    )  # fmt: skip
