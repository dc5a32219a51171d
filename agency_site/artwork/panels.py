"""The art panels of the hero: the band language at its largest, 720 by 960.

The leading figure is in the middle, so that it survives when a phone crops the panel to a wide strip.
"""

import random
from collections.abc import Callable

from agency_site.artwork.centrepieces import CENTREPIECES, rays, round_about
from agency_site.artwork.drawing import Sheet, disc, document, dots, group, make_random, path, rect
from agency_site.artwork.motifs import JOINING, MOTIFS, SINGLE
from agency_site.artwork.palette import LAKESIDE, SUNRISE, Scheme
from agency_site.artwork.pattern import CELL, HALF, border, draw_on_block

_WIDTH, _HEIGHT = 6 * CELL, 8 * CELL


def _row(
    sheet: Sheet, markup: str, y: int, turns: tuple[int, ...], columns: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
) -> None:
    """The same symbol in some columns of a row whose upper edge is y."""
    for index, column in enumerate(columns):
        sheet.place(markup, column * CELL + HALF, y + HALF, turns[index % len(turns)])


def _rising_sun(rng: random.Random, sheet: Sheet, scheme: Scheme) -> str:
    """A great sun over rows of cloth that lie like hills."""
    horizon = 5 * CELL
    _row(sheet, JOINING["quarter"](scheme), 0, (90, 180), (0, 5))
    _row(sheet, MOTIFS["seeds"](scheme), 0, (0,), (1, 4))
    _row(sheet, SINGLE["korosho"](scheme), 0, (0,), (2, 3))
    _row(sheet, JOINING["leaf"](scheme), CELL, (90, 0), (0, 5))
    _row(sheet, draw_on_block(JOINING["triangle"], scheme), horizon + HALF, (0, 90))
    _row(sheet, MOTIFS["scallops"](scheme), horizon + 4 * HALF, (0,))
    sun = (
        group(f"translate(360 {horizon})", path(rays(11, 256, 350, 30, 0), scheme.main))
        + path(f"M130 {horizon}a230 230 0 0 1 460 0z", scheme.depth)
        + dots([(x + 360, y + horizon) for x, y in round_about(36, 206, 1 / 72) if y < 0], 13, scheme.main)
        + path(f"M180 {horizon}a180 180 0 0 1 360 0z", scheme.accent)
        + path(f"M250 {horizon}a110 110 0 0 1 220 0z", scheme.main)
        + path(f"M300 {horizon}a60 60 0 0 1 120 0z", scheme.ground)
    )
    hem = border(rng, scheme, _WIDTH)
    sheet.place(hem, 0, horizon)
    sheet.place(hem, 0, horizon + 3 * HALF)
    return sun


def _great_collar(rng: random.Random, sheet: Sheet, scheme: Scheme) -> str:
    """A beaded collar between two rows of cloth."""
    _row(sheet, JOINING["leaf"](scheme), 0, (90, 0))
    _row(sheet, JOINING["leaf"](scheme), _HEIGHT - CELL, (0, 90))
    middle = _HEIGHT // 2
    hem = border(rng, scheme, _WIDTH)
    corner = MOTIFS["seeds"](scheme)
    _row(sheet, corner, CELL + HALF, (0,), (0, 5))
    _row(sheet, corner, _HEIGHT - 2 * CELL - HALF, (0,), (0, 5))
    rings = (
        (292, scheme.main),
        (240, scheme.accent),
        (222, scheme.ground),
        (170, scheme.depth),
        (126, scheme.main),
    )
    collar = "".join(disc(0, 0, radius, fill) for radius, fill in rings)
    collar += dots(round_about(32, 266), 15, scheme.depth) + dots(round_about(24, 196), 13, scheme.main)
    collar += dots(round_about(18, 148), 10, scheme.accent)
    star = CENTREPIECES["star"](Scheme("", scheme.main, scheme.depth, scheme.main, scheme.accent))
    upper, lower = group(f"translate(0 {CELL})", hem), group(f"translate(0 {_HEIGHT - CELL})scale(1 -1)", hem)
    return group(f"translate(360 {middle})", collar + star) + upper + lower


Panel = Callable[[random.Random, Sheet, Scheme], str]

PANELS: dict[str, tuple[Panel, Scheme]] = {
    "rising-sun": (_rising_sun, SUNRISE),
    "great-collar": (_great_collar, LAKESIDE),
}


def hero_panel(seed: str, panel: str = "rising-sun", scheme: Scheme | None = None) -> str:
    """The art of one hero slide: SVG, 720 by 960. The seed chooses the borders, the caller the figure."""
    draw, own = PANELS[panel]
    colours = scheme or own
    sheet = Sheet(seed)
    figure = draw(make_random(seed), sheet, colours)
    return document(_WIDTH, _HEIGHT, rect(0, 0, _WIDTH, _HEIGHT, colours.ground) + sheet.markup() + figure)
