"""A phone with a diving page in beach sand between a diving mask, shells and a coil of rope."""

import math
import random
from typing import Any

from mathutils import noise as clouds
from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import INK, MARIGOLD, PAPER
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import (
    bump,
    coordinates,
    glowing,
    material,
    mix,
    node,
    noise,
    paint,
    put,
    ramp,
    screen,
)
from tools.studio.printing import DISPLAY, canvas, status_bar, write
from tools.studio.props import phone
from tools.studio.shapes import Place, box, copies, group, lathe, place, sheet, slab, tube, wall

_DEEP, _SEA, _FOAM = "#0C5A78", "#1FA3A8", "#BFEDE4"
_SPOT = (0.035, 0.0)


def build() -> None:
    """Set the scene."""
    start(0.35, bounces=6)
    air("#A9D0E6", 0.3)
    sheet(3.2, 2.6, _sand(), (330, 330), _beach, at=(0, 0.3, 0))
    phone(_draw_screen(), (*_SPOT, 0.0705), (-11, 3, -8))
    _mask((-0.118, 0.052, 0.036), (-24, 4, 24))
    _rope((0.185, 0.13, 0.010))
    _scallop((0.118, -0.088, 0.004), (12, -10, 28))
    cowrie = _cowrie()
    place(cowrie, (-0.052, -0.112, 0.0085), (90, 0, 55))
    cowrie.scale = (1, 0.72, 1)
    place(_cowrie(), (-0.082, -0.092, 0.007), (90, 10, 130)).scale = (0.75, 0.55, 0.75)

    wall(10, 3, screen(_draw_sea(), 0.95), 5.5, z=-1.35)
    glint = sheet(0.014, 0.014, glowing("#FFF6DF", 13), turn=(90, 0, 0))
    spots: list[tuple[Place, Place, float]] = []
    for _ in range(26):
        z = random.uniform(-0.26, 0.08)
        spots.append(
            ((random.gauss(0.3, 1.2), 5.3, z), (math.pi / 2, 0, 0), random.uniform(0.5, 1.2) * (1.3 + 2 * z))
        )
    for copy in copies(glint, spots):
        copy.visible_diffuse = copy.visible_glossy = False

    sun((0.8, -0.22, -0.55), 8.5, "#FFDDAE", 0.7)
    softbox((-0.7, -0.7, 0.5), (0, 0, 0.06), 0.5, 0.5, 6, "#FFF0DC")
    camera((-0.03, -0.74, 0.165), (-0.004, 0.0, 0.079), 82, 4.0, focus=(0.03, -0.01, 0.08))


def _beach(x: float, y: float) -> tuple[float, float, float]:
    away = math.hypot((x - _SPOT[0]) / 1.5, y + 0.3 - _SPOT[1])
    z = 0.006 * clouds.noise((x * 7, y * 9, 1)) + 0.0035 * clouds.noise((x * 24, y * 38, 2))
    z *= min(1.0, 0.25 + away * 5)
    z += 0.013 * math.exp(-((away / 0.03) ** 2))
    return x, y, z - 0.12 * max(0.0, y - 0.55) ** 2


def _sand() -> Any:
    made, tree, surface = material("sand", Roughness=0.9, Specular_IOR_Level=0.2)
    grains = ramp(tree, noise(tree, 900, detail=2), (0.35, "#A98257"), (0.5, "#DCC296"), (0.68, "#F0DFBC"))
    damp = ramp(tree, noise(tree, 6), (0.35, 0.86), (0.65, 1.0))
    put(tree, surface.inputs["Base Color"], mix(tree, 1.0, grains, damp, "MULTIPLY"))
    heights = ((noise(tree, 60), 0.5, 0.004), (noise(tree, 420, detail=2), 0.6, 0.0016))
    put(tree, surface.inputs["Normal"], bump(tree, *heights))
    return made


def _mask(at: Place, turn: Place) -> Any:
    rubber = paint("#14262E", 0.4, 0.6, 20, 0.0003)
    frame = paint(MARIGOLD, 0.25, 0.4, 20, 0.0003, Coat_Weight=0.4)
    lens = material("lens", Base_Color="#0B3B48", Roughness=0.04, Coat_Weight=1.0, Coat_Roughness=0.02)[0]
    parts: list[Any] = [
        slab(0.158, 0.086, 0.056, 0.036, rubber, 0.010, at=(0, 0.012, 0)),
        box((0.036, 0.040, 0.042), rubber, (0, -0.018, -0.026), 0.014, (18, 0, 0)),
        box((0.026, 0.012, 0.012), frame, (0, -0.022, 0.018), 0.004),
    ]
    for side in (-1, 1):
        parts.append(
            slab(
                0.075,
                0.066,
                0.011,
                0.029,
                frame,
                0.003,
                at=(side * 0.0395, -0.019, 0.004),
                turn=(0, 0, side * 5),
            )
        )
        parts.append(
            slab(
                0.061,
                0.052,
                0.004,
                0.023,
                lens,
                0.001,
                at=(side * 0.0395, -0.0236, 0.004),
                turn=(0, 0, side * 5),
            )
        )
        parts.append(box((0.012, 0.03, 0.024), frame, (side * 0.082, 0.012, 0.002), 0.003))
    strap = [(-0.082, 0.02, 0.004), (-0.092, 0.06, 0.006), (-0.06, 0.115, -0.004), (0, 0.128, -0.012),
             (0.06, 0.115, -0.004), (0.092, 0.06, 0.006), (0.082, 0.02, 0.004)]  # fmt: skip
    parts += [tube([(x, y, z + dz) for x, y, z in strap], 0.0045, rubber) for dz in (-0.006, 0.0, 0.006)]
    pipe = [
        (-0.094, 0.055, -0.026),
        (-0.10, 0.0, -0.034),
        (-0.101, -0.01, -0.01),
        (-0.103, -0.002, 0.07),
        (-0.112, 0.03, 0.2),
    ]
    parts.append(tube(pipe, 0.0105, frame))
    return group(parts, at, turn)


def _rope(at: Place) -> None:
    hemp = paint("#C9A873", 0.75, 0.9, 160, 0.0012, 0.35)
    steps = 330
    for strand in range(3):
        points = []
        for i in range(steps):
            share = i / (steps - 1)
            a = share * math.tau * 6.4
            lap = int(share * 6.4)
            radius = 0.082 - 0.0165 * (a / math.tau % 3.2) + (0.006 if lap > 2 else 0)
            twist = i * 0.42 + strand * math.tau / 3
            out, up = 0.0048 * math.cos(twist), 0.0048 * math.sin(twist)
            z = min(1.0, max(0.0, (share - 0.48) / 0.04)) * 0.016
            points.append(
                ((radius + out) * math.cos(a), (radius + out) * math.sin(a), z + up + 0.002 * math.sin(a * 3))
            )
        tube(points, 0.0056, hemp, at)


def _scallop(at: Place, turn: Place) -> Any:
    made, tree, surface = material("shell", Roughness=0.35, Coat_Weight=0.2)
    far = node(tree, "VectorMath", Vector=coordinates(tree), operation="LENGTH").outputs["Value"]
    rings = ramp(tree, node(tree, "MapRange", Value=far, From_Max=0.05).outputs[0],
                 (0.1, "#F4E2CF"), (0.45, "#E8A88A"), (0.6, "#F2CDB4"), (0.8, "#D98468"),
                 (1.0, "#F3D9C4"))  # fmt: skip
    put(tree, surface.inputs["Base Color"], rings)

    def fan(x: float, y: float) -> tuple[float, float, float]:
        a, r = x * 1.15, (y + 0.5) * (0.046 + 0.0012 * math.cos(x * 72))
        bulge = 0.017 * math.sin(math.pi * min(1.0, (y + 0.5) * 0.86 + 0.08)) * math.cos(a)
        ridge = 0.0013 * math.cos(x * 72) * (y + 0.5)
        return r * math.sin(a), r * math.cos(a), bulge + ridge

    return sheet(2, 1, made, (150, 24), fan, thick=0.0012, at=at, turn=turn)


def _cowrie() -> Any:
    made, tree, surface = material("cowrie", Roughness=0.15, Coat_Weight=0.6)
    spots = ramp(tree, noise(tree, 170, detail=1), (0.5, "#E9D2AE"), (0.6, "#6E3E22"))
    put(tree, surface.inputs["Base Color"], spots)
    return lathe(
        [(0, -0.018), (0.005, -0.017), (0.0115, -0.004), (0.0115, 0.004), (0.006, 0.015), (0, 0.017)],
        made,
        radius=0.008,
    )


def _waves(
    draw: ImageDraw.ImageDraw, width: int, y: float, high: float, step: float, shift: float, colour: str
) -> None:
    crest = [
        (x, y - high * math.sin(x / step + shift) - high * 0.3 * math.sin(x / step * 2.3))
        for x in range(0, width + 1, 10)
    ]
    draw.polygon([(0, 1900), *crest, (width, 1900)], fill=colour)


def _draw_screen() -> Image.Image:
    image, draw = canvas(900, 1900, "#FBE7C4")
    draw.ellipse((610, 290, 830, 510), fill="#F7B64A")
    for y, high, step, shift, colour in (
        (430, 26, 120, 0.0, "#8FD9D2"),
        (520, 30, 150, 1.4, "#3FB8B8"),
        (620, 34, 130, 3.0, "#15899A"),
        (730, 30, 170, 4.4, _DEEP),
    ):
        _waves(draw, 900, y, high, step, shift, colour)
    status_bar(draw, 900, INK)
    write(draw, (70, 230), "Bahari Dive", 100, _DEEP, 800, DISPLAY, "lm")
    for i, words in enumerate(("Down", "with the", "turtles")):
        write(draw, (66, 880 + i * 158), words, 176, PAPER, 800, DISPLAY, "lm")
    draw.rounded_rectangle((60, 1322, 840, 1450), 34, "#0A4762")
    write(draw, (450, 1384), "Sat 7:30, 2 places left", 68, "#FFE2A6", 700)
    draw.rounded_rectangle((60, 1490, 840, 1640), 75, MARIGOLD)
    write(draw, (450, 1563), "Pay deposit", 76, INK, 800)
    return image


def _draw_sea() -> Image.Image:
    image, draw = canvas(2400, 720, "#DDEFF2")
    horizon, foam = 357, 465
    for y in range(horizon):
        share = max(0.0, (y - 200) / (horizon - 200))
        draw.line(
            (0, y, 2400, y),
            fill=(round(70 + 168 * share**2), round(150 + 76 * share), round(208 + 12 * share)),
        )
    for y in range(horizon, foam):
        share = (y - horizon) / (foam - horizon)
        draw.line(
            (0, y, 2400, y),
            fill=(round(16 + 40 * share**2), round(106 + 92 * share), round(138 + 54 * share)),
        )
    draw.rectangle((0, foam, 2400, 720), fill="#D9C39B")
    for _ in range(90):
        x, deep = random.uniform(0, 2400), random.triangular(horizon + 14, foam, foam)
        wide = random.uniform(30, 120)
        draw.ellipse(
            (x - wide, deep - 2, x + wide, deep + 2 + (deep - horizon) / 40),
            fill=_FOAM if deep > foam - 24 else _SEA,
        )
    draw.rectangle((0, foam - 8, 2400, foam + 6), fill="#F6FBF8")
    return image.filter(ImageFilter.GaussianBlur(2))
