"""The page of one unassigned payment."""

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.detail_page import detail_page, detail_screen
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import card, fact, fact_list, small_note, unvalidated_form
from agency_site.backoffice.state import has_permission
from agency_site.features.checkout.admin.orders.list import ORDER
from agency_site.features.checkout.admin.orders.payments_view import accept_in_full
from agency_site.features.checkout.admin.unassigned.detail import SuggestedOrder, TransactionState
from agency_site.features.checkout.admin.unassigned.list import TRANSACTION, UNASSIGNED
from agency_site.features.checkout.orders.request import REFERENCE_LENGTH
from agency_site.features.checkout.orders.staff_request import REASON_LENGTH, REFUND_LENGTH
from agency_site.ui.elements import button, text_link
from agency_site.ui.forms import field, text_area

FORM, RETURN = "assign", "return"


def _transaction_page() -> rx.Component:
    return detail_page(
        TransactionState,
        _facts_card(),
        rx.cond(
            has_permission(Permission.WORK_PAYMENTS)
            & (TransactionState.facts["order"] == "")
            & (TransactionState.facts["returned"] == ""),
            rx.fragment(_assign_card(), _refund_card()),
        ),
        empty=("No payment selected. Choose one from the list.", "Unassigned payments", UNASSIGNED),
    )


def _facts_card() -> rx.Component:
    facts = TransactionState.facts
    return card(
        TransactionState.reference,
        rx.cond(
            facts["order"] != "",
            rx.el.p(
                "This payment belongs to order ",
                text_link(facts["order"], f"{ORDER}?ref=" + facts["order"]),
                ".",
            ),
            small_note(
                "M-Pesa reports this payment, but no order has a payment with its receipt.",
            ),
        ),
        fact_list(
            fact("Amount", facts["amount"]),
            fact("Received", facts["booked"]),
            fact("Paid to another short code", facts["short_code"], is_shown=facts["short_code"] != ""),
            fact("Account number given", facts["account"], is_shown=facts["account"] != ""),
            fact("Phone", facts["phone"], is_shown=facts["phone"] != ""),
            fact("Explanation", facts["note"], is_shown=facts["note"] != ""),
        ),
        rx.el.p(
            rx.el.a("Reconciliation of that day", href=facts["report"], class_name="link tall-link"),
            class_name="record-further",
        ),
        aria_label="Payment",
    )  # fmt: skip


def _assign_card() -> rx.Component:
    state, errors = TransactionState, TransactionState.errors
    return card(
        "Assign to an order",
        rx.cond(
            state.suggestions,
            rx.fragment(
                rx.el.p("Unpaid orders that may match:"),
                rx.el.ul(rx.foreach(state.suggestions, _suggestion), class_name="office-log"),
            ),
            small_note("No unpaid order has this account number or amount."),
        ),
        rx.el.p(
            rx.el.a("New order for this payment", href=state.facts["new_order"], class_name="link tall-link"),
            class_name="record-further",
        ),
        unvalidated_form(
            field(
                "Order", "order", form=FORM, error=errors["order"], max_length=REFERENCE_LENGTH, auto_complete="off",
                kind="code", hint="The order's reference, for example EN-7F3K9Q.",
            ),
            text_area(
                "Note", "note", form=FORM, error=errors["note"], rows="2", max_length=REASON_LENGTH, optional="optional",
                hint="Required if you accept another amount. Please do not name people.",
            ),
            accept_in_full(),
            small_note(
                "Once the order is fully paid, its learner is enrolled, and the customer gets an e-mail.",
            ),
            button("Assign payment", type="submit"),
            keep_draft(FORM, state.reference),
            on_submit=state.assign,
            class_name="record-form",
        ),
        identity="assign-heading",
    )  # fmt: skip


def _refund_card() -> rx.Component:
    state, errors = TransactionState, TransactionState.errors
    form = unvalidated_form(
        field(
            "Reference of the refund", "refund_reference", form=RETURN, error=errors["refund_reference"],
            max_length=REFUND_LENGTH, auto_complete="off", hint="From the M-Pesa reversal or the bank transfer.",
        ),
        text_area(
            "Reason", "reason", form=RETURN, error=errors["reason"], rows="2", max_length=REASON_LENGTH,
            hint="Please do not name people.",
        ),
        button("Record refund", type="submit", tone="ghost"),
        keep_draft(RETURN, state.reference),
        on_submit=state.record_return,
        class_name="record-form",
    )  # fmt: skip
    return rx.cond(
        state.facts["closed"] == "",
        card(
            "Refunded to the payer",
            small_note("This sends no money. First refund it in the M-Pesa portal or through the bank."),
            form,
            identity="return-heading",
        ),
    )


def _suggestion(order: SuggestedOrder) -> rx.Component:
    return rx.el.li(text_link(order.reference, order.href), " ", order.text, key=order.reference)


TRANSACTION_SCREEN = detail_screen(
    TransactionState, TRANSACTION, "Unassigned payment", _transaction_page, under=UNASSIGNED
)
