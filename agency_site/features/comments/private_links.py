"""The links that mails about a comment carry: its author's private one, and the signed one of the notice to staff."""

from agency_site.features.comments.tables import Comment
from agency_site.ids import token_hash
from agency_site.settings import settings
from agency_site.signing import find_private_token, private_token

PURPOSE, NOTICE = "comment", "comment-notice"


def token_from(seed: str) -> str:
    """The token that belongs to a new row's random seed."""
    return private_token(PURPOSE, seed)


def known_token(comment: Comment) -> str | None:
    """The author's token, for mails; none once its secret key is not among ours any more."""
    return find_private_token(PURPOSE, comment.token_seed, comment.token_hash)


def private_link(token: str) -> str:
    """The absolute address of the page where its author sees the comment and takes it back."""
    return f"{settings().site_url}/comment/{token}"


def notice_link(reference: str) -> str:
    """The absolute address that the notice to staff carries; it decides nothing, and whoever opens it must sign in."""
    return f"{settings().site_url}/admin/comment?ref={reference}&signed={private_token(NOTICE, reference)}"


def is_signed(reference: str, signature: str) -> bool:
    """Whether the signature is the one of the notice about that comment."""
    return find_private_token(NOTICE, reference, token_hash(signature)) is not None
