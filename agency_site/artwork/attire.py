"""Hair, wraps and clothes of drawn people, with a trim of the band language."""

from collections.abc import Callable
from dataclasses import dataclass

from agency_site.artwork.drawing import disc, dots, line, path
from agency_site.brand import INK, PAPER


@dataclass(frozen=True)
class Colours:
    """Ground and halo of the picture; cloth, detail and accent of the clothes."""

    background: str
    halo: str
    cloth: str
    detail: str
    accent: str


@dataclass(frozen=True)
class Hair:
    """The parts of hair behind the head and in front of the forehead."""

    behind: str
    front: str


_CAP = "M134 158c-6-56 26-86 66-86s72 30 66 86c-8-26-22-42-66-42s-58 16-66 42z"
_ROUND = ' stroke-linecap="round"'


def afro(_: Colours, colour: str) -> Hair:
    """A wide, round afro."""
    return Hair(
        disc(200, 136, 108, colour),
        path("M136 158c-2-52 24-78 64-78s66 26 64 78c-10-34-30-46-64-46s-54 12-64 46z", colour),
    )


def short(_: Colours, colour: str) -> Hair:
    """A short, round cut."""
    return Hair(disc(200, 142, 76, colour), path(_CAP, colour))


def fade(_: Colours, colour: str) -> Hair:
    """High on top, short at the sides."""
    return Hair(
        "",
        path(
            (
                "M136 158c-4-34-4-64 8-82 20-16 92-16 112 0 12 18 12 48 8 82-5-22-10-36-18-44H154c-8"
                " 8-13 22-18 44z"
            ),
            colour,
        ),
    )


def bald(_: Colours, __: str) -> Hair:
    """No hair; light on the crown."""
    return Hair("", line("M166 112q12-10 28-11", "#FFFFFF", 7, _ROUND + ' opacity=".35"'))


def braids(colours: Colours, colour: str) -> Hair:
    """Long braids with beads at their ends."""
    back = path("M124 150a76 76 0 0 1 152 0v168H124z", colour)
    strands = line("M134 160v156M152 160v156M248 160v156M266 160v156", colours.halo, 3, ' opacity=".7"')
    beads = dots([(x, 318) for x in (130, 147, 253, 270)], 9, colours.accent)
    front = path("M134 164c-6-60 26-92 66-92s72 32 66 92c-4-30-30-52-66-54-36 2-62 24-66 54z", colour)
    return Hair(back + strands + beads, front + line("M200 74v36", colours.halo, 3, ' opacity=".7"'))


def locs(colours: Colours, colour: str) -> Hair:
    """Locs to the shoulders."""
    strands = "M124 150v112M140 130v152M158 120v170M242 120v170M260 130v152M276 150v112"
    front = path(_CAP, colour) + line(
        "M150 118q8-30 30-40M186 112q2-22 8-36M214 112q-2-22-8-36M250 118q-8-30-30-40", colours.halo, 3
    )
    return Hair(line(strands, colour, 19, _ROUND) + disc(200, 140, 78, colour), front)


def headwrap(colours: Colours, _: str) -> Hair:
    """A tied wrap with a knot."""
    knot = path(
        "M200 74c-52-4-74-30-70-58 34-2 62 16 70 58zM200 74c52-4 74-30 70-58-34-2-62 16-70 58z",
        colours.accent,
    )
    wrap = path("M128 160c-12-66 26-104 72-104s84 38 72 104c-16-30-44-42-72-42s-56 12-72 42z", colours.accent)
    folds = line("M136 132q28-52 84-66M150 118q30-36 84-44M264 132q-20-44-64-64", colours.detail, 6, _ROUND)
    return Hair(knot, wrap + folds + disc(200, 72, 17, colours.cloth) + disc(200, 72, 7, colours.detail))


def hijab(colours: Colours, _: str) -> Hair:
    """A scarf around face and shoulders."""
    behind = path("M108 330c-6-60 2-110 2-160a90 96 0 0 1 180 0c0 50 8 100 2 160z", colours.accent)
    ring = (
        "M110 172a90 100 0 0 1 180 0c0 66-36 118-90 118s-90-52-90-118zm32 0c0 44 28 80 58"
        " 80s58-36 58-80c0-36-26-60-58-60s-58 24-58 60z"
    )
    fold = path("M126 254c30 40 110 46 160-8 14 46-20 92-76 92-48 0-84-40-84-84z", colours.accent)
    edge = line("M140 268c36 34 96 32 134-4M150 294c32 22 78 20 108-8", colours.detail, 4, _ROUND)
    return Hair(behind, f'<path fill="{colours.accent}" fill-rule="evenodd" d="{ring}"/>' + fold + edge)


def kofia(colours: Colours, colour: str) -> Hair:
    """The embroidered cap of the coast."""
    cap = path("M136 126c-2-30 0-50 6-62 36-14 80-14 116 0 6 12 8 32 6 62-36-14-92-14-128 0z", PAPER)
    stitches = line("M140 112q60-20 120 0M142 74q58-18 116 0", colours.cloth, 5)
    zigzag = line("M142 96l12-14 12 10 12-14 12 10 12-12 12 12 12-10 12 14 12-10 12 14", colours.halo, 5)
    sides = path(
        "M135 160c-2-14-2-24 0-36h14c-6 10-11 22-14 36zM265 160c2-14 2-24 0-36h-14c6 10 11 22 14 36z", colour
    )
    return Hair("", sides + cap + stitches + zigzag)


def bun(colours: Colours, colour: str) -> Hair:
    """Swept up into a high bun."""
    return Hair(
        disc(200, 56, 42, colour) + disc(200, 144, 74, colour),
        path("M134 160c-6-58 26-88 66-88s72 30 66 88c-2-24-22-50-66-50s-64 26-66 50z", colour)
        + line("M168 82q32-16 64 0", colours.accent, 10, _ROUND),
    )


def cornrows(_: Colours, colour: str) -> Hair:
    """Rows close to the head, gathered at the neck."""
    rows = line(
        "M150 122q4-34 30-46M175 114q2-26 14-40M200 112V72M225 114q-2-26-14-40M250 122q-4-34-30-46",
        "#7A4A2E",
        4,
    )
    tail = path("M232 200c40 10 58 60 50 124-28-4-44-20-50-44z", colour)
    return Hair(tail + disc(200, 142, 74, colour), path(_CAP, colour) + rows)


HAIR: dict[str, Callable[[Colours, str], Hair]] = {
    style.__name__: style
    for style in (afro, short, fade, bald, braids, locs, headwrap, hijab, kofia, bun, cornrows)
}

_SHOULDERS = "M48 400c0-74 46-106 120-116q32 32 64 0c74 10 120 42 120 116z"


def _plain(c: Colours) -> str:
    return path(_SHOULDERS, c.cloth)


def _nothing(_: Colours) -> str:
    return ""


def _beads(c: Colours) -> str:
    collar = "".join(
        (
            f'<path fill="none" stroke="{colour}" stroke-width="12" d="M{200 - r} 278a{r}'
            f' {round(r * 0.8)} 0 0 0 {2 * r} 0"/>'
        )
        for r, colour in ((44, c.detail), (57, c.accent), (70, c.detail), (83, c.accent))
    )
    return collar + dots(
        [(132, 318), (152, 336), (175, 346), (200, 350), (225, 346), (248, 336), (268, 318)], 5, INK
    )


def _blazer(c: Colours) -> str:
    shirt = path("M164 284q36 34 72 0l-36 116z", c.detail)
    lapels = path("M164 280l-32 22 10 40-16 12 62 46h12zM236 280l32 22-10 40 16 12-62 46h-12z", c.cloth)
    return (
        shirt
        + lapels
        + line("M132 302l10 40-16 12 62 46M268 302l-10 40 16 12-62 46", INK, 4, ' opacity=".35"')
    )


def _kitenge(c: Colours) -> str:
    yoke = path("M112 298q20-8 54-14 34 34 68 0 34 6 54 14-20 60-88 64-68-4-88-64z", c.accent)
    teeth = "".join(
        path(f"M{x} {y}l14 22 12-23z", c.detail) for x, y in ((128, 306), (164, 322), (210, 322), (246, 306))
    )
    return yoke + teeth + dots([(200, 346), (160, 352), (240, 352)], 6, c.detail)


def _tee(c: Colours) -> str:
    band = (
        "M56 364l24-20 24 20 24-20 24 20 24-20 24 20 24-20 24 20 24-20 24 20 24-20 24 20v14"
        "l-24-20-24 20-24-20-24 20-24-20-24 20-24-20-24 20-24-20-24 20-24-20-24 20z"
    )
    return path("M160 284q40 46 80 0l6 2q-46 62-92 0z", c.accent) + path(band, c.detail)


def _tunic(c: Colours) -> str:
    placket = path("M184 300q16 8 32 0v100h-32z", c.detail)
    return (
        placket
        + dots([(200, y) for y in (326, 352, 378)], 6, c.accent)
        + line("M156 286q44 50 88 0", c.detail, 10)
    )


def _shirt(c: Colours) -> str:
    collar = path("M164 278l36 34-30 26-24-50zM236 278l-36 34 30 26 24-50z", c.detail)
    return collar + line("M200 312v88", c.detail, 5) + dots([(200, 344), (200, 376)], 6, c.accent)


def _rollneck(c: Colours) -> str:
    return path("M160 262q40 26 80 0l6 34q-46 30-92 0z", c.cloth) + line(
        "M158 276q42 26 84 0", c.background, 4, ' opacity=".45"'
    )


@dataclass(frozen=True)
class Wear:
    """Clothes under the chin: the part below the neck and the part before it."""

    under: Callable[[Colours], str]
    over: Callable[[Colours], str]


def _make_wear(over: Callable[[Colours], str]) -> Wear:
    return Wear(_nothing, lambda c: _plain(c) + over(c))


WEAR: dict[str, Wear] = {
    "beads": _make_wear(_beads),
    "blazer": _make_wear(_blazer),
    "kitenge": _make_wear(_kitenge),
    "tee": _make_wear(_tee),
    "tunic": _make_wear(_tunic),
    "shirt": _make_wear(_shirt),
    "rollneck": _make_wear(_rollneck),
}
