"""The state of the comment form, and the published comments of an article."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import reflex as rx

from agency_site.antispam.admission import Admission, admit
from agency_site.antispam.rules import Form
from agency_site.clock import format_date, in_nairobi
from agency_site.content import articles
from agency_site.content.published import kept_until_changed
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.comments.records import PublishedComment
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.usecases import (
    SHOWN_AT_ONCE,
    count_approved,
    list_approved,
    receive_comment,
)
from agency_site.form_input import read_form
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from agency_site.ui.form_result import FormResult

THANKS = "Thank you for your comment!"
SHOWN = "comments"
"""The query parameter of an article's address that sets the number of comments, such as 40."""
_MOST_SHOWN = 1000


@dataclass(frozen=True)
class Comments:
    """The oldest published comments of an article, and the number of all."""

    oldest: tuple[PublishedComment, ...]
    total: int


class CommentForm(FormResult, rx.State):
    """The form beneath an article."""

    article: rx.Field[str] = rx.field("")
    """Slug of the article that the result belongs to."""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        self.article = find_slug(self.router.url.path)
        await self._send(form, self.router.session.client_ip, admit)
        self.answers += 1

    async def _send(self, form: Mapping[str, Any], address: str, admission: Admission) -> str:
        """Store the comment and return its author's token. The form is cleared only if that succeeds."""
        try:
            await admission(Form.COMMENT, form, address)
            comment = read_form(CommentRequest, form)
            async with session_scope() as session:
                received = await receive_comment(session, comment)
        except InputRejected as rejected:
            self._show_errors(rejected)
            return ""
        self._show_thanks(THANKS, "" if received.acknowledged else MAIL_LIMIT_NOTICE)
        return received.token


async def read_comments(slug: str, limit: int) -> Comments:
    """Read the oldest published comments of the article of that slug, at most `limit`."""
    async with read_scope() as session:
        oldest = await list_approved(session, slug, limit=limit)
        total = await count_approved(session, slug) if len(oldest) == limit else len(oldest)
    return Comments(oldest, total)


def read_limit(value: str) -> int:
    """Read the number of comments from the query parameter of an address."""
    wanted = int(value) if re.fullmatch("[0-9]{1,4}", value) else 0
    return min(max(wanted, SHOWN_AT_ONCE), _MOST_SHOWN)


def format_day(moment: datetime) -> str:
    """Format the day in Nairobi, such as `20 November 2026`."""
    return format_date(in_nairobi(moment))


def find_host(website: str) -> str:
    """Return the host of a web address without `www.`, or an empty text if it is not a web address."""
    try:
        parts = urlsplit(website)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.") if parts.scheme in ("http", "https") else ""


def find_article(slug: str) -> tuple[str, str]:
    """Return the title and path of the article, or empty texts if content no longer has it."""
    article = articles.find_article(slug)
    return (article.title, article.href) if article else ("", "")


def find_slug(path: str) -> str:
    """Return the slug of the article at that path, or an empty text if there is none."""
    return _slug_by_path().get(path.rstrip("/").lower(), "")


def is_article_path(path: str) -> bool:
    """Return whether an article has its page at exactly that path; other spellings lead to it."""
    return path in _slug_by_path()


@kept_until_changed(1)
def _slug_by_path() -> dict[str, str]:
    return {article.href: article.slug for article in articles.articles()}
