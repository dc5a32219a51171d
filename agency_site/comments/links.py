"""The private link of a comment's author."""

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
