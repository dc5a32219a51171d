"""Input that `make brand` accepts, and its messages for other input."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]
from fontTools.pens.t2CharStringPen import T2CharStringPen  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from agency_site import brand
from agency_site.artwork.brand_command import (
    PDF_FONT,
    BrandRefused,
    change,
    check_colours,
    family_name,
    find_faults,
    font_files,
    read_colour,
    read_font,
    with_value,
)
from agency_site.artwork.typefaces import DISPLAY, SOURCES, TEXT, at_weight, write_font
from agency_site.brand import BLUSH, BRAND, DEEP, INK, contrast

SOURCE = Path(brand.__file__).read_text(encoding="utf-8")
LETTERS = "".join(
    chr(code) for code in (*range(0x20, 0x7F), 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026)
)


def postscript_font(letters: str) -> TTFont:
    """A font with cubic outlines, as OTF files have: each letter is the same round shape."""
    names = [".notdef", *(f"uni{ord(letter):04X}" for letter in letters)]
    pen = T2CharStringPen(600, None)
    pen.moveTo((50, 0))
    pen.curveTo((50, 700), (550, 700), (550, 0))
    pen.closePath()
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(letter): f"uni{ord(letter):04X}" for letter in letters})
    builder.setupCFF("Round", {}, dict.fromkeys(names, pen.getCharString()), {})
    builder.setupHorizontalMetrics(dict.fromkeys(names, (600, 50)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Round", "styleName": "Bold"})
    builder.setupOS2()
    builder.setupPost()
    return builder.font


def saved(font: TTFont, path: Path) -> Path:
    path.write_bytes(write_font(font))
    return path


@pytest.mark.parametrize("text", ["#0b6e4f", "0B6E4F", " #0B6e4F "])
def test_a_colour_may_be_typed_in_several_ways(text: str) -> None:
    assert read_colour(text) == "#0B6E4F"
    assert read_colour("#abc") == "#AABBCC"


@pytest.mark.parametrize("text", ["green", "#12345", "rgb(1,2,3)", "#GGGGGG", '#fff"; import os'])
def test_what_is_no_colour_is_refused(text: str) -> None:
    with pytest.raises(BrandRefused, match="not a colour"):
        read_colour(text)


@pytest.mark.parametrize("colour", ["#F2C029", "#FFFFFF", "#7FD1AE", "#00FF00", "#999999"])
def test_a_colour_in_which_text_cannot_be_read_is_refused_with_a_darker_one(colour: str) -> None:
    with pytest.raises(BrandRefused, match=r"white on brand has \d\.\d\d:1") as refused:
        check_colours(with_value(SOURCE, "BRAND", colour))
    proposal = str(refused.value).rpartition("COLOUR=")[2]
    check_colours(with_value(SOURCE, "BRAND", proposal))


@pytest.mark.parametrize("colour", ["#0B6E4F", "#174A8B", "#6A1B9A", "#000000", "#333333", BRAND])
def test_relatives_of_a_readable_colour_are_readable(colour: str) -> None:
    check_colours(with_value(SOURCE, "BRAND", colour))


def test_each_text_that_cannot_be_read_is_named_with_its_place() -> None:
    faults = list(find_faults({**vars(brand), "MARIGOLD": "#333333"}))
    assert faults == ["ink on marigold has 1.42:1, needs 4.5:1 (text on marigold)"]
    assert contrast(INK, "#333333") == pytest.approx(1.42, abs=0.01)


def test_deep_and_blush_follow_the_brand() -> None:
    assert brand.darken(BRAND, 0.64) == DEEP
    assert brand.blush(BRAND) == BLUSH


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (lambda folder: folder / "missing.ttf", "No such file"),
        (lambda folder: folder, "Is a directory"),
        (lambda folder: _text(folder), "no font that can be read"),
        (lambda folder: _cut_short(folder), "no font that can be read"),
        (lambda folder: saved(postscript_font("AB "), folder / "few.otf"), "no letters for: ! "),
    ],
)
def test_what_is_no_usable_font_is_refused(
    content: Callable[[Path], Path], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(BrandRefused, match=reason):
        read_font(content(tmp_path))


def _text(folder: Path) -> Path:
    file = folder / "font.ttf"
    file.write_text("not a font")
    return file


def _cut_short(folder: Path) -> Path:
    file = folder / "short.ttf"
    file.write_bytes(write_font(at_weight(TEXT, 700))[:9000])
    return file


def test_a_refused_font_changes_nothing(tmp_path: Path) -> None:
    before = PDF_FONT.read_bytes()
    with pytest.raises(BrandRefused):
        change("#0B6E4F", str(_text(tmp_path)))
    assert Path(brand.__file__).read_text(encoding="utf-8") == SOURCE
    assert PDF_FONT.read_bytes() == before


@pytest.mark.parametrize("kind", ["one weight", "every weight", "postscript"])
def test_every_kind_of_font_becomes_the_two_files_of_headings(kind: str, tmp_path: Path) -> None:
    bounds = {
        "one weight": lambda: at_weight(TEXT, 600),
        "every weight": lambda: TTFont(SOURCES / TEXT),
        "postscript": lambda: postscript_font(LETTERS),
    }[kind]()
    drawn = {
        path.name: TTFont(BytesIO(content))
        for path, content in font_files(read_font(saved(bounds, tmp_path / "font"))).items()
    }
    assert set(drawn) == {DISPLAY, "Display-Bold.ttf"}
    assert drawn[DISPLAY].flavor == "woff2"
    assert "fvar" not in drawn["Display-Bold.ttf"]
    assert all(
        "glyf" in font and {ord(letter) for letter in LETTERS} <= set(font.getBestCmap())
        for font in drawn.values()
    )


def test_a_family_has_a_name_for_stylesheets_that_the_text_does_not_have() -> None:
    assert family_name(postscript_font(LETTERS)) == "Round"
    text = at_weight(TEXT, 700)
    text["name"].setName(brand.TEXT_FONT, 16, 3, 1, 0x409)
    assert family_name(text) == f"{brand.TEXT_FONT} Headings"
