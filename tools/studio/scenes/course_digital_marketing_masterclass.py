"""A red megaphone before four thick cards: a search bar, a letter, a post with a heart, a rising chart."""

import math
from typing import Any

from PIL import Image, ImageDraw

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.cover import LOOK, SIZE, VIEW, frame, heart, table
from tools.studio.light import air, lamp, softbox, start
from tools.studio.materials import metal, paint, paper, plaster
from tools.studio.printing import canvas
from tools.studio.shapes import Place, box, group, lathe, slab, tube, wall

CARD = (0.092, 0.150)


def _card(colour: str) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    return canvas(920, 1500, colour)


def _draw_search() -> Image.Image:
    image, draw = _card(LAKE)
    draw.rounded_rectangle((90, 120, 830, 330), 105, PAPER)
    draw.ellipse((140, 165, 240, 265), outline=INK, width=26)
    draw.line((228, 253, 275, 300), fill=INK, width=30)
    draw.line((330, 225, 680, 225), fill="#B9AFA6", width=34)
    for y, width in ((450, 700), (560, 560), (670, 640)):
        draw.rounded_rectangle((100, y, 100 + width, y + 44), 22, "#5E8C9C")
    return image


def _draw_mail() -> Image.Image:
    image, draw = _card(SAND)
    draw.rounded_rectangle((100, 150, 820, 660), 40, BRAND)
    draw.line([(130, 195), (460, 450), (790, 195)], fill=PAPER, width=44, joint="curve")
    draw.line([(140, 620), (350, 400)], fill=PAPER, width=30)
    draw.line([(780, 620), (570, 400)], fill=PAPER, width=30)
    return image


def _draw_post() -> Image.Image:
    image, draw = _card(LEAF)
    draw.rounded_rectangle((100, 120, 820, 840), 50, PAPER)
    draw.polygon([(460 + x, 470 - y) for x, y in heart(470)], fill=BRAND)
    return image


def _draw_figures() -> Image.Image:
    image, draw = _card("#F6EBDD")
    for i, (high, colour) in enumerate(((170, LAKE), (290, LEAF), (240, LAKE), (470, BRAND))):
        draw.rounded_rectangle((120 + 180 * i, 740 - high, 250 + 180 * i, 740), 20, colour)
    draw.line([(150, 420), (370, 300), (540, 340), (790, 130)], fill=INK, width=26, joint="curve")
    draw.polygon([(830, 90), (720, 120), (800, 205)], fill=INK)
    draw.line((100, 752, 820, 752), fill=INK, width=16)
    return image


def _megaphone(at: Place, turn: Place) -> Any:
    """Return a megaphone whose mouth opens along +X and whose grip's foot is at `at`."""
    red, white = paint(BRAND, 0.22, 0.36, 20, 0.0002, Coat_Weight=0.5), paint("#F4EADC", 0.3, 0.45, 20)
    cone = [
        lathe([(0.017, 0), (0.019, 0.002), (0.021, 0.03), (0.030, 0.075, 0.03), (0.052, 0.118, 0.03),
            (0.068, 0.134),
               (0.0655, 0.1345), (0.050, 0.1175, 0.03), (0.028, 0.075, 0.03), (0.019, 0.03), (0.017,
               0.004), (0, 0.004)],
              red, radius=0.001),
        lathe([(0.0675, 0.1325), (0.071, 0.134), (0.071, 0.138), (0.067, 0.1385), (0.0655, 0.135)], white,
            radius=0.001),
        lathe([(0.0215, 0.028), (0.0228, 0.029), (0.0248, 0.044), (0.0245, 0.046)], white, radius=0.001),
        lathe([(0, -0.030), (0.015, -0.030), (0.0235, -0.026), (0.0245, -0.004), (0.022, 0.002), (0, 0.002)],
              paint("#2A2322", 0.4, 0.55), radius=0.003),
        lathe([(0.012, 0.02), (0.016, 0.05), (0.015, 0.085), (0.006, 0.094), (0, 0.095)], paint(MARIGOLD,
            0.3, 0.4),
              radius=0.004),
    ]  # fmt: skip
    horn = group(cone, (0, 0, 0.078), (0, 90, 0))
    dark = paint("#2A2322", 0.45, 0.6)
    grip = box((0.024, 0.02, 0.062), dark, (0.022, 0, 0.029), 0.006, (0, 8, 0))
    guard = tube(
        [(0.036, 0, 0.055), (0.056, 0, 0.05), (0.054, 0, 0.016), (0.028, 0, 0.006)],
        0.0028,
        metal("#B9B2A8", 0.3),
    )
    return group([horn, grip, guard], at, turn)


def build() -> None:
    """Set the scene."""
    start(0.0, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#E8D9C4", 0.18)
    table(plaster("#D98F24", 5, 0.0012))
    wall(4, 2, plaster("#E09A2C", 2.5, 0.0015), 0.55)
    prints = (_draw_search(), _draw_mail(), _draw_post(), _draw_figures())
    places = ((-0.142, 0.218, 9), (-0.048, 0.240, -4), (0.047, 0.216, 5), (0.144, 0.242, -8))
    for image, (x, y, turn), edge in zip(prints, places, (LAKE, SAND, LEAF, "#F6EBDD"), strict=True):
        body = slab(*CARD, 0.007, 0.008, paint(edge, 0.5, 0.7), 0.0012)
        face = slab(
            CARD[0] - 0.001,
            CARD[1] - 0.001,
            0.0002,
            0.0075,
            paper(image, 0.5, 0.06),
            0.00005,
            at=(0, -0.0036, 0),
        )
        raised = 0.012 if y > 0.22 else 0.0
        group([body, face], (x, y, 0.139 + raised), (-5, 0, turn))
        if raised:
            box((0.104, 0.036, raised), plaster("#B8741C", 9, 0.0012), (x, y, 0.064 + raised / 2), 0.002)
    box((0.5, 0.07, 0.064), plaster("#B8741C", 9, 0.0012), (0, 0.23, 0.032), 0.003)
    lathe(
        [(0, 0), (0.062, 0), (0.062, 0.012, 0.003), (0, 0.012)],
        plaster(DEEP, 9, 0.0012),
        (-0.012, 0.115, 0),
        0.003,
    )
    _megaphone((-0.028, 0.115, 0.0135), (0, -8, -40)).scale = (0.84,) * 3
    softbox((-0.5, -0.32, 0.52), (0, 0.15, 0.08), 0.28, 0.28, 14, "#FFE6C8")
    softbox((0.55, 0.15, 0.35), (0, 0.15, 0.08), 0.1, 0.5, 3.5, "#FFD6A6")
    lamp("SPOT", (0.5, -0.1, 0.6), (0.1, 0.55, 0.16), 6, "#FFE2B4", spot_size=math.radians(40),
        spot_blend=1.0,
         shadow_soft_size=0.02)  # fmt: skip
    frame(("bbbbwbbb", "sbbwwwbb", "ssbwrwbs"), rise=0.07, focus=0.1, leather="#1B1E33")
