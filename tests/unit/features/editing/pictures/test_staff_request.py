"""A picture is described for those who do not see it, unless it is decorative."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.errors import InputRejected
from agency_site.features.editing.pictures.rules import NAME_LENGTH
from agency_site.features.editing.pictures.staff_request import PictureRequest, PictureUpload
from agency_site.form_input import read_form


def errors(**fields: object) -> dict[str, str]:
    with pytest.raises(InputRejected) as refused:
        read_form(PictureRequest, fields)
    return refused.value.by_field()


@pytest.mark.parametrize("fields", [{}, {"alt": "  "}, {"alt": None}, {"alt": "", "is_decorative": ""}])
def test_a_description_is_required(fields: dict[str, object]) -> None:
    assert errors(**fields) == {"alt": "Describe what the picture shows, or mark it as decorative."}


def test_a_decorative_picture_has_no_description() -> None:
    request = read_form(PictureRequest, {"alt": "Pattern", "is_decorative": "on"})
    assert (request.alt, request.is_decorative) == ("", True)


@pytest.mark.parametrize("value", ["-1", "101", "5.5", "x", "1e2", "0x5", "999999", True, 7.5, ["5"]])
def test_a_focal_point_outside_of_the_picture_is_refused(value: object) -> None:
    assert errors(alt="Team", focus_x=value) == {"focus_x": "Enter a whole number from 0 to 100."}


def test_an_empty_focal_point_is_the_centre() -> None:
    request = read_form(PictureRequest, {"alt": "Team", "focus_x": "", "focus_y": "80"})
    assert (request.focus_x, request.focus_y) == (50, 80)


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
