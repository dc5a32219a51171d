"""The mails about bookings: to the visitor with the invitation, to staff as a notice."""

from datetime import datetime

from agency_site.clock import in_nairobi
from agency_site.content.brand import BRAND
from agency_site.features.booking.calendar_invite import PLACE, invitation
from agency_site.features.booking.rules import spoken_time
from agency_site.features.booking.tables import Booking
from agency_site.mail.rules import Message
from agency_site.settings import settings

CHANGE_LABEL = "Move or cancel"


def private_link(token: str) -> str:
    """The absolute address of the page where its holder sees, moves or cancels the booking."""
    return f"{settings().site_url}/booking/{token}"


def confirmed(booking: Booking, token: str) -> Message:
    """To the visitor, once booked."""
    return _to_visitor(
        booking,
        token,
        kind="booking-confirmed",
        subject=f"Booking confirmed: {spoken_time(booking.starts_at)}",
        heading="Your consultation is booked",
        paragraphs=(
            f"Hello {booking.fullname},",
            f"we look forward to meeting you at {spoken_time(booking.starts_at)} (Nairobi time).",
            "The attached invitation puts the consultation into your calendar.",
        ),
    )


def moved(booking: Booking, token: str | None, before: datetime) -> Message:
    """To the visitor, once moved away from `before`; without a token it points to the confirmation's link."""
    return _to_visitor(
        booking,
        token,
        kind="booking-moved",
        subject=f"Booking moved: {spoken_time(booking.starts_at)}",
        heading="Your consultation has a new time",
        paragraphs=(
            f"Hello {booking.fullname},",
            f"your consultation has moved from {spoken_time(before)} "
            f"to {spoken_time(booking.starts_at)} (Nairobi time).",
            "The attached invitation updates the entry in your calendar.",
            *_how_to_change(token),
        ),
    )


def restored(booking: Booking, token: str | None) -> Message:
    """To the visitor, once staff have brought a cancelled booking back."""
    return _to_visitor(
        booking,
        token,
        kind="booking-restored",
        subject=f"Booking confirmed again: {spoken_time(booking.starts_at)}",
        heading="Your consultation takes place after all",
        paragraphs=(
            f"Hello {booking.fullname},",
            f"your consultation at {spoken_time(booking.starts_at)} (Nairobi time) had been cancelled "
            "and is confirmed again.",
            "The attached invitation puts it back into your calendar.",
            *_how_to_change(token),
        ),
    )


def reminder(booking: Booking, token: str | None) -> Message:
    """To the visitor, ahead of the consultation; without a token it points to the confirmation's link."""
    return _to_visitor(
        booking,
        token,
        kind="booking-reminder",
        subject=f"Reminder: your consultation at {spoken_time(booking.starts_at)}",
        heading="See you soon",
        paragraphs=(
            f"Hello {booking.fullname},",
            f"this is a reminder of your consultation at {spoken_time(booking.starts_at)} (Nairobi time).",
            *_how_to_change(token),
        ),
    )


def cancelled(booking: Booking) -> Message:
    """To the visitor, once cancelled."""
    return Message(
        kind="booking-cancelled",
        to=booking.email,
        to_name=booking.fullname,
        subject=f"Booking cancelled: {spoken_time(booking.starts_at)}",
        heading="Your consultation is cancelled",
        paragraphs=(
            f"Hello {booking.fullname},",
            f"your consultation at {spoken_time(booking.starts_at)} (Nairobi time) is cancelled.",
            "The attached file takes the entry out of your calendar. You are welcome to book a new time.",
        ),
        facts=(("Reference", booking.reference),),
        actions=(("Book a new time", f"{settings().site_url}/book"),),
        attachments=(invitation(booking, None),),
        reply_to=BRAND.bookings_email,
        about=booking.reference,
    )


def staff_booked(booking: Booking) -> Message:
    """To staff, once somebody has booked."""
    return _to_staff(booking, "staff-booked", "New booking", ())


def staff_moved(booking: Booking, before: datetime) -> Message:
    """To staff, once a visitor has moved a booking away from `before`."""
    return _to_staff(booking, "staff-moved", "Booking moved", (("Previous time", spoken_time(before)),))


def staff_cancelled(booking: Booking) -> Message:
    """To staff, once a visitor has cancelled."""
    return _to_staff(booking, "staff-cancelled", "Booking cancelled", ())


def _how_to_change(token: str | None) -> tuple[str, ...]:
    return () if token else ("To move or cancel, use the link in your confirmation.",)


def _to_visitor(
    booking: Booking, token: str | None, *, kind: str, subject: str, heading: str, paragraphs: tuple[str, ...]
) -> Message:
    link = private_link(token) if token else None
    return Message(
        kind=kind,
        to=booking.email,
        to_name=booking.fullname,
        subject=subject,
        heading=heading,
        paragraphs=paragraphs,
        facts=(
            ("Reference", booking.reference),
            *_when(booking),
            ("Where", PLACE),
        ),
        actions=((CHANGE_LABEL, link),) if link else (),
        closing=(
            "On the phone or in Karen? Answer this e-mail and say which you prefer. Without an answer we call you on "
            f"{booking.phone}, unless you are here by then.",
            f"Questions? Call {BRAND.phone} or answer this e-mail.",
        ),
        attachments=(invitation(booking, link),),
        reply_to=BRAND.bookings_email,
        about=booking.reference,
    )


def _to_staff(booking: Booking, kind: str, what: str, further: tuple[tuple[str, str], ...]) -> Message:
    return Message(
        kind=kind,
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"{what}: {spoken_time(booking.starts_at)}, {booking.fullname}",
        heading=what,
        paragraphs=(f"Message: {booking.message}",) if booking.message else ("No message.",),
        facts=(
            ("Reference", booking.reference),
            *_when(booking),
            *further,
            ("Name", booking.fullname),
            ("E-mail", booking.email),
            ("Phone", booking.phone),
        ),
        reply_to=booking.email,
        about=booking.reference,
    )


def _when(booking: Booking) -> tuple[tuple[str, str], ...]:
    local = in_nairobi(booking.starts_at)
    return (("Date", f"{local:%A} {local.day} {local:%B %Y}"), ("Time", f"{local:%H:%M} (Nairobi, UTC+3)"))
