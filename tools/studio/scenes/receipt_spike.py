"""A page, "Five lines", with five figures and a pencil in lamplight; behind it receipts on a spike."""

import math
import random
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import glowing, metal, paint, paper, plain, plaster, wood
from tools.studio.printing import DISPLAY, canvas, triangles, write
from tools.studio.shapes import Place, box, group, lathe, place, sheet, tube, wall

SHOPS = (
    ("Baraka Hardware", "KSh 1,850", BRAND),
    ("Ziwa Coffee", "KSh 640", LAKE),
    ("Shamba Fresh", "KSh 2,310", LEAF),
)
LINES = (
    ("Came in", "214"),
    ("Cost", "KSh 86,400"),
    ("Became sales", "61"),
    ("Changed", "3"),
    ("Went wrong", "2"),
)


def _draw_page() -> Image.Image:
    width, height = 1480, 2000
    image, draw = canvas(width, height, "#FBF4E6")
    write(draw, (130, 220), "Five lines", 236, DEEP, 800, DISPLAY, "lm")
    write(draw, (136, 395), "September", 90, "#5A463A", 500, anchor="lm")
    triangles(draw, 130, width - 130, 470, 52, [BRAND, MARIGOLD, LEAF])
    for i, (words, figure) in enumerate(LINES):
        y = 670 + 255 * i
        write(draw, (130, y), words, 112, INK, 600, anchor="lm")
        write(draw, (width - 130, y), figure, 150, INK, 800, DISPLAY, "rm")
        draw.line((130, y + 118, width - 130, y + 118), "#CDBFA8", 6)
    for k in range(3):
        draw.arc(
            (1090 + 5 * k, 1062 - 4 * k, 1410 - 4 * k, 1298 + 6 * k), -60 + 5 * k, 285 + 4 * k, "#4E4A48", 9
        )
    return image


def _draw_slip(shop: str, total: str, colour: str) -> Image.Image:
    image, draw = canvas(700, 1200, "#F6EFE2")
    draw.rectangle((0, 0, 700, 34), colour)
    write(draw, (350, 130), shop, 74, colour, 800, DISPLAY)
    rng = random.Random(len(shop))
    for i in range(9):
        y = 270 + 62 * i
        draw.line((70, y, 70 + rng.randint(180, 330), y), "#8C8178", 14)
        draw.line((630 - rng.randint(60, 120), y, 630, y), "#8C8178", 14)
    draw.line((70, 850, 630, 850), INK, 6)
    write(draw, (350, 955), total, 112, INK, 800, DISPLAY)
    return image


def _spike(at: Place) -> None:
    """Set a brass spike and push receipts on it; each one has its own curl."""
    brass = metal("#C29547", 0.24, (1, 1, 1), 60)
    lathe(
        [(0, 0), (0.043, 0), (0.045, 0.004), (0.040, 0.009), (0.012, 0.014), (0.006, 0.020), (0, 0.022)],
        brass,
        at,
        0.003,
    )
    lathe(
        [(0, 0.01), (0.0019, 0.012), (0.0017, 0.118), (0.0004, 0.136), (0, 0.137)],
        metal("#D5CFC3", 0.18),
        at,
        0.0004,
        24,
    )
    prints = [paper(_draw_slip(*shop), 0.65, 0.14) for shop in SHOPS]
    blank = plaster("#EFE3CC", 40, 0.0002, 0.08)
    number = 13
    for i in range(number):
        long = random.choice((0.105, 0.12, 0.135))
        droop, twist = random.uniform(0.6, 2.4), random.uniform(-9, 9)
        if i == number - 1:
            droop, twist = 0.9, 0.0
        pierced = random.uniform(0.1, 0.3) * long

        def curl(
            x: float, y: float, d: float = droop, t: float = twist, p: float = pierced
        ) -> tuple[float, float, float]:
            away = y - p
            return (
                x,
                away,
                -d * away * away - 1.5 * x * x + t * x * away * 0.3 + 0.0012 * math.sin(90 * y + t),
            )

        slip = sheet(0.070, long, blank if i % 4 == 2 else prints[i % 3], (10, 28), curl, thick=0.0002)
        x, y, z = at
        spot = (x + random.uniform(-0.001, 0.001), y, z + 0.028 + 0.0054 * i)
        place(
            slip,
            spot,
            (random.uniform(-4, 4), random.uniform(-5, 5), random.gauss(14, 34) if i < number - 1 else 16),
        )


def _pencil(at: Place, turn: Place) -> Any:
    """Return a pencil that lies along X with its point to the left."""
    lacquer, ferrule = paint(BRAND, 0.25, 0.4, 60), metal("#C9A55C", 0.3, (1, 1, 60), 90)
    cone = wood("#C99A62", "#DDB47E", "#EBCB9C", 0.02)
    sections = (
        (((0, -0.062), (0.0037, -0.062), (0.0037, 0.066), (0, 0.066)), lacquer),
        (((0, -0.078), (0.0011, -0.0775), (0.0037, -0.0619), (0, -0.0619)), cone),
        (((0, -0.0822), (0.0004, -0.082), (0.0012, -0.0772), (0, -0.077)), plain("#242220", Roughness=0.4)),
        (((0, 0.066), (0.0039, 0.066), (0.0039, 0.078), (0, 0.078)), ferrule),
        (((0, 0.078), (0.0036, 0.078), (0.0036, 0.086), (0, 0.087)), plaster("#D98A7C", 60, 0.0003)),
    )
    parts = [lathe(line, surface, radius=0.0003, turns=32) for line, surface in sections]
    for part in parts:
        part.rotation_euler.y = math.pi / 2
    return group(parts, (at[0], at[1], at[2] + 0.0038), turn)


def _clip(at: Place, turn: float, colour: str) -> None:
    wire = [
        (0.004, -0.013),
        (0.004, 0.010),
        (0.003, 0.014),
        (-0.003, 0.014),
        (-0.004, 0.010),
        (-0.004, -0.015),
        (-0.003, -0.019),
        (0.0055, -0.019),
        (0.0065, -0.015),
        (0.0065, 0.012),
    ]
    place(tube([(x, y, 0.0007) for x, y in wire], 0.0006, metal(colour, 0.2, (1, 1, 1))), at, (0, 0, turn))


def build() -> None:
    start(0.55, bounces=6)
    air("#5F7C9C", 0.14)
    sheet(3, 1.6, wood("#24130A", "#553218", "#7C4F2A", 0.5, 0.36), at=(0, 0.3, 0))
    box((0.50, 0.36, 0.004), paint("#1E4A3F", 0.5, 0.7, 60, 0.0006), (0.0, -0.01, 0.002), 0.0015, (0, 0, 4))
    wall(3, 1.4, plaster("#27404E", 3), 1.0, z=-0.2)
    pane = glowing("#6E93C4", 0.55)
    for x in (-0.46, -0.20):
        wall(0.23, 0.5, pane, 0.98, x=x, z=0.10)

    def lie(x: float, y: float) -> tuple[float, float, float]:
        corner = max(0.0, x / 0.148 + y / 0.2 - 0.55)
        return x, y, 0.0066 + 0.05 * corner**2 + 0.0008 * math.sin(14 * y + 9 * x)

    page = sheet(0.148, 0.200, paper(_draw_page(), 0.6, 0.08), (40, 50), lie, thick=0.0003)
    place(page, (0.038, -0.055, 0), (0, 0, -7))
    rear = plaster("#E6D8BE", 40, 0.0002, 0.08)
    sheet(0.148, 0.200, rear, at=(0.030, -0.049, 0.0043), turn=(0, 0, 2))
    _spike((-0.110, 0.085, 0.004))
    _pencil((0.135, -0.075, 0.0045), (0, 0, 68))
    for at, turn, colour in (
        ((-0.095, -0.085, 0.0045), 40, "#C9C3B8"),
        ((-0.118, -0.060, 0.0045), 130, "#C9A55C"),
        ((-0.080, -0.055, 0.0045), -20, "#C9C3B8"),
    ):
        _clip(at, turn, colour)
    for i, colour in enumerate((LAKE, MARIGOLD, DEEP)):
        box(
            (0.15, 0.21, 0.022),
            paint(colour, 0.5, 0.65),
            (0.20 + 0.006 * i, 0.27, 0.011 + 0.0225 * i),
            0.002,
            (0, 0, 12 - 9 * i),
        )

    lamp(
        "SPOT",
        (0.30, 0.22, 0.46),
        (0.0, -0.02, 0.0),
        21,
        "#FFCB8A",
        spot_size=math.radians(86),
        spot_blend=0.7,
        shadow_soft_size=0.035,
    )
    softbox((-0.6, 0.5, 0.5), (-0.08, 0.05, 0.05), 0.4, 0.5, 3.0, "#9FC0EA")
    softbox((0.2, -0.9, 0.7), (0, 0, 0), 0.6, 0.4, 3.0, "#FFE6CC")
    camera((0.06, -0.50, 0.37), (-0.008, -0.006, 0.034), 52, 5.0, focus=(0.03, -0.05, 0.01))
