"""Draws the PDF receipt. The same facts give the same bytes, whenever and wherever it is drawn.

It is tagged, so that screen readers read it in order: each label before its value.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import TTFFont
from fpdf.prefs import ViewerPreferences

from agency_site import brand
from agency_site.clock import format_moment, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.checkout.receipt import ReceiptDetails
from agency_site.features.checkout.rules import RECEIPT_LABELS, PaymentKind
from agency_site.money import kes

_FONTS = Path(__file__).parent / "fonts"
"""Figtree, Bricolage Grotesque and, for letters they lack, DejaVu Sans; their licences are beside them."""
_BRAND_RED, _DEEP, _INK, _LINE, _MARIGOLD, _SAND = map(
    brand.channels, (brand.BRAND, brand.DEEP, brand.INK, brand.LINE, brand.MARIGOLD, brand.SAND)
)
_SOFT = (110, 92, 84)
_MARGIN, _WIDTH = 20.0, 210.0


class _TaggedPdf(FPDF):
    """fpdf2 marks content by itself only for pictures with a description and for outlines."""

    @contextmanager
    def tagged(self, kind: str) -> Iterator[None]:
        """What is drawn inside is one element of the document: `/H1`, `/P`."""
        place = self.struct_builder.next_mcid_for_page(self.page)
        self._add_marked_content(struct_type=kind, mcid=place)
        self._out(f"{kind} <</MCID {place}>> BDC")
        yield
        self._out("EMC")

    @contextmanager
    def ornament(self) -> Iterator[None]:
        """What is drawn inside is decorative: screen readers skip it."""
        self._out("/Artifact BMC")
        yield
        self._out("EMC")


def draw_receipt(facts: ReceiptDetails) -> bytes:
    """One A4 page."""
    pdf = _TaggedPdf(format="A4")
    pdf.set_creation_date(facts.paid_at)
    pdf.set_title(f"Receipt {facts.reference}")
    pdf.set_author(BRAND.name)
    pdf.set_lang("en-KE")
    pdf.viewer_preferences = ViewerPreferences(display_doc_title=True)
    _load_fonts(pdf, facts)
    pdf.set_auto_page_break(auto=False)
    pdf.add_page()
    _band(pdf, 0)
    _heading(pdf, facts)
    _parties(pdf, facts)
    _lines(pdf, facts)
    _total(pdf, facts)
    _foot(pdf)
    return bytes(pdf.output())


def _load_fonts(pdf: _TaggedPdf, facts: ReceiptDetails) -> None:
    """fpdf2 parses the fonts for each document, embeds all of them and changes them: nothing of it can be shared."""
    own = (
        _load_font(pdf, "text", "Figtree-Regular"),
        _load_font(pdf, "strong", "Figtree-SemiBold"),
        _load_font(pdf, "head", "BricolageGrotesque-Bold"),
    )
    letters = set(map(ord, facts.name + facts.email + facts.course + facts.receipt))
    if any(letters - font.cmap.keys() for font in own):
        _load_font(pdf, "wide", "DejaVuSans-Latin")
        pdf.set_fallback_fonts(["wide"], exact_match=False)


def _load_font(pdf: _TaggedPdf, family: str, file: str) -> TTFFont:
    pdf.add_font(family, fname=_FONTS / f"{file}.ttf")
    font = pdf.fonts[family]
    assert isinstance(font, TTFFont)
    # Measuring each outline of the subset again is a quarter of the time of drawing; the font's own bounds hold for it too.
    font.ttfont.recalcBBoxes = False
    return font


def _band(pdf: _TaggedPdf, top: float) -> None:
    """The beadwork band: triangles between two lines."""
    side, height = 7.0, 9.0
    with pdf.ornament():
        pdf.set_fill_color(*_DEEP)
        pdf.rect(0, top, _WIDTH, height + 4, style="F")
        for place in range(int(_WIDTH / side)):
            left = place * side
            pdf.set_fill_color(*(_BRAND_RED if place % 3 else _MARIGOLD))
            pdf.polygon(
                [(left, top + height + 2), (left + side / 2, top + 2), (left + side, top + height + 2)],
                style="F",
            )


def _write(
    pdf: _TaggedPdf, family: str, size: float, text: str, *, align: str = "L", tag: str = "/P"
) -> None:
    pdf.set_font(family, size=size)
    with pdf.tagged(tag):
        pdf.cell(
            _WIDTH - 2 * _MARGIN, size * 0.3528 * 1.45, text, align=align, new_x=XPos.LMARGIN, new_y=YPos.NEXT
        )


def _at(pdf: _TaggedPdf, top: float) -> None:
    pdf.set_left_margin(_MARGIN)
    pdf.set_xy(_MARGIN, top)


def _heading(pdf: _TaggedPdf, facts: ReceiptDetails) -> None:
    _at(pdf, 24)
    pdf.set_text_color(*_INK)
    _write(pdf, "head", 15, BRAND.name)
    pdf.set_text_color(*_SOFT)
    _write(pdf, "text", 9.5, f"{BRAND.address}, {BRAND.city}")
    _write(pdf, "text", 9.5, f"{BRAND.phone}  ·  {BRAND.email}")
    _at(pdf, 52)
    pdf.set_text_color(*_INK)
    _write(pdf, "head", 30, "Receipt", tag="/H1")
    pdf.set_text_color(*_BRAND_RED)
    _write(pdf, "strong", 13, facts.reference)


_METHODS = {
    PaymentKind.PROMPT: "M-Pesa",
    PaymentKind.PAYBILL: "M-Pesa",
    PaymentKind.CASH: "Cash",
    PaymentKind.BANK: "Bank transfer",
}


def _parties(pdf: _TaggedPdf, facts: ReceiptDetails) -> None:
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
        _at(pdf, top)
        pdf.set_text_color(*_SOFT)
        _write(pdf, "text", 10, label)
        pdf.set_xy(_MARGIN + 42, top)
        pdf.set_text_color(*_INK)
        _fit(pdf, "strong", 10, value, _WIDTH - 2 * _MARGIN - 42)
        top += 7


def _fit(pdf: _TaggedPdf, family: str, size: float, text: str, width: float) -> None:
    """Text on one line, set smaller where it would not fit."""
    pdf.set_font(family, size=size)
    needed = pdf.get_string_width(text)
    if needed > width:
        pdf.set_font(family, size=size * width / needed)
    with pdf.tagged("/P"):
        pdf.cell(width, size * 0.3528 * 1.45, text)


def _lines(pdf: _TaggedPdf, facts: ReceiptDetails) -> None:
    _at(pdf, 126)
    with pdf.ornament():
        pdf.set_fill_color(*_SAND)
        pdf.rect(_MARGIN, 125, _WIDTH - 2 * _MARGIN, 10, style="F")
        pdf.set_draw_color(*_LINE)
        pdf.line(_MARGIN, 149, _WIDTH - _MARGIN, 149)
    pdf.set_text_color(*_INK)
    _column(pdf, 24, 86, "L", "Course", facts.course)
    _column(pdf, 112, 16, "R", "Places", str(facts.quantity))
    _column(pdf, 130, 26, "R", "Price", kes(facts.unit_price))
    _column(pdf, 158, 28, "R", "Amount", kes(facts.amount + facts.discount))


def _column(pdf: _TaggedPdf, left: float, width: float, align: str, label: str, value: str) -> None:
    for top, family, text in ((127.5, "strong", label), (140, "text", value)):
        pdf.set_font(family, size=10)
        pdf.set_xy(left, top)
        with pdf.tagged("/P"):
            pdf.cell(width, 5, text, align=align)


def _total(pdf: _TaggedPdf, facts: ReceiptDetails) -> None:
    _at(pdf, 154)
    pdf.set_text_color(*_SOFT)
    if facts.discount:
        pdf.set_text_color(*_INK)
        _write(pdf, "text", 10, f"Coupon {facts.coupon}: less {kes(facts.discount)}", align="R")
        pdf.set_text_color(*_SOFT)
    label = "Paid in full" if facts.paid == facts.amount else "Paid and accepted"
    _write(pdf, "text", 10, label, align="R")
    pdf.set_text_color(*_BRAND_RED)
    _write(pdf, "head", 24, kes(facts.paid), align="R")
    if facts.refunded:
        pdf.set_text_color(*_INK)
        left = kes(facts.paid - facts.refunded)
        _write(pdf, "text", 10, f"Given back since: {kes(facts.refunded)}. Balance: {left}", align="R")


def _foot(pdf: _TaggedPdf) -> None:
    _at(pdf, 262)
    pdf.set_text_color(*_SOFT)
    _write(
        pdf,
        "text",
        9,
        f"Thank you for learning with {BRAND.name}. Questions: {BRAND.email}, {BRAND.phone}.",
    )
    _band(pdf, 284)
