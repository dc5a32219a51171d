"""Comments in the back office: editors read them, and approve or reject them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import reflex as rx
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import (
    Cell,
    Choice,
    Column,
    Days,
    clients_in,
    excerpt,
    moment_column,
    reference_column,
    search_in,
    state_filter,
    when,
)
from agency_site.backoffice.record_page import RecordState, action_form, can_act, record_screens
from agency_site.backoffice.records import CLIENT, STATE, Action, HistoryLine, Record, Values
from agency_site.clock import now
from agency_site.content.articles import articles
from agency_site.db.event_log import LoggedEvent, append_event
from agency_site.features.comments import emails
from agency_site.features.comments.rules import AUTHOR, CommentChange, CommentState, can_become
from agency_site.features.comments.tables import Comment, CommentEvent
from agency_site.fields import Field
from agency_site.ids import clean_reference
from agency_site.mail.usecases import enqueue
from agency_site.members import ByMember
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import button, notice
from agency_site.ui.icon import icon

_APPROVE_BUTTON = "comment-approving"
_BAD_SIGNATURE = (
    "This link is not from one of our notification e-mails. Read the comment before you approve it."
)
_EXCERPT = 72

STATES: Mapping[CommentState, Cell] = ByMember(
    {
        CommentState.PENDING: Cell("Pending", "bad"),
        CommentState.APPROVED: Cell("Published", "good"),
        CommentState.REJECTED: Cell("Rejected", "quiet"),
        CommentState.WITHDRAWN: Cell("Withdrawn", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""


def _describe_article(comment: Comment) -> tuple[str, str]:
    """Return title and path of the article: its slug and no path if content no longer has it."""
    titles = ((each.title, each.href) for each in articles() if each.slug == comment.article)
    return next(titles, (comment.article, ""))


def _describe(comment: Comment) -> tuple[str, str]:
    name = comment.fullname or "Erased"
    return _describe_article(comment)[0], f"By {name}, {when(comment.created_at)}"


def _name_cell(comment: Comment) -> Cell:
    return Cell(comment.fullname) if comment.email else Cell("Erased", "quiet")


def _email_cell(comment: Comment) -> Cell:
    return Cell(comment.email, href=f"mailto:{comment.email}" if comment.email else "")


async def _read_texts(_session: AsyncSession, comment: Comment, _who: Staff) -> Mapping[str, str]:
    return {"text": comment.text, "article": _describe_article(comment)[1]}


def _check_signature(comment: Comment, parameters: Mapping[str, str]) -> Mapping[str, str]:
    """Say whether the link in the notice has opened the page: its reader knows the comment."""
    signature = parameters.get("signed", "")
    if not signature:
        return {"signature": ""}
    return {"signature": "right" if emails.is_notice_signature(comment.reference, signature) else "wrong"}


def _name_author(event: LoggedEvent, line: HistoryLine) -> HistoryLine:
    return replace(line, who="the visitor") if event.actor == AUTHOR else line


def _can_approve(comment: Comment) -> bool:
    # Of an erased comment no text is left to publish.
    return bool(comment.email) and can_become(comment.state, CommentState.APPROVED)


def _can_reject(comment: Comment) -> bool:
    return bool(comment.email) and can_become(comment.state, CommentState.REJECTED)


def _explain(comment: Comment, what: str) -> str:
    if not comment.email:
        return f"Its personal data was erased, so it cannot be {what}."
    if comment.state is CommentState.WITHDRAWN:
        return f"Its author has withdrawn it, so it cannot be {what}."
    return f"It is {what} already."


async def _approve(session: AsyncSession, comment: Comment, _values: Values, who: Staff) -> None:
    await _decide(session, comment, CommentState.APPROVED, who)
    # The key sends the mail once, even if a comment is approved again.
    key = f"comment-published:{comment.reference}"
    await enqueue(session, emails.comment_published(comment), key=key)


async def _reject(session: AsyncSession, comment: Comment, values: Values, who: Staff) -> None:
    await _decide(session, comment, CommentState.REJECTED, who, values["reason"])


async def _decide(
    session: AsyncSession, comment: Comment, to: CommentState, who: Staff, reason: str = ""
) -> None:
    was, step = comment.state, CommentChange(to)
    comment.state, comment.decided_at, comment.decided_by = to, now(), who.email
    await append_event(
        session, CommentEvent, [comment.id], step, who.email, before=was, after=to, note=reason
    )


_NAME = Column("name", "Name", _name_cell)
_EMAIL = Column("email", "E-mail", _email_cell, is_shown=False)
# Not a link: the address is unchecked, and spammers want staff to open it.
_WEBSITE = Column("website", "Website", lambda comment: Cell(comment.website), is_shown=False)
_RECEIVED = moment_column("received", "Received", col(Comment.created_at), sort=True)
_DECIDED = moment_column("decided", "Decided", col(Comment.decided_at), is_shown=False)
_DECIDED_BY = Column("decided-by", "Decided by", lambda comment: Cell(comment.decided_by), is_shown=False)
_APPROVE = Action(
    "approve", "Approve", _approve, event=CommentChange.APPROVED, is_logged=False, done="Approved and published.",
    when=_can_approve, refusal=lambda comment: _explain(comment, "approved"), is_shown=False,
    sets={STATE: STATES[CommentState.APPROVED].text}, each=True, each_question="Approve {count}? They will be published.",
)  # fmt: skip
_REJECT = Action(
    "reject", "Reject", _reject, event=CommentChange.REJECTED, is_logged=False, done="Rejected; not published.",
    fields=(Field("reason", "Reason", longest=500, is_required=False, hint="For editors only."),),
    when=_can_reject, refusal=lambda comment: _explain(comment, "rejected"), is_shown=False,
    sets={STATE: STATES[CommentState.REJECTED].text}, each=True,
    each_question="Reject {count}? Their authors are not notified.",
)  # fmt: skip

COMMENTS = Record(
    table=Comment,
    kind="comment",
    noun=("comment", "comments"),
    icon="social",
    path="/admin/comment",
    list_path="/admin/comments",
    see=Permission.SEE_COMMENTS,
    work=Permission.WORK_COMMENTS,
    reference=col(Comment.reference),
    clean_reference=clean_reference,
    events=CommentEvent,
    steps={
        CommentChange.RECEIVED: "Received",
        CommentChange.APPROVED: "Approved",
        CommentChange.REJECTED: "Rejected",
        CommentChange.WITHDRAWN: "Withdrawn by its author",
        CommentChange.ERASED: "Personal data erased",
    },
    describe_event=_name_author,
    state=lambda comment: STATES[comment.state],
    heading=_describe,
    facts=(_NAME, _EMAIL, CLIENT, _WEBSITE, _RECEIVED, _DECIDED, _DECIDED_BY),
    values=_read_texts,
    address_values=_check_signature,
    columns=(
        reference_column(Comment),
        _RECEIVED,
        _NAME,
        Column("comment", "Comment", lambda comment: Cell(excerpt(comment.text, _EXCERPT))),
        Column("article", "Article", lambda comment: Cell(_describe_article(comment)[0])),
        Column("state", "State", lambda comment: STATES[comment.state]),
        _EMAIL,
        _WEBSITE,
        _DECIDED,
        _DECIDED_BY,
    ),
    order="-received",
    filters=(
        state_filter(col(Comment.state), STATES),
        Choice("article", "Article", lambda: [(article.slug, article.title) for article in articles()],
               lambda value: col(Comment.article) == value),
        Days("received", "Received", col(Comment.created_at)),
    ),
    search=search_in(Comment),
    search_hint="Reference, name, e-mail, article",
    clients=clients_in(Comment),
    empty="No comments yet.",
    attention=("state", CommentState.PENDING),
    actions=(_APPROVE, _REJECT),
)  # fmt: skip


def _article_link() -> rx.Component:
    href = RecordState.facts["article"]
    return rx.cond(href != "", rx.el.a("Open the article", href=href, class_name="office-quiet"))


def _warning() -> rx.Component:
    is_wrong = RecordState.facts["signature"] == "wrong"
    return rx.cond(is_wrong, notice(rx.el.p(_BAD_SIGNATURE), tone="error"))


def _comment() -> rx.Component:
    text = RecordState.facts["text"]
    words = rx.el.p(rx.cond(text != "", text, "The text was erased."), class_name="office-said-text")
    return card(
        "Comment",
        rx.el.blockquote(words, class_name="thread-theirs"),
        rx.cond(can_act(COMMENTS, _APPROVE) | can_act(COMMENTS, _REJECT), _decisions()),
    )


def _decisions() -> rx.Component:
    approve: Any = RecordState.run(_APPROVE.key, {})
    return rx.el.div(
        rx.cond(
            can_act(COMMENTS, _APPROVE),
            rx.fragment(
                button(icon("check", size=18), _APPROVE.label, on_click=approve, id=_APPROVE_BUTTON),
                small_note("It is published, and its author gets an e-mail."),
            ),
        ),
        action_form(COMMENTS, _REJECT, class_name="comment-rejecting", tone="ghost"),
        FocusWhen.create(when=RecordState.facts["signature"] == "right", target=_APPROVE_BUTTON),
        class_name="comment-deciding",
    )


SCREENS = record_screens(COMMENTS, body=(_comment,), top=(_warning,), head=(_article_link,))
