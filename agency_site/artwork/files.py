"""Every drawn file of the site, by its path under `assets/`.

The functions take the names to draw for and return file contents; they know no page and no course.
`agency_site.artwork.command` calls them with what the site holds.
"""

import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from agency_site import brand as colours
from agency_site.artwork import mark
from agency_site.artwork.drawing import document, rect
from agency_site.artwork.lettering import outline, width
from agency_site.artwork.palette import SCHEMES, SUNRISE, Scheme
from agency_site.artwork.partners import partner
from agency_site.artwork.pattern import CELL, PHRASE, PLANS, band, cloth, cover, favourite
from agency_site.artwork.portraits import SCHEMES as CLOTHES
from agency_site.artwork.portraits import portrait
from agency_site.artwork.share import SIZE as SHARE_SIZE
from agency_site.artwork.share import share_svg
from agency_site.artwork.typefaces import TEXT
from agency_site.brand import BRAND, INK, PAPER, WHITE
from agency_site.content.partners import Partner
from agency_site.content.schema import Portrait

Files = dict[str, bytes]
"""Contents by path under `assets/`."""

DRAWINGS = Path(__file__).with_name("drawings")
"""Sources of drawings by hand. `$INK` and other names of `brand.py` are colours, `$SIGN` is the map's sign."""
SOURCE = "Source"
"""Key of the PNG's text with a digest of its source; the PNG specification names it."""
_PNG_HEAD = 400
"""Bytes of a PNG before its pixels in which `SOURCE` is written."""
_DRAWING = re.compile(
    rb'<svg xmlns="http://www\.w3\.org/2000/svg"( width="(\d+)" height="(\d+)" viewBox="0 0 \2 \3"| viewBox="0 0 48 48")>'
    rb"[^\n]*</svg>\n"
)
"""An SVG of `drawing.document` or `mark`. Drawing programs write other attributes and several lines."""
_PALETTE_COLOURS = 48
"""Colours of a raster picture: enough for flat art with smooth edges, and the file stays under 40 KB."""


@dataclass(frozen=True)
class SharePage:
    """The share image of a page: file name, title, kind of page, and colours (None derives them from the name)."""

    name: str
    title: str
    kind: str
    scheme: Scheme | None = None


def _text(drawings: Mapping[str, str]) -> Files:
    return {path: drawing.encode() for path, drawing in drawings.items()}


def in_turn(slugs: Sequence[str], options: Sequence[str]) -> dict[str, str]:
    """Return for each slug its favourite option that no earlier slug of the round has, so that neighbours differ.

    A new slug at the end leaves the others as they are.
    """
    chosen: dict[str, str] = {}
    for place, slug in enumerate(slugs):
        used = list(chosen.values())[place - place % len(options) :]
        chosen[slug] = favourite(slug, options, used)
    return chosen


def covers(slugs: Sequence[str]) -> Files:
    """Covers of entries that are shown side by side: `art/covers/<slug>.svg`."""
    schemes = {scheme.name: scheme for scheme in SCHEMES}
    colours, plans = in_turn(slugs, list(schemes)), in_turn(slugs, list(PLANS))
    return _text(
        {f"art/covers/{slug}.svg": cover(slug, schemes[colours[slug]], plans[slug]) for slug in slugs}
    )


def heads(looks: Mapping[str, str]) -> Files:
    """Square fields beside the words at the head of a page: `art/heads/<slug>.svg`; values are names of schemes."""
    schemes = {scheme.name: scheme for scheme in SCHEMES}
    side = 5
    return _text(
        {
            f"art/heads/{slug}.svg": document(
                side * CELL, side * CELL, cloth(f"{slug} head", schemes[look], side, side)
            )
            for slug, look in looks.items()
        }
    )


def bands(names: Sequence[str], own: Mapping[str, Scheme]) -> Files:
    """Edges that repeat without a seam: `art/bands/<name>.svg`; `own` fixes the colours of some."""
    return _text({f"art/bands/{name}.svg": band(name, PHRASE, scheme=own.get(name)) for name in names})


def partner_marks(partners: Iterable[Partner]) -> Files:
    """Word marks of partners: `images/…`. A logo of another name is the partner's own."""
    return _text(
        {
            f"images/{each.logo}": partner(int(each.id), each.name)
            for each in partners
            if each.logo == f"partner-{each.id}.svg"
        }
    )


def drawings(place: str) -> Files:
    """Return the drawings by hand in the colours of `brand.py`; the map has the name of the `place` at its pin."""
    named = {name: value for name, value in vars(colours).items() if isinstance(value, str)}
    sources = {str(file.relative_to(DRAWINGS)): file.read_text() for file in DRAWINGS.rglob("*.svg")}
    return _text(
        {path: Template(source).substitute(named, SIGN=_sign(place)) for path, source in sources.items()}
    )


def _sign(place: str) -> str:
    background = rect(34, -96, width(place, 24, 700, TEXT, 0.01) + 36, 48, INK, 24)
    letters = outline(place, 48, weight=700, file=TEXT, tracking=0.01)
    return f'{background}<path transform="translate(52 -64)scale(0.50)" fill="{WHITE}" d="{letters}"/>'


def portraits(people: Iterable[tuple[str, Portrait | None]], stride: int = 1) -> Files:
    """Portraits by the path that their record gives; a record without a description has a photograph.

    Neighbours wear different colours; `stride` chooses every n-th scheme.
    """
    return _text(
        {
            image.removeprefix("/"): portrait(person, CLOTHES[place * stride % len(CLOTHES)])
            for place, (image, person) in enumerate(people)
            if person
        }
    )


def _raster(svg: str, width: int, height: int) -> Any:
    """An SVG as a Pillow picture without transparency loss."""
    # CairoSVG is a development tool: the running site only serves finished pictures.
    import cairosvg
    from PIL import Image

    png = cairosvg.svg2png(bytestring=svg.encode(), output_width=width, output_height=height)
    return Image.open(io.BytesIO(png)).convert("RGBA")


def png(svg: str, width: int, height: int) -> bytes:
    """An SVG as a small PNG; its palette is cut to `_PALETTE_COLOURS`."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    flat = _raster(svg, width, height).convert("RGB")
    flat = flat.quantize(_PALETTE_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    note = PngInfo()
    note.add_text(SOURCE, drawn_from(svg))
    out = io.BytesIO()
    flat.save(out, format="PNG", optimize=True, pnginfo=note)
    return out.getvalue()


def drawn_from(svg: str) -> str:
    """Return the digest of the drawing that a PNG stores. Its pixels depend on the machine, the digest does not."""
    return hashlib.sha256(svg.encode()).hexdigest()[:16]


def _icon_file(svg: str, sizes: Sequence[int] = (16, 32, 48)) -> bytes:
    """An SVG as a Windows icon that holds the given sizes."""
    drawn = [_raster(svg, size, size) for size in sizes]
    out = io.BytesIO()
    drawn[-1].save(out, format="ICO", sizes=[(size, size) for size in sizes], append_images=drawn[:-1])
    return out.getvalue()


def manifest(name: str, short_name: str, description: str) -> str:
    """The web app manifest (W3C): name, colours and icons for a phone's home screen."""
    icons = [
        {"src": f"/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": "any"}
        for size in (192, 512)
    ]
    icons.append(
        {"src": "/icon-maskable-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable"}
    )
    record = {
        "name": name,
        "short_name": short_name,
        "description": description,
        "lang": "en-KE",
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "minimal-ui",
        "background_color": PAPER,
        "theme_color": BRAND,
        "icons": icons,
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def brand_vectors() -> Files:
    """The mark as vector files."""
    return _text(
        {
            "logo.svg": mark.logo_svg(),
            "favicon.svg": mark.favicon_svg(),
            "images/mark-ink.svg": mark.one_colour_svg(),
        }
    )


def brand_rasters() -> Files:
    """The mark in the sizes that browsers and phones ask for."""
    app = mark.app_icon_svg()
    return {
        "favicon.ico": _icon_file(mark.favicon_svg()),
        "apple-touch-icon.png": png(app, 180, 180),
        "icon-192.png": png(app, 192, 192),
        "icon-512.png": png(app, 512, 512),
        "icon-maskable-512.png": png(mark.maskable_svg(), 512, 512),
    }


def share_sources(pages: Sequence[SharePage], brand: str) -> dict[str, str]:
    """Return the SVG of each share image by page name; colours rotate, so that pages differ."""
    schemes = {scheme.name: scheme for scheme in SCHEMES}
    chosen = in_turn([page.name for page in pages], list(schemes))
    return {
        page.name: share_svg(
            page.name, page.title, (brand, page.kind), page.scheme or schemes[chosen[page.name]]
        )
        for page in pages
    }


def share_images(pages: Sequence[SharePage], brand: str) -> Files:
    """Share images as PNG: `share/<name>.png`."""
    sources = share_sources(pages, brand)
    return {f"share/{name}.png": png(svg, *SHARE_SIZE) for name, svg in sources.items()}


def was_drawn(file: Path) -> bool:
    """Return whether a picture is a drawing of ours, which may be replaced, not a photograph or a client's logo."""
    if file.suffix == ".svg":
        return _DRAWING.fullmatch(file.read_bytes()) is not None
    if file.suffix == ".png":
        return SOURCE.encode() in file.read_bytes()[:_PNG_HEAD]
    return True


def write(root: Path, files: Files) -> tuple[list[str], list[str]]:
    """Write the files that differ from those under `root`.

    Returns the paths that changed, and those of pictures that were not drawn by us and stay as they are.
    """
    changed, left = [], []
    for name, content in files.items():
        target = root / name
        if target.is_file():
            if target.read_bytes() == content:
                continue
            if not was_drawn(target):
                left.append(name)
                continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        changed.append(name)
    return changed, left


OWN_COLOURS: dict[str, Scheme] = {"footer": SUNRISE}
"""Bands whose colours a designer chose."""
