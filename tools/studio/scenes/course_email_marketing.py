"""Envelopes with red and blue borders and stamps from above; the open one shows a letter to Wanjiru."""

import math
from typing import Any

from PIL import Image, ImageDraw

from agency_site.brand import BRAND, INK, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.cover import LOOK, SIZE, VIEW, Outline, board, cutout, frame
from tools.studio.light import air, softbox, start, sun
from tools.studio.materials import paint, paper, wood
from tools.studio.printing import DISPLAY, canvas, rosette, write
from tools.studio.shapes import Place, box, group, sheet

ENVELOPE = (0.162, 0.114)
_BLUE = "#2B5AA0"
_CREAM = "#F6ECDC"


def _border(draw: ImageDraw.ImageDraw, width: int, height: int, band: int, inside: str) -> None:
    """Draw the slanting red and blue bars of airmail."""
    for i in range(-height // 60 - 2, width // 60 + 2):
        colour = (BRAND, inside, _BLUE, inside)[i % 4]
        x = i * 60
        draw.polygon(
            [(x, height), (x + 60, height), (x + 60 + height * 0.6, 0), (x + height * 0.6, 0)], fill=colour
        )
    draw.rectangle((band, band, width - band, height - band), fill=inside)


def _draw_stamp(colour: str, value: str) -> Image.Image:
    image, draw = canvas(260, 320, PAPER)
    draw.rectangle((30, 30, 230, 290), fill=colour)
    rosette(draw, 130, 130, [(84, 0, 0, MARIGOLD), (66, 8, 14, PAPER), (42, 0, 0, INK), (20, 0, 0, BRAND)])
    write(draw, (130, 254), value, 56, PAPER, 800, DISPLAY)
    return image


def _perforated(width: float = 0.028, height: float = 0.0345) -> Outline:
    """Return a stamp's outline, its edge torn along holes."""
    outline: Outline = []
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    for (ax, az), (bx, bz) in zip(corners, corners[1:] + corners[:1], strict=True):
        holes = 9 if az == bz else 11
        for i in range(holes * 6):
            t, bite = i / (holes * 6), 0.0009 * max(0.0, math.sin(math.tau * i / 6))
            x, z = (ax + (bx - ax) * t) * width / 2, (az + (bz - az) * t) * height / 2
            outline.append((x - bite * ax * (ax == bx), z - bite * az * (az == bz)))
    return outline


def _draw_front(
    name: str, street: str, colour: str, value: str, ground: str = _CREAM, left: int = 620
) -> Image.Image:
    image, draw = canvas(1620, 1140, ground)
    _border(draw, 1620, 1140, 62, ground)
    image.paste(_draw_stamp(colour, value), (1240, 130))
    for i in range(4):
        draw.arc((900, 150 + 50 * i, 1320, 250 + 50 * i), 200, 340, fill="#4A3B33", width=9)
    write(draw, (left, 640), name, 130, INK, 700, DISPLAY, "lm")
    write(draw, (left, 800), street, 92, INK, 500, anchor="lm")
    return image


def _draw_pocket() -> Image.Image:
    image, draw = canvas(1620, 1140, _CREAM)
    _border(draw, 1620, 1140, 62, _CREAM)
    draw.line([(0, 1140), (810, 560), (1620, 1140)], fill="#CDBBA2", width=9)
    return image


def _draw_letter() -> Image.Image:
    image, draw = canvas(1480, 1500, "#FFFCF5")
    draw.rectangle((0, 0, 1480, 120), fill=BRAND)
    write(draw, (100, 300), "Habari Wanjiru,", 158, INK, 800, DISPLAY, "lm")
    for y, words in ((480, "Asante kwa kutembelea duka letu."), (590, "Karibu tena wiki hii: chai mpya"),
                     (700, "ya Kericho, KSh 450 tu.")):  # fmt: skip
        write(draw, (100, y), words, 82, "#3A2C25", 500, anchor="lm")
    write(draw, (740, 880), "Duka la Amani", 96, BRAND, 800, DISPLAY)
    return image


def _closed(image: Image.Image, at: Place, turn: float) -> Any:
    body = box((ENVELOPE[0], 0.0026, ENVELOPE[1]), paint("#EBDDC6", 0.7, 0.85, 30), bevel=0.0008)
    width, height = ENVELOPE[0] - 0.0008, ENVELOPE[1] - 0.0008
    face = sheet(width, height, paper(image, 0.7, 0.1), at=(0, -0.00142, 0), turn=(90, 0, 0))
    return group([body, face], at, (0, turn, 0))


def _open(at: Place, turn: float) -> Any:
    """Return an envelope from behind, its flap up, with a letter half out of it."""
    w, h = ENVELOPE
    cream = paint("#F1E5D2", 0.7, 0.85, 30)
    flap = [(-w / 2, 0.0), (w / 2, 0.0), (0.012, 0.066), (0.0, 0.069), (-0.012, 0.066)]
    lining = [(x * 0.93, z * 0.93) for x, z in flap]
    pocket = [
        (-w / 2, -h),
        (w / 2, -h),
        (w / 2, -0.004),
        (0.010, -0.050),
        (0, -0.053),
        (-0.010, -0.050),
        (-w / 2, -0.004),
    ]
    letter = sheet(0.146, 0.148, paper(_draw_letter(), 0.7, 0.05), (6, 40),
                   lambda x, z: (x, z, 0.0012 + 0.011 * max(0.0,
                       z / 0.074) ** 3 + 0.0007 * math.cos(math.pi * z / 0.05)),
                   at=(0.001, -0.001, -0.010), turn=(90, 1.4, 0))  # fmt: skip
    parts = [
        cutout([(-w / 2, -h), (w / 2, -h), (w / 2, 0.001), (-w / 2, 0.001)], cream, 0.0006),
        cutout(flap, cream, 0.0006, at=(0, -0.0004, 0), turn=(1, 0, 0)),
        cutout(lining, paint(LAKE, 0.7, 0.85), 0.0003, at=(0, -0.0012, 0.001), turn=(1, 0, 0)),
        letter,
        cutout(pocket, paper(_draw_pocket(), 0.75, 0.1), 0.0006, at=(0, -0.0036, 0)),
    ]
    return group(parts, at, (0, turn, 0))


def build() -> None:
    """Set the scene."""
    start(0.1, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#D8C8B8", 0.22)
    board(wood("#3A150D", "#7A3320", "#A04A2E", 0.3, 0.5))
    _closed(_draw_front("Otieno", "Kisumu", LEAF, "50", "#D2A878", 400), (-0.112, 0.0015, -0.034), -13)
    _closed(_draw_front("Amina", "Mombasa", BRAND, "80", "#C3D5DF"), (0.092, 0.0015, 0.046), 12)
    _closed(_draw_front("Baraka", "Nakuru", "#7A3F8C", "80", "#E3C27E"), (0.100, -0.0014, -0.026), 4)
    _closed(_draw_front("Wanjiru", "Nairobi", LAKE, "50"), (0.084, -0.0043, -0.062), -8)
    _open((-0.020, -0.0072, 0.004), 3)
    for x, z, turn, colour, value in ((-0.128, 0.066, -9, BRAND, "50"), (-0.098, 0.052, 14, LEAF, "80")):
        cutout(_perforated(), paper(_draw_stamp(colour, value)), 0.0004, at=(x, 0.003, z), turn=(0, turn, 0))
    sun((0.68, 0.58, -0.5), 6.0, "#FFD7A6", 0.6)
    softbox((0.4, -0.6, -0.1), (0, 0, 0), 0.4, 0.4, 3, "#FFEDE0")
    frame(("wwwwrrrwwwwbbb", "wwwrrrwwwwbbbw", "wwrrrwwwwbbbww"), flat=True, leather="#1D1A2A")
