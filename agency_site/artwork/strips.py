"""Borders (pindo) of the band language: strips of 60 units' height that repeat every 60 units.

Each function draws `cells` repeats from 0,0 to the right, as relative steps of a single path where it can.
"""

from collections.abc import Callable

from agency_site.artwork.drawing import dots, path
from agency_site.artwork.palette import Scheme

Strip = Callable[[Scheme, int], str]


def teeth(s: Scheme, cells: int) -> str:
    """Triangles on their base, a seed between each two."""
    return path("M0 60" + "l30-46 30 46" * cells + "z", s.main) + dots(
        [(60 * i, 18) for i in range(cells + 1)], 9, s.accent
    )


def zigzag(s: Scheme, cells: int) -> str:
    """Two zigzag lines of beads."""
    there, back = "l30-28 30 28" * cells, "l-30-28-30 28" * cells
    return path(f"M0 34{there}v12{back}z", s.main) + path(f"M0 54{there}v6{back}z", s.accent)


def beads(s: Scheme, cells: int) -> str:
    """Two rows of beads, one colour after the other."""
    main_beads = [(60 * i + 15, 17) for i in range(cells)] + [(60 * i + 45, 43) for i in range(cells)]
    accent_beads = [(60 * i + 45, 17) for i in range(cells)] + [(60 * i + 15, 43) for i in range(cells)]
    return dots(main_beads, 10, s.main) + dots(accent_beads, 10, s.accent)


def arrows(s: Scheme, cells: int) -> str:
    """Chevrons on their way to the right."""
    return path("".join(f"M{60 * i} 6h18l24 24-24 24h-18l24-24z" for i in range(cells)), s.main) + path(
        "".join(f"M{60 * i + 28} 6h10l24 24-24 24h-10l24-24z" for i in range(cells)), s.accent
    )


def lozenges(s: Scheme, cells: int) -> str:
    """Diamonds side by side, each with its eye."""
    return (
        path("M0 30" + "l30-26 30 26" * cells + "l-30 26-30-26" * cells + "z", s.main)
        + path("".join(f"M{60 * i + 30} 18l14 12-14 12-14-12z" for i in range(cells)), s.depth)
        + path("".join(f"M{60 * i - 12} 60l12-11 12 11z" for i in range(1, cells)), s.accent)
    )


def arches(s: Scheme, cells: int) -> str:
    """Rainbows side by side."""
    drawn = ""
    for radius, fill in ((30, s.main), (19, s.depth), (8, s.accent)):
        gap = 60 - 2 * radius
        drawn += path(
            f"M{30 - radius} 52" + f"a{radius} {radius} 0 0 1 {2 * radius} 0h{gap}" * cells + "z", fill
        )
    return drawn


def stripes(s: Scheme, cells: int) -> str:
    """The uneven stripes of a shuka."""
    return path("".join(f"M{60 * i + 6} 0h22v60h-22z" for i in range(cells)), s.main) + path(
        "".join(f"M{60 * i + 36} 0h8v60h-8zm14 0h4v60h-4z" for i in range(cells)), s.accent
    )


STRIPS: dict[str, Strip] = {
    "teeth": teeth,
    "zigzag": zigzag,
    "beads": beads,
    "arrows": arrows,
    "lozenges": lozenges,
    "arches": arches,
    "stripes": stripes,
}
