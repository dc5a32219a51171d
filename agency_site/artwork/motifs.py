"""The small motifs of the band language, after kanga cloth and beadwork.

Each draws in a square of 120 around 0,0 (from -60 to 60) on a background that is already there. What touches
an edge does so at a fixed point, so that neighbours join into larger figures.
"""

from collections.abc import Callable

from agency_site.artwork.drawing import disc, dots, line, number, path
from agency_site.artwork.palette import Scheme

Motif = Callable[[Scheme], str]


def triangle(s: Scheme) -> str:
    """Half a square and a seed."""
    return path("M-60-60H60V60z", s.main) + disc(-26, 26, 14, s.accent)


def arcs(corner: int, width: int, fills: tuple[str, ...]) -> str:
    """Rings around the corner at `corner`,`corner`, from the inmost outwards.

    Each ring is a line of its own: shapes that lie on one another would show a hairline along their common edge.
    Lines run one unit over the edge, so that none shows between neighbours either.
    """
    start, over = corner, corner - 1
    drawn = ""
    for place, fill in enumerate(fills):
        radius = width * place + width / 2
        end = number(start + radius)
        d = f"M{end} {over}V{start}A{number(radius)} {number(radius)} 0 0 1 {start} {end}H{over}"
        drawn += line(d.replace(" -", "-"), fill, width + 1)
    return drawn


def quarter(s: Scheme) -> str:
    """Three arcs around one corner; four make a target."""
    return arcs(-60, 40, (s.main, s.depth, s.accent))


def rings(s: Scheme) -> str:
    """A bead seen from above."""
    return disc(0, 0, 54, s.main) + disc(0, 0, 38, s.background) + disc(0, 0, 22, s.accent)


def chevrons(s: Scheme) -> str:
    """Three stripes bent downwards; rows of them join without a seam."""
    stripe = "M-60 {y}l60 30 60-30v18l-60 30-60-30z"
    return path(stripe.format(y=-60) + stripe.format(y=12), s.main) + path(stripe.format(y=-24), s.accent)


def diamond(s: Scheme) -> str:
    """Three diamonds inside one another."""
    return (
        path("M0-60 60 0 0 60-60 0z", s.depth)
        + path("M0-38 38 0 0 38-38 0z", s.main)
        + path("M0-16 16 0 0 16-16 0z", s.accent)
    )


def steps(s: Scheme) -> str:
    """A stair with a smaller one inside."""
    return path("M-60 60V-60h30v30H0V0h30v30h30v30z", s.main) + path("M-60 60V0h30v30H0v30z", s.depth)


def seeds(s: Scheme) -> str:
    """Nine beads in two colours."""
    corners = [(x, y) for x in (-38, 38) for y in (-38, 38)]
    return dots([*corners, (0, 0)], 11, s.main) + dots([(0, -38), (38, 0), (0, 38), (-38, 0)], 11, s.accent)


def leaf(s: Scheme) -> str:
    """A leaf from corner to corner; four make a flower."""
    return path("M-60 60A120 120 0 0 1 60-60 120 120 0 0 1-60 60z", s.main) + path(
        "M-34 34A68 68 0 0 1 34-34 68 68 0 0 1-34 34z", s.accent
    )


def hourglass(s: Scheme) -> str:
    """Two triangles tip to tip, as on a drum."""
    return path("M-60-60H60L0 0 60 60H-60L0 0z", s.main) + path(
        "M-60-30-30 0-60 30zM60-30 30 0 60 30z", s.accent
    )


def scallops(s: Scheme) -> str:
    """Two rows of rainbows."""
    arch = "M-{r} {y}a{r} {r} 0 0 1 {w} 0z"
    drawn = ""
    for y in (0, 60):
        for radius, fill in ((60, s.main), (40, s.depth), (20, s.accent)):
            drawn += path(arch.format(r=radius, w=2 * radius, y=y), fill)
    return drawn


def sun(s: Scheme) -> str:
    """A sun that rises over the lower edge: mwanga, light."""
    beams = "M-7 12 0-54 7 12zM-25 19-32-40-11 14zM25 19 32-40 11 14zM-39 33-58-2-29 22zM39 33 58-2 29 22z"
    return path("M-34 60a34 34 0 0 1 68 0z", s.accent) + path(beams, s.main)


def korosho(s: Scheme) -> str:
    """The cashew, the oldest motif of the kanga."""
    return (
        path("M-46 12a46 46 0 0 0 92 0C46-26 20-56-26-58-8-48-6-38-14-31-34-24-46-8-46 12z", s.main)
        + disc(0, 12, 28, s.depth)
        + disc(0, 12, 13, s.accent)
    )


def shield(s: Scheme) -> str:
    """A shield before two spears."""
    return (
        line("M-50-52 50 52M50-52-50 52", s.depth, 9)
        + path("M0-60C46-30 46 30 0 60-46 30-46-30 0-60z", s.main)
        + path("M0-34C18-14 18 14 0 34-18 14-18-14 0-34z", s.accent)
    )


def weave(s: Scheme) -> str:
    """The plait of a kiondo basket."""
    flat = "".join(
        f"M{x} {y}h60v12h-60z" for x, ys in ((-60, -60), (0, 0)) for y in (ys + 4, ys + 24, ys + 44)
    )
    tall = "".join(
        f"M{x} {y}v60h12v-60z" for y, xs in ((-60, 0), (0, -60)) for x in (xs + 4, xs + 24, xs + 44)
    )
    return path(flat.replace(" -", "-"), s.main) + path(tall.replace(" -", "-"), s.accent)


def flower(s: Scheme) -> str:
    """Four petals into the corners and a seed."""
    petals = "".join(f"M0 0A60 60 0 0 1 {x} {y} 60 60 0 0 1 0 0z" for x in (-60, 60) for y in (-60, 60))
    return path(petals.replace(" -", "-"), s.main) + disc(0, 0, 15, s.accent)


def zigzags(s: Scheme) -> str:
    """Three lines of beadwork, going up and down."""
    row = "M-60 {y}l30-24 30 24 30-24 30 24v16l-30-24-30 24-30-24-30 24z"
    main = row.format(y=-36) + row.format(y=44)
    return path(main, s.main) + path(row.format(y=4), s.accent)


JOINING: dict[str, Motif] = {
    "triangle": triangle,
    "quarter": quarter,
    "leaf": leaf,
    "flower": flower,
    "hourglass": hourglass,
    "steps": steps,
    "diamond": diamond,
}
"""Motifs whose neighbours make a larger figure."""

SINGLE: dict[str, Motif] = {
    "rings": rings,
    "korosho": korosho,
    "shield": shield,
    "sun": sun,
}
"""Single motifs."""

TEXTURES: dict[str, Motif] = {
    "seeds": seeds,
    "chevrons": chevrons,
    "zigzags": zigzags,
    "weave": weave,
    "scallops": scallops,
}
"""Motifs that read as a surface."""

MOTIFS: dict[str, Motif] = JOINING | SINGLE | TEXTURES
