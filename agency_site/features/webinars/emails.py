"""Mails about webinar registrations: to the person, with a calendar file, and to staff as a notice."""

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.content.mail_texts import MailWords, write_words
from agency_site.content.webinars import Webinar
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.rules import RegistrationState
from agency_site.mail.calendars import Invitation, build_invitation_file
from agency_site.mail.rules import Attachment, Message
from agency_site.settings import settings

CONFIRMED = "registration-confirmed"
CHANGED, WEBINAR_CANCELLED = "webinar-changed", "webinar-cancelled"
_CANCEL, _JOIN = "Cancel my seat", "Join the webinar"
_NOT_GIVEN = "not given"


def build_link(token: str) -> str:
    """Return the absolute address of the private page of a registration."""
    return f"{settings().site_url}/registration/{token}"


def registered(record: RegistrationRecord, webinar: Webinar, token: str | None) -> Message:
    words = _write_words(CONFIRMED, webinar)
    return _write_to_attendee(
        record,
        webinar,
        token,
        kind=CONFIRMED,
        subject=words.subject,
        heading="Your seat is reserved",
        paragraphs=(
            f"Hello {record.fullname},",
            *words.opening,
            "Open the attached invitation to add it to your calendar.",
            *(() if webinar.room else ("We will e-mail you the link to join before we begin.",)),
        ),
    )


def reminder(record: RegistrationRecord, webinar: Webinar, token: str | None) -> Message:
    words = _write_words("registration-reminder", webinar)
    return _write_to_attendee(
        record,
        webinar,
        token,
        kind="registration-reminder",
        subject=words.subject,
        heading="See you at the webinar",
        paragraphs=(
            f"Hello {record.fullname},",
            *words.opening,
            "If you cannot come, please cancel your seat so that another person can have it.",
        ),
    )


def changed(record: RegistrationRecord, webinar: Webinar, token: str | None) -> Message:
    """Notify an attendee of the new time or room."""
    words = _write_words(CHANGED, webinar)
    return _write_to_attendee(
        record,
        webinar,
        token,
        kind=CHANGED,
        subject=words.subject,
        heading="Your webinar has changed",
        paragraphs=(
            f"Hello {record.fullname},",
            *words.opening,
            "Open the attached invitation to update your calendar.",
            *(() if webinar.room else ("We will e-mail you the link to join before we begin.",)),
            "If you cannot come, please cancel your seat so that another person can have it.",
        ),
    )


def webinar_cancelled(record: RegistrationRecord, webinar: Webinar) -> Message:
    """Notify an attendee that the webinar does not take place."""
    words = _write_words(WEBINAR_CANCELLED, webinar)
    return Message(
        kind=WEBINAR_CANCELLED,
        to=record.email,
        to_name=record.fullname,
        subject=words.subject,
        heading="The webinar has been cancelled",
        paragraphs=(
            f"Hello {record.fullname},",
            *words.opening,
            "Open the attached file to remove it from your calendar.",
        ),
        facts=(("Reference", record.reference),),
        actions=(("See the webinars", f"{settings().site_url}/webinar"),),
        closing=(f"Questions? Call {BRAND.phone} or reply to this e-mail.",),
        attachments=(_calendar_file(record, webinar, None),),
        about=record.reference,
    )


def cancelled(record: RegistrationRecord, webinar: Webinar) -> Message:
    words = _write_words("registration-cancelled", webinar)
    return Message(
        kind="registration-cancelled",
        to=record.email,
        to_name=record.fullname,
        subject=words.subject,
        heading="Your seat has been cancelled",
        paragraphs=(
            f"Hello {record.fullname},",
            *words.opening,
            "Open the attached file to remove it from your calendar. You are welcome to reserve a new seat.",
        ),
        facts=(("Reference", record.reference),),
        actions=(("See the webinar", f"{settings().site_url}{webinar.href}"),),
        attachments=(_calendar_file(record, webinar, None),),
        about=record.reference,
    )


def staff_registered(record: RegistrationRecord, webinar: Webinar, count: int) -> Message:
    """Notify staff of a registration. `count` includes it."""
    seats = f"{count} of {webinar.capacity}" if webinar.capacity else f"{count}, no limit"
    return Message(
        kind="staff-registered",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Webinar: {webinar.title}, {record.fullname}",
        heading="New webinar registration",
        paragraphs=("A confirmation has been sent.",),
        facts=(
            ("Reference", record.reference),
            ("Webinar", webinar.title),
            *_date_and_time(webinar),
            ("Seats taken", seats),
            ("Name", record.fullname),
            ("E-mail", record.email),
            ("Phone", record.phone or _NOT_GIVEN),
        ),
        actions=(
            ("Open in the back office", f"{settings().site_url}/admin/registrations?q={record.reference}"),
        ),
        reply_to=record.email,
        about=record.reference,
    )


def _write_to_attendee(
    record: RegistrationRecord,
    webinar: Webinar,
    token: str | None,
    *,
    kind: str,
    subject: str,
    heading: str,
    paragraphs: tuple[str, ...],
) -> Message:
    link = build_link(token) if token else None
    join = ((_JOIN, webinar.room),) if webinar.room else ()
    return Message(
        kind=kind,
        to=record.email,
        to_name=record.fullname,
        subject=subject,
        heading=heading,
        paragraphs=paragraphs,
        facts=(
            ("Reference", record.reference),
            ("Webinar", webinar.title),
            *_date_and_time(webinar),
            ("With", f"{webinar.speaker}, {webinar.speaker_title}"),
        ),
        actions=(*join, *(((_CANCEL, link),) if link else ())),
        closing=(
            f"Questions? Call {BRAND.phone} or reply to this e-mail.",
            "If you did not register, another person has mistyped their address: please ignore this e-mail.",
        ),
        attachments=(_calendar_file(record, webinar, link),),
        about=record.reference,
    )


def _write_words(key: str, webinar: Webinar) -> MailWords:
    return write_words(
        key, webinar=webinar.title, date=_short_date(webinar), day=webinar.day, time=webinar.clock_time
    )


def _calendar_file(record: RegistrationRecord, webinar: Webinar, link: str | None) -> Attachment:
    lines = [f"With {webinar.speaker}, {webinar.speaker_title}.", f"Reference: {record.reference}"]
    if webinar.room:
        lines.append(f"{_JOIN}: {webinar.room}")
    if link:
        lines.append(f"{_CANCEL}: {link}")
    return build_invitation_file(
        Invitation(
            reference=record.reference,
            sequence=record.version - 1,
            product="Webinars",
            summary=f"{webinar.title} ({BRAND.name})",
            location=webinar.room or "Online",
            description="\n".join(lines),
            starts_at=webinar.starts_at,
            ends_at=webinar.ends_at,
            created_at=record.created_at,
            # Content may have moved the webinar since the registration, so the file is dated like the mail.
            updated_at=now(),
            organizer=BRAND.email,
            email=record.email,
            cancelled=webinar.cancelled or record.state is RegistrationState.CANCELLED,
        )
    )


def _short_date(webinar: Webinar) -> str:
    return f"{webinar.date.day} {webinar.date:%B}"


def _date_and_time(webinar: Webinar) -> tuple[tuple[str, str], ...]:
    time = f"{webinar.time:%H:%M} (Nairobi, UTC+3), {webinar.duration}"
    return (("Date", webinar.day), ("Time", time))
