"""How the back office says what became of a message. No I/O."""

from agency_site.backoffice.lists.definition import Cell, Tone
from agency_site.mail.rules import MailFailure, MailState

STATES = {
    MailState.QUEUED: "On its way",
    MailState.SENT: "Sent",
    MailState.KEPT: "Kept here",
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
        "Refused for good: the address or the content is at fault. Sent again as it is, it would be refused again."
    ),
    MailFailure.GIVEN_UP: (
        "Given up after the last attempt: the mail server could not be reached, or was busy each time. "
        "Sending it again can help."
    ),
}
KINDS = {
    "booking-confirmed": "Booking confirmed",
    "booking-moved": "Booking moved",
    "booking-restored": "Booking confirmed again",
    "booking-reminder": "Reminder of a booking",
    "booking-cancelled": "Booking cancelled",
    "enrolment-confirmed": "Enrolment and receipt",
    "order-exists": "Order exists already",
    "payment-unpaid": "Payment ended unpaid",
    "comment-received": "Comment received",
    "comment-published": "Comment published",
    "registration-confirmed": "Webinar seat confirmed",
    "registration-reminder": "Reminder of a webinar",
    "registration-cancelled": "Webinar seat given back",
    "message-received": "Message received",
    "signup-received": "Plan sign-up received",
    "newsletter-confirm": "Newsletter: please confirm",
    "newsletter-known": "Newsletter: subscribed already",
    "newsletter-issue": "Newsletter",
    "newsletter-test": "Newsletter, a trial",
    "enquiry-reply": "Our answer to a message",
    "staff-booked": "To us: new booking",
    "staff-moved": "To us: booking moved",
    "staff-cancelled": "To us: booking cancelled",
    "staff-enrolled": "To us: new enrolment",
    "staff-payment-review": "To us: payment needs review",
    "staff-gateway": "To us: M-Pesa refuses",
    "staff-comment": "To us: new comment",
    "staff-message": "To us: new message",
    "staff-signup": "To us: plan sign-up",
    "staff-registered": "To us: webinar registration",
    "staff-invitation": "Invitation to the back office",
    "staff-reset": "New password for the back office",
}
"""What each kind of message is; one that is not here shows its own name."""


def state_cell(state: MailState) -> Cell:
    """Where a message stands, as lists show it."""
    return Cell(STATES[state], _TONES[state])


def kind_of(kind: str) -> str:
    """What a message is."""
    return KINDS.get(kind, kind.replace("-", " ").capitalize())
