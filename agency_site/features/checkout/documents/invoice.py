"""Draw the PDF invoice and credit note in the layout of the receipt. The same facts always give the same bytes."""

from agency_site.content.brand import BRAND
from agency_site.features.checkout.documents.facts import CreditNoteDetails, InvoiceDetails
from agency_site.features.checkout.documents.layout import (
    draw_facts,
    draw_foot,
    draw_heading,
    draw_order_line,
    format_day,
    list_run,
)
from agency_site.money import kes
from agency_site.pdf.document import BRAND_RED, INK, SOFT, Document, free_memory_after

NO_TAX_INVOICE = "This is not a KRA eTIMS tax invoice."

NO_TAX_CREDIT_NOTE = "This is not a KRA eTIMS credit note."


@free_memory_after
def draw_invoice(facts: InvoiceDetails) -> bytes:
    """Return the invoice as one A4 page."""
    letters = facts.company + facts.name + facts.email + facts.course
    pdf = Document(f"Invoice {facts.reference}", letters, facts.ordered_at)
    pdf.band(0)
    draw_heading(pdf, "Invoice", facts.reference)
    bottom = draw_facts(pdf, _list_facts(facts))
    draw_order_line(pdf, facts, bottom)
    _draw_total(pdf, "Total", facts.amount, (facts.vat, facts.balance))
    _draw_small_print(pdf, NO_TAX_INVOICE)
    return bytes(pdf.output())


@free_memory_after
def draw_credit_note(facts: CreditNoteDetails) -> bytes:
    """Return the credit note as one A4 page."""
    letters = facts.recipient + facts.course + facts.refund_reference + facts.receipt
    pdf = Document(f"Credit note {facts.number}", letters, facts.refunded_at)
    pdf.band(0)
    draw_heading(pdf, "Credit note", facts.number)
    bottom = draw_facts(pdf, _list_credit_facts(facts))
    pdf.go_to(bottom + 12)
    _draw_total(pdf, "Refunded", facts.amount, (facts.vat,))
    _draw_small_print(pdf, NO_TAX_CREDIT_NOTE)
    return bytes(pdf.output())


def _list_facts(facts: InvoiceDetails) -> tuple[tuple[str, str], ...]:
    due = (("Due", format_day(facts.due_on)),) if facts.due_on else ()
    return (
        ("Date", format_day(facts.ordered_at)),
        *due,
        ("Seller", _name_seller()),
        ("Invoiced to", facts.company),
        ("KRA PIN", facts.company_pin),
        ("Contact", f"{facts.name}, {facts.email}"),
        *list_run(facts.run),
        *facts.ways_to_pay,
    )


def _list_credit_facts(facts: CreditNoteDetails) -> tuple[tuple[str, str], ...]:
    return (
        ("Date", format_day(facts.refunded_at)),
        ("Seller", _name_seller()),
        ("Credited to", facts.recipient),
        *((("KRA PIN", facts.company_pin),) if facts.company_pin else ()),
        ("For", f"{facts.course}, order {facts.reference}"),
        *((("Payment", facts.receipt),) if facts.receipt else ()),
        ("Refunded as", facts.refund_reference),
    )


def _name_seller() -> str:
    return f"{BRAND.name}, KRA PIN {BRAND.kra_pin}" if BRAND.kra_pin else BRAND.name


def _draw_total(pdf: Document, label: str, amount: int, lines: tuple[str, ...]) -> None:
    pdf.set_text_color(*SOFT)
    pdf.write_line("text", 10, label, align="R")
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("head", 24, kes(amount), align="R")
    pdf.set_text_color(*INK)
    for line in filter(None, lines):
        pdf.write_line("text", 10, line, align="R")


def _draw_small_print(pdf: Document, text: str) -> None:
    pdf.go_to(252)
    pdf.set_text_color(*SOFT)
    pdf.write_line("strong", 9, text)
    draw_foot(pdf)
