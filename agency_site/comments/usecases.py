"""Taking a comment in: it reaches the editors by mail."""

from collections.abc import Mapping

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.comments import emails
from agency_site.comments.request import CommentRequest, read_comment
from agency_site.mail.rules import content_key
from agency_site.mail.usecases import enqueue_unless_repeated


async def receive(session: AsyncSession, form: Mapping[str, object]) -> CommentRequest:
    """Send the comment of a submitted form to staff. Raises InputRejected with one message per field.

    The same comment again within a few minutes, as from a double press, sends nothing: it is known by a digest of its
    own words, which a reload or a second tab does not change.
    """
    comment = read_comment(form)
    key = content_key("comment", comment.model_dump())
    await enqueue_unless_repeated(session, emails.staff_comment(comment), key=key)
    return comment
