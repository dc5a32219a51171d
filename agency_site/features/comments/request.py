"""The request of the comment form, parsed and validated, with one error message per field.

The keys are those of the specification (section 3, comment form).
"""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator

from agency_site.characters import drop_invisible
from agency_site.content.articles import articles
from agency_site.form_input import EmailAddress, FullName, InputModel, line, text

COMMENT_LENGTH, _WEBSITE_LENGTH = 20_000, 2_000
"""The specification sets no limits (section 5). These exceed any text that a person writes."""


def _article(value: object) -> str:
    if value not in [article.slug for article in articles()]:
        raise ValueError("This article takes no comments.")
    return str(value)


def _comment(value: object) -> str:
    return text(value, "Your comment", COMMENT_LENGTH, "Please write your comment.")


def _website(value: object) -> str:
    entered = drop_invisible(line(value, "Your website", _WEBSITE_LENGTH))
    if not entered:
        return ""
    # People enter example.co.ke without a scheme, so only texts that cannot be a web address are rejected.
    address = entered if "://" in entered else f"https://{entered}"
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    usable = parts.scheme in ("http", "https") and not parts.username and not any(map(str.isspace, address))
    if not usable or "." not in host.strip("."):
        raise ValueError("Please enter a web address, such as https://example.co.ke.")
    return address


class CommentRequest(InputModel):
    """A comment on an article."""

    article: Annotated[str, BeforeValidator(_article)]
    """Slug of the article."""
    comment: Annotated[str, BeforeValidator(_comment)]
    name: FullName
    email: EmailAddress
    """Never published."""
    website: Annotated[str, BeforeValidator(_website)] = ""
