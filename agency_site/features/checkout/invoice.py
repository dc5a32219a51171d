"""The PDF invoice of an order that a company pays for, and the credit note of a refund: what they state, and their bytes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agency_site.content.brand import BRAND
from agency_site.features.checkout.rules import SETTLED_ORDERS, Balance, OrderState
from agency_site.features.checkout.tables import Order, Payment, PaymentRefund
from agency_site.money import kes
from agency_site.places import RunStart
from agency_site.settings import settings

MOST_REFUNDS = 10_000
"""Beyond any number of refunds of one order; keeps input within a database's whole numbers."""


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
    run: RunStart | None
    vat: str
    """How much of the amount is VAT; empty if that is not stated."""
    balance: str
    """What was paid and what remains to be paid, in one line."""
    due_on: datetime | None
    """Until when the rest is to be paid; None if nothing is."""
    ways_to_pay: tuple[tuple[str, str], ...]
    """How the rest can be paid; empty where nothing is to be paid."""


@dataclass(frozen=True)
class CreditNoteDetails:
    """What a credit note states: the return of what was paid for an order, or of a part of it."""

    number: str
    """That of the order, with the number of the refund."""
    reference: str
    """Of the order."""
    refunded_at: datetime
    recipient: str
    """The company that was invoiced, or the buyer."""
    company_pin: str
    course: str
    amount: int
    """Whole shillings returned."""
    vat: str
    """As that of an invoice."""
    refund_reference: str
    """Of the return by M-Pesa or the bank."""
    receipt: str
    """Of the payment that was returned."""


def build_invoice(
    order: Order, balance: Balance, run: RunStart | None, *, replaced: bool = False
) -> InvoiceDetails:
    """The invoice of an order with a company, as it is now.

    Nothing is asked for an order that is settled, under review, or `replaced` by another one.
    """
    due = 0 if replaced else balance.due(order.state)
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
        balance=_describe_balance(order.state, balance, due),
        due_on=due_on,
        ways_to_pay=list_ways_to_pay(order.reference) if due else (),
    )


def build_credit_note(
    order: Order, payment: Payment, refund: PaymentRefund, number: int
) -> CreditNoteDetails:
    """The credit note of the order's refund of that number, of that payment."""
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


def _describe_balance(state: OrderState, balance: Balance, due: int) -> str:
    """Such as `Paid: KES 7,500  ·  To pay: KES 7,500`."""
    if state is OrderState.NEEDS_REVIEW:
        return "A payment is being checked: please do not pay now."
    if due:
        return f"Paid: {kes(balance.kept)}  ·  To pay: {kes(due)}"
    # What was too much and went back needed no agreement.
    differs = balance.received < balance.amount or balance.kept > balance.amount
    agreed = state is OrderState.PAID and differs
    parts = [f"{'Paid and accepted' if agreed else 'Paid'}: {kes(balance.received)}"]
    parts += [f"Given back: {kes(balance.refunded)}"] if balance.refunded else []
    ends = "Nothing to pay" if state in SETTLED_ORDERS else "Replaced by another order: nothing to pay"
    return "  ·  ".join([*parts, ends])


def _describe_vat(amount: int) -> str:
    """Describe the VAT that the amount includes; empty if none is stated."""
    percent = settings().vat_percent
    return f"Includes {percent}% VAT: {kes(round(amount * percent / (100 + percent)))}" if percent else ""


def list_ways_to_pay(reference: str) -> tuple[tuple[str, str], ...]:
    """How money for the order of that reference is sent to us without its page."""
    bank = (("Bank", f"{BRAND.bank_account}, reference {reference}"),) if BRAND.bank_account else ()
    return (("M-Pesa", describe_paybill(reference)), *bank)


def describe_paybill(reference: str) -> str:
    """Where an M-Pesa payment for that order goes: to our Paybill with an account number, or our Till, which has none."""
    number = settings().mpesa_party_b or settings().mpesa_shortcode
    if settings().mpesa_transaction_type == "CustomerBuyGoodsOnline":
        return f"Till {number}"
    return f"Paybill {number}, account {reference}"


def can_add_company(order: Order) -> bool:
    """Whether the buyer can still say that a company pays; afterwards staff can."""
    has_person = order.email != ""
    is_invoiced = order.amount > 0 and order.state is not OrderState.REFUNDED
    return has_person and is_invoiced and not order.company_name


def invoice_pdf(facts: InvoiceDetails) -> bytes:
    """One A4 page; call it in a thread, like `receipt.receipt_pdf`."""
    # Only processes that draw a PDF load fpdf.
    from agency_site.features.checkout.invoice_drawing import draw_invoice

    return draw_invoice(facts)


def credit_note_pdf(facts: CreditNoteDetails) -> bytes:
    """One A4 page; call it in a thread likewise."""
    # Only processes that draw a PDF load fpdf.
    from agency_site.features.checkout.invoice_drawing import draw_credit_note

    return draw_credit_note(facts)
