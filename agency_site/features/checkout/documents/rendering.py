"""The bytes of the PDF documents. The modules that draw are imported by the processes that draw only."""

from agency_site.features.checkout.documents.facts import CreditNoteDetails, InvoiceDetails, ReceiptDetails


def invoice_pdf(facts: InvoiceDetails) -> bytes:
    """One A4 page; call it in a thread, like `receipt.receipt_pdf`."""
    # Only processes that draw a PDF load fpdf.
    from agency_site.features.checkout.documents.invoice import draw_invoice

    return draw_invoice(facts)


def credit_note_pdf(facts: CreditNoteDetails) -> bytes:
    """One A4 page; call it in a thread likewise."""
    # Only processes that draw a PDF load fpdf.
    from agency_site.features.checkout.documents.invoice import draw_credit_note

    return draw_credit_note(facts)


def receipt_pdf(facts: ReceiptDetails) -> bytes:
    """One A4 page. Drawing it takes some 40 ms, the first one of a process half a second: call it in a thread."""
    # fpdf2 with its fonts is a seventh of the time of importing the app, and most processes draw no receipt.
    from agency_site.features.checkout.documents.receipt import draw_receipt

    return draw_receipt(facts)
