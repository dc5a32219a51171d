"""The two families as visitors get them: the weights that the stylesheets ask for, cut from what Fontsource publishes.

The sources in `fonts/` carry every weight from thin to black; what is left here is three fifths of their bytes. All letters stay.
Only the art commands use this module.
"""

from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from fontTools.varLib.instancer import instantiateVariableFont  # type: ignore[import-untyped]

from agency_site import brand

SOURCES = Path(__file__).parent / "fonts"
DISPLAY = "bricolage-grotesque-latin-wght-normal.woff2"
TEXT = "figtree-latin-wght-normal.woff2"
_FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "rvrn", "tnum"]
"""Accents and spacing, and figures of one width; no fractions and no old-style figures."""

_REPACKER = "fontTools.ttLib.tables.otBase:USE_HARFBUZZ_REPACKER"
"""Off, because its tables differ from version to version: the same source gives the same bytes everywhere."""


def cut_fonts() -> dict[str, bytes]:
    """Font files by their path below `assets/`, with the licence that goes along."""
    return {
        f"fonts/{brand.DISPLAY_FONT_FILE}": _cut(DISPLAY, 700),
        f"fonts/{brand.TEXT_FONT_FILE}": _cut(TEXT, (400, 700)),
        "fonts/LICENSE.txt": (SOURCES / "LICENSE.txt").read_bytes(),
    }


def _cut(source: str, weight: int | tuple[int, int]) -> bytes:
    with TTFont(SOURCES / source, recalcTimestamp=False) as whole:
        whole.cfg[_REPACKER] = False
        # Written and read once more: fontTools cannot take parts out of a font that it has just fixed.
        fixed = _file(instantiateVariableFont(whole, {"wght": weight}), None)
    with TTFont(BytesIO(fixed), recalcTimestamp=False) as font:
        font.cfg[_REPACKER] = False
        options = Options(layout_features=_FEATURES, hinting=False)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=font.getBestCmap())
        subsetter.subset(font)
        return _file(font, "woff2")


def _file(font: TTFont, flavor: str | None) -> bytes:
    font.flavor = flavor
    written = BytesIO()
    font.save(written)
    return written.getvalue()
