"""Text messages that staff start from: they choose one, change it and send it."""

from collections.abc import Mapping
from dataclasses import dataclass

from agency_site.content.brand import BRAND

LINK_NAME = "link"
LINK = f"{{{LINK_NAME}}}"
"""Stays in a text until it is sent: then the private link of the record replaces it."""


@dataclass(frozen=True)
class StaffText:
    """A text for one kind of record. `{first_name}` and the other values of the record in it are replaced."""

    key: str
    label: str
    text: str

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with the values of a record; the place of the link stays."""
        return self.text.format_map({**values, LINK_NAME: LINK})


_CALL = StaffText(
    "call", "Please call us", f"Hello {{first_name}}, please call {BRAND.name} on {BRAND.phone_e164}."
)
_MISSED = StaffText(
    "missed",
    "We tried to call",
    f"Hello {{first_name}}, we tried to call you. Please call {BRAND.name} on {BRAND.phone_e164}.",
)

CLIENT_TEXTS = (_CALL, _MISSED)
BOOKING_TEXTS = (
    StaffText(
        "booking",
        "Link to the booking",
        f"Hello {{first_name}}, your consultation at {BRAND.name}: {{time}}. See, move or cancel it: {{link}}",
    ),
    *CLIENT_TEXTS,
)
ORDER_TEXTS = (
    StaffText(
        "order",
        "Link to the order",
        f"Hello {{first_name}}, your order {{reference}} at {BRAND.name}, with all ways to pay: {{link}}",
    ),
    *CLIENT_TEXTS,
)
LEARNER_TEXTS = (
    StaffText(
        "learner",
        "Link to the course page",
        f"Hello {{first_name}}, your course page at {BRAND.name}, with dates and materials: {{link}}",
    ),
    *CLIENT_TEXTS,
)
