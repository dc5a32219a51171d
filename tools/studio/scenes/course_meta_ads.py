"""A phone with a sponsored post for kikois, a target of beads with a dart, three clay cubes with a pie."""

import math
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.cover import LOOK, SIZE, VIEW, frame, table
from tools.studio.light import air, lamp, softbox, start
from tools.studio.materials import metal, paint, paper, plaster
from tools.studio.printing import DISPLAY, canvas, status_bar, write
from tools.studio.props import bead_disc, phone, rings_of
from tools.studio.shapes import Place, box, group, lathe, mesh, sheet, wall

CUBE = 0.042
_STRIPES = (BRAND, PAPER, MARIGOLD, PAPER, LAKE, PAPER, LEAF, PAPER)


def _draw_screen() -> Image.Image:
    image, draw = canvas(900, 1900, PAPER)
    status_bar(draw, 900, INK)
    draw.ellipse((50, 160, 190, 300), fill=LAKE)
    write(draw, (120, 230), "K", 90, PAPER, 800, DISPLAY)
    write(draw, (225, 205), "Kikoi House", 66, INK, 800, anchor="lm")
    write(draw, (225, 272), "Sponsored", 50, "#6B5D53", 500, anchor="lm")
    draw.rectangle((0, 350, 900, 1330), fill=SAND)
    for roll, (x, y) in enumerate(
        ((250, 1130), (450, 1130), (650, 1130), (350, 957), (550, 957), (450, 784))
    ):
        for ring in range(6):
            radius = 98 - 17 * ring
            colour = _STRIPES[(ring + 2 * roll) % len(_STRIPES)]
            draw.ellipse(
                (x - radius, y - radius, x + radius, y + radius), fill=colour, outline="#C9B59C", width=2
            )
    draw.rectangle((0, 1228, 900, 1330), fill="#B5743A")
    write(draw, (450, 490), "Kikoi mpya", 130, DEEP, 800, DISPLAY)
    write(draw, (450, 610), "KSh 1,850", 92, INK, 700)
    draw.rounded_rectangle((50, 1400, 850, 1580), 40, BRAND)
    write(draw, (450, 1490), "Shop now", 90, PAPER, 800)
    write(draw, (60, 1700), "1,204 people like this", 56, INK, 600, anchor="lm")
    draw.rounded_rectangle((310, 1850, 590, 1862), 6, INK)
    return image


def _draw_pie() -> Image.Image:
    image, draw = canvas(600, 600, "#F0DFC8")
    first = -90.0
    for share, colour in ((0.45, BRAND), (0.3, LAKE), (0.25, MARIGOLD)):
        draw.pieslice(
            (70, 70, 530, 530), first, first + 360 * share, fill=colour, outline="#F0DFC8", width=12
        )
        first += 360 * share
    return image


def _draw_age() -> Image.Image:
    image, draw = canvas(600, 600, "#D98B2B")
    write(draw, (300, 295), "25\u201334", 150, INK, 800, DISPLAY)
    return image


def _draw_place() -> Image.Image:
    image, draw = canvas(600, 600, "#2F8A8A")
    draw.ellipse((160, 70, 440, 350), fill=PAPER)
    draw.polygon([(172, 270), (428, 270), (300, 530)], fill=PAPER)
    draw.ellipse((240, 150, 360, 270), fill="#2F8A8A")
    return image


def _cube(image: Image.Image, colour: str, at: Place, turn: float) -> Any:
    face = sheet(
        CUBE * 0.9, CUBE * 0.9, paper(image, 0.8, 0.1), at=(0, -CUBE / 2 - 0.0001, 0), turn=(90, 0, 0)
    )
    return group([box((CUBE,) * 3, plaster(colour, 20, 0.0006), bevel=0.003), face], at, (0, 0, turn))


def _dart(at: Place, turn: Place) -> Any:
    """Return a dart whose tip is at `at`; without a turn it points up from there."""
    flight = paint(MARIGOLD, 0.4, 0.6)
    fin = [(0.0015, 0, 0.056), (0.004, 0, 0.056), (0.014, 0, 0.068), (0.014, 0, 0.082), (0.0015, 0, 0.084)]
    fins = []
    for i in range(4):
        a = math.pi / 2 * i + 0.4
        points = [(x * math.cos(a), x * math.sin(a), z) for x, _, z in fin]
        fins.append(mesh("fin", points, [(0, 1, 2, 3, 4)], flight, smooth=False))
    steel = metal("#C9C2B6", 0.22)
    body = lathe([(0, -0.006), (0.0008, 0.0), (0.001, 0.016), (0.0032, 0.018), (0.0036, 0.03), (0.003,
        0.044), (0.0014, 0.046),
                  (0.0016, 0.084), (0, 0.084)], steel, radius=0.0004, turns=24)  # fmt: skip
    return group([body, *fins], at, turn)


def build() -> None:
    """Set the scene."""
    start(0.1, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#C8B4D0", 0.2)
    table(plaster("#5A2C52", 5, 0.0012))
    wall(4, 2, plaster("#673460", 2.5, 0.0015), 0.48)
    bead_disc((0.056, 0.25, 0.117), rings_of("red", "red", "white", "white", wide=2), range(1, 20), size=0.74)
    box((0.1, 0.05, 0.02), plaster("#3E1C3A", 9, 0.0012), (0.056, 0.25, 0.01), 0.003)
    _dart((0.056, 0.247, 0.117), (58, 0, 34))
    lathe(
        [(0, 0), (0.052, 0), (0.052, 0.038, 0.003), (0, 0.038)],
        plaster("#D98B2B", 9, 0.0012),
        (-0.078, 0.115, 0),
        0.003,
    )
    phone(_draw_screen(), (-0.078, 0.113, 0.1125), (-7, 0, 7))
    _cube(_draw_age(), "#D98B2B", (0.030, 0.128, CUBE / 2), 8)
    _cube(_draw_place(), "#2F8A8A", (0.116, 0.138, CUBE / 2), -14)
    _cube(_draw_pie(), "#F0DFC8", (0.073, 0.142, CUBE * 1.5 + 0.0005), -4)
    box((CUBE,) * 3, plaster("#C24435", 20, 0.0006), (0.073, 0.155, CUBE / 2), 0.003)
    softbox((-0.5, -0.3, 0.5), (0, 0.15, 0.09), 0.28, 0.28, 15, "#FFE2C4")
    softbox((0.55, 0.12, 0.35), (0, 0.15, 0.1), 0.1, 0.5, 4.5, "#FFC890")
    lamp("SPOT", (0.5, 0.0, 0.55), (0.12, 0.48, 0.18), 10, "#FFCE96", spot_size=math.radians(36),
        spot_blend=1.0,
         shadow_soft_size=0.02)  # fmt: skip
    frame(("oooootttoo", "owooottwto", "wwwootwwwt"), rise=0.09, focus=0.12, leather="#1F1020")
