"""Files of art: names, neighbours that differ, writing only what changed."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.artwork.drawing import document
from agency_site.artwork.files import (
    SharePage,
    brand_rasters,
    covers,
    in_turn,
    manifest,
    partner_marks,
    png,
    share_sources,
    write,
)
from agency_site.content.partners import Partner

NAMES = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), unique=True, max_size=12)


@given(NAMES)
def test_neighbours_choose_different_options_while_they_last(names: list[str]) -> None:
    chosen = list(in_turn(names, ("a", "b", "c", "d")).values())

    assert all(
        len(set(chosen[start : start + 4])) == len(chosen[start : start + 4]) for start in range(0, 12, 4)
    )


@given(NAMES, st.from_regex(r"[A-Z]{1,8}", fullmatch=True))
def test_a_new_name_at_the_end_changes_no_other(names: list[str], newcomer: str) -> None:
    before = in_turn(names, ("a", "b", "c"))
    after = in_turn([*names, newcomer], ("a", "b", "c"))

    assert {name: after[name] for name in names} == before


def test_covers_of_one_row_have_different_grounds() -> None:
    grounds = {drawing.split(b'fill="', 1)[1][:7] for drawing in covers(("one", "two", "three")).values()}

    assert len(grounds) >= 2


def test_writing_twice_changes_nothing(tmp_path: Path) -> None:
    files = covers(("google-ads", "meta-ads"))

    assert {*write(tmp_path, files)[0]} == {*files}
    assert write(tmp_path, files) == ([], [])
    (tmp_path / "art/covers/meta-ads.svg").write_text(document(9, 9, ""))
    assert write(tmp_path, files) == (["art/covers/meta-ads.svg"], [])


def test_pages_of_one_round_have_different_share_images() -> None:
    sources = share_sources([SharePage(name, "Same title", "Course") for name in ("a", "b", "c")], "Mwanga")

    assert len(set(sources.values())) == 3


def test_the_manifest_names_icons_that_are_drawn() -> None:
    pytest.importorskip("cairosvg")
    icons = json.loads(manifest("Mwanga Digital", "Mwanga", "An agency"))["icons"]

    assert {icon["src"].lstrip("/") for icon in icons} <= set(brand_rasters())


def test_a_png_has_the_size_that_was_asked_for() -> None:
    pytest.importorskip("cairosvg")
    from PIL import Image

    drawn = Image.open(
        io.BytesIO(png('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"></svg>', 40, 20))
    )

    assert drawn.size == (40, 20)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("images/kenya-fresh.png", b"\x89PNG\r\n\x1a\n photograph"),
        ("share/about.png", b"\x89PNG\r\n\x1a\n of a designer"),
        (
            "images/logo.svg",
            b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>\n',
        ),
        (
            "images/flat.svg",
            b'<svg width="9" height="9" viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg"></svg>\n',
        ),
    ],
)
def test_a_picture_that_was_not_drawn_here_is_never_replaced(tmp_path: Path, name: str, own: bytes) -> None:
    file = tmp_path / name
    file.parent.mkdir()
    file.write_bytes(own)
    drawing = document(9, 9, "").encode() if name.endswith(".svg") else png(document(9, 9, ""), 9, 9)
    assert write(tmp_path, {name: drawing}) == ([], [name])
    assert file.read_bytes() == own


def test_only_marks_under_their_own_name_are_drawn_for_partners() -> None:
    partners = [
        Partner(id="1", name="Partner 1", logo="partner-1.svg"),
        Partner(id="2", name="Kenya Fresh", logo="kenya-fresh.png"),
        Partner(id="3", name="Jua", logo="jua.svg"),
    ]
    assert set(partner_marks(partners)) == {"images/partner-1.svg"}
