"""Files of art: names, neighbours that differ, writing only what changed."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.artwork.files import (
    SharePage,
    brand_rasters,
    covers,
    in_turn,
    manifest,
    png,
    share_sources,
    write,
)

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

    assert set(write(tmp_path, files)) == set(files)
    assert write(tmp_path, files) == []
    (tmp_path / "art/covers/meta-ads.svg").write_text("spoilt")
    assert write(tmp_path, files) == ["art/covers/meta-ads.svg"]


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
