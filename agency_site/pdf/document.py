"""The base of our PDF documents: fonts, colours, the beadwork band, and text that screen readers read in order.

Equal calls give equal bytes at any time and on every machine. Import this module only where a document is drawn: fpdf2 takes a
seventh of the time of importing the app.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import TTFFont
from fpdf.prefs import ViewerPreferences

from agency_site import brand
from agency_site.content.brand import BRAND
from agency_site.pdf.wide_fonts import UNSHAPED, find_wide_fonts

_FONTS = Path(__file__).parent / "fonts"
"""Figtree, the font of headings and, for letters they lack, those of `wide_fonts`; their licences are beside them."""
BRAND_RED, DEEP, INK, LINE, MARIGOLD, PAPER, SAND = map(
    brand.channels, (brand.BRAND, brand.DEEP, brand.INK, brand.LINE, brand.MARIGOLD, brand.PAPER, brand.SAND)
)
SOFT = (110, 92, 84)
MARGIN = 20.0
"""In millimetres, like all lengths; font sizes are in points."""
_LINE_HEIGHT = 0.3528 * 1.45
_NEWEST = 0
_ONE_AT_A_TIME = threading.Lock()
Facts = ParamSpec("Facts")


def free_memory_after(draw: Callable[Facts, bytes]) -> Callable[Facts, bytes]:
    """Free the memory of the document that `draw` makes.

    Objects of fpdf2 and their fonts refer to each other. A collection while they are in use would count them among the old
    ones, which wait for a full collection, rare in a server (`web/serving/garbage.py`): so there is none until they are done.
    """

    @wraps(draw)
    def draw_and_free(*args: Facts.args, **kwargs: Facts.kwargs) -> bytes:
        with _ONE_AT_A_TIME:
            collects = gc.isenabled()
            gc.disable()
            try:
                return draw(*args, **kwargs)
            finally:
                gc.collect(_NEWEST)
                if collects:
                    gc.enable()

    return draw_and_free


class Document(FPDF):
    """A document of one page. It marks content for screen readers, which fpdf2 does for pictures and outlines only."""

    def __init__(self, title: str, letters: str, created: datetime, *, orientation: str = "portrait") -> None:
        """Create an empty A4 page with fonts for these `letters`."""
        super().__init__(format="A4", orientation=orientation)
        self.set_creation_date(created)
        self.set_title(title)
        self.set_author(BRAND.name)
        self.set_lang("en-KE")
        self.viewer_preferences = ViewerPreferences(display_doc_title=True)
        self._load_fonts(letters)
        self.set_auto_page_break(auto=False)
        self.add_page()

    def _load_fonts(self, letters: str) -> None:
        """Load the fonts. Documents cannot share them: fpdf2 changes the fonts that it has parsed."""
        own = (
            self._load_font("text", "Figtree-Regular"),
            self._load_font("strong", "Figtree-SemiBold"),
            self._load_font("head", "Display-Bold"),
        )
        lacking = "".join(char for char in set(letters) if any(ord(char) not in font.cmap for font in own))
        wide = find_wide_fonts(lacking)
        for file in wide:
            self._load_font(file.lower(), file)
        self.set_fallback_fonts([file.lower() for file in wide], exact_match=False)
        if not UNSHAPED.issuperset(wide):
            self.set_text_shaping(use_shaping_engine=True)

    def _load_font(self, family: str, file: str) -> TTFFont:
        self.add_font(family, fname=_FONTS / f"{file}.ttf")
        font = self.fonts[family]
        assert isinstance(font, TTFFont)
        # Measuring each outline of the subset again takes a quarter of the drawing time; the bounds of the whole font are valid.
        font.ttfont.recalcBBoxes = False
        return font

    @contextmanager
    def tagged(self, kind: str) -> Iterator[None]:
        """Mark everything drawn in the block as one element of the document, such as `/H1` or `/P`."""
        place = self.struct_builder.next_mcid_for_page(self.page)
        self._add_marked_content(struct_type=kind, mcid=place)
        self._out(f"{kind} <</MCID {place}>> BDC")
        yield
        self._out("EMC")

    @contextmanager
    def ornament(self) -> Iterator[None]:
        """Mark everything drawn in the block as decorative, so that screen readers skip it."""
        self._out("/Artifact BMC")
        yield
        self._out("EMC")

    def band(self, top: float) -> None:
        """Draw the beadwork band: triangles between two lines."""
        side, height = 7.0, 9.0
        with self.ornament():
            self.set_fill_color(*DEEP)
            self.rect(0, top, self.w, height + 4, style="F")
            for place in range(int(self.w / side)):
                left = place * side
                self.set_fill_color(*(BRAND_RED if place % 3 else MARIGOLD))
                self.polygon(
                    [(left, top + height + 2), (left + side / 2, top + 2), (left + side, top + height + 2)],
                    style="F",
                )

    def go_to(self, top: float) -> None:
        """Move to the left margin, `top` from the top of the page."""
        self.set_left_margin(MARGIN)
        self.set_xy(MARGIN, top)

    def write_line(self, family: str, size: float, text: str, *, align: str = "L", tag: str = "/P") -> None:
        """Write a line between the margins; the next one follows below."""
        self.set_font(family, size=size)
        with self.tagged(tag):
            self.cell(
                self.w - 2 * MARGIN,
                size * _LINE_HEIGHT,
                text,
                align=align,
                new_x=XPos.LMARGIN,
                new_y=YPos.NEXT,
            )

    def fit_line(self, family: str, size: float, text: str, width: float, *, tag: str = "/P") -> None:
        """Write text on one line, in a smaller size if it would not fit."""
        self.set_font(family, size=size)
        needed = self.get_string_width(text)
        if needed > width:
            self.set_font(family, size=size * width / needed)
        with self.tagged(tag):
            self.cell(width, size * _LINE_HEIGHT, text)
