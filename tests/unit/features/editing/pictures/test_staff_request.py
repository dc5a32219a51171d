"""What staff enter about a picture: its file's name, its focal point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.editing.pictures.rules import NAME_LENGTH
from agency_site.features.editing.pictures.staff_request import PictureUpload, parse_share
from agency_site.form_input import read_form


@pytest.mark.parametrize("value", ["-1", "101", "5.5", "x", "1e2", "0x5", "999999", True, 7.5, ["5"]])
def test_a_focal_point_outside_of_the_picture_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"Enter a whole number from 0 to 100\."):
        parse_share(value)


@pytest.mark.parametrize(("typed", "share"), [("", 50), ("80", 80)])
def test_an_empty_focal_point_is_the_centre(typed: str, share: int) -> None:
    assert parse_share(typed) == share


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("IMG_1.jpg", "IMG_1.jpg"),
        ("C:\\Users\\a\\b.png", "b.png"),
        ("../../etc/passwd", "passwd"),
        ("", "picture"),
        (None, "picture"),
    ],
)
def test_a_picture_is_named_after_its_file(filename: str | None, name: str) -> None:
    assert read_form(PictureUpload, {"name": filename}).name == name


@given(st.text())
def test_any_file_name_is_stored(filename: str) -> None:
    name = read_form(PictureUpload, {"name": filename}).name
    assert 1 <= len(name) <= NAME_LENGTH
    assert name.isprintable()
