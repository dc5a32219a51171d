"""The state of a consultant's page: creating, editing, deactivating and reactivating."""

from typing import Any, ClassVar

import reflex as rx
from sqlalchemy import func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit, HistoryLine
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.content.hours import hours as weekly_hours
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.business_hours.labels import AffectedBooking, affected_rows
from agency_site.features.booking.admin.consultants.labels import (
    CONSULTANT,
    FIELD_LABELS,
    consultant_facts,
    consultant_fields,
    new_consultant_fields,
)
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.usecases import list_misfits
from agency_site.features.booking.consultants import staff_usecases as consultants
from agency_site.features.booking.consultants.records import ConsultantRecord
from agency_site.features.booking.consultants.staff_request import ConsultantRequest
from agency_site.form_input import read_form
from agency_site.ui.forms import submitted

EDIT_FORM, DEACTIVATE = "edit", "deactivate"
"""The panels of the page."""


class ConsultantPage(DetailPage, StaffState):
    """The open consultant; without a reference a new one."""

    VIEW: ClassVar = Permission.SET_HOURS
    EDIT: ClassVar = Permission.SET_HOURS
    FIELDS: ClassVar = FIELD_LABELS

    ready: rx.Field[bool] = rx.field(False)
    """The page is open; without a reference it shows the form of a new consultant."""
    affected: rx.Field[list[AffectedBooking]] = rx.field(default_factory=list)
    """The bookings of this person that no longer fit after the last change."""

    @staff_event(Permission.SET_HOURS)
    async def edit(self, _who: Staff) -> None:
        async with read_scope() as session:
            consultant = await consultants.read_consultant(session, self.reference)
        self._open_panel(EDIT_FORM)
        self._open_form(consultant)

    @staff_event(Permission.SET_HOURS)
    async def save(self, who: Staff, form: dict[str, Any]) -> Any:
        request = read_form(ConsultantRequest, submitted(form))
        if self.reference:
            await self._save_form(who, EDIT_FORM, consultant_fields(request))
            return None
        async with session_scope() as session:
            consultant = await consultants.save_consultant(session, request, who.email)
            await audit.record(session, who, "consultant.created", "consultant", consultant.reference)
        return rx.redirect(f"{CONSULTANT}?ref={consultant.reference}", replace=True)

    @staff_event(Permission.SET_HOURS)
    async def ask_to_deactivate(self, _who: Staff) -> None:
        if self.reference:
            self._open_panel(DEACTIVATE)

    @staff_event(Permission.SET_HOURS)
    async def deactivate(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await consultants.deactivate_consultant(session, self.reference, self.version, who.email)
            await audit.record(session, who, "consultant.deactivated", "consultant", self.reference)
            await self._list_affected(session)

        await self._run(who, work, "The consultant takes no new bookings.")

    @staff_event(Permission.SET_HOURS)
    async def reactivate(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await consultants.reactivate_consultant(session, self.reference, self.version, who.email)
            await audit.record(session, who, "consultant.reactivated", "consultant", self.reference)
            await self._list_affected(session)

        await self._run(who, work, "The consultant takes bookings again.")

    async def _opened(self, _who: Staff) -> None:
        if not self.reference:
            self.draft = new_consultant_fields()
        self.ready = True

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        request = read_form(ConsultantRequest, edit.fields)
        await consultants.save_consultant(session, request, who.email, self.reference, version)
        changed = changed_fields(FIELD_LABELS, self.draft, edit.fields)
        await audit.record(session, who, "consultant.edited", "consultant", self.reference, changed)
        await self._list_affected(session)
        return "Saved."

    async def _list_affected(self, session: AsyncSession) -> None:
        """List the bookings of this person that no longer fit."""
        misfits = await list_misfits(session, weekly_hours())
        self.affected = affected_rows(
            booking for booking in misfits if booking.person_reference == self.reference
        )

    def _fields_of(self, record: ConsultantRecord) -> dict[str, str]:
        return consultant_fields(record)

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        consultant = await consultants.read_consultant(session, reference)
        facts = consultant_facts(consultant, await _count_upcoming(session, consultant.id))
        return {
            "reference": consultant.reference,
            "version": consultant.version,
            "facts": facts,
            # An edit conflict names the author of the newest line.
            "lines": [HistoryLine("Changed", "", facts["changed"], facts["author"])],
        }


async def _count_upcoming(session: AsyncSession, identity: int) -> int:
    query = (
        select(func.count())
        .select_from(Booking)
        .where(
            col(Booking.consultant_id) == identity,
            col(Booking.state) == BookingState.CONFIRMED,
            col(Booking.starts_at) > now(),
        )
    )
    return (await session.exec(query)).one()
