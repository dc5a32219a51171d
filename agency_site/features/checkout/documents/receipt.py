"""Draw the PDF receipt. The same facts always give the same bytes.

It is tagged, so that screen readers read each label before its value.
"""

from agency_site.clock import in_nairobi
from agency_site.features.checkout.documents.facts import ReceiptDetails, ReceivedPayment
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


@free_memory_after
def draw_receipt(facts: ReceiptDetails) -> bytes:
    """Return the receipt as one A4 page."""
    last = facts.payments[-1]
    letters = facts.name + facts.email + facts.course + last.number + facts.company
    pdf = Document(f"Receipt {facts.reference}", letters, last.paid_at)
    pdf.band(0)
    draw_heading(pdf, "Receipt", facts.reference)
    bottom = draw_facts(pdf, _list_facts(facts))
    draw_order_line(pdf, facts, bottom)
    _draw_total(pdf, facts)
    draw_foot(pdf)
    return bytes(pdf.output())


def _list_facts(facts: ReceiptDetails) -> tuple[tuple[str, str], ...]:
    company = (("Company", f"{facts.company}, KRA PIN {facts.company_pin}"),) if facts.company else ()
    return (
        ("Received from", facts.name),
        *company,
        ("E-mail", facts.email),
        *_list_payments(facts.payments),
        *list_run(facts.run),
    )


def _list_payments(payments: tuple[ReceivedPayment, ...]) -> tuple[tuple[str, str], ...]:
    if len(payments) > 1:
        return tuple(map(_describe_part, payments))
    (only,) = payments
    return (
        ("Paid on", f"{format_day(only.paid_at)}, {in_nairobi(only.paid_at):%H:%M} EAT"),
        ("Paid with", only.method),
        (only.label, only.number or _NOT_STATED),
    )


def _describe_part(part: ReceivedPayment) -> tuple[str, str]:
    return part.label, f"{part.number or _NOT_STATED}, {kes(part.amount)}, {format_day(part.paid_at)}"


_NOT_STATED = "Not known yet; it is in M-Pesa's SMS"


def _draw_total(pdf: Document, facts: ReceiptDetails) -> None:
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
        pdf.write_line("text", 10, f"Refunded since: {kes(facts.refunded)}. Balance: {left}", align="R")
