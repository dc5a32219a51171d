"""A printer gives out a slip, "Soko Ledger, Stall 14, Tomatoes", beside crates of tomatoes in low sun."""

import math
import random
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, LAKE, LEAF, MARIGOLD
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import glowing, metal, paint, paper, plain, plaster, screen, wood
from tools.studio.printing import DISPLAY, canvas, rosette, write
from tools.studio.shapes import Place, backdrop, box, copies, group, lathe, mesh, sheet, slab

SLIP = (0.060, 0.238)


def _draw_slip() -> Image.Image:
    width, height = 720, 2856
    ink = "#231C1C"
    image, draw = canvas(width, height, "#F8F3E8")

    def rule(y: int) -> None:
        for x in range(50, width - 50, 34):
            draw.rectangle((x, y, x + 20, y + 5), fill=ink)

    rosette(draw, width / 2, 620, [(96, 0, 0, ink), (80, 0, 0, "#F8F3E8"), (62, 9, 14, ink), (34, 0, 0, ink)])
    write(draw, (width / 2, 800), "Soko Ledger", 100, ink, 800, DISPLAY)
    rule(890)
    write(draw, (width / 2, 985), "Stall 14, Tomatoes", 69, ink, 800)
    write(draw, (width / 2, 1080), "Monday, 6:40", 60, ink, 600)
    rule(1150)
    write(draw, (width / 2, 1290), "Fee KSh 50", 114, ink, 800, DISPLAY)
    rule(1410)
    write(draw, (width / 2, 1510), "Paid by M-Pesa", 84, ink, 800)
    write(draw, (width / 2, 1620), "Receipt SL 004 812", 66, ink, 700)
    x = 90
    while x < width - 100:
        wide = random.choice((5, 5, 9, 14))
        draw.rectangle((x, 1710, x + wide, 1850), fill=ink)
        x += wide + random.choice((6, 9, 14))
    write(draw, (width / 2, 1920), "Asante, karibu tena", 60, ink, 600)
    rule(1990)
    write(draw, (width / 2, 2140), "Soko Ledger", 90, ink, 800, DISPLAY)
    write(draw, (width / 2, 2230), "Stall 13, Onions", 64, ink, 700)
    for y in range(40, 500, 90):
        draw.rectangle((60, y, 60 + random.randint(220, 560), y + 22), fill="#4A4240")
    return image


def _draw_sheet() -> Image.Image:
    image, draw = canvas(2000, 1000, "#F2EFE6")
    for x in range(0, 2000, 250):
        draw.rectangle((x, 0, x + 125, 1000), fill="#2563A6")
        draw.rectangle((x + 165, 0, x + 180, 1000), fill="#2563A6")
    return image


def _printer(at: Place, turn: Place) -> Any:
    """Return a printer that lies on its back, its mouth at the origin and its foot towards the camera."""
    shell, dark = paint("#23262B", 0.4, 0.55, 60, 0.0003, 0.1), paint("#15161A", 0.3, 0.45, 40, 0.0002)
    parts = [
        slab(0.082, 0.118, 0.044, 0.012, shell, 0.006, at=(0, -0.040, 0.022), turn=(-90, 0, 0)),
        slab(0.070, 0.036, 0.004, 0.006, dark, 0.001, at=(0, -0.022, 0.0445), turn=(-90, 0, 0)),
        box((0.062, 0.003, 0.004), plain("#050505", Roughness=0.8), (0, 0.0015, 0.0455), 0.0005),
        box((0.066, 0.0016, 0.005), metal("#B8B2A8", 0.3, (60, 1, 1)), (0, -0.0012, 0.0465), 0.0003),
        slab(
            0.034,
            0.012,
            0.003,
            0.0055,
            paint(BRAND, 0.35, 0.5),
            0.001,
            at=(-0.012, -0.066, 0.0452),
            turn=(-90, 0, 0),
        ),
        slab(
            0.012,
            0.012,
            0.003,
            0.0055,
            paint("#5A5F66", 0.35, 0.5),
            0.001,
            at=(0.02, -0.066, 0.0452),
            turn=(-90, 0, 0),
        ),
        lathe(
            [(0, 0), (0.0017, 0), (0.0012, 0.0012), (0, 0.0014)],
            glowing("#5CFF8A", 4),
            (-0.026, -0.05, 0.0445),
            0.0003,
            24,
        ),
    ]
    return group(parts, at, turn)


def _curl(x: float, y: float) -> tuple[float, float, float]:
    """Bend the slip: it leaves the printer upright and rolls up at its end, away from the print."""
    s = y + SLIP[1] / 2
    left, back, up, twist, steps = 0.0, 0.0, 0.0, 0.0, 80
    for i in range(steps):
        t = s * (i + 0.5) / steps
        roll = max(0.0, t - 0.181)
        twist = 15 * t * t
        bend = -0.16 + 1.7 * t + 0.1 * math.sin(t * 38) + 54 * roll * min(1.0, roll / 0.016)
        left += math.sin(twist) * math.sin(bend) * s / steps
        back += math.cos(twist) * math.sin(bend) * s / steps
        up += math.cos(bend) * s / steps
    cross = 0.003 * math.cos(x / SLIP[0] * math.pi) * max(0.0, 1 - s / 0.2)
    return x * math.cos(twist) - left, back + x * math.sin(twist) - cross, up


def _tomatoes(spots: list[tuple[float, float, float]], size: float) -> None:
    """Heap tomatoes: four forms, each with a green star."""
    leaf = paint("#3F7A35", 0.5, 0.7)
    forms = []
    for i, colour in enumerate(("#C3200F", "#B5180C", "#CF3A14", "#C02A12")):
        skin = paint(colour, 0.14, 0.26, 20, 0.0002, 0.12, Coat_Weight=0.4, Coat_Roughness=0.08)
        body = lathe(
            [(0, -0.82), (0.45, -0.78, 0.3), (1.0, -0.1, 0.6), (0.75, 0.72, 0.4),
             (0.25, 0.72, 0.2), (0, 0.6)],
            skin, radius=0.4, turns=48, wobble=0.05 + 0.02 * i,
        )  # fmt: skip
        for vertex in body.data.vertices:
            x, y, _ = vertex.co
            rib = 1 + 0.025 * math.cos(5 * math.atan2(y, x) + i)
            vertex.co.x, vertex.co.y = x * rib, y * rib
        forms.append(body)
    verts: list[tuple[float, float, float]] = [(0, 0, 0.68)]
    for i in range(10):
        a, r = math.tau * i / 10, 0.5 if i % 2 else 0.1
        verts.append((r * math.cos(a), r * math.sin(a), 0.76 if i % 2 else 0.7))
    star = mesh("star", verts, [(0, i, i % 10 + 1) for i in range(1, 11)], leaf)
    stem = lathe([(0, 0.66), (0.06, 0.66), (0.045, 0.95), (0, 0.96)], leaf, radius=0.02, turns=16)
    places: list[list[Any]] = [[] for _ in forms]
    for i, spot in enumerate(spots):
        turn = (random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), random.uniform(0, math.tau))
        places[i % len(forms)].append((spot, turn, size * random.uniform(0.88, 1.1)))
    for form, own in zip(forms, places, strict=True):
        copies(form, own)
    every = [spot for own in places for spot in own]
    copies(star, every)
    copies(stem, every)


def _crate(at: Place, turn: float, size: Place, colour: str) -> None:
    """Nail a crate from slats."""
    x, y, z = size
    slat = wood("#5A3A20", "#A87B4C", "#CDA574", 0.35, 0.7) if colour == "wood" else paint(colour, 0.5, 0.7)
    parts = [box((x, y, 0.008), slat, (0, 0, 0.006), 0.002)]
    for level in (0.22, 0.55, 0.88):
        for side in (-1, 1):
            parts.append(box((x, 0.008, z * 0.24), slat, (0, side * y / 2, z * level), 0.002))
            parts.append(box((0.008, y, z * 0.24), slat, (side * x / 2, 0, z * level), 0.002))
    post = (0.018, 0.018, z * 1.04)
    corners = [(i * (x / 2 - 0.014), j * (y / 2 - 0.014), z * 0.52) for i in (-1, 1) for j in (-1, 1)]
    parts += [box(post, slat, corner, 0.002) for corner in corners]
    group(parts, at, (0, 0, turn))


def _heap(at: Place, wide: float, deep: float, layers: int, step: float) -> list[tuple[float, float, float]]:
    """Return the places of round things in a crate, each layer smaller than the one below."""
    spots = []
    for layer in range(layers):
        nx, ny = max(1, round(wide / step) - layer), max(1, round(deep / step) - layer)
        for i in range(nx):
            for j in range(ny):
                x = at[0] + (i - (nx - 1) / 2) * step + random.uniform(-1, 1) * step * 0.1
                y = at[1] + (j - (ny - 1) / 2) * step + random.uniform(-1, 1) * step * 0.1
                spots.append((x, y, at[2] + layer * step * 0.68 + random.uniform(-1, 1) * step * 0.08))
    return spots


def build() -> None:
    """Set the scene."""
    start(0.3, bounces=7)
    air("#A9C3E0", 0.3)
    place = (-0.055, 0.0, 0.0)
    plank = wood("#3B2414", "#80572F", "#A67C4E", 0.5, 0.65)
    for i in range(7):
        y = -0.42 + i * 0.152
        box(
            (1.8, 0.148, 0.03),
            plank,
            (random.uniform(-0.2, 0.2), y, -0.015 - random.uniform(0, 0.002)),
            0.004,
        )

    _printer(place, (0, 0, 9))
    slip = sheet(
        *SLIP, paper(_draw_slip(), 0.55, 0.04), (10, 160), _curl, at=(place[0], place[1], 0.045), thick=0.0001
    )
    slip.rotation_euler.z = math.radians(9)

    _crate((0.165, 0.11, 0), -14, (0.26, 0.19, 0.085), "wood")
    _crate((-0.27, 0.30, 0), 12, (0.30, 0.22, 0.10), "wood")
    spots = _heap((0.165, 0.11, 0.06), 0.21, 0.15, 3, 0.05)
    spots += _heap((-0.27, 0.30, 0.075), 0.25, 0.18, 3, 0.052)
    spots += [(0.088, -0.078, 0.0215), (0.143, -0.096, 0.022), (0.118, -0.052, 0.0215)]
    _tomatoes(spots, 0.0265)
    coin = lathe(
        [(0, 0), (0.0125, 0), (0.0125, 0.0019), (0, 0.0019)], metal("#C9A24E", 0.3, (1, 1, 1)), radius=0.0004
    )
    copies(
        coin,
        [
            ((0.032, -0.10, 0), (0, 0, 0), 1),
            ((0.045, -0.083, 0), (0, 0, 1), 1),
            ((0.037, -0.094, 0.002), (0.05, 0, 2), 1),
        ],
    )

    backdrop(plaster("#B98352", 1.5, 0.01, 0.2), 8, 3.5, 2.0, 0.4, 2.3).location.z = -0.75
    for x, y, colour in ((-0.75, 1.45, LEAF), (0.15, 1.6, MARIGOLD), (0.8, 1.4, LAKE)):
        box((0.5, 0.4, 0.5), paint(colour, 0.6, 0.8), (x, y, -0.25), 0.02)
    for middle, colour in (((-0.75, 1.4, 0.04), "#7FA33A"), ((0.15, 1.5, 0.04), "#E8A23A")):
        ball = lathe(
            [(0, -1), (0.7, -0.75), (1, 0), (0.7, 0.75), (0, 1)],
            paint(colour, 0.35, 0.5),
            radius=0.5,
            turns=24,
        )
        copies(ball, [(spot, (0, 0, 0), 0.042) for spot in _heap(middle, 0.46, 0.36, 3, 0.085)])

    def sag(x: float, y: float) -> tuple[float, float, float]:
        fold = 0.02 * math.sin(x * 17) * (0.4 - y)
        return x, y + 0.3 * fold, 0.1 * x * x + fold - 0.02 * math.cos(x * 6)

    cover = sheet(
        2.6, 1.1, screen(_draw_sheet(), 0.8), (120, 20), sag, at=(-0.05, 1.05, 0.325), turn=(-24, 0, -4)
    )
    cover.visible_shadow = False
    pole = wood("#3B2414", "#6E4A2C", "#8C6540", 0.4, 0.7)
    lathe([(0, 0), (0.016, 0), (0.013, 1.6), (0, 1.6)], pole, (0.37, 0.72, -0.7), 0.003, 32)

    sun((-0.82, 0.4, -0.42), 8.5, "#FFD29A", 0.7)
    softbox((-0.6, -0.5, 0.5), (-0.05, 0, 0.1), 0.5, 0.5, 3.5, "#E6EEFF")
    camera((-0.03, -0.77, 0.225), (0.02, 0.0, 0.12), 68, 4.0, focus=(-0.055, -0.005, 0.14))
