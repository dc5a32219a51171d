"""Draws the PDF invoice in the form of the receipt. The same facts give the same bytes, whenever and wherever it is drawn."""

from agency_site.content.brand import BRAND
from agency_site.features.checkout.invoice import InvoiceDetails
from agency_site.features.checkout.receipt_drawing import (
    draw_facts,
    draw_foot,
    draw_heading,
    draw_order_line,
    format_day,
    list_run,
)
from agency_site.money import kes
from agency_site.pdf.document import BRAND_RED, INK, SOFT, Document, frees_memory

NO_TAX_INVOICE = "This is not a KRA eTIMS tax invoice."


@frees_memory
def draw_invoice(facts: InvoiceDetails) -> bytes:
    """One A4 page."""
    letters = facts.company + facts.name + facts.email + facts.course
    pdf = Document(f"Invoice {facts.reference}", letters, facts.ordered_at)
    pdf.band(0)
    draw_heading(pdf, "Invoice", facts.reference)
    bottom = draw_facts(pdf, _list_facts(facts))
    draw_order_line(pdf, facts, bottom)
    _sums(pdf, facts)
    pdf.go_to(252)
    pdf.set_text_color(*SOFT)
    pdf.write_line("strong", 9, NO_TAX_INVOICE)
    draw_foot(pdf)
    return bytes(pdf.output())


def _list_facts(facts: InvoiceDetails) -> tuple[tuple[str, str], ...]:
    seller = f"{BRAND.name}, KRA PIN {BRAND.kra_pin}" if BRAND.kra_pin else BRAND.name
    return (
        ("Date", format_day(facts.ordered_at)),
        ("Seller", seller),
        ("Invoiced to", facts.company),
        ("KRA PIN", facts.company_pin),
        ("Contact", f"{facts.name}, {facts.email}"),
        *list_run(facts.run),
    )


def _sums(pdf: Document, facts: InvoiceDetails) -> None:
    pdf.set_text_color(*SOFT)
    pdf.write_line("text", 10, "Total", align="R")
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("head", 24, kes(facts.amount), align="R")
    pdf.set_text_color(*INK)
    left = facts.amount - facts.paid
    rest = f"  ·  To pay: {kes(left)}" if left > 0 else ""
    pdf.write_line("text", 10, f"Paid: {kes(facts.paid)}{rest}", align="R")
