"""Personal data in notices: mails and text messages about a record, and mails that wait for their text messages."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.personal_data import ClassifiedColumns
from agency_site.mail import personal_data as mails
from agency_site.notices.held_mails import erase_held_mails, erase_held_mails_about
from agency_site.notices.tables import HeldMail
from agency_site.sms.personal_data import erase_texts_about

HELD_MAILS = ClassifiedColumns(
    table=HeldMail,
    secret=("to", "message", "attachments"),
    internal=("id", "key", "about", "useless_after", "created_at"),
)
"""Not exported: the text message with the same content is. Erasing deletes the row."""


async def erase_notices_about(session: AsyncSession, reference: str) -> int:
    """Blank all mails and text messages about a record, to any recipient; return their number."""
    await erase_held_mails_about(session, reference)
    return await mails.erase_about(session, reference) + await erase_texts_about(session, reference)


async def erase_mails(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank the person's mails (`mail.personal_data.erase`), and delete those that wait for a text message."""
    await erase_held_mails(session, email)
    return await mails.erase(session, email, phone, actor)
