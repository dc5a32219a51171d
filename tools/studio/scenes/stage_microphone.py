"""A microphone with a sleeve of beads before rows of empty chairs, bunting and three warm stage lamps."""

import math
import random
from collections.abc import Callable
from typing import Any

from mathutils import Vector

from agency_site.brand import BRAND, DEEP, LEAF, MARIGOLD, SAND
from tools.studio.light import aim, air, camera, lamp, softbox, start
from tools.studio.materials import glowing, metal, paint, plain, plaster, wood
from tools.studio.props import BEADS, beads
from tools.studio.shapes import Place, copies, group, lathe, mesh, place, sheet, tube, wall

_MICROPHONE = (0.035, 0.0, 1.16)
_LEAN = (40, 0, -60)


def build() -> None:
    """Set the stage and the hall."""
    start(0.5, bounces=6)
    air("#8EA2C8", 0.07)
    _set_hall()
    _set_microphone()
    _set_stand()
    softbox((-0.55, -0.35, 1.65), (0.05, 0, 1.17), 0.18, 0.4, 13, "#FFD9AE")
    softbox((0.7, 0.55, 1.5), (0.07, 0, 1.15), 0.12, 0.5, 15, "#FFB061")
    softbox((0.6, -0.7, 1.0), (0.07, 0, 1.12), 0.3, 0.3, 1.3, "#A9C4F0")
    camera((-0.03, -0.78, 1.145), (-0.022, 0, 1.128), 80, 5.6, focus=(0.025, -0.025, 1.17))


def _set_hall() -> None:
    sheet(14, 14, wood("#2A150B", "#5A3620", "#7A4C2C", 2.0, 0.35), at=(0, 7, -0.55))
    wall(14, 5, plaster("#24485A", 0.8, 0.01, 0.3), 9.5, z=-0.6)
    _set_chairs()
    _set_bunting(((-2.6, 3.4, 1.62), (0.1, 3.9, 1.30), (2.8, 3.6, 1.50)), 15)
    black = paint("#161312", 0.5, 0.7)
    tube([(-5, 6.3, 2.06), (-2, 6.3, 2.06), (2, 6.3, 2.06), (5, 6.3, 2.06)], 0.03, black)
    for x, z in ((-1.2, 1.84), (-0.46, 1.87), (1.16, 1.85)):
        can = [(0, -0.2), (0.09, -0.17), (0.12, 0.0), (0.125, 0.14), (0.118, 0.14), (0.11, 0.0), (0, -0.02)]
        lens = lathe([(0, 0.02), (0.105, 0.02)], glowing("#FF9A38", 10))
        parts = [lathe(can, black, turns=40), lens]
        aim(group(parts, (x, 6.3, z)), (2 * x, 20, 3.5))
        tube([(x, 6.3, z), (x, 6.3, z + 0.1), (x, 6.3, z + 0.2), (x, 6.3, z + 0.2)], 0.015, black)
    softbox((-1, 6.2, 3.4), (0, 4, 0), 3, 0.6, 210, "#FFB870")
    softbox((0.3, 0.9, 3.4), (0, 4.4, 0.2), 2, 0.5, 105, "#FFDDB8")
    lamp("SPOT", (-3, 2.5, 3.4), (0.5, 9.5, 1.0), 750, "#FFD8B0", spot_size=1.2, spot_blend=1.0)


def _set_chairs() -> None:
    """Set rows of chairs that face the stage."""
    for colour, odd in ((BRAND, 0), (MARIGOLD, 1)):
        seat = _join_boxes(
            ((0, 0, 0.45, 0.42, 0.42, 0.06), (0, 0.2, 0.74, 0.37, 0.05, 0.34)), paint(colour, 0.7, 0.85)
        )
        legs = [(x, y, 0.22, 0.025, 0.025, 0.44) for x in (-0.19, 0.19) for y in (-0.19, 0.19)]
        legs += [(x, 0.235, 0.68, 0.025, 0.025, 0.5) for x in (-0.19, 0.19)]
        frame = _join_boxes(tuple(legs), metal("#C79A4B", 0.3))
        spots = [
            ((0.6 * i + 0.3 * (row % 2), 2.6 + 1.15 * row, -0.55), (0, 0, random.uniform(-0.09, 0.09)), 1.0)
            for row in range(6)
            for i in range(-6, 7)
            if (i * 5 + row * 3) % 4 // 3 == odd
        ]
        copies(seat, spots)
        copies(frame, spots)


def _join_boxes(sizes: tuple[tuple[float, ...], ...], material: Any) -> Any:
    """Return boxes (middle, size) as one mesh without soft edges: they are seen far out of focus."""
    verts: list[Place] = []
    faces: list[tuple[int, ...]] = []
    for x, y, z, w, d, h in sizes:
        n = len(verts)
        verts += [
            (x + i * w / 2, y + j * d / 2, z + k * h / 2) for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)
        ]
        sides = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        faces += [tuple(n + corner for corner in side) for side in sides]
    return mesh("boxes", verts, faces, material, smooth=False)


def _set_bunting(points: tuple[Place, ...], number: int) -> None:
    a, b, c = (Vector(point) for point in points)
    skins = [paint(colour, 0.8, 0.95) for colour in (BRAND, MARIGOLD, LEAF, SAND, DEEP)]

    def sag(t: float) -> Vector:
        return a.lerp(b, t).lerp(b.lerp(c, t), t)

    tube([sag(i / 12) for i in range(13)], 0.006, paint(SAND))
    for i in range(number):
        left, right = sag((i + 0.08) / number), sag((i + 0.92) / number)
        tip = (left + right) / 2 + Vector((random.uniform(-0.03, 0.03), random.uniform(-0.05, 0.05), -0.27))
        mesh("flag", [left, right, tip], [(0, 1, 2)], skins[i % 5], smooth=False)


def _set_microphone() -> None:
    """Set the microphone; in its own space it is along Z, the grille on top."""
    black, steel = paint("#221F1E", 0.3, 0.45, 40), metal("#C9C2B8", 0.22, (1, 1, 1), 60)
    handle = [
        (0, -0.125),
        (0.0105, -0.125),
        (0.0115, -0.118),
        (0.0128, -0.05),
        (0.0165, -0.005),
        (0.0185, 0.006),
    ]
    body = lathe([*handle, (0, 0.006)], black, turns=64)
    collar = lathe(
        [(0.0185, 0.004), (0.0255, 0.010), (0.0262, 0.0135), (0.0255, 0.017), (0.018, 0.018)],
        steel,
        radius=0.0008,
    )
    core = lathe(
        [(0, 0.012), (0.022, 0.014), (0.0225, 0.03), (0.0155, 0.053), (0, 0.0575)],
        plain("#0E0C0B", Roughness=0.9),
        radius=0.01,
    )
    rise = [math.sin(math.radians(6 * k)) for k in range(16)]
    dome = [(0.0263 * (1 - u**2.6) ** 0.42, 0.017 + 0.046 * u) for u in rise]
    grille = lathe(dome, steel, radius=0.0, turns=60)
    band = lathe([(0.0257, 0.032), (0.0272, 0.0335), (0.0272, 0.0375), (0.0257, 0.039)], steel, radius=0.0004)
    wires = grille.modifiers.new("wires", "WIREFRAME")
    wires.thickness, wires.use_even_offset = 0.0007, False
    group([body, collar, core, grille, band], _MICROPHONE, _LEAN)
    _set_sleeve(_MICROPHONE, _LEAN, (-0.058, -0.004), lambda z: 0.0156 + (z + 0.05) * 0.082, 24)


def _set_sleeve(
    at: Place, turn: Place, span: tuple[float, float], radius: Callable[[float], float], number: int
) -> None:
    """Wind beads round a tube: triangles in a field, between two striped borders."""
    size = math.tau * radius(sum(span) / 2) / number / 0.0066
    rows = round((span[1] - span[0]) / (0.0062 * size))
    spots: dict[str, list[tuple[Place, Place, float]]] = {name: [] for name in BEADS}
    empty = group([], at, turn)
    spin = empty.rotation_euler.to_matrix()
    for row in range(rows):
        z = span[0] + (row + 0.5) * (span[1] - span[0]) / rows
        for i in range(number):
            a = math.tau * (i + 0.5 * (row % 2)) / number
            spot = spin @ Vector((radius(z) * math.cos(a), radius(z) * math.sin(a), z)) + Vector(at)
            tilt = (spin @ Vector((-math.sin(a), math.cos(a), random.uniform(-0.12, 0.12)))).to_track_quat(
                "Z", "Y"
            )
            spots[_choose(row, rows, i % 8)].append(
                (spot, tilt.to_euler(), size * random.uniform(0.93, 1.04))
            )
    beads(spots)


def _choose(row: int, rows: int, i: int) -> str:
    edge = min(row, rows - 1 - row)
    if edge < 2:
        return ("deep", "gold")[edge]
    inner = rows - 4
    rise = (row - 2) / max(1, inner - 1)
    if abs(i - 3.5) / 4 < 1 - rise:
        return "white" if abs(i - 3.5) / 4 < 0.62 - rise else "red"
    return "leaf" if abs(i - 3.5) / 4 > 1.55 - rise else "ink"


def _set_stand() -> None:
    black, steel = paint("#1A1716", 0.45, 0.6), metal("#A9A29A", 0.24)
    spin = group([], _MICROPHONE, _LEAN).rotation_euler.to_matrix()
    hold = spin @ Vector((0, 0, -0.088)) + Vector(_MICROPHONE)
    clip = lathe(
        [(0.0122, -0.02), (0.0162, -0.02), (0.0172, 0.02), (0.0132, 0.02), (0.0122, -0.02)],
        black,
        radius=0.001,
    )
    clip.location, clip.rotation_euler = hold, spin.to_euler()
    joint = hold + Vector((0, 0, -0.03))
    tube([hold + Vector((0, 0, -0.012)), hold + Vector((0, 0, -0.02)), joint, joint], 0.008, black)
    place(
        lathe([(0, -0.013), (0.011, -0.013), (0.011, 0.013), (0, 0.013)], black, turns=40), joint, (90, 0, 60)
    )
    top = joint + Vector((0, 0, -0.012))
    lathe([(0, -0.03), (0.0105, -0.03), (0.0125, -0.004), (0.008, 0), (0, 0)], steel, top, 0.001, 48)
    lathe([(0, -1.1), (0.0085, -1.1), (0.0085, -0.02), (0, -0.02)], steel, top, 0.0005, 48)
    _set_sleeve(tuple(top), (0, 0, 10), (-0.115, -0.035), lambda _z: 0.0112, 16)
    end = spin @ Vector((0, 0, -0.128)) + Vector(_MICROPHONE)
    back = spin @ Vector((0, 0, -1))
    plug = lathe(
        [(0, 0), (0.0098, 0), (0.0098, 0.03), (0.006, 0.045), (0, 0.045)], steel, radius=0.001, turns=40
    )
    plug.location, plug.rotation_euler = end, back.to_track_quat("Z", "Y").to_euler()
    leave = end + back * 0.05
    bow = [
        end + back * 0.03,
        leave,
        leave + back * 0.05,
        leave + Vector((0.05, 0.03, -0.16)),
        leave + Vector((-0.02, 0, -0.35)),
    ]
    tube(bow, 0.0032, black)
