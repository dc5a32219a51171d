"""Portfolio pictures: browser, phone and poster mock-ups of invented brands, SVG of 800 by 600."""

from collections.abc import Callable
from dataclasses import dataclass

from agency_site.artwork.centrepieces import CENTREPIECES
from agency_site.artwork.drawing import Sheet, document, dots, group, path, rect
from agency_site.artwork.lettering import outline, width, wrap
from agency_site.artwork.motifs import JOINING, MOTIFS
from agency_site.artwork.palette import (
    CLAY,
    DAWN,
    DUNE,
    HIGHLAND,
    LAKESIDE,
    NIGHT,
    NOON,
    SUNRISE,
    TEA,
    Scheme,
)
from agency_site.artwork.strips import STRIPS
from agency_site.artwork.typefaces import DISPLAY, TEXT
from agency_site.brand import BLUSH, BRAND, INK, LINE, MARIGOLD, PAPER, SAND, WHITE, contrast

SIZE = (800, 600)


@dataclass(frozen=True)
class Piece:
    """One invented brand and how its picture is set."""

    slug: str
    name: str
    line: str
    kind: str
    scheme: Scheme
    figure: str
    motif: str
    strip: str
    wall: str = SAND


PIECES: tuple[Piece, ...] = (
    Piece(
        "shamba-fresh",
        "Shamba Fresh",
        "Farm to door by six.",
        "browser",
        HIGHLAND,
        "blossom",
        "leaf",
        "zigzag",
    ),
    Piece(
        "afya-plus", "Afya Plus", "A doctor today", "phone", LAKESIDE, "lozenge", "flower", "beads", "#CFE3DA"
    ),
    Piece(
        "mara-lodge",
        "Mara Lodge",
        "Wake up with the herd.",
        "browser",
        CLAY,
        "sunrise",
        "triangle",
        "teeth",
        BLUSH,
    ),
    Piece("pamoja-sacco", "Pamoja Sacco", "Save together", "phone", SUNRISE, "collar", "quarter", "lozenges"),
    Piece(
        "lamu-arts-week",
        "Lamu Arts Week",
        "Dhows, drums, doors",
        "poster",
        LAKESIDE,
        "star",
        "quarter",
        "arches",
    ),
    Piece(
        "kericho-leaf",
        "Kericho Leaf",
        "Picked at dawn",
        "poster",
        TEA,
        "blossom",
        "leaf",
        "stripes",
        "#CFE3DA",
    ),
    Piece(
        "baraka-hardware",
        "Baraka Hardware",
        "From nail to roof.",
        "browser",
        NOON,
        "lozenge",
        "steps",
        "arrows",
    ),
    Piece(
        "tamu-bakes",
        "Tamu Bakes",
        "Mandazi from five",
        "poster",
        DAWN,
        "rainbow",
        "scallops",
        "beads",
        MARIGOLD,
    ),
    Piece(
        "safiri-shuttle",
        "Safiri Shuttle",
        "Nairobi to Nakuru",
        "phone",
        NOON,
        "rainbow",
        "chevrons",
        "arrows",
        LINE,
    ),
    Piece(
        "nyota-school",
        "Nyota School",
        "Small classes, big sky.",
        "browser",
        LAKESIDE,
        "star",
        "quarter",
        "beads",
        "#C9DCE2",
    ),
    Piece("jua-solar", "Jua Solar", "Paid by the sun", "poster", NIGHT, "sunrise", "sun", "teeth", BLUSH),
    Piece("ziwa-coffee", "Ziwa Coffee", "Your cup is ready", "phone", DUNE, "cashew", "korosho", "zigzag"),
)


def letters(text: str, size: float, x: float, y: float, fill: str, file: str = DISPLAY) -> str:
    """One line of type, drawn on a grid just fine enough for its size and brought to size by a transform."""
    grid = 48 if size < 30 else 64
    scale = f"{size / grid:.2f}".lstrip("0")
    drawn = outline(text, grid, tracking=-0.01, file=file)
    return f'<path transform="translate({x:g} {y:g})scale({scale})" fill="{fill}" d="{drawn}"/>'


def bars(x: int, y: int, widths: tuple[int, ...], fill: str, gap: int = 18, height: int = 8) -> str:
    """Lines of text that are too small to read."""
    return path("".join(f"M{x} {y + gap * i}h{w}v{height}h-{w}z" for i, w in enumerate(widths)), fill)


def at(markup: str, x: float, y: float, side: float, drawn: int) -> str:
    """A figure that was drawn in a square of `drawn`, its middle brought to x, y and its side to `side`."""
    return group(f"translate({x:g} {y:g})scale({side / drawn:.2f})", markup)


def _headline(piece: Piece, size: int, x: int, y: int, limit: int) -> tuple[str, int]:
    lines = wrap(piece.line, size, limit, tracking=-0.01)
    face, fill = (TEXT if piece.kind == "phone" else DISPLAY), piece.scheme.text
    drawn = "".join(
        letters(words, size, x, y + round(size * 1.04 * i), fill, face) for i, words in enumerate(lines)
    )
    return drawn, y + round(size * 1.04 * len(lines))


def _button(s: Scheme, x: int, y: int, length: int) -> str:
    ground = s.accent if contrast(s.accent, s.ground) > 1.6 else s.main
    return rect(x, y, length, 40, ground, 20) + rect(x + 26, y + 17, length - 52, 6, s.ground, 3)


def browser(piece: Piece) -> str:
    """A web page in its window."""
    s = piece.scheme
    words, below = _headline(piece, 50, 100, 262, 320)
    figure = at(CENTREPIECES[piece.figure](s), 570, 300, 230, 240)
    chrome = rect(60, 70, 680, 70, INK, 18) + dots([(90, 93), (112, 93), (134, 93)], 6, BRAND)
    address = rect(250, 83, 300, 20, "#4A3B36", 10)
    page = rect(60, 115, 680, 455, s.ground)
    strip = group(
        "translate(60 450)",
        rect(0, 0, 680, 60, s.on_block.ground) + group("translate(10)", STRIPS[piece.strip](s.on_block, 11)),
    )
    nav = (
        letters(piece.name, 26, 100, 168, s.text, TEXT)
        + bars(480, 156, (46,), s.text)
        + bars(546, 156, (46,), s.text)
    )
    nav += rect(622, 145, 80, 30, s.main, 15)
    foot = (
        rect(60, 510, 680, 60, s.ground)
        + bars(100, 532, (150, 110), s.text, 16, 6)
        + bars(360, 532, (120, 90), s.text, 16, 6)
    )
    foot += bars(560, 532, (130, 90), s.text, 16, 6)
    copy = bars(100, below - 20, (270, 220), s.main) + _button(s, 100, below + 32, 150)
    return chrome + address + page + nav + words + copy + figure + strip + foot


def _phone(x: int, y: int, ground: str, inside: str) -> str:
    return group(
        f"translate({x} {y})",
        rect(-10, -12, 240, 494, INK, 38)
        + rect(0, 0, 220, 470, ground, 28)
        + inside
        + rect(80, 10, 60, 14, INK, 7),
    )


def phone(piece: Piece) -> str:
    """Two screens of one app: the welcome and a list."""
    s = piece.scheme
    words, below = _headline(piece, 30, 20, 318, 190)
    welcome = letters(piece.name, 22, 20, 64, s.text, TEXT) + at(
        CENTREPIECES[piece.figure](s), 110, 184, 176, 240
    )
    welcome += words + bars(20, below - 12, (160, 120), s.main, 16, 6) + _button(s, 20, 410, 180)
    light = Scheme("", WHITE, s.ground if contrast(s.ground, WHITE) > 1.4 else s.main, s.accent, s.depth)
    small = MOTIFS[piece.motif]
    rows = rect(0, 0, 220, 150, s.ground, 28) + rect(0, 90, 220, 60, s.ground)
    rows += bars(20, 52, (120, 80), s.text, 20, 10) + group(
        "translate(0 92)scale(.917)", STRIPS[piece.strip](s, 4)
    )
    sheet = Sheet(piece.slug)
    row = (
        rect(-34, -34, 188, 68, SAND, 16)
        + group("scale(.37)", small(light))
        + bars(36, -12, (92, 62), INK, 16, 7)
    )
    for index in range(3):
        sheet.place(row, 50, 202 + 82 * index)
    rows += sheet.markup()
    rows += rect(50, 430, 120, 24, INK, 12)
    return _phone(160, 66, s.ground, welcome) + _phone(430, 100, PAPER, rows)


def poster(piece: Piece) -> str:
    """A poster on a wall, a smaller print beside it."""
    s = piece.scheme
    big = rect(0, 0, 340, 480, s.ground) + at(CENTREPIECES[piece.figure](s), 170, 158, 250, 240)
    big += group("translate(20 296)", STRIPS[piece.strip](s, 5))
    size = 54
    lines = wrap(piece.name, size, 300, tracking=-0.01)
    size = 46 if len(lines) > 2 or max(width(line, size) for line in lines) > 300 else size
    lines = wrap(piece.name, size, 300, tracking=-0.01)
    top = 404 if len(lines) > 1 else 424
    big += "".join(
        letters(text, size, 22, top + round(size * 0.98 * i), s.text) for i, text in enumerate(lines)
    )
    other = s.on_block
    print_ = rect(0, 0, 210, 290, other.ground)
    motif = MOTIFS[piece.motif](other)
    sheet = Sheet(piece.slug)
    for place in range(9):
        turn = 90 * (place % 2 + place // 3) if piece.motif in JOINING else 0
        sheet.place(motif, 60 + 120 * (place % 3), 60 + 120 * (place // 3), turn)
    print_ += group("scale(.583)", sheet.markup())
    print_ += letters(piece.line, min(22, 22 * 178 / width(piece.line, 22)), 16, 258, other.text, TEXT)
    return group("translate(130 66)", big) + group("translate(510 160)", print_)


KINDS: dict[str, Callable[[Piece], str]] = {"browser": browser, "phone": phone, "poster": poster}


def mockup(piece: Piece) -> str:
    """The picture of a piece of work."""
    wide, high = SIZE
    return document(wide, high, rect(0, 0, wide, high, piece.wall) + KINDS[piece.kind](piece))
