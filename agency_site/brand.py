"""The brand's colours and the names of its fonts, for stylesheets, mails, PDFs, heads of pages and artwork.

`make brand` changes the colour and the font of headings: docs/content.md. Contrast is measured by `contrast`, never guessed.
"""

import colorsys

BRAND = "#C24435"
DISPLAY_FONT = "Bricolage Grotesque"
"""Family of headings; its file is `artwork/fonts/display.woff2`."""
TEXT_FONT = "Figtree"

INK = "#1F1411"
PAPER = "#FFFBF7"
SAND = "#F4E9DF"
LINE = "#E4D5C8"
MARIGOLD = "#F2A93B"
LEAF = "#1F7A5C"
LAKE = "#174A5B"
WHITE = "#FFFFFF"
DANGER = "#A3301F"
"""For errors and irreversible actions: red even if the brand's colour is another."""

READABLE = 4.5
"""Minimum contrast of text against its background (WCAG 2.2, 1.4.3)."""


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of `#RRGGBB`, 0 to 255."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def _luminance(colour: str) -> float:
    """Relative luminance of `#RRGGBB`, 0 (black) to 1 (white), as WCAG 2.2 defines it."""
    parts = (channel / 255 for channel in channels(colour))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def tint(colour: str, share: float) -> str:
    """Return a share, 0 to 1, of a colour on white as `#RRGGBB`."""
    mixed = (round(255 - (255 - channel) * share) for channel in channels(colour))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def darken(colour: str, share: float) -> str:
    """Return the colour with a share, 0 to 1, of its lightness, slightly more saturated."""
    hue, light, saturation = _hls(colour)
    return _hex(hue, light * share, min(1, saturation * 1.04))


def blush(colour: str) -> str:
    """Return a pale, slightly warmer relative of the colour: a background for dark text."""
    hue, _, saturation = _hls(colour)
    return _hex((hue + 0.0215) % 1, 0.845, min(0.7, saturation * 1.22))


def _hls(colour: str) -> tuple[float, float, float]:
    red, green, blue = channels(colour)
    return colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)


def _hex(hue: float, light: float, saturation: float) -> str:
    return "#" + "".join(
        f"{round(channel * 255):02X}" for channel in colorsys.hls_to_rgb(hue, light, saturation)
    )


DEEP = darken(BRAND, 0.64)
"""For buttons under the pointer, and for backgrounds that are darker than the brand's colour."""
BLUSH = blush(BRAND)

DISPLAY_FONT_FILE, TEXT_FONT_FILE = (
    f"{family.lower().replace(' ', '-')}-{weights}.woff2"
    for family, weights in ((DISPLAY_FONT, "700"), (TEXT_FONT, "400-700"))
)
"""Files in `assets/fonts/`, written by `artwork/typefaces.py`; their names give the weights that they contain."""
