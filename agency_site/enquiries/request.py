"""What a visitor sends: parsed, trimmed and judged, with one plain message per field.

The keys are the specification's (section 3, contact form and plan sign-up form).
"""

import re
import unicodedata
from typing import Annotated, Literal

import phonenumbers
from email_validator import EmailNotValidError, validate_email
from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from agency_site.content.hosting import PLANS

NAME_LENGTH, EMAIL_LENGTH, PHONE_LENGTH, SUBJECT_LENGTH = 120, 254, 32, 160
MESSAGE_LENGTH, DOMAIN_LENGTH = 5000, 253

_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]", re.ASCII)


def _text(value: object, what: str, limit: int) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text.")
    text = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > limit:
        raise ValueError(f"{what} may have at most {limit:,} characters.")
    # A database or a mail header would choke on these; nobody types them.
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t" for char in text):
        raise ValueError(f"{what} contains a character that cannot be used.")
    return text


def _line(value: object, what: str, limit: int) -> str:
    return " ".join(_text(value, what, limit).split())


def _required(value: object, what: str, limit: int, ask: str) -> str:
    text = _line(value, what, limit)
    if not text:
        raise ValueError(ask)
    return text


def _email(value: object) -> str:
    text = _required(value, "Your e-mail address", EMAIL_LENGTH, "Please enter your e-mail address.")
    try:
        # Mail servers without SMTPUTF8 are common, so the address must be reachable in plain ASCII.
        found = validate_email(text, check_deliverability=False, allow_smtputf8=False)
    except EmailNotValidError:
        raise ValueError("Please enter a valid e-mail address, such as amina@example.com.") from None
    return found.ascii_email or found.normalized


def _message(value: object) -> str:
    text = _text(value, "Your message", MESSAGE_LENGTH)
    if not text:
        raise ValueError("Please write your message.")
    return text


def _full_name(value: object) -> str:
    return _required(value, "Your name", NAME_LENGTH, "Please enter your full name.")


def _phone(value: object) -> str:
    typed = _required(value, "Your phone number", PHONE_LENGTH, "Please enter your phone number.")
    # The library knows Kenya's own international prefix 000; most people write the world's usual 00.
    dialled = re.sub(r"^00(?=[1-9])", "+", typed)
    try:
        number = phonenumbers.parse(dialled, "KE")
    except phonenumbers.NumberParseException:
        number = phonenumbers.PhoneNumber()
    if not phonenumbers.is_valid_number(number):
        raise ValueError(
            "Please enter a valid phone number, such as 0712 345 678 or, from abroad, +44 20 7946 0958."
        )
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _domain_type(value: object) -> object:
    if value not in ("new", "existing"):
        raise ValueError("Please say whether the domain is new or existing.")
    return value


def _domain_name(value: object) -> str:
    """The bare name: people paste whole addresses, and mean the part between."""
    typed = _required(value, "The domain name", DOMAIN_LENGTH, "Please enter the domain name.").lower()
    bare = re.sub(r"^[a-z]+://", "", typed).split("/")[0].removeprefix("www.").rstrip(".")
    if not _DOMAIN.fullmatch(bare):
        raise ValueError("Please enter a domain name such as mamamboga.co.ke.")
    return bare


def _plan(value: object) -> str:
    """A plan's name, in whatever letter case it was sent."""
    named = {plan.name.lower(): plan.name for plan in PLANS}
    if not isinstance(value, str) or value.strip().lower() not in named:
        raise ValueError("Please choose one of our plans.")
    return named[value.strip().lower()]


class _Enquiry(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _absent_is_blank(cls, given: object) -> object:
        """A missing key reads like an empty box, so that its message asks for it in the same words."""
        if not isinstance(given, dict):
            return given
        blank = dict.fromkeys((to_camel(name) for name in cls.model_fields), "")
        return blank | {key: "" if value is None else value for key, value in given.items()}


class ContactMessage(_Enquiry):
    """A message from the contact page. Only what is needed to answer must be there."""

    name: Annotated[str, BeforeValidator(lambda value: _line(value, "Your name", NAME_LENGTH))]
    email: Annotated[str, BeforeValidator(_email)]
    subject: Annotated[str, BeforeValidator(lambda value: _line(value, "The subject", SUBJECT_LENGTH))]
    message: Annotated[str, BeforeValidator(_message)]


class PlanSignup(_Enquiry):
    """Somebody wants a hosting plan; every field is required (specification, section 5)."""

    full_name: Annotated[str, BeforeValidator(_full_name)]
    email: Annotated[str, BeforeValidator(_email)]
    phone: Annotated[str, BeforeValidator(_phone)]
    domain_type: Annotated[Literal["new", "existing"], BeforeValidator(_domain_type)]
    domain_name: Annotated[str, BeforeValidator(_domain_name)]
    plan: Annotated[str, BeforeValidator(_plan)]


def subject_from_address(value: str) -> str:
    """The subject that a link to the contact page proposes: one line of bounded length, or nothing."""
    try:
        return _line(value, "The subject", SUBJECT_LENGTH)
    except ValueError:
        return ""
