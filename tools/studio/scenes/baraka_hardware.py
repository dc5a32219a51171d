"""A phone with a yellow price list leans on a paint tin, between bolts, nails and a printed quotation."""

import math
import random
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import WHITE, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, status_bar, triangles, write
from tools.studio.props import phone, tin
from tools.studio.shapes import Place, box, copies, group, lathe, sheet, wall

_YELLOW = "#F7C032"
_PRICES = (
    ("Nails, 3 inch", "1 kg", "KSh 180"),
    ("Cement", "50 kg", "KSh 750"),
    ("Iron sheet", "3 m", "KSh 1,150"),
    ("Gloss paint", "4 l", "KSh 2,400"),
)


def build() -> None:
    """Set the scene."""
    start(0.5, bounces=6)
    air("#A9B8C4", 0.1)
    box((1.6, 0.62, 0.03), wood("#26150B", "#5B351B", "#7F5430", 0.3, 0.42), (0, -0.03, -0.015), 0.004)
    phone(_draw_screen(), (0.012, 0.0, 0.0745), (-13, 0, 9))
    place_tin(0.05, 0.132, LAKE, (0.001, 0.069, 0))
    place_tin(0.047, 0.105, BRAND, (0.128, 0.082, 0))
    _set_slip((0.118, -0.01, 0.0004), (0, 0, -8))
    _set_bolts((-0.083, 0.012, 0))
    _set_nails((-0.128, 0.118, 0))
    _set_rule((-0.165, -0.098), (24, -19, 8))
    _set_shelf()

    softbox((-0.62, -0.2, 0.42), (0.0, 0, 0.06), 0.26, 0.34, 17, "#FFDDB0")
    softbox((0.55, 0.3, 0.45), (0.02, 0.03, 0.08), 0.1, 0.4, 6, "#FFC98E")
    side = softbox((0.8, -0.2, 0.34), (0.04, 0, 0.06), 0.4, 0.4, 3.4, "#FFF0E0")
    side.visible_glossy = side.visible_transmission = False
    lamp("SPOT", (-0.55, 0.2, 0.75), (0.12, 0.62, 0.12), 18, "#FFD9A6", spot_size=1.0, spot_blend=1.0)
    camera((-0.035, -0.73, 0.185), (-0.004, 0.0, 0.083), 80, 4.0, focus=(0.01, -0.005, 0.08))


def place_tin(radius: float, height: float, colour: str, at: Place) -> None:
    """Set a tin whose handle hangs at its back."""
    tin(radius, height, colour, at).rotation_euler.z = math.radians(165)


def _set_slip(at: Place, turn: Place) -> None:
    rise, radius = math.radians(80), 0.03

    def bend(x: float, y: float) -> tuple[float, float, float]:
        s = y + 0.065 - 0.02
        curl = 0.0012 * math.sin(x * 60 + y * 30)
        if s < 0:
            return x, s, 0.0004 + abs(curl) * 0.6
        a = min(s / radius, rise)
        rest = max(0.0, s - radius * rise)
        return (
            x,
            radius * math.sin(a) + rest * math.cos(rise),
            radius * (1 - math.cos(a)) + rest * math.sin(rise) + curl,
        )

    sheet(0.088, 0.130, paper(_draw_slip(), 0.8, 0.1), (16, 60), bend, thick=0.00015, at=at, turn=turn)


def _set_bolts(at: Place) -> None:
    steel, can = metal("#C9C2B4", 0.3, (1, 1, 4), 60), metal("#BDA98A", 0.34, (1, 1, 30), 20)
    head = lathe(
        [(0, 0), (0.0058, 0), (0.0062, 0.001), (0.0062, 0.0042), (0, 0.0044)], steel, radius=0.0003, turns=6
    )
    head.data.polygons.foreach_set("use_smooth", [False] * len(head.data.polygons))
    ridges = [(r, -0.001 - 0.0011 * i - h) for i in range(20) for r, h in ((0.0033, 0.0), (0.0027, 0.0005))]
    shaft = lathe([(0, 0), (0.003, 0), *ridges, (0, -0.0236)], steel, radius=0.0001, turns=20)
    lathe(
        [(0, 0), (0.043, 0), (0.043, 0.012), (0.0418, 0.014), (0.0418, 0.036), (0.043, 0.038), (0.043, 0.05),
         (0.0415, 0.05), (0.041, 0.044), (0, 0.045)],
        can, at, 0.0008,
    )  # fmt: skip
    spots: list[tuple[Place, Place, float]] = []
    for i in range(64):
        a, r = random.uniform(0, math.tau), 0.027 * math.sqrt(random.random())
        z = at[2] + 0.0505 + 0.016 * (i / 64) * (1.25 - r / 0.027)
        turn = (random.uniform(0.9, 2.2), random.uniform(-0.5, 0.5), random.uniform(0, math.tau))
        spots.append(((at[0] + r * math.cos(a), at[1] + r * math.sin(a), z), turn, 1.0))
    loose = ((-0.045, -0.069, 0.5), (-0.012, -0.082, 2.3), (0.055, -0.044, 4.0), (-0.128, -0.045, 1.2))
    for x, y, spin in loose:
        spots.append(((x, y, 0.0056), (math.pi / 2 - 0.12, 0, spin), 1.0))
    for x, y in ((0.079, -0.05), (-0.1, -0.102)):
        spots.append(((x, y, 0.0044), (math.pi, 0, x * 40), 1.0))
    copies(head, spots)
    copies(shaft, spots)


def _set_nails(at: Place) -> None:
    steel = metal("#B9B3A8", 0.32, (1, 1, 4), 60)
    nail = lathe(
        [(0, -0.085), (0.0016, -0.08), (0.0016, -0.001), (0.0042, 0), (0.0042, 0.0012), (0, 0.0012)], steel,
        radius=0.0003, turns=16,
    )  # fmt: skip
    lathe(
        [(0, 0), (0.036, 0), (0.036, 0.085), (0.0375, 0.0855), (0.0375, 0.087), (0.035, 0.087), (0.035, 0.05),
         (0, 0.05)],
        paint(LEAF, 0.35, 0.5, 12, 0.0006, 0.25), at, 0.0008,
    )  # fmt: skip
    spots: list[tuple[Place, Place, float]] = []
    for _ in range(60):
        a, r = random.uniform(0, math.tau), 0.031 * math.sqrt(random.random())
        out = r * 5
        turn = (-math.sin(a) * out, math.cos(a) * out, 0)
        x, y = at[0] + r * 1.15 * math.cos(a), at[1] + r * 1.15 * math.sin(a)
        spots.append(((x, y, at[2] + 0.108 + random.gauss(0, 0.007)), turn, 1.0))
    copies(nail, spots)


def _set_rule(start_at: tuple[float, float], angles: tuple[float, ...]) -> None:
    image, draw = canvas(2000, 190, MARIGOLD)
    for i in range(1, 100):
        tick = i * 20
        draw.line((tick, 0, tick, 34 if i % 5 else 66), fill=INK, width=4)
        if i % 10 == 0:
            write(draw, (tick, 120), str(i // 10), 84, BRAND if i == 50 else INK, 700)
    top, edge, brass = paper(image, 0.5), paint("#C98A22", 0.5, 0.7), metal("#C79A4B", 0.3)
    x, y = start_at
    for i, angle in enumerate(angles):
        a, z = math.radians(angle), 0.0036 * (i % 2)
        half = 0.07
        parts: list[Any] = [
            box((0.156, 0.0156, 0.0034), edge, (half, 0, 0.0017), 0.0006),
            sheet(0.1545, 0.0144, top, at=(half, 0, 0.0035)),
            lathe(
                [(0, 0.0036), (0.0042, 0.0036), (0.0036, 0.0046), (0, 0.0048)],
                brass,
                (2 * half, 0, 0),
                0.0005,
                32,
            ),
        ]
        group(parts, (x, y, z), (0, 0, angle))
        x, y = x + 2 * half * math.cos(a), y + 2 * half * math.sin(a)


def _set_shelf() -> None:
    board = wood("#2A1A10", "#6B452A", "#8F6842", 0.4, 0.6)
    wall(4, 3, plaster("#2F6472", 2.5, 0.003, 0.25), 0.86, z=-1.4)
    colours = (MARIGOLD, WHITE, BRAND, LEAF, LAKE, "#D9763A", DEEP)
    for level, z in enumerate((-0.15, 0.085, 0.32)):
        box((2.4, 0.22, 0.018), board, (0, 0.66, z - 0.009), 0.003)
        x = -0.62 + 0.05 * level
        while x < 0.62:
            radius = random.choice((0.05, 0.06, 0.066))
            x += radius + random.choice((0.006, 0.01, 0.03))
            place_tin(
                radius, radius * 2.35, random.choice(colours), (x, 0.63 + random.uniform(-0.01, 0.02), z)
            )
            x += radius
    for x in (-0.3, 0.36):
        box((1.6, 0.02, 0.03), board, (x, 0.765, 0), 0.003, (0, 90, 0))


def _draw_screen() -> Image.Image:
    image, draw = canvas(900, 1900, _YELLOW)
    status_bar(draw, 900, INK)
    write(draw, (68, 225), "Baraka Hardware", 86, DEEP, 800, DISPLAY, "lm")
    write(draw, (66, 390), "From nail", 158, INK, 800, DISPLAY, "lm")
    write(draw, (66, 545), "to roof", 158, INK, 800, DISPLAY, "lm")
    triangles(draw, 0, 900, 660, 60, [PAPER])
    draw.rectangle((0, 720, 900, 1900), fill=PAPER)
    for i, (words, measure, price) in enumerate(_PRICES):
        y = 830 + i * 200
        write(draw, (70, y), words, 68, INK, 700, anchor="lm")
        write(draw, (70, y + 68), measure, 56, "#4A362B", 500, anchor="lm")
        write(draw, (830, y + 16), price, 68, DEEP, 800, DISPLAY, "rm")
        draw.line((70, y + 122, 830, y + 122), fill="#E4D5C8", width=4)
    draw.rounded_rectangle((60, 1640, 840, 1790), 75, BRAND)
    write(draw, (450, 1713), "Ask for a quotation", 66, PAPER, 700)
    draw.rounded_rectangle((310, 1846, 590, 1858), 6, INK)
    return image


def _draw_slip() -> Image.Image:
    image, draw = canvas(1040, 1540, "#F6EFE2")
    draw.rectangle((0, 0, 1040, 230), fill=_YELLOW)
    write(draw, (70, 115), "Baraka Hardware", 104, INK, 800, DISPLAY, "lm")
    write(draw, (70, 330), "Quotation", 92, BRAND, 800, DISPLAY, "lm")
    write(draw, (970, 335), "No. 214", 66, INK, 600, anchor="rm")
    for i, (words, price) in enumerate(
        (("Iron sheets, 12", "13,800"), ("Nails, 4 kg", "720"), ("Paint, 4 l", "2,400"))
    ):
        write(draw, (70, 490 + i * 120), words, 68, INK, 500, anchor="lm")
        write(draw, (970, 490 + i * 120), price, 68, INK, 600, anchor="rm")
    draw.line((70, 830, 970, 830), fill=INK, width=6)
    write(draw, (70, 920), "Total", 84, INK, 800, anchor="lm")
    write(draw, (970, 920), "KSh 16,920", 92, INK, 800, DISPLAY, "rm")
    write(draw, (70, 1090), "Good until Friday", 60, "#5A463B", 500, anchor="lm")
    triangles(draw, 0, 1040, 1440, 100, [_YELLOW])
    return image
