"""A laptop with a table of sales and a chart; beside it a till slip in its printer, a pencil and coins."""

from PIL import Image

from agency_site.brand import BRAND, INK, LEAF, MARIGOLD, PAPER
from tools.studio.cover import LOOK, SIZE, VIEW, frame, pencil, table
from tools.studio.light import air, softbox, start, sun, window_shadow
from tools.studio.materials import glowing, metal, paint, paper, plaster, wood
from tools.studio.printing import DISPLAY, canvas, write
from tools.studio.props import laptop
from tools.studio.shapes import Place, box, copies, group, lathe, sheet, wall

_ROWS = (
    ("Unga", "12", "2,220"),
    ("Sukari", "8", "1,360"),
    ("Maziwa", "20", "1,300"),
    ("Mafuta", "5", "1,850"),
)


def _draw_screen() -> Image.Image:
    image, draw = canvas(1600, 1000, "#FFFFFF")
    draw.rectangle((0, 0, 1600, 130), fill=LEAF)
    write(draw, (50, 66), "Mauzo ya leo", 74, PAPER, 800, DISPLAY, "lm")
    draw.rectangle((0, 130, 90, 1000), fill="#EFE7DD")
    draw.rectangle((0, 130, 980, 240), fill="#EFE7DD")
    for y in range(240, 1000, 127):
        draw.line((0, y, 980, y), fill="#CFC3B6", width=5)
    for x in (90, 480, 690, 980):
        draw.line((x, 130, x, 1000), fill="#CFC3B6", width=5)
    for x, words in ((130, "Bidhaa"), (520, "Idadi"), (730, "KSh")):
        write(draw, (x, 186), words, 54, INK, 700, anchor="lm")
    for i, (name, number, total) in enumerate(_ROWS):
        y = 304 + 127 * i
        write(draw, (45, y), str(i + 1), 44, "#6B5D53", 600)
        write(draw, (130, y), name, 60, INK, 600, anchor="lm")
        write(draw, (640, y), number, 60, INK, 600, anchor="rm")
        write(draw, (940, y), total, 60, INK, 600, anchor="rm")
    draw.rectangle((93, 750, 977, 872), fill="#FBE3B5")
    write(draw, (130, 812), "Jumla", 66, INK, 800, DISPLAY, "lm")
    write(draw, (940, 812), "6,730", 70, BRAND, 800, DISPLAY, "rm")
    for i, (high, colour) in enumerate(((480, LEAF), (300, MARIGOLD), (285, "#174A5B"), (400, BRAND))):
        draw.rounded_rectangle((1060 + 125 * i, 880 - high, 1155 + 125 * i, 880), 12, colour)
    draw.line((1035, 882, 1570, 882), fill=INK, width=8)
    return image


def _draw_slip() -> Image.Image:
    image, draw = canvas(640, 1500, "#FBF6EC")
    write(draw, (320, 150), "Duka la", 100, INK, 800, DISPLAY)
    write(draw, (320, 255), "Amani", 100, INK, 800, DISPLAY)
    for y in (345, 1075):
        draw.line((50, y, 590, y), fill=INK, width=8)
    for i, (name, _number, total) in enumerate(_ROWS):
        write(draw, (55, 450 + 165 * i), name, 82, INK, 600, anchor="lm")
        write(draw, (585, 450 + 165 * i), total, 82, INK, 600, anchor="rm")
    write(draw, (55, 1190), "KSh", 90, INK, 800, anchor="lm")
    write(draw, (585, 1190), "6,730", 132, INK, 800, anchor="rm")
    return image


def _slip(x: float, s: float) -> tuple[float, float, float]:
    """Let the slip stand out of the printer and bow to the front, its end rolled back."""
    s += 0.075
    bow = 0.9 * s * s
    return x, -bow + 14 * max(0.0, s - 0.11) ** 2, s - 0.25 * bow - 4 * max(0.0, s - 0.125) ** 2


def _printer(at: Place, turn: float) -> None:
    dark = paint("#2B2A2C", 0.4, 0.6, 30)
    parts = [
        box((0.088, 0.105, 0.048), dark, (0, 0, 0.024), 0.006),
        box((0.082, 0.060, 0.012), paint("#3A383A", 0.35, 0.5, 30), (0, 0.016, 0.051), 0.004, (6, 0, 0)),
        box((0.066, 0.003, 0.004), metal("#B9B2A8", 0.3), (0, -0.024, 0.049), 0.0008),
        box((0.008, 0.004, 0.004), glowing("#3BE08A", 3), (0.030, -0.052, 0.034), 0.001),
        sheet(0.062, 0.15, paper(_draw_slip(), 0.7, 0.05), (4, 60), _slip, at=(0, -0.029, 0.046)),
    ]
    group(parts, at, (0, 0, turn))


def build() -> None:
    """Set the scene."""
    start(0.15, size=SIZE, view=VIEW, look=LOOK, bounces=6)
    air("#CFE0D6", 0.22)
    table(wood("#6B3E1F", "#A66B3A", "#C99560", 0.5, 0.5))
    wall(4, 2, plaster("#2C7A5E", 2.5, 0.002), 0.62)
    laptop(_draw_screen(), (-0.062, 0.24, 0), (0, 0, 4), lean=14)
    _printer((0.172, 0.275, 0), -9)
    pencil((0.135, 0.135, 0.0042), (0, 0, 24), MARIGOLD, 0.14)
    coin = lathe(
        [(0, 0), (0.0135, 0), (0.0135, 0.002), (0.0122, 0.0016), (0, 0.0016)],
        metal("#C9A24E", 0.25),
        radius=0.0004,
    )
    spots = (
        (0.222, 0.19, 0.0),
        (0.2225, 0.1905, 0.0021),
        (0.2215, 0.1895, 0.0042),
        (0.208, 0.155, 0.0),
        (0.187, 0.115, 0.0),
    )
    copies(coin, [((x, y, z + 0.0003), (0, 0, 0), 1.0) for x, y, z in spots])
    sun((0.75, 0.62, -0.62), 5.0, "#FFD39C", 1.2)
    window_shadow((-0.9, -0.55, 0.85), (0.0, 0.25, 0.06), 0.62, 0.5, columns=2, rows=2, bar=0.045)
    softbox((0.4, -0.5, 0.7), (0, 0.2, 0.05), 0.5, 0.5, 10, "#FFF0DC")
    frame(("gggwwwooo", "oggwwkkoo", "oogwkkkwo"), width=0.48, rise=0.30, focus=0.2)
