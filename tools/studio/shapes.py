"""Shapes: turned, bent, bevelled. No edge in the world is sharp."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import bpy
from mathutils import Vector, noise

Place = Sequence[float]
Profile = Sequence[Sequence[float]]
"""Points (radius, height), each with a rounding of its own if there is a third number."""
Bend = Callable[[float, float], tuple[float, float, float]]


def _radians(turn: Place) -> tuple[float, ...]:
    return tuple(math.radians(angle) for angle in turn)


def mesh(
    name: str,
    verts: Sequence[Place],
    faces: Sequence[Sequence[int]],
    material: Any = None,
    uvs: Sequence[tuple[float, float]] = (),
    *,
    smooth: bool = True,
) -> Any:
    """Return a mesh from points and faces."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(verts, [], faces)
    if uvs:
        layer = data.uv_layers.new()
        for loop in data.loops:
            layer.data[loop.index].uv = uvs[loop.vertex_index]
    data.polygons.foreach_set("use_smooth", [smooth] * len(data.polygons))
    made = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(made)
    if material:
        data.materials.append(material)
    return made


def place(made: Any, at: Place = (0, 0, 0), turn: Place = (0, 0, 0)) -> Any:
    """Move and turn (degrees) an object; return it."""
    made.location, made.rotation_euler = at, _radians(turn)
    return made


def group(parts: Iterable[Any], at: Place = (0, 0, 0), turn: Place = (0, 0, 0)) -> Any:
    """Bind parts, which keep their places to each other, and move and turn (degrees) them as one; return their parent."""
    made = bpy.data.objects.new("group", None)
    bpy.context.collection.objects.link(made)
    for part in parts:
        part.parent = made
    return place(made, at, turn)


def fillet(points: Profile, radius: float, steps: int = 6) -> list[Vector]:
    """Return the profile with its inner corners rounded."""
    done = [Vector(points[0][:2])]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        own = here[2] if len(here) > 2 else radius
        a, b, c = Vector(before[:2]), Vector(here[:2]), Vector(after[:2])
        cut = min(own, (a - b).length * 0.45, (c - b).length * 0.45)
        p, q = b + (a - b).normalized() * cut, b + (c - b).normalized() * cut
        done += [p.lerp(b, t / steps).lerp(b.lerp(q, t / steps), t / steps) for t in range(steps + 1)]
    return [*done, Vector(points[-1][:2])]


def lathe(
    points: Profile,
    material: Any,
    at: Place = (0, 0, 0),
    radius: float = 0.002,
    turns: int = 128,
    wobble: float = 0.0,
) -> Any:
    """Turn a profile round Z: jars, cups, plates, plinths, tins. A profile that begins and ends at radius 0 is closed."""
    line = fillet(points, radius)
    verts, faces = [], []
    for r, z in line:
        for i in range(turns):
            a = math.tau * i / turns
            k = 1 + wobble * noise.noise((math.cos(a) * 0.8, math.sin(a) * 0.8, z * 12))
            verts.append((r * k * math.cos(a), r * k * math.sin(a), z))
    for row in range(len(line) - 1):
        for i in range(turns):
            j, foot = (i + 1) % turns, row * turns
            faces.append((foot + i, foot + j, foot + turns + j, foot + turns + i))
    made = mesh("lathe", verts, faces, material)
    made.location = at
    weld = made.modifiers.new("weld", "WELD")
    weld.merge_threshold = 1e-6
    return made


def sheet(
    width: float,
    height: float,
    material: Any,
    cells: tuple[int, int] = (1, 1),
    bend: Bend = lambda x, y: (x, y, 0.0),
    *,
    thick: float = 0.0,
    at: Place = (0, 0, 0),
    turn: Place = (0, 0, 0),
) -> Any:
    """Return a grid bent by `bend(x, y)`: cloth, labels, tables, backdrops. Its UV covers the drawing once; it lies in XY."""
    nx, ny = cells[0] + 1, cells[1] + 1
    verts, uvs = [], []
    for j in range(ny):
        for i in range(nx):
            u, v = i / (nx - 1), j / (ny - 1)
            verts.append(bend((u - 0.5) * width, (v - 0.5) * height))
            uvs.append((u, v))
    faces = [(a, a + 1, a + nx + 1, a + nx) for j in range(ny - 1) for a in range(j * nx, j * nx + nx - 1)]
    made = place(mesh("sheet", verts, faces, material, uvs), at, turn)
    if thick:
        solid = made.modifiers.new("thick", "SOLIDIFY")
        solid.thickness, solid.offset = thick, -1.0
    return made


def wall(width: float, height: float, material: Any, y: float, *, x: float = 0.0, z: float = 0.0) -> Any:
    """Return an upright sheet that faces the camera, its foot at the height `z`."""
    return sheet(width, height, material, at=(x, y, z + height / 2), turn=(90, 0, 0))


def draped(x: float, y: float, height: float, scale: float = 9.0, seed: float = 4.0) -> float:
    """Return the height of a cloth's folds at a place; multiply it by 0 where an object stands on the cloth."""
    return height * max(0.0, noise.noise((x * scale + y * scale * 0.55, y * scale * 0.8, seed)))


def box(
    size: Place, material: Any, at: Place = (0, 0, 0), bevel: float = 0.003, turn: Place = (0, 0, 0)
) -> Any:
    """Return a box round `at` with soft edges."""
    x, y, z = (side / 2 for side in size)
    verts = [(i, j, k) for k in (-z, z) for j in (-y, y) for i in (-x, x)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    made = place(mesh("box", verts, faces, material), at, turn)
    _soften(made, bevel)
    return made


def card(
    width: float,
    height: float,
    front: Any,
    back: Any,
    depth: float = 0.0006,
    *,
    at: Place = (0, 0, 0),
    turn: Place = (0, 0, 0),
) -> Any:
    """Return a printed card, book cover, box side or sign upright in XZ, which faces the camera; its foot is at `at`."""
    body = box((width, depth, height), back, (0, 0, height / 2), min(0.0004, depth / 3))
    face = sheet(
        width * 0.998, height * 0.998, front, at=(0, -depth / 2 - 0.00008, height / 2), turn=(90, 0, 0)
    )
    return group([body, face], at, turn)


def slab(
    width: float,
    height: float,
    depth: float,
    corner: float,
    material: Any,
    bevel: float = 0.001,
    *,
    at: Place = (0, 0, 0),
    turn: Place = (0, 0, 0),
) -> Any:
    """Return a rounded rectangle standing in XZ round `at`: phones, tiles, signs. Its UV covers a drawing once."""
    outline = []
    for cx, cz, first in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270)):
        for step in range(13):
            a = math.radians(first + step * 7.5)
            x = cx * (width / 2 - corner) + corner * math.cos(a)
            outline.append((x, cz * (height / 2 - corner) + corner * math.sin(a)))
    n = len(outline)
    verts = [(x, s * depth / 2, z) for s in (-1, 1) for x, z in outline]
    faces: list[tuple[int, ...]] = [tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n))]
    faces += [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
    uvs = [(x / width + 0.5, z / height + 0.5) for _ in (0, 1) for x, z in outline]
    made = place(mesh("slab", verts, faces, material, uvs), at, turn)
    _soften(made, bevel).limit_method = "ANGLE"
    return made


def _soften(made: Any, width: float) -> Any:
    soft = made.modifiers.new("bevel", "BEVEL")
    soft.width, soft.segments, soft.angle_limit, soft.harden_normals = width, 4, 0.8, True
    return soft


def tube(
    points: Sequence[Place], thickness: float, material: Any, at: Place = (0, 0, 0), *, closed: bool = False
) -> Any:
    """Return a wire, cable or branch through points, each with a share of the thickness if it has a fourth number."""
    curve = bpy.data.curves.new("tube", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution, curve.resolution_u = "3D", thickness, 6, 12
    spline = curve.splines.new("NURBS")
    spline.points.add(len(points) - 1)
    for point, spot in zip(spline.points, points, strict=True):
        point.co = (*spot[:3], 1)
        point.radius = spot[3] if len(spot) > 3 else 1.0
    spline.use_endpoint_u, spline.order_u, spline.use_cyclic_u = True, 4, closed
    curve.use_fill_caps = True
    made = bpy.data.objects.new("tube", curve)
    made.location = at
    curve.materials.append(material)
    bpy.context.collection.objects.link(made)
    return made


def copies(original: Any, places: Iterable[tuple[Place, Place, float | Place]]) -> list[Any]:
    """Copy a shape to places (location, rotation in radians, scale) and hide the first; all share one mesh."""
    made = []
    for at, turn, scale in places:
        copy = original.copy()
        copy.location, copy.rotation_euler = at, turn
        copy.scale = (scale,) * 3 if isinstance(scale, int | float) else scale
        bpy.context.collection.objects.link(copy)
        made.append(copy)
    original.hide_render = True
    return made


def backdrop(
    material: Any,
    width: float = 4.0,
    depth: float = 1.2,
    height: float = 2.5,
    curve: float = 0.5,
    y: float = 1.0,
) -> Any:
    """Return seamless paper: a floor that turns up into a wall at `y`."""

    def bend(x: float, s: float) -> tuple[float, float, float]:
        s += (depth + height) / 2
        arc = curve * math.pi / 2
        if s < depth:
            return x, y - curve - depth + s, 0.0
        if s < depth + arc:
            a = (s - depth) / curve
            return x, y - curve + curve * math.sin(a), curve - curve * math.cos(a)
        return x, y, curve + s - depth - arc

    return sheet(width, depth + height, material, (1, 120), bend)
