"""Draws the PDF receipt. The same facts give the same bytes, whenever and wherever it is drawn.

It is tagged, so that screen readers read it in order: each label before its value.
"""

from agency_site.clock import format_moment, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.checkout.receipt import ReceiptDetails
from agency_site.features.checkout.rules import RECEIPT_LABELS, PaymentKind
from agency_site.money import kes
from agency_site.pdf.document import BRAND_RED, INK, LINE, MARGIN, SAND, SOFT, Document


def draw_receipt(facts: ReceiptDetails) -> bytes:
    """One A4 page."""
    letters = facts.name + facts.email + facts.course + facts.receipt
    pdf = Document(f"Receipt {facts.reference}", letters, facts.paid_at)
    pdf.band(0)
    _heading(pdf, facts)
    _parties(pdf, facts)
    _lines(pdf, facts)
    _total(pdf, facts)
    _foot(pdf)
    return bytes(pdf.output())


def _heading(pdf: Document, facts: ReceiptDetails) -> None:
    pdf.go_to(24)
    pdf.set_text_color(*INK)
    pdf.write_line("head", 15, BRAND.name)
    pdf.set_text_color(*SOFT)
    pdf.write_line("text", 9.5, f"{BRAND.address}, {BRAND.city}")
    pdf.write_line("text", 9.5, f"{BRAND.phone}  ·  {BRAND.email}")
    pdf.go_to(52)
    pdf.set_text_color(*INK)
    pdf.write_line("head", 30, "Receipt", tag="/H1")
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("strong", 13, facts.reference)


_METHODS = {
    PaymentKind.PROMPT: "M-Pesa",
    PaymentKind.PAYBILL: "M-Pesa",
    PaymentKind.CASH: "Cash",
    PaymentKind.BANK: "Bank transfer",
}


def _parties(pdf: Document, facts: ReceiptDetails) -> None:
    paid = in_nairobi(facts.paid_at)
    run = facts.run
    starts = (("Course run", f"{run.reference}, starts {format_moment(run.starts_at)} EAT"),) if run else ()
    rows = (
        ("Received from", facts.name),
        ("E-mail", facts.email),
        ("Paid on", f"{paid.day} {paid:%B %Y, %H:%M} EAT"),
        ("Paid with", _METHODS[facts.kind]),
        (RECEIPT_LABELS[facts.kind], facts.receipt or "Not stated yet; M-Pesa's own SMS carries it"),
        *starts,
    )
    top = 82.0
    for label, value in rows:
        pdf.go_to(top)
        pdf.set_text_color(*SOFT)
        pdf.write_line("text", 10, label)
        pdf.set_xy(MARGIN + 42, top)
        pdf.set_text_color(*INK)
        pdf.fit_line("strong", 10, value, pdf.w - 2 * MARGIN - 42)
        top += 7


def _lines(pdf: Document, facts: ReceiptDetails) -> None:
    pdf.go_to(126)
    with pdf.ornament():
        pdf.set_fill_color(*SAND)
        pdf.rect(MARGIN, 125, pdf.w - 2 * MARGIN, 10, style="F")
        pdf.set_draw_color(*LINE)
        pdf.line(MARGIN, 149, pdf.w - MARGIN, 149)
    pdf.set_text_color(*INK)
    _column(pdf, 24, 86, "L", "Course", facts.course)
    _column(pdf, 112, 16, "R", "Places", str(facts.quantity))
    _column(pdf, 130, 26, "R", "Price", kes(facts.unit_price))
    _column(pdf, 158, 28, "R", "Amount", kes(facts.amount + facts.discount))


def _column(pdf: Document, left: float, width: float, align: str, label: str, value: str) -> None:
    for top, family, text in ((127.5, "strong", label), (140, "text", value)):
        pdf.set_font(family, size=10)
        pdf.set_xy(left, top)
        with pdf.tagged("/P"):
            pdf.cell(width, 5, text, align=align)


def _total(pdf: Document, facts: ReceiptDetails) -> None:
    pdf.go_to(154)
    pdf.set_text_color(*SOFT)
    if facts.discount:
        pdf.set_text_color(*INK)
        pdf.write_line("text", 10, f"Coupon {facts.coupon}: less {kes(facts.discount)}", align="R")
        pdf.set_text_color(*SOFT)
    label = "Paid in full" if facts.paid == facts.amount else "Paid and accepted"
    pdf.write_line("text", 10, label, align="R")
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("head", 24, kes(facts.paid), align="R")
    if facts.refunded:
        pdf.set_text_color(*INK)
        left = kes(facts.paid - facts.refunded)
        pdf.write_line("text", 10, f"Given back since: {kes(facts.refunded)}. Balance: {left}", align="R")


def _foot(pdf: Document) -> None:
    pdf.go_to(262)
    pdf.set_text_color(*SOFT)
    pdf.write_line(
        "text",
        9,
        f"Thank you for learning with {BRAND.name}. Questions: {BRAND.email}, {BRAND.phone}.",
    )
    pdf.band(284)
