"""A red and white lighthouse on a plan of squares at dusk; orange arrows lead past chess pieces to it."""

import math
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, LAKE, MARIGOLD
from tools.studio.cover import LOOK, SIZE, VIEW, arrow, cutout, frame, table
from tools.studio.light import air, lamp, softbox, start
from tools.studio.materials import WHITE, glowing, metal, paint, paper, plaster, wood
from tools.studio.printing import canvas
from tools.studio.shapes import Place, group, lathe, sheet, wall

_PATH = ((-0.115, 0.205, -70), (-0.09, 0.14, -62), (-0.038, 0.098, -12), (0.03, 0.108, 38))


def _draw_plan() -> Image.Image:
    image, draw = canvas(2000, 1600, "#F2E3CB")
    for row in range(8):
        for column in range(10):
            if (row + column) % 2:
                x, y = column * 200, row * 200
                draw.rectangle((x, y, x + 199, y + 199), fill="#C9A67B")
    for i in range(11):
        draw.line((i * 200, 0, i * 200, 1600), fill="#8A5A3A", width=5)
        draw.line((0, i * 200, 2000, i * 200), fill="#8A5A3A", width=5)
    return image


def _lighthouse(at: Place) -> None:
    x, y, z = at
    white, red, iron = (
        paint("#F4EBDD", 0.45, 0.6, 40),
        paint(BRAND, 0.35, 0.5, 40),
        paint("#1E1A1A", 0.35, 0.5),
    )
    lathe([(0, 0), (0.048, 0), (0.044, 0.012, 0.004), (0.031, 0.017), (0, 0.017)], plaster("#5A4A42", 30,
        0.004), at,
          0.004, wobble=0.12)  # fmt: skip
    edges = [0.0265 - 0.0105 * i / 5 for i in range(6)]
    for i in range(5):
        low, high = 0.015 + 0.022 * i, 0.015 + 0.022 * (i + 1)
        stripe = [(edges[i], low), (edges[i + 1], high)]
        lathe(stripe, white if i % 2 else red, at, 0.0002)
    lathe([(0, 0.125), (0.0215, 0.125), (0.0215, 0.1285), (0, 0.1285)], iron, at, 0.0008)
    lathe([(0, 0.1285), (0.0105, 0.1285), (0.0105, 0.147), (0, 0.147)], glowing("#FFB84A", 7), at, 0.0005)
    for i in range(8):
        a = math.tau * i / 8
        rib = (x + 0.0112 * math.cos(a), y + 0.0112 * math.sin(a), z + 0.1285)
        lathe([(0.0008, 0), (0.0008, 0.0185)], iron, rib, turns=8)
        post = (x + 0.0205 * math.cos(a), y + 0.0205 * math.sin(a), z + 0.1285)
        lathe([(0.0006, 0), (0.0006, 0.009)], iron, post, turns=8)
    lathe(
        [(0.0205, 0.1372), (0.0211, 0.1378), (0.0205, 0.1384), (0.0199, 0.1378), (0.0205, 0.1372)],
        iron,
        at,
        0.0002,
    )
    lathe([(0, 0.147), (0.0145, 0.147), (0.0135, 0.151), (0.006, 0.159, 0.004), (0.0015, 0.161), (0.001,
        0.168), (0, 0.168)],
          red, at, 0.001)  # fmt: skip
    lathe(
        [(0, 0.0), (0.0045, 0), (0.0045, 0.012), (0, 0.016)],
        paint(LAKE),
        (x - 0.012, y - 0.0225, z + 0.017),
        0.001,
    )


def _king(at: Place, material: Any, size: float = 1.0) -> None:
    profile = [(0, 0), (0.015, 0), (0.015, 0.004), (0.0105, 0.009), (0.006, 0.018, 0.006), (0.0052, 0.032,
        0.006),
               (0.0095, 0.036), (0.006, 0.038), (0.0088, 0.052), (0.006, 0.055), (0, 0.056)]  # fmt: skip
    lathe([(r * size, h * size) for r, h, *_ in profile], material, at, 0.0015 * size)
    ball = [(0, 0.055), (0.003, 0.056), (0.0036, 0.0595), (0.002, 0.063), (0, 0.0635)]
    lathe([(r * size, h * size) for r, h in ball], material, at, 0.0015 * size)


def _pawn(at: Place, material: Any) -> None:
    lathe([(0, 0), (0.0125, 0), (0.0125, 0.004), (0.0085, 0.008), (0.0042, 0.018, 0.005), (0.0042, 0.021),
        (0.0075, 0.0235),
           (0.0045, 0.0255), (0.0078, 0.031, 0.003), (0.0070, 0.037, 0.003), (0, 0.039)], material, at,
           0.0014)  # fmt: skip


def build() -> None:
    """Set the scene."""
    start(0.15, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#4A78A8", 0.2)
    table(wood("#1D1210", "#3A2218", "#54341F", 0.4, 0.5), z=-0.001)
    wall(4, 2, plaster("#1C5368", 2.5, 0.0015), 0.74)
    sheet(0.6, 0.48, paper(_draw_plan(), 0.7, 0.1), (30, 60),
          lambda x, y: (x, y, 0.0005 + max(0.0, y - 0.17) ** 2 * 4), at=(0.02, 0.29, 0))  # fmt: skip
    orange = paint("#D9481C", 0.5, 0.7, 30)
    for x, y, turn in _PATH:
        flat = cutout(arrow(0.058, 0.036), orange, 0.004, turn=(-90, 0, 0))
        group([flat], (x, y, 0.0008), (0, 0, turn))
    _lighthouse((0.085, 0.205, 0.0006))
    dark, light = (
        wood("#2A130B", "#4A2314", "#6A3A20", 0.04, 0.3),
        wood("#8A5A30", "#C8955A", "#E0B880", 0.04, 0.3),
    )
    _king((-0.118, 0.265, 0.0006), dark, 1.25)
    _pawn((0.135, 0.11, 0.0006), light)
    _pawn((-0.01, 0.20, 0.0006), paint(WHITE, 0.3, 0.45))
    _pawn((-0.035, 0.30, 0.0006), light)
    lathe(
        [(0, 0), (0.012, 0), (0.012, 0.002), (0, 0.002)],
        metal(MARIGOLD, 0.25),
        (-0.15, 0.09, 0.0006),
        0.0005,
    )
    softbox((-0.55, 0.25, 0.42), (0, 0.2, 0.03), 0.25, 0.3, 13, "#FFC98A")
    softbox((0.5, -0.5, 0.6), (0, 0, 0.1), 0.4, 0.4, 3.5, "#BFD6EA")
    lamp("SPOT", (0.07, 0.19, 0.138), (-0.10, 0.10, 0.0), 3.5, "#FFC46B", spot_size=math.radians(70),
        spot_blend=1.0,
         shadow_soft_size=0.008)  # fmt: skip
    lamp("SPOT", (0.3, 0.5, 0.3), (0.05, 0.74, 0.14), 5, "#FFD9A0", spot_size=math.radians(60),
        spot_blend=1.0,
         shadow_soft_size=0.02)  # fmt: skip
    frame(("rrrwwkkww", "wrrrwwkkw", "wwrrrwwkk"), rise=0.28, focus=0.2)
