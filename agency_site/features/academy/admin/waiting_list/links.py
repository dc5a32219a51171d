"""The private link of a waiting list entry, on whose page a kept place is taken."""

from typing import ClassVar

from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import MessageDialog, TextTarget
from agency_site.db.found_rows import find_one
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.waiting_list.emails import build_waiting_link
from agency_site.features.academy.waiting_list.usecases import find_or_renew_token


class WaitingLinks(MessageDialog, StaffState):
    """The dialog that is open for a waiting list entry."""

    WORK: ClassVar = Permission.WORK_ENROLMENTS

    async def _find_target(self, session: AsyncSession, _who: Staff, reference: str) -> TextTarget:
        query = select(WaitingEntry).where(WaitingEntry.reference == reference)
        entry = await find_one(
            session, query, "There is no waiting list entry with this reference.", fresh=True
        )
        link = build_waiting_link(await find_or_renew_token(session, entry)) if entry.email else ""
        return TextTarget("waiting", entry.reference, entry.fullname, link=link)
