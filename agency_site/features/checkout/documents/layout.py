"""The common parts of receipts, invoices and credit notes: heading, facts, the table with the order, and foot."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from agency_site.clock import format_date, format_moment, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.money import kes
from agency_site.pdf.document import BRAND_RED, INK, LINE, MARGIN, SAND, SOFT, Document
from agency_site.places import RunStart


def draw_heading(pdf: Document, title: str, reference: str) -> None:
    """Draw our name and address, and the title of the document."""
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


def format_day(moment: datetime) -> str:
    """Return the day in Nairobi, such as `21 November 2026`."""
    return format_date(in_nairobi(moment))


def list_run(run: RunStart | None) -> tuple[tuple[str, str], ...]:
    """Return the line about the course run; no line without one."""
    return (("Course run", f"{run.reference}, starts {format_moment(run.starts_at)} EAT"),) if run else ()


def draw_facts(pdf: Document, rows: Sequence[tuple[str, str]]) -> float:
    """Draw the label and value of each row. Returns the position below the last one."""
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
    """The facts of an order in the table of a document."""

    @property
    def course(self) -> str: ...
    @property
    def quantity(self) -> int: ...
    @property
    def unit_price(self) -> int: ...
    @property
    def amount(self) -> int:
        """The price of the order after the discount."""

    @property
    def discount(self) -> int: ...
    @property
    def coupon(self) -> str: ...


def draw_order_line(pdf: Document, order: OrderLine, below: float) -> None:
    """Draw the table with the order, and its discount."""
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
        _draw_column(pdf, (top, left, width, align), label, value)
    pdf.go_to(top + 29)
    if order.discount:
        label = f"Coupon {order.coupon}" if order.coupon else "Discount"
        pdf.write_line("text", 10, f"{label}: less {kes(order.discount)}", align="R")


def _draw_column(pdf: Document, place: tuple[float, float, float, str], label: str, value: str) -> None:
    top, left, width, align = place
    for below, family, text in ((2.5, "strong", label), (15, "text", value)):
        pdf.set_font(family, size=10)
        pdf.set_xy(left, top + below)
        with pdf.tagged("/P"):
            pdf.cell(width, 5, text, align=align)


def draw_foot(pdf: Document) -> None:
    """Draw our thanks and our contact."""
    pdf.go_to(262)
    pdf.set_text_color(*SOFT)
    pdf.write_line(
        "text",
        9,
        f"Thank you for learning with {BRAND.name}. Questions: {BRAND.email}, {BRAND.phone}.",
    )
    pdf.band(284)
