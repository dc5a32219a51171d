"""The mails about a comment: to staff, who are its editors, and to its author."""

from agency_site.content.articles import find_article
from agency_site.content.brand import BRAND
from agency_site.content.mail_texts import write_words
from agency_site.features.comments.request import CommentRequest
from agency_site.features.comments.rules import LINK_PURPOSE, NOTICE_PURPOSE
from agency_site.features.comments.tables import Comment
from agency_site.ids import token_hash
from agency_site.mail.rules import Message, split_paragraphs
from agency_site.settings import settings
from agency_site.signing import find_private_token, private_token

RECEIVED = "comment-received"
_VIEW_OR_WITHDRAW = "View or withdraw it"


def _private_link(token: str) -> str:
    return f"{settings().site_url}/comment/{token}"


def notice_link(reference: str) -> str:
    """Return the address in the notice to staff. It decides nothing and asks for a sign-in."""
    signature = private_token(NOTICE_PURPOSE, reference)
    return f"{settings().site_url}/admin/comment?ref={reference}&signed={signature}"


def is_notice_signature(reference: str, signature: str) -> bool:
    """Return whether the signature comes from the notice about that comment."""
    return find_private_token(NOTICE_PURPOSE, reference, token_hash(signature)) is not None


def staff_comment(comment: CommentRequest, reference: str) -> Message:
    article = find_article(comment.article)
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
    """The acknowledgement to the author. It quotes nothing, so that the form cannot send texts to strangers."""
    article = find_article(comment.article)
    assert article is not None
    words = write_words(RECEIVED, article=article.title, reference=reference)
    return Message(
        kind=RECEIVED,
        to=comment.email,
        subject=words.subject,
        heading="We have your comment",
        paragraphs=(
            "Hello,",
            *words.opening,
        ),
        facts=(("Reference", reference), ("Article", article.title)),
        actions=((_VIEW_OR_WITHDRAW, _private_link(token)),),
        closing=(
            "If you did not write it, an address was mistyped: please use the link to withdraw the comment.",
        ),
        about=reference,
    )


def comment_published(comment: Comment) -> Message:
    token = find_private_token(LINK_PURPOSE, comment.token_seed, comment.token_hash)
    article = find_article(comment.article)
    title = article.title if article else comment.article
    article_action = (
        (("Read it on the site", f"{settings().site_url}{article.href}#comments"),) if article else ()
    )
    words = write_words("comment-published", article=title, reference=comment.reference)
    return Message(
        kind="comment-published",
        to=comment.email,
        to_name=comment.fullname,
        subject=words.subject,
        heading="Your comment is published",
        paragraphs=(
            f"Hello {comment.fullname},",
            *words.opening,
        ),
        facts=(("Reference", comment.reference), ("Article", title)),
        actions=(*article_action, *(((_VIEW_OR_WITHDRAW, _private_link(token)),) if token else ())),
        about=comment.reference,
    )
