"""Facts that the PDF documents state: receipts, invoices and credit notes."""

from dataclasses import dataclass
from datetime import datetime

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


@dataclass(frozen=True)
class ReceivedPayment:
    """One payment on a receipt."""

    amount: int
    """Whole shillings."""
    method: str
    """Such as `M-Pesa`."""
    label: str
    """Name of the number, such as `M-Pesa receipt`."""
    number: str
    """M-Pesa's receipt number, or that of a payment by hand; empty while only a status query has reported the success."""
    paid_at: datetime


@dataclass(frozen=True)
class ReceiptDetails:
    """What a receipt states."""

    reference: str
    name: str
    email: str
    course: str
    quantity: int
    unit_price: int
    amount: int
    """What the order costs, after the discount."""
    paid: int
    """Whole shillings received: another sum than `amount` where staff have accepted it, or while a part is missing."""
    payments: tuple[ReceivedPayment, ...]
    """The payments that make up the price, or a part of it, oldest first; at least one."""
    discount: int = 0
    """Whole shillings that a coupon takes off."""
    coupon: str = ""
    """Its code."""
    refunded: int = 0
    """Whole shillings returned until the receipt is drawn."""
    due: int = 0
    """Whole shillings that remain to be paid."""
    company: str = ""
    """The company that pays; empty: none."""
    company_pin: str = ""
    run: RunStart | None = None
    """In which the learners are, as it is when the receipt is drawn."""
