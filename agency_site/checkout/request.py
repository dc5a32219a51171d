"""What a visitor sends to pay or to enrol: parsed, trimmed and judged, with one plain message per field.

The keys are the specification's (section 3, payment request), with an optional quantity (readings, 9).
"""

import unicodedata
from typing import Annotated

import phonenumbers
from email_validator import EmailNotValidError, validate_email
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from agency_site.checkout.rules import Quote, normalise_payer_phone, quote
from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_payment_name
from agency_site.errors import FieldError, InputRejected

NAME_LENGTH, EMAIL_LENGTH, PHONE_LENGTH, COURSE_LENGTH = 80, 254, 32, 120
LARGEST_NUMBER = 1_000_000_000
"""Beyond any price; keeps what people send within a database's whole numbers."""


def _line(value: object, what: str, limit: int, ask: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text.")
    text = " ".join(value.split())
    if not text:
        raise ValueError(ask)
    if len(text) > limit:
        raise ValueError(f"{what} may have at most {limit} characters.")
    # A database or a mail header would choke on these; nobody types them.
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text):
        raise ValueError(f"{what} contains a character that cannot be used.")
    return text


def _first_name(value: object) -> str:
    return _line(value, "Your first name", NAME_LENGTH, "Please enter your first name.")


def _last_name(value: object) -> str:
    return _line(value, "Your last name", NAME_LENGTH, "Please enter your last name.")


def _email(value: object) -> str:
    text = _line(value, "Your e-mail address", EMAIL_LENGTH, "Please enter your e-mail address.")
    try:
        # Mail servers without SMTPUTF8 are common, so the address must be reachable in plain ASCII.
        found = validate_email(text, check_deliverability=False, allow_smtputf8=False)
    except EmailNotValidError:
        raise ValueError("Please enter a valid e-mail address, such as amina@example.com.") from None
    return found.ascii_email or found.normalized


def _phone(value: object) -> str:
    return _line(value, "Your phone number", PHONE_LENGTH, "Please enter your phone number.")


def _course_name(value: object) -> str:
    return _line(value, "The course", COURSE_LENGTH, "Please choose a course.")


def _whole(value: object) -> object:
    """Numbers and digits only: true and false are whole numbers to Python, but not to a payer."""
    if isinstance(value, bool):
        raise ValueError("Please give a whole number.")
    return value.strip() if isinstance(value, str) else value


def contact_phone(typed: str) -> str:
    """A telephone number of any country in E.164; without a country code it is Kenyan.

    Raises InputRejected for the field `phone`.
    """
    try:
        number = phonenumbers.parse(typed, "KE")
    except phonenumbers.NumberParseException:
        number = phonenumbers.PhoneNumber()
    if not phonenumbers.is_valid_number(number):
        reason = "Please enter a valid phone number, such as 0712 345 678."
        raise InputRejected(reason, (FieldError("phone", reason),))
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


class Enrollee(BaseModel):
    """Who takes a course."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    first_name: Annotated[
        str,
        BeforeValidator(_first_name),
        Field(examples=["Amina"], json_schema_extra={"maxLength": NAME_LENGTH}),
    ]
    last_name: Annotated[
        str,
        BeforeValidator(_last_name),
        Field(examples=["Odhiambo"], json_schema_extra={"maxLength": NAME_LENGTH}),
    ]
    email: Annotated[
        str,
        BeforeValidator(_email),
        Field(
            description="Where the confirmation goes",
            examples=["amina@example.com"],
            json_schema_extra={"format": "email", "maxLength": EMAIL_LENGTH},
        ),
    ]
    phone: Annotated[
        str,
        BeforeValidator(_phone),
        Field(
            description="A Kenyan mobile number; with money to pay, the one that gets the M-Pesa prompt",
            examples=["0712 345 678"],
            json_schema_extra={"maxLength": PHONE_LENGTH},
        ),
    ]
    course_name: Annotated[
        str,
        BeforeValidator(_course_name),
        Field(
            description="As the payment list calls it",
            examples=["Google Ads Masterclass"],
            json_schema_extra={"maxLength": COURSE_LENGTH},
        ),
    ]

    @model_validator(mode="before")
    @classmethod
    def _absent_is_blank(cls, given: object) -> object:
        """A missing text reads like an empty box, so that its message asks for it in the same words."""
        if not isinstance(given, dict):
            return given
        texts = [name for name, field in cls.model_fields.items() if field.annotation is str]
        blank = {to_camel(name): "" for name in texts if name not in given}
        return blank | {key: "" if value is None and key in blank else value for key, value in given.items()}

    def course(self) -> Course:
        """The course of that name. Raises InputRejected when there is none."""
        found = course_by_payment_name(self.course_name)
        if found is None:
            reason = "We do not offer a course of that name. Please choose one from the list."
            raise InputRejected(reason, (FieldError("courseName", reason),))
        return found


class CheckoutRequest(Enrollee):
    """Somebody wants to pay for a course: the six fields of the specification and an optional quantity."""

    amount: Annotated[
        int,
        BeforeValidator(_whole),
        Field(
            description="What the payer was shown, in whole shillings; never what is charged",
            examples=[15000],
            ge=0,
            le=LARGEST_NUMBER,
        ),
    ]
    quantity: Annotated[
        Annotated[int, BeforeValidator(_whole), Field(ge=1, le=LARGEST_NUMBER)] | None,
        Field(description="Places; without it the amount is the price times a whole number"),
    ] = None

    def quoted(self, maximum: int) -> Quote:
        """The server's own price for this request. Raises InputRejected naming the field at fault."""
        return quote(self.course(), self.quantity, self.amount, maximum)

    def payer(self) -> str:
        """The twelve digits of the phone that pays. Raises InputRejected with the specification's text."""
        return normalise_payer_phone(self.phone)
