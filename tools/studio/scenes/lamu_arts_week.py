"""Two posters of Lamu Arts Week, a star and arches, in a palm's shadow on a white wall beside a door."""

import math
from typing import Any

from mathutils import Vector, noise
from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import aim, air, camera, start, sun
from tools.studio.materials import cloth, metal, paint, paper, plaster, weathered, wood
from tools.studio.printing import DISPLAY, canvas, triangles, weather, write
from tools.studio.shapes import box, copies, lathe, mesh, place, sheet

LIGHT = Vector((0.62, 1.0, -0.62)).normalized()


def _draw_star() -> Image.Image:
    image, draw = canvas(1240, 1740, LAKE)
    draw.rectangle((40, 40, 1200, 1700), outline=SAND, width=10)
    x, y, far, near = 620, 650, 500, 268

    def spot(step: int, radius: float) -> tuple[float, float]:
        turn = math.tau * step / 16
        return x + radius * math.sin(turn), y - radius * math.cos(turn)

    for step in range(0, 16, 2):
        for side, colour in ((-1, MARIGOLD), (1, "#C9762A")):
            draw.polygon([(x, y), spot(step, far), spot(step + side, near)], fill=colour)
        draw.polygon([spot(step, 210), spot(step + 1, 110), (x, y), spot(step - 1, 110)], fill=LAKE)
        draw.polygon([spot(step, 170), spot(step + 1, 84), (x, y), spot(step - 1, 84)], fill=SAND)
        px, py = spot(step + 1, 420)
        draw.ellipse((px - 24, py - 24, px + 24, py + 24), fill=BRAND)
    draw.ellipse((x - 44, y - 44, x + 44, y + 44), fill=BRAND)
    write(draw, (x, 1330), "Lamu Arts", 214, PAPER, 800, DISPLAY)
    write(draw, (x, 1530), "Week", 214, MARIGOLD, 800, DISPLAY)
    return image


def _draw_arches() -> Image.Image:
    image, draw = canvas(1000, 1420, "#F3E2C6")
    for row, foot in enumerate((430, 810)):
        for i in range(3):
            middle = 180 + 320 * i
            turns = (BRAND, MARIGOLD, LAKE, SAND) if (i + row) % 2 else (LAKE, SAND, BRAND, INK)
            for inset, colour in zip((0, 34, 68, 102), turns, strict=True):
                wide = 140 - inset
                draw.ellipse(
                    (middle - wide, foot - 330 + inset, middle + wide, foot - 50 - inset), fill=colour
                )
                draw.rectangle((middle - wide, foot - 190, middle + wide, foot), fill=colour)
    triangles(draw, 40, 960, 850, 46, [DEEP, LEAF])
    write(draw, (50, 1000), "Dhows, drums,", 120, INK, 800, DISPLAY, "lm")
    write(draw, (50, 1130), "doors", 120, BRAND, 800, DISPLAY, "lm")
    write(draw, (50, 1305), "Lamu Arts Week", 104, LAKE, 700, DISPLAY, "lm")
    return image


def _draw_kikoi() -> Image.Image:
    image, draw = canvas(1200, 900, "#EFE7DA")
    for x in range(0, 1200, 150):
        draw.rectangle((x, 0, x + 62, 900), fill=LAKE)
        draw.rectangle((x + 84, 0, x + 94, 900), fill=MARIGOLD)
    return image


def _relief(x: float, z: float) -> float:
    """Return how far the wall is from its plane: it was plastered by hand over blocks of coral."""
    broad: float = noise.noise((x * 1.7, z * 2.1, 3))
    middle: float = noise.noise((x * 5, z * 6, 8))
    fine: float = noise.noise((x * 17, z * 17, 1))
    return 0.014 * broad + 0.006 * middle + 0.002 * fine


def _poster(image: Image.Image, width: float, x: float, z: float, lift: float) -> None:
    """Paste a poster; `lift` is how far its lower right corner has come off."""
    height = width * image.height / image.width

    def bend(u: float, v: float) -> tuple[float, float, float]:
        loose = max(0.0, u / width - v / height - 0.62)
        crease = 0.0016 * abs(noise.noise((u * 6 + x, v * 3, 2)))
        return (
            u - loose * lift,
            v + loose * lift,
            _relief(x + u, z + v) + 0.003 + crease + lift * 5 * loose**2,
        )

    sheet(width, height, paper(image, 0.7, 0.14), (70, 100), bend, at=(x, 0, z), turn=(90, 0, 0))


def _carving(x: float, z: float) -> float:
    """Return the height of the door frame's carving: stars and flowers between two ropes."""
    side = abs(x)
    if side > 0.085:
        rope = math.sin((z + x * 0.9) * 190)
        return 0.010 * math.sqrt(max(0.0, 1 - abs(side - 0.098) / 0.012)) * (0.7 + 0.3 * rope)
    step = math.floor(z / 0.19)
    v = z - (step + 0.5) * 0.19
    r, a = math.hypot(x, v), math.atan2(v, x)
    if step % 2:
        far = 0.074 * (0.72 + 0.28 * math.cos(8 * a))
        cut = 0.011 * min(1.0, max(0.0, (far - r) / 0.012))
    else:
        inside = min(max(side, abs(v)), (side + abs(v)) / math.sqrt(2))
        cut = 0.011 * min(1.0, max(0.0, (0.058 - inside) / 0.012))
        cut -= 0.008 * min(1.0, max(0.0, (0.040 - inside) / 0.006))
    ring = 0.007 * max(0.0, 1 - abs(r - 0.084) / 0.005)
    return max(cut, ring, 0.012 * min(1.0, max(0.0, (0.022 - r) / 0.012)))


def _door() -> None:
    dark = wood("#160C07", "#3A2113", "#5A3620", 0.5, 0.42)
    trim = sheet(0.22, 2.2, dark, (130, 1100), lambda x, z: (x, z, _carving(x, z)), turn=(90, 0, 0))
    place(trim, (0.73, -0.095, 1.25), (90, 0, 0))
    box((0.222, 0.1, 2.2), dark, (0.73, -0.0445, 1.25), 0.006)
    box((0.07, 0.08, 2.2), dark, (0.885, -0.03, 1.25), 0.008)
    box((0.8, 0.05, 2.2), wood("#170D08", "#382216", "#553622", 0.8, 0.5), (1.33, -0.005, 1.25), 0.004)
    for x in (1.0, 1.2):
        box((0.014, 0.02, 2.2), dark, (x + 0.1, -0.035, 1.25), 0.004)
    boss = lathe(
        [(0, -0.035), (0.010, -0.024), (0.024, -0.006), (0.026, 0)],
        metal("#A98548", 0.32),
        radius=0.004,
        turns=40,
    )
    copies(boss, [((1.0, -0.03, 0.36 + 0.24 * i), (-math.pi / 2, 0, 0), (1, 1, -1)) for i in range(8)])


def _frond(spot: Vector, way: float, long: float) -> None:
    """Hang a palm leaf between the sun and a spot on the wall; `way` is where its tip points, in degrees."""
    verts: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    cos, sin = math.cos(math.radians(way)), math.sin(math.radians(way))
    for i in range(30):
        t = (i + 2) / 32
        size = 0.42 * long * math.sin(math.pi * (0.12 + 0.8 * t)) ** 0.7
        for side in (-1, 1):
            lean = side * math.radians(68 - 44 * t + 5 * math.sin(i * 2.3 + side))
            x, y = long * (t - 0.5), -0.18 * long * t * t
            foot = len(verts)
            for along, wide in ((0, 0.004), (0.35, 0.013), (1, 0.0)):
                for edge in (-1, 1):
                    u = x + along * size * math.cos(lean) - edge * wide * math.sin(lean)
                    v = y + along * size * math.sin(lean) + edge * wide * math.cos(lean) - 0.06 * along**2
                    verts.append((u * cos - v * sin, u * sin + v * cos, 0))
            faces += [(foot, foot + 1, foot + 3, foot + 2), (foot + 2, foot + 3, foot + 5, foot + 4)]
    leaf = mesh("frond", verts, faces, paint(LEAF))
    leaf.location = spot - LIGHT * 1.5
    aim(leaf, spot)


def _cushion(width: float, depth: float, height: float, cover: Any, at: tuple[float, float, float]) -> None:
    for side in (-1, 1):

        def bend(x: float, y: float, side: int = side) -> tuple[float, float, float]:
            puff = max(0.0, (1 - abs(2 * x / width) ** 3) * (1 - abs(2 * y / depth) ** 3)) ** 0.45
            pull = 1 - 0.05 * puff
            return x / pull, y / pull, side * height / 2 * puff + 0.006 * noise.noise((x * 9, y * 9, side))

        sheet(width, depth, cover, (60, 50), bend, at=at, turn=(0, 0, 7))


def build() -> None:
    """Set the lane."""
    start(0.25, bounces=6)
    air("#9DB8D8", 0.5)
    lime, _ = canvas(2600, 1900, "#EFE5D5")
    skin = weathered(weather(lime, 11, soil=0.45, chipped=0.8))
    sheet(
        3.6, 2.6, skin, (300, 220), lambda x, y: (x, y, _relief(x, y + 1.3)), at=(0, 0, 1.3), turn=(90, 0, 0)
    )
    _poster(_draw_star(), 0.62, -0.27, 1.27, 0.03)
    _poster(_draw_arches(), 0.5, 0.345, 1.20, 0.09)
    _door()
    box((2.6, 0.44, 0.44), plaster("#CDBDA4", 3, 0.012, 0.25), (-1.2, -0.2, 0.22), 0.03)
    _cushion(0.56, 0.44, 0.16, cloth(_draw_kikoi(), threads=260), (-0.55, -0.21, 0.515))
    for spot, way, long in (
        (Vector((-0.72, 0, 1.50)), -28, 1.25),
        (Vector((-0.55, 0, 1.98)), -6, 1.2),
        (Vector((0.42, 0, 1.80)), -62, 0.9),
    ):
        _frond(spot, way, long)
    sun(LIGHT, 4.6, "#FFD6A2", 0.6)
    camera((-0.5, -3.05, 1.28), (0.0, 0, 1.09), 54, 5.6, (-0.1, 0, 1.2))
