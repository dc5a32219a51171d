"""What an order's page asks before something is decided: each says what it does, and that no money moves."""

from typing import Any

import reflex as rx

from agency_site.backoffice.dialogs import question
from agency_site.backoffice.drafts import DISCARDS, keep_draft
from agency_site.features.checkout.admin.detail import OrderDesk
from agency_site.features.checkout.staff_request import REASON_LENGTH, REFUND_LENGTH
from agency_site.form_input import EMAIL_LENGTH
from agency_site.ui.elements import button, notice
from agency_site.ui.forms import field, field_error, text_area

RECEIPT_HINT = "Ten letters and digits, as in the M-Pesa statement, such as UKA1B2C3D4."


def dialogs() -> rx.Component:
    """All of them; one at most is open."""
    return rx.fragment(_deciding(), _entering(), _refunding(), _resending())


def _dialog(panel: str, title: str, form: rx.Component) -> rx.Component:
    heading = f"{panel}-heading"
    return question(
        heading,
        title,
        # Drawn when it opens, so that its boxes hold what the payment says then.
        rx.cond(OrderDesk.panel == panel, form, rx.fragment()),
        opens=OrderDesk.panel == panel,
        leave=OrderDesk.stop,
    )


def _form(panel: str, *children: rx.Component, submit: Any, label: str, leave: str) -> rx.Component:
    return rx.el.form(
        *children,
        rx.cond(OrderDesk.problem != "", notice(OrderDesk.problem, tone="error"), rx.fragment()),
        rx.el.div(
            button(label, type="submit"),
            button(leave, tone="ghost", on_click=OrderDesk.stop, custom_attrs=DISCARDS),
            class_name="office-row",
        ),
        keep_draft(panel, OrderDesk.reference + OrderDesk.target.to_string()),
        on_submit=submit,
        custom_attrs={"noValidate": True},
    )


def _deciding() -> rx.Component:
    return _dialog(
        "decide",
        "What does the M-Pesa statement show?",
        rx.fragment(
            rx.el.p(OrderDesk.draft["why"]),
            _form(
                "decide",
                rx.el.fieldset(
                    rx.el.legend("Decision", class_name="sr-only"),
                    _choice(
                        "paid", "The money has come", "Enrols, if nobody is yet, and sends the confirmation."
                    ),
                    _choice(
                        "failed", "No money for this order has come", "The customer can try to pay again."
                    ),
                    field_error(OrderDesk.errors["outcome"], "decide-outcome-error"),
                    class_name="money-choice",
                ),
                rx.cond(OrderDesk.outcome == "paid", _receipt_box("decide"), rx.fragment()),
                _reason("decide"),
                rx.el.p(_NOTHING_MOVES, class_name="office-note"),
                submit=OrderDesk.decide,
                label="Write it down",
                leave="Decide later",
            ),
        ),
    )


_NOTHING_MOVES = "This writes down what you found. It neither takes nor sends money."


def _choice(value: str, label: str, effect: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio", name="outcome", value=value, aria_describedby="decide-outcome-error",
            on_change=OrderDesk.choose(value),
        ),
        rx.el.span(rx.el.strong(label), rx.el.small(effect)),
        class_name="money-option",
    )  # fmt: skip


def _receipt_box(form: str) -> rx.Component:
    return field(
        "M-Pesa receipt", "receipt", form=form, error=OrderDesk.errors["receipt"], hint=RECEIPT_HINT,
        default_value=OrderDesk.draft["receipt"], max_length=16, auto_complete="off", spell_check=False,
    )  # fmt: skip


def _reason(form: str) -> rx.Component:
    return text_area(
        "Reason", "reason", form=form, error=OrderDesk.errors["reason"], rows="2", max_length=REASON_LENGTH,
        hint="Stays in the books. Please name no people.",
    )  # fmt: skip


def _entering() -> rx.Component:
    return _dialog(
        "receipt",
        "Enter the M-Pesa receipt",
        rx.fragment(
            rx.el.p(
                "M-Pesa has confirmed this payment of ",
                OrderDesk.draft["amount"],
                " without naming its receipt. You find it in the M-Pesa statement.",
            ),
            _form(
                "receipt",
                _receipt_box("receipt"),
                submit=OrderDesk.enter_receipt,
                label="Enter it",
                leave="Leave it",
            ),
        ),
    )


def _refunding() -> rx.Component:
    return _dialog(
        "refund",
        "Mark refunded",
        rx.fragment(
            notice(
                rx.el.strong("This sends no money."),
                " Give ",
                OrderDesk.draft["amount"],
                " back first, in the M-Pesa portal or through the bank. Then write down here how it went back.",
            ),
            _form(
                "refund",
                field(
                    "Reference of the refund", "refund_reference", form="refund",
                    error=OrderDesk.errors["refund_reference"], max_length=REFUND_LENGTH, auto_complete="off",
                    hint="Of M-Pesa's reversal or the bank's transfer.",
                ),
                _reason("refund"),
                rx.el.p(
                    "The order becomes refunded and its enrolment ends, unless another payment still pays for it. "
                    "This cannot be taken back.",
                    class_name="office-note",
                ),
                submit=OrderDesk.refund,
                label="It has gone back",
                leave="Leave it",
            ),
        ),
    )  # fmt: skip


def _resending() -> rx.Component:
    return _dialog(
        "resend",
        "Send the receipt again",
        _form(
            "resend",
            field(
                "To", "address", form="resend", error=OrderDesk.errors["address"], type="email",
                default_value=OrderDesk.draft["address"], max_length=EMAIL_LENGTH, auto_complete="off",
                hint="Another address is used for this mail only, which then carries no link to the order.",
            ),
            submit=OrderDesk.resend,
            label="Send it",
            leave="Leave it",
        ),
    )  # fmt: skip
