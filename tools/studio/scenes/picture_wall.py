"""A blue pin board with nine small prints and red thread; a brass magnifier enlarges the one with a jar."""

import math
import random
from collections.abc import Callable
from typing import Any

from PIL import Image, ImageDraw

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start, sun, window_shadow
from tools.studio.materials import glass, material, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, triangles, write
from tools.studio.shapes import box, group, lathe, place, sheet, tube, wall

WIDE, HIGH = 720, 600
Draw = ImageDraw.ImageDraw


def _rays(count: int, outer: float, inner: float, first: float = -90) -> list[tuple[float, float]]:
    """Return a star round the middle of a print."""
    angles = [math.radians(first + 180 * i / count) for i in range(2 * count)]
    radii = [(outer, inner)[i % 2] for i in range(2 * count)]
    return [
        (WIDE / 2 + r * math.cos(a), HIGH / 2 + r * math.sin(a)) for r, a in zip(radii, angles, strict=True)
    ]


def _pattern(draw: Draw) -> None:
    for row, colours in enumerate(
        ([BRAND, SAND], [LEAF, MARIGOLD], [SAND, LAKE], [BRAND, MARIGOLD], [LEAF, SAND])
    ):
        triangles(draw, 0, WIDE, 120 * row, 120, colours, down=row % 2 == 1)


def _jar(draw: Draw) -> None:
    draw.rounded_rectangle((225, 175, 495, 535), 48, SAND)
    draw.rounded_rectangle((240, 250, 480, 520), 36, "#D9791E")
    draw.rounded_rectangle((215, 95, 505, 190), 20, DEEP)
    draw.rectangle((225, 300, 495, 450), PAPER)
    write(draw, (360, 374), "Asali", 100, DEEP, 800, DISPLAY)


def _chart(draw: Draw) -> None:
    for i, (high, colour) in enumerate(
        ((130, LAKE), (210, LEAF), (180, MARIGOLD), (300, LEAF), (410, BRAND))
    ):
        draw.rounded_rectangle((95 + i * 112, 520 - high, 175 + i * 112, 520), 10, colour)
    draw.line((70, 526, 650, 526), INK, 12)


def _map(draw: Draw) -> None:
    draw.polygon([(0, 430), (250, 380), (420, 600), (0, 600)], LAKE)
    for line in (
        [(0, 160), (300, 210), (720, 90)],
        [(180, 0), (300, 210), (420, 600)],
        [(300, 210), (560, 420), (720, 400)],
    ):
        draw.line(line, PAPER, 34, joint="curve")
    draw.polygon([(424, 270), (576, 270), (500, 430)], BRAND)
    draw.ellipse((415, 150, 585, 320), BRAND)
    draw.ellipse((465, 200, 535, 270), PAPER)


def _hill(draw: Draw) -> None:
    draw.ellipse((430, 110, 590, 270), MARIGOLD)
    draw.polygon([(0, 430), (210, 220), (330, 330), (400, 290), (720, 480), (720, 600), (0, 600)], LEAF)
    draw.polygon([(0, 520), (330, 430), (720, 560), (720, 600), (0, 600)], "#124B39")


def _cup(draw: Draw) -> None:
    draw.ellipse((420, 220, 590, 400), outline=PAPER, width=40)
    draw.rounded_rectangle((170, 190, 480, 470), 90, PAPER)
    draw.rectangle((170, 190, 480, 300), PAPER)
    draw.rounded_rectangle((110, 480, 550, 522), 20, MARIGOLD)


def _star(draw: Draw) -> None:
    draw.polygon(_rays(8, 255, 120), MARIGOLD)
    draw.polygon(_rays(8, 150, 60), BRAND)


def _leaf(draw: Draw) -> None:
    for sign in (-1, 1):
        arc = [(360 + sign * 165 * math.sin(math.pi * t / 20) ** 0.8, 60 + 24 * t) for t in range(21)]
        draw.polygon(arc, LEAF if sign < 0 else "#2F9A74")
    for y in (200, 290, 380):
        draw.line([(250, y - 60), (360, y + 20), (470, y - 60)], SAND, 12, joint="curve")
    draw.line((360, 90, 360, 575), INK, 14)


def _sun(draw: Draw) -> None:
    draw.polygon(_rays(14, 265, 195), BRAND)
    draw.ellipse((190, 130, 530, 470), MARIGOLD)
    draw.ellipse((222, 162, 498, 438), BRAND)


PRINTS: tuple[tuple[Callable[[Draw], None], str, float, float, float], ...] = (
    (_hill, LAKE, -0.285, 0.435, 0.20),
    (_star, INK, -0.055, 0.445, 0.17),
    (_leaf, SAND, 0.165, 0.440, 0.18),
    (_cup, BRAND, -0.290, 0.262, 0.17),
    (_chart, "#F7EBD9", -0.070, 0.268, 0.20),
    (_sun, MARIGOLD, 0.165, 0.270, 0.17),
    (_pattern, DEEP, -0.275, 0.100, 0.19),
    (_map, "#9BC0A4", -0.055, 0.095, 0.18),
    (_jar, MARIGOLD, 0.160, 0.098, 0.18),
)
"""What is drawn, its ground, and the print's middle and width."""


def _print(draw_it: Callable[[Draw], None], ground: str) -> Any:
    inside, draw = canvas(WIDE, HIGH, ground)
    draw_it(draw)
    image = Image.new("RGB", (WIDE + 90, HIGH + 90), "#FBF5EA")
    image.paste(inside, (45, 45))
    return paper(image, 0.5, 0.1)


def _pin(at: tuple[float, float, float], colour: str) -> Any:
    body = [
        (0, 0.022),
        (0.0035, 0.021),
        (0.0048, 0.017),
        (0.0035, 0.012),
        (0.0028, 0.005),
        (0.0045, 0.002),
        (0, 0.001),
    ]
    head = paint(colour, 0.15, 0.3, Coat_Weight=0.4)
    return place(
        lathe(body, head, radius=0.001, turns=32),
        at,
        (90 + random.uniform(-14, 4), random.uniform(-12, 12), 0),
    )


def _magnifier(at: tuple[float, float, float], turn: float) -> None:
    """Set a lens of 11 cm on a stand; its faces are spherical, so that it enlarges what is behind it."""
    brass, sphere, rim = metal("#B98A3E", 0.25, (1, 1, 1), 40), 0.42, 0.056
    edge = [rim * i / 10 for i in range(11)]
    face = [(r, 0.001 + (math.sqrt(sphere**2 - r * r) - math.sqrt(sphere**2 - rim**2))) for r in edge]
    lens = lathe([(r, -z) for r, z in face] + face[::-1], glass("#F6FBFA"), radius=0.0)
    hoop = [(0.0545, -0.006), (0.060, -0.006), (0.062, 0), (0.060, 0.006), (0.0545, 0.006), (0.0545, -0.006)]
    ring = lathe(hoop, brass)
    eye = group([lens, ring], (0, 0, 0.115), (82, 0, 0))
    stem = tube([(0, 0, 0.006), (0, 0, 0.03, 0.8), (0, 0, 0.045, 0.8), (0, 0, 0.055)], 0.0045, brass)
    knob = lathe([(0, 0.026), (0.006, 0.027), (0.0085, 0.031), (0.006, 0.035), (0, 0.036)], brass)
    foot = lathe([(0, 0), (0.043, 0), (0.043, 0.005), (0.03, 0.010), (0.008, 0.014), (0, 0.016)], brass)
    group([eye, stem, knob, foot], at, (0, 0, turn))


def build() -> None:
    start(0.5, bounces=8)
    air("#BFD3E0", 0.2)
    felt = plaster("#1D6076", 60, 0.0006, 0.14)
    wall(3, 1.6, felt, 0, z=-0.3)
    box((3, 0.03, 0.024), wood("#3A2012", "#7A4C28", "#A9743F", 0.5), (0, -0.014, 0.010))
    sheet(3, 1.2, wood("#3B2010", "#7B4C29", "#A8733F", 0.6, 0.4), at=(0, -0.55, 0))

    pins = []
    for draw_it, ground, x, z, wide in PRINTS:
        high = wide * (HIGH + 90) / (WIDE + 90)
        left, right, tilt = random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(-3.2, 3.2)

        def curl(
            u: float, v: float, w: float = wide, h: float = high, a: float = left, b: float = right
        ) -> tuple[float, float, float]:
            down = 0.5 - v / h
            side = a * (0.5 - u / w) + b * (0.5 + u / w)
            return u, v, 0.002 + 0.016 * side * down**2.2 + 0.004 * (2 * u / w) ** 2 * (0.3 + down)

        sheet(
            wide,
            high,
            _print(draw_it, ground),
            (16, 16),
            curl,
            thick=0.0003,
            at=(x, -0.001, z),
            turn=(90, tilt, 0),
        )
        pins.append((x, -0.003, z + high * 0.44))
    for i, pin in enumerate(pins):
        _pin(pin, (BRAND, PAPER, MARIGOLD)[i % 3])
    thread = material("thread", Base_Color=BRAND, Roughness=0.9)[0]
    for a, b in ((0, 1), (1, 4), (4, 5), (4, 6)):
        (ax, _, az), (bx, _, bz) = pins[a], pins[b]
        tube(
            [(ax, -0.019, az), ((ax + bx) / 2, -0.021, (az + bz) / 2 - 0.008), (bx, -0.019, bz)],
            0.0009,
            thread,
        )

    _magnifier((0.175, -0.17, 0), 8)
    spool = paint("#C49A62", 0.4, 0.6)
    lathe(
        [
            (0, 0),
            (0.017, 0),
            (0.017, 0.004),
            (0.008, 0.006),
            (0.008, 0.036),
            (0.017, 0.038),
            (0.017, 0.042),
            (0, 0.042),
        ],
        spool,
        (-0.225, -0.15, 0),
        0.001,
    )
    lathe(
        [(0.008, 0.006), (0.0145, 0.0065), (0.0152, 0.02), (0.0145, 0.0355), (0.008, 0.036)],
        metal(BRAND, 0.6, (1, 1, 60), 60),
        (-0.225, -0.15, 0),
        0.001,
    )
    for x, y, turn, colour in (
        (-0.13, -0.19, 40, BRAND),
        (-0.095, -0.16, 200, MARIGOLD),
        (-0.06, -0.2, 290, PAPER),
    ):
        place(_pin((0, 0, 0), colour), (x, y, 0.0045), (90, 0, turn))

    sun((0.80, 0.62, -0.40), 7.5, "#FFDDB0", 1.2)
    window_shadow((-1.0, -0.75, 0.78), (0.0, 0.0, 0.26), 0.52, 0.62, columns=2, rows=2, bar=0.03)
    softbox((0.9, -0.9, 0.7), (0, 0, 0.25), 0.6, 0.6, 5, "#FFF0E0")
    camera((0.30, -1.45, 0.34), (-0.045, 0, 0.222), 69, 7.1, focus=(0.05, -0.01, 0.25))
