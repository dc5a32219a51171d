"""Pictures of the service pages' work: campaigns, brand boards, business systems, advertisements; SVG of 800 by 600."""

from agency_site.artwork.centrepieces import CENTREPIECES
from agency_site.artwork.drawing import Sheet, disc, document, dots, group, line, make_random, path, rect
from agency_site.artwork.lettering import width
from agency_site.artwork.mockups import SIZE, Piece, at, bars, browser, letters
from agency_site.artwork.motifs import JOINING, MOTIFS
from agency_site.artwork.palette import CLAY, DAWN, HIGHLAND, LAKESIDE, NOON, SUNRISE, TEA, Scheme
from agency_site.artwork.strips import STRIPS
from agency_site.artwork.typefaces import TEXT
from agency_site.brand import BLUSH, BRAND, INK, LAKE, LEAF, LINE, MARIGOLD, PAPER, SAND, WHITE

_SITES: tuple[Piece, ...] = (
    Piece("bahari-dive", "Bahari Dive", "Down with the turtles.", "browser", LAKESIDE, "rainbow", "scallops",
          "arches", MARIGOLD),
    Piece("maua-market", "Maua Market", "Roses cut this morning.", "browser", DAWN, "blossom", "flower", "teeth",
          "#CFE3DA"),
)  # fmt: skip
"""Further websites."""

_CAMPAIGNS: tuple[Piece, ...] = (
    Piece("tamu-bakes-mornings", "Tamu Bakes", "First tray at 4:50", "feed", SUNRISE, "rainbow", "scallops",
          "beads", BLUSH),
    Piece("ziwa-coffee-cups", "Ziwa Coffee", "Whose cup is it?", "feed", LAKESIDE, "cashew", "korosho", "zigzag",
          MARIGOLD),
    Piece("pamoja-sacco-chama", "Pamoja Sacco", "Our chama, our roof", "feed", HIGHLAND, "collar", "quarter",
          "lozenges", SAND),
)  # fmt: skip
"""Social campaigns."""

_BOARDS: tuple[Piece, ...] = (
    Piece("kericho-leaf-identity", "Kericho Leaf", "Picked at dawn", "board", TEA, "blossom", "leaf", "stripes"),
    Piece("jua-solar-identity", "Jua Solar", "Paid by the sun", "board", NOON, "sunrise", "sun", "teeth"),
    Piece("lamu-arts-week-identity", "Lamu Arts Week", "Dhows, drums, doors", "board", LAKESIDE, "star", "quarter",
          "arches"),
)  # fmt: skip
"""Brand identities."""

_SYSTEMS: tuple[Piece, ...] = (
    Piece("soko-ledger", "Soko Ledger", "Today's stalls", "system", HIGHLAND, "lozenge", "steps", "arrows", SAND),
    Piece("mizigo-desk", "Mizigo Desk", "Lorries on the road", "system", CLAY, "star", "chevrons", "arrows", LINE),
)  # fmt: skip
"""Business systems."""


def _text(words: str, size: float, x: float, y: float, fill: str) -> str:
    return letters(words, size, x, y, fill, TEXT)


def feed(piece: Piece) -> str:
    """A post, a story and an answer of one campaign."""
    s, other = piece.scheme, piece.scheme.on_block
    post = rect(0, 0, 360, 460, WHITE, 26) + disc(46, 44, 20, s.ground) + _text(piece.name, 20, 78, 51, INK)
    post += rect(22, 80, 316, 270, s.ground) + at(CENTREPIECES[piece.figure](s), 180, 204, 210, 240)
    post += group(
        "translate(22 326)scale(.527)", rect(0, 0, 600, 60, other.ground) + STRIPS[piece.strip](other, 10)
    )
    heart = "M44 410c-20-14-22-24-22-30a11 11 0 0 1 22-4 11 11 0 0 1 22 4c0 6-2 16-22 30z"
    post += path(heart, BRAND) + bars(86, 384, (60,), INK) + bars(22, 420, (250, 180), INK, 18, 7)
    story = (
        rect(0, 0, 214, 380, other.ground, 28)
        + bars(20, 18, (80,), other.main, 18, 5)
        + bars(114, 18, (80,), other.accent, 18, 5)
    )
    story += at(CENTREPIECES[piece.figure](other), 107, 164, 150, 240)
    size = min(22.0, 22 * 172 / width(piece.line, 22, file=TEXT))
    story += _text(piece.line, size, 21, 306, other.text) + bars(21, 328, (130,), other.main)
    answer = path("M30 0h190a30 30 0 0 1 30 30v8a30 30 0 0 1-30 30H0V30A30 30 0 0 1 30 0z", INK)
    answer += bars(30, 22, (150, 96), SAND, 18, 7) + disc(218, 34, 9, MARIGOLD)
    return (
        group("translate(96 70)", post)
        + group("translate(490 74)", story)
        + group("translate(420 478)", answer)
    )


def board(piece: Piece) -> str:
    """A brand on one sheet: mark, pattern, colours, card and sign."""
    s, other = piece.scheme, piece.scheme.on_block
    mark = rect(0, 0, 470, 380, s.ground) + at(CENTREPIECES[piece.figure](s), 235, 152, 210, 240)
    size = min(50.0, 50 * 390 / width(piece.name, 50))
    mark += letters(piece.name, size, round((470 - width(piece.name, size, tracking=-0.01)) / 2), 336, s.text)
    motif, sheet = MOTIFS[piece.motif](other), Sheet(piece.slug)
    for place in range(12):
        column, row = place % 4, place // 4
        turn = 90 * (column + row) if piece.motif in JOINING else 0
        sheet.place(motif, 60 + 120 * column, 60 + 120 * row, turn)
    cloth = group(
        "translate(470 0)", rect(0, 0, 330, 248, other.ground) + group("scale(.6875)", sheet.markup())
    )
    swatches = "".join(
        rect(470 + 82.5 * place, 248, 82.5, 132, fill)
        for place, fill in enumerate((s.ground, s.main, s.accent, s.depth))
    )
    card = (
        rect(0, 380, 470, 220, LINE)
        + rect(70, 412, 270, 156, WHITE, 6)
        + rect(110, 432, 270, 156, s.depth, 6)
    )
    ink = s.on_block.text
    card += at(CENTREPIECES[piece.figure](other), 330, 510, 78, 240)
    card += _text(piece.name, 22, 134, 472, ink) + bars(134, 524, (110, 80, 96), ink, 18, 6)
    band = rect(0, 0, 330, 220, s.main) + group(
        "translate(0 30)", rect(0, 0, 330, 60, s.ground) + group("scale(.786 1)", STRIPS[piece.strip](s, 7))
    )
    tone = INK if s.main not in {INK, LEAF, BRAND} else PAPER
    small = min(26.0, 26 * 282 / width(piece.line, 26, file=TEXT))
    band += _text(piece.line, small, 24, 148, tone) + bars(24, 172, (120,), tone)
    return mark + cloth + swatches + card + group("translate(470 380)", band)


def system(piece: Piece) -> str:
    """A screen that people work in all day: figures, a chart, a list."""
    s, rng = piece.scheme, make_random(piece.slug)
    frame = rect(60, 66, 680, 468, INK, 22) + rect(70, 76, 660, 448, PAPER, 14)
    side = path("M84 76h126v448H84a14 14 0 0 1-14-14V90a14 14 0 0 1 14-14z", s.ground)
    side += at(CENTREPIECES[piece.figure](s), 140, 126, 58, 240) + bars(98, 190, (84, 70, 90, 60), s.text, 34)
    side += group("translate(70 462)scale(.467)", STRIPS[piece.strip](s, 5))
    head = letters(piece.name, 26, 236, 124, INK) + _text(piece.line, 17, 236, 156, "#5F4A40")
    head += rect(610, 100, 94, 34, BRAND, 17) + bars(632, 114, (50,), WHITE, 18, 6)
    tiles = ""
    for place, fill in enumerate((SAND, s.accent, BLUSH)):
        tiles += rect(236 + 160 * place, 176, 148, 76, fill, 12)
    tiles += (
        bars(252, 196, (70,), INK, 20, 14)
        + bars(412, 196, (86,), INK, 20, 14)
        + bars(572, 196, (60,), INK, 20, 14)
    )
    tiles += (
        bars(252, 226, (100,), INK, 20, 6)
        + bars(412, 226, (90,), INK, 20, 6)
        + bars(572, 226, (104,), INK, 20, 6)
    )
    chart = "".join(
        rect(244 + 27 * place, 404 - high, 17, high, s.ground if place != 6 else BRAND, 4)
        for place, high in enumerate(rng.sample(range(40, 130, 9), 8))
    )
    rows = "".join(
        disc(496, 300 + 34 * row, 9, fill) + bars(516, 294 + 34 * row, (110,), INK, 12, 6)
        for row, fill in enumerate((s.ground, BRAND, MARIGOLD, s.ground))
    )
    rows += "".join(bars(664, 294 + 34 * row, (40,), INK, 12, 6) for row in range(4))
    foot = rect(236, 426, 468, 76, WHITE, 12) + line(
        "M252 482" + "".join(f"l62 {step}" for step in rng.sample((-30, 18, -22, 14, -26, 12, -16), 7)),
        s.ground,
        5,
    )
    return frame + side + head + tiles + chart + rows + foot


def _search_ad() -> str:
    """A search, and the first answer to it."""
    box = rect(110, 90, 580, 74, WHITE, 37) + line("M170 138l14 14", INK, 6, ' stroke-linecap="round"')
    box += f'<circle cx="158" cy="125" r="16" fill="none" stroke="{INK}" stroke-width="6"/>'
    box += _text("fundi wa bomba, Kasarani", 28, 206, 137, INK)
    first = (
        rect(110, 196, 580, 190, WHITE, 24)
        + rect(140, 222, 76, 30, MARIGOLD, 8)
        + _text("Ad", 20, 166, 244, INK)
    )
    first += bars(232, 232, (170,), LEAF, 18, 8) + letters("A plumber in 40 minutes", 32, 140, 302, LAKE)
    first += bars(140, 326, (400, 330), INK, 20, 7) + disc(640, 240, 16, BRAND)
    rest = "".join(
        rect(110, y, 580, 78, "#FFFFFF", 24)
        + bars(140, y + 24, (240,), LAKE, 20, 10)
        + bars(140, y + 48, (430,), LINE)
        for y in (406, 502)
    )
    return box + first + rest


def _feed_ad() -> str:
    """A sponsored post on a phone, with its button."""
    s = SUNRISE
    inside = (
        disc(40, 68, 16, s.ground) + bars(66, 58, (90, 60), INK, 14, 7) + rect(0, 100, 250, 230, s.ground)
    )
    inside += at(CENTREPIECES["sunrise"](s), 125, 212, 176, 240) + rect(0, 330, 250, 52, SAND)
    inside += (
        bars(18, 346, (96, 70), INK, 14, 7)
        + rect(142, 339, 92, 34, BRAND, 17)
        + _text("Order", 17, 165, 362, WHITE)
    )
    inside += bars(18, 406, (200, 170, 120), LINE, 20)
    phone = (
        rect(-12, -14, 274, 528, INK, 42)
        + rect(0, 0, 250, 500, WHITE, 30)
        + inside
        + rect(90, 12, 70, 15, INK, 8)
    )
    tag = rect(0, 0, 236, 74, INK, 37) + disc(38, 37, 17, MARIGOLD) + _text("Within 3 km", 26, 70, 46, PAPER)
    ages = rect(0, 0, 224, 74, WHITE, 37) + disc(38, 37, 17, LEAF) + _text("Age 24 to 40", 22, 70, 45, INK)
    dashes = ' stroke-dasharray="2 16" stroke-linecap="round"'
    circle = "M{x} 300a{r} {r} 0 0 1 {w} 0 {r} {r} 0 0 1-{w} 0z"
    rings = "".join(line(circle.format(x=560 - r, r=r, w=2 * r), BRAND, 4, dashes) for r in (90, 160, 230))
    return (
        rings
        + group("translate(130 50)", phone)
        + group("translate(470 180)", tag)
        + group("translate(500 372)", ages)
    )


def _video_ad() -> str:
    """A film before the film, and the banner beside it."""
    s = Scheme("", LAKE, PAPER, MARIGOLD, BRAND)
    player = rect(70, 90, 470, 300, s.ground, 22) + at(CENTREPIECES["star"](s), 305, 226, 230, 240)
    player += (
        disc(305, 226, 44, INK) + path("M292 202l36 24-36 24z", PAPER) + bars(94, 362, (420,), PAPER, 10, 8)
    )
    player += (
        bars(94, 362, (130,), MARIGOLD, 10, 8)
        + rect(404, 306, 136, 42, INK)
        + _text("Skip in 5", 21, 424, 334, PAPER)
    )
    side = rect(570, 90, 160, 420, BRAND, 16) + at(CENTREPIECES["blossom"](SUNRISE), 650, 186, 120, 240)
    side += (
        letters("From", 26, 592, 306, WHITE)
        + letters("Lamu,", 34, 592, 344, WHITE)
        + letters("slowly", 34, 592, 382, WHITE)
    )
    side += rect(592, 440, 116, 40, MARIGOLD, 20) + bars(616, 457, (68,), INK, 10, 6)
    below = (
        bars(70, 418, (300, 240), INK, 24, 12)
        + disc(92, 488, 22, MARIGOLD)
        + bars(130, 480, (150, 100), INK, 18, 7)
    )
    return player + side + below


def _measured_ad() -> str:
    """What went out and what came back, on one sheet."""
    sheet = rect(100, 60, 600, 480, WHITE, 20) + letters("Out, and back", 36, 140, 130, INK)
    axis = path("M140 400h520v4H140z", INK)
    pairs = ((150, 90, 120), (278, 100, 176), (406, 104, 216), (534, 108, 232))
    chart = "".join(
        rect(x, 400 - out, 44, out, LINE, 6) + rect(x + 52, 400 - back, 44, back, BRAND, 6)
        for x, out, back in pairs
    )
    coins = "".join(
        disc(640, 146 - 14 * n, 30, INK) + disc(640, 142 - 14 * n, 30, MARIGOLD) for n in range(4)
    )
    coins += dots([(640, 100)], 10, INK)
    keys = (
        rect(140, 440, 24, 24, LINE, 6) + _text("Spent", 22, 176, 459, INK) + rect(280, 440, 24, 24, BRAND, 6)
    )
    keys += (
        _text("Earned", 22, 316, 459, INK)
        + bars(140, 492, (360,), LINE)
        + bars(530, 452, (130, 90), INK, 20, 8)
    )
    return sheet + axis + chart + coins + keys


def _sheet(wall: str, body: str) -> str:
    return document(*SIZE, rect(0, 0, *SIZE, wall) + body)


def showcase() -> dict[str, str]:
    """All pictures by file name without ending."""
    drawn = {piece.slug: _sheet(piece.wall, browser(piece)) for piece in _SITES}
    drawn |= {piece.slug: _sheet(piece.wall, feed(piece)) for piece in _CAMPAIGNS}
    drawn |= {piece.slug: _sheet(piece.wall, board(piece)) for piece in _BOARDS}
    drawn |= {piece.slug: _sheet(piece.wall, system(piece)) for piece in _SYSTEMS}
    return drawn | {
        "ad-search": _sheet("#C9DCE2", _search_ad()),
        "ad-feed": _sheet(BLUSH, _feed_ad()),
        "ad-video": _sheet(SAND, _video_ad()),
        "ad-measured": _sheet("#CFE3DA", _measured_ad()),
    }
