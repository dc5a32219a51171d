"""Build the facts of receipts, invoices and credit notes from orders and their payments."""

from collections.abc import Sequence
from datetime import timedelta

from agency_site.content.brand import BRAND
from agency_site.features.checkout.documents.facts import (
    CreditNoteDetails,
    InvoiceDetails,
    ReceiptDetails,
    ReceivedPayment,
)
from agency_site.features.checkout.orders.queries import format_name
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, Balance, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import METHOD_NAMES, RECEIPT_LABELS, Refusal
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.money import kes
from agency_site.places import RunStart
from agency_site.settings import settings


def build_receipt(order: Order, payments: Sequence[Payment], run: RunStart | None = None) -> ReceiptDetails:
    """Return the content of an order's receipt. The settled `payments` make up the price, or a part of it."""
    balance = sum_payments(order, payments)
    return ReceiptDetails(
        reference=order.reference,
        name=format_name(order),
        email=order.email,
        company=order.company_name,
        company_pin=order.company_pin,
        course=order.course_name,
        run=run,
        quantity=order.quantity,
        unit_price=order.unit_price,
        amount=order.amount,
        payments=tuple(map(_describe_payment, payments)),
        discount=order.discount,
        coupon=order.coupon_code,
        paid=balance.received,
        refunded=balance.refunded,
        due=balance.due(order.state),
    )


def sum_payments(order: Order, payments: Sequence[Payment]) -> Balance:
    """Return the balance of the order, counting these payments only."""
    received = sum(payment.amount for payment in payments)
    refunded = sum(payment.refunded for payment in payments)
    return Balance(order.amount, received, refunded)


def _describe_payment(payment: Payment) -> ReceivedPayment:
    paid_at = payment.paid_at or payment.settled_at
    assert paid_at is not None
    return ReceivedPayment(
        amount=payment.amount,
        method=METHOD_NAMES[payment.kind],
        label=RECEIPT_LABELS[payment.kind],
        number=payment.receipt or "",
        paid_at=paid_at,
    )


MOST_REFUNDS = 10_000
"""More than any order has refunds; keeps the number in an address within the range of a database integer."""


def build_invoice(
    order: Order, balance: Balance, run: RunStart | None, refusal: Refusal | None = None
) -> InvoiceDetails:
    """Return the current invoice of an order with a company. It asks for no money if there is a `refusal`."""
    due = 0 if refusal else balance.due(order.state)
    due_on = order.created_at + timedelta(days=settings().invoice_due_days) if due else None
    return InvoiceDetails(
        reference=order.reference,
        ordered_at=order.created_at,
        company=order.company_name,
        company_pin=order.company_pin,
        name=f"{order.first_name} {order.last_name}".strip(),
        email=order.email,
        course=order.course_name,
        quantity=order.quantity,
        unit_price=order.unit_price,
        discount=order.discount,
        coupon=order.coupon_code,
        amount=order.amount,
        run=run,
        vat=_describe_vat(order.amount),
        balance=_describe_balance(order.state, balance, due, refusal),
        due_on=due_on,
        ways_to_pay=list_ways_to_pay(order.reference) if due else (),
    )


def build_credit_note(
    order: Order, payment: Payment, refund: PaymentRefund, number: int
) -> CreditNoteDetails:
    """Return the credit note for the order's refund with that number."""
    return CreditNoteDetails(
        number=f"{order.reference}-C{number}",
        reference=order.reference,
        refunded_at=refund.refunded_at,
        recipient=order.company_name or f"{order.first_name} {order.last_name}".strip(),
        company_pin=order.company_pin,
        course=order.course_name,
        amount=refund.amount,
        vat=_describe_vat(refund.amount),
        refund_reference=refund.reference,
        receipt=payment.receipt or "",
    )


def _describe_balance(state: OrderState, balance: Balance, due: int, refusal: Refusal | None) -> str:
    """Return the balance of an invoice, such as `Paid: KES 7,500  ·  To pay: KES 7,500`."""
    if state is OrderState.NEEDS_REVIEW:
        return "A payment is being checked: please do not pay now."
    if due:
        return f"Paid: {kes(balance.net)}  ·  To pay: {kes(due)}"
    # "Accepted" only if staff agreed to another amount. A surplus that was refunded needed no agreement.
    differs = balance.received < balance.amount or balance.net > balance.amount
    agreed = state is OrderState.PAID and differs
    parts = [f"{'Paid and accepted' if agreed else 'Paid'}: {kes(balance.received)}"]
    parts += [f"Refunded: {kes(balance.refunded)}"] if balance.refunded else []
    is_replaced = state not in SETTLED_ORDERS and refusal is Refusal.REPLACED
    ends = "Replaced by another order: nothing to pay" if is_replaced else "Nothing to pay"
    return "  ·  ".join([*parts, ends])


def _describe_vat(amount: int) -> str:
    """Describe the VAT that the amount includes; empty if none is stated."""
    percent = settings().vat_percent
    return f"Includes {percent}% VAT: {kes(round(amount * percent / (100 + percent)))}" if percent else ""


def list_ways_to_pay(reference: str) -> tuple[tuple[str, str], ...]:
    """Return the ways to pay for the order with that reference without using its page."""
    bank = (("Bank", f"{BRAND.bank_account}, reference {reference}"),) if BRAND.bank_account else ()
    return (("M-Pesa", describe_paybill(reference)), *bank)


def describe_paybill(reference: str) -> str:
    """Return our Paybill with the account number for that order, or our Till, which has no account numbers."""
    number = settings().mpesa_party_b or settings().mpesa_shortcode
    if settings().mpesa_transaction_type == "CustomerBuyGoodsOnline":
        return f"Till {number}"
    return f"Paybill {number}, account {reference}"


def can_add_company(order: Order) -> bool:
    """Return whether the buyer can still name a company that pays; once there is one, only staff change it."""
    has_person = order.email != ""
    is_invoiced = order.amount > 0 and order.state is not OrderState.REFUNDED
    return has_person and is_invoiced and not order.company_name
