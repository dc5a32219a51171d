"""How the brand looks: its colours and the names of its fonts, for stylesheets, mails, PDFs, heads of pages and artwork.

Contrast figures are measured by `contrast`, never guessed.
"""

BRAND = "#C24435"
"""Red-orange of the brand; white on it has 5.03:1."""
DEEP = "#7E2A20"
INK = "#1F1411"
PAPER = "#FFFBF7"
SAND = "#F4E9DF"
LINE = "#E4D5C8"
BLUSH = "#F3C9BC"
MARIGOLD = "#F2A93B"
LEAF = "#1F7A5C"
LAKE = "#174A5B"
WHITE = "#FFFFFF"

DISPLAY_FONT, TEXT_FONT = "Bricolage Grotesque", "Figtree"
DISPLAY_FONT_FILE, TEXT_FONT_FILE = "bricolage-grotesque-700.woff2", "figtree-400-700.woff2"
"""Below `assets/fonts/`; `artwork/typefaces.py` cuts them, and their names give the weights that they contain."""

READABLE = 4.5
"""Least contrast of text against its ground (WCAG 2.2, 1.4.3)."""


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


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def tint(colour: str, share: float) -> str:
    """Return a share, 0 to 1, of a colour on white as `#RRGGBB`."""
    mixed = (round(255 - (255 - channel) * share) for channel in channels(colour))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)
