"""The state of a booking's detail page. Actions change the shown booking and version, not the one of the address."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.state import StaffState
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.features.booking.admin.bookings.slot_finder import SlotFinder, parse_start
from agency_site.features.booking.admin.labels import (
    DETAIL_LABELS,
    available_actions,
    describe_booking,
    describe_change,
    describe_history,
    details_form,
)
from agency_site.features.booking.bookings import staff_transitions, staff_usecases
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.seats import read_occupancy
from agency_site.features.booking.bookings.staff_request import (
    CancellationRequest,
    ClientDetails,
    NoteRequest,
)
from agency_site.features.booking.business_hours.usecases import bounds_of_day, find_misplaced_bookings
from agency_site.features.booking.consultants.records import find_consultant, list_active
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.features.booking.schedule.slots import booking_policy, is_person_free
from agency_site.form_input import read_form
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.forms import Option, submitted

PANELS = ("move", "assign", "cancel", "reinstate", "edit")

JUST_BOOKED = timedelta(minutes=2)

Action = Callable[..., Awaitable[BookingRecord]]
"""A function of a session, `reference`, `actor` and `version`."""


class BookingPage(SlotFinder, DetailPage, StaffState):
    """The booking that is open."""

    VIEW: ClassVar = Permission.SEE_BOOKINGS
    EDIT: ClassVar = Permission.WORK_BOOKINGS
    FIELDS: ClassVar = DETAIL_LABELS

    actions: rx.Field[list[str]] = rx.field(default_factory=list)
    """The actions that are available now."""
    misplaced: rx.Field[bool] = rx.field(False)
    """True if its time is no longer offered, or its consultant does not work then."""
    assignable: rx.Field[list[Option]] = rx.field(default_factory=list)
    """The consultants who can take the booking instead, for the panel `assign`."""
    _is_new: bool = False

    @staff_event(Permission.WORK_BOOKINGS)
    async def open_panel(self, _who: Staff, panel: str) -> None:
        if panel not in PANELS or not self.reference:
            return
        self._open_panel(panel)
        if panel not in ("move", "assign", "edit"):
            return
        async with read_scope() as session:
            booking = await staff_usecases.find(session, self.reference)
            if panel == "assign":
                self.assignable = await _list_free_persons(session, booking)
        if panel == "edit":
            self._open_form(booking)
        if panel == "move":
            self.way = booking.way.value
            day = in_nairobi(booking.starts_at).date()
            await self._load_week(day - timedelta(days=day.weekday()))

    @staff_event(Permission.WORK_BOOKINGS)
    async def add_note(self, who: Staff, form: dict[str, Any]) -> None:
        request = read_form(NoteRequest, submitted(form))
        async with session_scope() as session:
            await staff_usecases.add_note(session, self.reference, request.note, who.email)
            await audit.record(session, who, "booking.noted", "booking", self.reference)
        await self._load(who, self.reference)
        self._say("Note saved.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def move(self, who: Staff, form: dict[str, Any]) -> None:
        fields = submitted(form)
        new_start, notify = parse_start(fields), "notify" in fields
        action = partial(staff_usecases.move, new_start=new_start, notify=notify)
        message = f"Moved to {format_slot_time(new_start)}. {self._describe_notice(notify=notify)}"
        await self._change(who, "moved", action, message)

    @staff_event(Permission.WORK_BOOKINGS)
    async def assign(self, who: Staff, form: dict[str, Any]) -> None:
        fields = submitted(form)
        person, notify = fields.get("person", ""), "notify" in fields
        if not person:
            raise InputRejected(
                "Please choose a consultant.", (FieldError("person", "Please choose a consultant."),)
            )
        action = partial(staff_usecases.assign_person, consultant_reference=person, notify=notify)
        message = f"Consultant changed. {self._describe_notice(notify=notify)}"
        await self._change(who, "assigned", action, message)

    @staff_event(Permission.WORK_BOOKINGS)
    async def cancel(self, who: Staff, form: dict[str, Any]) -> None:
        fields = submitted(form)
        request, notify = read_form(CancellationRequest, fields), "notify" in fields
        action = partial(staff_transitions.cancel, reason=request.reason, notify=notify)
        message = f"Cancelled. The time is free again. {self._describe_notice(notify=notify)}"
        await self._change(who, "cancelled", action, message)

    @staff_event(Permission.WORK_BOOKINGS)
    async def reinstate(self, who: Staff, form: dict[str, Any]) -> None:
        notify = "notify" in submitted(form)
        action = partial(staff_transitions.reinstate, notify=notify)
        await self._change(
            who, "restored", action, f"Booking reinstated. {self._describe_notice(notify=notify)}"
        )

    @staff_event(Permission.WORK_BOOKINGS)
    async def complete(self, who: Staff) -> None:
        await self._change(who, "completed", staff_transitions.complete, "Marked as completed.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def mark_no_show(self, who: Staff) -> None:
        await self._change(who, "no_show", staff_transitions.mark_no_show, "Marked as no-show.")

    @staff_event(Permission.WORK_BOOKINGS)
    async def save_details(self, who: Staff, form: dict[str, Any]) -> None:
        details = read_form(ClientDetails, submitted(form))
        fields = details.model_dump()
        # Formatted as the form shows it, so that the comparison does not report another notation as a change.
        fields["phonenumber"] = format_phone_number(details.phonenumber)
        await self._save_form(who, "edit", fields)

    async def _opened(self, _who: Staff) -> None:
        if self._is_new and "new" in self.router.url.query_parameters:
            self._say(f"Booking created. The reference is {self.reference}.")

    def _describe_notice(self, *, notify: bool) -> str:
        return "The client is notified." if notify else "The client is not notified."

    async def _change(self, who: Staff, name: str, action: Action, message: str) -> None:
        before, target = (
            self.facts,
            {"reference": self.reference, "actor": who.email, "version": self.version},
        )

        async def change(session: AsyncSession) -> str:
            booking = await action(session, **target)
            detail = describe_change(before, booking)
            await audit.record(session, who, f"booking.{name}", "booking", booking.reference, detail)
            has_other_person = booking.person not in ("", before.get("person"))
            return f"{message} {booking.person} takes it now." if has_other_person else message

        await self._run(who, change)

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        details = read_form(ClientDetails, edit.fields)
        await staff_usecases.edit_details(session, self.reference, version, details, who.email)
        changed = changed_fields(DETAIL_LABELS, edit.base, edit.fields)
        await audit.record(session, who, "booking.corrected", "booking", self.reference, changed)
        return "Details saved."

    def _fields_of(self, record: BookingRecord) -> dict[str, str]:
        return details_form(record)

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        booking = await staff_usecases.find(session, reference)
        lines = describe_history(await staff_usecases.list_history(session, booking.id))
        has_notes = "yes" if any(line.noted for line in lines) else ""
        facts = {**describe_booking(booking), "has_notes": has_notes}
        if booking.way is Way.VIDEO and booking.person_reference:
            facts["video_link"] = (await find_consultant(session, booking.person_reference)).video_link
        return {
            "reference": booking.reference,
            "version": booking.version,
            "facts": facts,
            "lines": lines,
            "actions": available_actions(booking, has_consultants=bool(await list_active(session))),
            "misplaced": await _is_misplaced(session, booking),
            "_is_new": booking.created_at > now() - JUST_BOOKED,
        }


async def _list_free_persons(session: AsyncSession, booking: BookingRecord) -> list[Option]:
    """Return the consultants who can take the booking instead of the present one."""
    policy = booking_policy()
    occupancy = await read_occupancy(session, *bounds_of_day(in_nairobi(booking.starts_at).date()))
    others = occupancy.without_seat(booking.starts_at, booking.seat)
    return [
        Option(person.reference, person.name)
        for person in occupancy.persons
        if person.reference != booking.person_reference
        and booking.way in person.ways
        and is_person_free(person, booking.starts_at, policy, others)
    ]


async def _is_misplaced(session: AsyncSession, booking: BookingRecord) -> bool:
    if booking.state is not BookingState.CONFIRMED:
        return False
    end = booking.starts_at + timedelta(seconds=1)
    misplaced = await find_misplaced_bookings(session, booking.starts_at, end)
    return any(other.reference == booking.reference for other in misplaced)
