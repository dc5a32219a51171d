"""Business hours and the consultation slots (specification, section 9; readings, 14)."""

from datetime import time

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Hours, Opening

_WEEKDAY = Opening(opens=time(8), closes=time(17))

HOURS = Hours(
    week=(_WEEKDAY, _WEEKDAY, _WEEKDAY, _WEEKDAY, _WEEKDAY, Opening(opens=time(9), closes=time(13)), None),
    slots=(time(9), time(11), time(14), time(16)),
    slot_minutes=30,
)

BUSINESS_HOURS: tuple[tuple[str, str], ...] = (
    ("Monday to Friday", "8:00 AM to 5:00 PM"),
    ("Saturday", "9:00 AM to 1:00 PM"),
    ("Sunday", "closed"),
)
"""The texts of the same week for visitors (specification, section 9)."""


def hours() -> Hours:
    """Return the weekly hours and consultation times that hold now."""
    return published(Kind.HOURS, (HOURS,))[0]
