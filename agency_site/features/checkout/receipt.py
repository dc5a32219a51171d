"""The PDF receipt: what it states, and its bytes."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.features.checkout.rules import PaymentKind
from agency_site.places import RunStart


@dataclass(frozen=True)
class ReceivedPart:
    """One of several payments that make up the price."""

    amount: int
    receipt: str
    paid_at: datetime
    kind: PaymentKind


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
    receipt: str
    """M-Pesa's receipt number or that of a payment by hand; empty while only a status query has reported the success."""
    paid_at: datetime
    kind: PaymentKind = PaymentKind.PROMPT
    discount: int = 0
    """Whole shillings that a coupon takes off."""
    coupon: str = ""
    """Its code."""
    refunded: int = 0
    """Whole shillings returned until the receipt is drawn."""
    due: int = 0
    """Whole shillings that remain to be paid."""
    parts: tuple[ReceivedPart, ...] = ()
    """The payments, where there are several; receipt, time and kind above are those of the last."""
    company: str = ""
    """The company that pays; empty: none."""
    company_pin: str = ""
    run: RunStart | None = None
    """In which the learners are, as it is when the receipt is drawn."""


def receipt_pdf(facts: ReceiptDetails) -> bytes:
    """One A4 page. Drawing it takes some 40 ms, the first one of a process half a second: call it in a thread."""
    # fpdf2 with its fonts is a seventh of the time of importing the app, and most processes draw no receipt.
    from agency_site.features.checkout.receipt_drawing import draw_receipt

    return draw_receipt(facts)
