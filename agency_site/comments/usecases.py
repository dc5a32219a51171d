"""Taking a comment in."""

from collections.abc import Mapping

from pydantic import ValidationError

from agency_site.comments.request import CommentRequest
from agency_site.errors import rejection

CHECK_FIELDS = "Please check the marked fields."


def receive(form: Mapping[str, object]) -> CommentRequest:
    """The comment that a submitted form carries. Raises InputRejected with one message per field."""
    try:
        return CommentRequest.model_validate(dict(form))
    except ValidationError as invalid:
        raise rejection(CHECK_FIELDS, invalid) from None
