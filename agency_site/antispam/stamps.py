"""Stamps: the signed time at which the server sent a form that the browser posts by itself."""

from datetime import UTC, datetime, timedelta

from agency_site.clock import now
from agency_site.signing import is_signed, sign

_PURPOSE = "form-stamp"
_LIFETIME = timedelta(hours=12)
"""A stamp expires after this time; visitors may leave a page open for most of a day."""


def new_stamp() -> str:
    """Return the present time, signed."""
    issued = str(int(now().timestamp() * 1000))
    return f"{issued}-{sign(_PURPOSE, issued)}"


def read_stamp(stamp: str) -> datetime | None:
    """Return when the form was sent to the browser; None for a stamp that is forged or too old."""
    issued, _, signature = stamp.partition("-")
    if not (
        issued.isascii() and issued.isdigit() and len(issued) < 16 and is_signed(signature, _PURPOSE, issued)
    ):
        return None
    sent_at = datetime.fromtimestamp(int(issued) / 1000, UTC)
    return sent_at if now() - sent_at <= _LIFETIME else None
