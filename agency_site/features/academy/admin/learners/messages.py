"""Text messages to a learner, and the link of the learner's private page."""

from typing import ClassVar

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import MessageDialog, TextTarget
from agency_site.content.staff_texts import LEARNER_TEXTS
from agency_site.features.academy.learners.emails import build_link
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.learners.trainers import require_learner
from agency_site.features.academy.learners.usecases import find_learner_row, find_or_renew_token


class LearnerMessages(MessageDialog, StaffState):
    """The dialog that is open for a learner."""

    WORK: ClassVar = Permission.WORK_LEARNERS
    TEXTS: ClassVar = LEARNER_TEXTS

    async def _find_target(self, session: AsyncSession, who: Staff, reference: str) -> TextTarget:
        await require_learner(session, who, reference)
        learner = await find_learner_row(session, reference)
        enrolment = await session.get_one(Enrolment, learner.enrolment_id)
        return TextTarget(
            "learner",
            learner.reference,
            learner.fullname,
            learner.phone,
            build_link(await find_or_renew_token(session, learner)) if learner.email else "",
            learner.reference,
            {"course": enrolment.course_name},
        )
