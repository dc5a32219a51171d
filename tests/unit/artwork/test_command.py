"""The committed files under `assets/` are those that the art command draws."""

from functools import cache

import pytest
from PIL import Image

from agency_site.artwork import command
from agency_site.artwork.command import ASSETS, share_pages, vectors
from agency_site.artwork.files import SOURCE, Files, SharePage, drawn_from, share_sources, was_drawn
from agency_site.artwork.share import SIZE
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.services import SERVICES

SMALL = 40_000
"""Bytes of a share image at most."""


@cache
def _drawn() -> Files:
    return vectors()


def _size(*parts: str) -> tuple[int, int]:
    with Image.open(ASSETS.joinpath(*parts)) as picture:
        return picture.size


def test_every_vector_file_is_committed_as_drawn() -> None:
    stale = [
        name
        for name, content in _drawn().items()
        if not (file := ASSETS / name).is_file() or (was_drawn(file) and file.read_bytes() != content)
    ]

    assert stale == [], "run `make art`"


def test_every_committed_drawing_is_recognised_as_one() -> None:
    files = [ASSETS / name for name in _drawn()] + [
        ASSETS / "share" / f"{page.name}.png" for page in share_pages()
    ]
    assert [file for file in files if file.is_file() and not was_drawn(file)] == []


def test_every_service_and_article_has_a_cover() -> None:
    slugs = [service.slug for service in SERVICES] + [article.slug for article in ARTICLES]

    assert {f"art/covers/{slug}.svg" for slug in slugs} <= set(_drawn())


def test_a_title_that_cannot_be_drawn_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "share_pages", lambda: (SharePage("blog", "Brands \u2728", "Blog"),))
    assert command.main() == 1
    assert capsys.readouterr().err == (
        "Nothing was drawn: the font has no letters for '\u2728' in 'Brands \u2728'.\n"
    )


def test_no_two_covers_are_alike() -> None:
    covers = [content for name, content in _drawn().items() if name.startswith("art/covers/")]

    assert len(covers) == len(set(covers))


@pytest.mark.parametrize("name", [page.name for page in share_pages()])
def test_a_share_image_has_its_size_and_stays_small(name: str) -> None:
    file = ASSETS / "share" / f"{name}.png"

    assert file.is_file(), "run `make art`"
    assert _size("share", f"{name}.png") == SIZE
    assert file.stat().st_size <= SMALL


def test_every_share_image_is_drawn_from_what_its_page_says_now() -> None:
    stale = []
    for name, svg in share_sources(share_pages(), BRAND.name).items():
        file = ASSETS / "share" / f"{name}.png"
        if not file.is_file():
            stale.append(name)
            continue
        with Image.open(file) as picture:
            if was_drawn(file) and picture.info.get(SOURCE) != drawn_from(svg):
                stale.append(name)

    assert stale == [], "run `make art`"


def test_no_share_image_is_left_of_a_page_that_is_gone() -> None:
    assert {file.stem for file in (ASSETS / "share").glob("*")} <= {page.name for page in share_pages()}


def test_icons_of_the_brand_have_their_sizes() -> None:
    sizes = {"icon-192": 192, "icon-512": 512, "icon-maskable-512": 512, "apple-touch-icon": 180}

    assert {name: _size(f"{name}.png") for name in sizes} == {
        name: (side, side) for name, side in sizes.items()
    }
    with Image.open(ASSETS / "favicon.ico") as icon:
        assert icon.info["sizes"] == {(16, 16), (32, 32), (48, 48)}
