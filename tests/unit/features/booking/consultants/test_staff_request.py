"""The form of a consultant."""

import pytest

from agency_site.errors import InputRejected
from agency_site.features.booking.consultants.staff_request import ConsultantRequest
from agency_site.form_input import read_form

SOUND = {"name": "Wanjiru Kamau", "karen": "on"}


def errors_of(**changes: object) -> dict[str, str]:
    with pytest.raises(InputRejected) as rejected:
        read_form(ConsultantRequest, SOUND | changes)
    return rejected.value.by_field()


def test_a_form_becomes_columns() -> None:
    form = SOUND | {
        "name": "  Wanjiru   Kamau ",
        "email": " Wanjiru@Example.com ",
        "video": "on",
        "video_link": "https://meet.example/wanjiru",
        "monday": "09:00 \u2013 12:00",
        "sunday": " ",
    }
    assert read_form(ConsultantRequest, form).columns() == {
        "name": "Wanjiru Kamau",
        "email": "Wanjiru@example.com",
        "video_link": "https://meet.example/wanjiru",
        "ways": "karen video",
        "hours": {"0": "09:00-12:00"},
    }


def test_a_name_and_one_way_are_enough() -> None:
    columns = read_form(ConsultantRequest, SOUND).columns()
    assert (columns["hours"], columns["ways"], columns["email"], columns["video_link"]) == (
        {},
        "karen",
        "",
        "",
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("email", "wanjiru"),
        ("monday", "9-25"),
        ("sunday", "12:00-09:00"),
        ("video_link", "http://meet.example"),
        ("video_link", "https://"),
        ("video_link", "https://user@meet.example/room"),
        ("video_link", "https://[meet"),
        ("video_link", "javascript:alert(1)"),
    ],
)
def test_a_wrong_value_has_a_message_at_its_field(field: str, value: str) -> None:
    assert errors_of(**{field: value}).keys() == {field}


def test_without_a_way_the_form_is_rejected() -> None:
    assert errors_of(karen="") == {"video": "Please choose at least one way to meet clients."}
