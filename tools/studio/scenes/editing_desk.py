"""An editing desk in the evening: a wide monitor with a timeline, a panel with trackballs, headphones."""

import math
import random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import ceramic, glowing, metal, paint, plain, plaster, screen, wood
from tools.studio.printing import canvas, write
from tools.studio.props import cup, potted_plant
from tools.studio.shapes import Place, box, copies, group, lathe, place, sheet, slab, tube, wall


def build() -> None:
    """Set the desk."""
    start(0.65, bounces=6)
    air("#8FA4C8", 0.07)
    sheet(2.4, 1.5, wood("#2E1A0F", "#5E3A21", "#8A5A34", 0.6, 0.42), at=(0.2, -0.03, 0))
    _set_room()
    _set_screen((0.085, 0.3, 0), (0, 0, -3))
    _set_panel((-0.085, -0.125, 0), (0, 0, -6))
    set_headphones((0.24, -0.21, 0.0), (0, 0, 28))
    cup((-0.375, -0.02, 0), ceramic("#C9573F"), plain("#3A1A0C", Roughness=0.05), size=0.95)
    potted_plant((0.6, 0.36, 0), 0.42, BRAND)
    _set_lamp((-0.35, 0.4, 0))
    softbox((1.5, 0.9, 0.9), (0.1, 0, 0.05), 0.5, 0.7, 24, "#7FA6E6")
    softbox((-0.9, -0.5, 0.8), (-0.05, -0.1, 0.05), 0.4, 0.4, 8.5, "#FFD2A0")
    camera((-0.5, -1.2, 0.47), (0.01, 0.1, 0.165), 54, 3.5, focus=(-0.03, 0.1, 0.15))


def _set_room() -> None:
    wall(7, 3, plaster("#3A4A50", 1.5, 0.006, 0.3), 2.6, x=0.8, z=-0.9)
    pane = screen(_draw_window(), 1.5)
    sheet(1.5, 1.5, pane, at=(1.75, 2.56, 0.35), turn=(90, 0, 0))
    frame = paint("#241812", 0.5, 0.7)
    for x in (0.98, 1.75, 2.52):
        box((0.05, 0.05, 1.6), frame, (x, 2.53, 0.35), 0.004)
    box((1.2, 0.18, 0.03), wood("#2E1A0F", "#5E3A21", "#8A5A34", 0.4), (0.05, 2.5, 0.16), 0.004)
    for i, colour in enumerate((BRAND, SAND, MARIGOLD, LEAF, SAND, BRAND, LAKE, MARIGOLD, SAND)):
        box((0.05, 0.14, 0.2 + 0.03 * (i % 3)), paint(colour), (-0.32 + 0.058 * i, 2.48, 0.28), 0.003)


def _set_screen(at: Place, turn: Place) -> None:
    shell, steel = paint("#191716", 0.35, 0.5), metal("#8F8A83", 0.3)
    group(
        [
            slab(0.74, 0.325, 0.02, 0.008, shell, 0.003, at=(0, 0, 0.285)),
            slab(0.724, 0.302, 0.0006, 0.003, screen(_draw_timeline(), 0.98), 0.0001, at=(0, -0.0103, 0.289)),
            slab(0.1, 0.26, 0.02, 0.008, steel, 0.003, at=(0, 0.03, 0.14)),
            box((0.28, 0.18, 0.01), steel, (0, 0.04, 0.005), 0.003),
        ],
        at,
        turn,
    )


def _set_panel(at: Place, turn: Place) -> None:
    """Set a panel for colour: three balls in rings, a knob above each third, two columns of lit keys."""
    shell, ring = paint("#262322", 0.4, 0.55, 40), metal("#A9A29A", 0.22)
    parts: list[Any] = [box((0.36, 0.17, 0.026), shell, (0, 0, 0.015), 0.006)]
    for i, colour in enumerate((BRAND, LEAF, MARIGOLD)):
        x = -0.105 + 0.105 * i
        profile = [(0.029, 0.026), (0.029, 0.033), (0.039, 0.033), (0.043, 0.026)]
        parts.append(lathe(profile, ring, (x, -0.025, 0.002), 0.001, 72))
        parts.append(
            lathe(
                [(0.044, 0.0283), (0.0465, 0.0287), (0.049, 0.0283)],
                glowing(colour, 3.0),
                (x, -0.025, 0),
                0.0005,
            )
        )
        ball = [
            (0.027 * math.cos(t), 0.027 * math.sin(t)) for t in (math.radians(-10 + 5 * k) for k in range(21))
        ]
        glossy = paint(colour, 0.1, 0.18, 30, 0.0001, 0.05, Coat_Weight=0.8)
        parts.append(lathe([*ball[:-1], (0, 0.027)], glossy, (x, -0.025, 0.03), 0.0001, 64))
    knob, mark = (
        lathe([(0, 0), (0.008, 0), (0.007, 0.014), (0, 0.014)], ring, radius=0.001, turns=40),
        paint(PAPER),
    )
    spots = [((-0.145 + 0.029 * i, 0.062, 0.028), (0, 0, 0), 1.0) for i in range(11)]
    parts += copies(knob, spots)
    parts += [
        box(
            (0.001, 0.005, 0.0006),
            mark,
            (x + 0.003 * math.sin(x * 90), y + 0.003, 0.0422),
            0.0002,
            (0, 0, -30 * math.sin(x * 90)),
        )
        for (x, y, _), _turn, _size in spots
    ]
    key, lit = paint("#3B3735", 0.4, 0.6), glowing("#FFE0B0", 1.6)
    for side in (-0.166, 0.166):
        for row in range(5):
            skin = lit if (row, side) in ((1, 0.166), (3, -0.166), (4, 0.166)) else key
            parts.append(box((0.014, 0.012, 0.006), skin, (side, -0.066 + 0.019 * row, 0.029), 0.0012))
    group(parts, at, turn)


def set_headphones(at: Place, turn: Place, colour: str = "#23201E", *, boom: bool = False) -> None:
    """Lay headphones on a table: they stand on their cups, the band rests behind."""
    shell, pad, steel = (
        paint(colour, 0.3, 0.45),
        paint("#171413", 0.75, 0.9, 50, 0.0008),
        metal("#A9A29A", 0.25),
    )
    parts: list[Any] = []
    for side in (-1, 1):
        cushion = [(0.018, 0.0), (0.018, 0.022), (0.043, 0.022), (0.043, 0.0), (0.018, 0.0)]
        outside = [(0, 0.044), (0.02, 0.043), (0.036, 0.036), (0.04, 0.02), (0, 0.02)]
        trim = [(0.0145, 0.0438), (0.0165, 0.0446), (0.0185, 0.0438)]
        for profile, skin in ((cushion, pad), (outside, shell), (trim, paint(BRAND, 0.3, 0.4))):
            parts.append(
                place(lathe(profile, skin, radius=0.007, turns=64), (side * 0.062, 0, 0), (0, 90 * side, 0))
            )
        parts.append(
            place(
                lathe([(0, 0.02), (0.03, 0.02), (0, 0.021)], pad, turns=48),
                (side * 0.062, 0, 0),
                (0, 90 * side, 0),
            )
        )
        fork = [
            (side * 0.09, 0.0, -0.035),
            (side * 0.116, 0, -0.02),
            (side * 0.116, 0, 0.03),
            (side * 0.1, 0, 0.075),
        ]
        parts.append(tube(fork, 0.0035, steel))
    arc = [
        (0.103 * math.cos(a), 0, 0.07 + 0.115 * math.sin(a))
        for a in (math.radians(12 * k) for k in range(16))
    ]
    parts.append(tube(arc, 0.007, shell))
    soft = [
        (0.099 * math.cos(a), 0, 0.07 + 0.108 * math.sin(a))
        for a in (math.radians(30 + 12 * k) for k in range(11))
    ]
    parts.append(tube(soft, 0.0115, pad))
    if boom:
        arm = [(-0.1, 0.0, 0), (-0.108, 0.02, -0.05), (-0.085, 0.03, -0.1), (-0.05, 0.034, -0.12)]
        parts += [
            tube(arm, 0.003, steel),
            tube([arm[-1], (-0.04, 0.035, -0.123), (-0.025, 0.036, -0.126)], 0.009, pad),
        ]
    leaning = group(parts, (0, 0, 0.043), (-101, 0, 0))
    wire = [
        (-0.08, 0, 0.012),
        (-0.16, -0.02, 0.004),
        (-0.22, 0.08, 0.004),
        (-0.12, 0.2, 0.004),
        (-0.05, 0.5, 0.004),
    ]
    group([leaning, tube(wire, 0.0025, pad)], at, turn)


def _set_lamp(at: Place) -> None:
    x, y, z = at
    brass = metal("#B08A3C", 0.28)
    lathe(
        [(0, 0), (0.055, 0), (0.055, 0.01), (0.008, 0.016), (0.006, 0.03), (0.006, 0.24), (0, 0.24)],
        brass,
        at,
    )
    shade = [(0.082, 0.215), (0.05, 0.32), (0.048, 0.32), (0.08, 0.215)]
    lathe(shade, paint("#D9763F", 0.6, 0.8, Emission_Color="#FFA04E", Emission_Strength=0.9), at, 0.001)
    lathe([(0, 0.235), (0.02, 0.25), (0.018, 0.275), (0, 0.285)], glowing("#FFD9A0", 18), at, 0.01, 32)
    lamp(
        "SPOT",
        (x, y, z + 0.235),
        (x + 0.06, y - 0.2, 0),
        9,
        "#FFC078",
        spot_size=2.3,
        spot_blend=0.8,
        shadow_soft_size=0.03,
    )


def _draw_window() -> Image.Image:
    """Draw the city in the blue hour: few lit windows and lamps."""
    image, draw = canvas(900, 900, "#22345C")
    for y in range(900):
        t = y / 900
        draw.line([(0, y), (900, y)], fill=(int(30 + 120 * t**3), int(48 + 62 * t**2), int(96 + 10 * t)))
    shake = random.Random(4)
    for i in range(9):
        top = 430 + shake.randint(-110, 130)
        draw.rectangle((i * 105 - 10, top, i * 105 + 90, 900), fill="#131A2E")
        for _ in range(7):
            x, y = i * 105 + shake.randint(4, 70), shake.randint(top + 10, 880)
            draw.rectangle((x, y, x + 14, y + 18), fill="#FFC46B")
    return image.filter(ImageFilter.GaussianBlur(2))


def _draw_picture() -> Image.Image:
    """Draw the picture that is cut: a house with a lit door at dusk."""
    image, draw = canvas(980, 552, "#000000")
    for y in range(552):
        t = min(1.0, y / 400)
        draw.line([(0, y), (980, y)], fill=(int(44 + 200 * t**1.6), int(52 + 92 * t**1.5), int(92 - 20 * t)))
    draw.ellipse((650, 250, 770, 370), fill="#FFE0A0")
    draw.polygon(
        [(0, 400), (240, 330), (520, 385), (760, 345), (980, 390), (980, 552), (0, 552)], fill="#5E3A44"
    )
    draw.polygon([(0, 430), (980, 415), (980, 552), (0, 552)], fill="#2B1C20")
    draw.rectangle((180, 290, 470, 452), fill="#3B241F")
    draw.polygon([(150, 300), (325, 205), (500, 300)], fill="#1E1416")
    draw.rectangle((296, 340, 356, 452), fill="#FFC46B")
    for x in (212, 392):
        draw.rectangle((x, 335, x + 46, 385), fill="#F0A040")
    draw.polygon([(290, 452), (362, 452), (450, 552), (230, 552)], fill="#8A5430")
    draw.line([(850, 440), (846, 260)], "#1A1216", 12)
    for x, y, r in ((760, 235, 60), (850, 205, 84), (930, 240, 62), (810, 220, 70)):
        draw.ellipse((x - r, y - r * 0.36, x + r, y + r * 0.36), fill="#1A1216")
    image = image.filter(ImageFilter.GaussianBlur(1.2))
    write(ImageDraw.Draw(image), (490, 498), "Karibu nyumbani", 62, "#FFFFFF", 700)
    return image


def _draw_timeline() -> Image.Image:
    width, height = 2400, 1000
    image, draw = canvas(width, height, "#17191B")
    image.paste(_draw_picture(), (690, 26))
    draw.rectangle((20, 26, 660, 578), fill="#1F2225")
    for i in range(9):
        x, y = 44 + 206 * (i % 3), 54 + 176 * (i // 3)
        tone = (
            "#8E5A3A",
            "#3B5A6B",
            "#C77B3A",
            "#5E3A44",
            "#2F6B55",
            "#D9A24A",
            "#6B4A3A",
            "#274A5A",
            "#A8432C",
        )[i]
        draw.rectangle((x, y, x + 184, y + 104), fill=tone)
        draw.polygon(
            [(x, y + 104), (x, y + 80), (x + 90, y + 55), (x + 184, y + 84), (x + 184, y + 104)], "#231A1C"
        )
        draw.rectangle((x, y + 116, x + 70 + 24 * (i % 4), y + 126), fill="#6F757A")
    draw.rectangle((1700, 26, 2380, 578), fill="#1F2225")
    for i, colour in enumerate((BRAND, LEAF, MARIGOLD)):
        x = 1815 + 222 * i
        for r, tone in ((92, "#41474C"), (86, "#24282B"), (6, colour)):
            shift = 18 * i - 14 if r == 6 else 0
            draw.ellipse((x - r + shift, 150 - r - shift, x + r + shift, 150 + r - shift), fill=tone)
        draw.line([(x - 86, 150), (x + 86, 150)], "#4A5056", 3)
        draw.line([(x, 64), (x, 236)], "#4A5056", 3)
    rng = np.random.default_rng(6)
    for i, colour in enumerate(("#E0584A", "#4FB98A", "#5A9BE0")):
        for x in range(1730, 2350, 4):
            y = (
                500
                - 130 * abs(math.sin((x - 1730) / 620 * math.pi)) * (0.5 + 0.3 * math.sin(x / 50 + 2 * i))
                + rng.normal(0, 12)
            )
            draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=colour)
    _draw_tracks(draw, width)
    return image


def _draw_tracks(draw: ImageDraw.ImageDraw, width: int) -> None:
    """Draw ruler, subtitles, clips and sound waves; the playhead is under the picture's middle."""
    shake = random.Random(9)
    draw.rectangle((20, 600, width - 20, 980), fill="#1B1E20")
    for i in range(45):
        x = 150 + i * 50
        draw.line([(x, 606), (x, 628 if i % 5 == 0 else 616)], "#7A8086", 3)
    rows = (
        (640, 44, ("#D9A24A",), 90, 260),
        (692, 66, ("#2E6F8A", "#3C84A0"), 150, 420),
        (766, 66, ("#B5503F", "#C9603F"), 120, 300),
    )
    for y, tall, colours, low, high in rows:
        draw.rounded_rectangle((30, y, 130, y + tall), 6, "#2B2F33")
        x = 150 + (shake.randint(20, 200) if low != 150 else 0)
        while x < width - 120:
            end = min(width - 40, x + shake.randint(low, high))
            draw.rounded_rectangle((x, y, end - 5, y + tall), 7, shake.choice(colours))
            if low == 90:
                draw.rectangle((x + 14, y + 18, end - 22, y + 27), fill="#7A5420")
            else:
                draw.rectangle(
                    (x + 8, y + 10, min(end - 14, x + 78), y + tall - 10),
                    fill="#1F3A46" if low == 150 else "#6E2A20",
                )
            x = end + (0 if low == 150 else shake.randint(0, 150))
    for y, colour, dark in ((842, "#66C29A", "#1E4A3A"), (914, "#F0B458", "#5A3E16")):
        draw.rounded_rectangle((30, y, 130, y + 62), 6, "#2B2F33")
        draw.rounded_rectangle((150, y, width - 60, y + 62), 7, dark)
        for x in range(156, width - 66, 5):
            loud = abs(math.sin(x / 57) * math.sin(x / 231 + y)) ** 0.7 * shake.uniform(0.35, 1)
            draw.line([(x, y + 31 - 27 * loud), (x, y + 31 + 27 * loud)], colour, 3)
    draw.line([(1180, 600), (1180, 980)], "#FF4B3A", 6)
    draw.polygon([(1160, 598), (1200, 598), (1180, 630)], fill="#FF4B3A")
