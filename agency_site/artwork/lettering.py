"""Words as outlines: pictures cannot load the site's fonts, so their letters are drawn from the font file.

Only the art commands use this module.
"""

from unicodedata import normalize

from fontTools.pens.basePen import BasePen  # type: ignore[import-untyped]
from fontTools.pens.transformPen import TransformPen  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from agency_site.artwork.typefaces import DISPLAY, at_weight


def _glyphs(text: str, font: TTFont) -> list[str]:
    names = font.getBestCmap()
    # Few fonts have all accents of names such as Wanjirũ: better without its accent than no picture.
    text = "".join(letter if ord(letter) in names else normalize("NFKD", letter)[0] for letter in text)
    missing = sorted({letter for letter in text if ord(letter) not in names})
    if missing:
        msg = f"the font has no letters for {' '.join(missing)!r} in {text!r}"
        raise ValueError(msg)
    return [names[ord(letter)] for letter in text]


def width(text: str, size: float, weight: int = 700, file: str = DISPLAY, tracking: float = 0) -> float:
    """Width of a line in pixels at that size; `tracking` is added after each letter, in parts of the size."""
    font = at_weight(file, weight)
    units = sum(font["hmtx"][name][0] for name in _glyphs(text, font))
    return float(size * units / font["head"].unitsPerEm) + size * tracking * len(text)


class _ShortPath(BasePen):  # type: ignore[misc]
    """Writes SVG path data in relative whole numbers: half the bytes of absolute ones.

    Rounding is done on absolute positions, so that errors do not add up; steps that round to nothing are
    left out.
    """

    def __init__(self, glyphs: object) -> None:
        super().__init__(glyphs)
        self.parts: list[str] = []
        self._command = ""
        self._here = self._start = (0, 0)

    def _append(self, command: str, *points: tuple[float, float]) -> None:
        places = [(round(x), round(y)) for x, y in points]
        if all(place == self._here for place in places):
            return
        here = self._here
        if command == "q" and _straight(here, *places):
            command, places = "l", places[-1:]
        steps = [(x - here[0], y - here[1]) for x, y in places]
        if command == "l" and 0 in steps[0]:
            command = "v" if steps[0][0] == 0 else "h"
            numbers = [str(steps[0][0] or steps[0][1])]
        else:
            numbers = [str(value) for step in steps for value in step]
        text = " ".join(numbers).replace(" -", "-")
        glue = "" if text.startswith("-") else " "
        self.parts.append(glue + text if command == self._command else command + text)
        self._command, self._here = command, places[-1]

    def _moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        place = (round(point[0]), round(point[1]))
        self.parts.append(f"M{place[0]} {place[1]}".replace(" -", "-"))
        self._command, self._here = "M", place

    def _lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        self._append("l", point)

    def _qCurveToOne(self, control: tuple[float, float], end: tuple[float, float]) -> None:  # noqa: N802
        self._append("q", control, end)

    def _closePath(self) -> None:  # noqa: N802
        self.parts.append("z")
        self._command = "z"


def _straight(start: tuple[int, int], control: tuple[int, int], end: tuple[int, int]) -> bool:
    """Return whether a curve is so flat that a line gives the same pixels."""
    across = (end[0] - start[0]) * (control[1] - start[1]) - (end[1] - start[1]) * (control[0] - start[0])
    length = max(1, abs(end[0] - start[0]) + abs(end[1] - start[1]))
    return abs(across) / length < 0.75


def outline(
    text: str,
    size: float,
    x: float = 0,
    y: float = 0,
    *,
    weight: int = 700,
    file: str = DISPLAY,
    tracking: float = 0,
) -> str:
    """Path data, in whole numbers, of one line of text whose baseline starts at x, y."""
    font = at_weight(file, weight)
    glyphs, scale = font.getGlyphSet(), size / font["head"].unitsPerEm
    pen = _ShortPath(glyphs)
    for name in _glyphs(text, font):
        glyphs[name].draw(TransformPen(pen, (scale, 0, 0, -scale, x, y)))
        x += font["hmtx"][name][0] * scale + tracking * size
    return "".join(pen.parts)


def wrap(text: str, size: float, limit: float, weight: int = 700, tracking: float = 0) -> list[str]:
    """The words of a text in lines that are at most `limit` pixels wide; a longer word gets its own line."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, weight, DISPLAY, tracking) <= limit:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
