"""The kinds of notices, and the channels by which they go out."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from agency_site.members import names
from agency_site.sms.rules import TextPurpose


class Channel(StrEnum):
    """The way by which a notice goes out."""

    MAIL = "mail"
    SMS = "sms"
    BOTH = "both"


class NoticeKind(StrEnum):
    """The kinds of notices that can be text messages."""

    BOOKING_CONFIRMED = "booking-confirmed"
    BOOKING_MOVED = "booking-moved"
    BOOKING_CANCELLED = "booking-cancelled"
    BOOKING_REMINDER = "booking-reminder"
    """The day before."""
    BOOKING_SOON = "booking-soon"
    """Two hours before."""
    PAYMENT_RECEIVED = "payment-received"
    PAYMENT_FAILED = "payment-failed"
    PAYMENT_LINK = "payment-link"
    PLACE_NAMED = "place-named"
    SESSION_CHANGED = "session-changed"
    SESSION_SOON = "session-soon"
    """One hour before a session, with the link to join it."""
    WAITING_OFFER = "waiting-offer"


NOTICE_NAMES: Mapping[Any, str] = names(
    {
        NoticeKind.BOOKING_CONFIRMED: "Booking confirmed",
        NoticeKind.BOOKING_MOVED: "Booking moved",
        NoticeKind.BOOKING_CANCELLED: "Booking cancelled",
        NoticeKind.BOOKING_REMINDER: "Booking reminder, the day before",
        NoticeKind.BOOKING_SOON: "Booking reminder, two hours before",
        NoticeKind.PAYMENT_RECEIVED: "Payment received",
        NoticeKind.PAYMENT_FAILED: "Payment failed",
        NoticeKind.PAYMENT_LINK: "Payment link",
        NoticeKind.PLACE_NAMED: "Place in a course",
        NoticeKind.SESSION_CHANGED: "Session changed",
        NoticeKind.SESSION_SOON: "Session reminder, one hour before",
        NoticeKind.WAITING_OFFER: "Place offered to the waiting list",
    }
)
"""The kinds as staff read them, wherever a notice, its text message or its mail is shown."""

ANSWERS = frozenset({NoticeKind.PAYMENT_RECEIVED, NoticeKind.PAYMENT_FAILED})
"""Kinds that always answer what the recipient has just done: their text messages go out at once."""
ANNOUNCEMENTS = frozenset(
    {
        NoticeKind.BOOKING_CONFIRMED,
        NoticeKind.BOOKING_MOVED,
        NoticeKind.BOOKING_CANCELLED,
        NoticeKind.PAYMENT_LINK,
        NoticeKind.PLACE_NAMED,
        NoticeKind.SESSION_CHANGED,
        NoticeKind.WAITING_OFFER,
    }
)
"""Kinds that come from what others have done, too: their text messages wait for the end of quiet hours, unless the notice answers
the recipient, or is needed before."""
REMINDERS = frozenset({NoticeKind.BOOKING_REMINDER, NoticeKind.BOOKING_SOON, NoticeKind.SESSION_SOON})
"""Kinds whose text messages need the recipient's consent."""


def find_purpose(kind: NoticeKind, needed_by: datetime | None, morning: datetime) -> TextPurpose:
    """Return the purpose of the text message of a notice.

    The recipient needs to know by `needed_by`, None for no certain moment; quiet hours end next in the `morning`.
    """
    if kind in REMINDERS:
        return TextPurpose.REMINDER
    can_wait = needed_by is None or needed_by > morning
    return TextPurpose.ANNOUNCEMENT if kind in ANNOUNCEMENTS and can_wait else TextPurpose.TRANSACTION
