"""A hand-thrown blue bowl mended with gold, a tag, "Made in Kisii", and behind it a flawless white bowl."""

import math
import random
from itertools import pairwise
from typing import Any

from mathutils import noise as fields
from PIL import Image

from agency_site.brand import BRAND, INK
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import (
    bump,
    ceramic,
    coordinates,
    glaze,
    metal,
    mix,
    node,
    noise,
    paint,
    paper,
    plain,
    plaster,
    put,
    ramp,
    wood,
)
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.shapes import Place, backdrop, box, card, group, lathe, place, sheet, tube

BOWL = (-0.035, 0.0, 0.020)


def _draw_tag() -> Image.Image:
    image, draw = canvas(1000, 560, "#D9B88A")
    draw.ellipse((60, 230, 150, 320), fill="#8A6A40")
    draw.ellipse((82, 252, 128, 298), fill="#2A1A10")
    write(draw, (570, 225), "Made in", 120, INK, 600)
    write(draw, (570, 385), "Kisii", 210, BRAND, 800, DISPLAY)
    return image


def _wall_of_bowl(angle: float, t: float, inset: float = 0.0) -> tuple[float, float, float]:
    """Return a place on the bowl, from the foot (t = 0) to the rim (1), with a hand's ridges and wobble."""
    radius = 0.036 + 0.056 * math.sin(t * math.pi / 2) ** 0.85 + 0.004 * t**3
    ridges = 0.00042 * math.sin(t * 62 + angle) * (1 - inset / 0.02)
    wobble = 1 + 0.04 * fields.noise((math.cos(angle) * 0.8, math.sin(angle) * 0.8, t * 0.9))
    r = (radius + ridges - inset) * wobble
    z = (
        0.012
        + 0.078 * t**1.25
        + 0.005 * t * fields.noise((math.cos(angle), math.sin(angle), 5.0))
        + inset * 0.9 * (1 - t)
    )
    return r * math.cos(angle), r * math.sin(angle), z


def _glaze_over_clay() -> Any:
    """Return blue glaze that ends in a wavy line above the bare clay of the foot."""
    made = ceramic("#1D5D74")
    tree = made.node_tree
    surface = tree.nodes["Principled BSDF"]
    height = node(tree, "SeparateXYZ", Vector=coordinates(tree, (1, 1, 1))).outputs[2]
    edge = node(tree, "MapRange", Value=noise(tree, 22, detail=1), To_Min=-0.011, To_Max=0.011).outputs[0]
    line = node(tree, "Math", operation="ADD")
    put(tree, line.inputs[0], height)
    put(tree, line.inputs[1], edge)
    covered = ramp(
        tree,
        node(tree, "MapRange", Value=line, From_Min=0.018, From_Max=0.034).outputs[0],
        (0.44, 0.0),
        (0.5, 1.0),
    )
    clay = ramp(tree, noise(tree, 70), (0.3, "#8A5232"), (0.7, "#B0764C"))
    base = surface.inputs["Base Color"]
    put(tree, base, mix(tree, covered, clay, base.links[0].from_socket))
    put(tree, surface.inputs["Coat Weight"], covered)
    put(tree, surface.inputs["Normal"], bump(tree, (covered, 0.4, 0.0012), (noise(tree, 120), 0.25, 0.0006)))
    return made


def _seam(points: list[tuple[float, float]], gold: Any, inset: float) -> Any:
    """Return a raised line of gold along the bowl through (degrees, share of the height)."""
    spots = []
    for (a, t), (b, s) in pairwise(points):
        for i in range(7):
            k = i / 7
            angle = math.radians(a + (b - a) * k + random.uniform(-0.7, 0.7))
            x, y, z = _wall_of_bowl(angle, min(1.0, t + (s - t) * k), inset)
            spots.append((x, y, z, random.uniform(0.75, 1.25)))
    spots.append((*_wall_of_bowl(math.radians(points[-1][0]), points[-1][1], inset), 0.6))
    return tube(spots, 0.00135, gold)


def _bowl(at: Place) -> None:
    skin = _glaze_over_clay()
    thick = 0.0055

    def outside(u: float, v: float) -> tuple[float, float, float]:
        return _wall_of_bowl(u, v + 0.5)

    def inside(u: float, v: float) -> tuple[float, float, float]:
        return _wall_of_bowl(-u, v + 0.5, thick)

    def lip(u: float, v: float) -> tuple[float, float, float]:
        (x, y, z), (p, q, w) = _wall_of_bowl(u, 1), _wall_of_bowl(u, 1, thick)
        k = v + 0.5
        return x + (p - x) * k, y + (q - y) * k, z + (w - z) * k + 0.0026 * math.sin(math.pi * k)

    gold = metal("#E0AC45", 0.22, (1, 1, 1), 90)
    cracks = [
        [(-112, 1.0), (-107, 0.78), (-113, 0.58), (-104, 0.40), (-100, 0.16)],
        [(-104, 0.40), (-92, 0.52), (-80, 0.50), (-66, 0.66), (-58, 0.82), (-53, 1.0)],
        [(-100, 0.16), (-118, 0.10), (-140, 0.22)],
        [(-80, 0.50), (-74, 0.30), (-60, 0.22)],
    ]
    rear = [
        [(-112, 1.0), (-109, 0.7), (-114, 0.4)],
        [(-53, 1.0), (-60, 0.7), (-75, 0.5)],
        [(68, 1.0), (60, 0.72), (72, 0.5), (64, 0.25)],
    ]
    parts = [
        sheet(math.tau, 1, skin, (180, 90), outside),
        sheet(math.tau, 1, skin, (180, 50), inside),
        sheet(math.tau, 1, skin, (180, 6), lip),
        lathe([(0, 0.014), (0.033, 0.0142)], skin),
        lathe([(0.028, 0.002), (0.030, 0), (0.036, 0), (0.0375, 0.006), (0.0362, 0.014)], skin, wobble=0.02),
        *[_seam(crack, gold, 0.0) for crack in cracks],
        *[_seam(crack, gold, thick) for crack in rear],
    ]
    for degrees in (-112, -53, 68):
        spots = [lip(math.radians(degrees), -0.5 + k / 4) for k in range(5)]
        parts.append(tube(spots, 0.0014, gold))
    group(parts, at)


def _smear(at: Place, width: float, height: float, seed: float, clay: Any, turn: float) -> None:
    def bend(x: float, y: float) -> tuple[float, float, float]:
        cloud = fields.noise((x * 18 + seed, y * 60, seed)) + 0.5 * fields.noise((x * 70, y * 210, seed))
        fall = 1 - (2 * x / width) ** 2 - (2 * y / height) ** 2
        return x, y, 0.0022 * min(1.0, cloud + fall) - 0.0009

    sheet(width, height, clay, (90, 50), bend, at=at, turn=(0, 0, turn))


def _loop_tool(at: Place, turn: float) -> None:
    """Lay a potter's trimming tool: a handle, a brass collar and a loop of steel."""
    handle = lathe(
        [(0, -0.07), (0.004, -0.069), (0.0065, -0.05), (0.005, 0.0), (0.0055, 0.03), (0, 0.03)],
        wood("#6B4526", "#B98A55", "#D9B27C", 0.06),
    )
    collar = lathe([(0, 0.026), (0.0058, 0.026), (0.0045, 0.042), (0, 0.042)], metal("#C29547", 0.3))
    loop = tube(
        [
            (0, 0.002, 0.04),
            (0, 0.006, 0.05),
            (0, 0.014, 0.066),
            (0, 0, 0.079),
            (0, -0.014, 0.066),
            (0, -0.006, 0.05),
            (0, -0.002, 0.04),
        ],
        0.001,
        metal(),
    )
    group([handle, collar, loop], at, (90, 0, turn))


def build() -> None:
    start(0.55, bounces=6)
    air("#A9BCC9", 0.16)
    backdrop(plaster("#5C3B2D", 2.5, 0.003, 0.16), 4, 1.5, 1.6, 0.3, 0.85)
    board = wood("#6B4424", "#A87A4B", "#CFA471", 0.35, 0.6)
    box((0.62, 0.135, 0.020), board, (0.03, -0.050, 0.010), 0.003, (0, 0, -3))
    box((0.62, 0.135, 0.020), board, (0.05, 0.092, 0.010), 0.003, (0, 0, -2.4))
    clay = plaster("#91502F", 40, 0.0008, 0.24)
    _smear((-0.185, -0.045, 0.0204), 0.13, 0.05, 3.0, clay, 14)
    _smear((0.07, -0.088, 0.0204), 0.15, 0.03, 8.0, clay, -6)
    _smear((0.17, 0.06, 0.0204), 0.12, 0.06, 5.0, clay, 30)

    _bowl(BOWL)
    white = glaze("#EFECE6")
    outer = [(0, 0.004), (0.030, 0.004), (0.030, 0), (0.034, 0, 0.001), (0.036, 0.006), (0.066, 0.022, 0.02)]
    inner = [(0.084, 0.075), (0.0825, 0.0765), (0.063, 0.026, 0.02), (0.034, 0.010, 0.01), (0, 0.009)]
    lathe(outer + inner, white, (0.165, 0.125, 0.020), 0.001)
    tag = card(0.066, 0.037, paper(_draw_tag(), 0.75, 0.16), plaster("#D9B88A", 40, 0.0003), 0.0009)
    place(tag, (0.058, -0.0905, 0.0206), (-24, 0, 14))
    rest = (0.066, -0.0610, 0.0206)
    lathe([(0, 0), (0.010, 0), (0.012, 0.006), (0.007, 0.015), (0, 0.017)], clay, rest, 0.003, wobble=0.2)
    thread = plain("#E6D8BE", Roughness=0.9)
    tube(
        [
            (0.0295, -0.0955, 0.0385),
            (0.020, -0.104, 0.030),
            (0.004, -0.104, 0.0215),
            (-0.02, -0.094, 0.0212),
            (-0.01, -0.108, 0.0212),
            (0.015, -0.112, 0.0212),
        ],
        0.0007,
        thread,
    )
    _loop_tool((-0.150, -0.088, 0.0265), 66)
    lathe(
        [(0, 0), (0.05, 0), (0.07, 0.03), (0.05, 0.075), (0.02, 0.088), (0, 0.09)],
        paint("#9A6A48", 0.6, 0.8, 8, 0.004),
        (-0.23, 0.26, 0),
        0.02,
        wobble=0.25,
    )

    sun((0.93, 0.20, -0.34), 7.0, "#FFD5A0", 1.2)
    softbox((0.6, -0.7, 0.6), (0, 0, 0.05), 0.6, 0.6, 2.2, "#FFE8D2")
    softbox((-0.25, 0.55, 0.55), (-0.03, 0, 0.08), 0.3, 0.3, 3.5, "#FFF0DC")
    camera((-0.03, -0.66, 0.255), (0.018, 0.01, 0.063), 68, 4.5, focus=(-0.045, -0.085, 0.075))
