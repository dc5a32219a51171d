"""The states of the comment form, of what stands under an article, and of an author's private page."""

from typing import Any

import reflex as rx

from agency_site.antispam.admission import admit
from agency_site.antispam.rules import Form
from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound
from agency_site.features.comments.messages import STANDING, day_of, host_of, slug_at, title_of
from agency_site.features.comments.records import CommentRecord, PublishedComment
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.usecases import (
    SHOWN_AT_ONCE,
    approved,
    approved_count,
    find_by_token,
    receive,
    withdraw,
)
from agency_site.mail.rules import MAIL_LIMIT_NOTICE, split_paragraphs
from agency_site.ui.forms import submitted


class CommentDesk(rx.State):
    """Thanks or errors of the last comment, and the article whose form they belong to."""

    article: rx.Field[str] = rx.field("")
    errors: dict[str, str] = {}
    failure: rx.Field[str] = rx.field("")
    thanked: rx.Field[bool] = rx.field(False)
    note: rx.Field[str] = rx.field("")
    """What is said beneath the thanks."""
    accepted: rx.Field[int] = rx.field(0)
    """Counts accepted comments: the form clears after each."""
    refused: rx.Field[int] = rx.field(0)
    """Counts refused ones: the first marked field gets the focus."""

    @rx.event
    def begin(self) -> None:
        """Forget the last answer: an article was opened."""
        self.article, self.errors, self.failure, self.thanked = "", {}, "", False

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Send the comment to the editors; what was typed stays unless it was accepted."""
        fields = submitted(form)
        self.article = fields.get("article", "")[:80]
        self.errors, self.failure, self.thanked = {}, "", False
        try:
            await admit(Form.COMMENT, form, self.router.session.client_ip)
            async with session_scope() as session:
                received = await receive(session, fields)
        except InputRejected as rejected:
            self.errors, self.failure = rejected.by_field(), rejected.message
            self.refused += 1
            return
        self.thanked, self.note = True, "" if received.acknowledged else MAIL_LIMIT_NOTICE
        self.accepted += 1


class CommentThread(rx.State):
    """What stands under the open article."""

    article: rx.Field[str] = rx.field("")
    """Slug of the article that the rest belongs to."""
    total: rx.Field[int] = rx.field(0)
    shown: list[dict[str, str]] = []
    """The oldest ones, as many as were asked for."""

    @rx.event
    async def open_thread(self) -> None:
        """The first comments of the article that was opened; as many as before when only the connection was new."""
        slug = slug_at(self.router.url.path)
        limit = max(SHOWN_AT_ONCE, len(self.shown) if self.article == slug else 0)
        async with read_scope() as session:
            found = await approved(session, slug, limit=limit)
            total = await approved_count(session, slug) if len(found) == limit else len(found)
        self.article, self.total, self.shown = slug, total, [_shown(one) for one in found]

    @rx.event
    async def show_more(self) -> None:
        """The next ones, beneath those that are shown."""
        if not self.shown:
            return
        async with read_scope() as session:
            found = await approved(session, self.article, after=self.shown[-1]["reference"])
            total = await approved_count(session, self.article)
        self.shown = [*self.shown, *map(_shown, found)]
        self.total = total if found else len(self.shown)

    @rx.var
    def label(self) -> str:
        """`1 Comment`, `2 Comments`; empty while there are none."""
        return f"{self.total:,} Comment{'' if self.total == 1 else 's'}" if self.total else ""

    @rx.var
    def more(self) -> bool:
        """Whether some are not shown yet."""
        return self.total > len(self.shown)


class OwnComment(rx.State):
    """The private page of one comment's author."""

    looked_up: rx.Field[bool] = rx.field(False)
    known: rx.Field[bool] = rx.field(False)
    reference: rx.Field[str] = rx.field("")
    title: rx.Field[str] = rx.field("")
    """Of the article; empty once content no longer has it."""
    href: rx.Field[str] = rx.field("")
    written: rx.Field[str] = rx.field("")
    text: rx.Field[str] = rx.field("")
    standing: rx.Field[str] = rx.field("")
    withdrawn: rx.Field[bool] = rx.field(False)
    done: rx.Field[str] = rx.field("")

    @rx.event
    async def open_comment(self) -> None:
        """Look the comment up by the link's token; nothing changes."""
        self.reset()
        try:
            async with read_scope() as session:
                self._show(await find_by_token(session, self._token))
        except NotFound:
            self.known = False
        self.looked_up = True

    @rx.event
    async def take_back(self) -> None:
        """Withdraw it for good."""
        try:
            async with session_scope() as session:
                self._show(await withdraw(session, self._token))
            self.done = "Your comment is withdrawn. It stands nowhere on our site."
        except NotFound:
            self.known = False

    @property
    def _token(self) -> str:
        return self.router.url.path.rstrip("/").rpartition("/")[2]

    def _show(self, comment: CommentRecord) -> None:
        self.known, self.reference = True, comment.reference
        self.title, self.href = title_of(comment.article)
        self.written, self.text = day_of(comment.created_at), comment.text
        self.standing, self.withdrawn = STANDING[comment.state], comment.state is CommentState.WITHDRAWN


def _shown(comment: PublishedComment) -> dict[str, str]:
    """A comment as the page shows it: every value is plain text."""
    return {
        "reference": comment.reference,
        "name": comment.fullname,
        "day": day_of(comment.created_at),
        "at": in_nairobi(comment.created_at).isoformat(timespec="minutes"),
        "text": "\n\n".join(split_paragraphs(comment.text)),
        "website": comment.website if host_of(comment.website) else "",
        "host": host_of(comment.website),
    }
