"""What visitors send to subscribe, and what staff type into the form of an issue: parsed and validated."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from agency_site.characters import clean_value
from agency_site.content.newsletter import ISSUES
from agency_site.email_addresses import parse_email_address
from agency_site.errors import FieldError, InputRejected
from agency_site.features.newsletter.rules import SLUG, SLUG_LENGTH, TAKEN_SLUGS, Interest, slug_of, tick_name
from agency_site.form_input import CHECK_FIELDS, InputModel, line, parse_moment, text

TITLE_LENGTH, SUMMARY_LENGTH, TEXT_LENGTH = 120, 300, 50_000
INVALID_EMAIL = "Please enter a valid email address, such as name@company.co.ke."


def _email(value: object) -> str:
    """An address in lower case; blank stays blank (specification, section 5)."""
    typed = clean_value(value) if isinstance(value, str) else ""
    if not typed:
        return ""
    try:
        return parse_email_address(typed).lower()
    except ValueError:
        raise ValueError(INVALID_EMAIL) from None


def _required_email(value: object) -> str:
    if email := _email(value):
        return email
    raise ValueError("Please enter your email address.")


def _consent(value: object) -> str:
    if not value:
        raise ValueError("Please tick this box: without your consent we may not write to you.")
    return "on"


class Subscription(InputModel):
    """A form of one field; a blank address subscribes nobody."""

    email: Annotated[str, BeforeValidator(_email)]


class ConsentedSubscription(Subscription):
    """The form of the newsletter page: email and consent are required (specification, section 5)."""

    email: Annotated[str, BeforeValidator(_required_email)]
    consent: Annotated[str, BeforeValidator(_consent)]
    interests: tuple[Interest, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _collect_interests(cls, form: Any) -> Any:
        return {**form, "interests": read_interests(form)} if isinstance(form, Mapping) else form


@dataclass(frozen=True)
class IssueDraft:
    """What an issue says, and to whom."""

    title: str
    slug: str
    summary: str
    text: str
    interests: tuple[Interest, ...]
    """None: it is for everybody."""


def read_draft(form: Mapping[str, object]) -> IssueDraft:
    """An issue as it was typed; a blank address is made from the title. Raises InputRejected with a message per field."""
    faults: list[FieldError] = []

    def judged(name: str, judge: Callable[[object], str]) -> str:
        try:
            return judge(form.get(name) or "")
        except ValueError as fault:
            faults.append(FieldError(name, str(fault)))
            return ""

    title = judged(
        "title", lambda typed: line(typed, "The title", TITLE_LENGTH, "Please give the issue a title.")
    )
    slug = judged("slug", lambda typed: _slug(typed, title)) if title else ""
    summary = judged("summary", lambda typed: line(typed, "The summary", SUMMARY_LENGTH))
    body = judged("text", lambda typed: text(typed, "The text", TEXT_LENGTH))
    if faults:
        raise InputRejected(CHECK_FIELDS, tuple(faults))
    return IssueDraft(title, slug, summary, body, read_interests(form))


def read_interests(form: Mapping[str, object]) -> tuple[Interest, ...]:
    """The boxes that are ticked; the others are absent."""
    return tuple(interest for interest in Interest if form.get(tick_name(interest.value)))


def read_moment(typed: object) -> datetime:
    """A day and time on a Nairobi clock, as browsers send them. Raises InputRejected naming the field `moment`."""
    try:
        return parse_moment(typed)
    except ValueError as error:
        raise InputRejected(str(error), (FieldError("moment", str(error)),)) from None


def _slug(typed: object, title: str) -> str:
    asked = line(typed, "The address", SLUG_LENGTH)
    found = asked or slug_of(title)
    if not SLUG.fullmatch(found):
        raise ValueError(
            "Please use small letters, figures and single dashes only, such as the-december-offer."
        )
    if found in TAKEN_SLUGS or found in {issue.id for issue in ISSUES}:
        raise ValueError("Another page already has this address. Please choose a different one.")
    return found
