"""The state of a booking's detail page. Actions apply to the booking and version that the page shows, not to the address."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.edit_conflicts import Difference, Merge
from agency_site.backoffice.state import StaffState
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import StaleRecord
from agency_site.features.booking import staff_transitions, staff_usecases
from agency_site.features.booking.admin.labels import (
    DETAIL_LABELS,
    available_actions,
    describe_booking,
    describe_change,
    describe_history,
    details_form,
)
from agency_site.features.booking.admin.slot_finder import SlotFinder, parse_start
from agency_site.features.booking.business_hours import find_misplaced_bookings
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.rules import BookingState, format_slot_time
from agency_site.features.booking.staff_request import BookingDetails, CancellationRequest, NoteRequest
from agency_site.form_input import read_form
from agency_site.ui.forms import submitted

PANELS = ("move", "cancel", "reinstate", "edit")
JUST_BOOKED = timedelta(minutes=2)
Action = Callable[..., Awaitable[BookingRecord]]
"""Takes a session, `reference`, `actor` and `version`."""


class BookingDetail(SlotFinder, StaffState):
    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    summary: dict[str, str] = {}
    actions: rx.Field[list[str]] = rx.field(default_factory=list)
    """The actions that are available now."""
    history: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    misplaced: rx.Field[bool] = rx.field(False)
    """Its time is no longer offered."""
    panel: rx.Field[str] = rx.field("")
    """The open dialog or form: one of `PANELS`, or empty."""
    draft: dict[str, str] = {}
    """The details when the edit form was opened."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has saved since, beside what is being saved."""
    _base: dict[str, str] = {}
    _base_version: int = 0
    _merge: Merge | None = None
    """Set while an edit conflict is open."""
    _merged_version: int = 0

    @staff_page(Permission.SEE_BOOKINGS)
    async def open_booking(self, _who: Staff) -> None:
        query = self.router.url.query_parameters
        if not self._returned:
            self._clear()
        created_at = await self._load(str(query.get("ref", ""))[:20])
        if "new" in query and created_at > now() - JUST_BOOKED:
            self._say(f"Booked. The reference is {self.reference}.")

    @staff_watch(Permission.SEE_BOOKINGS)
    async def refresh(self, _who: Staff) -> None:
        if self.reference:
            await self._load(self.reference)

    @staff_event(Permission.WORK_BOOKINGS)
    async def open_panel(self, _who: Staff, panel: str) -> None:
        self.panel = panel if panel in PANELS and self.reference else ""
        self.errors, self.problem, self.found = {}, "", []
        if self.panel not in ("move", "edit"):
            return
        async with read_scope() as session:
            booking = await staff_usecases.find(session, self.reference)
        if self.panel == "move":
            day = in_nairobi(booking.starts_at).date()
            await self._load_week(day - timedelta(days=day.weekday()))
        else:
            self.draft = self._base = details_form(booking)
            self._base_version = booking.version

    @staff_event(Permission.WORK_BOOKINGS)
    async def close_panel(self, _who: Staff) -> None:
        self._close_panel()

    @staff_event(Permission.WORK_BOOKINGS)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        request = read_form(NoteRequest, submitted(form))
        async with session_scope() as session:
            await staff_usecases.add_note(session, self.reference, request.note, who.email)
            await audit.record(session, who, "booking.noted", "booking", self.reference)
        await self._load(self.reference)
        self._say("Note saved.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def move(self, who: Staff, form: dict[str, Any]) -> None:
        typed = submitted(form)
        new_start = parse_start(typed)
        action = partial(staff_usecases.move, new_start=new_start, notify="tell" in typed)
        await self._apply(who, "moved", action, f"Moved to {format_slot_time(new_start)}.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def cancel(self, who: Staff, form: dict[str, Any]) -> None:
        typed = submitted(form)
        request = read_form(CancellationRequest, typed)
        action = partial(staff_transitions.cancel, reason=request.reason, notify="tell" in typed)
        await self._apply(who, "cancelled", action, "Cancelled. The time is free again.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def reinstate(self, who: Staff, form: dict[str, Any]) -> None:
        action = partial(staff_transitions.reinstate, notify="tell" in submitted(form))
        await self._apply(who, "restored", action, "Booking reinstated.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def complete(self, who: Staff) -> None:
        await self._apply(who, "completed", staff_transitions.complete, "Marked as completed.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def mark_no_show(self, who: Staff) -> None:
        await self._apply(who, "no_show", staff_transitions.mark_no_show, "Marked as no-show.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def save_details(self, who: Staff, form: dict[str, Any]) -> None:
        typed = submitted(form)
        await self._save({name: typed.get(name, "") for name in DETAIL_LABELS}, who, self._base_version)

    @staff_event(Permission.WORK_BOOKINGS)
    async def keep_theirs(self, who: Staff) -> None:
        """Discard what both changed; what only the second changed is saved."""
        merge = self._merge
        if merge and merge.with_theirs() != merge.theirs:
            await self._save(merge.with_theirs(), who, self._merged_version)
            return
        self._close_panel()
        await self._load(self.reference)
        self._say("The other version was kept.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        if self._merge:
            await self._save(self._merge.with_mine(), who, self._merged_version)

    async def _apply(self, who: Staff, name: str, action: Action, message: str) -> None:
        before = self.summary
        shown = {"reference": self.reference, "actor": who.email, "version": self.version}
        try:
            async with session_scope() as session:
                booking = await action(session, **shown)
                change = describe_change(before, booking)
                await audit.record(session, who, f"booking.{name}", "booking", booking.reference, change)
        except StaleRecord:
            # The action was chosen for a version that is gone: show the current one.
            self._close_panel()
            await self._load(self.reference)
            raise
        self._close_panel()
        await self._load(booking.reference)
        self._say(message)

    async def _save(self, details: dict[str, str], who: Staff, version: int) -> None:
        request = read_form(BookingDetails, details)
        details = {name: str(getattr(request, name)) for name in DETAIL_LABELS}
        try:
            async with session_scope() as session:
                await staff_usecases.edit_details(session, self.reference, version, request, who.email)
                changed = changed_fields(DETAIL_LABELS, self._base, details)
                await audit.record(session, who, "booking.corrected", "booking", self.reference, changed)
        except StaleRecord as conflict:
            await self._resolve_conflict(who, details, conflict.current)
            return
        self._close_panel()
        await self._load(self.reference)
        self._say("Details saved.")

    async def _resolve_conflict(self, who: Staff, mine: dict[str, str], current: Any) -> None:
        merge = Merge(self._base, details_form(current), mine)
        self.found = merge.disputed(DETAIL_LABELS)
        if not self.found:
            await self._save(merge.with_mine(), who, current.version)
            return
        self._merge, self._merged_version = merge, current.version
        await self._load(self.reference)

    def _close_panel(self) -> None:
        self.panel, self.found, self.errors, self._merge = "", [], {}, None

    def _clear(self) -> None:
        self._close_panel()
        self.reference, self.version, self.summary = "", 0, {}
        self.actions, self.history, self.misplaced = [], [], False

    async def _load(self, reference: str) -> datetime:
        """Show the current booking; returns when it was created."""
        async with read_scope() as session:
            booking = await staff_usecases.find(session, reference)
            history = describe_history(await staff_usecases.list_history(session, booking.id))
            misplaced = await _is_misplaced(session, booking)
        self.reference, self.version = booking.reference, booking.version
        has_notes = "yes" if any(line.noted for line in history) else ""
        shown = (
            {**describe_booking(booking), "has_notes": has_notes},
            available_actions(booking),
            history,
            misplaced,
        )
        if shown != (self.summary, self.actions, self.history, self.misplaced):
            self.summary, self.actions, self.history, self.misplaced = shown
        return booking.created_at


async def _is_misplaced(session: AsyncSession, booking: BookingRecord) -> bool:
    if booking.state is not BookingState.CONFIRMED:
        return False
    end = booking.starts_at + timedelta(seconds=1)
    misplaced = await find_misplaced_bookings(session, booking.starts_at, end)
    return any(other.reference == booking.reference for other in misplaced)
