"""An upright tablet with a pink flower shop on a stall, roses in buckets and a bunch in brown paper."""

import math
import random
from typing import Any

from PIL import Image, ImageDraw

from agency_site.brand import DEEP, INK, LEAF, MARIGOLD, PAPER
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import cloth, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.props import foliage, tablet
from tools.studio.shapes import Place, box, copies, group, lathe, mesh, sheet, tube, wall

_PINK, _ROSE = "#F3B4BE", "#C8375A"
_COLOURS = {"rose": "#C4284E", "coral": "#D8452F", "cream": "#F0DDB8", "pink": "#E07A94"}
Spot = tuple[Place, Place, float]


def build() -> None:
    """Set the scene."""
    start(0.45, bounces=6)
    air("#C6D6E2", 0.22)
    heads: dict[str, list[Spot]] = {name: [] for name in _COLOURS}
    planks = [wood("#2E4A44", "#5B8478", "#86A898", 0.35 + 0.1 * i, 0.6) for i in range(3)]
    for i in range(6):
        box((2.6, 0.146, 0.03), planks[i % 3], (random.uniform(-0.2, 0.2), -0.5 + 0.148 * i, -0.015), 0.003)

    stand = wood("#5A3A22", "#9A6C42", "#BE9160", 0.2, 0.5)
    parts = [
        group([tablet(_draw_screen(), (0, 0, 0), (0, 90, 0))], (0, 0, 0.1325), (-12, 0, 0)),
        box((0.15, 0.115, 0.012), stand, (0, 0.013, 0.006), 0.002),
        box((0.15, 0.008, 0.026), stand, (0, -0.0385, 0.013), 0.002),
        box((0.05, 0.008, 0.145), stand, (0, 0.041, 0.075), 0.002, (26.6, 0, 0)),
    ]
    group(parts, (0.045, -0.02, 0), (0, 0, -10))
    box((3, 0.75, 0.03), stand, (0, 0.7, -0.075), 0.003)
    box((3, 0.3, 0.04), stand, (0, 0.7, -0.04), 0.003)
    for at, size, colour, name, number in (
        ((0.075, 0.135, 0.0), 0.6, "#B9B6AE", "pink", 22),
        ((-0.18, 0.40, -0.06), 0.95, "#2B6F86", "coral", 34),
        ((0.33, 0.42, -0.06), 0.95, "#E2A73A", "cream", 34),
        ((0.04, 0.64, -0.02), 1.0, "#B4423A", "rose", 34),
        ((-0.46, 0.68, -0.02), 1.0, "#D9D2C4", "pink", 30),
    ):
        _set_bucket(at, size, colour, heads[name], number)
    _set_bunch((-0.235, -0.055, 0.042), (0, 79.5, -24)).scale = (0.85,) * 3
    roses(heads)
    for i, (x, y, turn) in enumerate(
        ((0.215, -0.125, 1.2), (0.245, -0.075, 4.0), (-0.03, -0.19, 2.2), (0.17, -0.17, 5.2))
    ):
        _petal((x, y, 0.002), turn, ("#E07A94", "#C4284E")[i % 2])

    wall(5, 4, plaster("#2F6A66", 2.2, 0.003, 0.25), 1.5, z=-1.5)
    stripes, draw = canvas(1200, 300, "#F3E6D2")
    for x in range(0, 1200, 200):
        draw.rectangle((x, 0, x + 99, 300), fill="#C8475A")
    sheet(
        2.6,
        0.5,
        cloth(stripes),
        (100, 8),
        lambda x, y: (x, 0.02 * math.sin(x * 16), y),
        thick=0.001,
        at=(0, 1.15, 0.62),
    )

    sun((0.72, 0.42, -0.62), 6.5, "#FFE2B8", 1.2)
    foliage((-1.15, -0.62, 1.15), (0.32, 0.25, 0.22), 60, (0.1, 0.2))
    softbox((0.7, 0.2, 0.6), (0.05, 0.1, 0.1), 0.2, 0.5, 9, "#FFD7B0")
    softbox((-0.6, -0.8, 0.5), (0, 0, 0.08), 0.5, 0.5, 5, "#FFF4EA")
    camera((-0.06, -1.15, 0.225), (-0.022, 0.03, 0.137), 80, 4.0, focus=(0.04, -0.02, 0.12))


def roses(spots: dict[str, list[Spot]]) -> list[Any]:
    """Set roses, 5 cm wide, by the name of their colour; their stems are along Z."""
    made = []
    for name, places in spots.items():
        petal = paint(_COLOURS[name], 0.4, 0.6, 40, 0.0003, 0.3, Sheen_Weight=0.3)
        made += copies(_rose(petal), places)
    sepal = lathe(
        [(0, -0.012), (0.004, -0.01), (0.009, 0.0), (0.011, 0.006), (0, 0.004)],
        paint("#3D6B35"),
        radius=0.004,
    )
    return made + copies(sepal, [spot for places in spots.values() for spot in places])


def _rose(petal: Any) -> Any:
    verts: list[Place] = []
    faces: list[tuple[int, ...]] = []
    rings = ((0.0035, 0.030, 3, 0.0), (0.008, 0.032, 4, 0.05), (0.0135, 0.032, 5, 0.14),
             (0.019, 0.029, 5, 0.30), (0.023, 0.024, 6, 0.42))  # fmt: skip
    n = 7
    for ring, (radius, high, number, curl) in enumerate(rings):
        for i in range(number):
            middle = math.tau * (i / number + ring * 0.137) + random.uniform(-0.12, 0.12)
            half = math.pi / number * 1.5
            tall = high * random.uniform(0.93, 1.07)
            first = len(verts)
            for row in range(n + 1):
                v = row / n
                for column in range(n + 1):
                    u = column / n * 2 - 1
                    round_top = 1 - 0.32 * abs(u) ** 2.4
                    r = radius * (0.22 + 0.78 * math.sin(min(1.0, v * 1.5) * math.pi / 2))
                    r += curl * 0.05 * max(0.0, v - 0.5) ** 2 * 4 + 0.0014 * u
                    a = middle + half * u * (0.72 + 0.28 * math.sin(math.pi * min(1.0, v + 0.2)))
                    drop = 0.012 * curl * max(0.0, v - 0.7) * 3
                    verts.append((r * math.cos(a), r * math.sin(a), tall * v * round_top - drop))
            for row in range(n):
                for column in range(n):
                    k = first + row * (n + 1) + column
                    faces.append((k, k + 1, k + n + 2, k + n + 1))
    made = mesh("rose", verts, faces, petal)
    solid = made.modifiers.new("thick", "SOLIDIFY")
    solid.thickness = 0.0005
    return made


def _set_bucket(at: Place, size: float, colour: str, heads: list[Spot], number: int) -> None:
    s = size
    body = paint(colour, 0.35, 0.5, 14, 0.0005, 0.15) if s > 0.7 else metal("#B9B6AE", 0.34, (1, 1, 2), 9)
    lathe(
        [(0, 0), (0.085 * s, 0), (0.088 * s, 0.006), (0.105 * s, 0.14 * s), (0.107 * s, 0.145 * s),
         (0.122 * s, 0.25 * s), (0.128 * s, 0.252 * s), (0.128 * s, 0.26 * s), (0.119 * s, 0.26 * s),
         (0.1 * s, 0.1 * s), (0, 0.1 * s)],
        body, at, 0.003, 72,
    )  # fmt: skip
    stem = paint("#4C7A3C", 0.5, 0.7)
    for i in range(number):
        r = 0.128 * s * math.sqrt((i + 0.5) / number)
        a = i * 2.39996
        lean = 2.6 * r
        high = 0.25 * s + 0.115 - r * 0.45 + random.uniform(-0.014, 0.014)
        x, y = at[0] + 1.12 * r * math.cos(a), at[1] + 1.12 * r * math.sin(a)
        heads.append(
            ((x, y, at[2] + high), (-lean * math.sin(a), lean * math.cos(a), a), random.uniform(0.85, 1.12))
        )
        tube([(at[0] + r * 0.5 * math.cos(a), at[1] + r * 0.5 * math.sin(a), at[2] + 0.12 * s),
              (x, y, at[2] + high - 0.04), (x, y, at[2] + high)], 0.0022, stem)  # fmt: skip
    foliage(
        (at[0], at[1], at[2] + 0.26 * s + 0.035), (0.06 * s, 0.06 * s, 0.016), 46, (0.05, 0.08), "#3F7F3C"
    )


def _set_bunch(at: Place, turn: Place) -> Any:
    kraft = paper(Image.new("RGB", (64, 64), "#B4875A"), 0.85, 0.25)
    high, low = 0.27, 0.022

    def wrap(x: float, y: float) -> tuple[float, float, float]:
        v = y / high + 0.5
        a = x * math.tau * 1.12
        radius = low + 0.05 * v**1.2 + 0.004 * x + 0.0035 * v * math.sin(a * 5 + 2)
        rim = 0.02 * math.sin(a * 2 + 1) * v**3
        return radius * math.cos(a), radius * math.sin(a), y + rim

    parts: list[Any] = [sheet(1, high, kraft, (120, 40), wrap, thick=0.0004)]
    twine = [
        (0.0365 * math.cos(a / 6), 0.0365 * math.sin(a / 6), -0.075 + 0.0011 * a / 6) for a in range(120)
    ]
    parts.append(tube(twine, 0.0013, paint("#E8D8B8", 0.8, 0.9)))
    stem = paint("#4C7A3C", 0.5, 0.7)
    spots: list[Spot] = []
    for i in range(13):
        r, a = 0.064 * math.sqrt((i + 0.2) / 13), i * 2.39996
        spot = (
            r * math.cos(a),
            r * math.sin(a),
            high / 2 + 0.026 - 6 * r * r + random.uniform(-0.006, 0.006),
        )
        spots.append((spot, (-8 * r * math.sin(a), 8 * r * math.cos(a), a), random.uniform(0.74, 0.9)))
        foot = (0.25 * spot[0], 0.25 * spot[1], -0.19 - random.uniform(0, 0.02))
        parts.append(tube([spot, (0.2 * spot[0], 0.2 * spot[1], -0.08), foot], 0.002, stem))
    parts += roses({"rose": spots})
    return group(parts, at, turn)


def _petal(at: Place, turn: float, colour: str) -> Any:
    def cup(x: float, y: float) -> tuple[float, float, float]:
        wide = math.sqrt(max(0.0, 1 - (y / 0.014) ** 2))
        return x * wide, y, 9 * (x * x + y * y)

    made = sheet(0.024, 0.027, paint(colour, 0.4, 0.6), (10, 12), cup, thick=0.0004, at=at)
    made.rotation_euler.z = turn
    return made


def _draw_flower(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, petal: str, middle: str) -> None:
    for i in range(8):
        a = math.tau * i / 8
        px, py, r = x + 0.62 * size * math.cos(a), y + 0.62 * size * math.sin(a), 0.38 * size
        draw.ellipse((px - r, py - r, px + r, py + r), fill=petal)
    draw.ellipse((x - 0.36 * size, y - 0.36 * size, x + 0.36 * size, y + 0.36 * size), fill=middle)


def _draw_screen() -> Image.Image:
    image, draw = canvas(1120, 1600, _PINK)
    write(draw, (80, 118), "Maua Market", 104, DEEP, 800, DISPLAY, "lm")
    _draw_flower(draw, 1000, 108, 54, _ROSE, MARIGOLD)
    _draw_flower(draw, 560, 480, 270, _ROSE, MARIGOLD)
    for x, y, size, petal in (
        (180, 330, 80, PAPER),
        (930, 640, 96, PAPER),
        (900, 290, 60, "#E2607E"),
        (210, 680, 56, "#E2607E"),
    ):
        _draw_flower(draw, x, y, size, petal, LEAF if petal == PAPER else MARIGOLD)
    for i, words in enumerate(("Roses cut", "this morning")):
        write(draw, (76, 915 + i * 150), words, 146, INK, 800, DISPLAY, "lm")
    write(draw, (80, 1225), "Bunch of 20, KSh 450", 86, DEEP, 700, anchor="lm")
    draw.rounded_rectangle((80, 1330, 1040, 1490), 80, _ROSE)
    write(draw, (560, 1408), "Send a bunch", 80, PAPER, 800)
    return image.rotate(90, expand=True)
