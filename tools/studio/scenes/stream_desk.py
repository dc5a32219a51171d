"""A streaming desk: a video mixer with red and green keys, two monitors, a LIVE sign and a headset."""

import math
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import glowing, metal, paint, paper, plain, plaster, screen
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.scenes.editing_desk import set_headphones
from tools.studio.shapes import Place, box, copies, group, lathe, sheet, slab, tube, wall

_SOURCES = ("Lectern", "Hall", "Slides", "Drone", "Guest", "Film", "Logo", "Black")


def build() -> None:
    """Set the desk at the back of a hall."""
    start(0.58, bounces=6)
    air("#8898C0", 0.11)
    sheet(2.6, 1.6, paint("#4A342B", 0.45, 0.65, 6, 0.0006, 0.2), at=(0, -0.245, 0))
    _set_mixer((-0.02, -0.12, 0), (0, 0, 4))
    _set_monitor((-0.155, 0.2, 0), (-7, 0, 10), _draw_lectern(), BRAND)
    _set_monitor((0.125, 0.29, 0), (-7, 0, 18), _draw_chairs(), LEAF)
    _set_sign((-0.43, 0.15, 0), (0, 0, 24))
    set_headphones((0.268, -0.005, 0), (0, 0, 58), "#2A2624", boom=True)
    sheet(0.15, 0.21, paper(_draw_plan(), 0.7), (12, 12), _curl, at=(-0.345, -0.17, 0.0012), turn=(0, 0, 17))
    _set_hall()
    softbox((-0.75, 0.5, 0.75), (-0.05, -0.05, 0), 0.25, 0.5, 24, "#FFC48A")
    softbox((0.7, -0.7, 0.8), (0, -0.05, 0.03), 0.5, 0.5, 6.5, "#B8CCF0")
    camera((0.45, -0.95, 0.45), (-0.018, 0.05, 0.076), 51, 3.2, focus=(0.0, -0.06, 0.05))


def _curl(x: float, y: float) -> tuple[float, float, float]:
    return x, y, 0.35 * max(0.0, x - 0.03) ** 2 + 0.3 * max(0.0, -y - 0.05) ** 2


def _set_hall() -> None:
    wall(12, 5, plaster("#24485A", 1.0, 0.01, 0.3), 6.5, x=-3, z=-3)
    warm, red = "#FFB45E", "#FF7A4A"
    for x, z, colour in (
        (-5.3, -0.5, warm),
        (-4.1, -0.42, warm),
        (-2.9, -0.48, warm),
        (-1.7, -0.4, warm),
        (-0.5, -0.5, red),
    ):
        lathe([(0, -0.06), (0.06, 0), (0, 0.06)], glowing(colour, 16), (x, 6.0, z), 0.03, 24)
    seat = box((0.46, 0.1, 0.5), paint(BRAND, 0.7, 0.9), bevel=0.05)
    rows = [
        ((-6.0 + 0.62 * i + 0.31 * (row % 2), 5.4 - 0.7 * row, -1.2 - 0.16 * row), (0, 0, 0), 1.0)
        for row in range(3)
        for i in range(11)
    ]
    copies(seat, rows)
    lamp("SPOT", (-3, 3.2, 2.4), (-3, 6.0, -0.9), 620, "#FFC088", spot_size=1.7, spot_blend=1.0)


def _set_mixer(at: Place, turn: Place) -> None:
    """Set a mixer: a wedge with two rows of source keys, a fader for cuts, knobs and a small display."""
    shell, side = paint("#2B2827", 0.38, 0.55, 40, 0.0004), paint("#4A2A1C", 0.4, 0.55)
    dark, steel = paint("#161413", 0.4, 0.6), metal("#B8B2A8", 0.25)
    parts: list[Any] = [box((0.42, 0.27, 0.02), shell, (0, 0, 0), 0.005)]
    parts += [box((0.014, 0.276, 0.03), side, (x, 0, -0.002), 0.005) for x in (-0.216, 0.216)]
    parts.append(box((0.3, 0.085, 0.001), dark, (-0.045, -0.062, 0.0102), 0.0004))
    idle = {
        "red": plain("#7A2A20", Roughness=0.35, Emission_Color="#FF2A1C", Emission_Strength=0.05),
        "green": plain("#1F5A40", Roughness=0.35, Emission_Color="#1FE07A", Emission_Strength=0.04),
    }
    warm = plain("#4A4440", Roughness=0.4, Emission_Color="#FFD9A8", Emission_Strength=0.25)
    lit = {"red": glowing("#FF1408", 1.7), "green": glowing("#10E070", 1.15)}
    for row, (name, y) in enumerate((("red", -0.043), ("green", -0.08))):
        for i, source in enumerate(_SOURCES):
            x = -0.172 + 0.0365 * i
            skin = lit[name] if i == (0, 1)[row] else idle[name]
            parts.append(box((0.028, 0.026, 0.009), skin, (x, y, 0.0135), 0.003))
            parts.append(box((0.03, 0.028, 0.003), dark, (x, y, 0.0105), 0.0008))
            if row == 0:
                tape = paper(_draw_tape(source), 0.7)
                parts.append(sheet(0.0335, 0.009, tape, at=(x, -0.0215, 0.0112)))
    for i in range(12):
        skin = glowing("#FFC46B", 1.4) if i in (2, 7) else warm
        parts.append(
            box(
                (0.018, 0.014, 0.007),
                skin,
                (-0.177 + 0.0255 * (i % 6), 0.012 + 0.022 * (i // 6), 0.0125),
                0.002,
            )
        )
    knob = lathe(
        [(0, 0), (0.0095, 0), (0.008, 0.017), (0.0065, 0.018), (0, 0.018)], steel, radius=0.001, turns=40
    )
    parts += copies(knob, [((-0.172 + 0.034 * i, 0.082, 0.01), (0, 0, 0), 1.0) for i in range(5)])
    parts += [
        box((0.0014, 0.007, 0.0008), plain(BRAND), (-0.172 + 0.034 * i, 0.086, 0.0283), 0.0002)
        for i in range(5)
    ]
    parts.append(box((0.124, 0.078, 0.006), dark, (0.06, 0.068, 0.0115), 0.002))
    parts.append(sheet(0.112, 0.064, screen(_draw_multiview(), 0.95), at=(0.06, 0.068, 0.0147)))
    parts.append(box((0.034, 0.16, 0.003), dark, (0.165, 0.0, 0.0112), 0.001))
    parts += [box((0.0035, 0.13, 0.002), plain("#000000"), (x, 0.0, 0.0125), 0.0005) for x in (0.157, 0.173)]
    parts += [box((0.004, 0.008, 0.03), steel, (x, -0.045, 0.027), 0.001) for x in (0.157, 0.173)]
    bar = lathe([(0, -0.021), (0.0075, -0.021), (0.0075, 0.021), (0, 0.021)], dark, radius=0.002, turns=32)
    bar.location, bar.rotation_euler = (0.165, -0.045, 0.045), (0, math.pi / 2, 0)
    parts.append(bar)
    for i in range(6):
        skin = glowing(
            (LEAF, "#1FE07A", "#1FE07A", "#1FE07A", "#FFC46B", "#FF2A1C")[i], 2.4 if i < 4 else 0.5
        )
        parts.append(box((0.006, 0.007, 0.003), skin, (0.196, -0.05 + 0.011 * i, 0.0112), 0.0006))
    x, y, z = at
    group(parts, (x, y, z + 0.042), (9, 0, turn[2]))
    box((0.40, 0.16, 0.026), dark, (x, y + 0.05, z + 0.013), 0.004, (0, 0, turn[2]))
    box((0.40, 0.05, 0.043), dark, (x, y + 0.1, z + 0.0215), 0.004, (0, 0, turn[2]))


def _set_monitor(at: Place, turn: Place, image: Image.Image, tally: str) -> None:
    """Set a small monitor; the light on its rim tells whether it is on air."""
    shell, steel = paint("#211E1C", 0.35, 0.5), metal("#8F8A83", 0.3)
    parts = [
        slab(0.225, 0.148, 0.02, 0.007, shell, 0.003, at=(0, 0, 0.128)),
        slab(0.211, 0.119, 0.0006, 0.002, screen(image, 0.95), 0.0001, at=(0, -0.0103, 0.134)),
        lathe(
            [(0, 0), (0.045, 0), (0.045, 0.006), (0.01, 0.012), (0.008, 0.02), (0.008, 0.056), (0, 0.056)],
            steel,
        ),
        box(
            (0.06, 0.006, 0.008),
            glowing("#FF2A1C" if tally == BRAND else "#1FE07A", 3.0),
            (0, -0.006, 0.2045),
            0.002,
        ),
    ]
    cable = [(0.05, 0.01, 0.1), (0.07, 0.08, 0.06), (0.05, 0.12, 0.004), (-0.1, 0.15, 0.004)]
    parts.append(tube(cable, 0.003, plain("#120F0E", Roughness=0.5)))
    group(parts, at, turn)


def _set_sign(at: Place, turn: Place) -> None:
    shell = paint("#1A1716", 0.4, 0.55)
    parts = [
        slab(0.22, 0.1, 0.04, 0.012, shell, 0.004, at=(0, 0, 0.072)),
        slab(0.206, 0.086, 0.001, 0.008, screen(_draw_live(), 1.1), 0.0002, at=(0, -0.0205, 0.072)),
    ]
    parts += [box((0.02, 0.06, 0.024), shell, (x, 0, 0.012), 0.004) for x in (-0.07, 0.07)]
    group(parts, at, turn)
    x, y, z = at
    lamp("AREA", (x + 0.03, y - 0.05, z + 0.08), (x + 0.15, y - 0.35, 0), 0.5, "#FF3A2A", size=0.12)


def _draw_live() -> Image.Image:
    image, draw = canvas(1030, 430, "#D8241A")
    draw.ellipse((70, 155, 190, 275), fill="#FFE9DC")
    write(draw, (600, 210), "LIVE", 310, "#FFF3E8", 800, DISPLAY)
    return image


def _draw_tape(words: str) -> Image.Image:
    image, draw = canvas(335, 90, "#F4EEE2")
    write(draw, (167, 44), words, 70, INK, 700)
    return image


def _draw_plan() -> Image.Image:
    image, draw = canvas(900, 1260, "#F6F0E6")
    draw.rectangle((0, 0, 900, 190), fill=DEEP)
    write(draw, (60, 98), "Ratiba", 120, PAPER, 800, DISPLAY, "lm")
    for i, (hour, words) in enumerate(
        (("9:00", "Karibu"), ("9:10", "Lectern"), ("9:40", "Film"), ("10:00", "Maswali"))
    ):
        y = 300 + 190 * i
        write(draw, (60, y), hour, 76, INK, 700, anchor="lm")
        write(draw, (330, y), words, 76, "#4A3B33", 500, anchor="lm")
        draw.line([(60, y + 90), (840, y + 90)], "#C9BBAA", 5)
    draw.line([(320, 318), (560, 326)], BRAND, 12)
    return image


def _draw_lectern(width: int = 1266, height: int = 714) -> Image.Image:
    """Draw the first camera's picture: a lectern in a pool of light, no one there yet."""
    image, draw = canvas(width, height, "#16384A")
    w, h = width / 100, height / 100
    draw.polygon([(38 * w, 0), (62 * w, 0), (84 * w, 100 * h), (16 * w, 100 * h)], fill="#2A5A70")
    draw.rectangle((0, 82 * h, width, height), fill="#5A2A20")
    draw.ellipse((18 * w, 80 * h, 82 * w, 104 * h), fill="#A8552F")
    image = image.filter(ImageFilter.GaussianBlur(width / 60))
    draw = ImageDraw.Draw(image)
    draw.polygon([(39 * w, 36 * h), (61 * w, 36 * h), (64 * w, 46 * h), (36 * w, 46 * h)], fill="#D9A05A")
    draw.polygon([(39 * w, 46 * h), (61 * w, 46 * h), (58 * w, 90 * h), (42 * w, 90 * h)], fill="#8A5230")
    draw.polygon([(52 * w, 46 * h), (61 * w, 46 * h), (58 * w, 90 * h), (52 * w, 90 * h)], fill="#6B3D22")
    draw.ellipse((46 * w, 54 * h, 54 * w, 68 * h), fill=MARIGOLD)
    draw.ellipse((48 * w, 57.5 * h, 52 * w, 64.5 * h), fill=BRAND)
    draw.rectangle((37 * w, 90 * h, 63 * w, 94 * h), fill="#5A321C")
    draw.line(
        [(52 * w, 36 * h), (55 * w, 24 * h), (51 * w, 17 * h)], "#0E0C0C", round(w * 0.7), joint="curve"
    )
    draw.ellipse((49.4 * w, 13 * h, 52.4 * w, 19 * h), fill="#0E0C0C")
    return image


def _draw_chairs(width: int = 1266, height: int = 714) -> Image.Image:
    """Draw the second camera's picture: rows of empty chairs."""
    image, draw = canvas(width, height, "#2A2026")
    w, h = width / 100, height / 100
    for y in range(round(38 * h)):
        draw.line([(0, y), (width, y)], (60 + y // 8, 40 + y // 14, 40))
    for row in range(5):
        size, top = 4.2 + 2.3 * row, 33 + 11.5 * row + row * row * 0.6
        for i in range(-8, 9):
            x = 50 + i * size * 2.0 + (size if row % 2 else 0)
            tone = ("#6E2A22", "#8A3527", "#A8432C", "#C2523A", "#D9644A")[row]
            draw.rounded_rectangle(
                ((x - 0.8 * size) * w, top * h, (x + 0.8 * size) * w, (top + 2.0 * size) * h), w, tone
            )
            draw.rectangle(
                ((x - 0.8 * size) * w, (top + 2.2 * size) * h, (x + 0.8 * size) * w, (top + 2.7 * size) * h),
                "#E0A050",
            )
    return image.filter(ImageFilter.GaussianBlur(1.2))


def _draw_multiview() -> Image.Image:
    image, draw = canvas(1120, 640, "#0D0F10")
    for i, picture in enumerate((_draw_lectern(540, 304), _draw_chairs(540, 304))):
        x = 14 + 552 * i
        image.paste(picture, (x, 14))
        draw.rectangle((x - 5, 9, x + 544, 322), outline=("#FF2A1C", "#1FE07A")[i], width=10)
    for i, colour in enumerate((LAKE, MARIGOLD, LEAF, BRAND)):
        draw.rectangle((14 + 276 * i, 345, 278 + 276 * i, 493), fill=colour)
    for row in range(2):
        for i in range(44):
            tone = "#1FA060" if i < 28 + 5 * row else "#2B2F33"
            draw.rectangle((14 + 25 * i, 525 + 52 * row, 32 + 25 * i, 560 + 52 * row), fill=tone)
    return image
