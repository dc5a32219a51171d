"""The job that mails what did not arrive as a text message."""

from agency_site.db.due_work import handle_each
from agency_site.db.engine import read_scope, session_scope
from agency_site.notices.held_mails import list_decided, settle_held_mail


async def send_held_mails() -> int:
    """Settle the held mails of text messages that have failed or arrived; return their number."""
    async with read_scope() as session:
        keys = await list_decided(session)
    return await handle_each(keys, _settle, lambda key: f"the held mail of {key}")


async def _settle(key: str) -> None:
    async with session_scope() as session:
        await settle_held_mail(session, key)
