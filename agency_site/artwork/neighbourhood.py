"""A drawn map of Karen, Nairobi, for the contact page: 960 by 540, north up.

A sketch made by hand from no survey data: the roads meet in the right order, but neither distances nor bends
are measured. The address beside it is what people follow.
"""

from agency_site.artwork.drawing import disc, document, dots, group, line, path, rect
from agency_site.artwork.lettering import outline, width
from agency_site.artwork.palette import SUNRISE
from agency_site.artwork.strips import STRIPS
from agency_site.artwork.typefaces import TEXT
from agency_site.brand import BRAND, INK, LAKE, LEAF, LINE, MARIGOLD, PAPER, SAND, WHITE

SIZE = (960, 540)

_NGONG_ROAD = "M800-10C740 60 690 110 610 150S470 220 430 262C370 326 280 350 210 410S90 480 40 520"
_LANGATA_ROAD = "M430 262C490 286 560 284 640 312S830 356 970 352"
_DAGORETTI_ROAD = "M430 262C400 210 350 190 330 130S300 50 306-10"
_KAREN_ROAD = "M480 280C500 330 480 380 520 420S640 470 690 550"

_LANES = (
    "M330 130C260 150 180 130 100 170S20 190-10 186",
    "M210 410C240 450 300 460 330 500S340 530 340 550",
    "M610 150C570 110 500 110 460 60S440 20 446-10",
    "M497 380C430 400 380 370 330 400S262 396 240 388",
    "M640 312C650 370 620 400 640 450",
    "M520 420C600 400 680 420 740 400S830 356 830 352",
    "M180 136C190 220 250 260 300 340",
)


def _label(text: str, x: float, y: float, size: int, fill: str, turn: int = 0, weight: int = 600) -> str:
    turned = f"rotate({turn})" if turn else ""
    drawn = outline(text, 48, weight=weight, file=TEXT, tracking=0.01)
    return (
        f'<path transform="translate({x:g} {y:g}){turned}scale({size / 48:.2f})" fill="{fill}" d="{drawn}"/>'
    )


def _land() -> str:
    forest = "M650 150C720 110 760 60 830-10H970V300C880 300 800 290 720 270S600 190 650 150z"
    trees = [
        (720, 160),
        (764, 132),
        (806, 96),
        (850, 56),
        (906, 30),
        (872, 118),
        (826, 150),
        (768, 250),
        (836, 262),
    ]
    trees += [(928, 160), (934, 92), (906, 274), (690, 190)]
    golf = "M300 352C360 330 430 318 456 350S440 392 396 382 330 420 290 400 270 364 300 352z"
    river = line("M560 560C640 500 730 520 800 470S900 440 970 452", "#A9C6CF", 12)
    hills = path("M-10 540V410q40-44 76-4t60 8 70 58 90 68z", "#DCC9B6")
    hills += path("M-10 540v-70q36-30 70 10t70 24 60 36z", "#C9B29C")
    return path(forest, "#CFE3DA") + dots(trees, 13, LEAF) + path(golf, "#DDE9CF") + river + hills


def _roads() -> str:
    lanes = line("".join(_LANES), LINE, 11) + line("".join(_LANES), PAPER, 7)
    mains = _NGONG_ROAD + _LANGATA_ROAD + _DAGORETTI_ROAD + _KAREN_ROAD
    return lanes + line(mains, "#D9B98B", 24) + line(mains, "#FBE3B4", 18)


def _pin(x: int, y: int) -> str:
    drop = "M0 0C-12-26-40-40-40-72a40 40 0 0 1 80 0C40-40 12-26 0 0z"
    sun = path("M-16-68a16 16 0 0 1 32 0z", MARIGOLD) + path("M-24-62h48v7h-48zM-14-49h28v6h-28z", PAPER)
    ring = f'<ellipse rx="20" ry="7" fill="{INK}" opacity=".2"/>'
    return group(f"translate({x} {y})", ring + path(drop, BRAND) + sun)


def map_picture(place: str, street: str = "Karen Road") -> str:
    """The map, with the pin and the name of the place beside it."""
    wide, high = SIZE
    names = (
        _label("Ngong Road", 636, 128, 22, INK, -34)
        + _label("Lang'ata Road", 744, 350, 22, INK, 5)
        + _label("Dagoretti Road", 318, 26, 22, INK, 78)
        + _label(street, 550, 424, 22, INK, 35)
        + _label("Ngong Forest", 740, 220, 24, "#14543F", 0, 700)
        + _label("Ngong Hills", 24, 446, 19, INK, 0, 600)
    )
    roundabout = disc(430, 262, 24, "#D9B98B") + disc(430, 262, 21, "#FBE3B4") + disc(430, 262, 9, LEAF)
    length = width(place, 24, 700, TEXT, 0.01) + 36
    sign = rect(34, -96, length, 48, INK, 24) + _label(place, 52, -64, 24, WHITE, 0, 700)
    north = group("translate(60 60)", disc(0, 0, 32, PAPER) + path("M0-22 12 14 0 7-12 14z", LAKE))
    hem = group(
        f"translate(0 {high - 30})scale(.5)", rect(0, 0, 2 * wide, 60, BRAND) + STRIPS["teeth"](SUNRISE, 32)
    )
    body = rect(0, 0, wide, high, SAND) + _land() + _roads() + roundabout + names
    body += group("translate(500 400)", sign) + _pin(500, 396) + north + hem
    return document(wide, high, body)
