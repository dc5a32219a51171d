"""The brand's colours are written once: everything else reads them from `agency_site/brand.py` or from CSS variables."""

import re
from pathlib import Path

import pytest

from agency_site import brand
from agency_site.artwork.brand_command import find_faults

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {"assets/styles/tokens.css", "assets/site.webmanifest"}
PALETTE = {
    name: value
    for name, value in vars(brand).items()
    if isinstance(value, str) and re.fullmatch(r"#[0-9A-F]{6}", value) and value != brand.WHITE
}


def _written_by_hand() -> list[Path]:
    kinds = {".py", ".html", ".css", ".js", ".jsx", ".webmanifest"}
    files = [*(ROOT / "agency_site").rglob("*"), *(ROOT / "assets").rglob("*")]
    names = {file: str(file.relative_to(ROOT)) for file in files if file.suffix in kinds}
    # The build links scripts into `assets/external`, and old links may lead nowhere.
    return [
        file
        for file, name in names.items()
        if name not in GENERATED and not name.startswith("assets/external")
    ]


@pytest.mark.parametrize("name", PALETTE)
def test_each_colour_of_the_brand_is_written_in_one_file(name: str) -> None:
    value = PALETTE[name]
    channels = ", ".join(str(channel) for channel in brand.channels(value))
    spelling = re.compile(rf"(#|%23){value[1:]}|\({re.escape(channels)}\)", re.IGNORECASE)
    results = [file.relative_to(ROOT) for file in _written_by_hand() if spelling.search(file.read_text())]
    assert set(results) <= {Path("agency_site/brand.py")}


def test_the_stylesheet_has_the_colours_and_fonts_of_the_brand() -> None:
    css = (ROOT / "assets/styles/tokens.css").read_text(encoding="utf-8")
    assert f"--color-brand: {brand.BRAND};" in css
    for family, file in (
        (brand.DISPLAY_FONT, brand.DISPLAY_FONT_FILE),
        (brand.TEXT_FONT, brand.TEXT_FONT_FILE),
    ):
        assert f'font-family: "{family}";\n  src: url("/fonts/{file}")' in css


def test_the_fonts_that_are_published_are_those_that_pages_load() -> None:
    files = {file.name for file in (ROOT / "assets/fonts").glob("*.woff2")}
    assert files == {brand.DISPLAY_FONT_FILE, brand.TEXT_FONT_FILE}


def test_all_text_is_readable_in_the_colours_of_the_brand() -> None:
    assert list(find_faults(vars(brand))) == []
