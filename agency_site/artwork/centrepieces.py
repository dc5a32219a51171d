"""The large motifs: one of them leads a composition, as the mji, the town, leads a kanga.

Each draws in a square of 240 around 0,0 (from -120 to 120).
"""

import math

from agency_site.artwork.drawing import Point, disc, dots, path
from agency_site.artwork.motifs import Motif, arcs
from agency_site.artwork.palette import Scheme


def rays(count: int, inner: float, outer: float, half_width: float, centre_y: float) -> str:
    """Path of pointed rays that fan over a half circle above `centre_y`."""
    parts = []
    for index in range(count):
        angle = math.pi * (index + 0.5) / count
        cos, sin = math.cos(angle), math.sin(angle)
        base_x, base_y = inner * cos, centre_y - inner * sin
        points = (
            (base_x - half_width * sin, base_y - half_width * cos),
            (outer * cos, centre_y - outer * sin),
            (base_x + half_width * sin, base_y + half_width * cos),
        )
        parts.append("M" + " ".join(f"{round(x)} {round(y)}" for x, y in points) + "z")
    return "".join(parts).replace(" -", "-")


def round_about(count: int, radius: float, start: float = 0) -> list[Point]:
    """Points at equal distances on a circle, the first at `start` turns from the top."""
    turns = [2 * math.pi * (index / count + start) for index in range(count)]
    return [(round(radius * math.sin(turn)), round(-radius * math.cos(turn))) for turn in turns]


def _polygon(points: list[Point], fill: str) -> str:
    """A closed shape through whole-numbered points."""
    return path("M" + " ".join(f"{round(x)} {round(y)}" for x, y in points).replace(" -", "-") + "z", fill)


def collar(s: Scheme) -> str:
    """A beaded collar laid flat."""
    return (
        disc(0, 0, 116, s.main)
        + dots(round_about(24, 101), 8, s.depth)
        + disc(0, 0, 86, s.accent)
        + disc(0, 0, 72, s.background)
        + dots(round_about(14, 57), 9, s.main)
        + disc(0, 0, 40, s.depth)
        + disc(0, 0, 22, s.accent)
    )


def sunrise(s: Scheme) -> str:
    """The sun over a lake: light, and its path on the water."""
    waves = "".join(f"M{-x} {y}H{x}v14H{-x}z" for x, y in ((120, 14), (88, 48), (52, 82)))
    return (
        path(rays(9, 74, 122, 14, 0), s.main)
        + path("M-60 0a60 60 0 0 1 120 0z", s.accent)
        + path(waves.replace(" -", "-"), s.main)
        + path("M-20 106h40v14h-40z", s.accent)
    )


def blossom(s: Scheme) -> str:
    """Eight petals around a bead."""
    straight = "M0 0C-34-36-34-84 0-118 34-84 34-36 0 0zC-34 36-34 84 0 118 34 84 34 36 0 0z"
    straight += "C-36-34-84-34-118 0-84 34-36 34 0 0zC36-34 84-34 118 0 84 34 36 34 0 0z"
    drawn = f'<path fill="{s.accent}" transform="rotate(45)" d="{straight}"/>' + path(straight, s.main)
    return drawn + disc(0, 0, 34, s.depth) + disc(0, 0, 16, s.main)


def lozenge(s: Scheme) -> str:
    """Diamonds within diamonds, with seeds in the corners."""
    shapes = ((120, s.depth), (92, s.main), (62, s.background), (38, s.accent))
    drawn = "".join(path(f"M0-{r} {r} 0 0 {r}-{r} 0z", fill) for r, fill in shapes)
    return drawn + dots([(x, y) for x in (-96, 96) for y in (-96, 96)], 14, s.main)


def rainbow(s: Scheme) -> str:
    """Arcs around one corner."""
    return arcs(-120, 40, (s.main, s.background, s.accent, s.main, s.depth, s.main))


def cashew(s: Scheme) -> str:
    """The cashew of the kanga, with a row of beads."""
    return (
        path("M-92 24a92 92 0 0 0 184 0C92-52 40-112-52-116-16-96-12-76-28-62-68-48-92-16-92 24z", s.main)
        + dots([(x, y + 24) for x, y in round_about(16, 72)], 7, s.depth)
        + disc(0, 24, 50, s.depth)
        + disc(0, 24, 32, s.main)
        + disc(0, 24, 17, s.accent)
    )


def war_shield(s: Scheme) -> str:
    """A tall shield with its painted field."""
    return (
        path("M0-120C84-66 84 66 0 120-84 66-84-66 0-120z", s.main)
        + path("M0-92C58-50 58 50 0 92-58 50-58-50 0-92z", s.depth)
        + path("M0-92C20-50 20 50 0 92-20 50-20-50 0-92z", s.main)
        + path("M0-34 20 0 0 34-20 0z", s.accent)
        + dots([(x, y) for x in (-96, 96) for y in (-60, 0, 60)], 12, s.accent)
    )


def star(s: Scheme) -> str:
    """Two squares across one another, as on a basket's floor."""
    outer = [
        point for pair in zip(round_about(8, 118), round_about(8, 78, 1 / 16), strict=True) for point in pair
    ]
    inner = [
        point for pair in zip(round_about(8, 60), round_about(8, 40, 1 / 16), strict=True) for point in pair
    ]
    return (
        _polygon(outer, s.main)
        + disc(0, 0, 68, s.depth)
        + _polygon(inner, s.accent)
        + disc(0, 0, 18, s.depth)
    )


CENTREPIECES: dict[str, Motif] = {
    "collar": collar,
    "sunrise": sunrise,
    "blossom": blossom,
    "lozenge": lozenge,
    "rainbow": rainbow,
    "cashew": cashew,
    "war_shield": war_shield,
    "star": star,
}
