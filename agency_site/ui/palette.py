"""The colours of the brand and the named schemes in which its patterns are drawn.

Every colour of the site comes from here; contrast figures are measured by `contrast`, never guessed.
"""

from dataclasses import dataclass

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

READABLE = 4.5
"""Least contrast of text against its ground (WCAG 2.2, 1.4.3)."""


def luminance(colour: str) -> float:
    """Relative luminance of `#RRGGBB`, 0 (black) to 1 (white), as WCAG 2.2 defines it."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21, as WCAG 2.2 defines it."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@dataclass(frozen=True)
class Scheme:
    """Four colours that carry one pattern: a ground, a main colour, an accent and a depth."""

    name: str
    ground: str
    main: str
    accent: str
    depth: str

    @property
    def text(self) -> str:
        """Ink or paper, whichever reads better on the ground."""
        return max((PAPER, INK), key=lambda colour: contrast(colour, self.ground))

    @property
    def on_block(self) -> "Scheme":
        """The same colours for a motif that stands on a square of the depth colour."""
        return Scheme(self.name, self.depth, self.main, self.accent, self.ground)


SUNRISE = Scheme("sunrise", BRAND, SAND, MARIGOLD, DEEP)
LAKESIDE = Scheme("lakeside", LAKE, PAPER, MARIGOLD, BRAND)
HIGHLAND = Scheme("highland", LEAF, SAND, MARIGOLD, INK)
CLAY = Scheme("clay", DEEP, BLUSH, MARIGOLD, BRAND)
NOON = Scheme("noon", MARIGOLD, INK, BRAND, PAPER)
NIGHT = Scheme("night", INK, SAND, MARIGOLD, BRAND)
DUNE = Scheme("dune", SAND, BRAND, LAKE, MARIGOLD)
DAWN = Scheme("dawn", BLUSH, DEEP, BRAND, PAPER)
TEA = Scheme("tea", SAND, LEAF, INK, MARIGOLD)

SCHEMES = (SUNRISE, LAKESIDE, HIGHLAND, CLAY, NOON, NIGHT, DUNE, DAWN, TEA)
