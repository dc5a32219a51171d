"""Render the PDF documents. The drawing modules are imported on first use, because most processes draw nothing."""

from agency_site.features.checkout.documents.facts import CreditNoteDetails, InvoiceDetails, ReceiptDetails


def invoice_pdf(facts: InvoiceDetails) -> bytes:
    """Return the PDF invoice, one A4 page. Call it in a thread, like `receipt_pdf`."""
    from agency_site.features.checkout.documents.invoice import draw_invoice

    return draw_invoice(facts)


def credit_note_pdf(facts: CreditNoteDetails) -> bytes:
    """Return the PDF credit note, one A4 page. Call it in a thread, like `receipt_pdf`."""
    from agency_site.features.checkout.documents.invoice import draw_credit_note

    return draw_credit_note(facts)


def receipt_pdf(facts: ReceiptDetails) -> bytes:
    """Return the PDF receipt, one A4 page. Call it in a thread: it takes 40 ms, and half a second the first time."""
    # Not imported at the top: fpdf2 with its fonts would add a seventh to the start of every process.
    from agency_site.features.checkout.documents.receipt import draw_receipt

    return draw_receipt(facts)
