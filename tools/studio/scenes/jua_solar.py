"""A yellow kit box of Jua Solar, a lit lamp, a panel and a card, Paid by the sun, on a table at dusk."""

import math
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, INK, LAKE, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import glowing, metal, paint, paper, plain, screen, wood
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.shapes import box, card, group, lathe, place, sheet, slab, tube

YELLOW = "#F7C41C"
WIDE, DEEP, TALL = 0.25, 0.15, 0.185


def _draw_sunrise(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, sun: str, water: str) -> None:
    """Draw half a sun with rays on the line `y`, and below it the reflection in strips that grow shorter."""
    r = size * 0.44
    draw.pieslice((x - r, y - r, x + r, y + r), 180, 360, fill=sun)
    for i in range(9):
        turn = math.pi * (i + 0.5) / 9
        ray = [
            (x + length * size * math.cos(turn + side), y - length * size * math.sin(turn + side))
            for length, side in ((0.56, -0.06), (1.0, -0.055), (1.0, 0.055), (0.56, 0.06))
        ]
        draw.polygon(ray, fill=sun)
    for i in range(5):
        top = y + size * (0.07 + 0.13 * i)
        half = size * (0.98, 0.74, 0.56, 0.40, 0.22)[i]
        draw.rounded_rectangle((x - half, top, x + half, top + size * 0.065), size * 0.032, water)


def _draw_front(*, stamp: bool) -> Image.Image:
    """Draw the front of the box; the stamp is the same drawing as black and white heights."""
    ground, mark = ("#FFFFFF", "#000000") if stamp else (YELLOW, LAKE)
    image, draw = canvas(1500, 870, ground)
    _draw_sunrise(draw, 750, 430, 345, mark, mark)
    write(draw, (750, 760), "Jua Solar", 186, mark, 800, DISPLAY)
    return image.filter(ImageFilter.GaussianBlur(4)) if stamp else image


def _draw_card() -> Image.Image:
    image, draw = canvas(1072, 680, PAPER)
    draw.rectangle((0, 0, 1072, 450), fill=BRAND)
    _draw_sunrise(draw, 780, 262, 210, MARIGOLD, SAND)
    write(draw, (66, 110), "Jua Solar", 96, PAPER, 800, DISPLAY, "lm")
    write(draw, (66, 565), "Paid by the sun", 120, INK, 800, DISPLAY, "lm")
    return image


def _draw_cells() -> Image.Image:
    image, draw = canvas(1200, 900, "#0B1A33")
    for row in range(3):
        for column in range(4):
            x, y = 300 * column, 300 * row
            draw.rounded_rectangle((x + 8, y + 8, x + 292, y + 292), 26, "#14305C")
            for i in range(1, 12):
                draw.line((x + 8, y + 25 * i, x + 292, y + 25 * i), fill="#23457A", width=2)
            for i in (100, 200):
                draw.line((x + i, y + 8, x + i, y + 292), fill="#A9B4C4", width=6)
    return image


def _draw_dusk() -> Image.Image:
    image, draw = canvas(1200, 800, "#000000")
    stops = (
        (0.0, (10, 22, 52)),
        (0.45, (24, 52, 98)),
        (0.66, (84, 92, 124)),
        (0.76, (206, 132, 92)),
        (1.0, (220, 120, 60)),
    )
    for y in range(800):
        t = y / 799
        for (low, one), (high, two) in pairwise(stops):
            if low <= t <= high:
                share = (t - low) / (high - low)
                tone = tuple(round(a + (b - a) * share) for a, b in zip(one, two, strict=True))
                draw.line((0, y, 1200, y), fill=tone)
    hills = [(x, 620 - 20 * math.sin(x / 110) - 11 * math.sin(x / 47 + 1)) for x in range(0, 1201, 10)]
    draw.polygon([*hills, (1200, 800), (0, 800)], fill="#0A1220")
    for x, foot, size in ((385, 625, 0.32), (815, 620, 0.5), (872, 625, 0.3)):
        draw.line((x, foot, x + 30 * size, foot - 110 * size), fill="#0A1220", width=round(16 * size))
        for shift, rise, wide in ((-60, 118, 90), (50, 132, 110), (10, 158, 80)):
            px, py = x + shift * size, foot - rise * size
            draw.ellipse((px - wide * size, py - 20 * size, px + wide * size, py + 20 * size), fill="#0A1220")
    return image.filter(ImageFilter.GaussianBlur(3))


def _box() -> None:
    shell = paint(YELLOW, 0.32, 0.5, 12, 0.0005, 0.14, Coat_Weight=0.2)
    steel = metal("#B8B2A8", 0.3)
    heights = _draw_front(stamp=True).convert("L").resize((300, 174)).tobytes()

    def press(x: float, y: float) -> tuple[float, float, float]:
        u, v = (x / (WIDE - 0.012) + 0.5) * 299, (0.5 - y / 0.138) * 173
        return x, y, -0.0016 * (1 - heights[round(v) * 300 + round(u)] / 255)

    front = sheet(WIDE - 0.012, 0.138, paper(_draw_front(stamp=False), 0.42, 0.1), (300, 172), press)
    place(front, (0, -DEEP / 2 - 0.0022, 0.074), (90, 0, 0))
    parts = [
        box((WIDE, DEEP, 0.148), shell, (0, 0, 0.074), 0.006),
        front,
        box((WIDE + 0.006, DEEP + 0.006, 0.036), shell, (0, 0, 0.168), 0.007),
        box((0.034, 0.006, 0.036), steel, (0, -DEEP / 2 - 0.005, 0.155), 0.002),
        box((0.012, 0.008, 0.018), steel, (0, -DEEP / 2 - 0.008, 0.150), 0.002),
        tube(
            [
                (-0.06, 0, 0.186),
                (-0.058, 0, 0.215),
                (-0.03, 0, 0.222),
                (0.03, 0, 0.222),
                (0.058, 0, 0.215),
                (0.06, 0, 0.186),
            ],
            0.0045,
            steel,
        ),
    ]
    parts += [box((0.022, 0.02, 0.006), steel, (x, 0, 0.188), 0.002) for x in (-0.06, 0.06)]
    for x in (-1, 1):
        for z in (0.012, 0.136):
            rivet = lathe([(0, 0.0014), (0.0022, 0.001), (0.003, 0)], steel, turns=24, radius=0.0005)
            place(rivet, (x * (WIDE / 2 - 0.012), -DEEP / 2 - 0.0022, z), (90, 0, 0))
            parts.append(rivet)
    group(parts, (0.0, 0.045, 0), (0, 0, -13))


def _lamp(at: tuple[float, float, float]) -> None:
    lathe(
        [(0, 0), (0.036, 0), (0.038, 0.004), (0.034, 0.014), (0.012, 0.020), (0.009, 0.030), (0.009, 0.070),
         (0.022, 0.080), (0.026, 0.086), (0, 0.086)],
        paint(YELLOW, 0.35, 0.5), at, 0.003, 64,
    )  # fmt: skip
    globe = lathe(
        [(0, 0.084), (0.024, 0.085), (0.037, 0.100, 0.012), (0.038, 0.125, 0.014), (0.022, 0.148, 0.014),
         (0, 0.150)],
        glowing("#FFB84E", 2.0), at, 0.006, 64,
    )  # fmt: skip
    globe.visible_shadow = False
    lathe([(0, 0.158), (0.012, 0.157), (0.016, 0.149), (0.012, 0.147)], paint(INK), at, 0.002, 48)
    lamp("POINT", (at[0], at[1], at[2] + 0.115), at, 4.4, "#FFC985", shadow_soft_size=0.034)
    cord = [
        (0.0, 0.03, 0.005),
        (0.02, 0.07, 0.004),
        (0.06, 0.09, 0.004),
        (0.10, 0.06, 0.004),
        (0.14, 0.08, 0.004),
    ]
    tube(cord, 0.0022, plain("#0C0A09", Roughness=0.5), at)


def build() -> None:
    """Set the table outside."""
    start(0.45, bounces=6)
    air("#3E66B4", 0.22)
    sky = place(sheet(3.6, 2.4, screen(_draw_dusk(), 0.7)), (0, 2.2, 0.62), (90, 0, 0))
    sky.visible_shadow = False
    plank = wood("#1C120C", "#4A3424", "#6B4E36", 0.45, 0.6)
    for i in range(6):
        box((1.8, 0.118, 0.03), plank, (0.05 * (i % 2), -0.36 + 0.12 * i, -0.015), 0.003, (0, 0, 0))
    _box()
    _lamp((-0.182, -0.045, 0))
    rim, back = metal("#AEB3B8", 0.3), plain("#0B0B0D", Roughness=0.5)
    panel = group(
        [
            slab(0.22, 0.165, 0.009, 0.004, rim, 0.001, at=(0, 0, 0.0825)),
            slab(0.206, 0.151, 0.001, 0.002, paper(_draw_cells(), 0.14, 0), 0.0001, at=(0, -0.0045, 0.0825)),
            box((0.19, 0.002, 0.13), back, (0, 0.005, 0.08), 0.0005),
        ],
        (0, 0, 0.001),
        (-24, 0, 0),
    )
    pass_card = card(
        0.0856,
        0.054,
        paper(_draw_card(), 0.4, 0.03),
        paint(PAPER),
        0.0009,
        at=(-0.012, -0.018, 0),
        turn=(-27, 0, 0),
    )
    group([panel, pass_card], (0.212, 0.0, 0), (0, 0, -16))
    softbox((-0.55, -0.5, 0.34), (0.05, 0, 0.08), 0.12, 0.16, 3.6, "#FFD3A0")
    softbox((0.75, 0.3, 0.55), (0.06, 0.02, 0.1), 0.5, 0.4, 6.5, "#6E96E8")
    softbox((0.10, -0.66, 0.56), (0.22, 0, 0.08), 0.34, 0.2, 1.7, "#7FA6EE")
    camera((-0.02, -0.86, 0.215), (0.012, 0.02, 0.092), 60, 4.0, (0.03, -0.05, 0.09))
