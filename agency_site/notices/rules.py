"""The kinds of notices, and the channels by which they go out."""

from enum import StrEnum

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


REMINDERS = frozenset({NoticeKind.BOOKING_REMINDER, NoticeKind.BOOKING_SOON, NoticeKind.SESSION_SOON})
"""Kinds whose text messages need the recipient's consent."""


def find_purpose(kind: NoticeKind) -> TextPurpose:
    """Return the purpose of the text messages of a kind."""
    return TextPurpose.REMINDER if kind in REMINDERS else TextPurpose.TRANSACTION
