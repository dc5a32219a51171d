"""A laptop by night maps lorries from Mombasa to Malaba, behind a toy lorry and stamped waybills."""

import math
import random

from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, MARIGOLD, PAPER, SAND
from tools.studio.light import air, camera, lamp, softbox, start
from tools.studio.materials import glowing, metal, paint, paper, plain, plaster, wood
from tools.studio.printing import DISPLAY, canvas, face, triangles, write
from tools.studio.props import laptop
from tools.studio.shapes import Place, box, card, copies, group, lathe, place, sheet, slab, tube, wall

ROAD = (
    ("Mombasa", 1010, 1010), ("Voi", 850, 830), ("", 720, 715), ("Nairobi", 520, 600), ("Gilgil", 395, 480),
    ("", 340, 400), ("Eldoret", 210, 290), ("Malaba", 95, 230),
)  # fmt: skip
LORRIES = (("KDA 214", "Voi", 62, MARIGOLD), ("KCB 880", "Gilgil", 41, "#F0705A"))


def _draw_screen() -> Image.Image:
    width, height = 1920, 1200
    image, draw = canvas(width, height, "#35100D")
    draw.rectangle((0, 0, 1160, height), fill="#2A0B09")
    for i in range(9):
        draw.line((0, 140 + i * 150, 1160, 60 + i * 150), fill="#3E1612", width=3)
        draw.line((60 + i * 150, 0, i * 150 - 40, height), fill="#3E1612", width=3)
    draw.polygon(
        [(1160, 760), (1090, 900), (1050, 1010), (1060, 1110), (1020, 1200), (1160, 1200)], fill="#14202B"
    )
    points = [(x, y) for _, x, y in ROAD]
    draw.line(points, fill="#7A2A20", width=34, joint="curve")
    draw.line(points, fill="#F2B7A0", width=11, joint="curve")
    for name, x, y in ROAD:
        if name:
            draw.ellipse((x - 15, y - 15, x + 15, y + 15), fill=PAPER)
            end = name in {"Mombasa", "Malaba"}
            side = (x - 34, y + 34, "rm") if name == "Mombasa" else (x + 40, y - 34, "lm")
            write(
                draw,
                side[:2],
                name,
                64 if end else 48,
                PAPER if end else "#F2C9B8",
                800 if end else 600,
                anchor=side[2],
            )
    for x, y, colour in (
        (850, 830, MARIGOLD),
        (395, 480, "#F0705A"),
        (640, 669, SAND),
        (255, 328, SAND),
        (935, 926, SAND),
    ):
        draw.ellipse((x - 40, y - 40, x + 40, y + 40), fill="#2A0B09")
        draw.ellipse((x - 32, y - 32, x + 32, y + 32), fill=colour)
    draw.rectangle((1160, 0, width, 190), fill=BRAND)
    write(draw, (1215, 98), "Mizigo Desk", 112, PAPER, 800, DISPLAY, "lm")
    triangles(draw, 1160, width, 190, 47.5, [BRAND, "#8C2A20"], down=True)
    for i, (number, town, share, colour) in enumerate(LORRIES):
        y = 300 + i * 330
        draw.rounded_rectangle((1205, y, width - 45, y + 295), 30, fill="#4C1814")
        draw.ellipse((1240, y + 48, 1296, y + 104), fill=colour)
        write(draw, (1320, y + 78), number, 104, PAPER, 800, DISPLAY, "lm")
        write(draw, (1245, y + 178), town, 76, "#F6D6C8", 600, anchor="lm")
        write(draw, (width - 85, y + 178), f"{share} %", 88, PAPER, 800, anchor="rm")
        draw.rounded_rectangle((1245, y + 240, width - 85, y + 260), 10, fill="#2A0B09")
        draw.rounded_rectangle((1245, y + 240, 1245 + 590 * share / 100, y + 260), 10, fill=colour)
    draw.rounded_rectangle((1205, 965, width - 45, height - 50), 30, fill="#4C1814")
    write(draw, (1245, 1058), "5 on the road", 76, PAPER, 700, anchor="lm")
    return image


def _draw_waybill(number: str, stamp: str) -> Image.Image:
    image, draw = canvas(1480, 1050, "#EFE2C6")
    write(draw, (80, 110), "WAYBILL", 120, "#22344A", 800, DISPLAY, "lm")
    write(draw, (1400, 110), number, 96, "#A3301F", 800, anchor="rm")
    for y in range(220, 1000, 120):
        draw.line((80, y, 1400, y), fill="#9C8D6C", width=5)
    for x in (80, 560, 1400):
        draw.line((x, 220, x, 940), fill="#9C8D6C", width=5)
    for i, (key, value) in enumerate(
        (("From", "Mombasa"), ("To", "Malaba"), ("Lorry", "KDA 214"), ("Load", "Tyres, 28 t"))
    ):
        write(draw, (110, 282 + i * 120), key, 58, "#5D5340", 500, anchor="lm")
        write(draw, (600, 282 + i * 120), value, 70, "#22344A", 700, anchor="lm")
    mark = Image.new("L", (760, 760), 0)
    pen = ImageDraw.Draw(mark)
    for inset, wide in ((20, 22), (70, 9)):
        pen.ellipse((inset, inset, 760 - inset, 760 - inset), outline=255, width=wide)
    pen.text((380, 380), stamp, font=face(132, 800), fill=255, anchor="mm")
    pen.text((380, 240), "MIZIGO", font=face(80, 800), fill=255, anchor="mm")
    pen.text((380, 520), "MALABA", font=face(80, 800), fill=255, anchor="mm")
    speckle = (
        Image.effect_noise((190, 190), 90).resize(mark.size).point(lambda grey: 255 if grey > 96 else 110)
    )
    mark = Image.composite(mark, Image.new("L", mark.size, 0), speckle).filter(ImageFilter.GaussianBlur(1.5))
    mark = mark.rotate(14, resample=Image.Resampling.BICUBIC)
    image.paste(Image.new("RGB", mark.size, "#B02A1C"), (690, 300), mark)
    return image


def _draw_side() -> Image.Image:
    image, draw = canvas(1000, 440, "#F3E6D2")
    draw.rectangle((0, 0, 1000, 60), fill=BRAND)
    triangles(draw, 0, 1000, 330, 110, [BRAND, MARIGOLD])
    write(draw, (500, 195), "MIZIGO", 190, BRAND, 800, DISPLAY)
    return image


def _lorry(at: Place, turn: Place) -> None:
    """Set a lorry of painted tin, 15 cm long, that drives to the left."""
    red, dark = paint(BRAND, 0.22, 0.38, 40, 0.0002, 0.1, Coat_Weight=0.4), paint("#171312", 0.5, 0.7)
    cream, chrome = paint("#F3E6D2", 0.3, 0.45, 40, 0.0002), metal("#C9C2B8", 0.25, (1, 1, 1))
    panes = plain("#101820", Roughness=0.08)
    front = -0.061
    parts = [
        box((0.150, 0.020, 0.006), dark, (0.004, 0, 0.0125), 0.001),
        box((0.104, 0.040, 0.046), cream, (0.026, 0, 0.041), 0.002),
        card(0.1, 0.042, paper(_draw_side(), 0.35), cream, at=(0.026, -0.0205, 0.020)),
        box((0.032, 0.038, 0.022), red, (front + 0.018, 0, 0.026), 0.004),
        box((0.027, 0.036, 0.020), red, (front + 0.0205, 0, 0.045), 0.005),
        box((0.016, 0.0368, 0.011), panes, (front + 0.019, 0, 0.0455), 0.002),
        box((0.0276, 0.029, 0.011), panes, (front + 0.0203, 0, 0.0455), 0.002),
        box((0.005, 0.040, 0.006), chrome, (front + 0.001, 0, 0.0145), 0.0015),
        box((0.002, 0.020, 0.008), chrome, (front + 0.0016, 0, 0.025), 0.0008),
    ]
    for y in (-0.0145, 0.0145):
        eye = lathe(
            [(0, 0), (0.0032, 0), (0.0026, 0.0018), (0, 0.0024)],
            glowing("#FFE2A8", 2.0),
            radius=0.0005,
            turns=32,
        )
        parts.append(place(eye, (front + 0.0018, y, 0.0235), (0, -90, 0)))
    tyre = lathe([(0, -0.0045), (0.0062, -0.0045), (0.0068, -0.005), (0.0105, -0.005), (0.0105, 0.005),
                  (0.0068, 0.005), (0, 0.004)], dark, radius=0.0018, turns=48)  # fmt: skip
    hub = lathe(
        [(0, 0.006), (0.003, 0.0058), (0.0035, 0.0047), (0.0064, 0.0047), (0.0068, 0.004)],
        chrome,
        radius=0.0006,
        turns=48,
    )
    spots = [((x, y, 0.0105), (math.pi / 2, 0, 0) if y < 0 else (-math.pi / 2, 0, 0), 1.0)
             for x in (front + 0.018, 0.034, 0.058) for y in (-0.0165, 0.0165)]  # fmt: skip
    parts += [*copies(tyre, spots), *copies(hub, spots)]
    group(parts, at, turn)


def _stamp(at: Place, turn: Place) -> None:
    """Lay a rubber stamp with a turned handle beside the papers."""
    varnish = wood("#3A1A0C", "#7A3F1D", "#A5612F", 0.05, 0.2)
    handle = lathe([(0, 0.010), (0.0175, 0.010), (0.0175, 0.016, 0.002), (0.008, 0.022),
                    (0.0065, 0.036, 0.008), (0.0125, 0.052, 0.008), (0.009, 0.066, 0.006), (0, 0.067)],
                   varnish, radius=0.002, turns=64)  # fmt: skip
    brass = lathe(
        [(0, 0.0035), (0.0195, 0.0035), (0.0195, 0.0105), (0, 0.0105)],
        metal("#C79A4B", 0.3, (1, 1, 20)),
        radius=0.0008,
    )
    rubber = lathe(
        [(0, 0), (0.0185, 0), (0.0185, 0.004), (0, 0.004)], paint("#8E2018", 0.5, 0.7), radius=0.0004
    )
    group([handle, brass, rubber], at, turn)


def _yard() -> None:
    """Light the yard behind the window: lamps on masts, lorries' lights, and trailers in the dark."""
    spots: dict[str, list[tuple[float, float, float]]] = {
        "#FFB45C": [
            (random.uniform(-4.5, 4.5), random.uniform(11, 20), random.uniform(-0.3, 0.7)) for _ in range(14)
        ],
        "#FFE9C8": [
            (random.uniform(-4, 4), random.uniform(9, 15), random.uniform(-1.1, -0.3)) for _ in range(10)
        ],
        "#FF3A22": [
            (random.uniform(-4, 4), random.uniform(9, 15), random.uniform(-1.2, -0.4)) for _ in range(9)
        ],
        "#7FC4FF": [(random.uniform(-5, 5), 19.0, random.uniform(-0.6, 0.6)) for _ in range(5)],
    }
    for colour, places in spots.items():
        ball = lathe([(0, -1), (0.8, -0.6), (1, 0), (0.8, 0.6), (0, 1)], glowing(colour, 11), turns=12)
        copies(ball, [(spot, (0, 0, 0), spot[1] * random.uniform(0.0035, 0.006)) for spot in places])
    dark = plain("#10131C", Roughness=0.9)
    for x in (-4.2, -1.0, 2.4):
        box((2.6, 0.5, 1.5), dark, (x, 21, -0.4), 0.02)
    wall(60, 14, glowing("#16203A", 0.5), 26, z=-4)


def _room() -> None:
    """Put up the wall with the window, its bars, and a sill with ledgers."""
    plasterwork, frame = plaster("#6A4636", 3, 0.003), paint("#2E3B3A", 0.4, 0.6)
    wall(0.8, 1.6, plasterwork, 0.62, x=-0.86, z=-0.3)
    wall(0.9, 1.6, plasterwork, 0.62, x=0.82, z=-0.3)
    wall(3, 0.36, plasterwork, 0.62, z=-0.3)
    for x in (-0.46, -0.16, 0.13, 0.38):
        box((0.018, 0.04, 1.2), frame, (x, 0.62, 0.5), 0.004)
    box((0.9, 0.04, 0.02), frame, (-0.04, 0.62, 0.37), 0.004)
    box((0.96, 0.12, 0.025), wood(size=0.4), (-0.04, 0.58, 0.07), 0.004)


def build() -> None:
    """Set the scene."""
    start(0.7, bounces=6)
    air("#4A5C8C", 0.14)
    _yard()
    _room()
    sheet(2.4, 1.1, wood("#1E1009", "#4A2A16", "#6E4425", 0.5, 0.3), at=(0, 0.02, 0))

    laptop(_draw_screen(), (-0.035, 0.06, 0), (0, 0, 7), lean=16, strength=1.35)

    edge = paint("#E2D3B4", 0.7, 0.9)
    for i in range(7):
        box(
            (0.148, 0.105, 0.0003),
            edge,
            (-0.165, -0.14, 0.0004 + 0.0006 * i),
            0.0001,
            (0, 0, -14 + random.uniform(-4, 4)),
        )
    sheet(
        0.148,
        0.105,
        paper(_draw_waybill("0881", "CLEARED"), 0.75),
        at=(-0.165, -0.14, 0.0048),
        turn=(0, 0, -13),
    )
    _stamp((-0.048, -0.15, 0), (0, 0, 0))
    slab(
        0.072,
        0.046,
        0.011,
        0.006,
        paint("#1E4E63", 0.3, 0.45),
        0.002,
        at=(-0.235, -0.035, 0.0056),
        turn=(-90, 0, 12),
    )

    _lorry((0.137, -0.12, 0), (0, 0, 14))

    brass = metal("#B98F45", 0.3, (1, 1, 1))
    shade = lathe([(0.02, 0.05), (0.024, 0.045), (0.065, 0.0), (0.067, 0.0), (0.026, 0.05),
                   (0.02, 0.056), (0, 0.056)],
                  paint("#1F5B4A", 0.25, 0.4), radius=0.003, turns=64)  # fmt: skip
    place(shade, (0.225, 0.13, 0.235), (0, 18, 0))
    tube(
        [
            (0.30, 0.19, 0.01),
            (0.30, 0.19, 0.15),
            (0.30, 0.18, 0.29),
            (0.27, 0.16, 0.325),
            (0.242, 0.13, 0.29),
        ],
        0.006,
        brass,
    )
    lathe([(0, 0), (0.06, 0), (0.06, 0.012), (0.012, 0.02), (0, 0.02)], brass, (0.30, 0.19, 0), 0.004)
    bulb = lathe(
        [(0, -0.018), (0.016, -0.008), (0.016, 0.008), (0.008, 0.022), (0, 0.024)],
        glowing("#FFC47A", 14),
        radius=0.008,
    )
    place(bulb, (0.226, 0.13, 0.253), (0, 18, 0))
    spot = (0.223, 0.13, 0.23)
    wide = math.radians(110)
    lamp("SPOT", spot, (0.06, -0.12, 0), 30, "#FFC07A", spot_size=wide, spot_blend=0.6, shadow_soft_size=0.03)

    softbox((0.45, -0.45, 0.5), (0.05, -0.1, 0.03), 0.25, 0.25, 3.5, "#FFC892")
    softbox((-0.6, -0.2, 0.55), (-0.1, -0.05, 0.05), 0.3, 0.4, 6, "#9DB2E6")
    camera((0.0, -0.9, 0.29), (-0.008, 0.0, 0.098), 62, 4.0, focus=(-0.03, 0.06, 0.1))
