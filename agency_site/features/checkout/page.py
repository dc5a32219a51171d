"""Pages of the checkout slice."""

import reflex as rx

from agency_site.features.checkout.order_state import OrderPage
from agency_site.features.checkout.order_view import order_panel
from agency_site.features.checkout.state import PaymentDesk
from agency_site.features.checkout.view import payment_panels
from agency_site.site.layout.route import Route
from agency_site.ui.elements import page_head


def payment_page() -> rx.Component:
    """Head, course, form, modal."""
    return rx.fragment(
        page_head(
            "Enroll and pay",
            "Pay from your phone with M-Pesa. Your place is yours the moment the payment arrives, and the receipt comes "
            "by e-mail.",
            band="payment",
        ),
        rx.el.div(payment_panels(), class_name="wrap py-[clamp(32px,5vw,64px)]"),
    )


def order_page() -> rx.Component:
    """One order, for whoever holds its link."""
    return rx.el.div(
        rx.el.div(order_panel(), class_name="max-w-[720px]"),
        on_mount=OrderPage.begin,
        class_name="wrap py-[clamp(40px,6vw,80px)] min-h-[60vh]",
    )


ROUTES = (
    Route(
        path="/payment",
        title="Enroll and pay",
        description="Choose your course and pay with M-Pesa. Your place is confirmed at once, the receipt comes by e-mail.",
        body=payment_page,
        on_load=(PaymentDesk.open_desk,),
        hydrates="idle",
        share_image="payment",
    ),
    Route(
        path="/order/[order_token]",
        title="Your order",
        description="See how your order stands.",
        body=order_page,
        on_load=(OrderPage.open_order,),
        private=True,
    ),
)
