"""The state of the screen of business hours.

Forms carry the version with which they were opened; a conflict shows what somebody else has saved beside what was typed.
"""

from collections.abc import Sequence
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.edit_conflicts import Difference, differences
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import FieldError, InputRejected, StaleRecord
from agency_site.features.booking import business_hours
from agency_site.features.booking.admin.hours_labels import (
    EXCEPTION_LABELS,
    OVERRIDE_LABELS,
    AffectedBooking,
    BlackoutRow,
    HolidayRow,
    ScheduleExceptionRow,
    affected_rows,
    blackout_row,
    describe_overrides,
    describe_policy,
    exception_values,
    format_day_name,
    list_coming_holidays,
    override_values,
    schedule_exception_row,
)
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.request import parse_date
from agency_site.features.booking.staff_request import (
    BlackoutRequest,
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.form_input import read_form
from agency_site.ui.forms import submitted

BLACKOUT, EXCEPTION, OVERRIDES = "blackout", "special", "choices"
"""The forms of the screen."""
_MISPLACED_EVERY = 4
"""Refreshes between two checks of all bookings to come: with thousands that takes a tenth of a second."""


class BusinessHours(StaffState):
    """Blackouts, special days, policy overrides, and the bookings that no longer fit."""

    blackouts: rx.Field[list[BlackoutRow]] = rx.field(default_factory=list)
    exceptions: rx.Field[list[ScheduleExceptionRow]] = rx.field(default_factory=list)
    holidays: rx.Field[list[HolidayRow]] = rx.field(default_factory=list)
    misplaced: rx.Field[list[AffectedBooking]] = rx.field(default_factory=list)
    """All bookings to come that no longer fit."""
    affected: rx.Field[list[AffectedBooking]] = rx.field(default_factory=list)
    """Those that the last change affects."""
    policy: dict[str, str] = {}
    """The policy in effect, by the keys of `OVERRIDE_LABELS`."""
    submitted_form: rx.Field[str] = rx.field("")
    """The form that was submitted last: the outcome is shown beside it."""
    form_keys: dict[str, int] = {}
    """Counts how often each form was saved; another key renders it anew."""
    draft: dict[str, str] = {}
    """The special day that is being edited; empty: a new one."""
    overrides: dict[str, str] = {}
    """The initial values of the form of overrides."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has saved since, beside what is being saved in the submitted form."""
    question: rx.Field[str] = rx.field("")
    """What is asked before something is removed."""
    _to_remove: tuple[str, str, int] = ("", "", 0)
    _exception_version: int = 0
    _overrides_version: int = 0
    _typed: dict[str, str] = {}
    _refreshes: int = 0

    @staff_page(Permission.SEE_BOOKINGS)
    async def open_hours(self, _who: Staff) -> None:
        self.submitted_form, self.question, self.draft, self._exception_version = "", "", {}, 0
        self.affected, self.found = [], []
        await self._load()
        await self._reset_overrides_form()

    @staff_watch(Permission.SEE_BOOKINGS)
    async def refresh(self, _who: Staff) -> None:
        self._refreshes += 1
        if await self._load_hours() or self._refreshes % _MISPLACED_EVERY == 0:
            await self._load_misplaced()

    @staff_event(Permission.SET_HOURS)
    async def add_blackout(self, who: Staff, form: dict[str, Any]) -> None:
        request = read_form(BlackoutRequest, self._begin_submit(BLACKOUT, form))
        async with session_scope() as session:
            change = await business_hours.add_blackout(session, request, who.email)
            span = f"{when(request.starts_at)} to {when(request.ends_at)}"
            await audit.record(session, who, "blackout.added", "blackout", str(change.record.id), span)
        await self._finish_submit(BLACKOUT, "Time blocked.", change.affected)

    @staff_event(Permission.SET_HOURS)
    async def edit_day(self, _who: Staff, day: str) -> None:
        """Put a day into the form of special days."""
        try:
            chosen = parse_date(day)
        except ValueError as error:
            raise InputRejected(str(error), (FieldError("day", str(error)),)) from None
        async with report_scope() as session:
            exceptions = {one.date: one for one in await business_hours.list_schedule_exceptions(session)}
        exception = exceptions.get(chosen)
        # A day without hours of its own comes from the public holidays, to be opened.
        standing = "closed" if exception and exception.closed else "open"
        named = {"day": chosen.isoformat(), "name": format_day_name(chosen), "standing": standing}
        self.draft = {**exception_values(exception), **named}
        self._exception_version = exception.version if exception else 0
        self.submitted_form, self.errors, self.found = EXCEPTION, {}, []
        self._render_anew(EXCEPTION)

    @staff_event(Permission.SET_HOURS)
    async def stop_editing_day(self, _who: Staff) -> None:
        self._clear_draft()

    @staff_event(Permission.SET_HOURS)
    async def save_day(self, who: Staff, form: dict[str, Any]) -> None:
        typed = self._begin_submit(EXCEPTION, form)
        self._typed = {**typed, "day": self.draft.get("day", typed.get("day", ""))}
        await self._save_day(who)

    @staff_event(Permission.SET_HOURS)
    async def save_overrides(self, who: Staff, form: dict[str, Any]) -> None:
        self._typed = self._begin_submit(OVERRIDES, form)
        await self._save_overrides(who)

    @staff_event(Permission.SET_HOURS)
    async def keep_theirs(self, _who: Staff) -> None:
        if self.submitted_form == OVERRIDES:
            await self._reset_overrides_form()
        else:
            self._clear_draft()
        self.found = []
        await self._load()
        self._say("The other version was kept.")

    @staff_event(Permission.SET_HOURS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        if self.found and self.submitted_form == OVERRIDES:
            await self._save_overrides(who)
        elif self.found:
            await self._save_day(who)

    @staff_event(Permission.SET_HOURS)
    async def ask_to_remove(self, _who: Staff, kind: str, name: str) -> None:
        """`name` is the number of a blackout or the date of a special day."""
        async with report_scope() as session:
            found = await _find_removable(session, kind, name)
        self.question, self._to_remove = found or ("", ("", "", 0))

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
        await self._finish_submit(kind, "Removed.", affected)

    async def _save_day(self, who: Staff) -> None:
        request = read_form(ScheduleExceptionRequest, self._typed)
        mine = exception_values(request)
        try:
            async with session_scope() as session:
                change = await business_hours.save_schedule_exception(
                    session, request, self._exception_version, who.email
                )
                detail = f"{mine['standing']} {mine['times']}".strip()
                await audit.record(session, who, "special.saved", "special", request.day.isoformat(), detail)
        except StaleRecord as conflict:
            theirs: Any = conflict.current
            self._exception_version = theirs.version if theirs else 0
            self._show_conflict(EXCEPTION_LABELS, exception_values(theirs), mine)
            return
        self._clear_draft()
        await self._finish_submit(EXCEPTION, f"{format_day_name(request.day)} saved.", change.affected)

    async def _save_overrides(self, who: Staff) -> None:
        request = read_form(PolicyOverridesRequest, self._typed)
        try:
            async with session_scope() as session:
                change = await business_hours.save_overrides(
                    session, request, self._overrides_version, who.email
                )
                fields = changed_fields(OVERRIDE_LABELS, self.overrides, override_values(request))
                await audit.record(session, who, "choices.saved", "choices", "booking", fields)
        except StaleRecord as conflict:
            theirs: Any = conflict.current
            self._overrides_version = theirs.version
            self._show_conflict(OVERRIDE_LABELS, describe_overrides(theirs), describe_overrides(request))
            return
        await self._reset_overrides_form()
        await self._finish_submit(OVERRIDES, "Saved.", change.affected)

    def _begin_submit(self, form: str, values: object) -> dict[str, str]:
        self.submitted_form, self.found, self.affected, self.done = form, [], [], ""
        return submitted(values)

    async def _finish_submit(self, form: str, message: str, affected: Sequence[BookingRecord]) -> None:
        self.submitted_form, self.found, self.affected = form, [], affected_rows(affected)
        self._render_anew(form)
        await self._load()
        self._say(message)

    def _show_conflict(self, labels: dict[str, str], theirs: dict[str, str], mine: dict[str, str]) -> None:
        self.found = differences(labels, theirs, mine)
        self.errors = {}
        if not self.found:
            self._say("Somebody else has just saved the same.")

    def _clear_draft(self) -> None:
        self.draft, self._exception_version, self.found = {}, 0, []
        self._render_anew(EXCEPTION)

    def _render_anew(self, form: str) -> None:
        self.form_keys = {**self.form_keys, form: self.form_keys.get(form, 0) + 1}

    async def _reset_overrides_form(self) -> None:
        async with report_scope() as session:
            current = await business_hours.read_overrides(session)
        self.overrides, self._overrides_version = override_values(current), current.version
        self._render_anew(OVERRIDES)

    async def _load(self) -> None:
        await self._load_hours()
        await self._load_misplaced()

    async def _load_misplaced(self) -> None:
        async with report_scope() as session:
            misplaced = affected_rows(
                await business_hours.find_misplaced_bookings(session, now(), now() + business_hours.LOOKAHEAD)
            )
        if misplaced != self.misplaced:
            self.misplaced = misplaced

    async def _load_hours(self) -> bool:
        """Show the stored hours; returns whether anything has changed."""
        async with report_scope() as session:
            blackouts = await business_hours.list_blackouts(session)
            exceptions = await business_hours.list_schedule_exceptions(session)
            overrides = await business_hours.read_overrides(session)
        current: dict[str, Any] = {
            "blackouts": [blackout_row(blackout) for blackout in blackouts],
            "exceptions": [schedule_exception_row(exception) for exception in exceptions],
            "holidays": list_coming_holidays(exceptions, overrides),
            "policy": describe_policy(overrides),
        }
        changed = {name: value for name, value in current.items() if getattr(self, name) != value}
        for name, value in changed.items():
            setattr(self, name, value)
        return bool(changed)


async def _find_removable(
    session: AsyncSession, kind: str, name: str
) -> tuple[str, tuple[str, str, int]] | None:
    """The question before it is removed, and what to remove."""
    if kind == BLACKOUT:
        for blackout in await business_hours.list_blackouts(session):
            if str(blackout.id) == name:
                question = f"Take bookings again from {blackout_row(blackout).span}?"
                return question, (kind, name, blackout.id)
    if kind == EXCEPTION:
        for exception in await business_hours.list_schedule_exceptions(session):
            if exception.date.isoformat() == name:
                question = f"Go back to the usual hours on {format_day_name(exception.date)}?"
                return question, (kind, name, exception.version)
    return None


async def _remove(session: AsyncSession, kind: str, name: str, number: int) -> Sequence[BookingRecord]:
    if kind == BLACKOUT:
        await business_hours.remove_blackout(session, number)
        return ()
    change = await business_hours.remove_schedule_exception(session, parse_date(name), number)
    return change.affected
