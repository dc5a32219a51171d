"""The named colour schemes of patterns."""

from dataclasses import dataclass

from agency_site.brand import BLUSH, BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND, contrast


@dataclass(frozen=True)
class Scheme:
    """Four colours that carry one pattern: a background, a main colour, an accent and a depth."""

    name: str
    background: str
    main: str
    accent: str
    depth: str

    @property
    def text(self) -> str:
        """Ink or paper, with the better contrast to the background."""
        return max((PAPER, INK), key=lambda colour: contrast(colour, self.background))

    @property
    def on_block(self) -> "Scheme":
        """The scheme for a motif on a square of the depth colour."""
        return Scheme(self.name, self.depth, self.main, self.accent, self.background)


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
