"""A painted wall: Tamu Bakes, Mandazi from five, a quarter rainbow; before it three paper bags."""

import math
import random

from mathutils import noise
from PIL import Image, ImageDraw

from agency_site.brand import BRAND, DEEP, LAKE, MARIGOLD, SAND
from tools.studio.light import air, camera, start, sun
from tools.studio.materials import metal, paper, plaster, weathered, wood
from tools.studio.printing import DISPLAY, canvas, paint_letters, weather, write
from tools.studio.props import foliage
from tools.studio.shapes import box, mesh, place, sheet

ROSE = "#E8927A"
RAINBOW = (BRAND, MARIGOLD, SAND, LAKE)
SCALE = 820
WIDE, TALL, SILL = 4.2, 2.5, 0.78
"""The wall and the height of its dado, in metres; the drawing has SCALE dots a metre."""


def draw_rainbow(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, ground: str) -> None:
    """Draw a quarter rainbow that opens to the upper left of its centre."""
    for i, colour in enumerate((*RAINBOW, ground)):
        r = size * (1 - 0.185 * i)
        draw.pieslice((x - r, y - r, x + r, y + r), 180, 270, fill=colour)
    draw.line((x - size, y + 1, x + 1, y + 1, x + 1, y - size), fill=ground, width=7)


def _draw_wall() -> Image.Image:
    image, draw = canvas(round(WIDE * SCALE), round(TALL * SCALE), ROSE)

    def dots(x: float, z: float) -> tuple[float, float]:
        return (x + WIDE / 2) * SCALE, (TALL - z) * SCALE

    left, sill = dots(-2.1, SILL)
    right, foot = dots(2.1, 0)
    draw_rainbow(draw, *dots(1.20, SILL), 1.0 * SCALE, ROSE)
    draw.rectangle((left, sill, right, foot), fill=DEEP)
    draw.rectangle((left, sill, right, sill + 20), fill=SAND)
    paint_letters(draw, dots(-1.16, 1.475), "TAMU", 322, DEEP, shade="#F6D9B4", deep=16)
    paint_letters(draw, dots(-1.16, 1.165), "BAKES", 274, DEEP, shade="#F6D9B4", deep=16)
    paint_letters(draw, dots(-1.155, 0.92), "Mandazi from five", 106, LAKE, weight=700)
    return image


def _draw_bag() -> Image.Image:
    image, draw = canvas(1100, 1500, "#CDA574")
    rng = random.Random(3)
    for _ in range(900):
        x, y = rng.uniform(0, 1100), rng.uniform(0, 1500)
        tone = rng.choice(("#C2986A", "#D8B388", "#BA9060"))
        draw.line((x, y, x + rng.uniform(-14, 14), y + rng.uniform(-14, 14)), fill=tone, width=2)
    draw_rainbow(draw, 900, 960, 660, "#CDA574")
    write(draw, (238, 1090), "Tamu Bakes", 112, DEEP, 800, DISPLAY, "lm")
    write(draw, (240, 1205), "Mandazi from five", 70, DEEP, 700, anchor="lm")
    return image


def _bag(
    width: float, height: float, depth: float, at: tuple[float, float, float], turn: float, seed: float
) -> None:
    """Stand up an open paper bag: flat front, folded sides, a mouth cut in teeth."""
    across, up, fold = 40, 60, 12
    ring = [(-0.5 + i / across, -0.5) for i in range(across)] + [(0.5, -0.5 + k / fold) for k in range(fold)]
    ring += [(0.5 - i / across, 0.5) for i in range(across)] + [(-0.5, 0.5 - k / fold) for k in range(fold)]
    verts, uvs = [], []
    for j in range(up + 1):
        v = j / up
        thick = depth * (1 - 0.35 * v**1.5)
        for i, (u, s) in enumerate(ring):
            tuck = 0.3 * thick * (1 - 4 * s * s) * min(1.0, v * 1.6) if abs(u) == 0.5 else 0.0
            x, y, z = u * width - math.copysign(tuck, u), s * thick, v * height
            soft = noise.noise((x * 14, z * 12, seed + (3 if s > 0 else 0)))
            crease = max(0.0, 0.25 - abs(noise.noise((x * 9 - z * 6, z * 7, seed + 7))))
            tooth = 0.005 * (i % 2) if j == up else 0.0
            verts.append((x, y + (0.008 * soft + 0.022 * crease) * min(1.0, v * 4), z - tooth))
            uvs.append((u + 0.5, v))
    n = len(ring)
    faces = [
        (j * n + i, j * n + (i + 1) % n, (j + 1) * n + (i + 1) % n, (j + 1) * n + i)
        for j in range(up)
        for i in range(n)
    ]
    place(mesh("bag", verts, faces, paper(_draw_bag(), 0.75, 0.14), uvs), at, (0, 0, turn))


def _bench() -> None:
    plank = wood("#3B2314", "#7A5230", "#A0703F", 0.7, 0.65)
    for y in (-1.90, -1.745, -1.59):
        box((1.5, 0.15, 0.035), plank, (0.62, y, 0.84), 0.006)
    box((1.5, 0.03, 0.09), plank, (0.62, -1.965, 0.79), 0.005)
    for x in (0.0, 1.2):
        box((0.06, 0.36, 0.8), plank, (x, -1.745, 0.42), 0.006)


def build() -> None:
    """Set the wall and the bench."""
    start(0.2, bounces=6)
    air("#8FB4D8", 0.5)
    sheet(WIDE, TALL, weathered(weather(_draw_wall(), 3, chipped=0.8)), at=(0, 0, TALL / 2), turn=(90, 0, 0))
    sheet(9, 6, plaster("#8F5F42", 2.2, 0.02, 0.3), at=(0, -2.95, 0))
    iron = metal("#A9A39A", 0.4, (40, 1, 1), 3)
    sheet(
        5.6, 0.5, iron, (360, 6), lambda x, y: (x, y, 0.018 * math.sin(x * 82) + y * 0.28), at=(0, -0.2, 2.42)
    )
    _bench()
    _bag(0.205, 0.285, 0.11, (0.10, -1.79, 0.858), 8, 1)
    _bag(0.16, 0.215, 0.09, (0.295, -1.66, 0.858), -16, 5)
    _bag(0.205, 0.285, 0.11, (0.485, -1.77, 0.858), 19, 9)
    for at, number in (((-3.85, -2.7, 3.4), 260), ((-3.75, -2.7, 2.4), 240), ((-1.5, -2.7, 3.75), 130)):
        foliage(at, (0.26, 0.25, 0.26), number)
    sun((0.9, 1.0, -0.62), 7.0, "#FFD7A4", 0.7)
    camera((-0.14, -3.6, 1.36), (0.02, 0, 1.19), 50, 9.0, (0, -0.6, 1.2))
