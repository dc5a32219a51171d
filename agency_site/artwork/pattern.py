"""The band language: geometric pictures after East African kanga and beadwork, drawn from a seed.

A seed gives equal bytes on every machine. A composition is built like a kanga: a border (pindo), a
leading figure (mji) and a field around it that keeps one rhythm and leaves cells empty, so that the eye can
rest. A band has no empty cell: at an edge it would read as a gap.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from agency_site.artwork.centrepieces import CENTREPIECES
from agency_site.artwork.drawing import Sheet, document, group, make_random, rect
from agency_site.artwork.motifs import JOINING, SINGLE, TEXTURES, Motif
from agency_site.artwork.palette import SCHEMES, Scheme
from agency_site.artwork.strips import STRIPS

CELL = 120
"""Side of one cell in SVG units; a border is half as high."""
HALF = CELL // 2
_COVER = (6 * CELL, 4 * CELL)
"""Width and height of a card cover: 3 to 2."""

_PINWHEEL = {(0, 0): 180, (1, 0): 270, (0, 1): 90, (1, 1): 0}
"""Turns that bring the corner of four neighbours to their common point."""


@dataclass(frozen=True)
class Spot:
    """One cell: a motif of the vocabulary, its rotation, and whether it is on a coloured square."""

    word: int
    turn: int = 0
    block: bool = False
    mirrored: bool = False


_UPRIGHT = 2
"""The word of a vocabulary that is never turned: suns and shields are upright."""

Plan = Callable[[random.Random, int, int], dict[tuple[int, int], Spot]]


def checks(rng: random.Random, columns: int, rows: int) -> dict[tuple[int, int], Spot]:
    """A chequered cloth: one motif on every other cell, a few others between."""
    spots = {}
    for row in range(rows):
        for column in range(columns):
            if (column + row) % 2 == 0:
                spots[column, row] = Spot(0, 90 * (column % 4), block=row % 2 == 0)
            elif rng.random() < 0.45:
                spots[column, row] = Spot(1 + rng.randrange(2))
    return spots


def lines(rng: random.Random, columns: int, rows: int) -> dict[tuple[int, int], Spot]:
    """Rows of cloth, each with its own motif, one of them with gaps."""
    gap = rng.randrange(rows)
    return {
        (column, row): Spot(row % 3, 180 * ((column + row) % 2), block=row % 3 == 1)
        for row in range(rows)
        for column in range(columns)
        if row != gap or column % 2 == 0
    }


def pinwheels(rng: random.Random, columns: int, rows: int) -> dict[tuple[int, int], Spot]:
    """Four neighbours turned around their corner, so that arcs close to circles and leaves to flowers."""
    spots = {}
    shift = rng.randrange(2)
    for row in range(rows):
        for column in range(columns):
            inward = _PINWHEEL[(column + shift) % 2, row % 2]
            square = (column + shift) // 2 + row // 2
            if square % 2 == 0:
                spots[column, row] = Spot(0, inward)
            elif rng.random() < 0.6:
                spots[column, row] = Spot(1 + rng.randrange(2), inward, block=rng.random() < 0.4)
    return spots


def mirror(rng: random.Random, columns: int, rows: int) -> dict[tuple[int, int], Spot]:
    """Left and right alike, as on a folded cloth."""
    spots = {}
    for row in range(rows):
        for column in range((columns + 1) // 2):
            if rng.random() < 0.2:
                continue
            turn, block = rng.choice((0, 90, 180, 270)), rng.random() < 0.3
            word = (row + column) % 3
            spots[column, row] = Spot(word, turn, block)
            spots[columns - 1 - column, row] = Spot(
                word, turn, block, mirrored=column != columns - 1 - column
            )
    return spots


def diagonals(rng: random.Random, columns: int, rows: int) -> dict[tuple[int, int], Spot]:
    """Stripes from corner to corner, the third one at rest."""
    lean = rng.choice((1, 2))
    return {
        (column, row): Spot(stripe, 90 * (row % 4), block=stripe == 1)
        for row in range(rows)
        for column in range(columns)
        if (stripe := (column + lean * row) % 3) < 2 or (column + row) % 4 == 0
    }


PLANS: dict[str, Plan] = {
    "checks": checks,
    "pinwheels": pinwheels,
    "mirror": mirror,
    "diagonals": diagonals,
    "lines": lines,
}


def favourite(seed: str, options: Sequence[str], used: Sequence[str] = ()) -> str:
    """Return the seed's choice of the options that are not used; of all if every option is used."""
    free = [option for option in options if option not in used] or list(options)
    return make_random(f"{seed} chooses").choice(free)


def scheme_of(seed: str) -> Scheme:
    """The colours that follow from a seed."""
    return make_random(f"{seed} colours").choice(SCHEMES)


def _vocabulary(rng: random.Random, plan: str) -> list[Motif]:
    """Three motifs: one that joins with its neighbours, one surface, one single motif."""
    lead = ["quarter", "leaf", "triangle"] if plan == "pinwheels" else list(JOINING)
    return [
        JOINING[rng.choice(lead)],
        TEXTURES[rng.choice(list(TEXTURES))],
        SINGLE[rng.choice(list(SINGLE))],
    ]


def _lead_places(columns: int, rows: int, rng: random.Random) -> list[tuple[int, int]]:
    """Upper left cells of the leading figures: at most one per window of 4 by 4 cells, at least one in all."""
    places: list[tuple[int, int]] = []
    for top in range(0, rows - 1, 4):
        for left in range(0, columns - 1, 4):
            room = min(3, columns - 1 - left), min(3, rows - 1 - top)
            place = left + rng.randrange(room[0]), top + rng.randrange(room[1])
            if rng.random() < 0.7 or not places:
                places.append(place)
    return places


def _field(
    rng: random.Random, sheet: Sheet, scheme: Scheme, plan: str, box: tuple[int, int, int, int]
) -> None:
    """Fill columns by rows of cells from x, y with one rhythm around the leading figures."""
    left, top, columns, rows = box
    spots = PLANS[plan](rng, columns, rows)
    words = _vocabulary(rng, plan)
    figures = rng.sample(list(CENTREPIECES), len(CENTREPIECES))
    for figure, (column, row) in zip(figures, _lead_places(columns, rows, rng), strict=False):
        covered = [(column + dx, row + dy) for dx in (0, 1) for dy in (0, 1)]
        for cell in covered:
            spots.pop(cell, None)
        x, y = left + (column + 1) * CELL, top + (row + 1) * CELL
        sheet.place(CENTREPIECES[figure](scheme), x, y, _turn_of(figure, column, row))
    for (column, row), spot in spots.items():
        x, y = left + column * CELL + HALF, top + row * CELL + HALF
        motif = words[spot.word]
        drawn = draw_on_block(motif, scheme) if spot.block else motif(scheme)
        turn = spot.turn if spot.word != _UPRIGHT else 0
        sheet.place(drawn, x, y, turn, mirrored=spot.mirrored)


def _turn_of(figure: str, column: int, row: int) -> int:
    """Return the rotation: arcs may face any side; suns, shields and flowers are upright."""
    return 90 * ((column + row) % 4) if figure == "rainbow" else 0


def draw_on_block(motif: Motif, scheme: Scheme) -> str:
    """A small motif on a square of the depth colour."""
    # One unit larger than its cell, so that no hairline shows between two squares.
    return rect(-HALF, -HALF, CELL + 1, CELL + 1, scheme.depth) + motif(scheme.on_block)


def border(rng: random.Random, scheme: Scheme, length: int) -> str:
    """One border of that length, on its own background."""
    strip = STRIPS[rng.choice(list(STRIPS))]
    colours = rng.choice((scheme, scheme.on_block))
    return rect(0, 0, length, HALF, colours.background) + strip(colours, length // HALF)


def _frame(rng: random.Random, scheme: Scheme) -> tuple[str, tuple[int, int, int, int]]:
    """Borders of a cover, and the box that they leave: x, y, columns, rows."""
    width, height = _COVER
    kind = rng.choice(("open", "hem", "hems", "sash"))
    if kind == "open":
        return "", (0, 0, 6, 4)
    if kind == "hem":
        upper, lower = border(rng, scheme, width), border(rng, scheme, width)
        return (
            group(f"translate(0 {height - CELL})", upper) + group(f"translate(0 {height - HALF})", lower),
            (0, 0, 6, 3),
        )
    if kind == "hems":
        hem = border(rng, scheme, width)
        return hem + group(f"translate(0 {height})scale(1 -1)", hem), (0, HALF, 6, 3)
    inner, outer = border(rng, scheme, height), border(rng, scheme, height)
    return (
        group(f"translate({CELL})rotate(90)", inner) + group(f"translate({HALF})rotate(90)", outer),
        (CELL, 0, 5, 4),
    )


def cover(slug: str, scheme: Scheme | None = None, plan: str | None = None) -> str:
    """The cover of a course, article, service or case: SVG, 720 by 480.

    The slug alone decides; a caller that shows several covers side by side may choose colours and plan.
    """
    rng = make_random(slug)
    colours, rhythm = scheme or scheme_of(slug), plan or favourite(slug, list(PLANS))
    width, height = _COVER
    sheet = Sheet(slug)
    borders, box = _frame(rng, colours)
    _field(rng, sheet, colours, rhythm, box)
    return document(width, height, rect(0, 0, width, height, colours.background) + sheet.markup() + borders)


def _phrase(rng: random.Random, scheme: Scheme) -> list[tuple[str, int]]:
    """A run of cells that reads the same from both sides, to be repeated along an edge: markup and turn."""
    lead, surface, single = _vocabulary(rng, "checks")
    cells = {
        "s": single(scheme),
        "S": draw_on_block(single, scheme),
        "j": lead(scheme),
        "T": draw_on_block(surface, scheme),
        "t": surface(scheme),
    }
    pattern = rng.choice(("SjjttjjS", "sjjTTjjs", "tjjSSjjt", "Tjjtstjj", "jjtSStjj"))
    joined = count(step=90)
    return [(cells[letter], next(joined) if letter == "j" else 0) for letter in pattern]


PHRASE = 8
"""Cells of one phrase: a band of a multiple of this many columns repeats without a seam."""


def band(seed: str, columns: int, rows: int = 1, scheme: Scheme | None = None) -> str:
    """A band for edges, heads and empty states: SVG of 120 by 120 cells.

    One row is a phrase that repeats along the edge; more rows are a field like that of a cover.
    """
    rng = make_random(seed)
    colours = scheme or scheme_of(seed)
    if rows > 1:
        return document(columns * CELL, rows * CELL, cloth(seed, colours, columns, rows))
    sheet, phrase = Sheet(seed), _phrase(rng, colours)
    for column in range(columns):
        markup, turn = phrase[column % PHRASE]
        sheet.place(markup, column * CELL + HALF, HALF, turn)
    background = rect(0, 0, columns * CELL, CELL, colours.background)
    return document(columns * CELL, CELL, background + sheet.markup())


def cloth(seed: str, scheme: Scheme, columns: int, rows: int) -> str:
    """Markup of a field without a document, for pictures that hold more than the pattern."""
    sheet = Sheet(seed)
    background = rect(0, 0, columns * CELL, rows * CELL, scheme.background)
    _field(make_random(seed), sheet, scheme, favourite(seed, list(PLANS)), (0, 0, columns, rows))
    return background + sheet.markup()
