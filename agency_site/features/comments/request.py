"""What a visitor sends as a comment: parsed and validated, with one plain message per field.

The keys are the specification's (section 3, comment form).
"""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator

from agency_site.characters import drop_invisible
from agency_site.content.articles import ARTICLES
from agency_site.form_input import EmailAddress, FullName, Typed, line, text

COMMENT_LENGTH, _WEBSITE_LENGTH = 20_000, 2_000
"""The specification names no bounds (section 5); these only keep out what no person types."""


def _article(value: object) -> str:
    if value not in [article.slug for article in ARTICLES]:
        raise ValueError("This article takes no comments.")
    return str(value)


def _comment(value: object) -> str:
    return text(value, "Your comment", COMMENT_LENGTH, "Please write your comment.")


def _website(value: object) -> str:
    typed = drop_invisible(line(value, "Your website", _WEBSITE_LENGTH))
    if not typed:
        return ""
    # People type example.co.ke; only what cannot be meant as a web address is refused.
    address = typed if "://" in typed else f"https://{typed}"
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    usable = parts.scheme in ("http", "https") and not parts.username and not any(map(str.isspace, address))
    if not usable or "." not in host.strip("."):
        raise ValueError("Please enter a web address, such as https://example.co.ke.")
    return address


class CommentRequest(Typed):
    """A comment that a visitor would like to see beneath an article."""

    article: Annotated[str, BeforeValidator(_article)]
    """Slug of the article."""
    comment: Annotated[str, BeforeValidator(_comment)]
    name: FullName
    email: EmailAddress
    """Never published."""
    website: Annotated[str, BeforeValidator(_website)] = ""
