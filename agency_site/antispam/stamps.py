"""Stamps: the signed time at which the server sent a form that the browser posts by itself."""

from datetime import UTC, datetime, timedelta

from agency_site.clock import now
from agency_site.signing import is_signed, sign

_PURPOSE = "form-stamp"
_LIFETIME = timedelta(hours=12)
"""A page that was opened longer ago asks once more: somebody may have read it for a whole day."""


def new_stamp() -> str:
    """The present time, signed."""
    issued = str(int(now().timestamp() * 1000))
    return f"{issued}-{sign(_PURPOSE, issued)}"


def read_stamp(stamp: str) -> datetime | None:
    """When the form was sent to the browser; None for a stamp that is not ours or too old."""
    issued, _, signature = stamp.partition("-")
    if not (
        issued.isascii() and issued.isdigit() and len(issued) < 16 and is_signed(signature, _PURPOSE, issued)
    ):
        return None
    sent_at = datetime.fromtimestamp(int(issued) / 1000, UTC)
    return sent_at if now() - sent_at <= _LIFETIME else None
