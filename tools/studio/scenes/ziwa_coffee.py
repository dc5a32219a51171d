"""A paper cup of Ziwa Coffee on a bar; a phone on a sugar tin reads "Your cup is ready" over ten stamps."""

import math
import random
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start
from tools.studio.materials import metal, paint, paper, plaster, screen, wood
from tools.studio.printing import DISPLAY, canvas, rosette, status_bar, triangles, write
from tools.studio.props import phone
from tools.studio.shapes import Place, box, copies, group, lathe, sheet, wall

CUP = 0.112
FOOT, RIM = 0.029, 0.0415
SKY = (255, 222, 166), (255, 184, 96)
LAKE_LIGHT = (120, 148, 158), (14, 74, 102)


def _beads(draw: ImageDraw.ImageDraw, x: float, y: float, size: float) -> None:
    share = size / 100
    rings = [(100, 0, 0, MARIGOLD), (88, 0, 0, INK), (72, 8, 22, SAND), (55, 0, 0, BRAND), (40, 6, 16, SAND),
             (28, 0, 0, INK), (16, 0, 0, MARIGOLD)]  # fmt: skip
    rosette(draw, x, y, [(ring * share, dot * share, number, colour) for ring, dot, number, colour in rings])


def _draw_sleeve() -> Image.Image:
    width, height = 2700, 660
    image, draw = canvas(width, height, DEEP)
    draw.rectangle((0, 0, width, 74), fill=INK)
    triangles(draw, 0, width, height - 132, 66, [MARIGOLD, BRAND])
    triangles(draw, 0, width, height - 66, 66, [BRAND, SAND, LEAF, SAND])
    middle = width / 2
    write(draw, (middle, 225), "Ziwa", 275, PAPER, 800, DISPLAY)
    write(draw, (middle, 430), "Coffee", 150, MARIGOLD, 800, DISPLAY)
    for x in (middle - 500, middle + 500, 200, width - 200):
        _beads(draw, x, 300, 165)
    return image


def _draw_screen() -> Image.Image:
    width = 900
    image, draw = canvas(width, 1900, PAPER)
    draw.rectangle((0, 0, width, 830), fill=DEEP)
    status_bar(draw, width, PAPER)
    _beads(draw, width / 2, 285, 130)
    write(draw, (width / 2, 520), "Your cup", 176, PAPER, 800, DISPLAY)
    write(draw, (width / 2, 695), "is ready", 176, MARIGOLD, 800, DISPLAY)
    triangles(draw, 0, width, 830, 75, [DEEP, BRAND], down=True)
    write(draw, (width / 2, 1010), "10 of 10 stamps", 84, INK, 700)
    for i in range(10):
        x, y = 122 + i % 5 * 164, 1180 + i // 5 * 175
        draw.ellipse((x - 72, y - 72, x + 72, y + 72), fill=BRAND)
        draw.polygon([(x - 34, y - 32), (x + 34, y - 32), (x + 24, y + 40), (x - 24, y + 40)], fill=PAPER)
        draw.rectangle((x - 42, y - 46, x + 42, y - 32), fill=MARIGOLD)
    draw.rounded_rectangle((60, 1530, width - 60, 1770), 70, fill=MARIGOLD)
    write(draw, (width / 2, 1605), "Ziwa Coffee", 92, INK, 800, DISPLAY)
    write(draw, (width / 2, 1705), "This one is on us", 66, INK, 600)
    draw.rounded_rectangle((width / 2 - 140, 1850, width / 2 + 140, 1862), 6, fill=INK)
    return image


def _draw_tin() -> Image.Image:
    image, draw = canvas(2400, 1000, "#1E6A78")
    draw.rectangle((0, 0, 2400, 90), fill=MARIGOLD)
    draw.rectangle((0, 910, 2400, 1000), fill=MARIGOLD)
    triangles(draw, 0, 2400, 120, 100, [SAND, LAKE], down=True)
    triangles(draw, 0, 2400, 780, 100, [SAND, LAKE])
    for x in (600, 1800):
        write(draw, (x, 500), "Sukari", 125, SAND, 800, DISPLAY)
    return image


def _draw_lake() -> Image.Image:
    """Draw what the window shows: evening sky, far hills, and a lake on which the light breaks."""
    image, draw = canvas(1200, 900, INK)
    for y in range(900):
        share = y / 430 if y < 430 else (y - 430) / 470
        one, two = SKY if y < 430 else LAKE_LIGHT
        mixed = tuple(round(a + (b - a) * share) for a, b in zip(one, two, strict=True))
        draw.line((0, y, 1200, y), fill=mixed)
    for shift, lift, colour in ((0.0, 80, "#7C8C96"), (2.0, 48, "#3F626E")):
        ridge = [
            (x, 432 - lift * (0.6 + 0.4 * math.sin(x / 150 + shift) + 0.2 * math.sin(x / 47)))
            for x in range(0, 1201, 20)
        ]
        draw.polygon([(0, 440), *ridge, (1200, 440)], fill=colour)
    for _ in range(420):
        y = 445 + 450 * random.random() ** 1.4
        x, long = random.gauss(420, 60 + (y - 440) * 0.35), (y - 420) * random.uniform(0.05, 0.2)
        draw.rounded_rectangle((x - long, y, x + long, y + 4 + (y - 440) * 0.03), 2, fill="#FFF0CC")
    return image.filter(ImageFilter.GaussianBlur(2))


def _radius(height: float) -> float:
    return FOOT + (RIM - FOOT) * height / CUP


def _paper_cup(image: Image.Image, at: Place, turn: float) -> Any:
    """Return a paper cup with a lid and a printed sleeve."""
    white, lid = paint("#EFE6D8", 0.55, 0.7, 40, 0.0001, 0.06), paint("#1D1715", 0.3, 0.42, 30, 0.0002)
    body = lathe([(0, 0.006), (FOOT - 0.002, 0.006), (FOOT - 0.0015, 0), (FOOT, 0), (RIM, CUP),
                  (RIM - 0.001, CUP)],
                 white, radius=0.0008)  # fmt: skip
    cover = lathe(
        [(RIM + 0.0012, CUP - 0.004), (RIM + 0.0026, CUP - 0.003), (RIM + 0.0026, CUP + 0.0025),
         (RIM - 0.0005, CUP + 0.004),
         (RIM - 0.002, CUP + 0.0135, 0.003), (RIM - 0.0055, CUP + 0.0145),
         (RIM - 0.0075, CUP + 0.0075, 0.003), (0, CUP + 0.007)],
        lid, radius=0.0012,
    )  # fmt: skip
    low, high = 0.030, 0.084
    middle = _radius((low + high) / 2)

    def wrap(x: float, y: float) -> tuple[float, float, float]:
        z = (low + high) / 2 + y
        radius, a = _radius(z) + 0.0011, x / middle
        return radius * math.sin(a), -radius * math.cos(a), z

    sleeve = sheet(math.tau * middle, high - low, paper(image, 0.65), (120, 6), wrap, thick=0.0009)
    return group([body, cover, sleeve], at, (0, 0, turn))


def _round_tin(x: float, y: float) -> tuple[float, float, float]:
    return 0.0443 * math.sin(x / 0.0443), -0.0443 * math.cos(x / 0.0443), y


def _portafilter(at: Place, turn: Place) -> Any:
    """Return the holder of an espresso machine's filter, full of coffee, its wooden handle along X."""
    chrome = metal("#D8D3CB", 0.12, (1, 1, 1), 8)
    ring = lathe([(0, 0), (0.024, 0), (0.0335, 0.006, 0.004), (0.0345, 0.03), (0.0385, 0.031, 0.001),
                  (0.0385, 0.036, 0.001),
                  (0.0325, 0.036, 0.001), (0.0315, 0.028), (0, 0.028)], chrome, radius=0.002)  # fmt: skip
    ground = lathe([(0, 0.0345), (0.02, 0.034), (0.0318, 0.0318)], plaster("#2A1509", 60, 0.003), wobble=0.02)
    neck = lathe(
        [(0, 0), (0.0075, 0), (0.006, 0.03), (0.0085, 0.045), (0, 0.045)], chrome, radius=0.002, turns=48
    )
    grip = lathe([(0, 0.04), (0.0105, 0.04), (0.0125, 0.06), (0.0115, 0.1),
                  (0.0145, 0.14), (0.011, 0.153), (0, 0.155)],
                 wood("#2A150B", "#5A3219", "#7C4A26", 0.1, 0.3), radius=0.005, turns=64)  # fmt: skip
    handle = group([neck, grip], (0.032, 0, 0.022), (0, 84, 0))
    return group([ring, ground, handle], at, turn)


def beans(spots: list[tuple[float, float]], floor: float = 0.0) -> None:
    """Scatter roast beans at places on a table."""
    bean = lathe([(0, -0.0048), (0.0022, -0.0042), (0.0034, -0.002), (0.0036, 0), (0.0033, 0.0022),
                  (0.002, 0.0042), (0, 0.0048)],
                 paint("#3A1D0E", 0.28, 0.45, 160, 0.0002, 0.4, Coat_Weight=0.15),
                 radius=0.003, turns=40)  # fmt: skip
    for vertex in bean.data.vertices:
        if vertex.co.y < 0:
            groove = 0.0011 * math.exp(
                -(((vertex.co.x - 0.0005 * math.sin(vertex.co.z * 700)) / 0.0005) ** 2)
            )
            vertex.co.y = vertex.co.y * 0.35 + groove
    copies(bean, [
        ((x, y, floor + 0.0034),
         (random.choice((1, -1)) * math.pi / 2 + random.gauss(0, 0.12), 0.1, random.uniform(0, math.tau)),
         random.uniform(1.1, 1.35))
        for x, y in spots
    ])  # fmt: skip


def _window() -> None:
    """Put the lake behind a window whose bars and sill are out of focus."""
    frame = paint("#2B4A4A", 0.4, 0.6)
    view = wall(1.75, 1.3, screen(_draw_lake(), 1.15), 1.6, x=-0.1, z=-0.455)
    view.visible_shadow = False
    for x in (-0.44, 0.02, 0.48):
        box((0.03, 0.06, 1.4), frame, (x, 1.15, 0.3), 0.005)
    box((1.8, 0.06, 0.028), frame, (0, 1.15, 0.30), 0.005)
    box((2.2, 0.14, 0.05), frame, (0, 1.12, -0.05), 0.008)
    side = plaster("#8C4A33", 3, 0.003)
    wall(1.2, 1.6, side, 1.2, x=0.98, z=-0.3)
    wall(1.2, 1.6, side, 1.2, x=-1.1, z=-0.3)


def build() -> None:
    """Set the scene."""
    start(0.4, bounces=7)
    air("#C9B8A8", 0.12)
    _window()
    sheet(3, 1.3, wood("#1C0F08", "#3E2513", "#5E3A20", 0.4, 0.22), at=(0, -0.2, 0))

    _paper_cup(_draw_sleeve(), (-0.052, -0.065, 0), 3)
    phone(_draw_screen(), (0.08, 0.0, 0.0742), (-14, 0, -12))
    tin = lathe([(0, 0), (0.044, 0), (0.044, 0.128), (0.046, 0.13), (0.046, 0.137),
                 (0.04, 0.143), (0, 0.143)],
                metal("#C9A24E", 0.3, (1, 1, 20), 12), (0.11, 0.0555, 0), 0.002)  # fmt: skip
    label = sheet(
        math.tau * 0.0443, 0.11, paper(_draw_tin(), 0.45), (120, 1), _round_tin, at=(0.11, 0.0555, 0.066)
    )
    label.rotation_euler.z, tin.rotation_euler.z = math.radians(-68), 0.3

    _portafilter((-0.158, 0.04, 0), (0, 0, -112))
    heap = [(0.055 + random.gauss(0, 0.03), -0.1 + random.gauss(0, 0.016)) for _ in range(60)]
    apart: list[tuple[float, float]] = []
    for x, y in heap:
        if (
            all(math.hypot(x - u, y - v) > 0.0105 for u, v in apart)
            and math.hypot(x + 0.052, y + 0.065) > 0.042
        ):
            apart.append((x, y))
    beans(apart)

    softbox((-0.75, 0.75, 0.62), (0, 0, 0.05), 0.35, 0.5, 48, "#FFD79C")
    softbox((0.7, 0.2, 0.45), (0.03, 0, 0.08), 0.12, 0.5, 5, "#CFE4EE")
    softbox((0.8, -0.5, 0.45), (0, 0, 0.08), 0.5, 0.5, 8, "#FFEFDF")
    camera((-0.03, -0.76, 0.152), (0.008, 0, 0.076), 80, 5.0, focus=(-0.03, -0.075, 0.07))
