"""Draws the PDF receipt. The same facts give the same bytes, whenever and wherever it is drawn.

It is tagged, so that screen readers read it in order: each label before its value.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from agency_site.clock import format_moment, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.checkout.receipt import ReceiptDetails, ReceivedPart
from agency_site.features.checkout.rules import RECEIPT_LABELS, PaymentKind
from agency_site.money import kes
from agency_site.pdf.document import BRAND_RED, INK, LINE, MARGIN, SAND, SOFT, Document, frees_memory
from agency_site.places import RunStart


@frees_memory
def draw_receipt(facts: ReceiptDetails) -> bytes:
    """One A4 page."""
    letters = facts.name + facts.email + facts.course + facts.receipt + facts.company
    pdf = Document(f"Receipt {facts.reference}", letters, facts.paid_at)
    pdf.band(0)
    draw_heading(pdf, "Receipt", facts.reference)
    bottom = draw_facts(pdf, _list_facts(facts))
    draw_order_line(pdf, facts, bottom)
    _total(pdf, facts)
    draw_foot(pdf)
    return bytes(pdf.output())


def draw_heading(pdf: Document, title: str, reference: str) -> None:
    """Who we are, and what document this is."""
    pdf.go_to(24)
    pdf.set_text_color(*INK)
    pdf.write_line("head", 15, BRAND.name)
    pdf.set_text_color(*SOFT)
    pdf.write_line("text", 9.5, f"{BRAND.address}, {BRAND.city}")
    pdf.write_line("text", 9.5, f"{BRAND.phone}  ·  {BRAND.email}")
    pdf.go_to(52)
    pdf.set_text_color(*INK)
    pdf.write_line("head", 30, title, tag="/H1")
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("strong", 13, reference)


_METHODS = {
    PaymentKind.PROMPT: "M-Pesa",
    PaymentKind.PAYBILL: "M-Pesa",
    PaymentKind.CASH: "Cash",
    PaymentKind.BANK: "Bank transfer",
}


def _list_facts(facts: ReceiptDetails) -> tuple[tuple[str, str], ...]:
    company = (("Company", f"{facts.company}, KRA PIN {facts.company_pin}"),) if facts.company else ()
    return (
        ("Received from", facts.name),
        *company,
        ("E-mail", facts.email),
        *(map(_describe_part, facts.parts) if facts.parts else _list_payment(facts)),
        *list_run(facts.run),
    )


def _list_payment(facts: ReceiptDetails) -> tuple[tuple[str, str], ...]:
    return (
        ("Paid on", f"{format_day(facts.paid_at)}, {in_nairobi(facts.paid_at):%H:%M} EAT"),
        ("Paid with", _METHODS[facts.kind]),
        (RECEIPT_LABELS[facts.kind], facts.receipt or _NOT_STATED),
    )


def _describe_part(part: ReceivedPart) -> tuple[str, str]:
    number = part.receipt or _NOT_STATED
    return RECEIPT_LABELS[part.kind], f"{number}, {kes(part.amount)}, {format_day(part.paid_at)}"


_NOT_STATED = "Not stated yet; M-Pesa's own SMS carries it"


def format_day(moment: datetime) -> str:
    """Its day in Nairobi, such as `21 November 2026`."""
    day = in_nairobi(moment)
    return f"{day.day} {day:%B %Y}"


def list_run(run: RunStart | None) -> tuple[tuple[str, str], ...]:
    """The line about the course run; none where there is none."""
    return (("Course run", f"{run.reference}, starts {format_moment(run.starts_at)} EAT"),) if run else ()


def draw_facts(pdf: Document, rows: Sequence[tuple[str, str]]) -> float:
    """Label and value of each row; where the last one ends."""
    top = 82.0
    for label, value in rows:
        pdf.go_to(top)
        pdf.set_text_color(*SOFT)
        pdf.write_line("text", 10, label)
        pdf.set_xy(MARGIN + 42, top)
        pdf.set_text_color(*INK)
        pdf.fit_line("strong", 10, value, pdf.w - 2 * MARGIN - 42)
        top += 7
    return top


class OrderLine(Protocol):
    """What an order's document states about what was bought."""

    @property
    def course(self) -> str: ...
    @property
    def quantity(self) -> int: ...
    @property
    def unit_price(self) -> int: ...
    @property
    def amount(self) -> int:
        """What the order costs, after the discount."""

    @property
    def discount(self) -> int: ...
    @property
    def coupon(self) -> str: ...


def draw_order_line(pdf: Document, order: OrderLine, below: float) -> None:
    """The table of what was bought, and the discount."""
    top = max(125.0, below + 1)
    with pdf.ornament():
        pdf.set_fill_color(*SAND)
        pdf.rect(MARGIN, top, pdf.w - 2 * MARGIN, 10, style="F")
        pdf.set_draw_color(*LINE)
        pdf.line(MARGIN, top + 24, pdf.w - MARGIN, top + 24)
    pdf.set_text_color(*INK)
    columns = (
        (24, 86, "L", "Course", order.course),
        (112, 16, "R", "Places", str(order.quantity)),
        (130, 26, "R", "Price", kes(order.unit_price)),
        (158, 28, "R", "Amount", kes(order.amount + order.discount)),
    )
    for left, width, align, label, value in columns:
        _column(pdf, (top, left, width, align), label, value)
    pdf.go_to(top + 29)
    if order.discount:
        label = f"Coupon {order.coupon}" if order.coupon else "Discount"
        pdf.write_line("text", 10, f"{label}: less {kes(order.discount)}", align="R")


def _column(pdf: Document, place: tuple[float, float, float, str], label: str, value: str) -> None:
    top, left, width, align = place
    for below, family, text in ((2.5, "strong", label), (15, "text", value)):
        pdf.set_font(family, size=10)
        pdf.set_xy(left, top + below)
        with pdf.tagged("/P"):
            pdf.cell(width, 5, text, align=align)


def _total(pdf: Document, facts: ReceiptDetails) -> None:
    pdf.set_text_color(*SOFT)
    label = (
        "Paid so far" if facts.due else "Paid in full" if facts.paid == facts.amount else "Paid and accepted"
    )
    pdf.write_line("text", 10, label, align="R")
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("head", 24, kes(facts.paid), align="R")
    pdf.set_text_color(*INK)
    if facts.due:
        pdf.write_line("text", 10, f"To pay: {kes(facts.due)} of {kes(facts.amount)}", align="R")
    if facts.refunded:
        left = kes(facts.paid - facts.refunded)
        pdf.write_line("text", 10, f"Given back since: {kes(facts.refunded)}. Balance: {left}", align="R")


def draw_foot(pdf: Document) -> None:
    """Thanks, and whom to ask."""
    pdf.go_to(262)
    pdf.set_text_color(*SOFT)
    pdf.write_line(
        "text",
        9,
        f"Thank you for learning with {BRAND.name}. Questions: {BRAND.email}, {BRAND.phone}.",
    )
    pdf.band(284)
