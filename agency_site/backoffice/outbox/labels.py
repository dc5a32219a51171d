"""Labels of message states, failures and kinds."""

from collections.abc import Mapping

from agency_site.backoffice.lists.definition import Cell, Tone
from agency_site.mail.rules import MailFailure, MailState
from agency_site.members import ByMember, names
from agency_site.notices.rules import NOTICE_NAMES, NoticeKind

STATES = names(
    {
        MailState.QUEUED: "Queued",
        MailState.SENT: "Sent",
        MailState.KEPT: "Not sent",
        MailState.FAILED: "Failed",
    }
)
_TONES: dict[MailState, Tone] = ByMember(
    {
        MailState.QUEUED: "busy",
        MailState.SENT: "good",
        MailState.KEPT: "quiet",
        MailState.FAILED: "bad",
    },
    lambda _state: "quiet",
)
FAILURES = names(
    {
        MailFailure.REFUSED: (
            "Rejected by the mail server: the address or the content is invalid. Resending would fail again."
        ),
        MailFailure.GIVEN_UP: (
            "All attempts failed: the mail server was unreachable or busy. Resending may succeed."
        ),
    }
)
_NOTICES = (
    NoticeKind.BOOKING_CONFIRMED, NoticeKind.BOOKING_MOVED, NoticeKind.BOOKING_CANCELLED, NoticeKind.BOOKING_REMINDER,
    NoticeKind.BOOKING_SOON, NoticeKind.PAYMENT_LINK, NoticeKind.SESSION_CHANGED, NoticeKind.WAITING_OFFER,
)  # fmt: skip
"""Kinds whose mails have the kind of their notice; the others have several mails."""
KINDS: Mapping[str, str] = {
    **{kind.value: NOTICE_NAMES[kind] for kind in _NOTICES},
    "staff-notices": "Several notices at once",
    "staff-weekly-figures": "To owners: the week in figures",
    "booking-assigned": "Booking given to another consultant",
    "booking-way": "Booking: another way to meet",
    "booking-restored": "Booking reinstated",
    "enrolment-asked": "Free place to confirm",
    "enrolment-confirmed": "Enrolment and receipt",
    "learner-confirmed": "Place in a course",
    "learner-replaced": "Place transferred to another person",
    "learner-link": "Learner's link resent",
    "run-cancelled": "Course run cancelled",
    "session-reminder": "Session reminder",
    "run-message": "Message to a course run",
    "recording-added": "Recording of a session",
    "waiting-joined": "Waiting list joined",
    "place-ended": "Place cancelled",
    "certificate-issued": "Certificate",
    "learner-moved": "Place moved to another course run",
    "order-exists": "Existing order",
    "payment-unpaid": "Payment not completed",
    "payment-refunded": "Refund",
    "staff-payment-surplus": "To staff: more paid than the order costs",
    "payment-part": "Partial payment received",
    "comment-received": "Comment received",
    "comment-published": "Comment published",
    "registration-confirmed": "Webinar registration confirmed",
    "registration-reminder": "Webinar reminder",
    "registration-cancelled": "Webinar registration cancelled",
    "webinar-changed": "Webinar changed",
    "webinar-cancelled": "Webinar cancelled",
    "message-received": "Enquiry received",
    "signup-received": "Plan sign-up received",
    "newsletter-confirm": "Newsletter: confirmation request",
    "newsletter-known": "Newsletter: already subscribed",
    "newsletter-issue": "Newsletter issue",
    "newsletter-test": "Newsletter: test issue",
    "enquiry-reply": "Reply to an enquiry",
    "staff-booked": "To staff: new booking",
    "calendar-partly-read": "To staff: a calendar is read only partly",
    "calendar-unreadable": "To staff: a calendar cannot be read",
    "staff-moved": "To staff: booking moved",
    "staff-cancelled": "To staff: booking cancelled",
    "staff-enrolled": "To staff: new enrolment",
    "staff-payment-review": "To staff: payment needs review",
    "staff-payment-returned": "To staff: payment reversed by M-Pesa",
    "staff-run-cancelled": "To staff: money for a cancelled course run",
    "staff-reversal": "To staff: refund through M-Pesa",
    "staff-gateway": "To staff: M-Pesa rejects requests",
    "staff-comment": "To staff: new comment",
    "staff-message": "To staff: new enquiry",
    "staff-text": "To staff: text message received",
    "staff-signup": "To staff: plan sign-up",
    "staff-registered": "To staff: webinar registration",
    "staff-invitation": "To staff: invitation",
    "staff-reset": "To staff: password reset",
}
"""Labels of the kinds; an unknown kind shows its own name."""


def state_cell(state: MailState) -> Cell:
    return Cell(STATES[state], _TONES[state])


_RECORDS = {
    "BK-": "/admin/booking?ref=",
    "EN-": "/admin/order?ref=",
    "LN-": "/admin/learner?ref=",
    "WL-": "/admin/waiting-lists?q=",
}
"""The page or list of the record of a message, by the prefix of its reference."""


def kind_of(kind: str) -> str:
    return KINDS.get(kind, kind.replace("-", " ").capitalize())


def record_href(about: str) -> str:
    """Return the address that shows the record of that reference; empty if there is none."""
    path = _RECORDS.get(about[:3], "")
    return f"{path}{about}" if path else ""
