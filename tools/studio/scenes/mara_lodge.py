"""A tablet with a sunrise leans on a folded red shuka beside a lit lantern, in a canvas tent at dusk."""

import math
import random
from itertools import pairwise
from typing import Any

from mathutils import noise as clouds
from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import WHITE, cloth, glass, glaze, glowing, metal, paint, screen, wood
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.props import tablet
from tools.studio.shapes import Place, box, group, lathe, sheet, tube, wall


def build() -> None:
    """Set the scene."""
    start(0.5, bounces=8)
    air("#4A5E8C", 0.16)
    planks = [wood("#2A1A10", "#5C3A22", "#7E5633", 0.5 + 0.12 * i, 0.5) for i in range(3)]
    for i in range(8):
        box((2.6, 0.118, 0.03), planks[i % 3], (random.uniform(-0.2, 0.2), -0.5 + 0.12 * i, -0.015), 0.003)

    tablet(_draw_screen(), (0.045, -0.012, 0.0875), (-15, 0, -7))
    folded_cloth(cloth(_draw_shuka(), 0.14, 700), 0.36, 0.2, 8, (0.205, 0.118, 0), (0, 0, -9))
    lantern((-0.165, 0.155, 0))
    enamel_mug((-0.142, -0.075, 0), 215)

    tent = cloth(Image.new("RGB", (64, 64), "#CDB180"), 0.3, 900)

    def hang(x: float, y: float) -> tuple[float, float, float]:
        near = max(0.0, 0.5 - x / 2.4) ** 2
        pull = 0.3 * near * math.exp(-(((y + 0.42) / 0.3) ** 2))
        return (
            x + pull,
            (0.03 + 0.06 * near) * math.sin(x * 26 + 5 * near) + 0.03 * clouds.noise((x * 3, y * 2, 1)),
            y,
        )

    canvas_wall = sheet(2.4, 2.4, tent, (160, 60), lambda x, y: hang(x, y), thick=0.001)
    canvas_wall.location = (1.06, 0.85, 0.7)
    box(
        (0.035, 0.035, 2.4),
        wood("#2A1A10", "#6B4A2C", "#8A6540", 0.3, 0.6),
        (0.34, 0.78, 0.5),
        0.012,
        (0, 90, 90),
    )
    wall(9, 6.75, screen(_draw_dusk(), 0.9), 7.0, x=-1.6, z=-2.0)

    lamp("POINT", (-0.165, 0.155, 0.108), (0, 0, 0), 3.6, "#FFB061", shadow_soft_size=0.012)
    softbox((-0.12, 0.62, 0.62), (0.6, 0.85, 0.2), 0.2, 0.2, 9, "#FFB264")
    softbox((-0.75, -0.35, 0.62), (0.02, 0.02, 0.05), 0.3, 0.4, 11, "#FFCB92")
    softbox((-0.7, 0.7, 0.45), (0.0, 0.1, 0.1), 0.3, 0.5, 4.5, "#8FA8E8")
    softbox((0.62, -0.35, 0.42), (0.2, 0.05, 0.05), 0.25, 0.4, 6.5, "#FFD2A2")
    camera((-0.06, -0.88, 0.215), (0.001, 0.04, 0.106), 70, 3.6, focus=(0.04, -0.02, 0.1))


def folded_cloth(
    material: Any, width: float, deep: float, layers: int, at: Place, turn: Place = (0, 0, 0)
) -> Any:
    """Return a blanket folded into `layers`, with its round folds to the front and to the back."""
    pitch = 0.0155
    bow = math.pi * pitch / 2
    total = layers * deep + (layers - 1) * bow

    def bend(x: float, y: float) -> tuple[float, float, float]:
        layer, rest = divmod(min(y + total / 2, total - 1e-6), deep + bow)
        way = 1 if layer % 2 else -1
        out = 0.012 * clouds.noise((layer * 7.3, 0.5, x * 2))
        z = pitch * (layer + 0.5)
        if rest < deep:
            y = way * (deep / 2 - rest)
        else:
            a = (rest - deep) / bow * math.pi
            y = -way * (deep / 2 + pitch / 2 * math.sin(a))
            z += pitch / 2 * (1 - math.cos(a))
        sag = 0.006 * clouds.noise((x * 9, y * 9, layer * 0.4)) + 0.004 * clouds.noise(
            (x * 31, y * 22, layer * 3)
        )
        return x + 0.008 * clouds.noise((y * 5, layer * 3.1, 2)), y + out, z + sag * min(1, z * 25)

    return sheet(width, total, material, (70, layers * 24), bend, thick=0.006, at=at, turn=turn)


def lantern(at: Place) -> Any:
    """Return a lit paraffin lantern, 26 cm high."""
    shell, steel = paint(LAKE, 0.3, 0.5, 20, 0.0005, 0.2, Coat_Weight=0.3), metal("#B7A88E", 0.35)
    globe = lathe(
        [(0.026, 0.070), (0.041, 0.095), (0.041, 0.125), (0.030, 0.158), (0.0285, 0.158), (0.0395, 0.125),
         (0.0395, 0.095), (0.0245, 0.070)],
        glass("#FFF6E8"), radius=0.012,
    )  # fmt: skip
    globe.visible_shadow = False
    flame = lathe(
        [(0, 0.084), (0.005, 0.087), (0.0075, 0.097), (0.004, 0.112), (0.001, 0.124), (0, 0.126)],
        glowing("#FFB04A", 26), radius=0.006, turns=32,
    )  # fmt: skip
    flame.visible_shadow = False
    parts = [
        lathe([(0, 0), (0.056, 0), (0.061, 0.006), (0.061, 0.028), (0.046, 0.044), (0.022, 0.05), (0, 0.05)],
              shell, radius=0.008),
        lathe([(0, 0.05), (0.017, 0.05), (0.017, 0.062), (0.031, 0.066), (0.031, 0.071), (0, 0.071)], steel),
        lathe([(0, 0.074), (0.006, 0.074), (0.005, 0.086), (0, 0.086)], steel),
        lathe([(0.0, 0.158), (0.034, 0.158), (0.036, 0.164), (0.026, 0.172), (0.024, 0.19), (0.034, 0.196),
               (0.030, 0.206), (0.012, 0.214), (0, 0.215)], shell, radius=0.004),
        globe,
        flame,
    ]  # fmt: skip
    for side in (-1, 1):
        line = [(0.052, 0.02), (0.064, 0.05), (0.062, 0.11), (0.055, 0.17), (0.026, 0.186)]
        parts.append(tube([(side * x, 0, z) for x, z in line], 0.0055, shell))
    arc = [
        (0.06, 0.15),
        (0.066, 0.2),
        (0.045, 0.262),
        (0, 0.285),
        (-0.045, 0.262),
        (-0.066, 0.2),
        (-0.06, 0.15),
    ]
    parts.append(tube([(x, 0.004, z) for x, z in arc], 0.0015, steel))
    return group(parts, at, (0, 0, 18))


def enamel_mug(at: Place, turn: float = 0, colour: str = WHITE) -> Any:
    """Return an enamelled mug with a blue rim, 8 cm wide; its handle is along X."""
    white, rim = glaze(colour), glaze("#1D3F73")
    body = lathe(
        [(0, 0), (0.036, 0), (0.038, 0.003), (0.040, 0.074), (0.0385, 0.074), (0.0365, 0.005), (0, 0.004)],
        white, radius=0.002,
    )  # fmt: skip
    edge = lathe(
        [(0.0397, 0.071), (0.0411, 0.0725), (0.0411, 0.075), (0.0382, 0.075), (0.0380, 0.071)],
        rim,
        radius=0.0008,
    )
    line = [(0.039, 0, 0.058), (0.062, 0, 0.064), (0.071, 0, 0.042), (0.060, 0, 0.02), (0.038, 0, 0.018)]
    tea = lathe([(0, 0.062), (0.0385, 0.062)], paint("#5A2E14", 0.08, 0.1, 20, 0.00001), radius=0.001)
    return group([body, edge, tube(line, 0.0042, rim), tea], at, (0, 0, turn))


def _draw_screen() -> Image.Image:
    image, draw = canvas(1600, 1120, "#F6C27A")
    for i, colour in enumerate(("#F3B163", "#F09B4F", "#E98645")):
        draw.rectangle((0, 250 + 130 * i, 1600, 1120), fill=colour)
    draw.ellipse((880, 190, 1420, 730), fill="#FFE3A6")
    draw.ellipse((930, 240, 1370, 680), fill="#FFF4D2")
    for height, swing, step, shift, colour in (
        (560, 60, 210, 0.4, "#B5553A"),
        (660, 70, 300, 2.2, DEEP),
        (790, 46, 260, 4.0, INK),
    ):
        hill = [
            (x, height - swing * math.sin(x / step + shift) - 22 * math.sin(x / 83 + shift))
            for x in range(0, 1601, 20)
        ]
        draw.polygon([(0, 1120), *hill, (1600, 1120)], fill=colour)
    write(draw, (90, 92), "Mara Lodge", 78, DEEP, 800, DISPLAY, "lm")
    for i, words in enumerate(("Tents", "Drives", "Reach us")):
        write(draw, (1010 + i * 170, 92), words, 40, DEEP, 700, anchor="lm")
    for i, words in enumerate(("Wake up", "with the herd")):
        write(draw, (86, 300 + i * 150), words, 150, INK, 800, DISPLAY, "lm")
    write(draw, (90, 930), "Rates: residents KSh 14,500", 74, PAPER, 700, anchor="lm")
    write(draw, (90, 1020), "A night for two, with meals", 46, SAND, 500, anchor="lm")
    draw.rounded_rectangle((1130, 900, 1510, 1020), 60, MARIGOLD)
    write(draw, (1320, 958), "See dates", 54, INK, 800)
    return image


def _draw_shuka() -> Image.Image:
    image, draw = canvas(1800, 8000, BRAND)
    for x in range(0, 1800, 300):
        draw.rectangle((x, 0, x + 120, 8000), fill="#A8241E")
    for y in range(0, 8000, 300):
        draw.rectangle((0, y, 1800, y + 26), fill="#1B1626")
        draw.rectangle((0, y + 60, 1800, y + 86), fill="#1B1626")
        draw.rectangle((0, y + 170, 1800, y + 178), fill="#E8D9C4")
    for x in range(0, 1800, 300):
        for wide, colour in ((0, "#1B1626"), (60, "#1B1626")):
            draw.rectangle((x + 40 + wide, 0, x + 66 + wide, 8000), fill=colour)
    return image


def _draw_dusk() -> Image.Image:
    image, draw = canvas(1200, 900, "#26304F")
    sky = (
        (0.0, (34, 48, 96)),
        (0.52, (52, 62, 116)),
        (0.66, (150, 96, 122)),
        (0.74, (240, 142, 84)),
        (0.79, (255, 196, 110)),
        (1.0, (255, 196, 110)),
    )
    for y in range(900):
        for (low, one), (high, two) in pairwise(sky):
            if low <= y / 900 <= high:
                share = (y / 900 - low) / (high - low)
                draw.line(
                    (0, y, 1200, y),
                    fill=tuple(round(a + (b - a) * share) for a, b in zip(one, two, strict=True)),
                )
    hill = [(x, 702 - 12 * math.sin(x / 120) - 6 * math.sin(x / 47)) for x in range(0, 1201, 20)]
    draw.polygon([(0, 900), *hill, (1200, 900)], fill="#241B2B")
    for x, y, wide in ((790, 700, 95), (640, 704, 60)):
        draw.line((x, y, x + 8, y - wide), fill="#17121C", width=7)
        for _ in range(26):
            px, py = x + random.uniform(-wide, wide), y - wide - random.uniform(-4, 12)
            draw.ellipse((px - 20, py - 5, px + 20, py + 5), fill="#17121C")
    return image
