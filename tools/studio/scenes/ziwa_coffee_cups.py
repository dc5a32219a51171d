"""Whose cup is it? Cups with drawings on a shelf, in front a hippo with the ribbon Cup of the week."""

import math
import random
from collections.abc import Callable
from itertools import pairwise

from mathutils import noise
from PIL import Image, ImageDraw

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start, sun, window_shadow
from tools.studio.materials import cloth, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, triangles, write
from tools.studio.shapes import Bend, box, card, group, lathe, place, sheet, tube

Line = list[tuple[float, float]]
WHITE_CARD = "#F4EFE6"
FOOT, MOUTH = 0.30, 0.43
"""Radii of a cup of the height 1."""


def _arc(x: float, y: float, a: float, b: float, start_at: float = 0, end_at: float = 360) -> Line:
    turns = [math.radians(start_at + (end_at - start_at) * i / 30) for i in range(31)]
    return [(x + a * math.cos(t), y + b * math.sin(t)) for t in turns]


def _fish(pen: Callable[[Line, str], None]) -> None:
    pen(_arc(470, 480, 210, 125), LAKE)
    pen([(670, 480), (820, 360), (790, 480), (820, 600), (670, 480)], LAKE)
    pen(_arc(355, 450, 16, 16), INK)
    for x in (450, 520, 590):
        pen(_arc(x - 40, 480, 44, 84, -60, 60), MARIGOLD)


def _boat(pen: Callable[[Line, str], None]) -> None:
    pen([(240, 600), (760, 600), (680, 710), (320, 710), (240, 600)], DEEP)
    pen([(480, 590), (480, 220), (730, 540), (480, 540)], BRAND)
    for y in (770, 820):
        pen([(200 + 20 * i, y + 18 * math.sin(i * 0.9)) for i in range(31)], LAKE)


def _hippo(pen: Callable[[Line, str], None]) -> None:
    outline: Line = [
        (150, 520), (150, 450), (190, 405), (270, 395), (315, 360), (325, 300), (365, 303), (378, 350),
        (440, 335), (560, 322), (700, 342), (800, 410), (832, 520), (820, 620), (815, 715), (725, 715),
        (715, 640), (580, 655), (485, 645), (478, 715), (388, 715), (380, 625), (280, 625), (190, 618),
        (150, 580), (150, 520),
    ]  # fmt: skip
    pen(outline, LAKE)
    pen(_arc(325, 430, 9, 9), INK)
    pen(_arc(192, 452, 5, 5), INK)
    pen([(150, 535), (235, 548), (310, 522)], LAKE)
    pen([(832, 470), (885, 490), (880, 540)], LAKE)
    for y in (775, 830):
        pen([(180 + 22 * i, y + 16 * math.sin(i * 0.9)) for i in range(31)], MARIGOLD)


def _sun(pen: Callable[[Line, str], None]) -> None:
    pen(_arc(500, 500, 130, 130), MARIGOLD)
    pen(_arc(500, 500, 90, 90), MARIGOLD)
    for i in range(12):
        cos, sin = math.cos(math.tau * i / 12), math.sin(math.tau * i / 12)
        pen([(500 + 165 * cos, 500 + 165 * sin), (500 + 270 * cos, 500 + 270 * sin)], BRAND)


def _zigzag(pen: Callable[[Line, str], None]) -> None:
    for row, colour in enumerate((BRAND, INK, LEAF, MARIGOLD)):
        pen([(120 + 76 * i, 310 + 130 * row + 80 * (i % 2)) for i in range(11)], colour)


def _spiral(pen: Callable[[Line, str], None]) -> None:
    pen([(500 + 2.35 * i * math.cos(i / 5), 500 + 2.35 * i * math.sin(i / 5)) for i in range(115)], BRAND)


def _house(pen: Callable[[Line, str], None]) -> None:
    pen([(300, 740), (300, 470), (700, 470), (700, 740), (300, 740)], INK)
    pen([(240, 480), (500, 270), (760, 480)], BRAND)
    pen([(450, 740), (450, 590), (560, 590), (560, 740)], LEAF)


def _flower(pen: Callable[[Line, str], None]) -> None:
    for i in range(6):
        a = math.tau * i / 6
        pen(_arc(500 + 120 * math.cos(a), 400 + 120 * math.sin(a), 66, 66), BRAND)
    pen(_arc(500, 400, 46, 46), MARIGOLD)
    pen([(500, 590), (520, 700), (505, 830)], LEAF)
    pen([(515, 720), (620, 640), (660, 690), (515, 740)], LEAF)


def _steam(pen: Callable[[Line, str], None]) -> None:
    pen([(320, 520), (360, 760), (600, 760), (640, 520), (320, 520)], DEEP)
    pen(_arc(650, 620, 80, 70, -80, 80), DEEP)
    for x in (400, 480, 560):
        pen([(x + 24 * math.sin(i * 0.7), 470 - 22 * i) for i in range(11)], MARIGOLD)


LETTERS: dict[str, tuple[Line, ...]] = {
    "A": ([(0, 1), (0.5, 0), (1, 1)], [(0.2, 0.62), (0.8, 0.62)]),
    "D": ([(0, 0), (0, 1), (0.6, 0.95), (1, 0.5), (0.6, 0.05), (0, 0)],),
    "E": ([(1, 0), (0, 0), (0, 1), (1, 1)], [(0, 0.5), (0.8, 0.5)]),
    "I": ([(0.5, 0), (0.5, 1)],),
    "N": ([(0, 1), (0, 0), (1, 1), (1, 0)],),
    "O": (_arc(0.5, 0.5, 0.5, 0.5),),
    "T": ([(0, 0), (1, 0)], [(0.5, 0), (0.5, 1)]),
}
"""How a hand with a marker writes, in a square of the size 1."""


MOTIFS = (
    _fish,
    _boat,
    "NADIA",
    _sun,
    _zigzag,
    _house,
    _hippo,
    _spiral,
    "OTIENO",
    _flower,
    _steam,
    "TITO",
)
"""What the customers drew, in the order of the numbers: a function, or a name to write."""
WINNER = 7


def _draw_cup(number: int) -> Image.Image:
    """Draw the front third of a cup as a customer did, with a marker that shakes."""
    image, draw = canvas(1000, 1100, WHITE_CARD)
    motif = MOTIFS[number - 1]
    if isinstance(motif, str):
        pitch = 660 / len(motif)
        for i, letter in enumerate(motif):
            x, drop = 190 + pitch * i, 26 * (i % 2)
            for line in LETTERS[letter]:
                spots = [(x + 0.7 * pitch * u, 400 + drop + 260 * v) for u, v in line]
                _stroke(draw, spots, (LEAF, BRAND, LAKE)[number // 3 % 3], number + i)
        _stroke(draw, [(230, 770), (500, 748), (770, 764)], MARIGOLD, number)
        return image
    grow, middle = (1.0, 415) if number == WINNER else (1.2, 530)

    def pen(line: Line, colour: str) -> None:
        spots = [(500 + (x - 500) * grow, middle + (y - 530) * grow) for x, y in line]
        _stroke(draw, spots, colour, number)

    motif(pen)
    return image


def _stroke(draw: ImageDraw.ImageDraw, line: Line, colour: str, seed: int) -> None:
    last = (0.0, 0.0)
    for k, ((ax, ay), (bx, by)) in enumerate(pairwise(line)):
        steps = max(2, int(math.hypot(bx - ax, by - ay) / 5))
        for i in range(steps + 1):
            x, y = ax + (bx - ax) * i / steps, ay + (by - ay) * i / steps
            x += 11 * noise.noise((x / 90, y / 90, seed))
            y += 11 * noise.noise((x / 90, y / 90, seed + 50))
            r = 19 + 5 * noise.noise((x / 40, y / 40, seed))
            draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)
            if i or k:
                draw.line((*last, x, y), fill=colour, width=round(2 * r))
            last = (x, y)


def _around(height: float, foot: float, top: float, span: float) -> Bend:
    """Return the bend of a band round a cup, from the share `foot` to `top` of its height."""

    def bend(x: float, y: float) -> tuple[float, float, float]:
        share = foot + (top - foot) * (y + 0.5)
        r = height * (FOOT + (MOUTH - FOOT) * share) + 0.0003
        return r * math.sin(x * span), -r * math.cos(x * span), share * height

    return bend


def _cup(number: int, height: float, at: tuple[float, float, float], turn: float = 0) -> None:
    h, white = height, paint(WHITE_CARD, 0.45, 0.6, 30, 0.0001, 0.04)
    body = lathe(
        [(0, 0.03 * h), (0.27 * h, 0.03 * h), (0.28 * h, 0), (FOOT * h, 0), (MOUTH * h, h),
         (0.445 * h, 1.005 * h), (0.448 * h, 1.02 * h), (0.435 * h, 1.03 * h), (0.415 * h, 1.015 * h),
         (0.28 * h, 0.06 * h), (0, 0.06 * h)],
        white, radius=0.004 * h, turns=72,
    )  # fmt: skip
    skin = sheet(1, 1, paper(_draw_cup(number), 0.55, 0.03), (40, 4), _around(h, 0.06, 0.96, 2.4))
    group([body, skin], at, (0, 0, turn))


def _draw_ribbon() -> Image.Image:
    image, draw = canvas(2000, 250, MARIGOLD)
    for y in (16, 226):
        draw.rectangle((0, y, 2000, y + 8), fill=DEEP)
    write(draw, (1000, 122), "Cup of the week", 150, DEEP, 800, DISPLAY)
    return image


def _ribbon(height: float, at: tuple[float, float, float], turn: float) -> None:
    """Tie a ribbon round the foot of the cup, its knot and two tails at the right."""
    silk = cloth(canvas(200, 200, MARIGOLD)[0], 0.04)
    band = sheet(
        1,
        1,
        cloth(_draw_ribbon(), 0.04, 300),
        (60, 2),
        _around(height + 0.002, 0.10, 0.29, 2.5),
        thick=0.0006,
    )
    rest = sheet(1, 1, silk, (60, 2), _around(height + 0.002, 0.10, 0.29, math.tau - 2.5), thick=0.0006)
    rest.rotation_euler.z = math.pi
    r = height * (FOOT + 0.03)
    spot = (r * math.sin(1.22), -r * math.cos(1.22), height * 0.2)
    parts = [band, rest, box((0.010, 0.010, 0.014), silk, spot, 0.004)]
    for side in (-1, 1):

        def tail(x: float, y: float, side: int = side) -> tuple[float, float, float]:
            down = 0.5 - y
            notch = 0.3 * abs(x) if y < -0.45 else 0.0
            return x * 0.016 + side * 0.014 * down, -0.006 * math.sin(down * 7), -0.026 * (down + notch)

        parts.append(
            sheet(1, 1, silk, (4, 20), tail, at=(spot[0] + 0.002, spot[1] - 0.006, spot[2]), turn=(0, 0, 30))
        )
        loop = [
            (
                spot[0] + side * 0.017 * math.sin(t) * 0.7,
                spot[1] - 0.004,
                spot[2] + 0.006 + 0.012 * math.sin(t / 2),
            )
            for t in (0.0, 0.8, 1.6, 2.4, 3.1)
        ]
        parts.append(tube([*loop, spot], 0.0026, silk))
    group(parts, at, (0, 0, turn))


def _draw_title() -> Image.Image:
    image, draw = canvas(2200, 300, PAPER)
    triangles(draw, 0, 2200, 250, 50, [BRAND, MARIGOLD, LAKE])
    write(draw, (1100, 125), "Whose cup is it?", 196, DEEP, 800, DISPLAY)
    return image


def _draw_number(number: int) -> Image.Image:
    image, draw = canvas(200, 140, MARIGOLD if number == WINNER else SAND)
    write(draw, (100, 68), str(number), 116, DEEP, 800, DISPLAY)
    return image


def build() -> None:
    """Hang the board, fill its shelves, set the counter."""
    start(0.5, bounces=6)
    air("#C4D3E0", 0.3)
    sheet(4, 3, plaster("#D8C8B2", 3, 0.004, 0.12), at=(0, 0.05, 1.0), turn=(90, 0, 0))
    box((0.80, 0.03, 0.62), paint("#2C7285", 0.5, 0.7, 6, 0.0006, 0.16), (0.0, 0.03, 0.285), 0.004)
    oak = wood("#5A3A20", "#A87A48", "#C99C66", 0.3, 0.55)
    card(0.42, 0.057, paper(_draw_title(), 0.6, 0.05), paint(PAPER), 0.002, at=(-0.14, 0.012, 0.515))
    rng = random.Random(4)
    for row, z in enumerate((0.365, 0.2, 0.035)):
        box((0.76, 0.10, 0.018), oak, (0, -0.035, z - 0.009), 0.003)
        for column in range(4):
            number, x = row * 4 + column + 1, -0.31 + 0.115 * column
            tag = sheet(0.024, 0.0165, paper(_draw_number(number), 0.6), at=(x, -0.0855, z - 0.009))
            place(tag, tag.location, (90, 0, 0))
            if number != WINNER:
                _cup(number, 0.105, (x + rng.uniform(-0.003, 0.003), -0.033, z), rng.uniform(-9, 9))
    spot = (0.135, -0.44, 0.14)
    lathe([(0, -0.3), (0.085, -0.3), (0.085, -0.001), (0, -0.001)], paint(MARIGOLD, 0.5, 0.65), spot, 0.004)
    _cup(WINNER, 0.18, spot, -6)
    _ribbon(0.18, spot, -6)
    sun((0.8, 0.75, -0.62), 4.6, "#FFE8C8", 1.4)
    window_shadow((-1.5, -1.55, 1.49), (0.02, -0.12, 0.30), 0.86, 0.8, columns=2, rows=2, bar=0.05)
    softbox((-0.95, -0.55, 0.6), (0, 0, 0.25), 0.6, 0.7, 7, "#F2F6FF")
    camera((0.04, -1.22, 0.35), (-0.02, 0, 0.288), 54, 9.0, (0.135, -0.49, 0.24))
