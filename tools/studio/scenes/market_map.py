"""A map with Karen, Ngong, Rongai and Kawangware, clay pins, a phone with a bar chart and a cup of tea."""

import math
import random

from mathutils import noise as fields
from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, MARIGOLD, PAPER
from tools.studio.light import air, camera, softbox, start, sun
from tools.studio.materials import ceramic, metal, paint, paper, plain, plaster
from tools.studio.printing import DISPLAY, canvas, face, status_bar, write
from tools.studio.props import cup, foliage, ink_pen, phone
from tools.studio.shapes import box, copies, group, lathe, place, sheet, tube

WIDE, DEEP_SIDE = 0.56, 0.42
COLOURS = {"red": BRAND, "gold": MARIGOLD, "blue": "#1F6D86"}
ESTATES = {
    "Kawangware": (0.56, 0.66),
    "Karen": (0.34, 0.46),
    "Ngong": (0.16, 0.30),
    "Rongai": (0.60, 0.22),
    "Kikuyu": (0.20, 0.80),
    "Lang'ata": (0.71, 0.39),
}
"""Middle of each estate on the map, as shares of its width and height; north is far from the viewer."""
CLUSTERS = (
    ("Kawangware", "red", 9),
    ("Karen", "gold", 4),
    ("Rongai", "blue", 5),
    ("Ngong", "gold", 2),
    ("Lang'ata", "blue", 2),
)


def _draw_map() -> Image.Image:
    width, height = 2800, 2100
    image, draw = canvas(width, height, "#E5CDA0")
    spots = {name: (x * width, (1 - y) * height) for name, (x, y) in ESTATES.items()}
    for i, (x, y) in enumerate(spots.values()):
        outline = [
            (
                x + (330 + 90 * math.sin(3 * a + i)) * math.cos(a),
                y + (230 + 60 * math.cos(2 * a + i)) * math.sin(a),
            )
            for a in (k * math.tau / 11 for k in range(11))
        ]
        draw.polygon(outline, ("#DE9C66", "#A9BD7C", "#D0B070")[i % 3])
    for x, y, side in ((0.47, 0.93, 300), (0.93, 0.78, 380), (0.40, 0.16, 330), (0.05, 0.56, 260)):
        draw.rounded_rectangle(
            (
                x * width - side,
                (1 - y) * height - side * 0.6,
                x * width + side,
                (1 - y) * height + side * 0.6,
            ),
            120,
            "#7DA565",
        )
    river = [(0, 260), (500, 420), (900, 760), (1500, 820), (2100, 1240), (2800, 1330)]
    draw.line(river, "#5599AD", 44, joint="curve")
    rng = random.Random(11)
    for x, y in spots.values():
        for _ in range(26):
            px, py = x + rng.gauss(0, 190), y + rng.gauss(0, 130)
            long, turn = rng.uniform(70, 210), rng.choice((0.25, 0.25 + math.pi / 2)) + rng.uniform(-0.1, 0.1)
            draw.line([(px, py), (px + long * math.cos(turn), py + long * math.sin(turn))], "#FBF5E8", 15)
    k, r, n, o, w, s = (
        spots[name] for name in ("Karen", "Rongai", "Ngong", "Lang'ata", "Kawangware", "Kikuyu")
    )
    roads = (
        [(2800, 120), w, k, n, (0, 1640)],
        [(2800, 980), o, (1750, 1330), k],
        [o, (1900, 1500), r, (1400, 2100)],
        [(0, 180), s, (1100, 560), w, (2200, 900), o],
        [n, (900, 1900), (1000, 2100)],
    )
    for wide, colour in ((58, "#B5793A"), (42, "#FFF9EC")):
        for road in roads:
            draw.line(list(road), colour, wide, joint="curve")
            for x, y in road:
                draw.ellipse((x - wide / 2, y - wide / 2, x + wide / 2, y + wide / 2), colour)
    for name, (x, y) in spots.items():
        big = 128 if name == "Kawangware" else 104
        font = face(big, 800, DISPLAY)
        draw.text((x, y + 112), name, INK, font, "mm", stroke_width=14, stroke_fill="#F3E8D2")
    x, y = spots["Kawangware"]
    for i in range(3):
        draw.arc(
            (x - 640 - 9 * i, y - 310 + 8 * i, x + 635 + 6 * i, y + 320 - 5 * i), -78 + 4 * i, 275, DEEP, 15
        )
    draw.rectangle((24, 24, width - 24, height - 24), outline="#8A6A44", width=8)
    return image


def _draw_screen() -> Image.Image:
    width, height = 900, 1900
    image, draw = canvas(width, height, PAPER)
    draw.rectangle((0, 0, width, 430), fill=LAKE)
    status_bar(draw, width, PAPER)
    write(draw, (70, 240), "Enquiries", 122, PAPER, 800, DISPLAY, "lm")
    write(draw, (70, 350), "this week", 66, "#CFE3E8", 500, anchor="lm")
    rows = (
        ("Kawangware", 41, BRAND),
        ("Rongai", 24, "#1F6D86"),
        ("Karen", 17, MARIGOLD),
        ("Ngong", 9, MARIGOLD),
    )
    for i, (name, number, colour) in enumerate(rows):
        y = 560 + 325 * i
        write(draw, (70, y), name, 76, INK, 700, anchor="lm")
        write(draw, (830, y), str(number), 86, INK, 800, DISPLAY, "rm")
        draw.rounded_rectangle((70, y + 62, 70 + number * 18, y + 182), 24, colour)
    return image


def _height(x: float, y: float) -> float:
    """Return the height of the map at a place: it was folded in four by two and will not lie flat."""
    across = abs(math.sin(math.pi * (x / WIDE * 4 + 2) / 2)) * 0.006
    along = abs(y) / DEEP_SIDE * 0.007
    return 0.001 + across + along + 0.002 * (1 + fields.noise((x * 6, y * 6, 2.0)))


def _pins() -> list[object]:
    """Stand balls of clay on needles where the buyers live."""
    ball = [(0, -0.0075), (0.0042, -0.0068), (0.0078, 0), (0.0066, 0.0052), (0.0026, 0.0076), (0, 0.0078)]
    needle = lathe([(0, 0), (0.0009, 0.004), (0.0012, 0.018), (0, 0.018)], metal("#C9C3B8", 0.2), turns=12)
    rng = random.Random(5)
    spots: dict[str, list[tuple[float, float]]] = {name: [] for name in COLOURS}
    taken: list[tuple[float, float]] = []
    for estate, colour, number in CLUSTERS:
        middle = ESTATES[estate]
        while number:
            x = (middle[0] - 0.5) * WIDE + rng.gauss(0, 0.034)
            y = (middle[1] - 0.5) * DEEP_SIDE + 0.018 + abs(rng.gauss(0, 0.020))
            if all(math.hypot(x - a, y - b) > 0.019 for a, b in taken):
                taken.append((x, y))
                spots[colour].append((x, y))
                number -= 1
    made: list[object] = copies(needle, [((x, y, _height(x, y)), (0.12, 0.1, 0), 1.0) for x, y in taken])
    for colour, places in spots.items():
        head = lathe(ball, plaster(COLOURS[colour], 60, 0.0006, 0.16), radius=0.003, turns=40, wobble=0.10)
        made += copies(
            head,
            [
                (
                    (x + 0.0018, y - 0.002, _height(x, y) + 0.0205),
                    (rng.gauss(0, 0.2), 0.1, rng.uniform(0, 6)),
                    rng.uniform(0.9, 1.12),
                )
                for x, y in places
            ],
        )
    return made


def build() -> None:
    start(0.25, bounces=6)
    air("#B4CBDA", 0.24)
    planks = paint("#2F6E66", 0.4, 0.62, 18, 0.0012, 0.3)
    for i in range(9):
        box((1.8, 0.118, 0.03), planks, (random.uniform(-0.02, 0.02), -0.42 + 0.1215 * i, -0.0155), 0.004)
    sheet(2, 1.4, plain("#14201C"), at=(0, 0, -0.03))

    chart = sheet(
        WIDE,
        DEEP_SIDE,
        paper(_draw_map(), 0.72, 0.14),
        (160, 120),
        lambda x, y: (x, y, _height(x, y)),
        thick=0.0003,
    )
    group([chart, *_pins()], (-0.035, 0.02, 0.0), (0, 0, 9))
    place(phone(_draw_screen(), (0, 0, 0)), (0.176, -0.112, 0.046), (-56, 0, -16))
    lump = lathe(
        [(0, 0), (0.030, 0), (0.034, 0.02), (0.027, 0.045), (0.012, 0.053), (0, 0.054)],
        plaster("#A9683F", 40, 0.002),
    )
    place(lump, (0.187, -0.080, 0.010), (0, 0, 40))

    saucer = ceramic("#E9DFCC")
    spot = (0.205, 0.165, 0.009)
    lathe(
        [
            (0, 0.003),
            (0.035, 0.003),
            (0.038, 0),
            (0.045, 0.004),
            (0.070, 0.012),
            (0.0705, 0.014),
            (0.04, 0.0075),
            (0, 0.0065),
        ],
        saucer,
        spot,
        0.002,
    )
    glaze_red = ceramic("#B33C2D")
    x, y, z = spot
    cup((x, y, z + 0.006), glaze_red, plain("#A5632F", Roughness=0.08), size=0.95)
    handle = tube(
        [
            (0.033, 0, 0.055),
            (0.048, 0, 0.062),
            (0.061, 0, 0.05),
            (0.056, 0, 0.03),
            (0.040, 0, 0.022),
            (0.030, 0, 0.026),
        ],
        0.0042,
        glaze_red,
    )
    place(handle, (x, y, z + 0.004), (0, 0, -150))
    ink_pen((-0.06, -0.185, 0.004), (0, -2, 24), DEEP)

    foliage((-0.9, 0.85, 1.1), (0.20, 0.20, 0.16), 150, (0.07, 0.13))
    sun((0.62, -0.62, -0.62), 6.6, "#FFD9A4", 0.9)
    softbox((0.7, -0.5, 0.7), (0, 0, 0), 0.6, 0.6, 5, "#FFEEDC")
    camera((0.04, -0.66, 0.50), (-0.012, -0.002, 0.002), 54, 4.5, focus=(0.01, 0.06, 0.03))
