"""The room: an empty scene, its light and its camera, and the moment of exposure."""

import math
import os
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image, ImageFilter

from tools.studio.materials import FOLDER, linear, plain
from tools.studio.shapes import mesh

Place = Sequence[float]
SAMPLES = 36
"""Rays for each pixel. With the denoiser, more is not seen."""
_VIGNETTE = 0.16
_BLOOM = 0.12


def start(
    exposure: float = 0.0,
    *,
    size: tuple[int, int] = (960, 720),
    view: str = "AgX",
    look: str = "AgX - Medium High Contrast",
    bounces: int = 8,
) -> None:
    """Begin an empty scene. AgX turns bright orange into salmon: for amber take `Filmic` and `High Contrast`."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("world")
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.device, cycles.samples = "CPU", int(os.environ.get("STUDIO_SAMPLES", SAMPLES))
    cycles.use_adaptive_sampling, cycles.adaptive_threshold = True, 0.03
    cycles.use_denoising, cycles.denoiser, cycles.denoising_prefilter = True, "OPENIMAGEDENOISE", "ACCURATE"
    cycles.max_bounces = cycles.transmission_bounces = bounces
    cycles.transparent_max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 16, 3, 4
    cycles.sample_clamp_indirect, cycles.blur_glossy = 6.0, 0.6
    cycles.caustics_reflective, cycles.caustics_refractive = False, True
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = int(os.environ.get("STUDIO_SCALE", "100"))
    scene.view_settings.view_transform, scene.view_settings.look = view, look
    scene.view_settings.exposure = exposure
    random.seed(7)


def shoot(path: Path) -> None:
    """Render into a PNG, with the little that a lens adds: bloom round the lights, darker corners."""
    scene = bpy.context.scene
    FOLDER.mkdir(exist_ok=True)
    raw = FOLDER / f"raw{os.getpid()}.png"
    scene.render.filepath = str(raw)
    bpy.ops.render.render(write_still=True)
    pixels = np.asarray(Image.open(raw).convert("RGB"), np.float32) / 255
    height, width, _ = pixels.shape
    bright = Image.fromarray((np.clip((pixels - 0.72) / 0.28, 0, 1) * 255).astype(np.uint8))
    halo = np.asarray(bright.filter(ImageFilter.GaussianBlur(width / 60)), np.float32) / 255
    pixels = 1 - (1 - pixels) * (1 - halo * _BLOOM)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    pixels *= (1 - _VIGNETTE * np.clip((x * x + y * y) / 2, 0, 1) ** 1.4)[..., None]
    Image.fromarray((np.clip(pixels, 0, 1) * 255 + 0.5).astype(np.uint8)).save(path)


def aim(made: Any, target: Place) -> Any:
    """Turn a lamp or a camera to a place."""
    made.rotation_euler = (Vector(target) - made.location).to_track_quat("-Z", "Y").to_euler()
    return made


def lamp(kind: str, at: Place, target: Place, power: float, colour: str = "#FFFFFF", **values: Any) -> Any:
    """Set up a lamp of Blender's kind (`AREA`, `SPOT`, `POINT`, `SUN`), in watts."""
    data = bpy.data.lights.new("lamp", kind)
    data.energy, data.color = power, linear(colour)[:3]
    for key, value in values.items():
        setattr(data, key, value)
    made = bpy.data.objects.new("lamp", data)
    made.location = at
    bpy.context.collection.objects.link(made)
    return aim(made, target)


def softbox(
    at: Place, target: Place, width: float, height: float, power: float, colour: str = "#FFF4E8"
) -> Any:
    """Set up a rectangle of light."""
    return lamp("AREA", at, target, power, colour, shape="RECTANGLE", size=width, size_y=height)


def sun(towards: Place, strength: float, colour: str = "#FFD9A8", soft: float = 0.6) -> Any:
    """Set the sun: `towards` is the way the light travels, `soft` the width of shadows' edges (0.53 outside, 2 to 4 in haze)."""
    return lamp("SUN", (0, 0, 0), towards, strength, colour, angle=math.radians(soft))


def air(colour: str = "#C9D6E0", strength: float = 0.3) -> None:
    """Set the light from everywhere: a fifth of the key or less, or the picture is flat."""
    world = bpy.context.scene.world
    world.use_nodes = True
    sky = world.node_tree.nodes["Background"]
    sky.inputs[0].default_value, sky.inputs[1].default_value = linear(colour), strength


def window_shadow(
    at: Place,
    target: Place,
    width: float,
    height: float,
    *,
    columns: int = 2,
    rows: int = 3,
    bar: float = 0.05,
    margin: float = 2.0,
) -> Any:
    """Put an opaque screen with a window's panes cut out between a sun and the set."""
    verts: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []

    def cut(size: float, parts: int) -> list[tuple[float, float]]:
        edges = [-size / 2 + size * i / parts for i in range(parts + 1)]
        return [(low + bar / 2, high - bar / 2) for low, high in pairwise(edges)]

    def cover(x0: float, x1: float, y0: float, y1: float) -> None:
        faces.append(tuple(range(len(verts), len(verts) + 4)))
        verts.extend([(x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0)])

    xs, ys = cut(width, columns), cut(height, rows)
    cover(-margin, margin, ys[-1][1], margin)
    cover(-margin, margin, -margin, ys[0][0])
    cover(-margin, xs[0][0], -margin, margin)
    cover(xs[-1][1], margin, -margin, margin)
    for left, right in pairwise(xs):
        cover(left[1], right[0], -height / 2, height / 2)
    for low, high in pairwise(ys):
        cover(-width / 2, width / 2, low[1], high[0])
    made = mesh("window", verts, faces, plain("#000000", Roughness=1.0))
    made.location = at
    made.visible_camera = made.visible_glossy = made.visible_transmission = made.visible_diffuse = False
    return aim(made, target)


def camera(at: Place, target: Place, lens: float = 85, stop: float = 4.0, focus: Place | None = None) -> Any:
    """Set up the camera: focal length in millimetres, aperture as f-number, sharp at `focus` (else at the target)."""
    data = bpy.data.cameras.new("camera")
    data.lens, data.sensor_width, data.clip_start = lens, 36, 0.01
    data.dof.use_dof, data.dof.aperture_fstop, data.dof.aperture_blades = True, stop, 9
    made = bpy.data.objects.new("camera", data)
    made.location = at
    bpy.context.collection.objects.link(made)
    aim(made, target)
    forward = (Vector(target) - made.location).normalized()
    data.dof.focus_distance = (Vector(focus or target) - made.location).dot(forward)
    bpy.context.scene.camera = made
    return made
