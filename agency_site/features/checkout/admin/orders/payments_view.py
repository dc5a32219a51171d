"""The payments of an order on its page: M-Pesa's messages about each, and the actions with their dialogs."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.detail_page import panel_question
from agency_site.backoffice.dialogs import form_dialog
from agency_site.backoffice.elements import small_button, small_note
from agency_site.backoffice.state import has_permission
from agency_site.features.checkout.admin.orders.description import (
    CallbackLine,
    PaymentItem,
    QueryLine,
    RefundLine,
    ReversalLine,
)
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.direct_payments.staff_request import MANUAL_KINDS
from agency_site.features.checkout.orders.staff_request import (
    AMOUNT_LENGTH,
    CLIENT_HAS_ONE_NAME,
    REASON_LENGTH,
    RECEIPT_LENGTH,
    REFUND_LENGTH,
)
from agency_site.features.checkout.payments.rules import KIND_NAMES
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH, YES
from agency_site.ui.elements import Tone, notice
from agency_site.ui.forms import field, field_error, select_field, text_area
from agency_site.ui.icon import icon


def payments() -> rx.Component:
    """All payments, newest first; without payments the reason."""
    return rx.cond(
        OrderDetailState.payments,
        rx.fragment(rx.foreach(OrderDetailState.payments, _payment_card)),
        rx.el.p(
            rx.cond(
                OrderDetailState.facts["tone"] == "good",
                "No payment: this order is free.",
                "No payment yet: no prompt was sent.",
            ),
            class_name="office-card office-note",
        ),
    )


def _payment_card(payment: PaymentItem) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2(payment.title, rx.el.span(payment.amount)),
            rx.el.span(payment.state, class_name="office-tone office-tone-" + payment.tone),
            class_name="office-spread money-push-head",
        ),
        rx.cond(
            payment.why != "",
            _alert(
                payment.why,
                "Compare with the M-Pesa statement, then record here what it shows. This does not move any money.",
            ),
        ),
        rx.cond(
            payment.returned != "",
            _alert(
                payment.returned,
                "The payer has had the payment reversed, and nothing here has changed yet. Talk to the customer, then record "
                "the refund, or explain it in the reconciliation report.",
            ),
        ),
        list_facts(payment.facts),
        rx.cond(has_permission(Permission.WORK_PAYMENTS), _payment_actions(payment)),
        _log_section("Refunds", payment.refunds, _refund_item),
        _log_section("Refunds through M-Pesa", payment.reversals, _reversal_item),
        rx.cond(payment.by_hand, rx.fragment(), _mpesa_messages(payment)),
        key=payment.id.to_string(),
        class_name="office-card",
        aria_label=payment.title,
    )


def list_facts(facts: Any) -> rx.Component:
    """Labels and texts in a list."""
    return rx.el.dl(
        rx.foreach(facts, lambda fact: rx.el.div(rx.el.dt(fact.label), rx.el.dd(fact.text), key=fact.label)),
        class_name="money-facts",
    )


def _alert(title: Any, text: str) -> rx.Component:
    return rx.el.div(
        icon("alert", size=22),
        rx.el.div(rx.el.p(rx.el.strong(title)), rx.el.p(text)),
        class_name="money-review",
    )


def _payment_actions(payment: PaymentItem) -> rx.Component:
    querying = OrderDetailState.queried == payment.id
    return rx.el.div(
        _action_button(payment, "decide", "Decide", "brand"),
        _action_button(payment, "receipt", "Enter receipt", "ink"),
        rx.cond(
            payment.actions.contains("query"),
            small_button(
                icon("refresh", size=18),
                rx.cond(querying, "Checking status …", "Check status now"),
                tone="ghost",
                aria_disabled=rx.cond(querying, "true", "false"),
                on_click=OrderDetailState.query_payment(payment.id),
            ),
        ),
        rx.cond(
            has_permission(Permission.RETURN_PAYMENTS),
            rx.fragment(
                _action_button(payment, "return", "Refund through M-Pesa", "ghost"),
                _action_button(payment, "kept", "Refund failed", "ghost"),
            ),
        ),
        _action_button(payment, "refund", "Record refund", "ghost"),
        class_name="office-row money-steps",
    )


def _action_button(payment: PaymentItem, name: str, label: str, tone: Tone) -> rx.Component:
    return rx.cond(
        payment.actions.contains(name),
        small_button(label, tone=tone, on_click=OrderDetailState.open_payment(name, payment.id)),
    )


def _log_section(heading: str, lines: Any, line: Callable[[Any], rx.Component]) -> rx.Component:
    """The lines below a heading; empty without lines."""
    return rx.cond(
        lines,
        rx.el.div(
            rx.el.h3(heading),
            rx.el.ul(rx.foreach(lines, line), class_name="office-log"),
            class_name="money-traffic",
        ),
    )


def _reversal_item(line: ReversalLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.el.small(line.at, ", ", line.who, ". ", line.detail),
        key=line.id.to_string(),
    )


def _refund_item(line: RefundLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.el.small(line.at, ", ", line.who, ". ", line.reason),
        key=line.id.to_string(),
    )


def _mpesa_messages(payment: PaymentItem) -> rx.Component:
    callbacks: Any = payment.callbacks
    queries: Any = payment.queries
    return rx.el.div(
        rx.el.h3("Callbacks"),
        rx.cond(
            callbacks,
            rx.el.ul(rx.foreach(callbacks, _callback_item), class_name="office-log"),
            small_note("None received."),
        ),
        rx.cond(
            queries,
            rx.fragment(
                rx.el.h3("Status checks"),
                rx.el.ul(rx.foreach(queries, _query_item), class_name="office-log"),
            ),
        ),
        rx.cond(
            payment.ids,
            rx.el.details(rx.el.summary("M-Pesa IDs"), list_facts(payment.ids), class_name="office-behind"),
        ),
        class_name="money-traffic",
    )


def _callback_item(line: CallbackLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.el.small(line.at, ". ", line.detail),
        rx.el.details(
            rx.el.summary("Raw message (phone number masked)"),
            rx.el.pre(
                line.body, class_name="office-pre", tab_index=0, role="region", aria_label="Message of M-Pesa"
            ),
            class_name="office-behind",
        ),
        key=line.id.to_string(),
    )


def _query_item(line: QueryLine) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.el.small(line.at, ", ", line.who, rx.cond(line.detail != "", ". " + line.detail, "")),
        key=line.id.to_string(),
    )


RECEIPT_HINT = "Ten letters and digits as in the M-Pesa statement, for example UKA1B2C3D4."


def dialogs() -> rx.Component:
    """All dialogs; at most one is open."""
    return rx.fragment(
        _review_dialog(),
        _receipt_dialog(),
        _refund_dialog(),
        _return_dialog(),
        _kept_dialog(),
        _resend_dialog(),
        _manual_payment_dialog(),
        _prompt_dialog(),
        _link_dialog(),
    )


def _order_dialog(
    panel: str, title: str, *fields: rx.Component, text: rx.Component, submit: tuple[str, Any]
) -> rx.Component:
    return form_dialog(
        f"{panel}-heading",
        title,
        *fields,
        text=text,
        is_open=OrderDetailState.panel == panel,
        submit=submit,
        cancel=("Cancel", OrderDetailState.close_panel),
        problem=OrderDetailState.problem,
        draft=(panel, OrderDetailState.reference + OrderDetailState.target.to_string()),
    )


def _review_dialog() -> rx.Component:
    return _order_dialog(
        "decide",
        "What does the M-Pesa statement show?",
        rx.el.fieldset(
            rx.el.legend("Decision", class_name="sr-only"),
            _choice(
                "paid",
                "Payment received",
                "Enrols the learner, if that has not happened yet, and sends the confirmation.",
            ),
            _choice("failed", "Payment not received", "The customer can try to pay again."),
            field_error(OrderDetailState.errors["outcome"], "decide-outcome-error"),
            class_name="money-choice",
        ),
        rx.cond(
            (OrderDetailState.outcome == "paid") & (OrderDetailState.draft["by_hand"] == ""),
            _receipt_field("decide"),
        ),
        _reason_field("decide"),
        small_note("This records your decision. It does not move any money."),
        text=rx.el.p(OrderDetailState.draft["why"]),
        submit=("Record decision", OrderDetailState.decide),
    )


def _choice(value: str, label: str, effect: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio", name="outcome", value=value, aria_describedby="decide-outcome-error",
            on_change=OrderDetailState.choose_outcome(value),
        ),
        rx.el.span(rx.el.strong(label), rx.el.small(effect)),
        class_name="money-option",
    )  # fmt: skip


def _receipt_field(form: str) -> rx.Component:
    return field(
        "M-Pesa receipt", "receipt", form=form, error=OrderDetailState.errors["receipt"], hint=RECEIPT_HINT,
        default_value=OrderDetailState.draft["receipt"], max_length=16, auto_complete="off", kind="code",
    )  # fmt: skip


def _reason_field(form: str) -> rx.Component:
    return text_area(
        "Reason", "reason", form=form, error=OrderDetailState.errors["reason"], rows="2", max_length=REASON_LENGTH,
        hint="Stored with the payment. Please do not name people.",
    )  # fmt: skip


def _receipt_dialog() -> rx.Component:
    return _order_dialog(
        "receipt",
        "Enter the M-Pesa receipt",
        _receipt_field("receipt"),
        text=rx.el.p(
            "M-Pesa has confirmed this payment of ",
            OrderDetailState.draft["amount"],
            " without its receipt number, which you find in the M-Pesa statement.",
        ),
        submit=("Save receipt", OrderDetailState.enter_receipt),
    )


def _refund_dialog() -> rx.Component:
    return _order_dialog(
        "refund",
        "Record refund",
        field(
            "Amount refunded (KES)", "refund_amount", form="refund", error=OrderDetailState.errors["refund_amount"],
            default_value=OrderDetailState.draft["left"], max_length=AMOUNT_LENGTH, auto_complete="off",
            kind="number", hint="Enter a smaller amount for a partial refund.",
        ),
        field(
            "Reference of the refund", "refund_reference", form="refund",
            error=OrderDetailState.errors["refund_reference"], max_length=REFUND_LENGTH, auto_complete="off",
            default_value=OrderDetailState.draft["returned_as"],
            hint="From the M-Pesa reversal or the bank transfer.",
        ),
        field(
            "Refunded on, Nairobi time", "returned_at", form="refund", error=OrderDetailState.errors["returned_at"],
            type="datetime-local", default_value=OrderDetailState.draft["returned_at"],
            hint="Reports count the refund on this day.",
        ),
        _reason_field("refund"),
        small_note(
            "Once the whole payment is refunded, the order becomes refunded and its enrolment ends, unless another "
            "payment still pays for it. The customer gets an e-mail. This cannot be undone.",
        ),
        text=notice(
            rx.el.strong("This sends no money."),
            " First refund ",
            OrderDetailState.draft["amount"],
            " or a part of it in the M-Pesa portal or through the bank. Then record the refund here.",
        ),
        submit=("Record refund", OrderDetailState.refund),
    )  # fmt: skip


def _return_dialog() -> rx.Component:
    return _order_dialog(
        "return",
        "Refund through M-Pesa",
        _reason_field("return"),
        small_note(
            "M-Pesa decides within minutes. Once it has refunded the money, the refund is recorded here, the order becomes "
            "refunded and its enrolment ends, unless another payment still pays for it. The customer gets an e-mail.",
        ),
        text=notice(
            rx.el.strong("This moves money."),
            " M-Pesa will be asked to refund ",
            OrderDetailState.draft["amount"],
            " to the phone that paid. This cannot be undone. Only whole payments can be refunded this way.",
        ),
        submit=("Refund payment", OrderDetailState.return_payment),
    )


def _kept_dialog() -> rx.Component:
    return _order_dialog(
        "kept",
        "M-Pesa did not refund it",
        _reason_field("kept"),
        text=rx.el.p(
            "Check the M-Pesa statement first. If it shows the reversal, record the refund instead, with the receipt of "
            "the reversal. Afterwards the refund can be requested again."
        ),
        submit=("Record failed refund", OrderDetailState.give_up_return),
    )


def _prompt_dialog() -> rx.Component:
    return _order_dialog(
        "prompt",
        "Send new prompt",
        field(
            "M-Pesa number", "phone", form="prompt", error=OrderDetailState.errors["phone"], type="tel",
            default_value=OrderDetailState.draft["phone"], max_length=PHONE_LENGTH, auto_complete="off",
            hint="Leave empty for the phone of the last prompt.",
        ),
        text=rx.el.p(
            "The customer is asked on the phone to pay ", OrderDetailState.facts["missing"],
            ". Nothing is sent while another prompt of this order may be open. Agree with the customer first.",
        ),
        submit=("Send prompt", OrderDetailState.send_prompt),
    )  # fmt: skip


def _link_dialog() -> rx.Component:
    facts = OrderDetailState.facts
    return panel_question(
        OrderDetailState,
        "link",
        "Send a payment link?",
        rx.el.strong(facts["email"]), " gets an e-mail with the link to the order's page, to pay ", facts["missing"], ".",
        confirm=("Send payment link", OrderDetailState.send_link),
    )  # fmt: skip


def _manual_payment_dialog() -> rx.Component:
    draft, errors, form = OrderDetailState.draft, OrderDetailState.errors, "record"
    return _order_dialog(
        form,
        "Record payment",
        *payment_fields(form, draft, errors),
        text=rx.el.p(
            "The money has been received. The order still lacks ", OrderDetailState.facts["missing"],
            ". Once it is fully paid, the learner is enrolled, and the customer gets the confirmation "
            "with the receipt. A smaller amount counts as a partial payment."
        ),
        submit=("Record payment", OrderDetailState.record_payment),
    )  # fmt: skip


def payment_fields(form: str, draft: Any, errors: Any) -> tuple[rx.Component, ...]:
    """The fields of a payment without a prompt."""
    return (
        select_field(
            "Payment method", "kind", [rx.el.option(KIND_NAMES[kind], value=kind.value) for kind in MANUAL_KINDS],
            form=form, error=errors["kind"],
        ),
        field(
            "Amount (KES)", "amount", form=form, error=errors["amount"], default_value=draft["amount"],
            max_length=AMOUNT_LENGTH, auto_complete="off", kind="number",
        ),
        field(
            "Receipt or reference", "receipt", form=form, error=errors["receipt"], max_length=RECEIPT_LENGTH,
            auto_complete="off", kind="code",
            hint="M-Pesa's receipt, the bank's reference, or the number of your receipt for cash.",
        ),
        field(
            "Paid on, Nairobi time", "paid_at", form=form, error=errors["paid_at"], type="datetime-local",
            default_value=draft["paid_at"],
        ),
        text_area(
            "Note", "note", form=form, error=errors["note"], rows="2", max_length=REASON_LENGTH, optional="optional",
            hint="Required if you accept another amount. Please do not name people.",
        ),
        accept_in_full(),
    )  # fmt: skip


def one_name_tick(*, is_ticked: Any) -> rx.Component:
    """The checkbox with which staff leave a client's last name empty."""
    return rx.el.label(
        rx.el.input(type="checkbox", name="one_name", value=YES, default_checked=is_ticked),
        CLIENT_HAS_ONE_NAME,
        class_name="office-tick",
    )


def accept_in_full() -> rx.Component:
    """The checkbox with which staff accept less than the order lacks."""
    return rx.el.label(
        rx.el.input(type="checkbox", name="in_full", value="on"),
        "Accept a smaller amount as full payment",
        class_name="office-tick",
    )


def _resend_dialog() -> rx.Component:
    return _order_dialog(
        "resend",
        "Resend receipt",
        field(
            "To", "address", form="resend", error=OrderDetailState.errors["address"], type="email",
            default_value=OrderDetailState.draft["address"], max_length=EMAIL_LENGTH, auto_complete="off",
            hint="Another address is used only for this e-mail, which then has no link to the order.",
        ),
        text=rx.fragment(),
        submit=("Resend receipt", OrderDetailState.resend),
    )  # fmt: skip
