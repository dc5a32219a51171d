"""Drawn busts of team members, learners and clients: SVG, 400 by 400. Their content records describe the person."""

from agency_site.artwork.attire import HAIR, WEAR, Colours
from agency_site.artwork.drawing import disc, document, line, path, rect
from agency_site.brand import BLUSH, BRAND, DEEP, INK, LAKE, LEAF, LINE, MARIGOLD, PAPER, SAND
from agency_site.content.schema import Portrait

_SIDE = 400

SKIN: dict[str, tuple[str, str]] = {
    "ebony": ("#4A2A1C", "#3A2015"),
    "coffee": ("#5F3825", "#4C2C1D"),
    "chestnut": ("#7A4A2E", "#643B24"),
    "cinnamon": ("#935D39", "#7B4B2C"),
    "honey": ("#AE7A50", "#946540"),
}
"""Skin and its shade."""

SCHEMES: tuple[Colours, ...] = (
    Colours(BLUSH, BRAND, LAKE, PAPER, MARIGOLD),
    Colours(MARIGOLD, DEEP, LEAF, SAND, BRAND),
    Colours("#CFE3DA", LEAF, BRAND, PAPER, MARIGOLD),
    Colours(SAND, MARIGOLD, INK, PAPER, BRAND),
    Colours("#C9DCE2", LAKE, DEEP, PAPER, MARIGOLD),
    Colours(LINE, LEAF, MARIGOLD, PAPER, DEEP),
)


_FACE = "M138 152a62 62 0 0 1 124 0v28c0 46-30 76-62 76s-62-30-62-76z"


def _head(person: Portrait) -> str:
    skin, shade = SKIN[person.skin]
    ears = disc(138, 178, 15, skin) + disc(262, 178, 15, skin)
    neck = rect(168, 220, 64, 92, skin) + path("M168 238q32 34 64 0v16q-32 34-64 0z", shade)
    return neck + ears + path(_FACE, skin)


def _features(person: Portrait) -> str:
    shade = SKIN[person.skin][1]
    dark = "#22130D"
    brows = line("M162 152q13-9 27-3M211 149q14-6 27 3", dark, 6, ' stroke-linecap="round"')
    # Whites, so that dark eyes show in a dark face.
    whites = path("M164 175q12-13 24 0-12 11-24 0zM212 175q12-13 24 0-12 11-24 0z", PAPER)
    eyes = whites + disc(176, 174, 5.5, dark) + disc(224, 174, 5.5, dark)
    nose = line("M201 176q-9 22-10 27 8 8 19 1", shade, 6, ' stroke-linecap="round" stroke-linejoin="round"')
    if person.laughing:
        mouth = path("M174 216q26 8 52 0-2 26-26 26t-26-26z", PAPER)
    else:
        mouth = line(
            "M178 222q22 15 44 0",
            "#8A3329" if person.skin in ("ebony", "coffee") else "#5E211A",
            7,
            ' stroke-linecap="round"',
        )
    return brows + eyes + nose + mouth


def _beard(person: Portrait) -> str:
    colour = person.hair_colour
    if person.beard == "full":
        jaw = "M138 172v8c0 48 30 80 62 80s62-32 62-80v-8c-6 22-14 34-24 36-12-6-64-6-76 0-10-2-18-14-24-36z"
        return path(jaw, colour)
    if person.beard == "chin":
        return path("M174 236q26 14 52 0 0 30-26 30t-26-30z", colour)
    if person.beard == "moustache":
        return path("M168 218q6-14 32-10 26-4 32 10-16-6-32-4-16-2-32 4z", colour)
    return ""


def _glasses(person: Portrait) -> str:
    if not person.glasses:
        return ""
    bridge = line("M192 174q8-6 16 0M142 170l10 2M258 170l-10 2", INK, 5)
    if person.glasses == "round":
        rings = "".join(
            f'<circle cx="{x}" cy="174" r="22" fill="none" stroke="{INK}" stroke-width="5"/>'
            for x in (172, 228)
        )
        return rings + bridge
    frames = "".join(
        f'<rect x="{x}" y="156" width="42" height="36" rx="9" fill="none" stroke="{INK}" stroke-width="6"/>'
        for x in (150, 208)
    )
    return frames + bridge


def _earrings(person: Portrait, colours: Colours) -> str:
    if not person.earrings:
        return ""
    return "".join(disc(x, 206, 11, colours.accent) + disc(x, 206, 4, colours.detail) for x in (136, 264))


def portrait(person: Portrait, colours: Colours) -> str:
    """A person in the colours of background and clothes."""
    hair = HAIR[person.hair](colours, person.hair_colour)
    body = (
        rect(0, 0, _SIDE, _SIDE, colours.background)
        + disc(200, 186, 150, colours.halo)
        + hair.behind
        + WEAR[person.wear].under(colours)
        + _head(person)
        + WEAR[person.wear].over(colours)
        + _beard(person)
        + _features(person)
        + hair.front
        + _glasses(person)
        + _earrings(person, colours)
    )
    return document(_SIDE, _SIDE, body)
