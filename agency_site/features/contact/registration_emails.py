"""The mails about webinar registrations: to their holders with a file for the calendar, to staff as a notice."""

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.content.webinars import Webinar
from agency_site.features.contact.records import RegistrationRecord
from agency_site.features.contact.rules import RegistrationState
from agency_site.mail.calendars import Invitation, build_invitation_file
from agency_site.mail.rules import Attachment, Message
from agency_site.settings import settings

CONFIRMED = "registration-confirmed"
GIVE_BACK, JOIN = "Give the seat back", "Join the webinar"
NOT_GIVEN = "not given"


def private_link(token: str) -> str:
    """The absolute address of the page where its holder sees the seat and gives it back."""
    return f"{settings().site_url}/registration/{token}"


def registered(one: RegistrationRecord, webinar: Webinar, token: str | None) -> Message:
    """To the holder, once registered."""
    return _to_holder(
        one,
        webinar,
        token,
        kind=CONFIRMED,
        subject=f"Your seat on {_day(webinar)}: {webinar.title}",
        heading="Your seat is reserved",
        paragraphs=(
            f"Hello {one.fullname},",
            f"you have a seat in our webinar “{webinar.title}” on {webinar.day} at {webinar.clock_time}.",
            "The attached invitation puts it into your calendar.",
            *(() if webinar.room else ("The link to join comes by e-mail before we begin.",)),
        ),
    )


def reminder(one: RegistrationRecord, webinar: Webinar, token: str | None) -> Message:
    """To the holder, the day before."""
    return _to_holder(
        one,
        webinar,
        token,
        kind="registration-reminder",
        subject=f"Reminder: {webinar.title}, {_day(webinar)} at {webinar.clock_time}",
        heading="See you at the webinar",
        paragraphs=(
            f"Hello {one.fullname},",
            f"this is a reminder of our webinar “{webinar.title}” on {webinar.day} at {webinar.clock_time}.",
            "If you cannot come, please give the seat back, so that somebody else can have it.",
        ),
    )


def given_back(one: RegistrationRecord, webinar: Webinar) -> Message:
    """To the holder, once they have given the seat back."""
    return Message(
        kind="registration-cancelled",
        to=one.email,
        to_name=one.fullname,
        subject=f"Seat given back: {webinar.title}",
        heading="Your seat is given back",
        paragraphs=(
            f"Hello {one.fullname},",
            f"you have given back your seat in our webinar “{webinar.title}” on {webinar.day}.",
            "The attached file takes the entry out of your calendar. You are welcome to reserve a new seat.",
        ),
        facts=(("Reference", one.reference),),
        actions=(("See the webinar", f"{settings().site_url}{webinar.href}"),),
        attachments=(_calendar(one, webinar, None),),
        about=one.reference,
    )


def staff_registered(one: RegistrationRecord, webinar: Webinar, taken: int) -> Message:
    """To staff: somebody has registered; `taken` counts them too."""
    seats = f"{taken} of {webinar.capacity}" if webinar.capacity else f"{taken}, no limit"
    return Message(
        kind="staff-registered",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Webinar: {webinar.title}, {one.fullname}",
        heading="New webinar registration",
        paragraphs=("A confirmation has been sent.",),
        facts=(
            ("Reference", one.reference),
            ("Webinar", webinar.title),
            *_when(webinar),
            ("Seats taken", seats),
            ("Name", one.fullname),
            ("E-mail", one.email),
            ("Phone", one.phone or NOT_GIVEN),
        ),
        actions=(
            ("Open in the back office", f"{settings().site_url}/admin/registrations?q={one.reference}"),
        ),
        reply_to=one.email,
        about=one.reference,
    )


def _to_holder(
    one: RegistrationRecord,
    webinar: Webinar,
    token: str | None,
    *,
    kind: str,
    subject: str,
    heading: str,
    paragraphs: tuple[str, ...],
) -> Message:
    link = private_link(token) if token else None
    join = ((JOIN, webinar.room),) if webinar.room else ()
    return Message(
        kind=kind,
        to=one.email,
        to_name=one.fullname,
        subject=subject,
        heading=heading,
        paragraphs=paragraphs,
        facts=(
            ("Reference", one.reference),
            ("Webinar", webinar.title),
            *_when(webinar),
            ("With", f"{webinar.speaker}, {webinar.speaker_title}"),
        ),
        actions=(*join, *(((GIVE_BACK, link),) if link else ())),
        closing=(
            f"Questions? Call {BRAND.phone} or answer this e-mail.",
            "If it was not you who registered, somebody has mistyped an address, and you need do nothing.",
        ),
        attachments=(_calendar(one, webinar, link),),
        about=one.reference,
    )


def _calendar(one: RegistrationRecord, webinar: Webinar, link: str | None) -> Attachment:
    lines = [f"With {webinar.speaker}, {webinar.speaker_title}.", f"Reference: {one.reference}"]
    if webinar.room:
        lines.append(f"{JOIN}: {webinar.room}")
    if link:
        lines.append(f"{GIVE_BACK}: {link}")
    return build_invitation_file(
        Invitation(
            reference=one.reference,
            sequence=one.version - 1,
            product="Webinars",
            summary=f"{webinar.title} ({BRAND.name})",
            location=webinar.room or "Online",
            description="\n".join(lines),
            starts_at=webinar.starts_at,
            ends_at=webinar.ends_at,
            created_at=one.created_at,
            # Content may have moved the webinar since the seat was taken: the file is as new as the mail.
            updated_at=now(),
            organizer=BRAND.email,
            email=one.email,
            fullname=one.fullname,
            cancelled=one.state is RegistrationState.CANCELLED,
        )
    )


def _day(webinar: Webinar) -> str:
    return f"{webinar.date.day} {webinar.date:%B}"


def _when(webinar: Webinar) -> tuple[tuple[str, str], ...]:
    time = f"{webinar.time:%H:%M} (Nairobi, UTC+3), {webinar.duration}"
    return (("Date", webinar.day), ("Time", time))
