"""The state of the bookings calendar.

The address determines the days: handlers change the address, and opening it reads the database.
"""

from dataclasses import replace
from datetime import date
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.calendar_query import (
    CalendarQuery,
    calendar_url,
    parse_calendar_day,
    parse_calendar_query,
    visible_days,
)
from agency_site.backoffice.calendar_view import HEADING_ID
from agency_site.backoffice.state import StaffState
from agency_site.clock import in_nairobi, now, today
from agency_site.db.engine import read_scope, report_scope, session_scope
from agency_site.features.booking.admin.calendar.layout import CalendarLayout, lay_out_calendar
from agency_site.features.booking.admin.calendar.move import (
    MoveDialog,
    choose_time,
    format_moment,
    open_move_dialog,
    parse_moment,
)
from agency_site.features.booking.admin.toolbar import CALENDAR
from agency_site.features.booking.bookings import staff_usecases
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.calendar.schedule import find_opening_day, read_schedule
from agency_site.features.booking.schedule.persons import Wish
from agency_site.ids import clean_reference
from agency_site.ui.forms import submitted


class BookingCalendar(StaffState):
    """The days with their bookings, and the dialog that moves a booking."""

    layout: rx.Field[CalendarLayout] = rx.field(default_factory=CalendarLayout)
    dialog: rx.Field[MoveDialog] = rx.field(default_factory=MoveDialog)
    moves: rx.Field[int] = rx.field(0)
    """A counter of moved bookings: the focus follows each."""
    focus_id: rx.Field[str] = rx.field("")
    """The id of the card that moved last, or of the heading if the page does not show the card."""

    @staff_page(Permission.SEE_BOOKINGS)
    async def open_calendar(self, _who: Staff) -> None:
        self.dialog = MoveDialog()
        await self._load()

    @staff_watch(Permission.SEE_BOOKINGS)
    async def refresh(self, _who: Staff) -> None:
        await self._load()

    @staff_event(Permission.SEE_BOOKINGS)
    async def go_to_day(self, _who: Staff, form: dict[str, Any]) -> Any:
        query, day = self._parse_query(), parse_calendar_day(submitted(form).get("day"))
        if day is None:
            return None
        return rx.redirect(calendar_url(replace(query, day=day)))

    @staff_event(Permission.SEE_BOOKINGS)
    async def choose_person(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Show the slots and bookings of one consultant, or of all."""
        person = clean_reference(submitted(form).get("person", ""))[:20]
        return rx.redirect(calendar_url(replace(self._parse_query(), person=person)))

    @staff_event(Permission.WORK_BOOKINGS)
    async def open_dialog(self, _who: Staff, reference: str, version: int, target: str) -> None:
        """Open the dialog for a booking that was dropped on `target`."""
        self.dialog, self.problem, self.done = MoveDialog(), "", ""
        version = version if isinstance(version, int) else 0
        try:
            async with read_scope() as session:
                self.dialog = await open_move_dialog(
                    session, _printable(reference), version, _printable(target)
                )
        finally:
            await self._load()

    @staff_event(Permission.WORK_BOOKINGS)
    async def choose_time(self, _who: Staff, target: str) -> None:
        self.dialog = choose_time(self.dialog, _printable(target))

    @staff_event(Permission.WORK_BOOKINGS)
    async def close_dialog(self, _who: Staff) -> None:
        self.dialog = MoveDialog()

    @staff_event(Permission.WORK_BOOKINGS)
    async def move(self, who: Staff, form: dict[str, Any]) -> None:
        dialog, self.dialog = self.dialog, MoveDialog()
        if not dialog.reference:
            return
        notify = "notify" in submitted(form)
        try:
            async with session_scope() as session:
                booking = await _move_booking(session, dialog, who, notify=notify)
        finally:
            await self._load()
        self._focus_booking(dialog.reference)
        ending = f" {booking.person} takes it." if booking.person else ""
        ending += " The client is notified." if notify else ""
        self._say(
            f"Booking {dialog.reference} is now at {format_moment(parse_moment(dialog.target))}.{ending}"
        )

    def _focus_booking(self, reference: str) -> None:
        cards = (card for day in self.layout.days for cell in day.cells for card in cell.cards)
        month_cards = (card for day in self.layout.days for card in day.month_cards)
        ids = (card.key for card in (*cards, *month_cards) if card.reference == reference)
        self.focus_id, self.moves = next(ids, HEADING_ID), self.moves + 1

    def _parse_query(self, default: date | None = None) -> CalendarQuery:
        """Return the query of the address; if it names no day, that of the `default`, or of the day that is shown."""
        day = default or parse_calendar_day(self.layout.day) or today()
        return parse_calendar_query(CALENDAR, self.router.url.query_parameters, day)

    async def _load(self) -> None:
        async with report_scope() as session:
            query = await self._open_query(session)
            schedule = await read_schedule(session, *visible_days(query), Wish(person=query.person))
            layout = lay_out_calendar(query, schedule, now())
        if layout != self.layout:
            self.layout = layout

    async def _open_query(self, session: AsyncSession) -> CalendarQuery:
        query = self._parse_query(today())
        if parse_calendar_day(self.router.url.query_parameters.get("day")):
            return query
        return replace(query, day=await find_opening_day(session, Wish(person=query.person)))


def _printable(value: object) -> str:
    # References and times are ASCII; a request may contain characters that no database accepts.
    return "".join(char for char in str(value)[:40] if char.isascii() and char.isprintable())


async def _move_booking(
    session: AsyncSession, dialog: MoveDialog, who: Staff, *, notify: bool
) -> BookingRecord:
    target = parse_moment(dialog.target)
    booking = await staff_usecases.move(
        session, dialog.reference, target, who.email, notify=notify, version=dialog.version
    )
    detail = f"to {in_nairobi(target):%Y-%m-%d %H:%M}"
    await audit.record(session, who, "booking.moved", "booking", booking.reference, detail)
    return booking
