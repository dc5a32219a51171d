"""A laptop with a green farm shop on a table in morning sun, beside a crate of tomatoes and two mangoes."""

import math
import random
from typing import Any

from PIL import Image, ImageDraw

from agency_site.brand import BRAND, INK, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import (
    coordinates,
    glowing,
    material,
    mix,
    node,
    noise,
    paint,
    paper,
    put,
    ramp,
    wood,
)
from tools.studio.printing import DISPLAY, browser_bar, canvas, triangles, write
from tools.studio.props import foliage, laptop
from tools.studio.shapes import Place, box, copies, group, lathe, mesh, place, sheet, wall

_LIME = "#8FB23A"
_DARK = "#12513C"


def build() -> None:
    """Set the scene."""
    start(0.4, bounces=6)
    air("#CFE0D2", 0.2)
    _set_table()
    laptop(_draw_screen(), (0.055, 0.0, 0), (0, 0, -13), lean=15)
    crate((-0.31, 0.13, 0), (0, 0, 14))
    for at, turn, size in (
        ((-0.175, -0.135, 0.034), (80, 12, 35), 1.0),
        ((-0.248, -0.075, 0.034), (95, -8, 125), 1.0),
    ):
        place(mango(), at, turn).scale = (size, size * 0.9, size)
    tomato = tomatoes([((0.205, -0.145, 0.0285), (0.5, 0.25, 0.5), 0.96)])
    group(tomato)
    _set_bag((0.27, 0.27, 0))

    field = glowing("#FFFFFF", 1.5)
    tree = field.node_tree
    glow = ramp(
        tree,
        noise(tree, 2.2, (1, 1.6, 1)),
        (0.34, "#17402A"),
        (0.46, "#4E8A3E"),
        (0.58, "#C9CE6A"),
        (0.72, "#FFF3C4"),
    )
    put(tree, tree.nodes["Principled BSDF"].inputs["Emission Color"], glow)
    wall(9, 5, field, 3.6, z=-2.2)
    foliage((-0.66, 1.2, 0.2), (0.17, 0.14, 0.14), 130, (0.08, 0.15), "#3E8A3A")
    foliage((0.85, 1.5, 0.2), (0.3, 0.2, 0.26), 110, (0.08, 0.17), "#4C9440")
    foliage((-0.9, 0.98, 1.25), (0.34, 0.3, 0.26), 70, (0.08, 0.15))
    box((0.09, 0.09, 2.4), wood("#2A1B10", "#6A4A2E", "#94704A", 0.5, 0.7), (-0.2, 1.0, 0.4), 0.006)

    sun((0.62, -0.56, -0.66), 11, "#FFDFAE", 1.0)
    softbox((-0.7, -0.7, 0.6), (0.02, 0, 0.06), 0.45, 0.45, 6, "#FFF0DC")
    softbox((0.8, -0.2, 0.4), (0.05, 0, 0.08), 0.25, 0.5, 5, "#FFE4C0")
    camera((-0.10, -1.12, 0.33), (-0.012, 0.02, 0.092), 76, 4.0, focus=(0.05, 0.08, 0.1))


def tomatoes(spots: list[tuple[Place, Place, float]]) -> list[Any]:
    """Return tomatoes with their green stars at the places; they are 7 cm wide."""
    skin = paint("#C02A16", 0.16, 0.3, 30, 0.0002, 0.3, Coat_Weight=0.5, Coat_Roughness=0.12)
    body = lathe(
        [(0, 0.021), (0.007, 0.0225), (0.022, 0.030), (0.0355, 0.014), (0.0355, -0.01), (0.024, -0.027),
         (0, -0.028)],
        skin, radius=0.03, turns=60,
    )  # fmt: skip
    for vertex in body.data.vertices:
        turn = 1 + 0.03 * math.cos(5 * math.atan2(vertex.co.y, vertex.co.x))
        vertex.co.x, vertex.co.y = vertex.co.x * turn, vertex.co.y * turn
    points: list[Place] = [(0, 0, 0.0255)]
    faces: list[tuple[int, ...]] = []
    for i in range(5):
        for angle, r, z in ((-0.32, 0.009, 0.0285), (0.05, 0.026, 0.0335), (0.32, 0.009, 0.0285)):
            a = math.tau * i / 5 + angle
            points.append((r * math.cos(a), r * math.sin(a), z))
        faces.append((0, 3 * i + 1, 3 * i + 2, 3 * i + 3))
    star = mesh("star", points, faces, paint("#3F6B2A", 0.5, 0.7))
    return copies(body, spots) + copies(star, spots)


def mango() -> Any:
    """Return a mango, 11 cm long along Z, green at one end and red on the side of the sun."""
    made, tree, surface = material("mango", Coat_Weight=0.25, Coat_Roughness=0.2)
    parts = node(tree, "SeparateXYZ", Vector=coordinates(tree)).outputs
    along = node(tree, "MapRange", Value=parts[2], From_Min=-0.05, From_Max=0.05).outputs[0]
    clouds = mix(tree, 0.35, along, noise(tree, 22))
    skin = ramp(tree, clouds, (0.3, "#4F7420"), (0.5, "#C9960F"), (0.66, "#D07A12"), (0.88, "#A62E16"))
    specks = ramp(tree, noise(tree, 260, detail=1), (0.66, 1.0), (0.72, 0.72))
    put(tree, surface.inputs["Base Color"], mix(tree, 1.0, skin, specks, "MULTIPLY"))
    put(tree, surface.inputs["Roughness"], ramp(tree, noise(tree, 40), (0.3, 0.25), (0.7, 0.42)))
    body = lathe(
        [(0, -0.055), (0.022, -0.052), (0.039, -0.02), (0.037, 0.016), (0.022, 0.047), (0.006, 0.055),
         (0, 0.054)],
        made, radius=0.03, turns=72, wobble=0.05,
    )  # fmt: skip
    for vertex in body.data.vertices:
        vertex.co.x += 0.007 * math.sin(vertex.co.z * 42)
    return body


def crate(at: Place, turn: Place) -> Any:
    """Return a crate of thin boards, 34 by 24 cm, heaped with tomatoes."""
    boards = [wood("#6B4A2C", "#B98E5C", "#D9B680", 0.22 + 0.05 * i, 0.65) for i in range(3)]
    parts = []
    for level in range(3):
        z = 0.028 + level * 0.05
        for side in (-1, 1):
            tilt = random.uniform(-0.8, 0.8)
            parts.append(
                box(
                    (0.34, 0.008, 0.042),
                    boards[(level + side) % 3],
                    (0, side * 0.121, z),
                    0.0015,
                    (0, tilt, 0),
                )
            )
            parts.append(box((0.234, 0.008, 0.042), boards[level], (side * 0.165, 0, z), 0.0015, (0, 0, 90)))
    parts += [
        box((0.15, 0.02, 0.02), boards[0], (x, y, 0.077), 0.002, (0, 90, 0))
        for x in (-0.151, 0.151)
        for y in (-0.107, 0.107)
    ]
    parts.append(box((0.33, 0.234, 0.05), paint("#3A1810", 0.8, 0.9), (0, 0, 0.03), 0.002))
    spots: list[tuple[Place, Place, float]] = []
    for layer, (columns, rows, z) in enumerate(((5, 3, 0.088), (4, 3, 0.134), (3, 2, 0.178))):
        for column in range(columns):
            for row in range(rows):
                x = (column - (columns - 1) / 2) * 0.066 + (0.016 if row % 2 and layer else 0)
                y = (row - (rows - 1) / 2) * 0.066
                turns = (random.gauss(0, 0.7), random.gauss(0, 0.7), random.uniform(0, math.tau))
                spot = (x + random.gauss(0, 0.003), y + random.gauss(0, 0.003), z + random.gauss(0, 0.004))
                spots.append((spot, turns, random.uniform(0.88, 1.0)))
    return group([*parts, *tomatoes(spots)], at, turn)


def _set_table() -> None:
    planks = [wood("#38230F", "#6E4A2C", "#956D43", 0.24 + 0.06 * i, 0.6) for i in range(3)]
    for i in range(8):
        x = random.uniform(-0.2, 0.2)
        box((3.0, 0.128, 0.03), planks[i % 3], (x, -0.52 + 0.1305 * i, -0.015), 0.003)


def _set_bag(at: Place) -> None:
    front, draw = canvas(800, 1100, "#B58A5C")
    triangles(draw, 60, 740, 150, 70, [LEAF])
    for row, words in enumerate(("Shamba", "Fresh")):
        write(draw, (400, 480 + row * 170), words, 170, _DARK, 800, DISPLAY)
    triangles(draw, 60, 740, 850, 70, [LEAF], down=True)
    kraft = paper(Image.new("RGB", (64, 64), "#A97F52"), 0.8)
    body = box((0.15, 0.09, 0.21), kraft, (0, 0, 0.105), 0.002)
    face = sheet(0.148, 0.207, paper(front, 0.8), at=(0, -0.0455, 0.105), turn=(90, 0, 0))
    group([body, face], at, (0, 0, -20))
    foliage((at[0], at[1], at[2] + 0.23), (0.04, 0.025, 0.028), 60, (0.05, 0.09), "#3C8F3A")


def _draw_screen() -> Image.Image:
    image, draw = canvas(1600, 1000, LEAF)
    top = browser_bar(draw, 1600, "")
    write(draw, (800, top / 2), "shambafresh.example", 42, "#4A3B33", 600)
    write(draw, (90, top + 70), "Shamba Fresh", 54, PAPER, 800, DISPLAY, "lm")
    for i, words in enumerate(("Fruit", "Greens", "Basket")):
        write(draw, (1050 + i * 170, top + 70), words, 38, PAPER, 600, anchor="lm")
    write(draw, (86, top + 220), "Farm to door by six", 138, PAPER, 800, DISPLAY, "lm")
    for i, (words, price) in enumerate((("Tomatoes", "KSh 60"), ("Mangoes", "KSh 120"), ("Limes", "KSh 85"))):
        x = 90 + i * 484
        draw.rounded_rectangle((x, 400, x + 452, 800), 30, SAND)
        _draw_fruit(draw, x + 226, 552, i)
        write(draw, (x + 36, 680), words, 46, INK, 500, anchor="lm")
        write(draw, (x + 36, 745), price, 66, INK, 800, DISPLAY, "lm")
    draw.rounded_rectangle((90, 840, 640, 948), 54, MARIGOLD)
    write(draw, (365, 892), "Order for tomorrow", 50, INK, 800)
    write(draw, (690, 892), "Picked after you order", 40, PAPER, 500, anchor="lm")
    return image


def _draw_fruit(draw: ImageDraw.ImageDraw, x: float, y: float, kind: int) -> None:
    if kind == 1:
        for size, colour, shift in ((1.0, MARIGOLD, 0), (0.72, "#F6C04C", -16)):
            egg = []
            for i in range(60):
                a = math.tau * i / 60
                px, py = 122 * size * math.cos(a), 84 * size * math.sin(a) * (1 - 0.2 * math.cos(a))
                egg.append((x + shift + 0.88 * px + 0.47 * py, y + shift - 0.47 * px + 0.88 * py))
            draw.polygon(egg, fill=colour)
        draw.polygon([(x + 96, y - 62), (x + 96, y - 116), (x + 150, y - 138), (x + 134, y - 84)], fill=_DARK)
        return
    wide = 104 if kind == 0 else 92
    draw.ellipse((x - wide, y - 88, x + wide, y + 88), fill=BRAND if kind == 0 else _LIME)
    if kind == 2:
        draw.ellipse((x - 64, y - 62, x + 64, y + 62), fill="#DDE7A5")
        for i in range(8):
            a = math.tau * i / 8
            draw.line((x, y, x + 62 * math.cos(a), y + 62 * math.sin(a)), fill=_LIME, width=8)
        return
    leaf = ((0, -78), (-66, -104), (-20, -112), (8, -132), (22, -110), (70, -98))
    draw.polygon([(x + dx, y + dy) for dx, dy in leaf], fill=_DARK)
