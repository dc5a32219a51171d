"""A tablet on a clinic's counter shows today's list, beside record cards, a stethoscope and a plant."""

import random
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, INK, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.light import air, camera, softbox, start, sun, window_shadow
from tools.studio.materials import WHITE, glowing, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, triangles, write
from tools.studio.props import ink_pen, potted_plant, tablet
from tools.studio.shapes import Place, box, group, lathe, place, sheet, slab, tube, wall

APPOINTMENTS = (
    ("08:30", "Wanjiru K.", "Antenatal", LEAF),
    ("09:15", "Otieno M.", "Pressure", LEAF),
    ("10:00", "Halima A.", "Eyes", MARIGOLD),
    ("11:45", "Kiprono J.", "Child clinic", "#C9D8E2"),
)


def _draw_screen() -> Image.Image:
    width, height = 1600, 1120
    image, draw = canvas(width, height, "#EEF4F6")
    draw.rectangle((0, 0, 560, height), fill="#1A5F86")
    draw.rounded_rectangle((60, 70, 180, 190), 34, fill=LEAF)
    draw.rounded_rectangle((106, 90, 134, 170), 14, fill=PAPER)
    draw.rounded_rectangle((80, 116, 160, 144), 14, fill=PAPER)
    write(draw, (60, 300), "Afya Plus", 98, PAPER, 800, DISPLAY, "lm")
    for i, line in enumerate(("A doctor", "today")):
        write(draw, (60, 480 + i * 92), line, 92, "#CFE6F2", 600, anchor="lm")
    triangles(draw, 0, 560, height - 300, 80, ["#15506F", "#2C7BA6"])
    draw.rectangle((0, height - 220, 560, height), fill="#15506F")
    draw.ellipse((60, height - 140, 110, height - 90), fill=MARIGOLD)
    write(draw, (135, height - 145), "4 booked", 58, PAPER, 700, anchor="lm")
    write(draw, (135, height - 75), "2 seen", 50, "#CFE6F2", 600, anchor="lm")
    for i, (time, name, reason, colour) in enumerate(APPOINTMENTS):
        y = 60 + i * 212
        draw.rounded_rectangle((610, y, width - 50, y + 188), 30, fill="#FFFFFF")
        draw.rounded_rectangle((610, y, 632, y + 188), 11, fill=colour)
        write(draw, (670, y + 94), time, 92, INK, 800, DISPLAY, "lm")
        write(draw, (975, y + 64), name, 66, INK, 700, anchor="lm")
        write(draw, (975, y + 134), reason, 52, "#3F5560", 600, anchor="lm")
        if colour == LEAF:
            x = width - 125
            draw.ellipse((x - 36, y + 58, x + 36, y + 130), fill=LEAF)
            draw.line([(x - 17, y + 95), (x - 4, y + 108), (x + 19, y + 80)], fill=PAPER, width=11)
    draw.rounded_rectangle((610, height - 198, width - 50, height - 60), 30, fill=MARIGOLD)
    draw.ellipse((650, height - 156, 704, height - 102), fill=INK)
    write(draw, (735, height - 130), "Offline: 3 waiting to sync", 66, INK, 700, anchor="lm")
    return image


def _draw_card(number: str, name: str) -> Image.Image:
    image, draw = canvas(1050, 740, "#F3E6CC")
    draw.rectangle((0, 0, 1050, 120), fill=LAKE)
    write(draw, (50, 60), "Afya Plus", 64, PAPER, 800, DISPLAY, "lm")
    write(draw, (1000, 60), number, 58, PAPER, 700, anchor="rm")
    write(draw, (50, 210), name, 76, "#22344A", 600, anchor="lm")
    for y in range(290, 720, 72):
        draw.line((50, y, 1000, y), fill="#B9A98A", width=4)
        draw.line((60, y - 22, random.randint(350, 900), y - 26), fill="#3A4A66", width=9)
    return image


def _cards(at: Place, number: int) -> None:
    """Pile record cards, each a little askew."""
    x, y, z = at
    edge = paint("#E4D2B0", 0.7, 0.9)
    for i in range(number):
        height = z + 0.0011 * (i + 0.5)
        turn = -24 + random.uniform(-5, 5)
        spot = (x + random.uniform(-1, 1) * 0.003, y + random.uniform(-1, 1) * 0.003, height)
        box((0.105, 0.074, 0.0009), edge, spot, 0.0003, (0, 0, turn))
    top = (x, y, z + 0.0011 * number + 0.0002)
    sheet(0.105, 0.074, paper(_draw_card("No. 0417", "Wanjiru K."), 0.7), at=top, turn=(0, 0, -21))


def _stethoscope(at: Place) -> Any:
    """Lay a stethoscope: a chest piece, a loop of tube and two branches that end in ear pieces."""
    rubber, steel = paint("#7C2A22", 0.3, 0.45, 40, 0.0002), metal("#C9C6C0", 0.2, (1, 1, 1))
    hose = [
        (0.030, 0.000, 0.010), (0.052, 0.002, 0.008), (0.085, 0.018, 0.005), (0.105, 0.055, 0.005),
        (0.080, 0.092, 0.005), (0.030, 0.100, 0.005), (-0.030, 0.090, 0.005), (-0.090, 0.088, 0.005),
        (-0.150, 0.060, 0.005), (-0.260, 0.080, 0.005),
    ]  # fmt: skip
    head = lathe(
        [(0, 0), (0.021, 0), (0.0225, 0.002), (0.0225, 0.0045), (0.0185, 0.006), (0.009, 0.009),
         (0.009, 0.014), (0.014, 0.0165), (0.0155, 0.019), (0.013, 0.0195),
         (0, 0.0185)], steel, radius=0.0012,
    )  # fmt: skip
    parts = [head, tube(hose, 0.0047, rubber)]
    parts.append(tube([(0.008, 0, 0.0115), (0.02, 0, 0.0115), (0.034, 0, 0.0095)], 0.0032, steel))
    return group(parts, at, (0, 0, -18))


def _room() -> None:
    """Put up the wall with its dado, shelves out of focus and a lamp."""
    wall(4, 1.3, plaster("#C9D3D2", 2.5, 0.002), 1.1, z=0.16)
    wall(4, 1.0, plaster("#5E93A0", 2.5, 0.002), 1.095, z=-0.8)
    box((4, 0.02, 0.02), paint("#E7DCCB"), (0, 1.085, 0.2), 0.004)
    shelf = wood(size=0.4)
    box((0.62, 0.16, 0.02), shelf, (-0.36, 1.0, 0.34), 0.004)
    x = -0.62
    for i in range(15):
        wide, high = random.uniform(0.022, 0.04), random.uniform(0.16, 0.21)
        colour = (LAKE, "#D9C7A4", BRAND, "#4F8A97", MARIGOLD, WHITE)[i % 6]
        box((wide, 0.13, high), paint(colour, 0.6, 0.8), (x + wide / 2, 0.98, 0.35 + high / 2), 0.003)
        x += wide + 0.001


def _lamp(at: Place) -> None:
    """Set a small lamp with a cone of cloth, lit from within."""
    brass = metal("#B98F45", 0.3, (1, 1, 1))
    lathe([(0, 0), (0.055, 0), (0.055, 0.01), (0.008, 0.018), (0.006, 0.2), (0, 0.2)], brass, at, 0.003)
    shade = glowing("#FFB765", 3.0)
    lathe([(0.095, 0.16), (0.06, 0.29)], shade, at, turns=64)
    lathe([(0.0955, 0.158), (0.0955, 0.164), (0.093, 0.164)], brass, at, 0.001, 64)


def build() -> None:
    """Set the scene."""
    start(0.4, bounces=7)
    air("#B9CDE0", 0.3)
    _room()
    sheet(3, 1.0, wood("#3A2313", "#744A2A", "#98693F", 0.35, 0.35), at=(0, 0.26, 0))
    box((3, 0.03, 0.05), wood("#3A2214", "#6B4528", "#8E6238", 0.5), (0, -0.253, -0.024), 0.006)

    tablet(_draw_screen(), (0.028, 0.0, 0.1105), (-16, 0, -11))
    stand = metal("#8F8A83", 0.3, (1, 1, 1))
    place(box((0.1, 0.09, 0.006), stand, bevel=0.002), (0.034, 0.028, 0.003), (0, 0, -11))
    box((0.07, 0.006, 0.12), stand, (0.035, 0.036, 0.062), 0.002, (14, 0, -11))
    slab(0.09, 0.012, 0.012, 0.003, stand, 0.002, at=(0.024, -0.026, 0.012), turn=(0, 0, -11))

    _cards((0.175, -0.075, 0), 16)
    _stethoscope((-0.155, -0.105, 0))
    potted_plant((0.245, 0.13, 0), 0.24, "#B5563C", 24)
    _lamp((-0.205, 0.33, 0))
    ink_pen((0.165, -0.082, 0.0178), (0, 0, 18), BRAND)

    sun((-0.72, 0.42, -0.5), 3.4, "#E9F1FF", 2.5)
    window_shadow((1.02, -0.62, 0.76), (0.0, 0.0, 0.06), 0.62, 0.5, columns=3, rows=2, bar=0.03)
    softbox((0.75, -0.15, 0.6), (0.03, 0, 0.1), 0.4, 0.6, 9, "#DCEAFF")
    softbox((-0.22, 0.3, 0.2), (0.0, 0.0, 0.05), 0.12, 0.12, 1.6, "#FFB870")
    camera((-0.1, -0.86, 0.29), (0.006, 0.0, 0.104), 72, 4.5, focus=(0.02, -0.02, 0.1))
