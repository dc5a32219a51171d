"""The form of staff draws each detail of a client by its control."""

from enum import StrEnum

import pytest
import reflex as rx

from agency_site.backoffice.record_form import AREA, SELECT, FormField, describe_form, form_fields
from agency_site.features.booking.admin.bookings.record import CLIENT_FIELDS
from agency_site.fields import Control, Field


class Place(StrEnum):
    BY_PHONE = "by-phone"
    IN_KAREN = "in-karen"


PLACES = ((Place.BY_PHONE, "By phone"), (Place.IN_KAREN, "In karen"))
MORE = (
    Field("place", "Place", Control.CHOICE, choices=lambda: PLACES),
    Field("size", "Size", Control.CHOICE, is_required=False, empty="Not stated", options=("Small", "Large")),
    Field("plan", "Plan", Control.TEXT, longest=900, is_required=False),
    Field("town", "Town", longest=60, is_required=False),
)
FIELDS = {field.name: field for field in (*MORE, *CLIENT_FIELDS)}


@pytest.fixture
def fields() -> dict[str, FormField]:
    groups = describe_form((*MORE, *CLIENT_FIELDS), {})
    assert [group.heading for group in groups] == [""]
    return {field.name: field for field in groups[0].fields}


def options_of(field: FormField) -> list[tuple[str, str]]:
    return [(option.value, option.text) for option in field.options]


def test_the_topic_is_the_last_of_the_details(fields: dict[str, FormField]) -> None:
    assert [field.label for field in fields.values()][len(MORE) :] == [
        "Name",
        "Phone",
        "E-mail",
        "Service",
        "How",
        "Topic",
    ]


def test_a_choice_is_a_list_with_its_values_in_words(fields: dict[str, FormField]) -> None:
    assert fields["place"].shape == SELECT
    assert options_of(fields["place"]) == list(PLACES)
    assert fields["place"].optional == ""


def test_an_optional_choice_begins_with_an_empty_value(fields: dict[str, FormField]) -> None:
    assert fields["size"].shape == SELECT
    assert options_of(fields["size"]) == [("", "Not stated"), ("Small", "Small"), ("Large", "Large")]


def test_a_long_text_has_several_lines_and_a_short_one_does_not(fields: dict[str, FormField]) -> None:
    shapes = {name: (fields[name].shape, fields[name].longest) for name in ("plan", "message", "town")}
    assert shapes == {"plan": (AREA, 900), "message": (AREA, 2000), "town": ("text", 60)}
    assert [name for name, field in fields.items() if field.optional] == ["plan", "town", "email", "message"]


def test_details_have_the_keyboards_of_phones_and_the_limits_of_visitors(
    fields: dict[str, FormField],
) -> None:
    shapes = {name: (fields[name].shape, fields[name].longest) for name in ("fullname", "phone", "email")}
    assert shapes == {"fullname": ("text", 120), "phone": ("tel", 32), "email": ("email", 254)}
    assert fields["fullname"].capitalize == "words"


def test_screens_show_a_choice_in_words_and_text_unchanged() -> None:
    assert FIELDS["place"].words_of(Place.BY_PHONE) == "By phone"
    assert FIELDS["town"].words_of("by-phone") == "by-phone"
    assert FIELDS["service"].words_of("web-design") == "Web Design & Development"
    assert FIELDS["service"].words_of("") == ""


def test_a_choice_with_names_has_them_in_their_order(fields: dict[str, FormField]) -> None:
    assert [text for _, text in options_of(fields["way"])] == ["In Karen", "By phone", "By video"]
    assert options_of(fields["service"])[:2] == [
        ("", "Not stated"),
        ("web-design", "Web Design & Development"),
    ]


def test_one_component_draws_lists_texts_of_several_lines_and_inputs() -> None:
    page = str(form_fields(rx.Var.create(describe_form(CLIENT_FIELDS, {})), "f", rx.Var.create({"": ""})))
    assert all(element in page for element in ('"select"', '"textarea"', '"input"'))
