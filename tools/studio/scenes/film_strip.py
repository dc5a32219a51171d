"""A phone on a small tripod films a plate of mangoes on a kitchen table; its screen shows them and "0:15"."""

import math
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.light import air, camera, softbox, start, sun, window_shadow
from tools.studio.materials import (
    bump,
    cloth,
    coordinates,
    glaze,
    material,
    metal,
    mix,
    node,
    noise,
    paint,
    paper,
    put,
    ramp,
    wood,
)
from tools.studio.printing import canvas, kanga, write
from tools.studio.props import phone, potted_plant
from tools.studio.shapes import Place, box, draped, group, lathe, place, sheet, tube, wall

HEAD = 0.150
"""Height of the tripod's head."""


def _draw_screen() -> Image.Image:
    width, height = 900, 1900
    image, draw = canvas(width, height, "#2C6E80")
    draw.rectangle((0, 900, width, height), fill="#8A5330")
    draw.ellipse((70, 1000, 830, 1310), fill=LAKE)
    draw.ellipse((84, 990, 816, 1280), fill="#FFF6E8")
    fruit = (
        ((150, 830, 470, 1120), "#E88A1C"),
        ((430, 800, 750, 1100), "#D9501F"),
        ((280, 910, 620, 1200), "#F5B02E"),
    )
    for (left, top, right, bottom), colour in fruit:
        draw.ellipse((left, top, right, bottom), fill=colour)
        draw.chord((left, top, right, bottom), 190, 320, fill="#7FA33A" if colour == "#F5B02E" else "#C63A22")
    draw.polygon([(560, 880), (640, 690), (790, 640), (740, 790)], fill=LEAF)
    for share in (1 / 3, 2 / 3):
        draw.line((width * share, 170, width * share, 1560), fill="#D8CDBF", width=4)
        draw.line((0, 170 + 1390 * share, width, 170 + 1390 * share), fill="#D8CDBF", width=4)
    draw.rectangle((0, 0, width, 170), fill="#14100E")
    draw.rounded_rectangle((width / 2 - 120, 36, width / 2 + 120, 104), 34, "#000000")
    draw.rounded_rectangle((225, 215, 675, 375), 80, "#14100E")
    draw.ellipse((275, 260, 345, 330), fill="#FF3B2A")
    write(draw, (500, 296), "0:15", 128, PAPER, 700)
    draw.rectangle((0, 1560, width, height), fill="#14100E")
    draw.ellipse((345, 1605, 555, 1815), outline=PAPER, width=16)
    draw.rounded_rectangle((402, 1662, 498, 1758), 22, "#FF3B2A")
    draw.rounded_rectangle((130, 1650, 250, 1770), 26, MARIGOLD)
    draw.ellipse((650, 1650, 770, 1770), outline=PAPER, width=10)
    return image


def _skin() -> Any:
    """Return a mango's skin: green at the stem, yellow below, with a red cheek and pores."""
    made, tree, surface = material("mango", Coat_Weight=0.25, Coat_Roughness=0.25)
    axes = node(tree, "SeparateXYZ", Vector=coordinates(tree, (10, 10, 10)))
    ripe = node(tree, "Math", operation="MULTIPLY_ADD")
    put(tree, ripe.inputs[0], noise(tree, 16, detail=2))
    ripe.inputs[1].default_value = 0.5
    put(
        tree,
        ripe.inputs[2],
        node(tree, "MapRange", Value=axes.outputs[2], From_Min=-0.6, From_Max=0.7).outputs[0],
    )
    body = ramp(tree, ripe, (0.25, "#F2A216"), (0.65, "#EFA51C"), (0.86, "#B9A02A"), (1.0, "#6F8A2C"))
    cheek = node(tree, "Math", operation="ADD")
    put(tree, cheek.inputs[0], axes.outputs[0])
    put(tree, cheek.inputs[1], noise(tree, 11, detail=2))
    blush = mix(tree, ramp(tree, cheek, (0.2, 0.0), (0.72, 0.9)), body, "#B8301C")
    pores = node(tree, "TexVoronoi", Vector=coordinates(tree), Scale=330)
    put(
        tree,
        surface.inputs["Base Color"],
        mix(tree, ramp(tree, pores.outputs[0], (0.08, 0.5), (0.16, 0.0)), blush, "#F6D47A"),
    )
    put(tree, surface.inputs["Roughness"], ramp(tree, noise(tree, 30), (0.3, 0.28), (0.7, 0.46)))
    put(
        tree,
        surface.inputs["Normal"],
        bump(tree, (noise(tree, 25), 0.25, 0.004), (noise(tree, 300), 0.2, 0.0004)),
    )
    return made


def _mango(skin: Any, at: Place, turn: Place, size: float) -> Any:
    """Lay a mango: its long axis is Z before it is turned, its heavy shoulder above."""
    line = [(0.039 * math.sin(a) ** 0.9, -0.053 * math.cos(a)) for a in (math.pi * i / 24 for i in range(25))]
    line[0], line[-1] = (0, -0.053), (0, 0.051)
    fruit = lathe(line, skin, radius=0.003, turns=72, wobble=0.05)
    for vert in fruit.data.vertices:
        x, y, z = vert.co
        swell = 1 + 3.2 * z
        vert.co = (
            x * swell + 4.5 * z * z - 0.004,
            y * swell * 0.86,
            z - 0.006 * max(0, 1 - math.hypot(x, y) / 0.02) * (z > 0),
        )
    stem = tube(
        [(0.008, 0, 0.044), (0.009, 0, 0.052), (0.011, 0.001, 0.057)], 0.0022, paint("#4A3420", 0.7, 0.9)
    )
    made = group([fruit, stem], at, turn)
    made.scale = (size,) * 3
    return made


def _leaf(at: Place, turn: Place) -> None:
    def bend(x: float, y: float) -> tuple[float, float, float]:
        width = math.sin(math.pi * min(1, max(0, x / 0.14 + 0.5))) ** 0.8
        return x, y * width, 0.10 * abs(y) - 2.2 * x * x + 0.012

    place(sheet(0.14, 0.038, paint("#2F6A34", 0.3, 0.45, 40, 0.001), (24, 8), bend, thick=0.0004), at, turn)


def _tripod(at: Place, turn: float) -> None:
    """Set the tripod with the phone in its clamp; the phone leans down to the plate."""
    black, grey = paint("#191514", 0.35, 0.55), metal("#9B948A", 0.3, (1, 1, 1), 40)
    rubber = paint(BRAND, 0.6, 0.7)
    column = [(0, -0.045), (0.011, -0.045), (0.014, -0.035), (0.014, -0.015), (0.009, -0.01), (0, -0.01)]
    ball = [(0, -0.012), (0.008, -0.010), (0.0105, 0), (0.008, 0.01), (0, 0.012)]
    parts = [lathe(column, black, (0, 0, HEAD)), lathe(ball, grey, (0, 0, HEAD))]
    knob = lathe([(0, 0), (0.007, 0), (0.007, 0.014), (0, 0.014)], rubber)
    parts.append(place(knob, (0.012, 0, HEAD - 0.026), (0, 90, 0)))
    for angle in (-95, 25, 150):
        x, y = 0.078 * math.cos(math.radians(angle)), 0.078 * math.sin(math.radians(angle))
        spots = [
            (x * s, y * s, z) for s, z in ((0.12, HEAD - 0.035), (0.3, 0.095), (0.6, 0.055), (0.97, 0.006))
        ]
        parts.append(tube(spots, 0.0052, black))
        parts.append(
            lathe([(0, 0), (0.006, 0.001), (0.0075, 0.006), (0.006, 0.013), (0, 0.015)], rubber, (x, y, 0))
        )
    clamp = [
        phone(_draw_screen(), (0, -0.004, 0.068)),
        box((0.088, 0.008, 0.026), black, (0, 0.004, 0.045), 0.002),
        box((0.018, 0.010, 0.06), black, (0, 0.006, 0.02), 0.002),
    ]
    clamp += [box((0.008, 0.020, 0.024), black, (side * 0.0405, -0.003, 0.045), 0.002) for side in (-1, 1)]
    group([*parts, group(clamp, (0, 0, HEAD + 0.012), (-7, 0, 0))], at, (0, 0, turn))


def _plate(at: Place) -> None:
    white, rim = glaze("#F2EADB"), glaze("#1B4A6B")
    lathe(
        [
            (0, 0),
            (0.075, 0),
            (0.09, 0.006),
            (0.128, 0.017),
            (0.129, 0.0195),
            (0.088, 0.0085),
            (0.074, 0.004),
            (0, 0.004),
        ],
        white,
        at,
        0.003,
    )
    lathe(
        [(0.1255, 0.0155), (0.1305, 0.0165), (0.1312, 0.019), (0.129, 0.0208), (0.1245, 0.0185)],
        rim,
        at,
        0.001,
    )


def build() -> None:
    start(0.5, view="Filmic", look="High Contrast", bounces=6)
    air("#AEC6D2", 0.2)
    sheet(3, 1.5, wood("#3A1F10", "#7C4C29", "#A06A3B", 0.5, 0.4), at=(0, 0.1, 0))
    plaid = cloth(kanga("EMBE TAMU", "#E8D6B8", LAKE, BRAND), 0.1)
    folds = sheet(
        0.52,
        0.36,
        plaid,
        (120, 90),
        lambda x, y: (x, y, 0.0015 + draped(x, y, 0.016) * max(0.0, math.hypot(x, y * 1.2) - 0.15) * 6),
        thick=0.0007,
    )
    place(folds, (0.13, 0.19, 0), (0, 0, -18))

    dish = (0.115, 0.185, 0.003)
    _plate(dish)
    skin = _skin()
    x, y, z = dish
    _mango(skin, (x - 0.042, y + 0.012, z + 0.043), (88, 12, 40), 1.0)
    _mango(skin, (x + 0.043, y + 0.022, z + 0.043), (80, -30, -60), 1.02)
    _mango(skin, (x + 0.012, y - 0.05, z + 0.041), (84, 60, 105), 0.95)
    _leaf((x + 0.088, y - 0.055, z + 0.014), (0, -10, 48))
    _leaf((x - 0.05, y - 0.10, z + 0.012), (0, 10, 200))
    _tripod((-0.075, 0.0, 0), -30)

    tiles, draw = canvas(1600, 1000, "#D9CDB8")
    for i in range(16):
        for j in range(10):
            shade = ("#2E7488", "#2A6A7E", "#34798C", "#E3D3B8")[(i * 7 + j * 11) % 4 if (i + j) % 5 else 3]
            draw.rounded_rectangle((i * 100 + 3, j * 100 + 3, i * 100 + 97, j * 100 + 97), 6, shade)
    wall(2.4, 1.5, paper(tiles, 0.35, 0.15), 1.0, z=-0.3)
    potted_plant((0.47, 0.74, 0), 0.36, "#9C5636")

    sun((-0.82, -0.16, -0.52), 7.5, "#FFD196", 1.6)
    window_shadow((1.08, 0.36, 0.78), (0.05, 0.12, 0.1), 0.62, 0.62, columns=2, rows=2, bar=0.03)
    softbox((-0.7, -0.5, 0.8), (0, 0.1, 0.1), 0.6, 0.6, 6, "#FFE9D2")
    softbox((0.5, 0.35, 0.9), (0.0, 1.0, 0.2), 0.4, 0.4, 4, "#FFDDB0")
    camera((-0.30, -0.90, 0.36), (0.006, 0.07, 0.139), 67, 7.1, focus=(-0.075, 0, 0.21))
