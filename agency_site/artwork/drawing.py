"""SVG primitives of all drawings: a document, a path, dots, and a sheet that reuses repeated symbols."""

import random
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

Point = tuple[float, float]

_ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz"


def make_random(seed: str) -> random.Random:
    """Return a random generator for a seed, with the same choices on every machine and Python version."""
    # Pictures are not secrets, so the plain generator is right.
    return random.Random(seed)  # noqa: S311


def number(value: float) -> str:
    """Format a coordinate as short as possible, with at most one decimal."""
    rounded = round(value, 1)
    if rounded == int(rounded):
        return str(int(rounded))
    return str(rounded).replace("0.", ".", 1) if abs(rounded) < 1 else str(rounded)


def document(width: int, height: int, body: str) -> str:
    """A complete SVG file; its size gives the aspect ratio, so that the browser reserves the space."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{body}</svg>\n'
    )


def path(d: str, fill: str) -> str:
    """A filled path."""
    return f'<path fill="{fill}" d="{d}"/>'


def line(d: str, stroke: str, width: float, extra: str = "") -> str:
    """A stroked line without filling; `extra` has further attributes, beginning with a space."""
    return f'<path fill="none" stroke="{stroke}" stroke-width="{number(width)}"{extra} d="{d}"/>'


def rect(x: float, y: float, width: float, height: float, fill: str, radius: float = 0) -> str:
    """A rectangle, with round corners if a radius is given."""
    corners = f' rx="{number(radius)}"' if radius else ""
    place = f' x="{number(x)}"' if x else ""
    place += f' y="{number(y)}"' if y else ""
    return f'<rect{place} width="{number(width)}" height="{number(height)}"{corners} fill="{fill}"/>'


def disc(x: float, y: float, radius: float, fill: str) -> str:
    """A filled circle."""
    place = f' cx="{number(x)}"' if x else ""
    place += f' cy="{number(y)}"' if y else ""
    return f'<circle{place} r="{number(radius)}" fill="{fill}"/>'


def dots(points: Iterable[Point], radius: float, fill: str) -> str:
    """Beads of one size and colour in a single path: points drawn with round ends."""
    d = "".join(f"M{number(x)} {number(y)}h0" for x, y in points).replace(" -", "-")
    return line(d, fill, 2 * radius, ' stroke-linecap="round"')


def group(transform: str, body: str) -> str:
    """Shapes moved together."""
    return f'<g transform="{transform}">{body}</g>'


def prefix(seed: str) -> str:
    """Return three characters for the ids of a drawing, so that drawings in one page do not share symbols."""
    code = zlib.crc32(seed.encode())
    return "".join(_ID_CHARACTERS[code // 26**place % 26] for place in range(3))


@dataclass(frozen=True)
class PlacedSymbol:
    """One symbol on the sheet: its markup around 0,0, its position and its rotation."""

    markup: str
    x: float
    y: float
    turn: int = 0
    mirrored: bool = False

    @property
    def transform(self) -> str:
        """The SVG transform that brings the markup to its place."""
        move = f"translate({number(self.x)} {number(self.y)})" if self.x or self.y else ""
        flip = "scale(-1 1)" if self.mirrored else ""
        return move + flip + (f"rotate({self.turn})" if self.turn else "")


@dataclass
class Sheet:
    """Collects placed symbols; a repeated one is defined once and referenced."""

    seed: str
    placed: list[PlacedSymbol] = field(default_factory=list)

    def place(self, markup: str, x: float, y: float, turn: int = 0, *, mirrored: bool = False) -> None:
        """Put a symbol with its middle at x, y, turned by that many degrees."""
        self.placed.append(PlacedSymbol(markup, x, y, turn % 360, mirrored))

    def markup(self) -> str:
        """All symbols as SVG, in the order in which they were placed."""
        uses = Counter(item.markup for item in self.placed)
        repeated = [shape for shape, count in uses.items() if count > 1]
        names = {shape: f"{prefix(self.seed)}{number}" for number, shape in enumerate(repeated)}
        defs = "".join(f'<g id="{name}">{shape}</g>' for shape, name in names.items())
        drawn = "".join(self._draw_item(item, names.get(item.markup)) for item in self.placed)
        return f"<defs>{defs}</defs>{drawn}" if defs else drawn

    @staticmethod
    def _draw_item(item: PlacedSymbol, name: str | None) -> str:
        if name is None:
            return group(item.transform, item.markup) if item.transform else item.markup
        if item.turn or item.mirrored:
            return f'<use href="#{name}" transform="{item.transform}"/>'
        return f'<use href="#{name}" x="{number(item.x)}" y="{number(item.y)}"/>'
