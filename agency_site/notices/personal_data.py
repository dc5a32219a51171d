"""Personal data in notices about a record."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.mail.personal_data import erase_about
from agency_site.sms.personal_data import erase_texts_about


async def erase_notices_about(session: AsyncSession, reference: str) -> int:
    """Blank all mails and text messages about a record, to any recipient; return their number."""
    return await erase_about(session, reference) + await erase_texts_about(session, reference)
