"""The mail about a comment: to staff, who are its editors."""

from agency_site.comments.request import CommentRequest
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.mail.rules import Message, paragraphs_of
from agency_site.settings import settings


def staff_comment(comment: CommentRequest, reference: str) -> Message:
    """To staff: somebody has commented on an article."""
    (article,) = (article for article in ARTICLES if article.slug == comment.article)
    return Message(
        kind="staff-comment",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Comment: {article.title}, {comment.name}",
        heading="New comment",
        paragraphs=paragraphs_of(comment.comment),
        facts=(
            ("Reference", reference),
            ("Article", article.title),
            ("Name", comment.name),
            ("E-mail", f"{comment.email} (never published)"),
            ("Website", comment.website or "not given"),
        ),
        actions=(
            ("Approve or reject it", f"{settings().site_url}/admin/comment?ref={reference}"),
            ("Open the article", f"{settings().site_url}{article.href}"),
        ),
        closing=(
            "It stands on the site once one of you has approved it. An answer to this e-mail goes to its writer.",
        ),
        reply_to=comment.email,
        about=reference,
    )
