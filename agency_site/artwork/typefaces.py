"""The font files for visitors: the weights that the stylesheets use, cut from the fonts in `fonts/`.

The sources carry every weight from thin to black, or one weight (`make brand` accepts both); what is left here is three fifths of
the bytes. All Latin letters stay. Only the art commands use this module.
"""

from functools import cache
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from fontTools.varLib.instancer import instantiateVariableFont  # type: ignore[import-untyped]

from agency_site import brand

SOURCES = Path(__file__).parent / "fonts"
DISPLAY = "display.woff2"
TEXT = "figtree-latin-wght-normal.woff2"
BOLD = 700
"""Weight of headings; a font with one weight is used unchanged."""
FEATURES = ("kern", "mark", "mkmk", "ccmp", "locl", "rvrn", "tnum")
"""Accents and spacing, and figures of one width; no fractions and no old-style figures."""
LATIN = frozenset(
    (
        *range(0x20, 0x7F),
        *range(0xA0, 0x100),
        *(0x0D, 0x102, 0x131, 0x152, 0x153, 0x2BB, 0x2BC, 0x2C6, 0x2DA, 0x2DC, 0xFEFF, 0xFFFD),
        *(0x300, 0x301, 0x303, 0x304, 0x308, 0x309, 0x323, 0x329),
        *range(0x2000, 0x2070),
        *(0x20AC, 0x2122, 0x2191, 0x2193, 0x2212, 0x2215),
    )
)
"""Letters and signs of Fontsource's Latin fonts."""

_REPACKER = "fontTools.ttLib.tables.otBase:USE_HARFBUZZ_REPACKER"
"""Off, because its tables differ between versions, and equal sources must give equal bytes."""

_SAMPLE = "Marketing that brings customers to the door of your business every day"
_ARIAL, _ARIAL_BOLD = 31.46, 34.17
"""Widths of the sample in Arial of size 1, measured on Liberation Sans, which has the same."""


def cut_fonts() -> dict[str, bytes]:
    """Font files by their path below `assets/`, with the licence that goes along."""
    return {
        f"fonts/{brand.DISPLAY_FONT_FILE}": cut(_read(DISPLAY), BOLD),
        f"fonts/{brand.TEXT_FONT_FILE}": cut(_read(TEXT), (400, 700)),
        "fonts/LICENSE.txt": (SOURCES / "LICENSE.txt").read_bytes(),
    }


def font_faces() -> str:
    """The rules that load the fonts, and fallbacks of the same metrics."""
    return f"""\
@font-face {{
  font-family: "{brand.DISPLAY_FONT}";
  src: url("/fonts/{brand.DISPLAY_FONT_FILE}") format("woff2");
  font-weight: 700;
  font-display: swap;
}}
@font-face {{
  font-family: "{brand.TEXT_FONT}";
  src: url("/fonts/{brand.TEXT_FONT_FILE}") format("woff2");
  font-weight: 400 700;
  font-display: swap;
}}
/* Metrics of the two families laid over Arial's (Roboto's, the phones' own, are within a hundredth of them), so that nothing
   jumps when the real font arrives. For the same reason widths of text are given in em: ch would follow the fallback's zero. */
@font-face {{
  font-family: "{brand.DISPLAY_FONT} Fallback";
  src: local("Arial Bold"), local("Arial"), local("Roboto Bold"), local("Roboto-Bold"), local("Liberation Sans Bold"), \
local("LiberationSans-Bold");
{_metrics(at_weight(DISPLAY, BOLD), _ARIAL_BOLD)}}}
@font-face {{
  font-family: "{brand.TEXT_FONT} Fallback";
  src: local("Arial"), local("Roboto"), local("Roboto-Regular"), local("Liberation Sans"), local("LiberationSans");
{_metrics(at_weight(TEXT, 400), _ARIAL)}}}
"""


@cache
def at_weight(source: str, weight: int) -> TTFont:
    """Return the font of that source at that weight, or at the nearest weight that it has."""
    return fix_weight(_read(source), weight)


def fix_weight(font: TTFont, weight: int | tuple[int, int]) -> TTFont:
    """Reduce a variable font to one weight or a range of weights; a font with one weight is not changed."""
    if "fvar" not in font:
        return font
    limits = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
    for axis in font["fvar"].axes:
        if axis.axisTag == "wght":
            limits["wght"] = (
                weight if isinstance(weight, tuple) else min(max(weight, axis.minValue), axis.maxValue)
            )
    return instantiateVariableFont(font, limits)


def cut(font: TTFont, weight: int | tuple[int, int]) -> bytes:
    """WOFF2 of the font's Latin letters at that weight."""
    font.cfg[_REPACKER] = False
    # Write the font and read it again, because fontTools cannot subset a font that it has just instantiated.
    return subset_font(write_font(fix_weight(font, weight)), LATIN, "woff2", FEATURES)


def subset_font(font: bytes, signs: frozenset[int], flavor: str | None, features: tuple[str, ...]) -> bytes:
    """Return the font with only the `signs` (code points) that it has; `flavor` is a parameter of fontTools."""
    with TTFont(BytesIO(font), recalcTimestamp=False) as full_font:
        full_font.cfg[_REPACKER] = False
        subsetter = Subsetter(Options(layout_features=list(features), hinting=False))
        subsetter.populate(unicodes=signs & set(full_font.getBestCmap()))
        subsetter.subset(full_font)
        return write_font(full_font, flavor)


def write_font(font: TTFont, flavor: str | None = None) -> bytes:
    """Return the bytes of a font; `flavor` is a parameter of fontTools."""
    font.flavor = flavor
    buffer = BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def _read(source: str) -> TTFont:
    return TTFont(SOURCES / source, recalcTimestamp=False)


def _metrics(font: TTFont, arial: float) -> str:
    """Return rules that adjust Arial to the widths and heights of the font; `arial` is the width of its sample."""
    names, line, size = font.getBestCmap(), font["hhea"], font["head"].unitsPerEm
    scale = sum(font["hmtx"][names[ord(letter)]][0] for letter in _SAMPLE) / size / arial
    values = {
        "size-adjust": scale,
        "ascent-override": line.ascent / size / scale,
        "descent-override": -line.descent / size / scale,
        "line-gap-override": line.lineGap / size / scale,
    }
    return "".join(f"  {name}: {value:.1%};\n" for name, value in values.items())
