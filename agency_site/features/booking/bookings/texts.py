"""The notices to clients about bookings: the mail, and the text message beside it."""

from dataclasses import replace
from datetime import datetime

from agency_site.clock import now
from agency_site.features.booking.bookings import emails
from agency_site.features.booking.bookings.rules import is_soon
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import WAY_PHRASES
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.mail.rules import Message
from agency_site.notices.rules import NoticeKind
from agency_site.notices.usecases import Notice, NoticeText
from agency_site.settings import settings


def confirmation(booking: Booking, token: str) -> Notice:
    key = f"booking-confirmed:{booking.reference}"
    mail = emails.confirmation(booking, token)
    words = emails.confirmation_key(booking)
    notice = _build_notice(
        NoticeKind.BOOKING_CONFIRMED, key, booking, mail, words, token, _end_of_use(booking)
    )
    return replace(notice, answers=True)


def move_notice(booking: Booking, token: str | None, before: datetime) -> Notice:
    mail = emails.move_notice(booking, token, before)
    notice = _build_change(NoticeKind.BOOKING_MOVED, "booking-moved", booking, mail, token)
    times = [start for start in (before, booking.starts_at) if start > now()]
    return replace(notice, text=notice.text and replace(notice.text, needed_by=min(times, default=None)))


def assignment_notice(booking: Booking, token: str | None) -> Notice:
    mail = emails.assignment_notice(booking, token)
    return _build_change(NoticeKind.BOOKING_MOVED, "booking-assigned", booking, mail, token)


def way_notice(booking: Booking, token: str | None) -> Notice:
    mail = emails.way_notice(booking, token)
    return _build_change(NoticeKind.BOOKING_MOVED, "booking-way", booking, mail, token)


def reinstatement_notice(booking: Booking, token: str | None) -> Notice:
    mail = emails.reinstatement_notice(booking, token)
    return _build_change(NoticeKind.BOOKING_CONFIRMED, "booking-restored", booking, mail, token)


def cancellation(booking: Booking) -> Notice:
    mail = emails.cancellation(booking)
    # The sequence is part of the key because a reinstated booking can be cancelled again.
    return _build_change(NoticeKind.BOOKING_CANCELLED, "booking-cancelled", booking, mail, None)


def reminder(booking: Booking, token: str | None, moment: datetime) -> Notice:
    """Return the reminder that is due at this moment: that of the day before, or the one shortly before the start."""
    kind = NoticeKind.BOOKING_SOON if is_soon(booking.starts_at, moment) else NoticeKind.BOOKING_REMINDER
    key = f"{kind}:{booking.reference}:{booking.sequence}"
    mail = emails.reminder(booking, token, kind)
    return _build_notice(kind, key, booking, mail, "booking-reminder", token, booking.starts_at)


def _build_change(kind: NoticeKind, words: str, booking: Booking, mail: Message, token: str | None) -> Notice:
    key = f"{words}:{booking.reference}:{booking.sequence}"
    return _build_notice(kind, key, booking, mail, words, token, _end_of_use(booking))


def _end_of_use(booking: Booking) -> datetime | None:
    """Return the start of a consultation that is ahead. What is written about a past one is useful at any time."""
    return booking.starts_at if booking.starts_at > now() else None


def _build_notice(
    kind: NoticeKind,
    key: str,
    booking: Booking,
    mail: Message,
    words: str,
    token: str | None,
    useless_after: datetime | None,
) -> Notice:
    """Return the notice with the text message of these `words`. A booking by staff may have no e-mail address."""
    text = NoticeText(
        words=words,
        to=booking.phone,
        values={
            "time": format_slot_time(booking.starts_at),
            "reference": booking.reference,
            "person": booking.person,
            "way": WAY_PHRASES[booking.way],
        },
        # Without a token the page that books and says how to reach us: the booking is cancelled, or its key is no longer
        # configured.
        link=f"{settings().site_url}/booking/{token}" if token else f"{settings().site_url}/book",
        about=booking.reference,
        useless_after=useless_after,
    )
    return Notice(kind, key, mail if booking.email else None, text)
