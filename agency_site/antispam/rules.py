"""The public forms, their protection, and the messages of refused submits."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from agency_site.errors import FieldError, InputRejected

HONEYPOT_FIELD, STAMP_FIELD = "remark", "stamp"
"""The honeypot, which visitors do not see, and the field of the stamp. Browsers do not autofill a field named "remark"."""


class Form(StrEnum):
    """A form that visitors send."""

    CONTACT = "contact"
    SIGNUP = "signup"
    COMMENT = "comment"
    WEBINAR_REGISTRATION = "seat"
    NEWSLETTER = "newsletter"
    NEWSLETTER_BOX = "letter-box"
    """The newsletter's short forms: footer and boxes."""
    BOOKING = "booking"
    ENROLMENT = "enrolment"
    PAYMENT = "payment"
    LEARNERS = "learners"
    COMPANY = "company"
    WAITING_LIST = "waiting-list"


@dataclass(frozen=True)
class FormRules:
    """The protection of one form."""

    submit_noun: str
    """The noun for submits in messages, such as `bookings`."""
    needs_stamp: bool = True
    """False if a mail has to be confirmed first: its pages stay the same for all visitors. False also where nothing may delay
        a payment, and where a private link is proof enough."""
    field: str = ""
    """The field next to which a refusal is shown; empty if the form shows it elsewhere."""
    recipient_field: str = "email"
    """The field with the address that a mail may go to, or the beginning of several such fields, with a dash at its end.
    Empty if the form has none."""


FORM_RULES: Mapping[Form, FormRules] = MappingProxyType(
    {
        Form.CONTACT: FormRules("messages"),
        Form.SIGNUP: FormRules("sign-ups"),
        Form.COMMENT: FormRules("comments"),
        Form.WEBINAR_REGISTRATION: FormRules("reservations"),
        Form.NEWSLETTER: FormRules("subscriptions", field="email"),
        Form.NEWSLETTER_BOX: FormRules("subscriptions", needs_stamp=False),
        Form.BOOKING: FormRules("bookings", recipient_field="emailaddress"),
        Form.ENROLMENT: FormRules("enrolments", needs_stamp=False),
        Form.PAYMENT: FormRules("payments", needs_stamp=False),
        Form.LEARNERS: FormRules("changes of learners", needs_stamp=False, recipient_field="email-"),
        Form.COMPANY: FormRules("changes of invoices", needs_stamp=False, recipient_field=""),
        Form.WAITING_LIST: FormRules("waiting list entries"),
    }
)

INPUT_KEPT = "What you typed is still here."
HONEYPOT_FILLED = (
    "A hidden field was filled in, which usually means a program, so nothing was sent. "
    f"{INPUT_KEPT} If a browser extension filled it in, please send the form again."
)
STAMP_MISSING = "Please check what you typed, then send the form."


def minimum_fill_time_message(seconds: float) -> str:
    """Return the message for a form that was sent before the minimum fill time passed."""
    return (
        f"That was too fast: please take at least {seconds:g} seconds to fill in the form. Nothing was sent. "
        f"{INPUT_KEPT} Please send the form again."
    )


class NotAdmitted(InputRejected):
    """A refused submit with its reason. The entries stay on the page."""

    status = 429

    def __init__(self, form: Form, message: str) -> None:
        field = FORM_RULES[form].field
        super().__init__(message, (FieldError(field, message),) if field else ())
