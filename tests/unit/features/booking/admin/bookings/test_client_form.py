"""The form of staff draws each field of a booking by its type."""

from collections import defaultdict
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from pydantic import Field

from agency_site.features.booking.admin import labels
from agency_site.features.booking.admin.bookings import client_form
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.staff_request import ClientDetails


class Place(StrEnum):
    BY_PHONE = "by-phone"
    IN_KAREN = "in-karen"


class Visitors(BookingRequest):
    place: Place = Place.BY_PHONE
    size: Literal["small", "large"] | None = None
    plan: Annotated[str, Field(json_schema_extra={"maxLength": 900})] = ""
    town: Annotated[str, Field(json_schema_extra={"maxLength": 60})] = ""


class Staffs(ClientDetails):
    place: Place = Place.BY_PHONE
    size: Literal["small", "large"] | None = None
    plan: str = ""
    town: str = ""


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    more = {"place": "Place", "size": "Size", "plan": "Plan", "town": "Town"}
    monkeypatch.setattr(client_form, "DETAIL_LABELS", more | labels.DETAIL_LABELS)
    monkeypatch.setattr(client_form, "BookingRequest", Visitors)
    monkeypatch.setattr(client_form, "ClientDetails", Staffs)
    draft: defaultdict[str, str] = defaultdict(str)
    drawn = client_form.client_fields("f", draft, draft, rows="5")
    return dict(zip(more | labels.DETAIL_LABELS, map(str, drawn), strict=True))


def test_a_choice_is_a_list_with_its_values_in_words(fields: dict[str, str]) -> None:
    assert '"select"' in fields["place"]
    assert all(text in fields["place"] for text in ("by-phone", "By phone", "in-karen", "In karen"))
    assert "Not stated" not in fields["place"]
    assert "(optional)" not in fields["place"]


def test_an_optional_choice_begins_with_an_empty_value(fields: dict[str, str]) -> None:
    assert '"select"' in fields["size"]
    assert fields["size"].index("Not stated") < fields["size"].index("Small")
    assert "(optional)" in fields["size"]


def test_a_long_text_has_several_lines_and_a_short_one_does_not(fields: dict[str, str]) -> None:
    assert '"textarea"' in fields["plan"]
    assert '"textarea"' in fields["message"]
    assert '"input"' in fields["town"]


def test_screens_show_a_choice_in_words_and_text_unchanged() -> None:
    assert labels.describe_value("place", Place.BY_PHONE) == "By phone"
    assert labels.describe_value("town", "by-phone") == "by-phone"
    assert labels.describe_value("service", "web-design") == "Web Design & Development"
    assert labels.describe_value("service", "") == ""


def test_a_choice_with_names_has_them_in_their_order(fields: dict[str, str]) -> None:
    order = [fields["way"].index(text) for text in ("In Karen", "By phone", "By video")]
    assert order == sorted(order)
    assert fields["service"].index("Not stated") < fields["service"].index("Web Design & Development")
