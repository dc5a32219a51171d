"""A clapperboard on a flight case at dusk beside a field monitor; acacias in silhouette far behind."""

import math
import random
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from agency_site.brand import BRAND, INK, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start
from tools.studio.materials import metal, paint, paper, plain, screen
from tools.studio.printing import DISPLAY, canvas, cloud, triangles, write
from tools.studio.shapes import Place, box, group, lathe, place, sheet, slab, tube


def build() -> None:
    """Set the case on a hill."""
    start(0.45, bounces=6)
    air("#8FA0C8", 0.13)
    _set_horizon()
    _set_case()
    _set_slate((-0.12, -0.02, 0.0), (-9, 0, 8))
    _set_monitor((0.215, 0.04, 0.0), (-6, 0, -11))
    chalk = lathe(
        [(0, -0.045), (0.008, -0.045), (0.009, 0.03), (0.007, 0.05), (0, 0.052)],
        paint(BRAND, 0.3, 0.4),
        radius=0.002,
    )
    place(chalk, (0.07, -0.13, 0.009), (0, 90, 28))
    place(
        lathe([(0, -0.06), (0.0082, -0.06), (0.0082, -0.045), (0, -0.045)], plain(INK, Roughness=0.4)),
        (0.07, -0.13, 0.009),
        (0, 90, 28),
    )
    tape = lathe(
        [(0.026, 0), (0.05, 0), (0.05, 0.025), (0.026, 0.025), (0.026, 0)], paint(MARIGOLD, 0.5, 0.7, 40)
    )
    place(tape, (-0.285, 0.04, 0.0))
    softbox((-0.75, -0.55, 0.45), (-0.05, 0, 0.12), 0.16, 0.22, 13, "#FFC68A")
    glow = softbox((0.15, 1.1, 0.35), (0.0, 0, 0.1), 1.2, 0.3, 24, "#FF9A52")
    glow.visible_camera = False
    softbox((0.8, -0.5, 0.6), (0.1, 0, 0.1), 0.4, 0.4, 1.8, "#AFC0EE")
    camera((0.1, -1.12, 0.2), (0.012, 0, 0.128), 62, 4.0, focus=(-0.1, -0.03, 0.12))


def _set_horizon() -> None:
    land = screen(_draw_land(2000, 1400, 0.60), 1.0)
    sheet(5.6, 3.92, land, at=(0.25, 5.0, 0.27), turn=(90, 0, 0))


def _set_case() -> None:
    """Set a flight case whose lid is the table."""
    skin, edge = paint("#1C1918", 0.45, 0.7, 30, 0.0012), metal("#A9A29A", 0.34, (60, 1, 1))
    box((0.86, 0.5, 0.3), skin, (0, 0.08, -0.1525), 0.002)
    for y in (-0.17, 0.33):
        box((0.86, 0.03, 0.004), edge, (0, y + (0.013 if y < 0 else -0.013), -0.001), 0.001)
        box((0.86, 0.004, 0.03), edge, (0, y - (0.001 if y < 0 else -0.001), -0.014), 0.001)
    for x in (-0.43, 0.43):
        box((0.03, 0.5, 0.0045), edge, (x - math.copysign(0.013, x), 0.08, -0.0008), 0.001)
        corner = lathe(
            [(0, -0.03), (0.03, -0.026), (0.034, 0.0), (0.024, 0.012), (0, 0.016)],
            metal("#B8B2A8", 0.3),
            radius=0.01,
        )
        corner.location = (x, -0.17, -0.008)
    for x in (-0.36, -0.12, 0.12, 0.36):
        lathe([(0, 0.002), (0.005, 0.002), (0.0035, 0.004), (0, 0.0045)], edge, (x, -0.157, 0), turns=24)


def _set_slate(at: Place, turn: Place) -> None:
    """Set the board on its lower edge; the upper stick is open."""
    board, back = paper(_draw_board(), 0.35, 0.1), paint("#E9E2D6", 0.4, 0.6)
    stick, brass = paper(_draw_stick(), 0.45, 0.12), metal("#C79A4B", 0.3)
    parts: list[Any] = [
        slab(0.27, 0.18, 0.006, 0.005, back, 0.001, at=(0, 0, 0.09)),
        sheet(0.264, 0.174, board, at=(0, -0.0032, 0.09), turn=(90, 0, 0)),
        box((0.27, 0.012, 0.026), plain(INK, Roughness=0.5), (0, 0, 0.194), 0.002),
        sheet(0.268, 0.024, stick, at=(0, -0.0063, 0.194), turn=(90, 0, 0)),
    ]
    arm = group(
        [
            box((0.27, 0.012, 0.026), plain(INK, Roughness=0.5), (0.135, 0, 0.0), 0.002),
            sheet(0.268, 0.024, stick, at=(0.135, -0.0063, 0.0), turn=(90, 0, 0)),
        ],
        (-0.135, 0, 0.222),
        (0, -17, 0),
    )
    parts.append(arm)
    parts.append(box((0.026, 0.014, 0.062), brass, (-0.123, 0.0, 0.206), 0.002))
    for x, z in ((-0.123, 0.182), (-0.123, 0.194), (-0.123, 0.226)):
        parts.append(
            place(
                lathe([(0, 0), (0.004, 0), (0.003, 0.002), (0, 0.0025)], brass, turns=24),
                (x, -0.007, z),
                (90, 0, 0),
            )
        )
    group(parts, at, turn)
    box((0.06, 0.05, 0.1), paint("#2A2624", 0.5, 0.7), (at[0] - 0.01, at[1] + 0.06, 0.05), 0.006, (0, 0, 8))


def _set_monitor(at: Place, turn: Place) -> None:
    shell, knob = paint("#1F1C1B", 0.35, 0.55), metal("#8F8A83", 0.3)
    parts = [
        slab(0.205, 0.135, 0.024, 0.008, shell, 0.003, at=(0, 0, 0.118)),
        slab(0.186, 0.108, 0.0006, 0.002, screen(_draw_frame(), 1.15), 0.0001, at=(0, -0.0123, 0.122)),
        box((0.206, 0.06, 0.0025), shell, (0, -0.035, 0.1865), 0.001, (8, 0, 0)),
        box((0.0025, 0.055, 0.1), shell, (-0.104, -0.033, 0.135), 0.001, (0, 0, 4)),
        box((0.0025, 0.055, 0.1), shell, (0.104, -0.033, 0.135), 0.001, (0, 0, -4)),
        lathe(
            [(0, 0), (0.05, 0), (0.05, 0.006), (0.012, 0.012), (0.008, 0.02), (0.008, 0.054), (0, 0.054)],
            knob,
        ),
        lathe([(0, 0.03), (0.014, 0.03), (0.014, 0.044), (0, 0.044)], paint(BRAND, 0.3, 0.4)),
    ]
    parts += [box((0.012, 0.003, 0.004), knob, (-0.06 + 0.02 * i, -0.0125, 0.059), 0.001) for i in range(5)]
    parts.append(
        box(
            (0.004, 0.003, 0.004),
            plain("#000000", Emission_Color="#59D66B", Emission_Strength=4.0),
            (0.08, -0.0125, 0.059),
        )
    )
    cable = [
        (0.09, 0.015, 0.1),
        (0.15, 0.03, 0.09),
        (0.18, 0.06, 0.01),
        (0.14, 0.16, 0.004),
        (0.26, 0.24, 0.004),
    ]
    parts.append(tube(cable, 0.0035, plain("#141110", Roughness=0.5)))
    group(parts, at, turn)


def _draw_acacia(draw: ImageDraw.ImageDraw, x: float, y: float, size: float, colour: str, seed: int) -> None:
    """Draw a flat crown on a forked trunk, its foot at the point."""
    shake = random.Random(seed)
    top = y - size
    for tip in (-0.62, -0.25, 0.2, 0.55):
        fork = (x + tip * size * 0.12, y - size * 0.42)
        draw.line(
            [(x, y), fork, (x + tip * size, top + size * 0.12)],
            colour,
            max(2, round(size * 0.035)),
            joint="curve",
        )
    draw.line([(x, y + size * 0.02), (x, y - size * 0.4)], colour, max(2, round(size * 0.065)))
    for _ in range(110):
        u = shake.uniform(-1, 1)
        cx, cy = x + u * size * 0.95, top + size * (0.1 * u * u + shake.uniform(-0.06, 0.09))
        r = size * shake.uniform(0.035, 0.09) * (1.1 - 0.5 * abs(u))
        draw.ellipse((cx - 1.9 * r, cy - 0.7 * r, cx + 1.9 * r, cy + 0.7 * r), fill=colour)


def _draw_land(width: int, height: int, horizon: float) -> Image.Image:
    """Draw an evening sky over three ranges of hills with acacias."""
    stops = [(0.0, "#16203F"), (0.35, "#3B3E66"), (0.62, "#8E5A6B"), (0.82, "#E08A4A"), (1.0, "#FFC46B")]
    places = np.linspace(0, 1, round(height * horizon))
    channels = [
        np.interp(places, [p for p, _ in stops], [int(c[i : i + 2], 16) for _, c in stops]) for i in (1, 3, 5)
    ]
    sky = np.zeros((height, width, 3), np.float32) + np.array([255, 196, 107])
    sky[: len(places)] = np.stack(channels, -1)[:, None]
    haze = cloud(np.random.default_rng(3), width, height * 4, 5)[::4][:, :, None]
    low = np.clip(1 - np.abs(np.linspace(0, 1, height) / horizon - 0.72) / 0.2, 0, 1)[:, None, None]
    sky += np.array([60, -4, -20]) * np.clip(haze - 0.5, 0, 1) * 3 * low
    image = Image.fromarray(np.clip(sky, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    ground = height * horizon
    for layer, (colour, rise, base) in enumerate(
        (("#A4624F", 0.10, 0.0), ("#5E3A44", 0.07, 0.035), ("#241A22", 0.03, 0.085))
    ):
        line = []
        for x in range(0, width + 20, 20):
            swell = rise * (0.5 + 0.5 * math.sin(x / width * (4.1 + layer) + 1.7 * layer))
            line.append((x, ground + height * (base - swell - 0.012 * math.sin(x / width * 17 + layer))))
        draw.polygon([(0, height), *line, (width, height)], fill=colour)
        for share, size in (
            ((), ((0.16, 0.05), (0.86, 0.055)), ((0.09, 0.1), (0.46, 0.2), (0.66, 0.15), (0.8, 0.08)))
        )[layer]:
            foot = min(line, key=lambda point: abs(point[0] - share * width))[1]
            _draw_acacia(draw, share * width, foot + 4, size * height, colour, round(share * 100))
    return image


def _draw_frame() -> Image.Image:
    image = _draw_land(1400, 813, 0.66)
    draw = ImageDraw.Draw(image)
    for x, y, sx, sy in ((60, 50, 1, 1), (1340, 50, -1, 1), (60, 763, 1, -1), (1340, 763, -1, -1)):
        draw.line([(x + 90 * sx, y), (x, y), (x, y + 90 * sy)], PAPER, 7)
    draw.ellipse((100, 84, 136, 120), fill="#FF3B2F")
    write(draw, (156, 102), "REC", 56, PAPER, 700, anchor="lm")
    write(draw, (1300, 102), "18:42:07", 50, PAPER, 600, anchor="rm")
    draw.line([(660, 406), (740, 406)], PAPER, 5)
    draw.line([(700, 366), (700, 446)], PAPER, 5)
    return image


def _draw_board() -> Image.Image:
    image, draw = canvas(1584, 1044, "#F3EBDD")
    draw.rectangle((0, 0, 1584, 290), fill=BRAND)
    write(draw, (70, 135), "Mwanga", 230, PAPER, 800, DISPLAY, "lm")
    triangles(draw, 0, 1584, 262, 48, [MARIGOLD, INK])
    for x, key, value in ((40, "Scene", "12"), (826, "Take", "4")):
        write(draw, (x + 10, 392), key, 100, INK, 700, anchor="lm")
        write(draw, (x + 350, 575), value, 360, INK, 800, DISPLAY)
    for y in (780, 910):
        draw.line([(0, y), (1584, y)], INK, 9)
    draw.line([(786, 312), (786, 1044)], INK, 9)
    for x, y, words in (
        (50, 848, "Roll  A03"),
        (836, 848, "Dusk · Ext"),
        (50, 978, "25 fps"),
        (836, 978, "Sync sound"),
    ):
        write(draw, (x, y), words, 84, "#3A2C25", 600, anchor="lm")
    rng = np.random.default_rng(2)
    wipe = np.clip(cloud(rng, 1584, 1044, 5) - 0.55, 0, 1)[..., None] * 60
    return Image.fromarray(np.clip(np.asarray(image, np.float32) - wipe, 0, 255).astype(np.uint8))


def _draw_stick() -> Image.Image:
    image, draw = canvas(2144, 192, SAND)
    for i in range(-1, 10):
        x = i * 240
        draw.polygon([(x, 192), (x + 120, 192), (x + 240, 0), (x + 120, 0)], fill=INK)
    return image
