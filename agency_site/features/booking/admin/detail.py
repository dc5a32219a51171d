"""One booking as staff see and work it: what its page does.

Everything acts on the booking and the version that the page shows, never on the address.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.edit_conflicts import Difference, Merge
from agency_site.backoffice.state import Office
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking import staff_transitions, staff_usecases
from agency_site.features.booking.admin.labels import (
    DETAIL_LABELS,
    change_of,
    details_given,
    details_of,
    facts_of,
    log_of,
    steps_of,
)
from agency_site.features.booking.admin.slot_finder import SlotFinder, chosen_start
from agency_site.features.booking.business_hours import out_of_place
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.rules import BookingState, EditedMeanwhile, spoken_time
from agency_site.ui.forms import submitted

PANELS = ("move", "cancel", "confirm", "details")
JUST_NOW = timedelta(minutes=2)
Verb = Callable[..., Awaitable[BookingRecord]]
"""Takes a session, `reference`, `actor` and `version`."""


class BookingFile(SlotFinder, Office):
    """The booking that is open."""

    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    steps: rx.Field[list[str]] = rx.field(default_factory=list)
    """What can become of it now."""
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    misplaced: rx.Field[bool] = rx.field(False)
    """Its time is not offered any more."""
    panel: rx.Field[str] = rx.field("")
    """What is being done: one of `PANELS`, or nothing."""
    draft: dict[str, str] = {}
    """The details as they stood when somebody began to correct them."""
    found: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """What somebody else has saved meanwhile, beside what is being saved."""
    _base: dict[str, str] = {}
    _base_version: int = 0
    _merge: Merge | None = None
    """What is disputed, while it is."""
    _merged_version: int = 0

    @staff_page(Right.SEE_BOOKINGS)
    async def open_booking(self, _who: Staff) -> None:
        """Show the booking that the address names."""
        asked = self.router.url.query_parameters
        if not self._returned:
            self._forget()
        created = await self._load(str(asked.get("ref", ""))[:20])
        if "new" in asked and created > now() - JUST_NOW:
            self._say(f"Booked. The reference is {self.reference}.")

    @staff_watch(Right.SEE_BOOKINGS)
    async def look_again(self, _who: Staff) -> None:
        """Show what others do to it."""
        if self.reference:
            await self._load(self.reference)

    @staff_event(Right.WORK_BOOKINGS)
    async def start(self, _who: Staff, panel: str) -> None:
        """Begin with one of the steps that take more than a press."""
        self.panel = panel if panel in PANELS and self.reference else ""
        self.errors, self.problem, self.found = {}, "", []
        if self.panel == "move":
            async with read_scope() as session:
                shown = await staff_usecases.find(session, self.reference)
            day = in_nairobi(shown.starts_at).date()
            await self._find(day - timedelta(days=day.weekday()))
        if self.panel == "details":
            async with read_scope() as session:
                self._draft(await staff_usecases.find(session, self.reference))

    @staff_event(Right.WORK_BOOKINGS)
    async def stop(self, _who: Staff) -> None:
        """Leave it as it is."""
        self._close()

    @staff_event(Right.WORK_BOOKINGS)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        """Write something down."""
        async with session_scope() as session:
            await staff_usecases.add_note(session, self.reference, submitted(form).get("note", ""), who.email)
            await audit.record(session, who, "booking.noted", "booking", self.reference)
        await self._load(self.reference)
        self._say("The note is kept.")

    @staff_event(Right.WORK_BOOKINGS)
    async def move(self, who: Staff, form: dict[str, Any]) -> None:
        """Give it another time."""
        given = submitted(form)
        new_start = chosen_start(given)
        verb = partial(staff_usecases.move, new_start=new_start, tell="tell" in given)
        await self._do(who, "moved", verb, f"Moved to {spoken_time(new_start)}.")

    @staff_event(Right.WORK_BOOKINGS)
    async def cancel(self, who: Staff, form: dict[str, Any]) -> None:
        """Cancel it."""
        given = submitted(form)
        verb = partial(staff_transitions.cancel, reason=given.get("reason", ""), tell="tell" in given)
        await self._do(who, "cancelled", verb, "Cancelled. The time is free again.")

    @staff_event(Right.WORK_BOOKINGS)
    async def confirm(self, who: Staff, form: dict[str, Any]) -> None:
        """Bring it back after it was cancelled."""
        verb = partial(staff_transitions.confirm, tell="tell" in submitted(form))
        await self._do(who, "restored", verb, "Confirmed again.")

    @staff_event(Right.WORK_BOOKINGS)
    async def complete(self, who: Staff) -> None:
        """Note that it was held."""
        await self._do(who, "completed", staff_transitions.complete, "Marked as completed.")

    @staff_event(Right.WORK_BOOKINGS)
    async def no_show(self, who: Staff) -> None:
        """Note that nobody came."""
        await self._do(who, "no_show", staff_transitions.no_show, "Marked as no-show.")

    @staff_event(Right.WORK_BOOKINGS)
    async def correct(self, who: Staff, form: dict[str, Any]) -> None:
        """Save corrected details."""
        await self._save(who, details_given(submitted(form)), self._base_version)

    @staff_event(Right.WORK_BOOKINGS)
    async def keep_theirs(self, who: Staff) -> None:
        """Discard what both changed; what only the second changed is saved."""
        merge = self._merge
        if merge and merge.with_theirs() != merge.theirs:
            await self._save(who, merge.with_theirs(), self._merged_version)
            return
        self._close()
        await self._load(self.reference)
        self._say("Kept as it was saved by the other.")

    @staff_event(Right.WORK_BOOKINGS)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save what was typed over what the other saved."""
        if self._merge:
            await self._save(who, self._merge.with_mine(), self._merged_version)

    async def _do(self, who: Staff, action: str, verb: Verb, said: str) -> None:
        shown_before = self.facts
        shown = {"reference": self.reference, "actor": who.email, "version": self.version}
        try:
            async with session_scope() as session:
                done = await verb(session, **shown)
                detail = change_of(shown_before, done)
                await audit.record(session, who, f"booking.{action}", "booking", done.reference, detail)
        except EditedMeanwhile:
            # What was about to be done was decided on facts that have changed: look first.
            self._close()
            await self._load(self.reference)
            raise
        self._close()
        await self._load(done.reference)
        self._say(said)

    async def _save(self, who: Staff, details: dict[str, str], version: int) -> None:
        try:
            async with session_scope() as session:
                await staff_usecases.change_details(
                    session, self.reference, version, fullname=details["fullname"], email=details["emailaddress"],
                    phone=details["phonenumber"], message=details["message"], actor=who.email,
                )  # fmt: skip
                changed = changed_fields(DETAIL_LABELS, self._base, details)
                await audit.record(session, who, "booking.corrected", "booking", self.reference, changed)
        except EditedMeanwhile as overtaken:
            await self._compare(who, details, overtaken.current)
            return
        self._close()
        await self._load(self.reference)
        self._say("The details are saved.")

    async def _compare(self, who: Staff, mine: dict[str, str], current: Any) -> None:
        merge = Merge(self._base, details_of(current), mine)
        self.found = merge.disputed(DETAIL_LABELS)
        if not self.found:
            await self._save(who, merge.with_mine(), current.version)
            return
        self._merge, self._merged_version = merge, current.version
        await self._load(self.reference)

    def _draft(self, booking: BookingRecord) -> None:
        self.draft = self._base = details_of(booking)
        self._base_version = booking.version

    def _close(self) -> None:
        self.panel, self.found, self.errors, self._merge = "", [], {}, None

    def _forget(self) -> None:
        self._close()
        self.reference, self.version, self.facts = "", 0, {}
        self.steps, self.lines, self.misplaced = [], [], False

    async def _load(self, reference: str) -> Any:
        async with read_scope() as session:
            booking = await staff_usecases.find(session, reference)
            lines = log_of(await staff_usecases.list_history(session, booking.id))
            misplaced = await _misplaced(session, booking)
        self.reference, self.version = booking.reference, booking.version
        noted = "yes" if any(line.noted for line in lines) else ""
        facts, steps = {**facts_of(booking), "noted": noted}, steps_of(booking)
        if (facts, steps, lines, misplaced) != (self.facts, self.steps, self.lines, self.misplaced):
            self.facts, self.steps, self.lines, self.misplaced = facts, steps, lines, misplaced
        return booking.created_at


async def _misplaced(session: AsyncSession, booking: BookingRecord) -> bool:
    if booking.state is not BookingState.CONFIRMED:
        return False
    one = await out_of_place(session, booking.starts_at, booking.starts_at + timedelta(seconds=1))
    return any(found.reference == booking.reference for found in one)
