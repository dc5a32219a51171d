"""Labels of message states, failures and kinds."""

from agency_site.backoffice.lists.definition import Cell, Tone
from agency_site.mail.rules import MailFailure, MailState

STATES = {
    MailState.QUEUED: "Queued",
    MailState.SENT: "Sent",
    MailState.KEPT: "Not sent",
    MailState.FAILED: "Failed",
}
_TONES: dict[MailState, Tone] = {
    MailState.QUEUED: "busy",
    MailState.SENT: "good",
    MailState.KEPT: "quiet",
    MailState.FAILED: "bad",
}
FAILURES = {
    MailFailure.REFUSED: (
        "Rejected by the mail server: the address or the content is invalid. Resending would fail again."
    ),
    MailFailure.GIVEN_UP: (
        "All attempts failed: the mail server was unreachable or busy. Resending may succeed."
    ),
}
KINDS = {
    "staff-notices": "Several notices at once",
    "booking-confirmed": "Booking confirmed",
    "booking-moved": "Booking moved",
    "booking-restored": "Booking reinstated",
    "booking-reminder": "Booking reminder",
    "booking-cancelled": "Booking cancelled",
    "enrolment-asked": "Free place to confirm",
    "enrolment-confirmed": "Enrolment and receipt",
    "learner-confirmed": "Place in a course",
    "learner-replaced": "Place given to somebody else",
    "learner-link": "Learner's link again",
    "session-changed": "Change of a session",
    "run-cancelled": "Course run cancelled",
    "session-reminder": "Reminder of a session",
    "run-message": "Message to a course run",
    "recording-added": "Recording of a session",
    "waiting-joined": "Joined a waiting list",
    "waiting-offer": "Place for the waiting list",
    "place-ended": "Place ended",
    "certificate-issued": "Certificate",
    "learner-moved": "Place in another course run",
    "order-exists": "Existing order",
    "payment-unpaid": "Payment not completed",
    "payment-refunded": "Refund",
    "payment-link": "Payment link",
    "staff-payment-surplus": "Staff: more paid than the order costs",
    "payment-part": "Part of a payment received",
    "comment-received": "Comment received",
    "comment-published": "Comment published",
    "registration-confirmed": "Webinar registration confirmed",
    "registration-reminder": "Webinar reminder",
    "registration-cancelled": "Webinar registration cancelled",
    "message-received": "Message received",
    "signup-received": "Plan sign-up received",
    "newsletter-confirm": "Newsletter: confirmation request",
    "newsletter-known": "Newsletter: already subscribed",
    "newsletter-issue": "Newsletter",
    "newsletter-test": "Newsletter: test",
    "enquiry-reply": "Reply to an enquiry",
    "staff-booked": "To staff: new booking",
    "staff-moved": "To staff: booking moved",
    "staff-cancelled": "To staff: booking cancelled",
    "staff-enrolled": "To staff: new enrolment",
    "staff-payment-review": "To staff: payment needs review",
    "staff-payment-returned": "To staff: payment returned by M-Pesa",
    "staff-reversal": "To staff: return of a payment",
    "staff-gateway": "To staff: M-Pesa rejects requests",
    "staff-comment": "To staff: new comment",
    "staff-message": "To staff: new message",
    "staff-signup": "To staff: plan sign-up",
    "staff-registered": "To staff: webinar registration",
    "staff-invitation": "Staff invitation",
    "staff-reset": "Staff password reset",
}
"""Label of each kind; an unknown kind shows its own name."""


def state_cell(state: MailState) -> Cell:
    return Cell(STATES[state], _TONES[state])


def kind_of(kind: str) -> str:
    return KINDS.get(kind, kind.replace("-", " ").capitalize())
