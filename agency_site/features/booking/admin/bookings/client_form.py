"""The form fields of a client's details, which the booking screens share."""

from collections.abc import Container
from typing import Any

import reflex as rx

from agency_site.features.booking.admin.labels import CHOICE_NAMES, DETAIL_LABELS, name_choice
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.staff_request import ClientDetails
from agency_site.ui.forms import field, select_field, text_area

_LONG = 300
"""The most characters of a one-line field. Longer texts get several lines."""

_SPECIAL: dict[str, dict[str, Any]] = {
    "fullname": {"kind": "person"},
    "phonenumber": {"type": "tel", "placeholder": "0712 345 678"},
    "emailaddress": {"type": "email"},
}


def client_fields(
    form: str, draft: Any, errors: Any, *, rows: str, without: Container[str] = ()
) -> tuple[rx.Component, ...]:
    """A field for each of `DETAIL_LABELS` but those in `without`, the topic last. Long texts have the given rows."""
    schema = BookingRequest.model_json_schema()
    names = (name for name in DETAIL_LABELS if name not in without)
    return tuple(_client_field(form, name, draft, errors, rows, schema) for name in names)


def _client_field(
    form: str, name: str, draft: Any, errors: Any, rows: str, schema: dict[str, Any]
) -> rx.Component:
    shared: dict[str, Any] = {
        "form": form,
        "error": errors[name],
        "optional": "" if ClientDetails.model_fields[name].is_required() else "optional",
        "default_value": draft[name],
    }
    limit = schema["properties"][name].get("maxLength")
    if values := _find_choices(schema, name):
        options = [rx.el.option(name_choice(name, value), value=value) for value in values]
        if "" not in values:
            shared["optional"] = ""
        return select_field(DETAIL_LABELS[name], name, options, **shared)
    if limit and limit > _LONG:
        return text_area(
            DETAIL_LABELS[name], name, **shared, max_length=limit, auto_complete="off", rows=rows
        )
    special = _SPECIAL.get(name, {})
    return field(DETAIL_LABELS[name], name, **shared, max_length=limit, auto_complete="off", **special)


def _find_choices(schema: dict[str, Any], name: str) -> list[str]:
    """Return the values of an enum or `Literal` field, with an empty one if it may be None. Other fields have none."""
    property_schema = schema["properties"][name]
    kinds = [schema["$defs"][kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind
             for kind in property_schema.get("anyOf", [property_schema])]  # fmt: skip
    values = [value for kind in kinds for value in kind.get("enum", ())]
    order = list(CHOICE_NAMES.get(name, ()))
    values = sorted(values, key=lambda value: order.index(value) if value in order else -1)
    return ["", *values] if values and any(kind.get("type") == "null" for kind in kinds) else values
