"""Word marks of partners: a small geometric figure and a name, one file each, 240 by 64."""

from agency_site.artwork.centrepieces import CENTREPIECES
from agency_site.artwork.drawing import document, group, make_random, path
from agency_site.artwork.lettering import outline, width
from agency_site.artwork.motifs import MOTIFS
from agency_site.artwork.palette import Scheme
from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER

_HEIGHT = 64

# Motifs that still read at 44 pixels.
_SMALL = (
    "quarter",
    "leaf",
    "hourglass",
    "diamond",
    "flower",
    "rings",
    "korosho",
    "sun",
    "chevrons",
    "steps",
    "weave",
)
_LARGE = ("collar", "sunrise", "blossom", "lozenge", "rainbow", "cashew", "star")
_FIGURES = tuple(
    name
    for pair in zip(_SMALL, (*_LARGE, "war_shield", "seeds", "scallops", "zigzags"), strict=True)
    for name in pair
)
"""22 figures, so that no two of 22 partners share one."""

_COLOURS = (
    (LAKE, BRAND),
    (DEEP, MARIGOLD),
    (LEAF, INK),
    (INK, BRAND),
    (BRAND, INK),
    (LAKE, MARIGOLD),
    (INK, LEAF),
)


def partner(position: int, name: str) -> str:
    """The word mark of the partner at that position, counted from 1."""
    rng = make_random(f"partner {position}")
    figure = _FIGURES[(position - 1) % len(_FIGURES)]
    main, accent = _COLOURS[(position - 1) % len(_COLOURS)]
    scheme = Scheme("partner", PAPER, main, accent, accent)
    large = figure in CENTREPIECES
    drawn = (CENTREPIECES[figure] if large else MOTIFS[figure])(scheme)
    weight, tracking = rng.choice(((500, 0.0), (600, -0.01), (700, -0.02), (800, -0.02), (400, 0.03)))
    scale = 44 / (240 if large else 120)
    # Letters keep whole numbers on a finer grid and shrink by the transform.
    letters = group(
        "translate(66 42)scale(.467)", path(outline(name, 60, weight=weight, tracking=tracking), INK)
    )
    length = round(66 + width(name, 28, weight, tracking=tracking) + 6)
    return document(length, _HEIGHT, group(f"translate(32 32)scale({scale:.3f})", drawn) + letters)
