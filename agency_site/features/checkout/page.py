"""The route of the payment page."""

import reflex as rx

from agency_site.features.checkout.payment_page.state import PaymentPageState
from agency_site.features.checkout.payment_page.view import CHOICES, FORM_ID, payment_panels
from agency_site.features.checkout.payment_page.watched_order import ORDERS_KEY
from agency_site.site.layout.route import Route, shown_from
from agency_site.ui.behaviours import WhenConnected
from agency_site.ui.elements import page_head
from agency_site.ui.page_region import PageRegion


def payment_page() -> rx.Component:
    return rx.fragment(
        page_head(
            "Enrol and pay",
            "Pay from your phone with M-Pesa. Your place is yours the moment the payment arrives, and the receipt comes "
            "by e-mail.",
            band="payment",
        ),
        rx.el.div(
            PageRegion.create(payment_panels(), name="payment"),
            WhenConnected.create(form=FORM_ID, names=CHOICES, on_connect=PaymentPageState.begin),
            on_unmount=PaymentPageState.dismiss,
            custom_attrs=shown_from(ORDERS_KEY),
            class_name="wrap py-[clamp(32px,5vw,64px)]",
        ),
    )


ROUTES = (
    Route(
        path="/payment",
        title="Enrol and pay",
        description="Choose your course and pay with M-Pesa. Your place is confirmed at once, the receipt comes by e-mail.",
        body=payment_page,
        on_load=(PaymentPageState.open_page,),
        share_image="payment",
    ),
)
