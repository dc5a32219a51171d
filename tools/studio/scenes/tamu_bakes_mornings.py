"""A phone on a tripod before dawn, First tray at 4:50 on its screen, films buns in an oven's glow."""

import math
import random
from typing import Any

from mathutils import Vector
from PIL import Image

from agency_site.brand import BRAND, DEEP, LAKE, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import (
    coordinates,
    glowing,
    material,
    metal,
    mix,
    node,
    noise,
    paint,
    plain,
    plaster,
    put,
    ramp,
    screen,
    wood,
)
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.props import phone
from tools.studio.shapes import backdrop, box, copies, group, lathe, place, sheet, slab, tube


def _draw_screen() -> Image.Image:
    """Draw the frame of the story: words above, the tray from the top below."""
    image, draw = canvas(900, 1900, DEEP)
    for i in range(4):
        x = 50 + 203 * i
        draw.rounded_rectangle((x, 130, x + 188, 142), 6, PAPER if i < 1 else "#A5564A")
    draw.ellipse((52, 178, 148, 274), fill=MARIGOLD)
    draw.pieslice((66, 196, 162, 292), 180, 270, fill=BRAND)
    write(draw, (176, 226), "Tamu Bakes", 58, PAPER, 700, anchor="lm")
    draw.ellipse((782, 204, 826, 248), fill="#FF5A45")
    write(draw, (60, 480), "First", 236, PAPER, 800, DISPLAY, "lm")
    write(draw, (60, 700), "tray at", 236, PAPER, 800, DISPLAY, "lm")
    write(draw, (60, 930), "4:50", 280, MARIGOLD, 800, DISPLAY, "lm")
    draw.rounded_rectangle((60, 1130, 840, 1690), 56, LAKE)
    draw.rounded_rectangle((84, 1154, 816, 1666), 40, "#0F3644")
    for row in range(3):
        for column in range(4):
            x, y = 180 + 180 * column, 1245 + 165 * row
            draw.ellipse((x - 72, y - 72, x + 72, y + 72), fill="#C9762A")
            draw.ellipse((x - 66, y - 70, x + 62, y + 58), fill=MARIGOLD)
            draw.arc((x - 46, y - 52, x + 40, y + 36), 195, 262, fill=SAND, width=12)
    draw.rounded_rectangle((60, 1740, 640, 1830), 45, outline=SAND, width=5)
    draw.polygon([(720, 1748), (720, 1828), (792, 1788)], fill=SAND)
    draw.rounded_rectangle((310, 1868, 590, 1880), 6, PAPER)
    draw.rounded_rectangle((330, 36, 570, 104), 34, "#000000")
    return image


def _draw_oven() -> Image.Image:
    """Draw the fire-lit inside of the oven with two racks of buns before it."""
    image, draw = canvas(680, 400, "#000000")
    for y in range(400):
        t = y / 399
        draw.line((0, y, 680, y), fill=(round(90 + 165 * t), round(26 + 124 * t**1.4), round(4 + 22 * t**2)))
    for shelf in (190, 340):
        draw.rectangle((0, shelf, 680, shelf + 12), fill="#2A0C04")
        for i in range(7):
            draw.ellipse((16 + 95 * i, shelf - 62, 92 + 95 * i, shelf + 22), fill="#4A1807")
    return image


def _crust() -> Any:
    made, tree, surface = material("crust", Coat_Weight=0.28, Coat_Roughness=0.18)
    height = node(tree, "SeparateXYZ", Vector=coordinates(tree)).outputs[2]
    share = node(tree, "MapRange", Value=height, From_Max=0.046).outputs[0]
    baked = ramp(tree, share, (0.0, "#D2A05C"), (0.3, "#B67A3A"), (0.65, "#8C5424"), (1.0, "#6E3C16"))
    spots = ramp(tree, noise(tree, 26), (0.3, 0.72), (0.7, 1.0))
    put(tree, surface.inputs["Base Color"], mix(tree, 1.0, baked, spots, "MULTIPLY"))
    put(tree, surface.inputs["Roughness"], ramp(tree, noise(tree, 50), (0.3, 0.28), (0.7, 0.5)))
    return made


def _tray(at: tuple[float, float, float], turn: float) -> None:
    steel = metal("#6B645C", 0.4, (1, 1, 1), 40)
    wide, deep = 0.36, 0.27
    parts = [box((wide, deep, 0.003), steel, (0, 0, 0.0015), 0.001)]
    for side in (-1, 1):
        parts.append(box((wide, 0.004, 0.022), steel, (0, side * deep / 2, 0.011), 0.0015))
        parts.append(box((0.004, deep, 0.022), steel, (side * wide / 2, 0, 0.011), 0.0015))
    bun = lathe(
        [(0, 0), (0.030, 0), (0.0385, 0.010), (0.0395, 0.021), (0.030, 0.039), (0.013, 0.046), (0, 0.0465)],
        _crust(), radius=0.013, turns=64, wobble=0.05,
    )  # fmt: skip
    spots = [
        (
            (-0.129 + 0.086 * i + random.gauss(0, 0.002), -0.086 + 0.086 * j + random.gauss(0, 0.002), 0.003),
            (random.gauss(0, 0.03), random.gauss(0, 0.03), random.uniform(0, math.tau)),
            (random.uniform(0.95, 1.07), random.uniform(0.95, 1.07), random.uniform(0.92, 1.12)),
        )
        for i in range(4)
        for j in range(3)
    ]
    group([*parts, *copies(bun, spots)], at, (0, 0, turn))


def _tripod(at: tuple[float, float, float], top: float) -> None:
    """Stand up three legs with rubber feet, a column, a ball and a clamp that ends at the height `top`."""
    black, rubber = paint("#191818", 0.3, 0.45), paint("#0C0B0B", 0.75, 0.9)
    silver = metal("#A8A49E", 0.28)
    x, y, z = at
    crown = top - 0.035
    for i in range(3):
        turn = math.radians(35 + 120 * i)
        foot = Vector((0.062 * math.cos(turn), 0.062 * math.sin(turn), 0.005))
        neck = Vector((0.010 * math.cos(turn), 0.010 * math.sin(turn), crown - z))
        middle = neck.lerp(foot, 0.5)
        tube([neck, neck.lerp(middle, 0.5), middle, middle], 0.0052, black, at)
        tube([middle, middle.lerp(foot, 0.5), foot, foot], 0.0036, silver, at)
        tube([neck.lerp(foot, 0.46), middle, neck.lerp(foot, 0.54)], 0.0064, black, at)
        lathe(
            [(0, -0.005), (0.006, -0.005), (0.006, 0.006), (0, 0.008)], rubber, Vector(at) + foot, 0.002, 32
        )
    lathe(
        [(0, -0.012), (0.013, -0.010), (0.014, 0.004), (0.008, 0.008), (0.008, 0.014), (0.011, 0.018),
         (0.009, 0.026), (0, 0.028)],
        black, (x, y, crown), 0.002, 48,
    )  # fmt: skip
    box((0.034, 0.020, 0.009), black, (x, y + 0.001, top - 0.003), 0.002)
    box((0.034, 0.003, 0.016), black, (x, y - 0.0075, top + 0.005), 0.001)
    box((0.012, 0.006, 0.172), black, (x, y + 0.012, top + 0.080), 0.002)
    box((0.034, 0.018, 0.006), black, (x, y + 0.003, top + 0.1585), 0.002)
    tube(
        [
            (0.004, 0.01, crown - z + 0.02),
            (0.016, 0.02, crown - z + 0.022),
            (0.030, 0.028, crown - z + 0.022),
        ],
        0.003,
        silver,
        at,
    )


def _oven() -> None:
    """Set the oven's mouth at the right, far out of focus, and the blue window at the left."""
    iron = paint("#1C1917", 0.45, 0.65)
    glow = place(sheet(0.34, 0.2, screen(_draw_oven(), 1.6)), (0.33, 0.93, 0.17), (90, 0, -24))
    glow.visible_shadow = False
    group(
        [
            box((0.56, 0.04, 0.12), iron, (0, 0, 0.34), 0.01),
            box((0.56, 0.04, 0.16), iron, (0, 0, 0.0), 0.01),
            box((0.11, 0.04, 0.5), iron, (-0.225, 0, 0.25), 0.01),
            box((0.11, 0.04, 0.5), iron, (0.225, 0, 0.25), 0.01),
        ],
        (0.33, 0.90, 0),
        (0, 0, -24),
    )
    for i in range(2):
        pane = place(sheet(0.16, 0.24, glowing("#2E5FA8", 0.9)), (-0.42 + 0.18 * i, 1.0, 0.26), (90, 0, 0))
        pane.visible_glossy = False
    slab(0.40, 0.30, 0.02, 0.004, plain("#0D0F14", Roughness=0.6), at=(-0.33, 1.02, 0.26))


def build() -> None:
    """Set the bakery's table."""
    start(0.6, bounces=6)
    air("#2F5290", 0.10)
    backdrop(plaster("#5C4638", 2.4, 0.003, 0.15), 4, 0.4, 1.6, 0.1, 1.08).location.z = -0.03
    sheet(2.4, 1.3, wood("#2A180D", "#6A4426", "#8F6238", 0.5, 0.5), at=(0, 0.2, 0))
    top = 0.085
    _tripod((-0.075, 0, 0), top)
    phone(_draw_screen(), (-0.075, -0.002, top + 0.0775), (0, 0, 0))
    _tray((0.125, 0.255, 0.001), -14)
    _oven()
    lamp(
        "SPOT",
        (0.62, 0.62, 0.34),
        (0.08, 0.2, 0.03),
        30,
        "#FFBE88",
        spot_size=1.5,
        spot_blend=1.0,
        shadow_soft_size=0.09,
    )
    softbox((0.45, 0.1, 0.5), (0.02, 0.1, 0.05), 0.2, 0.2, 5.5, "#FFCB98")
    softbox((-0.6, -0.1, 0.55), (-0.05, 0.05, 0.1), 0.4, 0.4, 6.5, "#7FA6E6")
    camera((0.035, -0.66, 0.235), (0.028, 0.06, 0.113), 60, 4.5, (-0.075, -0.006, 0.16))
