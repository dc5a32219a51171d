"""What is printed, painted and shown on screens: drawings with Pillow, two or three times as large as they will be seen."""

import math
import random
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from agency_site.brand import BRAND, DEEP, INK, LEAF, MARIGOLD, SAND

_FONTS = Path(__file__).parents[2] / "agency_site" / "artwork" / "fonts"
DISPLAY = "display"
TEXT = "figtree-latin-wght-normal"


@cache
def _open_font(family: str) -> bytes:
    """Return the font as Pillow reads it: the house's files are compressed for the web."""
    font, file = TTFont(_FONTS / f"{family}.woff2"), BytesIO()
    font.flavor = None
    font.save(file)
    return file.getvalue()


@cache
def face(size: int, weight: int = 800, family: str = DISPLAY) -> ImageFont.FreeTypeFont:
    """Return one of the two house fonts, `DISPLAY` or `TEXT`."""
    made = ImageFont.truetype(BytesIO(_open_font(family)), size)
    made.set_variation_by_axes([weight])
    return made


def canvas(width: int, height: int, colour: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """Return an empty drawing."""
    image = Image.new("RGB", (width, height), colour)
    return image, ImageDraw.Draw(image)


def write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    words: str,
    size: int,
    colour: str = INK,
    weight: int = 600,
    family: str = TEXT,
    anchor: str = "mm",
) -> None:
    """Write a line at a point; `anchor` is Pillow's, "mm" the middle and "lm" the left end."""
    draw.text(at, words, font=face(size, weight, family), fill=colour, anchor=anchor)


def triangles(
    draw: ImageDraw.ImageDraw,
    x0: float,
    x1: float,
    y: float,
    size: float,
    colours: Sequence[str],
    *,
    down: bool = False,
) -> None:
    """Draw a band of triangles, as on a kanga's border."""
    number = max(1, round((x1 - x0) / size))
    step = (x1 - x0) / number
    tip, foot = (y + size, y) if down else (y, y + size)
    for i in range(number):
        x = x0 + i * step
        draw.polygon([(x, foot), (x + step, foot), (x + step / 2, tip)], fill=colours[i % len(colours)])


def rosette(
    draw: ImageDraw.ImageDraw, x: float, y: float, rings: Sequence[tuple[float, float, int, str]]
) -> None:
    """Draw beads in circles: rings of (radius, radius of a bead, number, colour); the number 0 is a filled disc."""
    for radius, dot, number, colour in rings:
        if not number:
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
        for i in range(number):
            angle = math.tau * i / number
            px, py = x + radius * math.cos(angle), y + radius * math.sin(angle)
            draw.ellipse((px - dot, py - dot, px + dot, py + dot), fill=colour)


def status_bar(draw: ImageDraw.ImageDraw, width: int, colour: str) -> None:
    """Draw the top line of a phone 900 dots wide: time, signal, battery and the camera's island."""
    write(draw, (110, 70), "9:41", 44, colour, 700)
    for i in range(4):
        draw.rounded_rectangle((width - 240 + i * 20, 84 - 12 * i - 10, width - 228 + i * 20, 88), 3, colour)
    draw.rounded_rectangle((width - 130, 52, width - 62, 88), 9, outline=colour, width=4)
    draw.rounded_rectangle((width - 123, 59, width - 82, 81), 4, colour)
    draw.rounded_rectangle((width / 2 - 120, 36, width / 2 + 120, 104), 34, "#000000")


def browser_bar(draw: ImageDraw.ImageDraw, width: int, address: str) -> int:
    """Draw a browser's bar with an address on top of a screen; return its height."""
    height = round(width * 0.045)
    draw.rectangle((0, 0, width, height), fill="#E9E1D8")
    for i, colour in enumerate((BRAND, MARIGOLD, LEAF)):
        x, radius = height * (0.7 + 0.55 * i), height * 0.15
        draw.ellipse((x - radius, height / 2 - radius, x + radius, height / 2 + radius), fill=colour)
    draw.rounded_rectangle(
        (width * 0.25, height * 0.17, width * 0.75, height * 0.83), height * 0.33, "#FFFDFA"
    )
    write(draw, (width / 2, height / 2), address, round(height * 0.4), "#4A3B33", 500)
    return height


def kanga(
    words: str,
    field: str = MARIGOLD,
    border: str = DEEP,
    band: str = BRAND,
    width: int = 3000,
    height: int = 2000,
) -> Image.Image:
    """Return a kanga: a border of triangles, a field of beads, and the line of Swahili that every kanga carries."""
    image, draw = canvas(width, height, field)
    for inset, colour in ((0, border), (90, field), (120, band), (330, INK), (360, field)):
        draw.rectangle((inset, inset, width - inset, height - inset), fill=colour)
    triangles(draw, 120, width - 120, 140, 170, [SAND, INK], down=True)
    triangles(draw, 120, width - 120, height - 310, 170, [SAND, INK])
    for y in range(480, height - 400, 190):
        for x in range(480, width - 400, 190):
            odd = (x // 190 + y // 190) % 2
            centre = (22, 0, 0, LEAF if odd else INK)
            rosette(draw, x, y, [(62, 0, 0, border if odd else band), (40, 0, 0, SAND), centre])
    draw.rectangle((width * 0.22, height - 520, width * 0.78, height - 390), fill=SAND)
    write(draw, (width / 2, height - 455), words, 84, INK, 800, DISPLAY)
    return image


def cloud(rng: np.random.Generator, width: int, height: int, cells: int, octaves: int = 5) -> np.ndarray:
    """Return soft noise from 0 to 1 for stains, wear and shaky edges."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        shape = (max(2, int(cells * 2**octave * height / width)) + 1, cells * 2**octave + 1)
        grid = Image.fromarray(rng.random(shape).astype(np.float32))
        total += np.asarray(grid.resize((width, height), Image.Resampling.BICUBIC)) / 2**octave
    return (total - total.min()) / (total.max() - total.min())


def paint_letters(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    words: str,
    size: int,
    colour: str,
    *,
    shade: str = "",
    deep: int = 14,
    family: str = DISPLAY,
    weight: int = 800,
) -> None:
    """Write as a sign painter does, from the left end of the foot: each letter has its own size and height."""
    x, y = at
    for letter in words:
        drawn = face(round(size * random.uniform(0.975, 1.025)), weight, family)
        drop = random.uniform(-0.015, 0.015) * size
        for k in range(deep if shade else 0):
            draw.text((x + k, y + k + drop), letter, font=drawn, fill=shade, anchor="ls")
        draw.text((x, y + drop), letter, font=drawn, fill=colour, anchor="ls")
        x += drawn.getlength(letter)


def weather(image: Image.Image, seed: int = 5, *, soil: float = 0.95, chipped: float = 1.0) -> Image.Image:
    """Return a painted wall after ten years: shaky edges, streaks of the brush, faded patches, chips, runs and red soil."""
    rng = np.random.default_rng(seed)
    width, height = image.size
    flat = np.asarray(image.filter(ImageFilter.GaussianBlur(1.6)), np.float32)
    down, right = np.mgrid[0:height, 0:width]
    shake = [(cloud(rng, width, height, 24, 3) - 0.5) * width / 182 for _ in range(2)]
    flat = flat[
        np.clip(down + shake[0], 0, height - 1).astype(int),
        np.clip(right + shake[1], 0, width - 1).astype(int),
    ]
    flat = flat * (0.96 + 0.05 * _spread(rng.random((height // 3, width // 60)), width, height))[..., None]
    flat *= (0.84 + 0.24 * cloud(rng, width, height, 5))[..., None]
    grey = flat.mean(2, keepdims=True)
    flat += (grey + 26 - flat) * 0.26 * cloud(rng, width, height, 4, 4)[..., None]
    wear = cloud(rng, width, height, 46) * (0.9 + 0.16 * cloud(rng, width, height, 6, 3))
    chips = np.clip((wear - 0.775) * 26, 0, 1) * chipped
    flat = _stain(flat, np.roll(chips, (4, 3), (0, 1)), "#2A1A14", 0.55)
    flat = _stain(flat, chips, "#B59F82", 0.92)
    foot = np.clip((down - height * 0.825) / (height * 0.175), 0, 1)
    flat = _stain(flat, foot**1.5 * (0.35 + cloud(rng, width, height, 18)), "#8A4A2C", soil)
    runs = _spread(rng.random((3, width // 13)) ** 11, width, height)
    flat = _stain(flat, runs * np.clip(1 - down / (height * 0.625), 0, 1) ** 1.3, "#4A3322", 0.7)
    return Image.fromarray(np.clip(flat, 0, 255).astype(np.uint8))


def _spread(values: np.ndarray, width: int, height: int) -> np.ndarray:
    small = Image.fromarray((values * 255).astype(np.uint8))
    return np.asarray(small.resize((width, height), Image.Resampling.BICUBIC), np.float32) / 255


def _stain(flat: np.ndarray, mask: np.ndarray, colour: str, amount: float) -> np.ndarray:
    target = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    return flat + (target - flat) * np.clip(mask * amount, 0, 1)[..., None]
