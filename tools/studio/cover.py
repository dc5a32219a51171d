"""Covers of the academy's courses: a still life inside a frame of glass beads, and what several covers share.

The frame is upright in XZ at `y = 0`,
    and fills the picture. The camera looks straight along Y; to see a table from
above it rises and its lens shifts, as a view camera's does,
    so that the frame stays a rectangle. Things lie on a
`board` below the frame (a view from above: Z is then up in the picture),
    or stand on a table that begins at the
frame's foot (`z = 0`).
"""

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from agency_site.brand import BRAND, DEEP, INK, LEAF
from tools.studio.light import camera
from tools.studio.materials import WHITE, glaze, metal, paint, wood
from tools.studio.shapes import Place, box, copies, group, lathe, mesh, place, sheet

SIZE = (960, 640)
VIEW, LOOK = "Filmic", "High Contrast"
"""Keep red and gold glass deep; AgX makes coral of them."""
GLASS = {
    "r": BRAND, "d": DEEP, "g": "#DE8A22", "w": WHITE, "l": LEAF, "k": "#18100E",
    "b": "#1E4FA3", "t": "#2FA39B", "o": "#E4702A", "s": "#79B8DC", "p": "#E58C9C",
}  # fmt: skip
"""Colours of beads by their letter."""
_ACROSS = 64
"""Beads' widths that make the picture's width: the frame's 63 by 42, and a rim of leather."""
_PITCH = 0.75
_LIFT = 0.018
_BEAD = ((0.16, 0.36, 0.05), (0.4, 0.36), (0.5, 0), (0.4, -0.36), (0.16, -0.36, 0.05), (0.16, 0.36))
"""A bead of the width 1 with its hole along Z."""
Outline = list[tuple[float, float]]
_Spots = dict[str, list[tuple[Place, Place, Place]]]


def frame(
    strings: Sequence[str],
    *,
    width: float = 0.36,
    flat: bool = False,
    rise: float = 0.0,
    lens: float = 85,
    stop: float = 11,
    focus: float = 0.0,
    leather: str = "#2A1712",
) -> None:
    """Set the frame and the camera, sharp at the depth `focus`.

    `strings` are words of letters of `GLASS`,
        the outermost string first; each is read from the middle of a side to
    both ends, again and again. `flat` puts the frame's middle before the origin,
        high enough for things to lie
    under it; else its foot is on the table.
    """
    bead = width / _ACROSS
    height = width * SIZE[1] / SIZE[0]
    middle = 0.0 if flat else height / 2
    near = -_LIFT if flat else 0.0
    spots: _Spots = {}
    for row, word in enumerate(strings):
        x, z = (31 - row) * bead, (20.5 - row) * bead
        for side in (-1, 1):
            _string(spots, word, (0, middle + side * z), x + bead / 2, bead, along=True)
            _string(spots, word, (side * x, middle), z - bead / 2, bead, along=False)
    made = _set(spots, bead)
    made += _band(len(strings) + 0.5, bead, middle, height, leather)
    for part in made:
        part.visible_shadow = flat
        part.location.y += near
    away = width * lens / 36
    eye = middle + rise
    sight = camera((0, near - away, eye), (0, 0, eye), lens, stop, focus=(0, focus, eye))
    sight.data.shift_y = -rise / width


def bead_cloth(
    choose: Callable[[float, float], str], width: float, height: float, bead: float, at: Place = (0, 0, 0)
) -> None:
    """Sew beads in rows round `at`; `choose` names the letter at a place, or "" where there is no bead."""
    spots: _Spots = {}
    step = bead * _PITCH
    rows, columns = round(height / bead), round(width / step)
    for row in range(rows):
        for column in range(columns):
            x = (column - columns / 2 + 0.5 * (row % 2)) * step
            z = (row - rows / 2 + 0.5) * bead
            letter = choose(x, z)
            if letter:
                shake = [_shake(bead * 0.04) for _ in range(3)]
                spot = (at[0] + x + shake[0], at[1] - bead * 0.42 + shake[1], at[2] + z + shake[2])
                turn = (_shake(0.12), math.pi / 2 + _shake(0.12), _shake(0.12))
                spots.setdefault(letter, []).append((spot, turn, (random.uniform(0.93, 1.05),) * 3))
    _set(spots, bead)


def _set(spots: _Spots, bead: float) -> list[Any]:
    profile = [(r * bead, h * bead, *(own * bead for own in rest)) for r, h, *rest in _BEAD]
    made: list[Any] = []
    for letter, places in spots.items():
        made += copies(lathe(profile, glaze(GLASS[letter]), radius=bead * 0.24, turns=20), places)
    return made


def _string(
    spots: _Spots, word: str, at: tuple[float, float], half: float, bead: float, *, along: bool
) -> None:
    """Put an odd number of beads on a string whose middle is at `at`, so that both sides look the same."""
    number = 2 * round((2 * half / (bead * _PITCH) - 1) / 2) + 1
    step = 2 * half / number
    for i in range(number):
        place_on = i - number // 2
        letter = word[abs(place_on) % len(word)]
        x, z = at[0] + place_on * step * along, at[1] + place_on * step * (not along)
        spot = (x + _shake(bead * 0.03), -bead * 0.42 + _shake(bead * 0.08), z + _shake(bead * 0.03))
        turn = (_shake(0.1), (math.pi / 2 if along else 0) + _shake(0.1), _shake(0.1))
        size = random.uniform(0.94, 1.05)
        spots.setdefault(letter, []).append((spot, turn, (size, size, step / bead / 0.74)))


def _band(rows: float, bead: float, middle: float, height: float, leather: str) -> list[Any]:
    """Return the leather under the beads, which goes on beyond the picture."""
    hide = paint(leather, 0.5, 0.75, 60, 0.0006, 0.2)
    half, out, deep = bead * _ACROSS / 2, 0.05, 0.004
    inner = (rows + 0.5) * bead
    parts = []
    for side in (-1, 1):
        low = inner - bead * 0.17
        z = middle + side * (height / 2 - low + (low + out) / 2)
        parts.append(box((2 * (half + out), deep, low + out), hide, (0, deep / 2, z), 0.001))
        x = side * (half - inner + (inner + out) / 2)
        parts.append(box((inner + out, deep, height - 2 * low + 0.002), hide, (x, deep / 2, middle), 0.001))
    return parts


def board(material: Any, width: float = 1.2) -> Any:
    """Return what things lie on when the picture is taken from above."""
    return sheet(width, width, material, at=(0, 0.004, 0), turn=(90, 0, 0))


def cutout(
    outline: Outline,
    material: Any,
    depth: float = 0.0014,
    *,
    at: Place = (0, 0, 0),
    turn: Place = (0, 0, 0),
    bevel: float = 0.0003,
) -> Any:
    """Return a shape cut out of card in XZ, its back at the depth of `at`. Its UV covers a drawing once."""
    if sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(outline, outline[1:] + outline[:1], strict=True)) < 0:
        outline = outline[::-1]
    n = len(outline)
    verts = [(x, y, z) for y in (-depth, 0) for x, z in outline]
    faces: list[tuple[int, ...]] = [tuple(range(n)), tuple(range(2 * n - 1, n - 1, -1))]
    faces += [((i + 1) % n, i, n + i, n + (i + 1) % n) for i in range(n)]
    xs, zs = zip(*outline, strict=True)
    uvs = [
        ((x - min(xs)) / (max(xs) - min(xs)), (z - min(zs)) / (max(zs) - min(zs)))
        for _ in (0, 1)
        for x, z in outline
    ]
    made = place(mesh("cutout", verts, faces, material, uvs, smooth=False), at, turn)
    soft = made.modifiers.new("bevel", "BEVEL")
    soft.width, soft.segments, soft.angle_limit, soft.limit_method = bevel, 3, 1.0, "ANGLE"
    return made


def circle(radius: float, first: float = 0, last: float = 360, steps: int = 72) -> Outline:
    """Return a circle, or the part of it between two angles."""
    angles = [math.radians(first + (last - first) * i / steps) for i in range(steps + (last - first < 360))]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def heart(width: float) -> Outline:
    """Return a heart round its middle."""
    size = width / 32
    return [
        (
            size * 16 * math.sin(t) ** 3,
            size * (13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t) + 2),
        )
        for t in (math.tau * i / 96 for i in range(96))
    ]


def rounded(width: float, height: float, corner: float) -> Outline:
    """Return a rectangle with round corners, its first points at the upper right."""
    outline: Outline = []
    for cx, cz, first in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270)):
        arc = circle(corner, first, first + 90, 10)
        outline += [(cx * (width / 2 - corner) + x, cz * (height / 2 - corner) + z) for x, z in arc]
    return outline


def arrow(length: float, width: float) -> Outline:
    """Return an arrow to the right round its middle."""
    x, z, neck = length / 2, width / 2, length / 2 - width * 0.62
    return [
        (-x, -z * 0.42),
        (neck, -z * 0.42),
        (neck, -z),
        (x, 0),
        (neck, z),
        (neck, z * 0.42),
        (-x, z * 0.42),
    ]


def pencil(at: Place, turn: Place = (0, 0, 0), colour: str = BRAND, length: float = 0.16) -> Any:
    """Return a pencil with six sides that lies along X round `at`, its tip to the right."""
    r, tip = 0.0038, length / 2
    parts = [
        lathe([(0, -tip), (r * 0.9, -tip), (r, -tip + 0.001), (r, tip - 0.02)], paint(colour, 0.25, 0.4),
            turns=6),
        lathe([(r, tip - 0.0202), (r * 0.3, tip - 0.005)], wood("#8A5A30", "#D3A468", "#E6C08A", 0.05),
            turns=24),
        lathe([(r * 0.3, tip - 0.005), (0.0003, tip), (0, tip)], paint(INK, 0.4, 0.6), radius=0.0001,
            turns=16),
        lathe([(r * 1.02, -tip), (r * 1.05, -tip + 0.001), (r * 1.05, -tip + 0.011), (r, -tip + 0.0115)],
              metal("#D8B25A", 0.3), radius=0.0003, turns=24),
        lathe([(0, -tip - 0.008), (r * 0.95, -tip - 0.008), (r * 0.98, -tip)], paint("#D98C86", 0.7, 0.9),
              radius=0.001, turns=24),
    ]  # fmt: skip
    for part in parts:
        part.data.polygons.foreach_set("use_smooth", [part is not parts[0]] * len(part.data.polygons))
    stick = group(parts)
    stick.rotation_euler = (0, math.pi / 2, 0)
    return group([stick], at, turn)


def table(material: Any, depth: float = 3.0, z: float = 0.0) -> Any:
    """Return a table that begins at the frame."""
    return sheet(4, depth, material, at=(0, depth / 2, z))


def _shake(width: float) -> float:
    return random.uniform(-width, width)
