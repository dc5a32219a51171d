"""A jar of honey on a clay plinth between softbox and reflector, framed by a camera in the foreground."""

import math
from typing import Any

import numpy as np
from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LAKE, MARIGOLD, PAPER, SAND
from tools.studio.light import aim, air, camera, lamp, softbox, start
from tools.studio.materials import glass, glowing, liquid, metal, paint, paper, plaster, screen, wood
from tools.studio.printing import DISPLAY, canvas, rosette, triangles, write
from tools.studio.props import plinth
from tools.studio.shapes import Place, backdrop, box, group, lathe, mesh, place, sheet, slab, tube, wall

_GOLD = "#C79A4B"


def build() -> None:
    """Set the table."""
    start(0.3, view="Filmic", look="High Contrast", bounces=8)
    air("#BFD0DC", 0.16)
    _set_backdrop()
    plinth(0.062, 0.05, "#B5482F", (0.06, 0, 0))
    _set_jar((0.06, 0, 0.0502))
    _set_softbox((-0.185, 0.13, 0.215), (0.06, 0.0, 0.11))
    white = paint("#F2ECE2", 0.6, 0.8, amount=0.06)
    box((0.12, 0.004, 0.17), white, (0.168, 0.085, 0.086), 0.001, (0, 0, -52))
    box((0.09, 0.004, 0.17), white, (0.226, 0.01, 0.086), 0.001, (0, 0, -74))
    ring = lathe([(0.02, 0), (0.033, 0), (0.033, 0.022), (0.02, 0.022), (0.02, 0)], paint(DEEP, 0.5, 0.7))
    place(ring, (-0.125, 0.1, 0))
    _set_camera((-0.083, -0.42, 0.134), (4, 0, -14))
    softbox((-0.55, -0.62, 0.55), (0.06, 0, 0.1), 0.3, 0.4, 9, "#FFE9D2")
    softbox((-0.4, -0.3, 0.42), (-0.08, -0.42, 0.15), 0.1, 0.3, 1.6, "#FFDDB8")
    softbox((0.5, -0.25, 0.4), (0.06, 0, 0.12), 0.08, 0.35, 2.2, "#F4F8FF")
    lamp("SPOT", (0.25, 0.1, 0.75), (0.08, 0.36, 0.16), 9, "#FFD9A8", spot_size=1.0, spot_blend=1.0)
    lamp("POINT", (-0.9, 1.9, 0.5), (0, 0, 0), 7, "#FFB46B", shadow_soft_size=0.2)
    camera((-0.02, -1.1, 0.30), (-0.01, 0, 0.114), 100, 6.0, focus=(0.06, -0.04, 0.1))


def _set_backdrop() -> None:
    steel, knob = metal("#8F8A83", 0.35), paint("#171413", 0.4, 0.6)
    sheet(4, 2, wood("#24140B", "#4A2E1A", "#6B4528", 0.5, 0.5), at=(0, -0.45, -0.0008))
    roll = backdrop(plaster("#1E6076", 3.0, 0.001, 0.08), 0.37, 0.6, 0.276, 0.11, 0.35)
    roll.location.x = 0.045
    place(
        lathe([(0, -0.26), (0.009, -0.26), (0.009, 0.26), (0, 0.26)], steel, turns=40),
        (0.045, 0.362, 0.205),
        (0, 90, 0),
    )
    for x in (-0.185, 0.275):
        lathe([(0, -0.2), (0.007, -0.2), (0.007, 0.22), (0, 0.22)], steel, (x, 0.375, 0), turns=40)
        box((0.03, 0.03, 0.035), knob, (x, 0.37, 0.205), 0.004)
    for x in (-0.10, 0.19):
        box((0.026, 0.03, 0.052), paint(MARIGOLD, 0.35, 0.5), (x, 0.35, 0.193), 0.006, (-12, 0, 0))
        box((0.018, 0.012, 0.05), knob, (x, 0.337, 0.225), 0.004, (22, 0, 0))
    wall(7, 4, plaster("#3A2A22", 2.0, 0.01, 0.4), 2.6, z=-1.2)
    shelf = wood("#24140B", "#4A2E1A", "#6B4528", 0.4)
    box((2.2, 0.25, 0.03), shelf, (0.3, 2.4, 0.0), 0.004)
    for i, colour in enumerate((BRAND, SAND, MARIGOLD, LAKE, SAND, BRAND, "#5A4A3E")):
        box((0.13, 0.16, 0.16 + 0.05 * (i % 3)), paint(colour), (-0.55 + 0.27 * i, 2.36, 0.02), 0.01)
    for x, z in ((-0.42, 0.155), (-0.1, 0.15), (0.22, 0.156), (0.5, 0.15)):
        lathe(
            [(0, -0.01), (0.01, -0.01), (0.01, 0.01), (0, 0.01)],
            glowing("#FFC070", 30),
            (x, 2.2, z),
            0.006,
            24,
        )


def _set_jar(at: Place) -> None:
    outer = [(0, 0.003), (0.03, 0.0), (0.0405, 0.0, 0.005), (0.042, 0.008), (0.042, 0.088, 0.014),
             (0.0345, 0.1, 0.006), (0.0345, 0.113, 0.001)]  # fmt: skip
    inner = [
        (0.0315, 0.113, 0.001),
        (0.0315, 0.099, 0.006),
        (0.0388, 0.087, 0.013),
        (0.0388, 0.007, 0.006),
        (0, 0.006),
    ]
    lathe(outer + inner, glass("#F4FBF8"), at)
    honey = [
        (0, 0.0058),
        (0.0390, 0.0058, 0.006),
        (0.0390, 0.0865, 0.0005),
        (0.0385, 0.0855, 0.001),
        (0, 0.085),
    ]
    lathe(honey, liquid("#FDCE00", 50), at)
    lid = [
        (0, 0.1235), (0.030, 0.1235), (0.031, 0.1245), (0.0355, 0.1245, 0.003), (0.037, 0.121),
        (0.037, 0.1075, 0.001), (0.0378, 0.1065, 0.0006), (0.0365, 0.1055, 0.0004),
        (0.0355, 0.107), (0.0355, 0.119), (0, 0.119),
    ]  # fmt: skip
    lathe(lid, metal(_GOLD, 0.3, (1, 1, 40), 60), at, 0.0012)

    def bend(x: float, y: float) -> tuple[float, float, float]:
        return 0.0423 * math.sin(x / 0.0423), -0.0423 * math.cos(x / 0.0423), 0.047 + y

    label = paper(_draw_label(), 0.7)
    sheet(0.092, 0.053, label, (90, 8), bend, thick=0.00012, at=at, turn=(0, 0, -6))
    # A bright card that only the honey sees: else it would be as dark as the room behind it.
    card = sheet(0.12, 0.12, glowing("#FFE0A0", 1.9), at=(at[0], 0.1, 0.12), turn=(84, 0, 0))
    card.visible_camera = card.visible_shadow = card.visible_diffuse = card.visible_glossy = False


def _set_softbox(at: Place, target: Place) -> None:
    w, h, d = 0.085, 0.11, 0.1
    skin, verts = (
        paint("#141211", 0.5, 0.7),
        [(x * w, y * h, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))],
    )
    verts += [(x * 0.02, y * 0.02, d) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    shell = mesh(
        "shell", verts, [(i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4)], skin, smooth=False
    )
    front = sheet(w * 1.96, h * 1.96, screen(_draw_glow(), 15))
    front.rotation_euler.x = math.pi
    rim = [box((w * 2, 0.006, 0.016), skin, (0, s * h, -0.006), 0.002) for s in (-1, 1)]
    rim += [box((0.006, h * 2, 0.016), skin, (s * w, 0, -0.006), 0.002) for s in (-1, 1)]
    head = lathe(
        [(0, d), (0.026, d), (0.026, d + 0.07), (0, d + 0.07)], paint("#2A2624", 0.35, 0.5), radius=0.005
    )
    whole = group([shell, front, head, *rim], at)
    aim(whole, target)
    tube(
        [(at[0] - 0.09, at[1] + 0.05, -0.1), (at[0] - 0.09, at[1] + 0.05, at[2] + 0.04)],
        0.006,
        metal("#8F8A83"),
    )


def _set_camera(at: Place, turn: Place) -> Any:
    """Set a camera seen from behind; its lens looks away from us."""
    leather, shell = paint("#1A1716", 0.6, 0.8, 60, 0.0008), paint("#24201E", 0.35, 0.5)
    key = paint("#3A3532", 0.3, 0.45)
    parts = [
        slab(0.128, 0.078, 0.045, 0.012, leather, 0.004),
        box((0.05, 0.04, 0.026), shell, (0, 0, 0.046), 0.008),
        box((0.032, 0.004, 0.02), paint("#0B0A0A", 0.7, 0.9), (0, -0.021, 0.046), 0.003),
        slab(0.079, 0.058, 0.004, 0.004, shell, 0.001, at=(-0.014, -0.0235, -0.004)),
        slab(0.071, 0.05, 0.0004, 0.002, screen(_draw_display(), 0.95), 0.0001, at=(-0.014, -0.0259, -0.004)),
        lathe(
            [(0, 0.036), (0.011, 0.036), (0.011, 0.05), (0, 0.05)],
            metal("#5A5450", 0.35),
            (0.045, 0, 0),
            turns=48,
        ),
        lathe(
            [(0, 0.036), (0.009, 0.036), (0.009, 0.045), (0, 0.045)],
            metal("#5A5450", 0.35),
            (-0.046, 0, 0),
            turns=48,
        ),
        place(
            lathe([(0, 0), (0.011, 0), (0.011, 0.004), (0, 0.004)], key, turns=48),
            (0.045, -0.0225, -0.008),
            (90, 0, 0),
        ),
        tube(
            [(-0.062, 0, 0.03), (-0.085, -0.01, 0.02), (-0.1, -0.02, -0.05), (-0.09, -0.02, -0.12)],
            0.005,
            paint(BRAND),
        ),
    ]
    for x, z in ((0.036, 0.02), (0.052, 0.02), (0.036, -0.03), (0.052, -0.03)):
        parts.append(
            place(
                lathe([(0, 0), (0.004, 0), (0.004, 0.003), (0, 0.003)], key, turns=24),
                (x, -0.0225, z),
                (90, 0, 0),
            )
        )
    return group(parts, at, turn)


def _draw_glow() -> Image.Image:
    """Draw a softbox's front: the lamp behind the cloth is seen as a warm middle."""
    y, x = np.mgrid[-1:1:220j, -1:1:170j]
    glow = np.clip(1.0 - 0.62 * np.hypot(x, y) ** 1.3, 0, 1)[..., None] * np.array([255, 236, 206])
    return Image.fromarray(glow.astype(np.uint8))


def _draw_label() -> Image.Image:
    image, draw = canvas(1800, 1040, "#F6EBDD")
    for top, down in ((0, False), (890, True)):
        draw.rectangle((0, top, 1800, top + 150), fill=BRAND)
        triangles(draw, 0, 1800, top + 30, 90, [MARIGOLD, PAPER], down=down)
    write(draw, (900, 430), "Asali", 350, DEEP, 800, DISPLAY)
    write(draw, (900, 690), "Raw acacia honey", 118, INK, 700)
    for x in (210, 1590):
        rosette(
            draw, x, 430, [(110, 0, 0, MARIGOLD), (86, 0, 0, DEEP), (64, 10, 14, PAPER), (36, 0, 0, BRAND)]
        )
    return image


def _draw_display() -> Image.Image:
    image, draw = canvas(900, 640, "#1E6076")
    draw.rectangle((0, 470, 900, 640), fill="#174D60")
    draw.ellipse((265, 470, 635, 560), fill="#C65239")
    draw.rectangle((265, 515, 635, 640), fill="#A8432C")
    draw.rounded_rectangle((325, 130, 575, 520), 46, fill="#5F8A90")
    draw.rounded_rectangle((325, 200, 575, 520), 46, fill="#C4740A")
    draw.rectangle((325, 200, 575, 270), fill="#C4740A")
    draw.rounded_rectangle((322, 70, 578, 145), 16, fill="#96681E")
    draw.rectangle((325, 270, 575, 440), fill="#CFC0AC")
    draw.rectangle((325, 270, 575, 300), fill=BRAND)
    draw.rectangle((325, 410, 575, 440), fill=BRAND)
    write(draw, (450, 355), "Asali", 100, "#5A1A12", 800, DISPLAY)
    for i in (1, 2):
        draw.line((300 * i, 0, 300 * i, 640), fill="#8FB5C0", width=3)
        draw.line((0, 213 * i, 900, 213 * i), fill="#8FB5C0", width=3)
    draw.rectangle((372, 300, 528, 410), outline="#6FE08A", width=8)
    draw.rectangle((0, 590, 900, 640), fill="#12100F")
    for x, words in ((150, "1/125"), (450, "F5.6"), (750, "ISO 200")):
        write(draw, (x, 615), words, 40, PAPER, 700)
    return image
