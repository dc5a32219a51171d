"""Drawn busts of team members, learners and clients: SVG, 400 by 400. Their content records describe the person."""

from agency_site.artwork.attire import HAIR, WEAR, Colours
from agency_site.artwork.drawing import disc, document, group, line, path, rect
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


_ROUND = ' stroke-linecap="round" stroke-linejoin="round"'
_CROWN = "M138 152a62 62 0 0 1 124 0"
_FACES: dict[str, tuple[str, int]] = {
    "oval": ("v28c0 46-30 76-62 76s-62-30-62-76z", 0),
    "round": ("v26c6 50-24 74-62 74s-68-24-62-74z", -4),
    "long": ("v34c-4 46-24 82-62 82s-58-36-62-82z", 12),
    "square": ("v40c0 36-14 56-36 62q-26 5-52 0c-22-6-36-26-36-62z", 0),
    "heart": ("v20c-2 36-42 86-62 86s-60-50-62-86z", 2),
}
"""The face below the crown, and how much lower than on an oval one its chin is."""
_ABOVE_BEARD = "v20c-6 22-14 34-24 36-12-6-64-6-76 0-10-2-18-14-24-36z"
_BROWS: dict[str, tuple[str, float]] = {
    "soft": ("M162 152q13-9 27-3M211 149q14-6 27 3", 6),
    "arched": ("M160 154q10-18 30-8M210 146q20-10 30 8", 5),
    "straight": ("M160 151h30M210 151h30", 7),
    "heavy": ("M157 154q16-12 34-3M209 151q18-9 34 3", 11),
    "thin": ("M161 148q13-10 27-2M212 146q14-8 27 2", 4),
    "raised": ("M161 154q13-7 28-2M211 145q14-12 29 2", 7),
}
"""Brows and their thickness."""
_EYES: dict[str, tuple[str, float, str]] = {
    "almond": ("M164 175q12-13 24 0-12 11-24 0z", 5.5, ""),
    "round": ("M164 174a12 11 0 0 1 24 0 12 11 0 0 1-24 0z", 6.5, "M164 168q12-10 24 0"),
    "narrow": ("M162 174q14-9 28 0-14 7-28 0z", 4.5, ""),
    "hooded": ("M163 173h26q-13 13-26 0z", 5, "M160 173q2-4 6-4h19q4 0 6 4"),
    "tilted": ("M162 169q22-6 27 9-19 7-27-9z", 5.5, "M160 166q22-7 29 9"),
    "smiling": ("", 0, "M163 178q13-14 26 0"),
}
"""Of the left eye: the white, so that dark eyes show in a dark face, the size of the pupil, and the lid."""
_NOSES: dict[str, str] = {
    "straight": "M201 176q-9 22-10 27 8 8 19 1",
    "broad": "M200 184q-12 12-17 20 4 8 13 4 4 3 8 0 9 4 13-4",
    "long": "M203 168q-7 26-14 42 9 8 20 2",
    "button": "M189 199q1 10 11 9 10 1 11-9",
    "curved": "M200 166q4 8-4 20-8 16-8 20 8 7 21 1",
    "flared": "M190 194q-10 4-6 13 5 4 10 0 6 5 12 0 5 4 10 0 4-9-6-13",
}
_MARKS: dict[str, str] = {
    "freckles": "M162 194h0M171 201h0M180 195h0M186 203h0M214 203h0M220 195h0M229 201h0M238 194h0",
    "wrinkles": "M174 126q26-7 52 0M180 136q20-5 40 0M153 169l-8-4M152 177l-9 2M247 169l8-4M248 177l9 2",
    "frown": "M196 142v12M205 142v12M178 130q22-5 44 0",
    "scar": "M224 138l8 20",
    "laughter": "M178 203q-13 10-11 26M222 203q13 10 11 26",
    "mole": "M228 207h3v3h-3z",
    "dimples": "M167 213q5 6 1 13M233 213q-5 6-1 13",
    "hollows": "M150 196q16 6 17 24M250 196q-16 6-17 24",
    "bags": "M165 187q11 8 23 2M235 187q-11 8-23 2",
}


def _head(person: Portrait) -> str:
    skin, shade = SKIN[person.skin]
    ears = disc(138, 178, 15, skin) + disc(262, 178, 15, skin)
    face, lower = _FACES[person.face]
    neck = rect(168, 220, 64, 92, skin) + path(f"M168 {238 + lower}q32 34 64 0v16q-32 34-64 0z", shade)
    if person.beard != "full":
        return neck + ears + path(_CROWN + face, skin)
    # The beard grows over the edge of the jaw, and up to the ears.
    beard = f'<path fill="{person.hair_colour}" stroke="{person.hair_colour}" stroke-width="6" d="M138 152h124{face}"/>'
    return neck + ears + beard + path(_CROWN + _ABOVE_BEARD, skin)


def _features(person: Portrait) -> str:
    shade = SKIN[person.skin][1]
    dark = "#22130D"
    curve, thickness = _BROWS[person.brows]
    brows = line(curve, person.hair_colour, thickness, _ROUND)
    white, pupil, lid = _EYES[person.eyes]
    eye = path(white, PAPER) + disc(176, 174, pupil, dark) + line(lid, dark, 5, _ROUND)
    eyes = eye + group("translate(400)scale(-1 1)", eye)
    nose = line(_NOSES[person.nose], shade, 6, _ROUND)
    marks = line("".join(_MARKS[mark] for mark in person.marks), shade, 4.5, _ROUND)
    if person.laughing:
        mouth = path("M174 216q26 8 52 0-2 26-26 26t-26-26z", PAPER)
    else:
        mouth = line(
            "M178 222q22 15 44 0", "#8A3329" if person.skin in ("ebony", "coffee") else "#5E211A", 7, _ROUND
        )
    return brows + marks + eyes + nose + mouth


def _beard(person: Portrait) -> str:
    lower = _FACES[person.face][1]
    if person.beard == "chin":
        return path(f"M174 {236 + lower}q26 14 52 0 0 30-26 30t-26-30z", person.hair_colour)
    if person.beard == "moustache":
        return path("M168 218q6-14 32-10 26-4 32 10-16-6-32-4-16-2-32 4z", person.hair_colour)
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
