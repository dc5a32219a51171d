"""A white search bar says fundi near me; a magnifying glass enlarges the last word before a red map pin."""

import math
from typing import Any

from PIL import Image

from agency_site.brand import BRAND, INK, LEAF, MARIGOLD
from tools.studio.cover import LOOK, SIZE, VIEW, frame, table
from tools.studio.light import air, lamp, softbox, start
from tools.studio.materials import glass, metal, paint, paper, plaster, wood
from tools.studio.printing import canvas, write
from tools.studio.shapes import Place, box, card, group, lathe, slab, tube, wall

BAR = (0.262, 0.062)


def _draw_bar() -> Image.Image:
    image, draw = canvas(2620, 620, "#FCF8F2")
    draw.ellipse((190, 205, 370, 385), outline="#4A3B33", width=38)
    draw.line((345, 360, 440, 455), fill="#4A3B33", width=46)
    write(draw, (500, 300), "fundi near", 250, INK, 600, anchor="lm")
    write(draw, (2070, 300), "me", 250, INK, 600)  # in the middle of the lens, whose rim takes the gap
    return image


def _draw_map() -> Image.Image:
    image, draw = canvas(1600, 1000, "#C9AF82")
    draw.polygon([(0, 0), (620, 0), (420, 430), (0, 560)], fill="#73A06C")
    draw.polygon([(1100, 1000), (1250, 640), (1600, 560), (1600, 1000)], fill="#4F93B0")
    for line in ([(0, 760), (700, 600), (1600, 180)], [(760, 0), (860, 540), (1040, 1000)], [(200, 0),
        (330, 1000)],
                 [(1300, 0), (1360, 420), (1600, 640)]):  # fmt: skip
        draw.line(line, fill="#FFFDF8", width=62, joint="curve")
    draw.line([(0, 260), (860, 540), (1600, 860)], fill=MARIGOLD, width=46, joint="curve")
    return image


def _pin(at: Place) -> Any:
    """Return a map pin 11 cm tall on its tip."""
    red = paint(BRAND, 0.2, 0.32, 20, 0.0002, Coat_Weight=0.5)
    drop = [(0, 0), (0.0025, 0.001), (0.011, 0.028, 0.02), (0.0265, 0.056, 0.01)]
    drop += [
        (0.035 * math.cos(a), 0.077 + 0.035 * math.sin(a))
        for a in (math.radians(12 * i - 20) for i in range(10))
    ]
    body = lathe([*drop, (0, 0.112)], red, radius=0.004)
    eye = lathe(
        [(0, 0), (0.0155, 0), (0.0155, 0.006), (0, 0.0072)],
        paint("#FBF4EA", 0.3, 0.4),
        (0, -0.0315, 0.079),
        0.002,
    )
    eye.rotation_euler.x = math.pi / 2
    return group([body, eye], at)


def _magnifier(at: Place, turn: Place) -> Any:
    """Return a magnifying glass in XZ, its lens round `at`, its handle down."""
    r = 0.0345
    half = [(r * 0.35, 0.0055), (r * 0.7, 0.0033), (r, 0.0006)]
    rim = [*[(x, -z) for x, z in half], *half[::-1]]
    lens = lathe([(0, -0.0062), *rim, (0, 0.0062)], glass("#FAFDFC"), radius=0.012)
    lens.rotation_euler.x = math.pi / 2
    lens.visible_shadow = False
    brass = metal("#C79A4B", 0.25, (1, 1, 1), 60)
    ring = tube(
        [(1.045 * r * math.cos(a), 0,
            1.045 * r * math.sin(a)) for a in (math.tau * i / 24 for i in range(24))],
        0.0036, brass, closed=True,
    )  # fmt: skip
    neck = lathe([(0, -0.008), (0.004, -0.008), (0.004, 0.006), (0.006, 0.008), (0.006, 0.014), (0,
        0.014)], brass,
                 (0, 0, -r - 0.016), 0.001)  # fmt: skip
    grip = lathe([(0, -0.075), (0.005, -0.074), (0.0075, -0.062), (0.0058, -0.02), (0.0065, 0), (0, 0)],
                 wood("#2A120A", "#5A2A16", "#7A4024", 0.05, 0.3), (0, 0, -r - 0.022), 0.003)  # fmt: skip
    return group([lens, ring, neck, grip], at, turn)


def build() -> None:
    """Set the scene."""
    start(-0.1, size=SIZE, view=VIEW, look=LOOK, bounces=8)
    air("#BFD8E6", 0.2)
    table(plaster("#2F7396", 5, 0.0012))
    wall(4, 2, plaster("#3A83A8", 2.5, 0.0015), 0.5)
    card(
        0.25,
        0.165,
        paper(_draw_map(), 0.7),
        paint("#D8CBB4", 0.7, 0.85),
        0.005,
        at=(-0.055, 0.29, 0),
        turn=(-6, 0, 6),
    )
    box(
        (0.232, 0.055, 0.024),
        wood("#4A2A16", "#8A5630", "#B98550", 0.15, 0.45),
        (-0.018, 0.145, 0.012),
        0.004,
    )
    face = slab(BAR[0], BAR[1], 0.0002, 0.0305, paper(_draw_bar(), 0.35, 0.03), 0.00005, at=(0, -0.0111, 0))
    body = slab(*BAR, 0.022, 0.031, paint("#F6EFE4", 0.3, 0.42, 20), 0.003)
    group([body, face], (-0.018, 0.142, 0.0558), (-3, 0, 0))
    lathe(
        [(0, 0), (0.046, 0), (0.046, 0.088, 0.003), (0, 0.088)],
        plaster(LEAF, 9, 0.0012),
        (0.108, 0.235, 0),
        0.003,
    )
    _pin((0.108, 0.225, 0.088))
    _magnifier((0.0558, 0.094, 0.063), (-6, -57, 0))
    softbox((-0.5, -0.25, 0.5), (0, 0.15, 0.08), 0.26, 0.26, 14, "#FFE4C4")
    softbox((0.55, 0.1, 0.35), (0, 0.15, 0.08), 0.1, 0.5, 4, "#FFE0B8")
    lamp("SPOT", (-0.45, 0.05, 0.6), (0.05, 0.5, 0.16), 9, "#FFE6C0", spot_size=math.radians(38),
        spot_blend=1.0,
         shadow_soft_size=0.02)  # fmt: skip
    frame(("gggggrrrgg", "ggwwgrwrgw", "gwwwwrrrww"), rise=0.10, focus=0.14, leather="#3A1A12")
