"""The mails about bookings: to visitors with a calendar invitation, and notices to staff."""

from datetime import datetime, timedelta

from agency_site.clock import format_date, in_nairobi
from agency_site.content.brand import BRAND
from agency_site.content.mail_texts import MailWords, write_words
from agency_site.features.booking.bookings.calendar_invite import describe_place, invitation
from agency_site.features.booking.bookings.rules import service_name
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import WAY_LABELS, WAY_PHRASES
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.mail.rules import Message
from agency_site.settings import settings

REMINDER, SOON = "booking-reminder", "booking-soon"

_CHANGE_LABEL = "Move or cancel"

_OTHER_WAY = "Would you rather meet in Karen, by phone or by video? Reply to this e-mail and tell us."

_AT_HAND = timedelta(minutes=15)
"""For a client who is already here or on the phone, the mail does not look forward to the meeting."""


def confirmation_key(booking: Booking) -> str:
    """Return the key of the words that confirm the booking."""
    return "booking-confirmed-now" if _is_at_hand(booking) else "booking-confirmed"


def confirmation(booking: Booking, token: str) -> Message:
    return _visitor_message(
        booking,
        token,
        "Open the attached invitation to add the consultation to your calendar.",
        kind="booking-confirmed",
        words=write_words(confirmation_key(booking), time=format_slot_time(booking.starts_at)),
        heading="Your consultation is booked",
    )


def move_notice(booking: Booking, token: str | None, before: datetime) -> Message:
    """The notice to the visitor. Without a token it refers to the link in the confirmation."""
    return _visitor_message(
        booking,
        token,
        "Open the attached invitation to update your calendar.",
        *_how_to_change(booking, token),
        kind="booking-moved",
        words=write_words(
            "booking-moved",
            time=format_slot_time(booking.starts_at),
            previous_time=format_slot_time(before),
        ),
        heading="Your consultation has a new time",
    )


def assignment_notice(booking: Booking, token: str | None) -> Message:
    """The notice to the visitor after another person took the booking."""
    return _visitor_message(
        booking,
        token,
        "Open the attached invitation to update your calendar.",
        *_how_to_change(booking, token),
        kind="booking-assigned",
        words=write_words(
            "booking-assigned", time=format_slot_time(booking.starts_at), person=booking.person
        ),
        heading="Another person takes your consultation",
    )


def way_notice(booking: Booking, token: str | None) -> Message:
    """The notice to the visitor after staff changed how they meet."""
    return _visitor_message(
        booking,
        token,
        "Open the attached invitation to update your calendar.",
        *_how_to_change(booking, token),
        kind="booking-way",
        words=write_words(
            "booking-way", time=format_slot_time(booking.starts_at), way=WAY_PHRASES[booking.way]
        ),
        heading="We meet in another way",
    )


def reinstatement_notice(booking: Booking, token: str | None) -> Message:
    """The notice to the visitor after staff reinstated a cancelled booking."""
    return _visitor_message(
        booking,
        token,
        "Open the attached invitation to add it to your calendar again.",
        *_how_to_change(booking, token),
        kind="booking-restored",
        words=write_words("booking-restored", time=format_slot_time(booking.starts_at)),
        heading="Your consultation is confirmed again",
    )


def reminder(booking: Booking, token: str | None, kind: str = REMINDER) -> Message:
    """The reminder of that kind to the visitor. Without a token it refers to the link in the confirmation."""
    return _visitor_message(
        booking,
        token,
        *_how_to_change(booking, token),
        kind=kind,
        words=write_words(REMINDER, time=format_slot_time(booking.starts_at)),
        heading="See you soon",
    )


def cancellation(booking: Booking) -> Message:
    words = write_words("booking-cancelled", time=format_slot_time(booking.starts_at))
    return Message(
        kind="booking-cancelled",
        to=booking.email,
        to_name=booking.fullname,
        subject=words.subject,
        heading="Your consultation is cancelled",
        paragraphs=(
            f"Hello {booking.fullname},",
            *words.opening,
            "Open the attached file to remove it from your calendar. You are welcome to book a new time.",
        ),
        facts=(("Reference", booking.reference),),
        actions=(("Book a new time", f"{settings().site_url}/book"),),
        attachments=(invitation(booking, None),),
        reply_to=BRAND.bookings_email,
        about=booking.reference,
    )


def staff_booking_notice(booking: Booking) -> Message:
    return _staff_message(booking, "staff-booked", "New booking", ())


def staff_move_notice(booking: Booking, before: datetime) -> Message:
    """The notice to staff after a visitor moved a booking from `before`."""
    return _staff_message(
        booking, "staff-moved", "Booking moved", (("Previous time", format_slot_time(before)),)
    )


def staff_cancellation_notice(booking: Booking) -> Message:
    return _staff_message(booking, "staff-cancelled", "Booking cancelled", ())


def staff_erasure_notice(booking: Booking) -> Message:
    """The notice to staff about a booking that ended because the client's data was erased: it names no client.

    It is about no record, because erasing blanks the mails about it.
    """
    return Message(
        kind="staff-cancelled",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Booking cancelled: {format_slot_time(booking.starts_at)}",
        heading="Booking cancelled",
        paragraphs=("The client's personal data has been erased on request, so the booking is cancelled.",),
        facts=(
            ("Reference", booking.reference),
            *_date_and_time(booking),
            ("How", WAY_LABELS[booking.way]),
            *((("With", booking.person),) if booking.person else ()),
        ),
        actions=(
            ("Open in the back office", f"{settings().site_url}/admin/booking?ref={booking.reference}"),
        ),
    )


def _is_at_hand(booking: Booking) -> bool:
    """Return whether the consultation began within minutes of being booked, moved or reinstated."""
    return booking.starts_at <= booking.updated_at + _AT_HAND


def _had_begun(booking: Booking) -> bool:
    return booking.starts_at <= booking.updated_at


def _how_to_change(booking: Booking, token: str | None) -> tuple[str, ...]:
    return () if token or _had_begun(booking) else ("To move or cancel, use the link in your confirmation.",)


def _visitor_message(
    booking: Booking, token: str | None, *paragraphs: str, kind: str, words: MailWords, heading: str
) -> Message:
    link = f"{settings().site_url}/booking/{token}" if token else None
    return Message(
        kind=kind,
        to=booking.email,
        to_name=booking.fullname,
        subject=words.subject,
        heading=heading,
        paragraphs=(f"Hello {booking.fullname},", *words.opening, *paragraphs),
        facts=(
            ("Reference", booking.reference),
            *_date_and_time(booking),
            ("Where", describe_place(booking)),
            *_choices(booking),
        ),
        actions=((_CHANGE_LABEL, link),) if link and not _had_begun(booking) else (),
        closing=(
            *(() if _is_at_hand(booking) else (_OTHER_WAY,)),
            f"Questions? Call {BRAND.phone} or reply to this e-mail.",
        ),
        attachments=(invitation(booking, link),),
        reply_to=BRAND.bookings_email,
        about=booking.reference,
    )


def _staff_message(
    booking: Booking, kind: str, title: str, more_facts: tuple[tuple[str, str], ...]
) -> Message:
    return Message(
        kind=kind,
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"{title}: {format_slot_time(booking.starts_at)}, {booking.fullname}",
        heading=title,
        paragraphs=(f"Message: {booking.message}",) if booking.message else ("No message.",),
        facts=(
            ("Reference", booking.reference),
            *_date_and_time(booking),
            *more_facts,
            ("How", WAY_LABELS[booking.way]),
            *_choices(booking),
            ("Name", booking.fullname),
            ("E-mail", booking.email),
            ("Phone", booking.phone),
        ),
        actions=(
            ("Open in the back office", f"{settings().site_url}/admin/booking?ref={booking.reference}"),
        ),
        reply_to=booking.email,
        about=booking.reference,
    )


def _choices(booking: Booking) -> tuple[tuple[str, str], ...]:
    """Return the person and the service, if the booking has them."""
    facts = (("With", booking.person), ("About", service_name(booking.service)))
    return tuple((label, text) for label, text in facts if text)


def _date_and_time(booking: Booking) -> tuple[tuple[str, str], ...]:
    local = in_nairobi(booking.starts_at)
    return (("Date", f"{local:%A} {format_date(local)}"), ("Time", f"{local:%H:%M} (Nairobi, UTC+3)"))
