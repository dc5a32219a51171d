"""Colour swatches fanned out, a brass pen tool at the end of a curve, cut paper and a ruler, from above."""

import math
from itertools import pairwise
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD
from tools.studio.cover import LOOK, SIZE, VIEW, Outline, board, circle, cutout, frame, rounded
from tools.studio.light import air, softbox, start
from tools.studio.materials import metal, paint, paper, plaster
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.shapes import Place, box, group, lathe, tube

_SWATCHES = (
    (LAKE, "Ziwa"), ("#2F8A8A", "Bahari"), (LEAF, "Chai"), ("#9DB84B", "Ndizi"), (MARIGOLD, "Embe"),
    ("#E4702A", "Papai"),
    (BRAND, "Udongo"), ("#8C2A4A", "Zabibu"),
)  # fmt: skip
_BLUE = "#1E5FBF"


def _draw_swatch(colour: str, name: str) -> Image.Image:
    image, draw = canvas(320, 1240, "#FBF6EE")
    draw.rectangle((0, 0, 320, 880), fill=colour)
    write(draw, (160, 960), name, 74, INK, 800, DISPLAY)
    write(draw, (160, 1040), colour[1:], 46, "#6B5D53", 600)
    return image


def _swatch(colour: str, name: str, layer: int, turn: float) -> Any:
    """Return a card that turns round the rivet at its foot."""
    edge = [(x, z + 0.054) for x, z in rounded(0.032, 0.124, 0.004)]
    return cutout(
        edge,
        paper(_draw_swatch(colour, name), 0.5, 0.05),
        0.0009,
        at=(0, -0.0013 * layer, 0),
        turn=(0, turn, 0),
    )


def _draw_ruler() -> Image.Image:
    image, draw = canvas(3000, 260, "#C9C6C0")
    for i in range(291):
        x = 50 + i * 10
        draw.line(
            (x, 0, x, 92 if i % 10 == 0 else 66 if i % 5 == 0 else 44), fill=INK, width=3 if i % 10 else 5
        )
        if i % 10 == 0:
            write(draw, (x, 140), str(i // 10), 62, INK, 600)
    write(draw, (2740, 222), "cm", 48, INK, 600)
    return image


def _pen(at: Place, turn: float) -> Any:
    """Return the nib of the pen tool, its tip at `at`, pointing down before it is turned."""
    half = [(0.0, 0.0), (0.0035, 0.008), (0.0095, 0.020), (0.0150, 0.034), (0.0165, 0.041), (0.0120, 0.056)]
    nib: Outline = [*half, *[(-x, z) for x, z in half[:0:-1]]]
    brass, dark = metal("#CFA04A", 0.24, (1, 1, 1), 60), paint(INK, 0.4, 0.5)
    parts = [
        cutout(nib, brass, 0.005, bevel=0.0012),
        cutout([(x, z + 0.038) for x, z in circle(0.0042)], dark, 0.0004, at=(0, -0.005, 0)),
        box((0.0011, 0.0004, 0.032), dark, (0, -0.0051, 0.020), 0.0001),
        box((0.0290, 0.008, 0.012), paint(BRAND, 0.25, 0.4), (0, -0.003, 0.0635), 0.002),
        box((0.0250, 0.007, 0.007), paint(INK, 0.3, 0.45), (0, -0.003, 0.074), 0.002),
    ]
    return group(parts, at, (0, turn, 0))


def _curve() -> None:
    """Lay a curve of black wire with its nodes and handles."""
    y = -0.0022
    nodes = ((-0.142, -0.038), (-0.070, 0.050), (-0.008, -0.006))
    bows = (((-0.142, 0.020), (-0.112, 0.050)), ((-0.030, 0.050), (-0.008, 0.030)))
    points: list[Place] = []
    for (a, b), (p, q) in zip(pairwise(nodes), bows, strict=True):
        for i in range(17):
            t = i / 16
            k = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            points.append(tuple((k[0] * a[n] + k[1] * p[n] + k[2] * q[n] + k[3] * b[n]) for n in (0, 1)))
    tube([(x, y, z) for x, z in points], 0.0017, paint(INK, 0.25, 0.4))
    blue = paint(_BLUE, 0.3, 0.45)
    tube([(-0.112, y, 0.050), (-0.09, y, 0.050), (-0.05, y, 0.050), (-0.030, y, 0.050)], 0.0008, blue)
    tube([(-0.142, y, -0.038), (-0.142, y, -0.02), (-0.142, y, 0.0), (-0.142, y, 0.020)], 0.0008, blue)
    for x, z in ((-0.112, 0.050), (-0.030, 0.050), (-0.142, 0.020)):
        lathe([(0, -0.0032), (0.0032, 0), (0, 0.0032)], blue, (x, y, z), 0.0032, turns=32)
    white = paint("#FBF6EE", 0.3, 0.45)
    for x, z in nodes:
        box((0.0092, 0.0060, 0.0092), blue, (x, y, z), 0.0006)
        box((0.0064, 0.0064, 0.0064), white, (x, y - 0.0002, z), 0.0004)


def build() -> None:
    """Set the scene."""
    start(-0.1, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#D8D4CC", 0.25)
    board(plaster("#E2CFB0", 6, 0.0008, 0.1))
    card = {name: paint(name, 0.75, 0.9, 40) for name in (BRAND, "#E0932C", LEAF, LAKE, DEEP)}
    cutout([(x, z) for x, z in circle(0.046)], card["#E0932C"], 0.0016, at=(-0.068, 0.0036, 0.022))
    cutout(circle(0.034, 0, 180), card[BRAND], 0.0016, at=(-0.105, 0.002, -0.042), turn=(0, -18, 0))
    cutout([(0, 0), (0.052, 0), (0, 0.052)], card[LAKE], 0.0016, at=(-0.058, 0.0008, -0.046), turn=(0, -8, 0))
    leaf = [(0.036 * t - 0.018, side * 0.011 * math.sin(math.pi * t)) for side, ts in (
        (-1, [i / 20 for i in range(20)]), (1, [1 - i / 20 for i in range(20)])) for t in ts]  # fmt: skip
    cutout(leaf, card[LEAF], 0.0016, at=(-0.135, 0.0036, 0.075), turn=(0, -28, 0))
    cutout(leaf, card[DEEP], 0.0016, at=(0.01, 0.0036, 0.078), turn=(0, 20, 0))
    _curve()
    _pen((-0.006, 0.0005, -0.004), 205)
    fan = [_swatch(colour, name, i, -44 + 11 * i) for i, (colour, name) in enumerate(_SWATCHES)]
    rivet = lathe(
        [(0, -0.004), (0.0042, -0.004), (0.0042, 0), (0.003, 0.0016), (0, 0.0018)],
        metal("#D8B25A", 0.2),
        radius=0.001,
    )
    rivet.rotation_euler.x, rivet.location.y = math.pi / 2, -0.0105
    group([*fan, rivet], (0.078, 0.003, -0.046))
    face = paper(_draw_ruler(), 0.32, 0.05)
    face.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 0.75
    cutout(rounded(0.292, 0.0253, 0.003), face, 0.0012, at=(-0.018, 0.003, -0.082), turn=(0, -2.5, 0))
    softbox((-0.42, -0.24, 0.46), (0, 0, 0), 0.2, 0.2, 15, "#FFE0BA")
    softbox((0.5, -0.6, -0.2), (0, 0, 0), 0.5, 0.5, 3, "#E8EEF4")
    frame(("kkrrkkggkkllkkbb", "krwwrgwwgklwwlkb", "wwwwwwwwwwwwwwww"), flat=True, leather="#15100E")
