"""Requests of visitors to pay or to enrol, parsed and validated, with one plain message per field.

The keys are the specification's (section 3, payment request), with an optional quantity (readings, 9).
"""

import re
from collections.abc import Callable
from typing import Annotated, Self

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel

from agency_site.characters import clean_number, clean_value, compact_code, plain_dashes, trim_punctuation
from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_payment_name
from agency_site.errors import FieldError, InputRejected
from agency_site.features.checkout.orders.rules import Discount, Quote, compute_quote, parse_payer_phone
from agency_site.form_input import (
    PHONE_LENGTH,
    EmailAddress,
    InputModel,
    TextReminders,
    Tick,
    line,
    machine_line,
    name_line,
    person_name,
    phone_number,
    text_field_info,
)
from agency_site.ids import parse_reference
from agency_site.pdf.wide_fonts import check_printable
from agency_site.person_names import check_company_name, check_name
from agency_site.places import Offer
from agency_site.visits.request import FromVisit

NAME_LENGTH, COURSE_LENGTH, REFERENCE_LENGTH, COUPON_LENGTH = 80, 120, 12, 20

ONE_NAME = "I have one name"
"""The label of the tick box with which a person leaves the last name empty."""

COMPANY_LENGTH, PIN_LENGTH = 120, 11

_KRA_PIN = re.compile(r"[A-Z][0-9]{9}[A-Z]")

LARGEST_NUMBER = 1_000_000_000
"""More than any price, and within the range of a database integer."""


def _parse_first_name(value: object) -> str:
    what = "Your first name"
    return check_printable(person_name(value, what, NAME_LENGTH, "Please enter your first name."), what)


def _parse_last_name(value: object, fields: ValidationInfo) -> str:
    return parse_last_name(value, fields, "Your last name", "Please enter your last name", ONE_NAME)


def parse_last_name(value: object, fields: ValidationInfo, what: str, ask: str, tick_label: str) -> str:
    """Return a last name; empty if the box `one_name`, which is labelled `tick_label`, is ticked. Only then it may be empty."""
    if fields.data.get("one_name"):
        return ""
    name = name_line(value, what, NAME_LENGTH)
    # Other sites teach people with one name to enter a dash.
    if not trim_punctuation(name):
        raise ValueError(f"{ask}, or tick “{tick_label}”.")
    return check_printable(person_name(name, what, NAME_LENGTH), what)


def _parse_phone(value: object) -> str:
    return machine_line(value, "Your phone number", PHONE_LENGTH, "Please enter your phone number.")


def _parse_course_name(value: object) -> str:
    return line(value, "The course", COURSE_LENGTH, "Please choose a course.")


def _parse_previous_order(value: object) -> str:
    reason = "Please give the reference of the earlier order, such as EN-7F3K9Q."
    return _parse_short_code(value, REFERENCE_LENGTH, reason, parse_reference)


def _parse_run(value: object) -> str:
    reason = "Please choose one of the dates."
    return _parse_short_code(value, REFERENCE_LENGTH, reason, parse_reference)


def _parse_coupon(value: object) -> str:
    return _parse_short_code(value, COUPON_LENGTH, "Please check the coupon's code.", read_coupon_code)


def read_coupon_code(text: str) -> str:
    """Return a coupon code as it is stored: in capitals, with a hyphen for a dash or a space (`Jenga 10` is `JENGA-10`)."""
    return re.sub(r" ?- ?| ", "-", plain_dashes(clean_value(text))).upper()


def _parse_short_code(value: object, limit: int, reason: str, read: Callable[[str], str]) -> str:
    code = read(value) if isinstance(value, str) else "?" * (limit + 1)
    if len(code) > limit or not code.isprintable():
        raise ValueError(reason)
    return code


def _parse_company_name(value: object) -> str:
    what = "The company's name"
    name = check_company_name(name_line(value, what, COMPANY_LENGTH), what)
    if name and not any(map(str.isalnum, name)):
        raise ValueError(f"{what} needs at least one letter or digit.")
    return check_printable(name, what)


def _parse_company_pin(value: object) -> str:
    pin = compact_code(machine_line(value, "The KRA PIN", PHONE_LENGTH))
    if pin and not _KRA_PIN.fullmatch(pin):
        raise ValueError("A KRA PIN is a letter, nine digits and a letter, such as P051234567X.")
    return pin


def check_company(name: str, pin: str, *, fields: tuple[str, str] = ("companyName", "companyPin")) -> None:
    """Raise InputRejected for one of the two `fields` if a company lacks its name or its PIN. Both may be empty."""
    if bool(name) == bool(pin):
        return
    missing = "Please enter the company's KRA PIN too." if name else "Please enter the company's name too."
    raise InputRejected(missing, (FieldError(fields[1] if name else fields[0], missing),))


CompanyName = Annotated[
    str,
    BeforeValidator(_parse_company_name),
    text_field_info(
        "Savanna Foods Ltd",
        COMPANY_LENGTH,
        "The company that pays: the invoice is made out to it; with `companyPin`",
    ),
]

CompanyPin = Annotated[
    str,
    BeforeValidator(_parse_company_pin),
    text_field_info("P051234567X", PIN_LENGTH, "Its KRA PIN: a letter, nine digits and a letter"),
]


def _parse_whole_number(value: object) -> object:
    """Return a number or its digits. Rejects true and false, which are integers to Python."""
    if isinstance(value, bool):
        raise ValueError("Please give a whole number.")
    return clean_number(value) if isinstance(value, str) else value


def parse_contact_phone(text: str) -> str:
    """Return the contact's telephone number in E.164. Raises InputRejected for the field `phone`."""
    try:
        return phone_number(text)
    except ValueError as invalid:
        raise InputRejected(str(invalid), (FieldError("phone", str(invalid)),)) from None


class Enrollee(FromVisit):
    """A person who wants to take a course."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    first_name: Annotated[str, BeforeValidator(_parse_first_name), text_field_info("Amina", NAME_LENGTH)]
    # Before the last name, whose parser reads it.
    one_name: Annotated[Tick, Field(description="The person has one name: `lastName` is left out")] = False
    last_name: Annotated[
        str,
        BeforeValidator(_parse_last_name),
        text_field_info("Odhiambo", NAME_LENGTH, "Required, unless `oneName` is true"),
    ] = ""
    email: EmailAddress
    """The address for the confirmation."""
    phone: Annotated[
        str,
        BeforeValidator(_parse_phone),
        text_field_info(
            "0712 345 678",
            PHONE_LENGTH,
            "A Kenyan mobile number; with money to pay, the one that gets the M-Pesa prompt",
        ),
    ]
    course_name: Annotated[
        str,
        BeforeValidator(_parse_course_name),
        text_field_info("Google Ads Masterclass", COURSE_LENGTH, "The name in the payment list"),
    ]

    previous_order: Annotated[
        str,
        BeforeValidator(_parse_previous_order),
        text_field_info(
            "EN-7F3K9Q",
            REFERENCE_LENGTH,
            "Reference of the earlier order for the same course and e-mail address, to place another order on "
            "purpose although that one is paid or may become paid",
        ),
    ] = ""

    sms_reminders: TextReminders = False

    run: Annotated[
        str,
        BeforeValidator(_parse_run),
        text_field_info(
            "CR-7F3K9Q",
            REFERENCE_LENGTH,
            "Reference of the course run, of those that the course's page offers; without it the learners "
            "are placed later",
        ),
    ] = ""

    coupon: Annotated[
        str,
        BeforeValidator(_parse_coupon),
        text_field_info(
            "JANUARY-10", COUPON_LENGTH, "Code of a coupon; `amount` is then the total that it leaves"
        ),
    ] = ""

    @field_validator("last_name")
    @classmethod
    def _check_whole_name(cls, last_name: str, fields: ValidationInfo) -> str:
        """Reject an address or a number that is split over both name fields."""
        check_name(f"{fields.data.get('first_name', '')} {last_name}", "Your name")
        return last_name

    def course(self) -> Course:
        """Return the course with that name. Raises InputRejected if there is none."""
        course = course_by_payment_name(self.course_name)
        if course is None:
            reason = "We do not offer a course with that name. Please choose one from the list."
            raise InputRejected(reason, (FieldError("courseName", reason),))
        return course


class Company(InputModel):
    """The company that pays; empty if the buyer pays."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    company_name: CompanyName = ""
    company_pin: CompanyPin = ""

    def checked(self) -> Self:
        """Return this company. Raises InputRejected if it has only a name or only a PIN."""
        check_company(self.company_name, self.company_pin)
        return self


NO_COMPANY = Company()


class CheckoutRequest(Enrollee, Company):
    """A request to pay for a course: the six fields of the specification, an optional quantity, and the company to invoice."""

    amount: Annotated[
        int,
        # Before the validator: Pydantic leaves bounds that follow a validator out of the API schema.
        Field(
            description="The total that the payer saw, in whole shillings. It is checked; the price list decides what is charged",
            examples=[15000],
            ge=0,
            le=LARGEST_NUMBER,
        ),
        BeforeValidator(_parse_whole_number),
    ]
    quantity: Annotated[
        Annotated[int, Field(ge=1, le=LARGEST_NUMBER), BeforeValidator(_parse_whole_number)] | None,
        Field(description="Places; without it the amount is the price times a whole number"),
    ] = None

    def quote(self, maximum: int, offer: Offer | None = None, discount: Discount | None = None) -> Quote:
        """Return the price by our price list, in the run of `offer`, less the discount. Raises InputRejected with the field."""
        return compute_quote(self.course(), self.quantity, self.amount, maximum, offer, discount)

    def payer(self) -> str:
        """Return the twelve digits of the phone that pays. Raises InputRejected with the text of the specification."""
        return parse_payer_phone(self.phone)
