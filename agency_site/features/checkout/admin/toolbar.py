"""The row above the lists of orders and payments: what is often looked for."""

import reflex as rx

ORDERS, PAYMENTS = "/admin/orders", "/admin/payments"
_SHORT_CUTS = {
    ORDERS: (
        ("Needs review", "needs_review"),
        ("Waiting for M-Pesa", "awaiting"),
        ("Not paid", "unpaid"),
        ("Refunded", "refunded"),
    ),
    PAYMENTS: (
        ("Needs review", "needs_review"),
        ("On the phone", "pending"),
        ("No answer yet", "unknown"),
        ("Paid", "paid"),
    ),
}


def money_strip(path: str) -> rx.Component:
    """The row of the list at `path`."""
    return rx.el.nav(
        *(
            rx.el.a(label, href=f"{path}?state={state}", class_name="office-quiet")
            for label, state in _SHORT_CUTS[path]
        ),
        aria_label="Often looked for",
        class_name="money-short-cuts",
    )
