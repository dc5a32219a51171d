"""A green tin and a sand carton of Kericho Leaf with a six-leaf flower, a glass of tea, loose leaf."""

import math
import random

from PIL import Image, ImageDraw

from agency_site.brand import INK, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import glass, glowing, liquid, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.shapes import backdrop, box, copies, group, lathe, mesh, place, sheet

FOREST = "#12513E"
RADIUS, TALL = 0.041, 0.150


def _draw_leaf(
    draw: ImageDraw.ImageDraw, x: float, y: float, long: float, turn: float, colour: str, vein: str
) -> None:
    """Draw one leaf from its foot; `turn` is clockwise from upright, in radians."""

    def spot(along: float, wide: float) -> tuple[float, float]:
        u, v = wide * long, along * long
        return x + u * math.cos(turn) + v * math.sin(turn), y + u * math.sin(turn) - v * math.cos(turn)

    steps = [i / 24 for i in range(25)]
    bulge = [0.25 * math.sin(math.pi * t**0.85) for t in steps]
    edge = [spot(t, b) for t, b in zip(steps, bulge, strict=True)]
    draw.polygon(edge + [spot(t, -b) for t, b in zip(steps, bulge, strict=True)][::-1], fill=colour)
    draw.line([spot(0.12, 0), spot(0.86, 0)], fill=vein, width=round(long * 0.03))
    for t in (0.3, 0.48, 0.66):
        for side in (-1, 1):
            draw.line([spot(t, 0), spot(t + 0.12, side * 0.13)], fill=vein, width=round(long * 0.022))


def _draw_flower(
    draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colours: tuple[str, str], vein: str
) -> None:
    for i in range(6):
        turn = math.tau * i / 6
        foot = 0.07 * size
        at = x + foot * math.sin(turn), y - foot * math.cos(turn)
        _draw_leaf(draw, *at, size * 0.93, turn, colours[i % 2], vein)


def _draw_tin() -> Image.Image:
    image, draw = canvas(2600, 1400, LEAF)
    draw.rectangle((0, 1150, 2600, 1400), fill=MARIGOLD)
    for i in range(27):
        _draw_leaf(draw, i * 100 - 10, 1385, 220, 0, FOREST if i % 2 else SAND, MARIGOLD)
    for x in (0, 1300, 2600):
        _draw_flower(draw, x, 360, 265, (MARIGOLD, SAND), LEAF)
        write(draw, (x, 770), "Kericho", 186, PAPER, 800, DISPLAY)
        write(draw, (x, 925), "Leaf", 186, PAPER, 800, DISPLAY)
        write(draw, (x, 1068), "Picked at dawn", 74, MARIGOLD, 700)
    return image


def _draw_front() -> Image.Image:
    image, draw = canvas(1200, 1560, SAND)
    _draw_flower(draw, 600, 520, 420, (LEAF, MARIGOLD), SAND)
    draw.rectangle((0, 1010, 1200, 1560), fill=MARIGOLD)
    write(draw, (600, 1170), "Kericho Leaf", 150, INK, 800, DISPLAY)
    write(draw, (600, 1330), "Picked at dawn", 90, FOREST, 700)
    return image


def _draw_side() -> Image.Image:
    image, draw = canvas(700, 1560, LEAF)
    for row in range(9):
        for i in range(-1, 5):
            x, turn = 90 + 175 * i + 88 * (row % 2), math.pi / 6 * (1 if row % 2 else -1)
            _draw_leaf(draw, x, 190 + 175 * row, 160, turn, MARIGOLD if (row + i) % 3 else SAND, LEAF)
    return image


def _tin() -> None:
    brass = metal("#C79A4B", 0.3, (1, 1, 40), 60)
    body = lathe(
        [(0, 0), (RADIUS - 0.001, 0), (RADIUS + 0.0008, 0.001), (RADIUS + 0.0008, 0.003),
         (RADIUS - 0.0006, 0.004), (RADIUS - 0.0006, TALL), (0, TALL)],
        brass, radius=0.0008,
    )  # fmt: skip
    around = sheet(
        math.tau * RADIUS,
        TALL - 0.008,
        paper(_draw_tin(), 0.36, 0.05),
        (120, 6),
        lambda x, y: (RADIUS * math.sin(x / RADIUS), -RADIUS * math.cos(x / RADIUS), y + TALL / 2),
    )
    r = RADIUS + 0.0016
    lid = lathe(
        [(r, 0.146, 0.0004), (r + 0.0006, 0.1465), (r + 0.0006, 0.148), (r, 0.1485), (r, 0.170, 0.004),
         (r - 0.005, 0.1715), (r - 0.007, 0.1695), (0, 0.1695)],
        brass, radius=0.001,
    )  # fmt: skip
    group([body, around, lid], (0.066, 0.02, 0.008), (0, 0, -7))


def _carton() -> None:
    wide, deep, tall = 0.104, 0.062, 0.135
    body = box((wide, deep, tall), paint("#E9DCC6", 0.6, 0.75, 20, 0.0002), (0, 0, tall / 2), 0.0009)
    front = sheet(
        wide - 0.001, tall - 0.001, paper(_draw_front(), 0.55, 0.06), at=(0, -deep / 2 - 0.0003, tall / 2)
    )
    side = sheet(
        deep - 0.001, tall - 0.001, paper(_draw_side(), 0.55, 0.06), at=(wide / 2 + 0.0003, 0, tall / 2)
    )
    front.rotation_euler.x = math.pi / 2
    place(side, side.location, (90, 0, 90))
    flap = box((wide * 0.9, deep * 0.5, 0.0006), paint(SAND), (0, -deep * 0.2, tall + 0.0004), 0.0002)
    group([body, front, side, flap], (-0.040, 0.085, 0.008), (0, 0, -21))


def _tea(at: tuple[float, float, float]) -> None:
    outer = [(0, 0.001), (0.022, 0), (0.026, 0.003, 0.003), (0.034, 0.086, 0.001)]
    inner = [(0.0325, 0.0865, 0.0006), (0.0248, 0.009, 0.004), (0, 0.008)]
    lathe(outer + inner, glass("#F6FBF8"), at)
    lathe(
        [(0, 0.0078), (0.0249, 0.0088, 0.004), (0.0316, 0.0735, 0.0005), (0.030, 0.0728), (0, 0.0727)],
        liquid("#F3BC00", 72, 1.36),
        at,
    )
    glow = place(sheet(0.075, 0.10, glowing("#FFD9A0", 1.8)), (at[0] - 0.005, at[1] + 0.06, 0.06), (82, 0, 0))
    glow.visible_camera = glow.visible_shadow = glow.visible_diffuse = glow.visible_glossy = False


def _loose_leaf() -> None:
    flake = mesh(
        "flake",
        [
            (-0.5, 0, 0),
            (-0.2, 0.11, 0.06),
            (0.2, 0.08, -0.03),
            (0.5, 0.01, 0.1),
            (0.2, -0.09, 0.1),
            (-0.2, -0.1, 0.1),
        ],
        [(0, 1, 5), (1, 2, 4, 5), (2, 3, 4)],
        paint("#24170F", 0.45, 0.7, 300, 0.0002, 0.5),
    )
    places = []
    for _ in range(1100):
        x, y = random.gauss(0, 1), random.gauss(0, 1)
        pile = 0.011 * math.exp(-(x * x + y * y) / 1.1) * random.random()
        spot = (0.012 + 0.027 * x, -0.078 + 0.015 * y, 0.0092 + pile)
        turn = (random.gauss(0, 0.5), random.gauss(0, 0.5), random.uniform(0, math.tau))
        places.append((spot, turn, random.uniform(0.004, 0.0085)))
    copies(flake, places)


def build() -> None:
    """Set the table by the window."""
    start(0.22, view="Filmic", look="High Contrast", bounces=8)
    air("#C4CEC6", 0.16)
    backdrop(plaster("#7F8A6B", 2.2, 0.002, 0.12), 4, 0.5, 1.2, 0.2, 0.75).location.z = -0.012
    sheet(2.4, 1.0, wood("#3A2415", "#6A4326", "#8A5C36", 0.4, 0.5), at=(0, -0.1, -0.004))
    slate = paint("#343838", 0.4, 0.7, 10, 0.0016, 0.3)
    box((0.35, 0.235, 0.011), slate, (-0.008, 0.0, 0.0025), 0.002, (0, 0, 5))
    _carton()
    _tin()
    _tea((-0.126, -0.03, 0.0082))
    _loose_leaf()
    softbox((-0.62, 0.16, 0.42), (0, 0.02, 0.07), 0.34, 0.5, 24, "#FFF0DC")
    softbox((0.55, -0.4, 0.4), (0, 0, 0.06), 0.4, 0.5, 1.6, "#FFEEDD")
    softbox((-0.35, -0.45, 0.28), (0.06, 0.02, 0.08), 0.08, 0.4, 1.4, "#F4F8FF")
    lamp(
        "SPOT",
        (-0.8, -0.1, 0.8),
        (-0.22, 0.75, 0.26),
        22,
        "#FFE2BC",
        spot_size=0.6,
        spot_blend=1.0,
        shadow_soft_size=0.02,
    )
    camera((0.05, -0.74, 0.215), (-0.012, 0.01, 0.073), 75, 4.5, (0.05, -0.02, 0.08))
