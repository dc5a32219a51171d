"""The mark of the brand: the sun that rises over an M (mwanga is Swahili for light)."""

from agency_site.artwork.drawing import path, rect
from agency_site.brand import BRAND, INK, MARIGOLD, PAPER

SIZE = 48
"""Side of the square in which the mark is drawn."""

_LETTER = "M8 41V21l16 12 16-12v20h-7.5V34L24 41l-8.5-7v7z"
_SUN = "M16.5 21.5a7.5 7.5 0 0 1 15 0L24 27.2z"
_RAYS = "M24 5l2.4 6.8h-4.8zM11.6 9.4l6.6 4-3.3 3.2zM36.4 9.4l-6.6 4 3.3 3.2z"
_BOLD_LETTER = "M7 41V17l17 14 17-14v24h-8.5V33.5L24 40l-8.5-6.5V41z"
_BOLD_SUN = "M13 18a11 11 0 0 1 22 0l-11 9z"


def figure(letter: str = PAPER, sun: str = MARIGOLD) -> str:
    """Letter, sun and rays without their square."""
    return path(_LETTER, letter) + path(_SUN + _RAYS, sun)


def _bold_figure() -> str:
    """The figure for the smallest sizes: no rays, a larger sun."""
    return path(_BOLD_LETTER, PAPER) + path(_BOLD_SUN, MARIGOLD)


def mark(*, radius: int = 13, scale: float = 1, square: str = BRAND) -> str:
    """The whole mark on its square; a radius of 0 and a smaller scale give the maskable icon."""
    shift = SIZE * (1 - scale) / 2
    drawn = (
        figure()
        if scale == 1
        else f'<g transform="translate({shift:g} {shift:g})scale({scale:g})">{figure()}</g>'
    )
    return rect(0, 0, SIZE, SIZE, square, radius) + drawn


def _document(body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">{body}</svg>\n'


def logo_svg() -> str:
    """The mark as a file."""
    return _document(mark())


def favicon_svg() -> str:
    """The mark for browser tabs."""
    return _document(rect(0, 0, SIZE, SIZE, BRAND, 13) + _bold_figure())


def app_icon_svg() -> str:
    """The mark on a full square, for systems that round the corners themselves."""
    return _document(mark(radius=0, scale=0.86))


def maskable_svg() -> str:
    """The mark within the safe circle of a maskable icon (W3C manifest: 80% of the width)."""
    return _document(mark(radius=0, scale=0.7))


def one_colour_svg(colour: str = INK) -> str:
    """The figure in a single colour, for stamps and receipts."""
    return _document(figure(colour, colour))
