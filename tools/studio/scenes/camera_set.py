"""A cinema camera on a tripod before an empty set: a stool on marigold paper and a lamp with barn doors."""

import math
from typing import Any

from PIL import Image, ImageDraw, ImageFilter

from agency_site.brand import BRAND, MARIGOLD, PAPER
from tools.studio.light import aim, air, camera, lamp, softbox, start
from tools.studio.materials import glowing, material, metal, paint, plaster, screen, wood
from tools.studio.printing import canvas, write
from tools.studio.shapes import Place, backdrop, box, group, lathe, mesh, place, sheet, slab, tube, wall

_RIG = (0.13, 0.0, 1.06)


def build() -> None:
    """Set up the stage."""
    start(0.45, bounces=6)
    air("#9FB4C4", 0.12)
    _set_stage()
    group([_make_body(), _make_lens(), _make_matte_box(), _make_monitor()], _RIG, (0, 0, -38))
    _set_tripod()
    softbox((-1.15, -0.75, 1.75), (0.1, -0.1, 1.06), 0.35, 0.7, 80, "#FFE2BE")
    softbox((1.0, 0.75, 1.5), (0.15, 0, 1.1), 0.12, 0.8, 34, "#FFC890")
    softbox((0.7, -1.2, 0.9), (0.2, 0, 1.05), 0.5, 0.5, 8, "#BFD6E6")
    wash = softbox((-0.5, 1.2, 2.4), (-0.4, 2.9, 0.75), 0.8, 0.4, 46, "#FFE0B8")
    softbox((1.5, 3.2, 2.2), (1.1, 4.4, 1.2), 0.5, 0.5, 30, "#8FD0E0")
    wash.visible_glossy = False
    camera((0, -2.0, 1.16), (-0.035, 0, 1.09), 84, 4.0, focus=(0.06, -0.14, 1.06))


def _set_stage() -> None:
    sheet(9, 9, plaster("#3B3029", 1.6, 0.002, 0.3), at=(0, 1, -0.002))
    roll = backdrop(plaster("#EB9A1E", 1.2, 0.001, 0.08), 1.5, 1.6, 1.55, 0.4, 2.9)
    roll.location.x = -0.36
    steel, black = metal("#6E6963", 0.4), paint("#1A1716", 0.4, 0.6)
    drum = paint("#EFA02C", 0.6, 0.8)
    place(lathe([(0, -0.78), (0.05, -0.78), (0.05, 0.78), (0, 0.78)], drum), (-0.36, 2.93, 1.34), (0, 90, 0))
    place(lathe([(0, -0.9), (0.02, -0.9), (0.02, 0.9), (0, 0.9)], steel), (-0.36, 2.93, 1.34), (0, 90, 0))
    for x in (-1.22, 0.5):
        lathe([(0, 0), (0.018, 0), (0.018, 1.6), (0, 1.6)], black, (x, 2.98, 0))
    wall(9, 4, plaster("#2C3F47", 1.2, 0.01, 0.35), 4.4)
    _set_stool((-0.34, 2.05, 0))
    _set_lamp((-0.8, 2.3, 1.2), (-0.28, 1.75, 0.7))


def _set_stool(at: Place) -> None:
    oak, x, y = wood("#4A2A16", "#8A5A32", "#B98550", 0.3), at[0], at[1]
    lathe([(0, 0.70), (0.14, 0.70), (0.16, 0.715), (0.16, 0.74), (0.145, 0.748), (0, 0.742)], oak, at, 0.006)
    for i in range(4):
        a = math.radians(45 + 90 * i)
        foot, top = (
            (x + 0.2 * math.cos(a), y + 0.2 * math.sin(a), 0),
            (x + 0.1 * math.cos(a), y + 0.1 * math.sin(a), 0.71),
        )
        tube([foot, top, top, top], 0.015, oak)
    rail = [
        (x + 0.165 * math.cos(t), y + 0.165 * math.sin(t), 0.32)
        for t in (math.tau * k / 16 for k in range(16))
    ]
    tube(rail, 0.008, metal("#B08A3C", 0.3), closed=True)


def _set_lamp(at: Place, target: Place) -> None:
    black, fin = paint("#1C1918", 0.4, 0.6), metal("#4A4642", 0.4)
    parts = [lathe([(0, 0.02), (0.085, 0.02), (0.085, 0.2), (0.06, 0.26), (0, 0.26)], black, radius=0.01)]
    parts += [
        lathe([(0.085, z), (0.093, z + 0.002), (0.093, z + 0.008), (0.085, z + 0.01)], fin)
        for z in (0.1, 0.13, 0.16)
    ]
    parts.append(lathe([(0, -0.004), (0.04, -0.002), (0.078, 0.012), (0, 0.012)], glowing("#FFD9A0", 16)))
    parts.append(
        lathe([(0.078, -0.005), (0.09, -0.005), (0.09, 0.03), (0.078, 0.03), (0.078, -0.005)], black)
    )
    for i in range(4):
        w = 0.075 if i % 2 else 0.085
        corners = [(-w, 0.088, 0), (w, 0.088, 0), (w * 1.25, 0.14, -0.12), (-w * 1.25, 0.14, -0.12)]
        flap = mesh("flap", corners, [(0, 1, 2, 3)], black, smooth=False)
        flap.modifiers.new("thick", "SOLIDIFY").thickness = 0.003
        flap.rotation_euler.z = math.radians(90 * i)
        parts.append(flap)
    aim(group(parts, at), target)
    x, y, z = at
    tube([(x, y, 0), (x, y, z - 0.2), (x, y, z - 0.2), (x, y, z - 0.12)], 0.014, metal("#8F8A83"))
    fork = [
        (x - 0.1, y - 0.05, z),
        (x - 0.1, y - 0.02, z - 0.13),
        (x, y, z - 0.15),
        (x + 0.1, y + 0.05, z - 0.13),
        (x + 0.1, y + 0.05, z),
    ]
    tube(fork, 0.008, black)
    lamp("SPOT", at, target, 75, "#FFDCAE", spot_size=math.radians(70), spot_blend=0.6, shadow_soft_size=0.06)


def _make_body() -> Any:
    """Build body, handle, battery and rods; the lens looks along -Y, its mount is at Y -0.1."""
    shell, dark = paint("#2E2A28", 0.32, 0.5, 40, 0.0003), paint("#171514", 0.45, 0.65)
    steel, red = metal("#A9A29A", 0.3, (1, 60, 1)), paint(BRAND, 0.3, 0.45)
    panel = screen(_draw_panel(), 1.0)
    parts = [
        box((0.12, 0.2, 0.125), shell, (0, 0, 0), 0.008),
        box((0.1, 0.07, 0.115), dark, (0, 0.136, 0.002), 0.008),
        box((0.104, 0.012, 0.108), dark, (0, -0.105, 0), 0.006),
        slab(0.12, 0.07, 0.006, 0.006, dark, 0.001, at=(0.0615, 0.01, 0.012), turn=(0, 0, 90)),
        slab(0.07, 0.042, 0.001, 0.003, panel, 0.0002, at=(0.0652, 0.0, 0.018), turn=(0, 0, 90)),
        place(_make_knob(0.011, 0.008, steel), (0.064, 0.055, 0.02), (0, 90, 0)),
        place(_make_knob(0.008, 0.005, red), (0.0595, 0.075, -0.04), (0, 90, 0)),
        box((0.006, 0.2, 0.006), red, (0.0585, 0, 0.056), 0.002),
        box((0.022, 0.03, 0.055), dark, (0, -0.075, 0.09), 0.005),
        box((0.022, 0.03, 0.055), dark, (0, 0.085, 0.09), 0.005),
        box((0.034, 0.23, 0.026), dark, (0, 0.0, 0.125), 0.01),
        box((0.09, 0.22, 0.02), dark, (0, 0.01, -0.074), 0.004),
    ]  # fmt: skip
    parts += [box((0.002, 0.005, 0.05), dark, (0.0602, -0.088 + 0.008 * i, -0.04), 0.0008) for i in range(7)]
    for x in (-0.03, 0.03):
        rod = lathe([(0, -0.17), (0.0075, -0.17), (0.0075, 0.17), (0, 0.17)], steel, turns=32)
        parts.append(place(rod, (x, -0.13, -0.072), (90, 0, 0)))
    cable = [
        (-0.05, 0.1, 0.06),
        (-0.09, 0.12, 0.12),
        (-0.08, 0.06, 0.19),
        (-0.05, 0.0, 0.2),
        (-0.05, -0.03, 0.2),
    ]
    parts.append(tube(cable, 0.003, red))
    return group(parts)


def _make_knob(radius: float, height: float, skin: Any) -> Any:
    return lathe([(0, 0), (radius, 0), (radius, height), (0, height)], skin, turns=48)


def _make_lens() -> Any:
    barrel, grip = paint("#1F1C1B", 0.3, 0.45, 50), paint("#141211", 0.6, 0.8)
    gold, coat = metal("#C79A4B", 0.25), material("coat", Base_Color="#0A0714", Roughness=0.03, IOR=1.9)[0]
    tree = coat.node_tree.nodes["Principled BSDF"].inputs
    tree["Coat Weight"].default_value, tree["Coat Tint"].default_value = 1.0, (0.55, 0.4, 1.0, 1)
    parts = [
        lathe([(0, 0.0), (0.036, 0.0), (0.036, 0.016), (0.042, 0.02), (0.042, 0.085), (0.047, 0.095),
               (0.047, 0.128), (0.041, 0.128), (0.039, 0.118), (0.034, 0.108), (0, 0.108)], barrel,
              radius=0.0015),
        lathe([(0.0472, 0.121), (0.0476, 0.121), (0.0476, 0.124), (0.0472, 0.124)], gold, radius=0.0002),
        lathe([(0.0365, 0.118), (0.03, 0.1215), (0.018, 0.125), (0, 0.1265)], coat, radius=0.02),
        lathe([(0.0362, 0.117), (0.0392, 0.119), (0.0392, 0.1215)], paint("#0D0C0C", 0.7, 0.9)),
    ]  # fmt: skip
    for z in (0.034, 0.062):
        parts.append(
            lathe([(0.042, z), (0.045, z), (0.045, z + 0.014), (0.042, z + 0.014)], grip, radius=0.0005)
        )
        parts += [_ring_box((0.0026, 0.0022, 0.013), grip, 0.0455, 6 * i, z + 0.007) for i in range(60)]
    for i in range(9):
        mark = paint(PAPER if i % 3 else MARIGOLD)
        parts.append(_ring_box((0.0008, 0.0012, 0.006), mark, 0.0421, 20 + 9 * i, 0.054))
    return group(parts, (0, -0.11, 0.002), (90, 0, 0))


def _ring_box(size: Place, skin: Any, radius: float, angle: float, z: float) -> Any:
    """Return a box on a ring: a tooth of a gear or a mark of a scale."""
    a = math.radians(angle)
    return box(size, skin, (radius * math.cos(a), radius * math.sin(a), z), 0.0003, (0, 0, angle))


def _make_matte_box() -> Any:
    black, edge = paint("#171514", 0.5, 0.7), paint("#2A2624", 0.35, 0.5)
    w, h, d, y = 0.062, 0.05, 0.05, -0.25
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    verts = [(i * w, y, k * h) for i, k in corners] + [(1.45 * i * w, y - d, 1.4 * k * h) for i, k in corners]
    hood = mesh(
        "hood", verts, [(i, (i + 1) % 4, (i + 1) % 4 + 4, i + 4) for i in range(4)], black, smooth=False
    )
    hood.modifiers.new("thick", "SOLIDIFY").thickness = 0.003
    parts = [hood, box((0.19, 0.003, 0.075), black, (0, y - d - 0.018, 1.4 * h + 0.032), 0.001, (-32, 0, 0))]
    for s in (-1, 1):
        parts.append(box((0.012, 0.022, 0.115), edge, (s * 0.058, y + 0.008, 0), 0.003))
        parts.append(box((0.12, 0.022, 0.012), edge, (0, y + 0.008, s * 0.053), 0.003))
        parts.append(box((0.014, 0.02, 0.03), edge, (s * 0.03, y + 0.01, -0.066), 0.003))
    return group(parts)


def _make_monitor() -> Any:
    shell = paint("#211E1C", 0.35, 0.5)
    parts = [
        slab(0.162, 0.102, 0.02, 0.006, shell, 0.003, at=(0, 0, 0.062)),
        slab(0.15, 0.086, 0.0006, 0.002, screen(_draw_frame(), 1.15), 0.0001, at=(0, -0.0103, 0.064)),
        lathe([(0, -0.03), (0.006, -0.03), (0.006, 0.012), (0, 0.012)], metal("#8F8A83"), turns=32),
        lathe([(0, -0.022), (0.012, -0.022), (0.012, -0.008), (0, -0.008)], shell, turns=32),
    ]
    return group(parts, (-0.005, -0.055, 0.165), (-8, 0, 26))


def _set_tripod() -> None:
    x, y, z = _RIG
    black, steel = paint("#1E1B1A", 0.35, 0.55), metal("#8F8A83", 0.3)
    box((0.09, 0.14, 0.02), steel, (x, y + 0.01, z - 0.094), 0.004, (0, 0, -38))
    place(
        lathe([(0, -0.06), (0.05, -0.06), (0.05, 0.06), (0, 0.06)], black, radius=0.008),
        (x, y, z - 0.14),
        (90, 0, 52),
    )
    place(
        lathe([(0, 0.06), (0.03, 0.06), (0.03, 0.068), (0, 0.068)], paint(BRAND, 0.3, 0.4)),
        (x, y, z - 0.14),
        (90, 0, 52),
    )
    lathe([(0, -0.29), (0.055, -0.29), (0.045, -0.2), (0.045, -0.17), (0, -0.17)], black, _RIG, 0.006)
    bar = [(0.05, 0.06, -0.15), (0.16, 0.12, -0.19), (0.26, 0.17, -0.25), (0.34, 0.2, -0.3)]
    tube(bar, 0.008, steel, _RIG)
    tube(
        [(x + 0.24, y + 0.16, z - 0.238), (x + 0.34, y + 0.2, z - 0.3), (x + 0.34, y + 0.2, z - 0.3)],
        0.015,
        black,
    )
    for a in (200, 320, 80):
        c, s = math.cos(math.radians(a)), math.sin(math.radians(a))
        top, foot = (x + 0.04 * c, y + 0.04 * s, z - 0.27), (x + 0.45 * c, y + 0.45 * s, 0.0)
        tube([top, foot, foot, foot], 0.017, black)


def _draw_panel() -> Image.Image:
    image, draw = canvas(700, 420, "#0D1518")
    for i, (key, value) in enumerate((("FPS", "25"), ("ISO", "800"), ("ND", "0.6"), ("WB", "4300"))):
        x, y = 180 + 340 * (i % 2), 110 + 200 * (i // 2)
        write(draw, (x, y - 45), key, 52, "#8FA3A8", 600)
        write(draw, (x, y + 35), value, 96, PAPER, 700)
    return image


def _draw_frame() -> Image.Image:
    """Draw what the camera frames: the stool on marigold paper."""
    image, draw = canvas(1200, 690, "#2A3438")
    draw.rectangle((170, 0, 1030, 520), fill="#EFA02C")
    draw.polygon([(170, 520), (1030, 520), (1160, 690), (40, 690)], fill="#D98A1E")
    for x in (-1, 1):
        draw.line((600 + x * 55, 330, 600 + x * 110, 650), fill="#6E4426", width=18)
        draw.line((600 + x * 30, 330, 600 + x * 55, 610), fill="#5A3620", width=14)
    draw.ellipse((500, 290, 700, 360), fill="#A8713E")
    image = image.filter(ImageFilter.GaussianBlur(2))
    draw = ImageDraw.Draw(image)
    draw.rectangle((90, 60, 1110, 630), outline=PAPER, width=4)
    draw.ellipse((120, 86, 152, 118), fill="#FF3B2F")
    write(draw, (172, 102), "REC", 48, PAPER, 700, anchor="lm")
    write(draw, (1080, 102), "00:12:04", 44, PAPER, 600, anchor="rm")
    return image
