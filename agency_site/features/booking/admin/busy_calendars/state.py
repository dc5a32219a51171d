"""The state of the screen of busy calendars."""

from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, report_scope, session_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.admin.busy_calendars.labels import (
    EVERYONE,
    NO_PERSON,
    CalendarRow,
    CollisionRow,
    calendar_row,
    collision_rows,
    describe_times,
    person_options,
)
from agency_site.features.booking.busy_calendars import usecases
from agency_site.features.booking.busy_calendars.reader import read_calendar
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.busy_calendars.staff_request import BusyCalendarRequest
from agency_site.features.booking.calendar.collisions import (
    count_collisions,
    list_collisions,
    list_consultation_times,
)
from agency_site.form_input import read_form
from agency_site.ids import parse_id
from agency_site.ui.forms import Option, submitted


class BusyCalendars(StaffState):
    """The calendars, and the bookings that collide with them."""

    calendars: rx.Field[list[CalendarRow]] = rx.field(default_factory=list)
    collisions: rx.Field[list[CollisionRow]] = rx.field(default_factory=list)
    persons: rx.Field[list[Option]] = rx.field(default_factory=list)
    question: rx.Field[str] = rx.field("")
    """The question before a calendar is removed. Empty if none is open."""
    saves: rx.Field[int] = rx.field(0)
    """The number of times that the form was saved. A changed key makes React draw it again, empty."""
    _to_remove: int = 0

    @staff_page(Permission.SET_HOURS)
    async def open_calendars(self, _who: Staff) -> None:
        self.question, self._to_remove = "", 0
        await self._load_calendars()

    @staff_watch(Permission.SET_HOURS)
    async def refresh(self, _who: Staff) -> None:
        await self._load_calendars()

    @staff_event(Permission.SET_HOURS)
    async def add_calendar(self, who: Staff, form: dict[str, Any]) -> None:
        """Read the calendar, and store it if that succeeds."""
        request = read_form(BusyCalendarRequest, self._require_person(submitted(form)))
        async with read_scope() as session:
            source = await usecases.build_source(session, request)
            source = source.with_consultations(await list_consultation_times(session))
        try:
            content = await read_calendar(source)
        except CalendarUnreadable as error:
            raise InputRejected(str(error), (FieldError("address", str(error)),)) from None
        async with session_scope() as session:
            identity = await usecases.add_busy_calendar(session, request, content, who.email)
            # Not the name, which may be a person's.
            await audit.record(session, who, "calendar.added", "calendar", str(identity))
        self.saves += 1
        await self._load_calendars()
        self._say(f"Calendar added. {self._describe_times_of(identity)}")

    @staff_event(Permission.SET_HOURS)
    async def read_now(self, _who: Staff, identity: str) -> None:
        """Read a calendar at once."""
        async with read_scope() as session:
            source = await usecases.find_source(session, parse_id(identity))
            source = source.with_consultations(await list_consultation_times(session))
        try:
            content = await read_calendar(source)
        except CalendarUnreadable as error:
            async with session_scope() as session:
                await usecases.store_failure(session, source.id, str(error))
            await self._load_calendars()
            raise InputRejected(str(error)) from None
        async with session_scope() as session:
            await usecases.store_content(session, source.id, content)
        await self._load_calendars()
        self._say(f"Read. {self._describe_times_of(source.id)}")

    @staff_event(Permission.SET_HOURS)
    async def ask_to_remove(self, _who: Staff, identity: str) -> None:
        row = next((row for row in self.calendars if row.key == identity), None)
        self._to_remove = parse_id(row.key) if row else 0
        self.question = (
            f"{row.name} is removed, and its busy times can be booked again. The calendar itself stays as it is."
            if row
            else ""
        )

    @staff_event(Permission.SET_HOURS)
    async def dismiss(self, _who: Staff) -> None:
        self.question, self._to_remove = "", 0

    @staff_event(Permission.SET_HOURS)
    async def remove(self, who: Staff) -> None:
        identity, self.question, self._to_remove = self._to_remove, "", 0
        if not identity:
            return
        async with session_scope() as session:
            await usecases.remove_busy_calendar(session, identity)
            await audit.record(session, who, "calendar.removed", "calendar", str(identity))
        await self._load_calendars()
        self._say("Removed.")

    def _require_person(self, fields: dict[str, str]) -> dict[str, str]:
        """Return the fields with the chosen person; none may be forgotten, because that would close the times of all."""
        if self.persons[:1] == [NO_PERSON] and not fields.get("person"):
            message = "Please choose whose times it closes."
            raise InputRejected(message, (FieldError("person", message),))
        return fields | {"person": fields.get("person", "").removeprefix(EVERYONE)}

    def _describe_times_of(self, identity: int) -> str:
        return next(
            (describe_times(int(row.times)) for row in self.calendars if row.key == str(identity)), ""
        )

    async def _load_calendars(self) -> None:
        async with report_scope() as session:
            calendars = [calendar_row(calendar) for calendar in await usecases.list_busy_calendars(session)]
            collisions = collision_rows(await list_collisions(session))
            persons = await usecases.list_persons(session)
        options = person_options(persons)
        if (calendars, collisions, options) != (self.calendars, self.collisions, self.persons):
            self.calendars, self.collisions, self.persons = calendars, collisions, options


async def count_attention(session: AsyncSession) -> int:
    """Count what needs staff action: calendars that cannot be read, or only partly, and bookings at busy times."""
    calendars = await usecases.count_overdue_calendars(session)
    calendars += await usecases.count_partly_read_calendars(session)
    return calendars + await count_collisions(session)
