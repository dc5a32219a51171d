"""A tablet on which a market's poster is laid out, its title between handles; a pencil and cut paper."""

import math

from PIL import Image, ImageDraw

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.cover import LOOK, SIZE, VIEW, Outline, circle, cutout, frame, heart, pencil, table
from tools.studio.light import air, lamp, softbox, start
from tools.studio.materials import paint, plaster
from tools.studio.printing import DISPLAY, canvas, triangles, write
from tools.studio.props import tablet
from tools.studio.shapes import box, wall

_VIOLET = "#6A3FB5"


def _draw_picture(draw: ImageDraw.ImageDraw, x: int, y: int, wide: int, high: int) -> None:
    """Draw the sun over hills, and a flat-topped tree."""
    draw.rectangle((x, y, x + wide, y + high), fill="#F4B14A")
    draw.ellipse(
        (x + wide * 0.52, y + high * 0.16, x + wide * 0.86, y + high * 0.16 + wide * 0.34), fill=BRAND
    )
    draw.polygon([(x, y + high * 0.70), (x + wide * 0.4, y + high * 0.52), (x + wide, y + high * 0.78),
                  (x + wide, y + high), (x, y + high)], fill="#8C3A2A")  # fmt: skip
    draw.polygon(
        [(x, y + high * 0.84), (x + wide, y + high * 0.70), (x + wide, y + high), (x, y + high)], fill=DEEP
    )
    draw.line((x + wide * 0.27, y + high * 0.8, x + wide * 0.30, y + high * 0.38), fill=INK, width=16)
    draw.line((x + wide * 0.29, y + high * 0.55, x + wide * 0.42, y + high * 0.38), fill=INK, width=10)
    draw.ellipse((x + wide * 0.06, y + high * 0.27, x + wide * 0.54, y + high * 0.41), fill=INK)


def _draw_tools(draw: ImageDraw.ImageDraw) -> None:
    draw.rectangle((0, 100, 190, 1120), fill="#241A33")
    draw.rounded_rectangle((55, 160, 135, 240), 12, outline=PAPER, width=12)
    write(draw, (95, 355), "T", 110, PAPER, 800, DISPLAY)
    draw.ellipse((50, 460, 110, 520), fill=MARIGOLD)
    draw.polygon([(90, 545), (145, 545), (118, 490)], fill=BRAND)
    draw.rectangle((50, 630, 140, 710), outline=PAPER, width=12)
    draw.polygon([(60, 700), (95, 650), (130, 700)], fill=PAPER)
    for i, colour in enumerate((BRAND, MARIGOLD, LEAF, LAKE)):
        draw.ellipse((1445, 180 + 130 * i, 1545, 280 + 130 * i), fill=colour)
    for i in range(3):
        draw.rounded_rectangle((1435, 760 + 105 * i, 1555, 840 + 105 * i), 14, "#CFC3B6")


def _draw_screen() -> Image.Image:
    image, draw = canvas(1600, 1120, "#DDD3C8")
    draw.rectangle((0, 0, 1600, 100), fill=_VIOLET)
    write(draw, (50, 50), "Bango la soko", 58, PAPER, 700, anchor="lm")
    draw.rounded_rectangle((1340, 20, 1560, 80), 30, PAPER)
    write(draw, (1450, 50), "Share", 42, _VIOLET, 800)
    _draw_tools(draw)
    x0, x1 = 400, 1240
    draw.rectangle((x0 + 12, 152, x1 + 12, 1092), fill="#B9AC9E")
    draw.rectangle((x0, 140, x1, 1080), fill=PAPER)
    _draw_picture(draw, x0, 140, x1 - x0, 500)
    triangles(draw, x0, x1, 600, 70, [PAPER])
    write(draw, (820, 760), "Soko la", 136, BRAND, 800, DISPLAY)
    write(draw, (820, 895), "Jumamosi", 136, BRAND, 800, DISPLAY)
    draw.rectangle((x0, 1010, x1, 1080), fill=LEAF)
    write(draw, (820, 1045), "Saa 3 hadi saa 10", 52, PAPER, 700)
    box_at = (440, 672, 1200, 985)
    draw.rectangle(box_at, outline=_VIOLET, width=9)
    for x in (440, 820, 1200):
        for y in (672, 828, 985):
            if (x, y) != (820, 828):
                draw.rectangle((x - 20, y - 20, x + 20, y + 20), fill="#FFFFFF", outline=_VIOLET, width=9)
    draw.polygon([(1225, 1000), (1225, 1110), (1252, 1084), (1275, 1118), (1296, 1104), (1274, 1072),
        (1308, 1066)],
                 fill=INK, outline=PAPER)  # fmt: skip
    return image


def _arch(width: float, height: float) -> Outline:
    top = [(x, z + height - width / 2) for x, z in circle(width / 2, 0, 180)]
    return [*top, (-width / 2, 0), (width / 2, 0)]


def build() -> None:
    """Set the scene."""
    start(-0.1, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#C4E0DC", 0.2)
    table(plaster("#2A938C", 5, 0.0012))
    wall(4, 2, plaster("#319E96", 2.5, 0.0015), 0.42)
    ochre = "#D98B2B"
    card = {
        name: paint(name, 0.7, 0.88, 40) for name in (BRAND, ochre, LEAF, LAKE, DEEP, "#F4E6D2", "#E58C9C")
    }
    cutout(_arch(0.11, 0.235), card["#F4E6D2"], 0.004, at=(-0.135, 0.33, 0), turn=(-4, 0, 6))
    cutout(_arch(0.075, 0.17), card[ochre], 0.004, at=(-0.165, 0.27, 0), turn=(-5, 0, 4))
    cutout(
        [(x, z + 0.06) for x, z in circle(0.06)], card[BRAND], 0.004, at=(0.150, 0.31, 0), turn=(-4, 0, -6)
    )
    cutout(circle(0.045, 0, 180), card["#E58C9C"], 0.004, at=(0.176, 0.25, 0), turn=(-5, 0, -8))
    cutout([(-0.04, 0), (0.04, 0), (0, 0.115)], card[LAKE], 0.004, at=(0.105, 0.36, 0.09), turn=(-3, 0, 0))
    box((0.12, 0.05, 0.07), plaster("#1F6F6A", 9, 0.0012), (0, 0.25, 0.035), 0.003)
    tablet(_draw_screen(), (-0.004, 0.19, 0.0895), (-13, 0, 3))
    pencil((0.088, 0.118, 0.0038), (0, 0, 158), MARIGOLD, 0.135)
    for outline, colour, x, y, turn in (
        (circle(0.013), BRAND, -0.118, 0.115, 0), ([(-0.015, -0.012), (0.015, -0.012), (0, 0.016)], ochre,
        -0.078, 0.11, 20),
        (heart(0.03), "#E58C9C", -0.155, 0.135, -20), (circle(0.015, 0, 180), LEAF, -0.038, 0.125, 40),
    ):  # fmt: skip
        cutout(outline, card[colour], 0.0016, at=(x, y, 0.0002), turn=(-90, 0, turn))
    softbox((0.5, -0.28, 0.5), (0, 0.15, 0.09), 0.28, 0.28, 15, "#FFE2C0")
    softbox((-0.55, 0.1, 0.35), (0, 0.15, 0.1), 0.1, 0.5, 4, "#FFD8A8")
    lamp("SPOT", (-0.5, 0.0, 0.55), (-0.05, 0.42, 0.18), 8, "#FFDDAE", spot_size=math.radians(40),
        spot_blend=1.0,
         shadow_soft_size=0.02)  # fmt: skip
    frame(("rrrgggwwwggg", "wrrrgwwwgrrr", "wwrrrwwwrrrw"), rise=0.17, focus=0.15, leather="#3A1410")
