"""A phone with a post about mango juice on red and pink paper, speech bubbles and a heart of beads."""

from PIL import Image

from agency_site.brand import BRAND, INK, LAKE, LEAF, MARIGOLD, PAPER
from tools.studio.cover import LOOK, SIZE, VIEW, Outline, bead_cloth, board, cutout, frame, heart, rounded
from tools.studio.light import air, softbox, start, sun
from tools.studio.materials import paint, paper, plaster
from tools.studio.printing import DISPLAY, canvas, status_bar, triangles, write
from tools.studio.props import foliage, phone


def _draw_screen() -> Image.Image:
    image, draw = canvas(900, 1900, PAPER)
    status_bar(draw, 900, INK)
    draw.ellipse((50, 160, 190, 300), fill=MARIGOLD)
    write(draw, (120, 230), "J", 90, INK, 800, DISPLAY)
    write(draw, (225, 205), "Juisi ya Juma", 64, INK, 800, anchor="lm")
    write(draw, (225, 270), "Nairobi", 46, "#6B5D53", 500, anchor="lm")
    draw.rectangle((0, 350, 900, 1330), fill=LEAF)
    draw.ellipse((120, 420, 780, 1080), fill="#2F8F6D")
    draw.polygon([(255, 580), (645, 580), (585, 1220), (315, 1220)], fill="#FBE7C0")
    draw.polygon([(272, 680), (628, 680), (578, 1205), (322, 1205)], fill="#F08A1F")
    draw.polygon([(272, 680), (420, 680), (400, 1205), (322, 1205)], fill="#F6A83C")
    draw.line((500, 1100, 640, 410), fill=BRAND, width=40)
    draw.pieslice((130, 460, 400, 730), 150, 330, fill=MARIGOLD, outline=PAPER, width=14)
    triangles(draw, 0, 900, 1250, 90, [MARIGOLD, BRAND, PAPER])
    draw.polygon([(130 + x, 1430 - y) for x, y in heart(130)], fill=BRAND)
    draw.rounded_rectangle((260, 1372, 390, 1470), 40, outline=INK, width=14)
    draw.polygon([(285, 1462), (285, 1505), (330, 1465)], fill=INK)
    write(draw, (840, 1425), "2,418", 72, INK, 800, anchor="rm")
    write(draw, (60, 1590), "Embe tamu, baridi kabisa", 62, INK, 700, anchor="lm")
    write(draw, (60, 1690), "KSh 150", 76, BRAND, 800, DISPLAY, "lm")
    draw.rounded_rectangle((310, 1850, 590, 1862), 6, INK)
    return image


def _bubble(width: float, height: float, tail: float) -> Outline:
    """Return a speech bubble whose tail points down at the place `tail`."""
    outline = rounded(width, height, height * 0.36)
    z = -height / 2
    return [*outline[:33], (tail - 0.006, z), (tail - 0.004, z - 0.014), (tail + 0.010, z), *outline[33:]]


def _draw_words(words: str, colour: str, size: int, height: int) -> Image.Image:
    """Write on the bubble's body; its tail takes the lowest part of the drawing."""
    image, draw = canvas(1000, height, colour)
    write(draw, (500, height * 0.37), words, size, PAPER if colour == LAKE else INK, 800, DISPLAY)
    return image


def _draw_dots() -> Image.Image:
    image, draw = canvas(1000, 900, BRAND)
    for x in (270, 500, 730):
        draw.ellipse((x - 72, 258, x + 72, 402), fill=PAPER)
    return image


def _choose(x: float, z: float) -> str:
    """Return the colour of the heart's bead at a place: red, with a gold and a white string round it."""
    for width, letter in ((0.086, "r"), (0.094, "g"), (0.104, "w")):
        outline = heart(width)
        crossings = 0
        for (x0, z0), (x1, z1) in zip(outline, outline[1:] + outline[:1], strict=True):
            if (z0 > z) != (z1 > z) and x < x0 + (z - z0) / (z1 - z0) * (x1 - x0):
                crossings += 1
        if crossings % 2:
            return letter
    return ""


def build() -> None:
    """Set the scene."""
    start(0.15, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#F2D6D0", 0.25)
    board(plaster("#D98478", 6, 0.0008, 0.1))
    cutout(
        rounded(0.15, 0.3, 0.004),
        paint("#B9493F", 0.75, 0.9, 30),
        0.001,
        at=(-0.052, 0.004, 0.02),
        turn=(0, 10, 0),
    )
    phone(_draw_screen(), (-0.030, -0.0015, 0), (0, 7, 0))
    cutout(
        _bubble(0.092, 0.046, -0.02),
        paper(_draw_words("Tamu sana!", LAKE, 150, 652), 0.7),
        0.003,
        at=(0.074, -0.010, 0.056),
    )
    cutout(
        _bubble(0.058, 0.038, 0.012),
        paper(_draw_dots(), 0.7),
        0.003,
        at=(-0.100, -0.008, 0.045),
        turn=(0, -5, 0),
    )
    cutout(_bubble(0.056, 0.040, -0.012), paper(_draw_words("Bei?", MARIGOLD, 330, 964), 0.7), 0.003,
        at=(-0.103, -0.006, -0.04),
           turn=(0, 6, 0))  # fmt: skip
    cutout(
        [(x, z + 0.0005) for x, z in heart(0.110)],
        paint("#3A1512", 0.7, 0.9, 60),
        0.003,
        at=(0.078, 0.001, -0.030),
    )
    bead_cloth(_choose, 0.12, 0.11, 0.0042, (0.078, -0.002, -0.030))
    sun((0.66, 0.62, -0.5), 4.2, "#FFDDB0", 1.4)
    foliage((-0.60, -0.56, 0.46), (0.16, 0.1, 0.13), 34, (0.06, 0.12))
    softbox((0.4, -0.6, -0.2), (0, 0, 0), 0.4, 0.4, 5, "#FFEDE0")
    frame(("ttttwwtttt", "twttrrttwt", "wwwrrrrwww"), width=0.32, flat=True, leather="#123A3C")
