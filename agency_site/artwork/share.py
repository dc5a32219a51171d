"""The share image, which other sites show beside a link: 1200 by 630, pattern, title and brand."""

from agency_site.artwork.drawing import document, group, path, rect
from agency_site.artwork.lettering import outline, width, wrap
from agency_site.artwork.mark import SIZE as MARK
from agency_site.artwork.mark import mark
from agency_site.artwork.palette import Scheme
from agency_site.artwork.pattern import CELL, cloth, scheme_of
from agency_site.brand import BRAND, INK

SIZE = (1200, 630)
"""In pixels, in the ratio that consumers of Open Graph do not crop (1.91 to 1)."""
_MARGIN = 72
_COLUMNS = 4
_TEXT = SIZE[0] - _COLUMNS * CELL - 2 * _MARGIN + 24
_BADGE = 96
_BRAND = 64
_BRAND_LEFT = _MARGIN + _BADGE + 22
_BASE = SIZE[1] - _MARGIN - _BADGE
"""Upper edge of the badge, to which the title reaches at most."""
_TIGHT = -0.02


def fit_title(title: str) -> tuple[int, list[str]]:
    """Return the largest font size at which the title fits into five lines above the brand, and its lines."""
    for size in (92, 84, 76, 68, 60, 54, 48, 42, 36, 30, 24, 18):
        lines = wrap(title, size, _TEXT, tracking=_TIGHT)
        fits = all(width(line, size, tracking=_TIGHT) <= _TEXT for line in lines)
        if fits and len(lines) <= min(5, (_BASE - _MARGIN) / (1.02 * size)):
            return size, lines
    msg = f"the title does not fit its share image: {title!r}"
    raise ValueError(msg)


def share_svg(name: str, title: str, signed: tuple[str, str], scheme: Scheme | None = None) -> str:
    """Return the picture of a page in the colours of its name; `signed` has the brand and the kind of page."""
    colours = scheme or scheme_of(name)
    wide, high = SIZE
    size, lines = fit_title(title)
    top = _MARGIN + size * 0.78
    words = "".join(
        path(outline(text, size, _MARGIN, top + size * 1.02 * row, tracking=_TIGHT), colours.text)
        for row, text in enumerate(lines)
    )
    badge = group(
        f"translate({_MARGIN} {_BASE})scale({_BADGE / MARK:.4f})",
        mark(square=INK if colours.background == BRAND else BRAND),
    )
    brand, kind = signed
    # A longer name is smaller.
    large = _BRAND * min(1, (_MARGIN + _TEXT - _BRAND_LEFT) / width(brand, _BRAND, tracking=_TIGHT))
    label = path(
        outline(brand, large, _BRAND_LEFT, _BASE + 48, tracking=_TIGHT)
        + outline(kind, 34, _BRAND_LEFT, _BASE + _BADGE, weight=500),
        colours.text,
    )
    # Complete cells in their own size keep every edge on a pixel; the last row is cropped a little.
    art = group(f"translate({wide - _COLUMNS * CELL} -45)", cloth(name, colours, _COLUMNS, 6))
    return document(wide, high, rect(0, 0, wide, high, colours.background) + art + words + badge + label)
