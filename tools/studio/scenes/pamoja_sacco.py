"""A smartphone on a clay plinth and an old keypad phone show one savings account, before a disc of beads."""

import random
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LEAF, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import glass, material, metal, paint, paper, plaster, screen
from tools.studio.printing import DISPLAY, canvas, rosette, status_bar, triangles, write
from tools.studio.props import bead_disc, foliage, loose_beads, phone, plinth
from tools.studio.shapes import Place, backdrop, box, group, lathe, slab

KEYS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#")
LETTERS = ("", "abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz", "", "", "")


def _draw_screen() -> Image.Image:
    width = 900
    image, draw = canvas(width, 1900, PAPER)
    draw.rectangle((0, 0, width, 640), fill=BRAND)
    status_bar(draw, width, PAPER)
    rings = [
        (120, 0, 0, MARIGOLD),
        (98, 0, 0, DEEP),
        (72, 11, 14, PAPER),
        (44, 0, 0, BRAND),
        (18, 0, 0, MARIGOLD),
    ]
    rosette(draw, width / 2, 290, rings)
    write(draw, (width / 2, 510), "Pamoja SACCO", 112, PAPER, 800, DISPLAY)
    triangles(draw, 0, width, 640, 75, [BRAND, DEEP], down=True)
    for y, name, value in ((800, "Shares", "KSh 48,200"), (1130, "Loan", "KSh 12,000")):
        write(draw, (70, y), name, 72, "#3A2B24", 600, anchor="lm")
        write(draw, (70, y + 125), value, 128, INK, 800, DISPLAY, "lm")
    draw.rounded_rectangle((70, 1345, width - 70, 1375), 15, fill="#E6D5C6")
    draw.rounded_rectangle((70, 1345, 560, 1375), 15, fill=MARIGOLD)
    draw.rounded_rectangle((40, 1450, width - 40, 1800), 50, fill=SAND)
    write(draw, (90, 1535), "Guarantors", 72, "#3A2B24", 600, anchor="lm")
    write(draw, (width - 90, 1535), "3 of 3", 88, INK, 800, DISPLAY, "rm")
    for i in range(3):
        x, y = 180 + i * 270, 1688
        draw.ellipse((x - 70, y - 70, x + 70, y + 70), fill=LEAF)
        draw.line([(x - 32, y + 2), (x - 8, y + 26), (x + 34, y - 26)], fill=PAPER, width=17, joint="curve")
    draw.rounded_rectangle((width / 2 - 140, 1850, width / 2 + 140, 1862), 6, fill=INK)
    return image


def _draw_menu() -> Image.Image:
    dark = "#12230F"
    image, draw = canvas(720, 640, "#B9D98A")
    draw.rectangle((0, 0, 720, 150), fill=dark)
    write(draw, (40, 76), "*384#", 118, "#C9E69B", 800, anchor="lm")
    for i in range(4):
        draw.rectangle((560 + i * 30, 112 - 22 * i, 580 + i * 30, 118), fill="#C9E69B")
    for i, line in enumerate(("1 Shares", "2 Loans")):
        write(draw, (40, 265 + i * 150), line, 128, dark, 800, anchor="lm")
    draw.line((40, 500, 680, 500), fill=dark, width=8)
    write(draw, (40, 570), "Send", 82, dark, 700, anchor="lm")
    write(draw, (680, 570), "Back", 82, dark, 700, anchor="rm")
    return image


def _draw_key(sign: str, letters: str) -> Image.Image:
    image, draw = canvas(200, 140, "#2C2A30")
    write(draw, (62 if letters else 100, 70), sign, 104, "#F5EBDD", 700)
    write(draw, (144, 76), letters, 46, "#E0D2C2", 600)
    return image


def keypad_phone(image: Image.Image, at: Place, turn: Place) -> Any:
    """Return a keypad phone upright in XZ with its middle at `at`; the drawing is 720 by 640."""
    shell, chrome = paint("#A23327", 0.28, 0.42, 30, 0.0001, 0.08), metal("#C9C2B8", 0.25, (1, 1, 1))
    black = material("bezel", Base_Color="#060606", Roughness=0.12)[0]
    parts = [
        slab(0.0490, 0.1180, 0.0130, 0.0130, shell, 0.0040),
        slab(0.0430, 0.0480, 0.0010, 0.0060, black, 0.0003, at=(0, -0.0066, 0.0290)),
        slab(0.0365, 0.0325, 0.0002, 0.0010, screen(image, 0.85), 0.00002, at=(0, -0.0072, 0.0305)),
        slab(0.0415, 0.0460, 0.0004, 0.0055, glass(), 0.0001, at=(0, -0.0076, 0.0290)),
        slab(0.0150, 0.0125, 0.0022, 0.0045, chrome, 0.0008, at=(0, -0.0070, -0.0035)),
        slab(0.0085, 0.0065, 0.0012, 0.0025, paint("#2C2A30", 0.3, 0.5), 0.0004, at=(0, -0.0080, -0.0035)),
    ]
    for side, colour in ((-1, LEAF), (1, "#B3261C")):
        call = paint(colour, 0.3, 0.45)
        parts.append(slab(0.0115, 0.0062, 0.0020, 0.0024, call, 0.0007, at=(side * 0.0148, -0.0070, -0.0062)))
        soft = paint("#2C2A30", 0.3, 0.5)
        parts.append(slab(0.0115, 0.0046, 0.0020, 0.0020, soft, 0.0007, at=(side * 0.0148, -0.0070, 0.0008)))
    for i, (sign, letters) in enumerate(zip(KEYS, LETTERS, strict=True)):
        x, z = (i % 3 - 1) * 0.0142, -0.0170 - i // 3 * 0.0102
        cap = paper(_draw_key(sign, letters), 0.4, 0.05)
        parts.append(slab(0.0128, 0.0086, 0.0024, 0.0026, cap, 0.0008, at=(x, -0.0070, z)))
    return group(parts, at, turn)


def _choose(ring: int, turn: float) -> str:
    wedge = abs(turn * 12 % 1 - 0.5) * 2
    if 8 <= ring < 16:
        return "white" if wedge < 1 - (ring - 8) / 8 else "leaf" if ring < 15 else "ink"
    if ring >= 20:
        return "gold" if round(turn * 72) % 3 == 0 else "ink"
    return ("gold", "red", "ink", "red", "gold")[ring // 2 % 5]


def build() -> None:
    """Set the scene."""
    start(0.5, bounces=7)
    air("#C9B9B4", 0.13)
    backdrop(plaster("#CC8C4A", 2.5, 0.002, 0.12), 3, 1.2, 1.6, 0.1, 0.3)
    bead_disc((0.045, 0.15, 0.158), _choose)

    plinth(0.088, 0.034, "#B5482F", (-0.062, 0.0, 0))
    phone(_draw_screen(), (-0.055, -0.012, 0.1085), (-9, 0, 14))
    box((0.04, 0.02, 0.05), plaster("#8E3A26", 9, 0.0012), (-0.0575, -0.0015, 0.059), 0.003, (0, 0, 14))

    plinth(0.052, 0.014, "#2E6A55", (0.082, -0.03, 0))
    keypad_phone(_draw_menu(), (0.078, -0.045, 0.0735), (-15, 0, -13))
    box((0.026, 0.02, 0.04), plaster("#2E6A55", 9, 0.0012), (0.0805, -0.032, 0.034), 0.003, (0, 0, -13))

    brass, steel = metal("#C9A24E", 0.3, (1, 1, 1)), metal("#B8B2A8", 0.3, (1, 1, 1))
    for i in range(5):
        spot = (0.146 + random.uniform(-1, 1) * 0.0012, -0.012 + random.uniform(-1, 1) * 0.0012, i * 0.0021)
        lathe([(0, 0), (0.0135, 0), (0.0135, 0.002), (0.0120, 0.002), (0.0117, 0.0018), (0, 0.0018)],
              steel if i % 2 else brass, spot, 0.0004, 64)  # fmt: skip
    loose_beads((0.012, -0.07, 0), 0.022, 11)

    sun((0.85, 0.46, -0.4), 6.0, "#FFD6A2", 0.8)
    foliage((-1.24, -0.24, 0.8), (0.1, 0.16, 0.11), 90, (0.06, 0.11))
    softbox((0.6, 0.0, 0.4), (0.03, 0, 0.08), 0.3, 0.4, 2.0, "#FFEBD8")
    camera((0.045, -0.735, 0.178), (0.01, 0, 0.0955), 80, 4.5, focus=(-0.03, -0.025, 0.1))
