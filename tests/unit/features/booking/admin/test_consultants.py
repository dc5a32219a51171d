"""The form of a consultant."""

import pytest

from agency_site.backoffice import records
from agency_site.errors import InputRejected
from agency_site.features.booking.admin.consultants import CONSULTANTS
from agency_site.features.booking.consultants.tables import Consultant

SOUND = {"name": "Wanjiru Kamau", "ways": "karen"}


def store(form: dict[str, str]) -> Consultant:
    """Return a new row with the values of the form."""
    row: Consultant = CONSULTANTS.table()
    values = records.parse_fields(CONSULTANTS.fields, form)
    for field in CONSULTANTS.fields:
        field.store(row, values[field.name])
    return row


def errors_of(**changes: str) -> dict[str, str]:
    with pytest.raises(InputRejected) as rejected:
        records.parse_fields(CONSULTANTS.fields, SOUND | changes)
    return rejected.value.by_field()


def test_a_form_becomes_columns() -> None:
    row = store(
        SOUND
        | {
            "name": "  Wanjiru   Kamau ",
            "email": " Wanjiru@Example.com ",
            "ways": "video\nkaren",
            "video_link": "https://meet.example/wanjiru",
            "monday": "09:00 \u2013 12:00",
            "sunday": " ",
        }
    )
    assert (row.name, row.email, row.video_link) == (
        "Wanjiru Kamau",
        "Wanjiru@example.com",
        "https://meet.example/wanjiru",
    )
    assert (row.ways, row.hours) == ("karen video", {"0": "09:00-12:00"})


def test_a_name_and_one_way_are_enough() -> None:
    row = store(SOUND)
    assert (row.hours, row.ways, row.email, row.video_link) == ({}, "karen", "", "")


def test_the_form_shows_what_is_stored_and_reads_it_back() -> None:
    row = store(SOUND | {"ways": "karen\nvideo", "tuesday": "9:00-13:00", "sunday": "10:00-11:00"})
    texts = CONSULTANTS.texts(row)
    assert (texts["ways"], texts["tuesday"], texts["monday"]) == ("karen\nvideo", "09:00-13:00", "")
    again = store(texts)
    assert (again.ways, again.hours, again.name) == (row.ways, row.hours, row.name)


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


@pytest.mark.parametrize("ways", ["", "\n", "pigeon"])
def test_without_a_way_the_form_is_rejected(ways: str) -> None:
    assert errors_of(ways=ways) == {"ways": "Please choose at least one way to meet clients."}
