"""Sending a learner the link of the private page once more, to the address that is stored."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.errors import Conflict
from agency_site.features.academy.learners import emails
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.learners.usecases import (
    LearnerRecord,
    describe_course,
    find_learner_row_by_token,
    find_or_renew_token,
)
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.usecases import can_mail_recipient, enqueue_unless_repeated


async def send_link(session: AsyncSession, token: str) -> None:
    """Mail the link of the private page to its learner. Raises NotFound, and MailLimitReached for too many."""
    await send_learner_link(session, await find_learner_row_by_token(session, token))


async def send_learner_link(session: AsyncSession, row: Learner) -> None:
    """Mail the link of the private page to this learner. Raises Conflict if the place has no learner, and MailLimitReached."""
    if not row.email:
        raise Conflict("This place has no learner yet, so there is no address to write to.")
    enrolment = await session.get_one(Enrolment, row.enrolment_id)
    if not await can_mail_recipient(session, row.email, emails.LINK_AGAIN):
        raise MailLimitReached
    link = await find_or_renew_token(session, row)
    message = emails.link_again(LearnerRecord.of(row), await describe_course(session, enrolment), link)
    await enqueue_unless_repeated(session, message, key=f"learner-link:{row.reference}:{row.version}")
