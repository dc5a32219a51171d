"""`python -m agency_site.artwork.brand_command --colour=… --font=…` (`make brand`): change the colour or the font of headings.

Writes `brand.py` and the two files of the font that the project keeps, then draws all pictures again. Whatever is refused changes
nothing.
"""

import argparse
import logging
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from textwrap import shorten

from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
from fontTools.pens.cu2quPen import Cu2QuPen  # type: ignore[import-untyped]
from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont, TTLibError  # type: ignore[import-untyped]

from agency_site import brand
from agency_site.artwork.typefaces import (
    BOLD,
    DISPLAY,
    FEATURES,
    LATIN,
    SOURCES,
    fix_weight,
    subset_font,
    write_font,
)
from agency_site.brand import READABLE, contrast, darken

BRAND_FILE = Path(brand.__file__)
ROOT = BRAND_FILE.parents[1]
PDF_FONT = BRAND_FILE.parent / "pdf" / "fonts" / "Display-Bold.ttf"
PAIRS = (
    ("WHITE", "BRAND", "buttons, bands"),
    ("BRAND", "PAPER", "links"),
    ("WHITE", "DEEP", "buttons under the pointer"),
    ("DEEP", "SAND", "links on sand"),
    ("DEEP", "BLUSH", "signs"),
    ("INK", "BLUSH", "text on blush"),
    ("BLUSH", "INK", "messages in the footer"),
    ("INK", "PAPER", "text"),
    ("INK", "SAND", "text on sand"),
    ("INK", "MARIGOLD", "text on marigold"),
    ("WHITE", "LEAF", "notices"),
    ("PAPER", "LAKE", "text on lake"),
    ("DANGER", "PAPER", "errors"),
    ("WHITE", "DANGER", "buttons that delete"),
)
"""Text colour, background colour and place of each pair whose contrast is checked."""
_WANTED = frozenset(range(0x20, 0x7F)) | {0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026}
"""Characters of headings and pictures, dashes and quotation marks included."""
_NAMES = LATIN | frozenset((*range(0x100, 0x250), *range(0x1E00, 0x1F00)))
"""Characters that PDF documents write in the font of headings, names included."""
_BUDGET = 65_000
"""Maximum size, in bytes, of both fonts that a visitor loads."""
_DEMANDING = 0x0002
"""Bit of OS/2 fsType that forbids embedding the font."""


class BrandRefused(Exception):
    """The colour or font cannot be used; the message gives the reason."""


def read_colour(text: str) -> str:
    """Return the typed colour as `#RRGGBB`; it may lack `#` or have three digits. Raises BrandRefused."""
    digits = text.strip().removeprefix("#").upper()
    if re.fullmatch(r"[0-9A-F]{3}", digits):
        digits = "".join(2 * digit for digit in digits)
    if not re.fullmatch(r"[0-9A-F]{6}", digits):
        raise BrandRefused(f"{text!r} is not a colour. Write it as six digits: COLOUR=#RRGGBB")
    return f"#{digits}"


def with_value(source: str, name: str, value: str) -> str:
    """Return the text of `brand.py` with a new value of a constant. Raises BrandRefused if its value is not a literal."""
    changed, places = re.subn(rf'^{name} = ".*"$', f'{name} = "{value}"', source, flags=re.MULTILINE)
    if places != 1:
        raise BrandRefused(f'agency_site/brand.py has no line {name} = "…"')
    return changed


def find_faults(colours: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each text whose contrast is too small; `colours` are values by name in `brand.py`."""
    for text, background, where in PAIRS:
        ratio = contrast(str(colours[text]), str(colours[background]))
        if ratio < READABLE:
            yield f"{text.lower()} on {background.lower()} has {ratio:.2f}:1, needs {READABLE}:1 ({where})"


def check_colours(source: str) -> None:
    """Check the contrasts of this `brand.py`. Raises BrandRefused with the nearest darker colour that is readable."""
    colours = _evaluate(source)
    faults = list(find_faults(colours))
    if not faults:
        return
    lines = [f"With {colours['BRAND']} as the brand's colour not everything can be read:", *faults]
    for percent in range(99, 0, -1):
        darker = darken(str(colours["BRAND"]), percent / 100)
        if not any(find_faults(_evaluate(with_value(source, "BRAND", darker)))):
            lines.append(f"The nearest darker colour that works: make brand COLOUR={darker}")
            break
    raise BrandRefused("\n  ".join(lines))


def _evaluate(source: str) -> dict[str, object]:
    """Return the constants of a `brand.py` with that text."""
    # Safe, because it is our own file with only a validated colour and font name changed.
    values: dict[str, object] = {"__name__": brand.__name__}
    exec(compile(source, BRAND_FILE.name, "exec"), values)  # noqa: S102
    return values


def read_font(path: Path) -> TTFont:
    """Read a font with TrueType outlines, of any weights. Raises BrandRefused."""
    try:
        font = TTFont(path, recalcTimestamp=False)
        lacking = sorted(_WANTED - set(font.getBestCmap() or ()))
    except (OSError, TTLibError, ImportError) as error:
        reason = getattr(error, "strerror", "") or error
        raise BrandRefused(f"{path} is no font that can be read (TTF, OTF, WOFF, WOFF2): {reason}") from None
    if lacking:
        signs = " ".join(chr(sign) for sign in lacking[:20]).strip()
        raise BrandRefused(f"{path} has no letters for: {signs}")
    if "glyf" in font:
        return font
    if "CFF " not in font and "CFF2" not in font:
        raise BrandRefused(f"{path} has no outlines that a page could show")
    return _with_quadratic_outlines(fix_weight(font, BOLD))


def _with_quadratic_outlines(font: TTFont) -> TTFont:
    """Return the font with TrueType outlines, which PDF documents and pictures need."""
    drawn, glyphs = {}, font.getGlyphSet()
    for name in font.getGlyphOrder():
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, font["head"].unitsPerEm / 1000, reverse_direction=True))
        drawn[name] = pen.glyph()
    for table in {"CFF ", "CFF2", "VORG"} & set(font.keys()):
        del font[table]
    builder = FontBuilder(font=font)
    builder.isTTF = True
    builder.setupGlyf(drawn)
    builder.setupMaxp()
    builder.setupPost()
    font.sfntVersion = "\x00\x01\x00\x00"
    return _reread(font)


def _reread(font: TTFont) -> TTFont:
    return TTFont(BytesIO(write_font(font)), recalcTimestamp=False)


def family_name(font: TTFont) -> str:
    """Return the font family for stylesheets. Raises BrandRefused, also if it is the family of the text."""
    stored_name = font["name"].getDebugName(16) or font["name"].getDebugName(1) or ""
    name = " ".join(re.findall(r"[A-Za-z0-9]+", stored_name))
    if not name:
        raise BrandRefused("The font has no name in Latin letters")
    return f"{name} Headings" if name == brand.TEXT_FONT else name


def font_files(font: TTFont) -> dict[Path, bytes]:
    """Return the files that the project stores of a font of headings: for pages and pictures, and for PDF documents."""
    full_font = write_font(font)
    bold = write_font(fix_weight(font, BOLD)) if "fvar" in font else full_font
    return {
        SOURCES / DISPLAY: subset_font(full_font, LATIN, "woff2", FEATURES),
        PDF_FONT: subset_font(bold, _NAMES, None, ()),
    }


def change(colour: str, font: str) -> None:
    """Change colour or font and draw everything. Raises BrandRefused, and then nothing is changed."""
    source, files = BRAND_FILE.read_text(encoding="utf-8"), {}
    if colour:
        source = with_value(source, "BRAND", read_colour(colour))
    check_colours(source)
    if font:
        read = read_font(Path(font).expanduser())
        source = with_value(source, "DISPLAY_FONT", family_name(read))
        _describe_licence(read)
        files = font_files(read)
    files[BRAND_FILE] = source.encode()
    before = {path: path.read_bytes() for path in files}
    for path, content in files.items():
        path.write_bytes(content)
    drawn = subprocess.run([sys.executable, "-m", "agency_site.artwork.command"], cwd=ROOT, check=False)
    if drawn.returncode:
        for path, content in before.items():
            path.write_bytes(content)
        raise BrandRefused("The pictures cannot be drawn so; nothing has changed.")
    _clear_fonts(source)


def _describe_licence(font: TTFont) -> None:
    names = font["name"]
    licence = names.getDebugName(14) or names.getDebugName(13) or "the file does not name it"
    _say(f"Licence of the font: {shorten(licence, 150)}. Add it to agency_site/artwork/fonts/LICENSE.txt.")
    if font["OS/2"].fsType & _DEMANDING:
        _say(
            "Its maker allows web pages to embed it only with a licence for that: make sure that you have it."
        )


def _clear_fonts(source: str) -> None:
    """Remove fonts that pages no longer load, and check the size of the others."""
    values, folder = _evaluate(source), ROOT / "assets" / "fonts"
    loaded = {values["DISPLAY_FONT_FILE"], values["TEXT_FONT_FILE"]}
    for file in folder.glob("*.woff2"):
        if file.name not in loaded:
            file.unlink()
    weight = sum(file.stat().st_size for file in folder.glob("*.woff2"))
    _say(f"Fonts of a page: {weight:,} bytes{', more than' if weight > _BUDGET else ' of'} {_BUDGET:,}.")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Change the brand; return the exit code."""
    parser = argparse.ArgumentParser(prog="make brand")
    parser.add_argument("--colour", default="", help="COLOUR=#RRGGBB")
    parser.add_argument("--font", default="", help="FONT=path/to/Font.ttf")
    chosen = parser.parse_args(arguments)
    # fontTools drops tables of font editors, such as FFTM, without a warning.
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    try:
        change(chosen.colour, chosen.font)
    except BrandRefused as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
