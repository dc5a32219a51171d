"""The calendar invitation in mails about bookings."""

from agency_site.content.brand import BRAND
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import Way
from agency_site.mail.calendars import Invitation, build_invitation_file
from agency_site.mail.rules import Attachment


def describe_place(booking: Booking) -> str:
    """Return where client and consultant meet: the rooms, the number that we call, or the address of the video room."""
    match booking.way:
        case Way.PHONE:
            return f"By phone: we call you on {booking.phone}"
        case Way.VIDEO:
            link = booking.consultant.video_link if booking.consultant else ""
            return link or "By video; we send you the link before the consultation"
        case _:
            return f"{BRAND.address}, {BRAND.city}"


def invitation(booking: Booking, link: str | None) -> Attachment:
    """The .ics file of a booking: an invitation or its cancellation. `link` is the private page."""
    return build_invitation_file(
        Invitation(
            reference=booking.reference,
            sequence=booking.sequence,
            product="Bookings",
            summary=f"Consultation with {BRAND.name}",
            location=describe_place(booking),
            description=_description(booking, link),
            starts_at=booking.starts_at,
            ends_at=booking.ends_at,
            created_at=booking.created_at,
            updated_at=booking.updated_at,
            organizer=BRAND.bookings_email,
            email=booking.email,
            cancelled=booking.state is BookingState.CANCELLED,
        )
    )


def _description(booking: Booking, link: str | None) -> str:
    lines = [
        f"Reference: {booking.reference}",
        *((f"With {booking.person}",) if booking.person else ()),
        f"Questions? Call {BRAND.phone} or write to {BRAND.bookings_email}.",
    ]
    if link and booking.state is BookingState.CONFIRMED:
        lines.append(f"Move or cancel: {link}")
    return "\n".join(lines)
