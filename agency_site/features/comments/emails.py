"""The mails about a comment: to staff, who are its editors, and to its author."""

from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.features.comments.private_links import notice_link, private_link
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.tables import Comment
from agency_site.mail.rules import Message, split_paragraphs
from agency_site.settings import settings

RECEIVED = "comment-received"
TAKE_BACK = "See it or take it back"


def staff_comment(comment: CommentRequest, reference: str) -> Message:
    """To staff: somebody has commented on an article."""
    article = _article(comment.article)
    assert article is not None
    return Message(
        kind="staff-comment",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Comment: {article.title}, {comment.name}",
        heading="New comment",
        paragraphs=split_paragraphs(comment.comment),
        facts=(
            ("Reference", reference),
            ("Article", article.title),
            ("Name", comment.name),
            ("E-mail", f"{comment.email} (never published)"),
            ("Website", comment.website or "not given"),
        ),
        actions=(
            ("Approve or reject", notice_link(reference)),
            ("Open the article", f"{settings().site_url}{article.href}"),
        ),
        closing=("The comment is published once it is approved. Replies to this e-mail go to its author.",),
        reply_to=comment.email,
        about=reference,
    )


def comment_received(comment: CommentRequest, reference: str, token: str) -> Message:
    """To the author: we have it, and how to take it back.

    It repeats none of their words: the address may be a stranger's, and this no way to send anybody anything.
    """
    article = _article(comment.article)
    assert article is not None
    return Message(
        kind=RECEIVED,
        to=comment.email,
        subject=f"We have your comment ({reference})",
        heading="We have your comment",
        paragraphs=(
            "Hello,",
            f"thank you for your comment on “{article.title}”. One of our editors reads it, and we write to you "
            "once it stands under the article.",
        ),
        facts=(("Reference", reference), ("Article", article.title)),
        actions=((TAKE_BACK, private_link(token)),),
        closing=(
            "If it was not you who wrote it, somebody has mistyped an address: the link takes the comment back.",
        ),
        about=reference,
    )


def comment_published(comment: Comment, token: str | None) -> Message:
    """To the author: it stands under its article."""
    article = _article(comment.article)
    title = article.title if article else comment.article
    read = (("Read it there", f"{settings().site_url}{article.href}#comments"),) if article else ()
    return Message(
        kind="comment-published",
        to=comment.email,
        to_name=comment.fullname,
        subject=f"Your comment is published ({comment.reference})",
        heading="Your comment is published",
        paragraphs=(
            f"Hello {comment.fullname},",
            f"your comment on “{title}” stands under the article now. Thank you for adding to it.",
        ),
        facts=(("Reference", comment.reference), ("Article", title)),
        actions=(*read, *(((TAKE_BACK, private_link(token)),) if token else ())),
        about=comment.reference,
    )


def _article(slug: str) -> Article | None:
    """The article of that slug; none once content no longer has it."""
    return next((article for article in ARTICLES if article.slug == slug), None)
