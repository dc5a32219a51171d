"""Requests of the subscription forms and the form of an issue, parsed and validated."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from agency_site.characters import clean_value
from agency_site.content.newsletter import ISSUES
from agency_site.email_addresses import parse_email_address
from agency_site.errors import FieldError, InputRejected
from agency_site.features.newsletter.rules import (
    RESERVED_SLUGS,
    SLUG,
    SLUG_LENGTH,
    Interest,
    slug_of,
    tick_name,
)
from agency_site.form_input import CHECK_FIELDS, line, parse_moment, text
from agency_site.visits.request import FromVisit

TITLE_LENGTH, SUMMARY_LENGTH, TEXT_LENGTH = 120, 300, 50_000
INVALID_EMAIL = "Please enter a valid e-mail address, such as name@company.co.ke."


def _email(value: object) -> str:
    """Return the address in lower case, or an empty text for a blank one (specification, section 5)."""
    address = clean_value(value) if isinstance(value, str) else ""
    if not address:
        return ""
    try:
        return parse_email_address(address).lower()
    except ValueError:
        raise ValueError(INVALID_EMAIL) from None


def _required_email(value: object) -> str:
    if email := _email(value):
        return email
    raise ValueError("Please enter your e-mail address.")


def _consent(value: object) -> str:
    if not value:
        raise ValueError("Please tick this box. We may not write to you without your consent.")
    return "on"


class Subscription(FromVisit):
    """A form of one field. A blank address is ignored."""

    email: Annotated[str, BeforeValidator(_email)]


class ConsentedSubscription(Subscription):
    """The form of the newsletter page. Email and consent are required (specification, section 5)."""

    email: Annotated[str, BeforeValidator(_required_email)]
    consent: Annotated[str, BeforeValidator(_consent)]
    interests: tuple[Interest, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _collect_interests(cls, form: Any) -> Any:
        return {**form, "interests": read_interests(form)} if isinstance(form, Mapping) else form


@dataclass(frozen=True)
class IssueDraft:
    """The content and the audience of an issue."""

    title: str
    slug: str
    summary: str
    text: str
    interests: tuple[Interest, ...]
    """Empty for all subscribers."""


def read_draft(form: Mapping[str, object]) -> IssueDraft:
    """Read the form of an issue. A blank address is made from the title. Raises InputRejected with a message per field."""
    errors: list[FieldError] = []

    def parse(name: str, parser: Callable[[object], str]) -> str:
        try:
            return parser(form.get(name) or "")
        except ValueError as error:
            errors.append(FieldError(name, str(error)))
            return ""

    title = parse(
        "title", lambda value: line(value, "The title", TITLE_LENGTH, "Please give the issue a title.")
    )
    slug = parse("slug", lambda value: _parse_slug(value, title)) if title else ""
    summary = parse("summary", lambda value: line(value, "The summary", SUMMARY_LENGTH))
    body = parse("text", lambda value: text(value, "The text", TEXT_LENGTH))
    if errors:
        raise InputRejected(CHECK_FIELDS, tuple(errors))
    return IssueDraft(title, slug, summary, body, read_interests(form))


def read_interests(form: Mapping[str, object]) -> tuple[Interest, ...]:
    """Return the ticked interests. Browsers do not send the other checkboxes."""
    return tuple(interest for interest in Interest if form.get(tick_name(interest.value)))


def read_moment(value: object) -> datetime:
    """Parse a day and time in Nairobi from a browser's field. Raises InputRejected for the field `moment`."""
    try:
        return parse_moment(value)
    except ValueError as error:
        raise InputRejected(str(error), (FieldError("moment", str(error)),)) from None


def _parse_slug(value: object, title: str) -> str:
    slug = line(value, "The address", SLUG_LENGTH) or slug_of(title)
    if not SLUG.fullmatch(slug):
        raise ValueError(
            "Please use small letters, digits and single dashes only, such as the-december-offer."
        )
    if slug in RESERVED_SLUGS or slug in {issue.id for issue in ISSUES}:
        raise ValueError("Another page already has this address. Please choose a different one.")
    return slug
