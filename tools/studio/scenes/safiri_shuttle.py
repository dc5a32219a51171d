"""A phone on a shuttle's dashboard at dusk shows a seat plan; dials glow, the road's lights are blurred."""

import math
import random
from itertools import pairwise
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, PAPER
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import glowing, material, metal, paint, plain, screen
from tools.studio.printing import DISPLAY, canvas, status_bar, triangles, write
from tools.studio.props import BEADS, bead_row, phone
from tools.studio.shapes import Place, box, copies, group, lathe, mesh, place, sheet, slab, tube, wall

TAKEN = {1, 2, 3, 5, 8, 10, 11}
SEAT = 7
YELLOW = "#EE9410"
"""Deeper than it will look: a lit screen pales."""


def _draw_seat(draw: Any, x: float, y: float, number: int) -> None:
    fill, ink = (
        (BRAND, PAPER) if number == SEAT else ("#A8660C", "#F4D9A4") if number in TAKEN else (PAPER, INK)
    )
    draw.rounded_rectangle((x - 78, y - 70, x + 78, y + 70), 34, fill=fill)
    draw.rounded_rectangle((x - 60, y + 52, x + 60, y + 84), 16, fill=fill)
    write(draw, (x, y), str(number), 74, ink, 800)


def _draw_screen() -> Image.Image:
    width = 900
    image, draw = canvas(width, 1900, YELLOW)
    status_bar(draw, width, INK)
    write(draw, (width / 2, 230), "Safiri Shuttle", 118, INK, 800, DISPLAY)
    write(draw, (width / 2, 352), "Nairobi to Nakuru", 74, INK, 700)
    triangles(draw, 0, width, 430, 75, [DEEP, BRAND], down=True)
    draw.rounded_rectangle((120, 560, width - 120, 1450), 90, outline=INK, width=12)
    draw.line((210, 640, width - 210, 640), fill=INK, width=12)
    number = 0
    for row in range(4):
        for x in (245, 450, 655):
            if row == 0 and x == 655:
                draw.ellipse((x - 70, 690, x + 70, 830), outline=INK, width=14)
                draw.ellipse((x - 18, 742, x + 18, 778), fill=INK)
                continue
            number += 1
            _draw_seat(draw, x, 760 + row * 190, number)
    draw.rounded_rectangle((50, 1540, width - 50, 1790), 70, fill=INK)
    write(draw, (width / 2, 1665), "Seat 7, KSh 800", 96, PAPER, 800, DISPLAY)
    draw.rounded_rectangle((width / 2 - 140, 1850, width / 2 + 140, 1862), 6, fill=INK)
    return image


def _draw_dial(top: int, step: int, unit: str, value: float) -> Image.Image:
    image, draw = canvas(900, 900, "#0A0807")
    for i in range(41):
        angle = math.radians(135 + 270 * i / 40)
        inner = 330 if i % 5 == 0 else 365
        line = [(450 + r * math.cos(angle), 450 + r * math.sin(angle)) for r in (inner, 400)]
        draw.line(line, fill="#FFD9A0" if i < 33 else "#E8402A", width=14 if i % 5 == 0 else 6)
    for i in range(top // step + 1):
        angle = math.radians(135 + 270 * i * step / top)
        spot = (450 + 265 * math.cos(angle), 450 + 265 * math.sin(angle))
        write(draw, spot, str(i * step), 64, "#FFD9A0", 700)
    write(draw, (450, 640), unit, 54, "#C99A5E", 600)
    angle = math.radians(135 + 270 * value / top)
    tip = (450 + 350 * math.cos(angle), 450 + 350 * math.sin(angle))
    draw.line([(450, 450), tip], fill="#FF5A36", width=20)
    draw.ellipse((395, 395, 505, 505), fill="#1C1512")
    return image


def _dial(image: Image.Image, at: Place, size: float) -> Any:
    """Return a dial in a ring; it faces the camera."""
    ring = lathe(
        [(0.94, -0.02), (1.0, 0.05, 0.02), (1.09, 0.05, 0.02), (1.12, -0.02)],
        metal("#8E867C", 0.25, (1, 1, 1)), radius=0.02, turns=96,
    )  # fmt: skip
    place(ring, turn=(90, 0, 0))
    made = group([ring, slab(2.0, 2.0, 0.01, 0.99, screen(image, 1.5), 0.001)], at)
    made.scale = (size,) * 3
    return made


def _dials(at: Place, turn: Place) -> None:
    """Set two dials on a pod with a brow that keeps the light off them. The shuttle waits at its stage."""
    shell = paint("#1C1716", 0.35, 0.55, 40, 0.0003)
    brow = [(-0.108, -0.036, -0.05), (-0.112, -0.04, 0.03), (-0.09, -0.046, 0.062), (0, -0.048, 0.068),
            (0.09, -0.046, 0.062), (0.112, -0.04, 0.03), (0.108, -0.036, -0.05)]  # fmt: skip
    parts = [
        slab(0.222, 0.125, 0.06, 0.055, shell, 0.006),
        tube(brow, 0.007, shell),
        _dial(_draw_dial(160, 20, "km/h", 0), (-0.053, -0.032, 0), 0.0455),
        _dial(_draw_dial(8, 1, "x 1000", 0.8), (0.053, -0.032, 0), 0.0455),
    ]
    group(parts, at, turn)


def _lights() -> None:
    """Light the road: lamps along it, tail lights on the left, headlights on the right."""
    spots: dict[str, list[tuple[float, float, float]]] = {
        "#FFA84A": [(side * 3.1, 11.0 + 3.6 * i, 1.75) for i in range(6) for side in (-1, 1)],
        "#FF2E1C": [
            (random.uniform(-2.6, -0.5), random.uniform(9, 28), random.uniform(-0.6, -0.2)) for _ in range(12)
        ],
        "#FFE3B8": [
            (random.uniform(0.9, 4.2), random.uniform(9, 28), random.uniform(-0.6, -0.1)) for _ in range(13)
        ],
        "#6FB7FF": [(random.uniform(-8, 8), 27.0, random.uniform(0.1, 1.2)) for _ in range(6)],
        "#FFC36B": [(random.uniform(-9, 9), 29.0, random.uniform(0.1, 1.0)) for _ in range(16)],
    }
    for colour, places in spots.items():
        ball = lathe([(0, -1), (0.8, -0.6), (1, 0), (0.8, 0.6), (0, 1)], glowing(colour, 13), turns=12)
        copies(ball, [(spot, (0, 0, 0), spot[1] * random.uniform(0.0035, 0.006)) for spot in places])


def _sky() -> None:
    """Hang the evening sky and a line of hills far behind."""
    image, draw = canvas(16, 400, INK)
    stops = (
        (0, (18, 26, 52)), (160, (52, 56, 98)), (270, (150, 88, 92)),
        (350, (232, 134, 74)), (399, (255, 176, 92)),
    )  # fmt: skip
    for (low, one), (high, two) in pairwise(stops):
        for y in range(low, high + 1):
            share = (y - low) / (high - low)
            mixed = tuple(round(a + (b - a) * share) for a, b in zip(one, two, strict=True))
            draw.line((0, y, 16, y), fill=mixed)
    wall(60, 7, screen(image, 0.5), 34, z=0.2)
    ridge = [(x / 2 - 20, 32, 0.9 + 0.55 * math.sin(x * 0.31) + 0.25 * math.sin(x * 0.83)) for x in range(81)]
    foot = [(x, y, -3) for x, y, _ in ridge]
    faces = [(i, i + 1, 82 + i, 81 + i) for i in range(80)]
    mesh("hills", [*foot, *ridge], faces, plain("#0B0E1A", Roughness=1.0))
    sheet(60, 40, plain("#121117", Roughness=0.7), at=(0, 21, -1.2))


def _dashboard() -> None:
    """Bend the dashboard: a shelf under the windscreen, a soft edge and a face towards the driver."""

    def bend(x: float, s: float) -> tuple[float, float, float]:
        t = s + 0.3
        if t < 0.2:
            return x, -0.1 - 0.02 * t / 0.2, -0.2 + t
        if t < 0.263:
            a = (t - 0.2) / 0.04
            return x, -0.08 - 0.04 * math.cos(a), 0.04 * math.sin(a)
        return x, -0.08 + t - 0.263, 0.04 + 0.05 * (t - 0.263)

    sheet(1.8, 0.9, paint("#2A2220", 0.45, 0.65, 60, 0.0006, 0.15), (1, 120), bend)


def build() -> None:
    """Set the scene."""
    start(0.55, bounces=6)
    air("#5468A0", 0.1)
    _sky()
    _lights()
    _dashboard()
    _dials((-0.102, -0.1, 0.033), (-12, 0, 12))

    at, turn = (0.055, -0.13, 0.122), (-10, 0, -9)
    phone(_draw_screen(), at, turn)
    black = paint("#141110", 0.3, 0.5, 40, 0.0002)
    jaws = [box((0.012, 0.02, 0.045), black, (side * 0.0425, 0.002, -0.012), 0.004) for side in (-1, 1)]
    back = slab(0.07, 0.07, 0.008, 0.016, black, 0.002, at=(0, 0.0095, -0.01))
    group([*jaws, back, box((0.05, 0.02, 0.008), black, (0, 0.0, -0.079), 0.003)], at, turn)
    tube(
        [(0.058, -0.118, 0.11), (0.06, -0.09, 0.09), (0.062, -0.06, 0.07), (0.064, -0.04, 0.04)], 0.008, black
    )
    lathe(
        [(0, 0), (0.035, 0), (0.032, 0.008), (0.014, 0.016), (0, 0.016)], black, (0.064, -0.03, 0.041), 0.003
    )

    x, y = 0.168, 0.03
    slab(0.2, 0.055, 0.022, 0.024, black, 0.004, at=(x - 0.01, y, 0.292), turn=(6, 0, -6))
    bead_row((x, y, 0.27), (x, y, 0.222), ("red", "red", "gold", "ink", "white", "ink", "gold"), size=1.3)
    gold = paint(BEADS["gold"], 0.3, 0.5)
    drop = lathe([(0, -0.004), (0.023, -0.004, 0.002), (0.023, 0.004, 0.002), (0, 0.004)], gold)
    place(drop, (x, y, 0.199), (90, 0, 12))
    star = lathe(
        [(0, -0.0052), (0.013, -0.0052, 0.001), (0.013, 0.0052, 0.001), (0, 0.0052)], paint(BRAND, 0.3, 0.5)
    )
    place(star, (x, y, 0.199), (90, 0, 12))
    for i, shift in enumerate((-0.018, -0.006, 0.006, 0.018)):
        colours = ("red", "white", "ink") if i % 2 else ("gold", "leaf", "ink")
        bead_row((x + shift * 0.7, y, 0.178), (x + shift, y + 0.003, 0.128), colours, size=1.2)

    pillar = material("pillar", Base_Color="#0D0B0B", Roughness=0.6)[0]
    box((0.05, 0.05, 1.4), pillar, (0.315, 0.3, 0.3), 0.01, (0, 12, 0))
    softbox((-0.5, -0.5, 0.7), (0.05, -0.1, 0.1), 0.3, 0.4, 13, "#9FB4E6")
    softbox((0.55, 0.3, 0.35), (0.06, -0.1, 0.1), 0.12, 0.4, 15, "#FFA65C")
    lamp("POINT", (-0.02, -0.3, -0.03), (0, 0, 0), 0.3, "#FFB866", shadow_soft_size=0.03)
    camera((-0.02, -0.7, 0.155), (0.0, -0.1, 0.12), 62, 2.8, focus=(0.055, -0.135, 0.12))
