"""Things that more than one scene needs: screens, plinths, beads, plants, tins."""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from mathutils import Vector
from PIL import Image

from agency_site.brand import BRAND, DEEP, INK, LEAF, MARIGOLD
from tools.studio.materials import WHITE, glass, glaze, material, metal, paint, plain, plaster, screen
from tools.studio.shapes import Place, box, copies, group, lathe, mesh, sheet, slab, tube

BEADS = {"red": BRAND, "deep": DEEP, "gold": MARIGOLD, "white": WHITE, "leaf": LEAF, "ink": "#18100E"}
BEAD = 0.0066
"""Width of a bead."""
_BEAD = (
    (0.0012, 0.0015, 0.0008), (0.0026, 0.0018), (0.0032, 0), (0.0026, -0.0018), (0.0012, -0.0015, 0.0008),
    (0.0012, 0.0015),
)  # fmt: skip
PHONE = (0.072, 0.150)


def phone(image: Image.Image, at: Place, turn: Place = (0, 0, 0)) -> Any:
    """Return a phone upright in XZ with the middle of its body at `at`; the drawing is 900 by 1900."""
    body = metal("#C9B494", 0.3)
    rim = material("rim", Base_Color="#050505", Roughness=0.08, Specular_IOR_Level=0.6)[0]
    parts = [
        slab(*PHONE, 0.0078, 0.0115, body, 0.0022),
        slab(0.0695, 0.1475, 0.0004, 0.0103, rim, 0.0001, at=(0, -0.0039, 0)),
        slab(0.0665, 0.1445, 0.0001, 0.009, screen(image), 0.00002, at=(0, -0.00415, 0)),
        slab(0.0690, 0.1470, 0.0003, 0.0100, glass(), 0.0001, at=(0, -0.0045, 0)),
        box((0.0012, 0.003, 0.014), body, (0.0362, 0, 0.03), 0.0005),
        box((0.0012, 0.003, 0.020), body, (-0.0362, 0, 0.035), 0.0005),
    ]
    return group(parts, at, turn)


def tablet(image: Image.Image, at: Place, turn: Place = (0, 0, 0)) -> Any:
    """Return a tablet, 24 by 17 cm, upright in XZ round `at`; the drawing is 1600 by 1120."""
    rim = material("rim", Base_Color="#050505", Roughness=0.1, Specular_IOR_Level=0.6)[0]
    parts = [
        slab(0.246, 0.178, 0.007, 0.010, metal("#B9B2A8", 0.3), 0.002),
        slab(0.243, 0.175, 0.0004, 0.009, rim, 0.0001, at=(0, -0.0035, 0)),
        slab(0.230, 0.161, 0.0001, 0.004, screen(image), 0.00002, at=(0, -0.0038, 0)),
    ]
    return group(parts, at, turn)


def laptop(
    image: Image.Image, at: Place, turn: Place = (0, 0, 0), *, lean: float = 18, strength: float = 1.0
) -> Any:
    """Return an open laptop (32 cm wide) whose foot is round `at`; the drawing is 16 by 10, and the lid leans back by `lean`."""
    shell, key = metal("#BDB6AB", 0.32, (1, 1, 1), 60), paint("#1B1817", 0.5, 0.7)
    parts = [
        box((0.32, 0.22, 0.014), shell, (0, 0, 0.007), 0.004),
        box((0.278, 0.098, 0.0006), plain("#141110", Roughness=0.6), (0, 0.038, 0.0142), 0.0002),
        box((0.112, 0.068, 0.0005), paint("#A9A298", 0.3, 0.4), (0, -0.062, 0.0141), 0.0002),
    ]
    cap = box((0.0158, 0.0152, 0.0022), key, bevel=0.0006)
    parts += copies(
        cap,
        [
            ((-0.1235 + 0.019 * column + 0.003 * (row % 2), 0.078 - 0.0195 * row, 0.0152), (0, 0, 0), 1.0)
            for row in range(5)
            for column in range(14)
        ],
    )
    lid = group(
        [
            slab(0.32, 0.216, 0.006, 0.008, shell, 0.0015, at=(0, 0.0005, 0.108)),
            slab(
                0.314, 0.210, 0.0006, 0.007, plain("#060606", Roughness=0.15), 0.0001, at=(0, -0.0027, 0.108)
            ),
            slab(0.302, 0.189, 0.0002, 0.003, screen(image, strength), 0.00002, at=(0, -0.0032, 0.1115)),
        ],
        (0, 0.106, 0.012),
        (-lean, 0, 0),
    )
    return group([*parts, lid], at, turn)


def plinth(radius: float, height: float, colour: str, at: Place = (0, 0, 0)) -> Any:
    """Return a round stand of clay."""
    return lathe(
        [(0, 0), (radius, 0), (radius, height, 0.003), (0, height)], plaster(colour, 9, 0.0012), at, 0.003
    )


def beads(places: dict[str, list[tuple[Place, Place, float]]]) -> None:
    """Set glass beads by the name of their colour (`BEADS`): places as `copies` takes them. A bead's hole is along Z."""
    for name, spots in places.items():
        copies(lathe(_BEAD, glaze(BEADS[name]), radius=0.0016, turns=20), spots)


def bead_disc(
    at: Place, choose: Callable[[int, float], str], rings: range = range(3, 23), *, size: float = 1.0
) -> None:
    """Set a standing disc of beads that faces the camera; `choose` names the colour by ring and share of the turn (0 to 1)."""
    spots: dict[str, list[tuple[Place, Place, float]]] = {name: [] for name in BEADS}
    cx, cy, cz = at
    pitch = BEAD * size
    for ring in rings:
        radius = pitch * ring
        number = int(math.tau * radius / pitch)
        for i in range(number):
            a = math.tau * i / number
            spot = (
                cx + radius * math.cos(a) + _shake(2e-4),
                cy + _shake(4e-4),
                cz + radius * math.sin(a) + _shake(2e-4),
            )
            turn = (_shake(0.2), -a + _shake(0.15), _shake(0.2))
            spots[choose(ring, i / number)].append((spot, turn, size * random.uniform(0.93, 1.05)))
    beads(spots)
    outer = pitch * (rings[-1] + 1)
    disc = lathe(
        [(0, 0), (outer, 0, 0.001), (outer, -0.006, 0.001), (0, -0.006)],
        paint("#2A1712", 0.7, 0.9),
        (cx, cy + 0.003, cz),
    )
    disc.rotation_euler.x = math.pi / 2


def rings_of(*colours: str, wide: int = 2) -> Callable[[int, float], str]:
    """Return a choice for `bead_disc`: rings of these colours in turn, each `wide` beads wide."""
    return lambda ring, _turn: colours[ring // wide % len(colours)]


def bead_row(start: Place, end: Place, colours: Sequence[str], *, size: float = 1.0) -> None:
    """Set a straight string of beads from place to place, its colours in turn."""
    spots: dict[str, list[tuple[Place, Place, float]]] = {name: [] for name in BEADS}
    a, b = Vector(start), Vector(end)
    turn = (b - a).to_track_quat("Z", "Y").to_euler()
    number = int((b - a).length / (BEAD * 0.56 * size))
    for i in range(number):
        spot = a.lerp(b, (i + 0.5) / number)
        spots[colours[i % len(colours)]].append((spot, turn, size * random.uniform(0.94, 1.05)))
    beads(spots)


def loose_beads(at: Place, spread: float, number: int) -> None:
    """Scatter beads on a table round `at`."""
    spots: dict[str, list[tuple[Place, Place, float]]] = {name: [] for name in BEADS}
    for _ in range(number):
        a, r = random.uniform(0, math.tau), random.uniform(0, spread)
        spot = (at[0] + r * math.cos(a), at[1] + r * math.sin(a) * 0.7, at[2] + 0.0024)
        spots[random.choice(list(BEADS))].append((spot, (0, 0, a), 1.35))
    beads(spots)


def foliage(
    at: Place, spread: Place, number: int, size: tuple[float, float] = (0.07, 0.15), colour: str = LEAF
) -> None:
    """Hang leaves in a cloud round `at`: a tree outside the picture that breaks the sun, or a plant out of focus."""
    outline = [
        (-0.5, 0, 0),
        (-0.2, 0.14, 0.02),
        (0.15, 0.13, 0.03),
        (0.5, 0, 0),
        (0.15, -0.13, 0.03),
        (-0.2, -0.14, 0.02),
    ]
    leaf = mesh("leaf", outline, [(0, 1, 2, 3), (0, 3, 4, 5)], paint(colour, 0.3, 0.5))
    copies(
        leaf,
        [
            (
                [middle + random.gauss(0, width) for middle, width in zip(at, spread, strict=True)],
                [random.uniform(0, math.tau) for _ in range(3)],
                random.uniform(*size),
            )
            for _ in range(number)
        ],
    )


def potted_plant(at: Place, height: float, pot: str = BRAND, number: int = 26) -> None:
    """Set a plant with long leaves in a clay pot."""
    x, y, z = at
    wide = height * 0.2
    lathe(
        [(0, 0), (wide * 0.75, 0), (wide, height * 0.3), (wide * 1.08, height * 0.3), (wide * 1.08, height * 0.35),
         (wide * 0.95, height * 0.35), (wide * 0.9, height * 0.3), (0, height * 0.3)],
        plaster(pot, 12, 0.0012), at, 0.003,
    )  # fmt: skip
    blade = paint("#2F6B45", 0.3, 0.5, 30)
    for i in range(number):
        a, lean = math.tau * i / number * 2.4, random.uniform(0.15, 0.75)
        long = height * random.uniform(0.5, 0.75)

        def bend(
            u: float, v: float, a: float = a, lean: float = lean, long: float = long
        ) -> tuple[float, float, float]:
            t = v / long + 0.5
            width = u * math.sin(math.pi * min(1.0, 0.12 + 0.88 * t))
            out = lean * long * t * t
            up = long * t * (1 - 0.35 * lean * t)
            return out * math.cos(a) - width * math.sin(a), out * math.sin(a) + width * math.cos(a), up

        sheet(height * 0.07, long, blade, (2, 12), bend, at=(x, y, z + height * 0.3))


def tin(radius: float, height: float, colour: str, at: Place = (0, 0, 0)) -> Any:
    """Return a tin of paint with a printed band and a wire handle."""
    steel = metal("#C4BDB2", 0.3, (1, 1, 8), 8)
    r, h = radius, height
    body = lathe(
        [(0, 0), (r, 0), (r, h * 0.04), (r * 0.966, h * 0.06), (r * 0.966, h * 0.93), (r * 1.01, h * 0.96), (r * 1.01, h),
         (r * 0.91, h), (r * 0.886, h * 0.96), (0, h * 0.96)],
        steel, radius=0.002, turns=64,
    )  # fmt: skip
    band = lathe(
        [(r * 0.973, h * 0.15), (r * 0.975, h * 0.16), (r * 0.975, h * 0.82), (r * 0.973, h * 0.83)],
        paint(colour, 0.4, 0.55, 12, 0.0006), radius=0.0005, turns=64,
    )  # fmt: skip
    handle = tube(
        [(-r, 0, h * 0.75), (-r * 0.9, -r * 0.85, h * 0.45), (0, -r * 1.25, h * 0.25), (r * 0.9, -r * 0.85, h * 0.45),
         (r, 0, h * 0.75)],
        r * 0.028, steel,
    )  # fmt: skip
    return group([body, band, handle], at)


def cup(at: Place, outside: Any, inside: Any, *, size: float = 1.0) -> Any:
    """Return a cup without a handle, 8 cm wide."""
    s = size
    return group(
        [
            lathe([(0, 0.003 * s), (0.022 * s, 0), (0.028 * s, 0.002 * s), (0.040 * s, 0.075 * s), (0.0375 * s, 0.075 * s),
                   (0.026 * s, 0.006 * s), (0, 0.006 * s)], outside, radius=0.002),
            lathe([(0, 0.062 * s), (0.0355 * s, 0.062 * s)], inside, radius=0.001),
        ],
        at,
    )  # fmt: skip


def ink_pen(at: Place, turn: Place = (0, 0, 0), colour: str = INK) -> Any:
    """Return a pen that lies along X with its middle at `at`."""
    body = lathe(
        [(0, -0.07), (0.0012, -0.068), (0.0045, -0.055), (0.005, 0.06), (0.0035, 0.068), (0, 0.068)],
        paint(colour, 0.25, 0.4), radius=0.001, turns=32,
    )  # fmt: skip
    body.rotation_euler.y = math.pi / 2
    return group([body], (at[0], at[1], at[2] + 0.005), turn)


def _shake(width: float) -> float:
    return random.uniform(-width, width)
