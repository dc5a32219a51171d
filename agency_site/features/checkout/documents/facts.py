"""The facts in the PDF documents: receipts, invoices and credit notes."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.places import RunStart


@dataclass(frozen=True)
class InvoiceDetails:
    """The facts in an invoice."""

    reference: str
    """The reference of the order, which is also the number of the invoice."""
    ordered_at: datetime
    company: str
    company_pin: str
    """KRA PIN."""
    name: str
    """The contact's name."""
    email: str
    course: str
    quantity: int
    unit_price: int
    discount: int
    """Whole shillings that a coupon takes off."""
    coupon: str
    amount: int
    """The price of the order after the discount."""
    run: RunStart | None
    vat: str
    """The line about VAT in the amount; empty if none is stated."""
    balance: str
    """The line about the paid amount and the amount to pay."""
    due_on: datetime | None
    """The day on which the rest is due; None if nothing is to be paid."""
    ways_to_pay: tuple[tuple[str, str], ...]
    """The ways to pay the rest; empty if nothing is to be paid."""


@dataclass(frozen=True)
class CreditNoteDetails:
    """The facts in a credit note for a refund of an order, or of a part of it."""

    number: str
    """The reference of the order with the number of the refund."""
    reference: str
    """The reference of the order."""
    refunded_at: datetime
    recipient: str
    """The company that was invoiced, or the buyer."""
    company_pin: str
    course: str
    amount: int
    """Whole shillings refunded."""
    vat: str
    """The line about VAT, as in an invoice."""
    refund_reference: str
    """The reference of the refund by M-Pesa or the bank."""
    receipt: str
    """The receipt of the refunded payment."""


@dataclass(frozen=True)
class ReceivedPayment:
    """One payment on a receipt."""

    amount: int
    """Whole shillings."""
    method: str
    """The way of paying, such as `M-Pesa`."""
    label: str
    """The name of the number, such as `M-Pesa receipt`."""
    number: str
    """M-Pesa's receipt number, or the one of a payment by hand; empty while only a status query has reported the success."""
    paid_at: datetime


@dataclass(frozen=True)
class ReceiptDetails:
    """The facts in a receipt."""

    reference: str
    name: str
    email: str
    course: str
    quantity: int
    unit_price: int
    amount: int
    """The price of the order after the discount."""
    paid: int
    """Whole shillings received. They differ from `amount` if staff have accepted that, or while a part is missing."""
    payments: tuple[ReceivedPayment, ...]
    """The payments that make up the price, or a part of it, oldest first; at least one."""
    discount: int = 0
    """Whole shillings that a coupon takes off."""
    coupon: str = ""
    """The code of the coupon."""
    refunded: int = 0
    """Whole shillings refunded at the time of drawing."""
    due: int = 0
    """Whole shillings that remain to be paid."""
    company: str = ""
    """The company that pays; empty if the buyer pays."""
    company_pin: str = ""
    run: RunStart | None = None
    """The run in which the learners are at the time of drawing."""
