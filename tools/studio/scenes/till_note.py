"""A green plate, "Till 5 123 456", on a counter, a phone that reads "Imelipwa" and coins in a dish."""

import math
import random

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start, sun, window_shadow
from tools.studio.materials import glass, glaze, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, status_bar, triangles, write
from tools.studio.props import phone
from tools.studio.shapes import Place, box, copies, group, lathe, place, slab, wall


def _draw_plate() -> Image.Image:
    width, height = 1500, 1800
    image, draw = canvas(width, height, LEAF)
    write(draw, (width / 2, 250), "Lipa hapa", 210, PAPER, 700, DISPLAY)
    triangles(draw, 0, width, 440, 100, [MARIGOLD, BRAND])
    draw.rectangle((0, 540, width, 1330), fill=PAPER)
    write(draw, (width / 2, 730), "Till", 270, DEEP, 800, DISPLAY)
    write(draw, (width / 2, 1065), "5 123 456", 276, INK, 800, DISPLAY)
    triangles(draw, 0, width, 1330, 100, [MARIGOLD, BRAND], down=True)
    write(draw, (width / 2, 1610), "Asante, karibu tena", 124, PAPER, 600)
    return image


def _draw_screen() -> Image.Image:
    width, height = 900, 1900
    image, draw = canvas(width, height, PAPER)
    draw.rectangle((0, 0, width, 900), fill=LEAF)
    status_bar(draw, width, PAPER)
    draw.ellipse((270, 220, 630, 580), fill=MARIGOLD)
    draw.line([(365, 405), (430, 470), (545, 335)], fill=INK, width=42, joint="curve")
    write(draw, (450, 730), "Imelipwa", 150, PAPER, 800, DISPLAY)
    write(draw, (450, 1120), "KSh 240", 190, INK, 800, DISPLAY)
    write(draw, (450, 1290), "Till 5 123 456", 84, "#4A3B33", 600)
    draw.rounded_rectangle((80, 1500, 820, 1690), 95, BRAND)
    write(draw, (450, 1594), "Sawa", 84, PAPER, 700)
    return image


def _coins(at: Place) -> None:
    """Heap coins in an enamel dish."""
    dish, rim = glaze("#F1E8D8"), glaze("#1B4A6B")
    lathe(
        [
            (0, 0),
            (0.040, 0),
            (0.060, 0.016, 0.01),
            (0.062, 0.019),
            (0.058, 0.018, 0.008),
            (0.039, 0.0035),
            (0, 0.0035),
        ],
        dish,
        at,
        0.003,
    )
    lathe(
        [(0.0595, 0.0172), (0.0628, 0.0180), (0.0630, 0.0202), (0.0605, 0.0206), (0.0595, 0.0172)],
        rim,
        at,
        0.0006,
    )
    flat = [
        (0, 0.0008),
        (0.0088, 0.0008),
        (0.0094, 0.0012),
        (0.0108, 0.0012),
        (0.0112, 0.0006),
        (0.0112, -0.0006),
        (0.0108, -0.0012),
        (0.0094, -0.0012),
        (0.0088, -0.0008),
        (0, -0.0008),
    ]
    kinds = [
        lathe(flat, metal(colour, 0.26, (1, 1, 1), 200), radius=0.0002, turns=48)
        for colour in ("#C79C4E", "#B9B5AC", "#A77A3A")
    ]
    spots: list[list[tuple[Place, Place, float]]] = [[] for _ in kinds]
    for i in range(34):
        layer = i // 12
        a, r = i * 2.4, (0.006 + 0.0085 * math.sqrt(i % 12)) * (1 - 0.18 * layer)
        tilt = 0.16 + 0.12 * layer
        spot = (
            at[0] + r * math.cos(a),
            at[1] + r * math.sin(a),
            at[2] + 0.0062 + 0.0046 * layer + 0.12 * max(0, r - 0.02),
        )
        spots[i % 3].append(
            (
                spot,
                (random.uniform(-tilt, tilt), random.uniform(-tilt, tilt), a),
                random.choice((0.86, 1.0, 1.12)),
            )
        )
    for x, y in ((-0.075, -0.028), (-0.058, -0.052), (-0.088, 0.004)):
        spots[0 if x < -0.07 else 1].append(((at[0] + x, at[1] + y, 0.0013), (0, 0, x), 1.0))
    for kind, places in zip(kinds, spots, strict=True):
        copies(kind, places)


def _shelves() -> None:
    """Fill shelves behind the counter; they are out of focus, so that colour is enough."""
    plank = wood("#2A160C", "#5F3A20", "#8A5A34", 0.6, 0.6)
    wall(3, 1.8, plaster("#C58A4E", 3), 1.05, z=-0.4)
    colours = [BRAND, MARIGOLD, LEAF, LAKE, SAND, "#D9622B", DEEP, "#6FA7B5"]
    paints = [paint(colour, 0.35, 0.5) for colour in colours]
    for z in (-0.02, 0.21, 0.44):
        box((2.2, 0.22, 0.02), plank, (0, 0.92, z - 0.01))
        x = -0.75
        while x < 0.75:
            wide, high, kind = (
                random.uniform(0.06, 0.1),
                random.uniform(0.09, 0.19),
                random.randrange(len(paints)),
            )
            for _ in range(random.choice((1, 2, 2, 3))):
                if kind % 3:
                    box((wide, 0.06, high), paints[kind], (x + wide / 2, 0.86, z + high / 2))
                    box(
                        (wide * 1.005, 0.0605, high * 0.35),
                        paints[4 if kind != 4 else 1],
                        (x + wide / 2, 0.86, z + high / 2),
                        0.001,
                    )
                else:
                    lathe(
                        [(0, 0), (wide / 2, 0), (wide / 2, high * 0.8), (0, high * 0.8)],
                        paints[kind],
                        (x + wide / 2, 0.86, z),
                    )
                x += wide + 0.006
            x += 0.02


def _jar(at: Place) -> None:
    """Set a jar of sweets."""
    lathe(
        [
            (0, 0.004),
            (0.055, 0.0),
            (0.062, 0.008),
            (0.062, 0.12, 0.02),
            (0.046, 0.14),
            (0.046, 0.15),
            (0.044, 0.15),
            (0.044, 0.14),
            (0.0595, 0.119, 0.02),
            (0.0595, 0.01),
            (0, 0.008),
        ],
        glass("#F4FBF8"),
        at,
        0.003,
    )
    lathe(
        [(0, 0.178), (0.04, 0.176), (0.051, 0.168), (0.051, 0.146), (0, 0.146)],
        paint(BRAND, 0.3, 0.45),
        at,
        0.004,
    )
    colours = (BRAND, MARIGOLD, "#F3E8DC", LEAF)
    for k, colour in enumerate(colours):
        sweet = lathe(
            [(0, -0.008), (0.007, -0.006), (0.0105, 0), (0.007, 0.006), (0, 0.008)],
            glaze(colour),
            radius=0.004,
            turns=24,
        )
        spots = []
        for i in range(k, 240, 4):
            a, r, z = i * 2.4, 0.052 * math.sqrt((i * 0.618) % 1), 0.018 + 0.0085 * (i // 20)
            spots.append(
                (
                    (at[0] + r * math.cos(a), at[1] + r * math.sin(a), at[2] + z),
                    [random.uniform(0, 6) for _ in range(3)],
                    1.0,
                )
            )
        copies(sweet, spots)


def build() -> None:
    start(0.45, bounces=7)
    air("#B7C4CE", 0.16)
    counter = wood("#3A2012", "#7D4F2B", "#B08048", 0.45, 0.38)
    box((2.2, 0.62, 0.045), counter, (0, 0.12, -0.0225), 0.006)
    _shelves()

    plate = [
        slab(0.160, 0.192, 0.005, 0.012, paper(_draw_plate(), 0.28, 0.1), 0.0012, at=(0, 0, 0.120)),
        box((0.19, 0.062, 0.026), wood("#3B2314", "#8C6540", "#C29A66", 0.2, 0.5), (0, 0.002, 0.013), 0.004),
    ]
    screw = lathe([(0, 0.002), (0.003, 0.0016), (0.0036, 0), (0, 0)], metal("#C9C3B8"), turns=24)
    plate += copies(
        screw, [((x, -0.0026, z), (math.pi / 2, 0, 0), 1.0) for x in (-0.070, 0.070) for z in (0.206,)]
    )
    group(plate, (-0.055, 0.02, 0), (-5, 0, 11))
    stand = box((0.05, 0.03, 0.045), paint(INK, 0.5, 0.7), (0.118, 0.030, 0.0225), 0.003, (0, 0, -12))
    place(stand, (0.123, 0.022, 0.0225), (0, 0, -14))
    place(phone(_draw_screen(), (0, 0, 0)), (0.110, -0.012, 0.0735), (-17, 0, -14))
    _coins((0.005, -0.155, 0))
    _jar((-0.235, 0.16, 0))

    sun((-0.52, 0.72, -0.42), 5.6, "#FFD6A0", 1.2)
    window_shadow((0.60, -0.86, 0.56), (0.0, 0.0, 0.08), 0.56, 0.50, columns=3, rows=3, bar=0.02)
    lamp("POINT", (0.12, 0.62, 0.55), (0, 0, 0), 9, "#FFC98A", shadow_soft_size=0.05)
    softbox((-0.7, -0.5, 0.6), (0, 0, 0.1), 0.4, 0.5, 5, "#FFEBD4")
    camera((0.13, -0.80, 0.255), (0.0, -0.01, 0.088), 65, 5.0, focus=(-0.045, 0.0, 0.11))
