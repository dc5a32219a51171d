"""The state of the screen of business hours.

Its forms remember the version with which they were opened. An edit conflict always concerns all fields, because times have
no meaning on a day that another editor has closed.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.content.hours import hours as weekly_hours
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.admin.business_hours.labels import (
    EXCEPTION_LABELS,
    OVERRIDE_LABELS,
    AffectedBooking,
    BlackoutRow,
    HolidayRow,
    ScheduleExceptionRow,
    WeeklyHoursRow,
    affected_rows,
    blackout_row,
    describe_overrides,
    describe_policy,
    exception_values,
    format_day_name,
    list_coming_holidays,
    override_values,
    schedule_exception_row,
    weekly_hours_rows,
)
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import (
    BlackoutRequest,
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.features.booking.business_hours.usecases import (
    PolicyOverridesRecord,
    ScheduleExceptionRecord,
)
from agency_site.form_input import parse_date, read_form
from agency_site.ui.forms import submitted

BLACKOUT, EXCEPTION, OVERRIDES = "blackout", "special", "choices"
"""The names of the forms. The audit log stores the last two in the names of its events."""

_MISPLACED_EVERY = 4
"""The number of refreshes between two checks of all upcoming bookings, which take a tenth of a second for thousands."""


class BusinessHours(DetailPage, StaffState):
    """Blackouts, schedule exceptions, policy overrides, and misplaced bookings. `draft` is a schedule exception."""

    VIEW: ClassVar = Permission.SEE_BOOKINGS
    EDIT: ClassVar = Permission.SET_HOURS
    FIELDS: ClassVar = {**EXCEPTION_LABELS, **OVERRIDE_LABELS}

    weekly_hours: rx.Field[list[WeeklyHoursRow]] = rx.field(default_factory=list)
    blackouts: rx.Field[list[BlackoutRow]] = rx.field(default_factory=list)
    exceptions: rx.Field[list[ScheduleExceptionRow]] = rx.field(default_factory=list)
    holidays: rx.Field[list[HolidayRow]] = rx.field(default_factory=list)
    misplaced: rx.Field[list[AffectedBooking]] = rx.field(default_factory=list)
    """All upcoming bookings that no longer fit."""
    affected: rx.Field[list[AffectedBooking]] = rx.field(default_factory=list)
    """The bookings that the last change affects."""
    policy: dict[str, str] = {}
    """The policy in effect, by the keys of `OVERRIDE_LABELS`."""
    submitted_form: rx.Field[str] = rx.field("")
    """The form that was submitted last. Its result is shown beside it."""
    form_keys: dict[str, int] = {}
    """The number of times that each form was saved. A changed key makes React draw the form again with new values."""
    overrides: dict[str, str] = {}
    """The initial values of the form of overrides."""
    question: rx.Field[str] = rx.field("")
    """The question before something is removed. Empty if none is open."""
    _to_remove: tuple[str, str, int] = ("", "", 0)
    _overrides_version: int | None = None
    """The version with which the form of overrides was opened. None if the next load opens it."""
    _refreshes: int = 0

    @staff_watch(Permission.SEE_BOOKINGS)
    async def refresh(self, who: Staff) -> None:
        self._refreshes += 1
        await self._load(who, "")

    @staff_event(Permission.SET_HOURS)
    async def add_blackout(self, who: Staff, form: dict[str, Any]) -> None:
        self._begin_submit(BLACKOUT)
        request = read_form(BlackoutRequest, submitted(form))
        async with session_scope() as session:
            change = await business_hours.add_blackout(session, request, who.email)
            span = f"{when(request.starts_at)} to {when(request.ends_at)}"
            await audit.record(session, who, "blackout.added", "blackout", str(change.record.id), span)
        await self._finish_submit(who, BLACKOUT, "Blackout added.", change.affected)

    @staff_event(Permission.SET_HOURS)
    async def edit_day(self, _who: Staff, day: str) -> None:
        """Open the form of schedule exceptions for a day."""
        try:
            chosen = parse_date(day)
        except ValueError as error:
            raise InputRejected(str(error), (FieldError("day", str(error)),)) from None
        async with report_scope() as session:
            exceptions = await business_hours.list_schedule_exceptions(session)
        exception = next((exception for exception in exceptions if exception.date == chosen), None)
        # A day without an exception comes from the list of public holidays, so staff want to open it.
        state = "closed" if exception and exception.closed else "open"
        day_values = {"day": chosen.isoformat(), "name": format_day_name(chosen), "state": state}
        self._begin_submit(EXCEPTION)
        self.draft, self.errors = {**exception_values(exception), **day_values}, {}
        self._draft_version = exception.version if exception else 0
        self._draw_again(EXCEPTION)

    @staff_event(Permission.SET_HOURS)
    async def stop_editing_day(self, _who: Staff) -> None:
        self._begin_submit(EXCEPTION)
        self._end_edit()

    @staff_event(Permission.SET_HOURS)
    async def save_day(self, who: Staff, form: dict[str, Any]) -> None:
        self._begin_submit(EXCEPTION)
        fields = submitted(form)
        fields["day"] = self.draft.get("day", fields.get("day", ""))
        values = exception_values(read_form(ScheduleExceptionRequest, fields))
        await self._store(who, Edit(EXCEPTION, values, options=fields), self._draft_version)

    @staff_event(Permission.SET_HOURS)
    async def save_overrides(self, who: Staff, form: dict[str, Any]) -> None:
        self._begin_submit(OVERRIDES)
        fields = submitted(form)
        values = describe_overrides(read_form(PolicyOverridesRequest, fields))
        await self._store(who, Edit(OVERRIDES, values, options=fields), self._overrides_version or 0)

    @staff_event(Permission.SET_HOURS)
    async def ask_to_remove(self, _who: Staff, kind: str, name: str) -> None:
        """Ask before a removal. `name` is the id of a blackout or the date of a schedule exception."""
        async with report_scope() as session:
            removable = await _find_removable(session, kind, name)
        self.question, self._to_remove = removable or ("", ("", "", 0))

    @staff_event(Permission.SET_HOURS)
    async def dismiss(self, _who: Staff) -> None:
        self.question, self._to_remove = "", ("", "", 0)

    @staff_event(Permission.SET_HOURS)
    async def remove(self, who: Staff) -> None:
        kind, name, number = self._to_remove
        self.question, self._to_remove = "", ("", "", 0)
        if not kind:
            return
        self.submitted_form = kind
        async with session_scope() as session:
            affected = await _remove(session, kind, name, number)
            reference = str(number) if kind == BLACKOUT else name
            await audit.record(session, who, f"{kind}.removed", kind, reference)
        await self._finish_submit(who, kind, "Removed.", affected)

    async def _opened(self, who: Staff) -> None:
        self.reset()
        await self._load(who, "")

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        if edit.verb == EXCEPTION:
            return await self._save_day(session, who, edit, version)
        request = read_form(PolicyOverridesRequest, edit.options)
        saved = override_values(await business_hours.read_overrides(session))
        change = await business_hours.save_overrides(session, request, version, who.email)
        changed = changed_fields(OVERRIDE_LABELS, saved, override_values(request))
        await audit.record(session, who, "choices.saved", "choices", "booking", changed)
        self.affected = affected_rows(change.affected)
        return "Saved."

    async def _save_day(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        request = read_form(ScheduleExceptionRequest, edit.options)
        change = await business_hours.save_schedule_exception(session, request, version, who.email)
        detail = f"{edit.fields['state']} {edit.fields['times']}".strip()
        await audit.record(session, who, "special.saved", "special", request.day.isoformat(), detail)
        self.affected = affected_rows(change.affected)
        return f"{format_day_name(request.day)} saved."

    def _fields_of(self, record: PolicyOverridesRecord | ScheduleExceptionRecord | None) -> dict[str, str]:
        # The fields of the other form are blank in both records, so they never conflict.
        blank = dict.fromkeys(self.FIELDS, "")
        if isinstance(record, PolicyOverridesRecord):
            return {**blank, **describe_overrides(record)}
        return {**blank, **exception_values(record)}

    def _begin_submit(self, form: str) -> None:
        self.submitted_form, self.affected, self.done = form, [], ""
        self.conflicts, self._conflict = [], None

    async def _finish_submit(
        self, who: Staff, form: str, message: str, affected: Sequence[BookingRecord]
    ) -> None:
        self._begin_submit(form)
        self.affected = affected_rows(affected)
        self._draw_again(form)
        await self._load(who, "")
        self._say(message)

    def _end_edit(self) -> None:
        super()._end_edit()
        self._draw_again(self.submitted_form)
        if self.submitted_form == OVERRIDES:
            self._overrides_version = None
        else:
            self.draft, self._draft_version = {}, 0

    def _draw_again(self, form: str) -> None:
        self.form_keys = {**self.form_keys, form: self.form_keys.get(form, 0) + 1}

    async def _read(self, _session: AsyncSession, _who: Staff, _reference: str) -> dict[str, Any]:
        # The check of all upcoming bookings is slow; visitors do not wait for the statements of a report scope.
        async with report_scope() as session:
            hours = await self._read_hours(session)
            is_changed = any(getattr(self, name) != value for name, value in hours.items())
            if is_changed or self._refreshes % _MISPLACED_EVERY == 0:
                misplaced = await business_hours.list_misfits(session, weekly_hours())
                hours["misplaced"] = affected_rows(misplaced)
        return hours

    async def _read_hours(self, session: AsyncSession) -> dict[str, Any]:
        blackouts = await business_hours.list_blackouts(session)
        exceptions = await business_hours.list_schedule_exceptions(session)
        overrides = await business_hours.read_overrides(session)
        hours: dict[str, Any] = {
            "weekly_hours": weekly_hours_rows(),
            "blackouts": [blackout_row(blackout) for blackout in blackouts],
            "exceptions": [schedule_exception_row(exception) for exception in exceptions],
            "holidays": list_coming_holidays(exceptions, overrides),
            "policy": describe_policy(overrides),
        }
        if self._overrides_version is None:
            hours |= {"overrides": override_values(overrides), "_overrides_version": overrides.version}
        return hours


async def _find_removable(
    session: AsyncSession, kind: str, name: str
) -> tuple[str, tuple[str, str, int]] | None:
    """Return the question before the removal, and the arguments of `_remove`."""
    if kind == BLACKOUT:
        for blackout in await business_hours.list_blackouts(session):
            if str(blackout.id) == name:
                question = f"The blackout {blackout_row(blackout).span} is removed, and the period can be booked again."
                return question, (kind, name, blackout.id)
    if kind == EXCEPTION:
        for exception in await business_hours.list_schedule_exceptions(session):
            if exception.date.isoformat() == name:
                day = format_day_name(exception.date)
                question = f"The schedule exception on {day} is removed, and the usual hours apply again."
                return question, (kind, name, exception.version)
    return None


async def _remove(session: AsyncSession, kind: str, name: str, number: int) -> Sequence[BookingRecord]:
    if kind == BLACKOUT:
        await business_hours.remove_blackout(session, number)
        return ()
    change = await business_hours.remove_schedule_exception(session, parse_date(name), number)
    return change.affected
