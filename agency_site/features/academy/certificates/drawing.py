"""The PDF of a certificate: the file has the same bytes whenever it is drawn."""

import segno

from agency_site.clock import format_date, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.academy.learners.records import CertificateRecord
from agency_site.pdf.document import BRAND_RED, INK, LINE, MARGIN, PAPER, SOFT, Document, free_memory_after

_CODE_SIDE = 34.0
"""Side of the QR code, in millimetres."""


@free_memory_after
def draw_certificate(facts: CertificateRecord, address: str) -> bytes:
    """Draw one A4 page in landscape. `address` is that of the public page that confirms the certificate."""
    pdf = Document(
        f"Certificate {facts.short_serial}",
        facts.fullname + facts.course_name,
        facts.issued_at,
        orientation="landscape",
    )
    with pdf.ornament():
        pdf.set_fill_color(*PAPER)
        pdf.rect(0, 0, pdf.w, pdf.h, style="F")
    pdf.band(0)
    pdf.band(pdf.h - 13)
    _draw_statement(pdf, facts)
    _draw_footer(pdf, facts, address)
    return bytes(pdf.output())


def _draw_statement(pdf: Document, facts: CertificateRecord) -> None:
    width = pdf.w - 2 * MARGIN
    pdf.go_to(28)
    pdf.set_text_color(*INK)
    pdf.write_line("head", 15, BRAND.name)
    pdf.go_to(46)
    pdf.set_text_color(*BRAND_RED)
    pdf.write_line("head", 34, "Certificate of completion", tag="/H1")
    pdf.go_to(74)
    pdf.set_text_color(*SOFT)
    pdf.write_line("text", 13, "This is to certify that")
    pdf.go_to(83)
    pdf.set_text_color(*INK)
    pdf.fit_line("head", 30, facts.fullname, width)
    pdf.go_to(104)
    pdf.set_text_color(*SOFT)
    pdf.write_line("text", 13, f"attended {facts.hours} hours of live sessions and completed the course")
    pdf.go_to(113)
    pdf.set_text_color(*INK)
    pdf.fit_line("head", 24, facts.course_name, width)


def _draw_footer(pdf: Document, facts: CertificateRecord, address: str) -> None:
    issued, top = format_date(in_nairobi(facts.issued_at)), 145.0
    with pdf.ornament():
        pdf.set_draw_color(*LINE)
        pdf.line(MARGIN, top - 7, pdf.w - MARGIN, top - 7)
        _draw_qr_code(pdf, address, pdf.w - MARGIN - _CODE_SIDE, top)
    rows = (
        ("Issued", f"{BRAND.city}, {issued}"),
        ("Number", facts.short_serial),
        ("Check it at", address),
    )
    for place, (label, value) in enumerate(rows):
        pdf.go_to(top + 12.5 * place)
        pdf.set_text_color(*SOFT)
        pdf.write_line("text", 9.5, label)
        pdf.set_text_color(*INK)
        pdf.fit_line("strong", 11, value, pdf.w - 2 * MARGIN - _CODE_SIDE - 10)


def _draw_qr_code(pdf: Document, address: str, left: float, top: float) -> None:
    rows = list(segno.make(address, error="m", micro=False).matrix)
    side = _CODE_SIDE / len(rows)
    pdf.set_fill_color(*INK)
    for down, row in enumerate(rows):
        for across, is_dark in enumerate(row):
            if is_dark:
                pdf.rect(left + across * side, top + down * side, side, side, style="F")
