"""A laptop with a school's blue page on a desk with pencils, books and a slate, before a sunlit wall."""

import math
import random
from typing import Any

from PIL import Image, ImageDraw

from agency_site.brand import BRAND, INK, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start, sun, window_shadow
from tools.studio.materials import metal, paint, paper, weathered, wood
from tools.studio.printing import DISPLAY, TEXT, canvas, face, write
from tools.studio.props import laptop
from tools.studio.shapes import Place, box, card, group, lathe, sheet, wall

_SKY = "#1C5FA8"
_SUN = (0.8, 0.5, -0.62)


def build() -> None:
    """Set the scene."""
    start(0.4, bounces=6)
    air("#B9CBE0", 0.2)
    _set_desk()
    wall(3.4, 1.9, weathered(_draw_wall()), 0.95, z=-0.86)
    laptop(_draw_screen(), (0.07, -0.01, 0), (0, 0, 21), lean=17)
    _set_pencils((-0.148, -0.085, 0))
    _set_slate((-0.165, 0.19, 0))
    books = (BRAND, "#E7B13C", "#2B7A8C", LEAF)
    for i, colour in enumerate(books):
        exercise_book((0.305, 0.13, 0.0075 * i), 14 + random.uniform(-9, 9), colour, "Hisabati")
    exercise_book((-0.04, -0.232, 0), -16, "#E7B13C", "Insha")
    _pencil(_SKY, (0.055, -0.205, 0.004), (90, 0, 118))

    sun(_SUN, 9.5, "#FFDDAB", 0.45)
    away = [0.05 - 1.9 * _SUN[0], 0.25 - 1.9 * _SUN[1], 0.1 - 1.9 * _SUN[2]]
    window_shadow(away, (0.05, 0.25, 0.1), 1.5, 1.15, columns=6, rows=2, bar=0.05, margin=3)
    softbox((-0.7, -0.45, 0.55), (0.02, 0, 0.06), 0.4, 0.4, 5, "#FFF1DE")
    softbox((0.75, -0.3, 0.5), (0.05, 0, 0.08), 0.3, 0.5, 3, "#FFEBD2")
    camera((0.02, -1.06, 0.335), (0.0, 0.03, 0.098), 70, 4.5, focus=(0.05, 0.05, 0.1))


def exercise_book(at: Place, turn: float, colour: str, subject: str) -> Any:
    """Return a closed exercise book that lies with its foot to the camera."""
    image, draw = canvas(800, 1040, colour)
    draw.rectangle((0, 0, 60, 1040), fill=INK)
    draw.rounded_rectangle((180, 180, 690, 520), 20, SAND)
    write(draw, (435, 270), subject, 110, INK, 800, DISPLAY)
    draw.line((230, 370, 640, 370), fill="#8A7A6C", width=5)
    write(draw, (435, 440), "Grade 4", 70, "#4A3B33", 600)
    parts = [
        box((0.16, 0.208, 0.0068), paint("#EFE6D4", 0.8, 0.9), (0.0008, 0, 0.0034), 0.0008),
        sheet(0.164, 0.211, paper(image, 0.55, 0.15), (12, 12),
              lambda x, y: (x, y, 0.0022 * (abs(x) / 0.08) ** 4 * (x > 0)), thick=0.0004, at=(0, 0, 0.0074)),
    ]  # fmt: skip
    return group(parts, at, (0, 0, turn))


def _set_desk() -> None:
    planks = [wood("#3A2413", "#7A5230", "#A67A4C", 0.26 + 0.07 * i, 0.45) for i in range(3)]
    for i in range(4):
        at = (random.uniform(-0.1, 0.1), -0.42 + 0.212 * i, -0.014)
        box((2.4, 0.21, 0.028), planks[i % 3], at, 0.003)
    box((2.4, 0.022, 0.026), planks[0], (0, 0.322, 0.011), 0.004)


def _pencil(colour: str, at: Place, turn: Place) -> Any:
    lack, bare = paint(colour, 0.2, 0.35, 40, 0.0001, 0.1), wood("#9A6B40", "#C99B68", "#E3BE8C", 0.05, 0.7)
    parts = [
        lathe([(0, 0), (0.0037, 0), (0.0037, 0.15)], lack, radius=0.0001, turns=6),
        lathe([(0.0037, 0.15), (0.0013, 0.166)], bare, radius=0.0001, turns=6),
        lathe([(0.0013, 0.166), (0, 0.171)], lack, radius=0.0001, turns=6),
    ]
    for part in parts:
        part.data.polygons.foreach_set("use_smooth", [False] * len(part.data.polygons))
    return group(parts, at, turn)


def _set_pencils(at: Place) -> None:
    steel = metal("#C2B8A6", 0.3, (1, 1, 30), 20)
    lathe(
        [(0, 0), (0.037, 0), (0.037, 0.02), (0.0362, 0.022), (0.0362, 0.03), (0.037, 0.032), (0.037, 0.07),
         (0.0362, 0.072), (0.0362, 0.08), (0.037, 0.082), (0.037, 0.098), (0.0378, 0.1), (0.036, 0.1),
         (0.035, 0.004), (0, 0.004)],
        steel, at, 0.0008,
    )  # fmt: skip
    colours = (
        BRAND,
        MARIGOLD,
        LEAF,
        _SKY,
        "#E2703A",
        "#7A3B78",
        "#3FA0B5",
        "#D94F70",
        "#5A3A22",
        MARIGOLD,
        BRAND,
    )
    for i, colour in enumerate(colours):
        a = math.tau * i / len(colours) * 1.7
        foot, out = 0.012, random.uniform(8, 13)
        turn = (-out * math.sin(a), out * math.cos(a), random.uniform(0, 60))
        spot = (
            at[0] + foot * math.cos(a),
            at[1] + foot * math.sin(a),
            at[2] + 0.006 + random.uniform(0, 0.012),
        )
        _pencil(colour, spot, turn)


def _set_slate(at: Place) -> None:
    image, draw = canvas(1200, 880, "#2A2F31")
    for row, words in enumerate(("7   14   21   28", "35   42   49   56", "63   70")):
        write(draw, (110, 200 + row * 230), words, 150, "#D9D6CC", 500, anchor="lm")
    frame = wood("#6B4A2C", "#A9794A", "#C99B68", 0.15, 0.6)
    wide, high = 0.25, 0.185
    parts: list[Any] = [card(wide, high, paper(image, 0.8, 0.3), paint("#202427", 0.8, 0.9), 0.006)]
    parts += [box((wide + 0.03, 0.012, 0.018), frame, (0, 0, z), 0.002) for z in (0, high)]
    parts += [
        box((high + 0.015, 0.0118, 0.018), frame, (x, 0, high / 2), 0.002, (0, 90, 0))
        for x in (-wide / 2, wide / 2)
    ]
    group(parts, (at[0], at[1], at[2] + 0.009), (-17, 0, 12))
    box(
        (0.2, 0.07, 0.11),
        paint("#8A3226", 0.6, 0.8),
        (at[0] - 0.012, at[1] + 0.077, 0.055),
        0.003,
        (0, 0, 12),
    )


def _draw_star(size: int, colour: str) -> Image.Image:
    image = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    points = []
    for i in range(10):
        a, r = math.tau * i / 10 - math.pi / 2, size / 2 * (1 if i % 2 == 0 else 0.46)
        points.append((size / 2 + r * math.cos(a), size / 2 + r * math.sin(a)))
    draw.polygon(points, fill=colour)
    return image


def _draw_wall() -> Image.Image:
    image, draw = canvas(2040, 1140, "#EBD8AE")
    draw.rectangle((0, 560, 2040, 1140), fill="#2C6DA0")
    draw.rectangle((0, 548, 2040, 566), fill="#163F66")
    return image


def _draw_screen() -> Image.Image:
    image, draw = canvas(1600, 1000, _SKY)
    star = _draw_star(620, MARIGOLD)
    image.paste(star, (950, 120), star)
    for x, y, size in ((900, 130, 70), (1470, 90, 90), (880, 640, 54)):
        small = _draw_star(size, "#F9DDA0")
        image.paste(small, (x, y), small)
    write(draw, (88, 100), "Nyota School", 84, PAPER, 800, DISPLAY, "lm")
    for i, words in enumerate(("Small", "classes,", "big sky")):
        write(draw, (84, 280 + i * 150), words, 172, PAPER, 800, DISPLAY, "lm")
    left = 90.0
    for words in ("Fees", "Term dates", "Uniform"):
        wide = face(64, 700, TEXT).getlength(words) + 120
        draw.rounded_rectangle((left, 780, left + wide, 900), 60, SAND)
        write(draw, (left + wide / 2, 838), words, 64, "#123E70", 700)
        left += wide + 40
    return image
