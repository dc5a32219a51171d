"""Surfaces: no colour, gloss or height in the world is even, so none is here."""

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import bpy
from PIL import Image

from agency_site.brand import INK

FOLDER = Path(gettempdir()) / "studio"
"""Prints on their way into a material."""
WHITE = "#F3E8DC"
"""White as beads and enamel have it."""

_prints = count()


def linear(colour: str | Sequence[float], alpha: float = 1.0) -> tuple[float, ...]:
    """Return a colour as Blender takes it: without the curve that screens expect."""
    if isinstance(colour, str):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        colour = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return (*colour[:3], alpha)


def put(tree: Any, socket: Any, value: Any) -> None:
    """Connect a node or an output to an input, or set its value."""
    if isinstance(value, bpy.types.Node):
        value = value.outputs[0]
    if isinstance(value, bpy.types.NodeSocket):
        tree.links.new(value, socket)
        return
    socket.default_value = linear(value) if isinstance(value, str) else value


def node(tree: Any, kind: str, **values: Any) -> Any:
    """Add a shader node; `values` are its inputs by name ("_" is a space), else its attributes."""
    made = tree.nodes.new("ShaderNode" + kind)
    for key, value in values.items():
        name = key.replace("_", " ")
        if name in made.inputs:
            put(tree, made.inputs[name], value)
        else:
            setattr(made, key, value)
    return made


def coordinates(tree: Any, stretch: Sequence[float] = (1, 1, 1), output: str = "Object") -> Any:
    """Return the place on the object, stretched."""
    return node(
        tree, "Mapping", Vector=tree.nodes.new("ShaderNodeTexCoord").outputs[output], Scale=tuple(stretch)
    )


def noise(
    tree: Any,
    scale: float,
    stretch: Sequence[float] = (1, 1, 1),
    detail: float = 3,
    rough: float = 0.6,
    distortion: float = 0.0,
    output: str = "Object",
) -> Any:
    """Return clouds from 0 to 1."""
    place = coordinates(tree, stretch, output)
    return node(
        tree, "TexNoise", Vector=place, Scale=scale, Detail=detail, Roughness=rough, Distortion=distortion
    ).outputs[0]


def ramp(tree: Any, factor: Any, *stops: tuple[float, str | float]) -> Any:
    """Return the colour (or grey) between the stops."""
    made = node(tree, "ValToRGB", Fac=factor)
    elements = made.color_ramp.elements
    while len(elements) < len(stops):
        elements.new(0.5)
    for element, (place, colour) in zip(elements, stops, strict=True):
        element.position = place
        element.color = linear(colour if isinstance(colour, str) else (colour,) * 3)
    return made.outputs[0]


def mix(tree: Any, factor: Any, one: Any, two: Any, blend: str = "MIX") -> Any:
    """Return two colours as one."""
    return node(tree, "MixRGB", Fac=factor, Color1=one, Color2=two, blend_type=blend).outputs[0]


def bump(tree: Any, *layers: tuple[Any, float, float]) -> Any:
    """Return a normal from layers of (height, strength, distance)."""
    normal = None
    for height, strength, distance in layers:
        made = node(tree, "Bump", Height=height, Strength=strength, Distance=distance)
        if normal:
            put(tree, made.inputs["Normal"], normal)
        normal = made.outputs[0]
    return normal


def material(name: str, **values: Any) -> tuple[Any, Any, Any]:
    """Return a new material, its node tree and its surface (Principled BSDF) with these inputs."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    surface = made.node_tree.nodes["Principled BSDF"]
    for key, value in values.items():
        put(made.node_tree, surface.inputs[key.replace("_", " ")], value)
    return made, made.node_tree, surface


def plain(colour: str, **values: Any) -> Any:
    """Return one even colour: for what is black, or lit from within."""
    return material("plain", Base_Color=colour, **values)[0]


def glowing(colour: str, strength: float) -> Any:
    """Return a surface that is a lamp."""
    return plain("#000000", Emission_Color=colour, Emission_Strength=strength)


def _uneven(
    tree: Any, surface: Any, colour: Any, scale: float, low: float, high: float, depth: float, amount: float
) -> None:
    """Give colour, gloss (`low` to `high` roughness) and height a drift."""
    shade = ramp(tree, noise(tree, scale), (0.3, 1 - amount), (0.7, 1.0))
    put(tree, surface.inputs["Base Color"], mix(tree, 1.0, colour, shade, "MULTIPLY"))
    put(tree, surface.inputs["Roughness"], ramp(tree, noise(tree, scale * 3.1), (0.3, low), (0.7, high)))
    put(tree, surface.inputs["Normal"], bump(tree, (noise(tree, scale * 12, detail=2), 0.35, depth)))


def paint(
    colour: str,
    low: float = 0.4,
    high: float = 0.6,
    scale: float = 14,
    depth: float = 0.0004,
    amount: float = 0.12,
    **more: Any,
) -> Any:
    """Return painted wood, metal or plastic; also leather and rubber, with a higher roughness."""
    made, tree, surface = material("paint", **more)
    _uneven(tree, surface, colour, scale, low, high, depth, amount)
    return made


def glaze(colour: str) -> Any:
    """Return the glass of beads and of enamelled tin."""
    return paint(colour, 0.12, 0.3, 90, 0.0001, 0.06, Coat_Weight=0.5, Coat_Roughness=0.1)


def plaster(colour: str, scale: float = 3.0, depth: float = 0.004, amount: float = 0.16) -> Any:
    """Return a rendered wall, clay, concrete, earth, or seamless paper with a depth of 0.001."""
    made, tree, surface = material("plaster", Specular_IOR_Level=0.25)
    _uneven(tree, surface, colour, scale, 0.75, 0.95, depth, amount)
    coarse, fine = noise(tree, scale * 2), noise(tree, scale * 40)
    put(tree, surface.inputs["Normal"], bump(tree, (coarse, 0.5, depth * 2.5), (fine, 0.4, depth * 0.5)))
    return made


def wood(
    dark: str = "#2A150B",
    mid: str = "#6B3E1F",
    light: str = "#A66B3A",
    size: float = 1.0,
    gloss: float = 0.45,
) -> Any:
    """Return wood with its grain along X. `size` is the length over which the grain changes."""
    made, tree, surface = material("wood")
    warp = noise(tree, 3 / size, (0.35, 3, 3), detail=2, distortion=1.2)
    times = node(tree, "Math", operation="MULTIPLY")
    put(tree, times.inputs[0], warp)
    times.inputs[1].default_value = 9.0
    rings = node(tree, "Math", operation="FRACT")
    put(tree, rings.inputs[0], times)
    fibre = noise(tree, 60 / size, (0.05, 2, 2), detail=4, rough=0.7)
    base = ramp(tree, rings, (0.0, mid), (0.55, light), (0.9, mid), (1.0, dark))
    streaks = ramp(tree, fibre, (0.35, 0.45), (0.6, 1.0))
    put(tree, surface.inputs["Base Color"], mix(tree, 0.8, base, streaks, "MULTIPLY"))
    put(tree, surface.inputs["Roughness"], ramp(tree, fibre, (0.3, gloss + 0.25), (0.7, gloss)))
    put(tree, surface.inputs["Normal"], bump(tree, (fibre, 0.5, 0.0006 * size), (warp, 0.15, 0.002 * size)))
    return made


def glass(tint: str = "#FFFFFF", rough: float = 0.0) -> Any:
    """Return clear glass."""
    made, tree, surface = material(
        "glass", Base_Color=tint, Roughness=rough, IOR=1.48, Transmission_Weight=1.0
    )
    put(tree, surface.inputs["Normal"], bump(tree, (noise(tree, 25, detail=1), 0.06, 0.002)))
    return made


def liquid(colour: str, density: float, ior: float = 1.47) -> Any:
    """Return what is coloured by its depth: honey, tea, oil. Amber is `#FDCE00` with a density of 50 for 8 cm."""
    made, tree, _ = material("liquid", Base_Color="#FFFFFF", Roughness=0.0, IOR=ior, Transmission_Weight=1.0)
    absorb = node(tree, "VolumeAbsorption", Color=colour, Density=density)
    tree.links.new(absorb.outputs[0], tree.nodes["Material Output"].inputs["Volume"])
    return made


def ceramic(colour: str) -> Any:
    """Return glazed stoneware with specks of iron."""
    made, tree, surface = material("ceramic", Coat_Weight=0.6, Coat_Roughness=0.08, Specular_IOR_Level=0.5)
    _uneven(tree, surface, colour, 9, 0.3, 0.5, 0.0006, 0.1)
    dots = node(tree, "TexVoronoi", Vector=coordinates(tree), Scale=420)
    spots = ramp(tree, dots.outputs[0], (0.10, 0.25), (0.16, 1.0))
    rare = mix(tree, ramp(tree, noise(tree, 60), (0.52, 0.0), (0.58, 1.0)), "#FFFFFF", spots)
    base = surface.inputs["Base Color"]
    put(tree, base, mix(tree, 1, base.links[0].from_socket, rare, "MULTIPLY"))
    return made


def metal(
    colour: str = "#B8B2A8", rough: float = 0.28, stretch: Sequence[float] = (1, 1, 60), scale: float = 30
) -> Any:
    """Return metal, brushed along the axis that `stretch` leaves short."""
    made, tree, surface = material("metal", Base_Color=colour, Metallic=1.0)
    lines = noise(tree, scale, stretch, detail=3, rough=0.7)
    put(tree, surface.inputs["Roughness"], ramp(tree, lines, (0.3, rough - 0.1), (0.7, rough + 0.14)))
    put(tree, surface.inputs["Normal"], bump(tree, (lines, 0.1, 0.0003), (noise(tree, 14), 0.1, 0.001)))
    return made


def _printed(image: Image.Image, rough: float, dirt: float) -> tuple[Any, Any, Any, Any]:
    made, tree, surface = material("printed", Specular_IOR_Level=0.3)
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"print{os.getpid()}-{next(_prints)}.png"
    image.save(path)
    texture = node(
        tree,
        "TexImage",
        image=bpy.data.images.load(str(path)),
        Vector=coordinates(tree, output="UV"),
        interpolation="Cubic",
    )
    _uneven(tree, surface, texture.outputs[0], 16, rough - 0.08, rough + 0.1, 0.0003, dirt)
    return made, tree, surface, texture


def paper(image: Image.Image, rough: float = 0.6, dirt: float = 0.08) -> Any:
    """Return a drawing printed on paper, card, tin or plastic, over the whole of the shape's UV."""
    return _printed(image, rough, dirt)[0]


def cloth(image: Image.Image, dirt: float = 0.08, threads: float = 420) -> Any:
    """Return a drawing printed on woven cotton."""
    made, tree, surface, _ = _printed(image, 0.9, dirt)
    place = coordinates(tree, output="UV")
    warp, weft = (
        node(tree, "TexWave", Vector=place, Scale=threads, bands_direction=axis).outputs[1] for axis in "XY"
    )
    weave = mix(tree, 0.5, warp, weft)
    put(
        tree,
        surface.inputs["Normal"],
        bump(tree, (weave, 0.35, 0.0004), (noise(tree, 90), 0.3, 0.0006)),
    )
    put(tree, surface.inputs["Sheen Weight"], 0.08)
    return made


def foil(image: Image.Image, rough: float = 0.35) -> Any:
    """Return a drawing printed on a bag that was crumpled once, then filled."""
    made, tree, surface, _ = _printed(image, rough, 0.08)
    bent = node(tree, "VectorMath", operation="MULTIPLY_ADD")
    put(tree, bent.inputs[0], node(tree, "TexNoise", Vector=coordinates(tree), Scale=18, Detail=1).outputs[1])
    bent.inputs[1].default_value = (0.035,) * 3
    put(tree, bent.inputs[2], coordinates(tree))
    coarse, fine = (
        node(tree, "TexVoronoi", Vector=bent, Scale=scale, feature="SMOOTH_F1", Smoothness=0.35).outputs[0]
        for scale in (22, 55)
    )
    put(tree, surface.inputs["Normal"], bump(tree, (coarse, 0.35, 0.012), (fine, 0.25, 0.004)))
    return made


def screen(image: Image.Image, strength: float = 1.0) -> Any:
    """Return a lit screen; where it is dark it is black glass, or it would look washed out."""
    made, tree, surface, texture = _printed(image, 0.3, 0.0)
    put(tree, surface.inputs["Emission Color"], texture.outputs[0])
    surface.inputs["Emission Strength"].default_value = strength
    tree.links.remove(surface.inputs["Base Color"].links[0])
    surface.inputs["Base Color"].default_value = linear(INK)
    return made


def weathered(image: Image.Image) -> Any:
    """Return a drawing painted on a wall whose plaster was put on by hand."""
    made, tree, surface, _ = _printed(image, 0.72, 0.06)
    layers = (
        (noise(tree, 1.6, detail=2), 0.6, 0.03),
        (noise(tree, 9), 0.5, 0.008),
        (noise(tree, 120, detail=2), 0.35, 0.002),
    )
    put(tree, surface.inputs["Normal"], bump(tree, *layers))
    return made


def dusty(made: Any, colour: str = "#9A5A36", top: float = 0.4, amount: float = 0.8) -> Any:
    """Return the material with earth on it that rain and feet throw up to the height `top`."""
    tree = made.node_tree
    base = tree.nodes["Principled BSDF"].inputs["Base Color"]
    place = tree.nodes.new("ShaderNodeNewGeometry").outputs["Position"]
    height = node(tree, "SeparateXYZ", Vector=place).outputs[2]
    low = node(tree, "MapRange", Value=height, From_Min=0.0, From_Max=top, To_Min=1.0, To_Max=0.0).outputs[0]
    patches = ramp(tree, noise(tree, 7), (0.35, 0.15), (0.65, amount))
    put(tree, base, mix(tree, mix(tree, 1.0, low, patches, "MULTIPLY"), base.links[0].from_socket, colour))
    return made
