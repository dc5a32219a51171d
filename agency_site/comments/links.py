"""The links that mails about a comment carry: its author's private one, and the signed one of the notice to staff."""

import hmac

from agency_site.comments.tables import Comment
from agency_site.references import private_token, token_hash
from agency_site.settings import settings


def token_from(seed: str) -> str:
    """The token that belongs to a row's random seed under the present secret key."""
    return private_token("comment", seed, settings().secret_key.get_secret_value())


def known_token(comment: Comment) -> str | None:
    """The author's token, for mails; none once the secret key has changed."""
    token = token_from(comment.token_seed)
    return token if token_hash(token) == comment.token_hash else None


def private_link(token: str) -> str:
    """The absolute address of the page where its author sees the comment and takes it back."""
    return f"{settings().site_url}/comment/{token}"


def notice_link(reference: str) -> str:
    """The absolute address that the notice to staff carries; it decides nothing, and whoever opens it must sign in."""
    return f"{settings().site_url}/admin/comment?ref={reference}&signed={_signature(reference)}"


def is_signed(reference: str, signature: str) -> bool:
    """Whether the signature is the one of the notice about that comment."""
    return hmac.compare_digest(_signature(reference).encode(), signature.encode(errors="replace"))


def _signature(reference: str) -> str:
    return private_token("comment-notice", reference, settings().secret_key.get_secret_value())
