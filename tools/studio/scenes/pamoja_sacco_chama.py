"""An exercise book with a savings group's accounts, a cash box, and a model house with a new iron roof."""

import math
import random
from functools import partial
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, LAKE, LEAF
from tools.studio.light import air, camera, softbox, start, sun, window_shadow
from tools.studio.materials import cloth, metal, paint, paper, plaster, wood
from tools.studio.printing import TEXT, canvas, face, kanga
from tools.studio.props import ink_pen
from tools.studio.shapes import Place, box, copies, draped, group, lathe, mesh, sheet, tube, wall

_PAGE = (0.148, 0.208)
_MEMBERS = (("Achieng", "14,000"), ("Njeri", "12,000"), ("Fatuma", "16,000"), ("Wambui", "13,000"),
            ("Akinyi", "14,000"), ("Zawadi", "15,000"))  # fmt: skip


def build() -> None:
    """Set the table by the window."""
    start(0.25, bounces=6)
    air("#B8CBE0", 0.2)
    sheet(2.2, 1.05, wood("#3A2012", "#7A4C2C", "#A5703F", 0.7, 0.5), at=(0, 0.2, 0))
    wall(5, 2.5, plaster("#2C6B6E", 2.0, 0.006, 0.25), 1.5, z=-1.3)
    _set_cloth()
    _set_book((-0.035, -0.012, 0.0006), (0, 0, 7))
    ink_pen((0.076, -0.068, 0.0102), (0, 2.5, 58), LAKE)
    _set_box((0.185, 0.215, 0), (0, 0, -13))
    _set_house((-0.105, 0.27, 0), (0, 0, 12))
    _set_coins((0.152, 0.045, 0))
    sun((0.85, -0.42, -0.62), 6.5, "#FFD6A0", 2.2)
    window_shadow((-0.98, 0.54, 0.72), (0.0, 0.06, 0.01), 0.66, 0.56, columns=2, rows=2, bar=0.035)
    softbox((-0.9, 0.15, 0.6), (0, 0, 0.05), 0.5, 0.6, 7, "#FFE6C8")
    softbox((0.6, -0.6, 0.7), (0, 0, 0.05), 0.5, 0.5, 2.0, "#CFE0F2")
    camera((0.07, -0.57, 0.49), (0.0, 0.052, 0.035), 54, 4.0, focus=(-0.03, -0.02, 0.015))


def _set_cloth() -> None:
    def bend(x: float, y: float) -> tuple[float, float, float]:
        calm = min(1.0, max(0.0, x + 0.12) / 0.12)
        return x, y + 0.004 * math.sin(x * 21), 0.0015 + calm * draped(x, y, 0.02, 12)

    sheet(
        0.5,
        0.34,
        cloth(kanga("UMOJA NI NGUVU")),
        (160, 110),
        bend,
        thick=0.0008,
        at=(0.37, -0.1, 0),
        turn=(0, 0, 24),
    )


def _set_book(at: Place, turn: Place) -> None:
    w, h = _PAGE
    leaf = paint("#EFE6D4", 0.75, 0.9, 30, 0.0002, 0.08)
    parts: list[Any] = [
        box((2 * w + 0.006, h + 0.006, 0.0016), paint(LAKE, 0.5, 0.65), (0, 0, 0.0008), 0.0006)
    ]
    for side, image in ((-1, _draw_accounts()), (1, _draw_roof())):

        def bend(x: float, y: float, side: int = side, drop: float = 0.0) -> tuple[float, float, float]:
            u = min(1.0, max(0.0, 0.5 + side * x / w))
            high = 0.0105 if side < 0 else 0.0085
            wave = 0.0012 * math.sin(y * 26 + side) * u
            return (
                x + side * (w / 2 + drop * 0.6 * u),
                y,
                0.0062 + high * math.sin(math.pi * u**0.5) + wave - drop,
            )

        under = [(h - 0.0006 * k, partial(bend, drop=0.0011 * k)) for k in range(1, 5)]
        parts += [sheet(w, high, leaf, (30, 8), fall) for high, fall in under]
        parts.append(sheet(w, h, paper(image, 0.8, 0.06), (40, 16), bend))
    group(parts, at, turn)


def _set_box(at: Place, turn: Place) -> None:
    """Set a tin cash box with a padlock."""
    green, brass, steel = (
        paint(LEAF, 0.3, 0.5, 12, 0.0008, 0.28),
        metal("#B98E3E", 0.25),
        metal("#A9A29A", 0.3),
    )
    parts: list[Any] = [
        box((0.2, 0.14, 0.068), green, (0, 0, 0.034), 0.006),
        box((0.205, 0.145, 0.026), green, (0, 0, 0.081), 0.007),
        box((0.207, 0.147, 0.003), steel, (0, 0, 0.068), 0.001),
        box((0.022, 0.003, 0.036), steel, (0, -0.074, 0.072), 0.001),
        _make_bow(0.032, 0.025, 0.0032, steel, (0, 0, 0.094)),
        box((0.03, 0.013, 0.026), brass, (0.0, -0.084, 0.034), 0.003),
        _make_bow(0.009, 0.022, 0.0024, steel, (0, -0.083, 0.044)),
        box((0.0028, 0.001, 0.008), paint("#1A1412"), (0, -0.0907, 0.031), 0.0003),
    ]  # fmt: skip
    foot = [(0, 0.094), (0.009, 0.094), (0.008, 0.097), (0, 0.097)]
    parts += [lathe(foot, steel, (x, 0, 0), turns=32) for x in (-0.032, 0.032)]
    group(parts, at, turn)


def _make_bow(wide: float, high: float, thickness: float, skin: Any, at: Place) -> Any:
    """Return a handle or a shackle: up, across, down."""
    side = [(-wide, 0, 0), (-wide, 0, high * 0.75), (-wide * 0.9, 0, high)]
    return tube([*side, *((-x, y, z) for x, y, z in reversed(side))], thickness, skin, at)


def _set_house(at: Place, turn: Place) -> None:
    """Set a model house; its iron sheets are new."""
    lime, trim, tall = plaster("#E8C79A", 14, 0.0008), paint("#F3E8DC", 0.5, 0.7), 0.078
    parts: list[Any] = [
        box((0.28, 0.2, 0.012), wood("#3A2012", "#8A5A32", "#C08A52", 0.2), (0, 0, 0.006), 0.002),
        box((0.19, 0.13, tall), lime, (0, 0, 0.012 + tall / 2), 0.0015),
        box((0.1925, 0.1325, 0.022), plaster(BRAND, 14, 0.0006), (0, 0, 0.023), 0.001),
        box((0.036, 0.003, 0.058), trim, (-0.01, -0.066, 0.041), 0.0008),
        box((0.029, 0.004, 0.053), paint(LAKE, 0.4, 0.6), (-0.01, -0.0668, 0.0395), 0.0008),
        lathe([(0, -0.0015), (0.0018, 0), (0, 0.0015)], metal("#C79A4B"), (0.0, -0.07, 0.039), turns=16),
        box((0.05, 0.02, 0.006), plaster("#A79A8A", 14), (-0.01, -0.076, 0.015), 0.001),
    ]
    for x in (-0.062, 0.05):
        parts.append(box((0.036, 0.003, 0.032), trim, (x, -0.0658, 0.058), 0.0008))
        parts += [
            box((0.014, 0.003, 0.026), paint("#1F2F36", 0.1, 0.2), (x + d, -0.0668, 0.058), 0.0004)
            for d in (-0.008, 0.008)
        ]
    ridge, lean, long = 0.012 + tall + 0.065 * math.tan(math.radians(29)), math.radians(29), 0.09
    for x in (-0.095, 0.095):
        corners = [(x, -0.065, 0.012 + tall), (x, 0.065, 0.012 + tall), (x, 0, ridge)]
        gable = mesh("gable", corners, [(0, 1, 2)], lime, smooth=False)
        parts.append(gable)
    iron = metal("#D3D6D8", 0.2, (40, 1, 1), 8)

    def bend(x: float, y: float) -> tuple[float, float, float]:
        return x, y, 0.0019 * math.sin(x * math.tau / 0.0115)

    for side in (-1, 1):
        y, z = side * (long / 2 * math.cos(lean) - 0.001), ridge + 0.0035 - long / 2 * math.sin(lean)
        parts.append(
            sheet(0.228, long, iron, (240, 3), bend, thick=0.0006, at=(0, y, z), turn=(-29 * side, 0, 0))
        )
    nail = lathe([(0, 0), (0.0012, 0), (0.0008, 0.0012), (0, 0.0014)], metal("#8F8A83"), turns=12)
    for share in (0.2, 0.8):
        y, z = -long * share * math.cos(lean), ridge + 0.0055 - long * share * math.sin(lean)
        parts += copies(nail, [((-0.104 + 0.023 * i + 0.0029, y, z), (lean, 0, 0), 1.0) for i in range(10)])
    cap = [(-0.116, 0, 0), (-0.04, 0, 0), (0.04, 0, 0), (0.116, 0, 0)]
    parts.append(tube(cap, 0.0052, iron, (0, 0, ridge + 0.002)))
    group(parts, at, turn)


def _set_coins(at: Place) -> None:
    x, y, z = at
    rim = [
        (0, 0),
        (0.0118, 0),
        (0.0121, 0.0011),
        (0.0118, 0.0022),
        (0.0102, 0.0022),
        (0.0098, 0.0017),
        (0, 0.0017),
    ]
    for i, (dx, dy, number) in enumerate(
        ((0, 0, 6), (0.03, 0.012, 3), (0.012, -0.03, 1), (0.045, -0.022, 1))
    ):
        skin = metal("#C9A24E" if i % 2 == 0 else "#B8B2A8", 0.25, (1, 1, 1), 40)
        coin = lathe(rim, skin, radius=0.0003, turns=48)
        spots = [
            (
                (
                    x + dx + random.uniform(-0.0012, 0.0012),
                    y + dy + random.uniform(-0.0012, 0.0012),
                    z + 0.00225 * k,
                ),
                (0, 0, k),
                1.0,
            )
            for k in range(number)
        ]
        copies(coin, spots)


def _handwrite(
    image: Image.Image, at: tuple[float, float], words: str, size: int, colour: str, weight: int = 520
) -> float:
    """Write as by hand: light, leaning, no two letters on one line; return the right end."""
    x, y = at
    for letter in words:
        drawn = face(round(size * random.uniform(0.95, 1.05)), weight, TEXT)
        wide, high = round(drawn.getlength(letter)) + 60, round(size * 1.7)
        ink = Image.new("L", (wide, high), 0)
        ImageDraw.Draw(ink).text((30, size * 1.2), letter, font=drawn, fill=235, anchor="ls")
        lean = random.uniform(0.15, 0.24)
        ink = ink.transform(
            ink.size, Image.Transform.AFFINE, (1, lean, -lean * size * 1.2, 0, 1, 0), Image.Resampling.BICUBIC
        )
        ink = ink.rotate(random.uniform(-2.5, 2.5), Image.Resampling.BICUBIC)
        drop = random.uniform(-0.028, 0.028) * size
        image.paste(colour, (round(x) - 30, round(y - size * 1.2 + drop)), ink)
        x += drawn.getlength(letter) * random.uniform(0.93, 1.0)
    return x


def _draw_page(margin: float) -> Image.Image:
    image, draw = canvas(1480, 2080, "#EDE2CC")
    for i in range(13):
        draw.line([(0, 290 + 145 * i), (1480, 290 + 145 * i)], fill="#A8C4D6", width=5)
    draw.line([(margin, 0), (margin, 2080)], fill="#D98A80", width=5)
    return image


def _draw_accounts() -> Image.Image:
    """Draw the left page: who has paid in how much."""
    image, ink = _draw_page(130), "#13235C"
    draw = ImageDraw.Draw(image)
    _handwrite(image, (165, 270), "Chama ya Upendo", 146, ink, 640)
    draw.line([(165, 318), (700, 326), (1310, 314)], BRAND, 11, joint="curve")
    for x, words in ((175, "Jina"), (960, "KSh")):
        _handwrite(image, (x, 560), words, 118, BRAND)
    draw.line([(880, 460), (888, 1000), (878, 1770)], ink, 7, joint="curve")
    for i, (name, amount) in enumerate(_MEMBERS):
        _handwrite(image, (175, 712 + 145 * i), name, 128, ink)
        _handwrite(image, (930, 712 + 145 * i), amount, 120, ink)
        tick, y = 1370 + random.uniform(-10, 10), 690 + 145 * i
        draw.line([(tick - 28, y - 18), (tick - 8, y + 6), (tick + 42, y - 62)], "#1F7A5C", 11, joint="curve")
    draw.line([(170, 1486), (1400, 1478)], ink, 8)
    _handwrite(image, (175, 1600), "Jumla", 135, ink, 640)
    _handwrite(image, (950, 1600), "84,000", 135, ink, 640)
    draw.line([(940, 1640), (1380, 1630)], ink, 8)
    draw.line([(946, 1664), (1376, 1655)], ink, 8)
    return image.filter(ImageFilter.GaussianBlur(0.8))


def _draw_roof() -> Image.Image:
    """Draw the right page: the sum, and the roof that it buys."""
    image, ink = _draw_page(90), "#13235C"
    draw = ImageDraw.Draw(image)
    _handwrite(image, (125, 275), "Paa letu: KSh 84,000", 134, ink, 640)
    draw.line([(125, 326), (800, 336), (1420, 322)], BRAND, 12, joint="curve")
    draw.line([(135, 350), (800, 362), (1400, 350)], BRAND, 12, joint="curve")
    lines = (
        [(330, 820), (735, 545), (1150, 815), (330, 822)],
        [(405, 825), (410, 1130), (1075, 1124), (1070, 822)],
        [(640, 1128), (645, 935), (790, 930), (792, 1126)],
        [(480, 905), (580, 902), (582, 1000), (482, 1003), (480, 905)],
        [(870, 902), (980, 900), (980, 1000), (872, 1000), (870, 902)],
        [(250, 1132), (700, 1140), (1230, 1128)],
    )
    for points in lines:
        draw.line(
            [(x + random.uniform(-5, 5), y + random.uniform(-5, 5)) for x, y in points], ink, 9, joint="curve"
        )
    for i in range(9):
        x = 410 + 80 * i
        top = 820 - (1 - abs(x - 735) / 405) * 270
        draw.line([(x, top + 12), (x + random.uniform(-6, 6), 812)], ink, 5)
    for i, words in enumerate(("Mabati 48", "Mbao 26", "Misumari 6 kg")):
        _handwrite(image, (130, 1435 + 145 * i), words, 124, ink)
    return image.filter(ImageFilter.GaussianBlur(0.8))
