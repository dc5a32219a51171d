"""A wooden rack of pigeon holes; a letter, "Habari Wanjiru,", is half out above the label "Subscribers"."""

import random
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import metal, paint, paper, plain, plaster, wood
from tools.studio.printing import DISPLAY, canvas, rosette, write
from tools.studio.shapes import Place, box, card, group, place, sheet, tube

PITCH, STOREY = 0.27, 0.222


def _draw_envelope(name: str, town: str, stamp: str) -> Image.Image:
    width, height, border = 1320, 660, 46
    image, draw = canvas(width, height, "#F8EFE0")
    for i, x in enumerate(range(-height, width + height, 92)):
        draw.polygon(
            [(x, 0), (x + 60, 0), (x + 60 - height // 2, height), (x - height // 2, height)],
            (BRAND, LAKE)[i % 2],
        )
    draw.rectangle((border, border, width - border, height - border), "#F8EFE0")
    draw.rectangle((1040, 100, 1220, 320), stamp, outline=PAPER, width=10)
    rosette(draw, 1130, 210, [(66, 0, 0, MARIGOLD), (54, 7, 14, DEEP), (30, 0, 0, BRAND)])
    for radius in (100, 86):
        draw.ellipse((960 - radius, 215 - radius, 960 + radius, 215 + radius), outline="#5A4A44", width=5)
    write(draw, (210, 400), name, 84, INK, 700, DISPLAY, "lm")
    write(draw, (210, 500), town, 62, "#4A3B33", 500, anchor="lm")
    return image


def _draw_letter() -> Image.Image:
    image, draw = canvas(1200, 1200, PAPER)
    write(draw, (110, 185), "Habari Wanjiru,", 122, DEEP, 800, DISPLAY, "lm")
    write(draw, (112, 325), "here is the one thing we promised", 60, INK, 500, anchor="lm")
    return image


def _draw_label(words: str) -> Image.Image:
    image, draw = canvas(960, 240, "#C9A055")
    draw.rectangle((26, 26, 934, 214), outline="#6E4E1C", width=7)
    write(draw, (480, 118), words, 122, "#2C1B08", 700, DISPLAY)
    return image


def _label(words: str, x: float, z: float) -> None:
    """Fix an engraved brass plate with two screws on the edge of a shelf."""
    brass = metal("#C29547", 0.28, (1, 60, 60), 30)
    face = paper(_draw_label(words), 0.32, 0.14)
    face.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 0.75
    card(0.108, 0.027, face, brass, 0.0016, at=(x, -0.0135, z - 0.0135))
    for side in (-1, 1):
        box((0.0042, 0.002, 0.0042), brass, (x + side * 0.0495, -0.0145, z), 0.0009, (0, 30 * side, 0))


def _rack() -> None:
    shelf = wood("#2C160A", "#7A4A26", "#AD7540", 0.4, 0.42)
    for storey in (-1, 0, 1, 2):
        box((1.6, 0.25, 0.012), shelf, (0, 0.125, storey * STOREY - 0.006), 0.002)
        box((1.6, 0.020, 0.034), shelf, (0, -0.002, storey * STOREY - 0.017), 0.003)
    for column in (-2, -1, 0, 1, 2):
        x = (column + 0.5) * PITCH
        box((1.2, 0.246, 0.014), shelf, (x, 0.126, 0.1), 0.002, (0, 90, 0))
    sheet(1.8, 1.2, wood("#1D0E07", "#50301A", "#6E4526", 0.5), at=(0, 0.25, 0.1), turn=(90, 0, 0))


def _books(x: float, z: float, number: int, fronts: list[Any], back: Any) -> None:
    """Stand envelopes in a hole like books; they lean to one side."""
    for i in range(number):
        lean = -4 - 1.4 * i + random.uniform(-1.5, 1.5)
        spot = (x - 0.115 + 0.0085 * i, random.uniform(0.085, 0.125), z + 0.001)
        card(
            0.2,
            random.choice((0.11, 0.12, 0.13)),
            random.choice(fronts),
            back,
            0.0016,
            at=spot,
            turn=(lean, 0, 90),
        )


def _bundle(at: Place, number: int, top: Any, edges: list[Any], turn: float) -> None:
    """Lay a pile of envelopes, tied with twine."""
    parts = []
    for i in range(number):
        turned = (0, 0, random.uniform(-1.5, 1.5))
        shift = (random.uniform(-0.002, 0.002), random.uniform(-0.003, 0.003), 0.002 + 0.0036 * i)
        parts.append(box((0.2, 0.11, 0.0031), random.choice(edges), shift, 0.001, turned))
    high = 0.0036 * number
    parts.append(sheet(0.199, 0.109, top, at=(0, 0, high + 0.0004)))
    twine = paint("#B99562", 0.8, 0.95, 200, 0.001)
    loop = [(0.02, -0.058, 0), (0.02, -0.058, high + 0.001), (0.02, 0.058, high + 0.001), (0.02, 0.058, 0)]
    parts.append(
        tube([loop[0], loop[0], *[p for p in loop[1:3] for _ in range(3)], loop[3], loop[3]], 0.0011, twine)
    )
    group(parts, at, (0, 0, turn))


def _hero(front: Any, back: Any) -> None:
    """Lean an envelope in the middle hole, the letter half out of it."""

    def curl(u: float, v: float) -> tuple[float, float, float]:
        up = max(0.0, v / 0.2 + 0.1)
        return u, v, 0.02 * up**2 - 0.006 * (u / 0.1) ** 2 * up

    letter = sheet(0.2, 0.2, paper(_draw_letter(), 0.55, 0.06), (24, 24), curl, thick=0.0003)
    place(letter, (0.002, 0.0022, 0.078), (90, -2.2, 0))
    envelope = card(0.222, 0.111, front, back, 0.0014)
    rear = box((0.222, 0.0012, 0.111), back, (0, 0.0045, 0.0555), 0.0004)
    group([letter, envelope, rear], (-0.004, 0.004, 0.0012), (-13, 0, 1.5))


def build() -> None:
    start(0.45, bounces=6)
    air("#B9CBDA", 0.22)
    _rack()
    back = plaster("#EBDDC6", 20, 0.0004, 0.1)
    names = (("Wanjiru", "Rongai", LEAF), ("Otieno", "Kisumu", BRAND), ("Amina", "Mombasa", LAKE))
    fronts = [paper(_draw_envelope(*line), 0.6, 0.1) for line in names]
    edges = [
        back,
        plaster("#D9C3A0", 20, 0.0004),
        paint(BRAND, 0.6, 0.7),
        paint(LAKE, 0.6, 0.7),
        plaster(SAND, 20, 0.0004),
    ]

    _hero(fronts[0], back)
    _books(-PITCH, 0, 13, [fronts[1], fronts[2], back], back)
    _bundle((PITCH, 0.075, 0), 22, fronts[1], edges, -4)
    _bundle((-0.02, 0.07, STOREY), 13, fronts[2], edges, 5)
    _books(-PITCH, STOREY, 9, [fronts[2], back], back)
    _books(PITCH, STOREY, 15, [fronts[1], back], back)
    for x, y, lean, i in ((-0.01, 0.05, -16, 2), (PITCH - 0.01, 0.03, -12, 1), (-PITCH, 0.04, -14, 0)):
        card(0.222, 0.13, fronts[i], back, 0.0014, at=(x, y, -STOREY + 0.001), turn=(lean, 0, 0))
    _bundle((0.02, 0.16, 0), 30, fronts[1], edges, 0)
    _label("Subscribers", 0, -0.017)
    _label("Friends", -PITCH, -0.017)
    _label("Customers", PITCH, -0.017)

    wall_card = sheet(0.7, 0.9, plain("#3A2A20"), at=(1.2, -0.6, 0.2), turn=(90, 0, -70))
    wall_card.visible_camera = False
    sun((0.86, 0.50, -0.34), 6.5, "#FFDAA6", 1.5)
    softbox((0.5, -0.9, 0.5), (0, 0, 0.1), 0.6, 0.5, 6, "#FFEBD6")
    camera((0.24, -1.08, 0.185), (-0.032, 0, 0.082), 77, 3.5, focus=(0, 0.0, 0.12))
