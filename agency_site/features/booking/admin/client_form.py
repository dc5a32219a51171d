"""Form fields that the booking screens share: the details of a client, and whether the client gets an e-mail."""

from typing import Any

import reflex as rx

from agency_site.features.booking.admin.labels import DETAIL_LABELS
from agency_site.features.booking.request import BookingDetails
from agency_site.features.booking.staff_request import ClientDetails
from agency_site.ui.forms import field, text_area

_LIMITS = {
    name: schema.get("maxLength") for name, schema in BookingDetails.model_json_schema()["properties"].items()
}
_SPECIAL: dict[str, dict[str, str]] = {
    "phonenumber": {"type": "tel", "placeholder": "0712 345 678"},
    "emailaddress": {"type": "email"},
}


def client_fields(form: str, draft: Any, errors: Any, *, rows: str) -> tuple[rx.Component, ...]:
    """A field for each of `DETAIL_LABELS`, the topic last with that many rows."""
    return tuple(_client_field(form, name, draft, errors, rows) for name in DETAIL_LABELS)


def _client_field(form: str, name: str, draft: Any, errors: Any, rows: str) -> rx.Component:
    element, special = (text_area, {"rows": rows}) if name == "message" else (field, _SPECIAL.get(name, {}))
    return element(
        DETAIL_LABELS[name],
        name,
        form=form,
        error=errors[name],
        optional="" if ClientDetails.model_fields[name].is_required() else "optional",
        default_value=draft[name],
        max_length=_LIMITS[name],
        auto_complete="off",
        **special,
    )
