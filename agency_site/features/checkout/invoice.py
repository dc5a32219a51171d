"""The PDF invoice of an order that a company pays for: what it states, and its bytes."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.features.checkout.rules import OrderState
from agency_site.features.checkout.tables import Order
from agency_site.places import RunStart


@dataclass(frozen=True)
class InvoiceDetails:
    """What an invoice states."""

    reference: str
    """Its number is the order's."""
    ordered_at: datetime
    company: str
    company_pin: str
    """KRA PIN."""
    name: str
    """Of the contact."""
    email: str
    course: str
    quantity: int
    unit_price: int
    discount: int
    """Whole shillings that a coupon takes off."""
    coupon: str
    amount: int
    """What the order costs, after the discount."""
    paid: int
    """Whole shillings received until the invoice is drawn, less those that were returned."""
    run: RunStart | None


def build_invoice(order: Order, paid: int, run: RunStart | None) -> InvoiceDetails:
    """The invoice of an order with a company, as it is now."""
    return InvoiceDetails(
        reference=order.reference,
        ordered_at=order.created_at,
        company=order.company_name,
        company_pin=order.company_pin,
        name=f"{order.first_name} {order.last_name}",
        email=order.email,
        course=order.course_name,
        quantity=order.quantity,
        unit_price=order.unit_price,
        discount=order.discount,
        coupon=order.coupon_code,
        amount=order.amount,
        paid=paid,
        run=run,
    )


def can_add_company(order: Order) -> bool:
    """Whether the buyer can still say that a company pays; afterwards staff can."""
    has_person, is_invoiced = order.email != "", order.state not in (OrderState.FREE, OrderState.REFUNDED)
    return has_person and is_invoiced and not order.company_name


def invoice_pdf(facts: InvoiceDetails) -> bytes:
    """One A4 page; call it in a thread, like `receipt.receipt_pdf`."""
    # As there.
    from agency_site.features.checkout.invoice_drawing import draw_invoice

    return draw_invoice(facts)
