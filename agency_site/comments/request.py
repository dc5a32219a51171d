"""What a visitor sends as a comment: parsed, trimmed and judged, with one plain message per field.

The keys are the specification's (section 3, comment form).
"""

import unicodedata
from typing import Annotated
from urllib.parse import urlsplit

from email_validator import EmailNotValidError, validate_email
from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from agency_site.content.articles import ARTICLES

COMMENT_LENGTH, NAME_LENGTH, EMAIL_LENGTH, WEBSITE_LENGTH = 20_000, 200, 254, 2_000
"""The specification names no bounds (section 5); these only keep out what no person types."""


def _text(value: object, what: str, limit: int, ask: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text.")
    text = value.replace("\r\n", "\n").replace("\r", "\n").strip()
    if ask and not text:
        raise ValueError(ask)
    if len(text) > limit:
        raise ValueError(f"{what} may have at most {limit:,} characters.")
    # A database would choke on these; nobody types them.
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t" for char in text):
        raise ValueError(f"{what} contains a character that cannot be used.")
    return text


def _article(value: object) -> str:
    if value not in [article.slug for article in ARTICLES]:
        raise ValueError("This article takes no comments.")
    return str(value)


def _comment(value: object) -> str:
    return _text(value, "Your comment", COMMENT_LENGTH, "Please write your comment.")


def _name(value: object) -> str:
    return " ".join(_text(value, "Your name", NAME_LENGTH, "Please enter your full name.").split())


def _email(value: object) -> str:
    text = _text(value, "Your e-mail address", EMAIL_LENGTH, "Please enter your e-mail address.")
    try:
        return validate_email(text, check_deliverability=False).normalized
    except EmailNotValidError:
        raise ValueError("Please enter a valid e-mail address, such as amina@example.com.") from None


def _website(value: object) -> str:
    text = _text(value, "Your website", WEBSITE_LENGTH, "")
    if not text:
        return ""
    # People type example.co.ke; only what cannot be meant as a web address is refused.
    address = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    usable = parts.scheme in ("http", "https") and not parts.username and not any(map(str.isspace, address))
    if not usable or "." not in host.strip("."):
        raise ValueError("Please enter a web address, such as https://example.co.ke.")
    return address


class CommentRequest(BaseModel):
    """A comment that a visitor would like to see beneath an article."""

    model_config = ConfigDict(frozen=True)

    article: Annotated[str, BeforeValidator(_article)]
    """Slug of the article."""
    comment: Annotated[str, BeforeValidator(_comment)]
    name: Annotated[str, BeforeValidator(_name)]
    email: Annotated[str, BeforeValidator(_email)]
    """Never published."""
    website: Annotated[str, BeforeValidator(_website)] = ""

    @model_validator(mode="before")
    @classmethod
    def _absent_is_blank(cls, given: object) -> object:
        """A missing key reads like an empty box, so that its message asks for it in the same words."""
        if not isinstance(given, dict):
            return given
        return dict.fromkeys(cls.model_fields, "") | {k: "" if v is None else v for k, v in given.items()}
