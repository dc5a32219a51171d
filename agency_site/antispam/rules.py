"""The public forms, what each asks for, and what is said when one is not let through."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from agency_site.errors import FieldError, InputRejected

TRAP, PROOF = "remark", "proof"
"""Names of the box that people do not see and of the one that the proof of work goes into. The first is like nothing
that browsers fill in by themselves."""


class Form(StrEnum):
    """A form that visitors send over the socket."""

    CONTACT = "contact"
    SIGNUP = "signup"
    COMMENT = "comment"
    SEAT = "seat"
    NEWSLETTER = "newsletter"
    LETTER_BOX = "letter-box"
    """The newsletter's short forms: footer and boxes."""
    BOOKING = "booking"
    ENROLMENT = "enrolment"
    PAYMENT = "payment"


@dataclass(frozen=True)
class Kind:
    """How one form is guarded."""

    things: str
    """What it sends, as a message names it."""
    proven: bool = True
    """It asks for a proof of work. What costs the sender money does not: nothing may stand between a payer and M-Pesa."""
    field: str = ""
    """The field that a refusal stands next to, where the form has no place of its own for one."""


KINDS: Mapping[Form, Kind] = MappingProxyType(
    {
        Form.CONTACT: Kind("messages"),
        Form.SIGNUP: Kind("sign-ups"),
        Form.COMMENT: Kind("comments"),
        Form.SEAT: Kind("reservations"),
        Form.NEWSLETTER: Kind("subscriptions", field="email"),
        Form.LETTER_BOX: Kind("subscriptions"),
        Form.BOOKING: Kind("bookings"),
        Form.ENROLMENT: Kind("enrolments", proven=False),
        Form.PAYMENT: Kind("payments", proven=False),
    }
)

KEPT = "What you typed is still here."
TRAPPED = (
    "A box that people do not see was filled in, as programs do, so nothing was sent. "
    f"{KEPT} If it was an extension of your browser, please press once more."
)
UNPROVEN = (
    "Your browser did not do the small sum that keeps programs out, so nothing was sent. "
    f"{KEPT} Please press once more, or reload the page; or call us."
)
TOO_OLD = f"This form stood open for very long, so nothing was sent. {KEPT} Please press once more."
SPENT = f"Something else was sent with the same proof, so this was not. {KEPT} Please press once more."


def too_fast(seconds: float) -> str:
    """What is said to whoever sends a form the moment it was opened."""
    return (
        f"That was faster than anybody can type: a form takes at least {seconds:g} seconds. Nothing was sent. "
        f"{KEPT} Please press once more."
    )


class NotAdmitted(InputRejected):
    """A form that is not let through; its message says why. What was typed stays on the page."""

    status = 429

    def __init__(self, form: Form, message: str) -> None:
        field = KINDS[form].field
        super().__init__(message, (FieldError(field, message),) if field else ())
