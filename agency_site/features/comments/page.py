"""An author's own comment, behind a private link."""

from collections.abc import Mapping

import reflex as rx

from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import CommentState
from agency_site.features.comments.state import THANKS, find_article, format_day
from agency_site.mail.rules import MAIL_LIMIT_NOTICE
from agency_site.site.layout.private_page import PrivatePage, unknown_link
from agency_site.ui.blocks import fact
from agency_site.ui.elements import announced, button, link_button
from agency_site.ui.forms import sent_mark

STATUS_TEXTS: Mapping[CommentState, str] = {
    CommentState.PENDING: "Waits for one of our editors",
    CommentState.APPROVED: "Published under the article",
    CommentState.REJECTED: "Was not taken in by our editors",
    CommentState.WITHDRAWN: "Withdrawn",
}
"""What an author reads about each state."""
_WITHDRAWN = "Your comment is withdrawn. It is no longer on our site."
SENT, LIMITED, WITHDRAWN = "sent", "limited", "withdrawn"
"""In the address that a posted form leads to: the comment is stored, without an e-mail, or withdrawn."""
_SENT_TEXTS = {SENT: THANKS, LIMITED: f"{THANKS} {MAIL_LIMIT_NOTICE}"}

OWN_COMMENT = PrivatePage(
    path="/comment/{token}",
    title="Your comment",
    description="See your comment or take it back.",
    unknown=unknown_link("We know no comment under this link.", link_button("Read the blog", "/blog")),
)


def own_comment(comment: CommentRecord, token: str, query: Mapping[str, str]) -> rx.Component:
    """The comment, its status, the button that withdraws it, and what the form did that led here with its name in `query`."""
    is_withdrawn = comment.state is CommentState.WITHDRAWN
    title, href = find_article(comment.article)
    results = {WITHDRAWN: _WITHDRAWN} if is_withdrawn else _SENT_TEXTS
    article = fact("Article", rx.el.a(title, href=href, class_name="link")) if title else rx.fragment()
    return rx.fragment(
        rx.el.h1("Your comment"),
        rx.el.div(
            announced(next((text for name, text in results.items() if name in query), "")),
            class_name="mt-7",
        ),
        rx.el.dl(
            article,
            fact("Reference", comment.reference),
            fact("Written", format_day(comment.created_at)),
            fact("Status", STATUS_TEXTS[comment.state]),
            class_name="panel grid gap-y-3",
        ),
        _text(comment.text) if comment.text else rx.fragment(),
        link_button("Read the blog", "/blog", class_name="mt-6") if is_withdrawn else _withdrawal(token),
    )


def _text(text: str) -> rx.Component:
    return rx.el.blockquote(rx.el.p(text, dir="auto", class_name="comment-text"), class_name="comment-own")


def _withdrawal(token: str) -> rx.Component:
    return rx.el.form(
        button("Withdraw my comment", type="submit"),
        sent_mark(),
        rx.el.p("Withdrawn is for good: to say it again, write it again.", class_name="text-muted"),
        id="withdraw-comment",
        action=f"/comment/{token}/withdraw",
        method="post",
        class_name="grid gap-3 mt-6 justify-items-start",
    )
