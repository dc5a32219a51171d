"""The private page of a comment's author."""

from collections.abc import Mapping

import reflex as rx

from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.state import THANKS, find_article, format_day
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from agency_site.members import names
from agency_site.site.layout.private_page import PrivatePage, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import announced, button, link_button
from agency_site.ui.forms import sent_mark

STATUS_TEXTS: Mapping[CommentState, str] = names(
    {
        CommentState.PENDING: "Waiting for one of our editors",
        CommentState.APPROVED: "Published under the article",
        CommentState.REJECTED: "Not published by our editors",
        CommentState.WITHDRAWN: "Withdrawn",
    }
)
"""The author's text for each state."""
_WITHDRAWN = "You have withdrawn your comment. It is no longer on our site."
RESULTS = SENT, LIMITED, WITHDRAWN = "sent", "limited", "withdrawn"
"""Results of posted forms: the comment is stored, stored without an e-mail, or withdrawn."""
_SENT_TEXTS = {SENT: THANKS, LIMITED: f"{THANKS} {MAIL_LIMIT_NOTICE}"}

OWN_COMMENT = PrivatePage(
    path="/comment/{token}",
    title="Your comment",
    description="View or withdraw your comment.",
    unknown=unknown_link("There is no comment at this link.", link_button("Read the blog", "/blog")),
)


def own_comment(comment: CommentRecord, token: str, result: str = "") -> rx.Component:
    """The comment, its status and the button that withdraws it. `result` names the form that led here."""
    is_withdrawn = comment.state is CommentState.WITHDRAWN
    title, href = find_article(comment.article)
    results = {WITHDRAWN: _WITHDRAWN} if is_withdrawn else _SENT_TEXTS
    article = fact("Article", rx.el.a(title, href=href, class_name="link")) if title else rx.fragment()
    return rx.fragment(
        rx.el.h1("Your comment"),
        rx.el.div(
            announced(results.get(result, "")),
            class_name="mt-7",
        ),
        rx.el.dl(
            article,
            fact("Reference", comment.reference),
            fact("Written", format_day(comment.created_at)),
            fact("Status", STATUS_TEXTS[comment.state]),
            class_name="panel grid gap-y-3",
        ),
        _quotation(comment.text) if comment.text else rx.fragment(),
        link_button("Read the blog", "/blog", class_name="mt-6") if is_withdrawn else _withdrawal_form(token),
    )


def _quotation(text: str) -> rx.Component:
    return rx.el.blockquote(rx.el.p(text, dir="auto", class_name="comment-text"), class_name="comment-own")


def _withdrawal_form(token: str) -> rx.Component:
    return rx.el.form(
        button("Withdraw my comment", type="submit"),
        sent_mark(),
        rx.el.p("You cannot undo this, but you can write a new comment.", class_name="text-muted"),
        id="withdraw-comment",
        action=f"/comment/{token}/withdraw",
        method="post",
        class_name="grid gap-3 mt-6 justify-items-start",
    )
