"""Drawn photographs: what a camera of the studio sees, and a hoarding beside the road."""

from agency_site.artwork.centrepieces import CENTREPIECES, rays, round_about
from agency_site.artwork.drawing import disc, document, dots, group, line, make_random, path, rect
from agency_site.artwork.mockups import SIZE, at, bars, letters
from agency_site.artwork.palette import CLAY, SUNRISE, Scheme
from agency_site.artwork.pattern import cloth
from agency_site.artwork.portraits import SCHEMES, portrait
from agency_site.artwork.strips import STRIPS
from agency_site.artwork.typefaces import TEXT
from agency_site.brand import BLUSH, BRAND, DEEP, INK, LAKE, LEAF, LINE, MARIGOLD, PAPER, SAND, WHITE
from agency_site.content.schema import Portrait

ROAD = (1600, 420)
"""Width and height of the street scene."""


def _corners(fill: str, x: int = 36, y: int = 36, wide: int = 728, high: int = 528) -> str:
    """The corners of a viewfinder."""
    right, low = x + wide, y + high
    d = f"M{x} {y + 44}V{y}h44M{right - 44} {y}H{right}v44M{right} {low - 44}V{low}h-44M{x + 44} {low}H{x}v-44"
    return line(d, fill, 5)


def _sitter() -> str:
    drawn = portrait(
        Portrait(skin="coffee", hair="afro", wear="beads", earrings=True, laughing=True), SCHEMES[4]
    )
    # Without the document and its ground: the sitter is in front of the paper roll.
    return drawn[drawn.index("<circle") : drawn.rindex("</svg>")]


def _portrait_shot() -> str:
    """A person in front of a paper roll, a light on each side."""
    roll = rect(190, 0, 420, 600, MARIGOLD) + rect(170, 0, 460, 34, INK)
    lamp = (
        line("M0 70V560M-44 600L0 540 44 600", INK, 8)
        + path("M-62-30H62L40 76H-40z", PAPER)
        + rect(-62, -40, 124, 14, INK)
    )
    sitter = group("translate(160 120)scale(1.2)", _sitter())
    return (
        roll + group("translate(92 120)", lamp) + group("translate(708 120)", lamp) + sitter + _corners(PAPER)
    )


def _film_shot() -> str:
    """Wide screen: a sun, hills, a tree, and the bars of cinema."""
    sky = group(
        "translate(440)",
        path(rays(15, 170, 250, 16, 380), MARIGOLD) + path("M-140 380a140 140 0 0 1 280 0z", MARIGOLD),
    )
    hills = path("M0 380q200-110 400-40t400-40V600H0z", DEEP) + path(
        "M0 450q240-80 460-20t340-40V600H0z", INK
    )
    tree = line("M170 440c8-60-4-80 6-120M176 350l-46-50M178 340l50-46", INK, 12) + path(
        "M60 300c10-30 60-44 116-44s120 14 130 44c-40 10-70 2-110 6s-96 4-136-6z", INK
    )
    frame = rect(0, 0, 800, 76, INK) + rect(0, 524, 800, 76, INK)
    marks = (
        letters("Take 4", 26, 40, 50, PAPER, TEXT)
        + disc(738, 40, 11, BRAND)
        + bars(40, 556, (720,), "#4A3B36", 10, 6)
    )
    return sky + hills + tree + frame + marks + bars(40, 556, (250,), MARIGOLD, 10, 6)


def _live_shot() -> str:
    """A camera on its tripod, sending."""
    stage = path("M0 470H800V600H0z", INK) + group(
        "translate(0 440)scale(.8 .8)", STRIPS["lozenges"](SUNRISE, 17)
    )
    legs = line("M330 390L230 590M340 390V590M350 390L450 590", INK, 14)
    body = rect(200, 240, 230, 150, PAPER, 20) + rect(420, 268, 90, 94, INK, 12) + disc(520, 315, 34, LEAF)
    body += (
        disc(260, 216, 44, INK)
        + disc(370, 216, 44, INK)
        + disc(260, 216, 18, MARIGOLD)
        + disc(370, 216, 18, MARIGOLD)
    )
    body += bars(226, 330, (110, 76), INK, 22, 10)
    waves = line(
        "M600 250q44 65 0 130M646 216q80 99 0 198M692 182q116 133 0 266", PAPER, 14, ' stroke-linecap="round"'
    )
    badge = (
        rect(60, 62, 176, 72, BRAND, 36)
        + disc(104, 98, 13, WHITE)
        + letters("LIVE", 34, 130, 110, WHITE, TEXT)
    )
    count = rect(256, 62, 166, 72, INK, 36) + letters("1,204", 30, 286, 109, PAPER, TEXT)
    return stage + legs + body + waves + badge + count


def _edit_shot() -> str:
    """The screen after the shoot: a picture, its tracks, its sound."""
    rng = make_random("edit")
    screen = rect(60, 50, 400, 236, LAKE, 12) + at(
        CENTREPIECES["star"](Scheme("", LAKE, PAPER, MARIGOLD, BRAND)), 260, 168, 190, 240
    )
    wheels = "".join(
        disc(548 + 112 * n, 122, 48, LINE) + disc(548 + 112 * n, 122, 38, INK) + disc(x, y, 9, fill)
        for n, (x, y, fill) in enumerate(((560, 110, MARIGOLD), (650, 134, BRAND)))
    )
    wheels += bars(500, 204, (220, 160, 190), "#6B5850", 28, 10) + dots(
        [(640, 209), (560, 237), (690, 265)], 10, PAPER
    )
    tracks = ""
    for y, clips in (
        (330, ((60, 190, BRAND), (256, 120, MARIGOLD), (382, 260, BRAND))),
        (394, ((120, 150, LEAF), (420, 220, LEAF))),
    ):
        tracks += "".join(rect(x, y, length, 54, fill, 8) for x, length, fill in clips)
    wave = "".join(
        f"M{64 + 12 * n} {490 - high}v{2 * high}" for n, high in enumerate(rng.choices(range(6, 44), k=56))
    )
    head = path("M386 304h36v18l-18 18-18-18z", PAPER) + rect(402, 322, 4, 236, PAPER)
    return screen + wheels + tracks + line(wave, BLUSH, 6, ' stroke-linecap="round"') + head


def _product_shot() -> str:
    """A jar of honey on a plinth under a soft light."""
    light = (
        path("M520 0h220L640 210H560z", PAPER)
        + f'<path fill="{PAPER}" opacity=".35" d="M560 210h80l150 390H330z"/>'
    )
    plinth = path("M170 462h420v138H170z", DEEP)
    plinth += f'<ellipse cx="380" cy="462" rx="210" ry="34" fill="{BRAND}"/>'
    jar = (
        rect(290, 236, 180, 226, MARIGOLD, 26)
        + rect(300, 190, 160, 56, INK, 10)
        + rect(306, 252, 18, 180, "#F7C978", 9)
    )
    jar += rect(290, 306, 180, 108, PAPER) + group("translate(290 384)scale(.5)", STRIPS["teeth"](SUNRISE, 6))
    jar += letters("Asali", 46, 328, 364, INK)
    leaf = path("M0 0C50-60 130-60 160-10 110 40 40 40 0 0z", LEAF)
    return (
        light
        + plinth
        + jar
        + group("translate(470 456)rotate(-24)", leaf)
        + group("translate(286 458)rotate(204)scale(.7)", leaf)
    )


def _event_shot() -> str:
    """A stage at night, seen over the heads of the crowd."""
    rng = make_random("event")
    beams = "".join(
        f'<path fill="{fill}" opacity=".5" d="M{x} 0h40L{low + 190} 400H{low}z"/>'
        for x, low, fill in ((130, 20, MARIGOLD), (380, 300, BRAND), (630, 570, MARIGOLD))
    )
    rig = rect(0, 0, 800, 26, PAPER) + dots([(60 + 85 * n, 44) for n in range(9)], 14, MARIGOLD)
    stage = group(
        "translate(400 400)scale(1.25)",
        CENTREPIECES["sunrise"](CLAY).split("<path")[0] + path(rays(9, 74, 122, 14, 0), PAPER),
    )
    stage += path("M330 400a70 70 0 0 1 140 0z", BRAND) + rect(120, 398, 560, 24, PAPER)
    singer = (
        disc(400, 292, 24, INK)
        + path("M364 398c0-54 12-74 36-74s36 20 36 74z", INK)
        + line("M424 346l40-40", INK, 12)
    )
    crowd = ""
    for row, (y, fill) in enumerate(((470, DEEP), (530, "#4A2018"), (590, INK))):
        heads = [
            (40 + 92 * n + 46 * (row % 2) + rng.randrange(-10, 10), y + rng.randrange(-12, 12))
            for n in range(-1, 9)
        ]
        crowd += dots(heads, 34, fill) + rect(0, y + 16, 800, 80, fill)
    return beams + rig + stage + singer + crowd


def street() -> str:
    """Mombasa Road: a hoarding with cloth on it, and a matatu that passes."""
    wide, high = ROAD
    hills = path("M0 300q240-120 520-40t560-50 520 30V420H0z", "#DE9530")
    hoarding = rect(900, 300, 24, 100, INK) + rect(1340, 300, 24, 100, INK) + rect(760, 20, 744, 288, INK, 10)
    hoarding += group("translate(772 32)", cloth("street hoarding", SUNRISE, 6, 2)) + rect(
        772, 272, 720, 24, PAPER
    )
    road = rect(0, 372, wide, high - 372, INK) + line("M0 398H1600", SAND, 6, ' stroke-dasharray="60 50"')
    body = path("M0 150V40A40 40 0 0 1 40 0H380c60 0 90 40 108 92l42 18a20 20 0 0 1 12 18v50H0z", BRAND)
    body += path("M30 28h86v62H30zM132 28h86v62h-86zM234 28h86v62h-86zM336 28h44c36 0 54 26 70 62H336z", SAND)
    body += group("translate(0 108)scale(.65)", STRIPS["zigzag"](Scheme("", BRAND, MARIGOLD, PAPER, INK), 12))
    body += "".join(disc(x, 176, 38, INK) + disc(x, 176, 16, LINE) for x in (110, 420))
    return document(
        wide,
        high,
        rect(0, 0, wide, high, MARIGOLD) + hills + hoarding + road + group("translate(110 190)", body),
    )


def lens() -> str:
    """A lens from the front, with a collar for its glass."""
    rings = "".join(
        disc(0, 0, radius, fill) for radius, fill in ((236, "#3A2822"), (218, INK), (204, BRAND), (192, INK))
    )
    marks = dots(round_about(48, 226), 3, PAPER) + path("M-8-252h16v30h-16z", MARIGOLD)
    glass = group("scale(1.56)", CENTREPIECES["collar"](CLAY))
    shine = line("M-150-62A162 162 0 0 1-62-150", PAPER, 12, ' stroke-linecap="round"')
    return document(480, 480, group("translate(240 240)", rings + marks + glass + shine))


def _photo(ground: str, body: str) -> str:
    return document(*SIZE, rect(0, 0, *SIZE, ground) + body)


def scenes() -> dict[str, str]:
    """All pictures by file name without ending."""
    return {
        "photo-portrait": _photo(BRAND, _portrait_shot()),
        "photo-film": _photo(BRAND, _film_shot()),
        "photo-live": _photo(LEAF, _live_shot()),
        "photo-edit": _photo(INK, _edit_shot()),
        "photo-product": _photo(BLUSH, _product_shot()),
        "photo-event": _photo(LAKE, _event_shot()),
        "street": street(),
        "lens": lens(),
    }
