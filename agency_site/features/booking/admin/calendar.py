"""The calendar of bookings as it stands on somebody's screen.

The address says what is shown; handlers change the address, and opening it reads the database.
"""

from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.state import Office
from agency_site.clock import in_nairobi, now, today
from agency_site.db.engine import read_scope, report_scope, session_scope
from agency_site.features.booking import staff_usecases
from agency_site.features.booking.admin.calendar_layout import Sheet, sheet
from agency_site.features.booking.admin.calendar_move import Question, chosen, question, read_moment, spoken
from agency_site.features.booking.admin.calendar_range import Asked, address, read_asked, read_day, span
from agency_site.features.booking.staff_calendar import board
from agency_site.ui.forms import submitted

TITLE_ID = "calendar-title"


class CalendarDesk(Office):
    """Days, their bookings, and the question before one of them moves."""

    sheet: rx.Field[Sheet] = rx.field(default_factory=Sheet)
    asking: rx.Field[Question] = rx.field(default_factory=Question)
    moves: rx.Field[int] = rx.field(0)
    """Counts up with every booking moved here: the focus follows it."""
    moved: rx.Field[str] = rx.field("")
    """Id of the card that moved last, or of the heading where the page does not show it."""

    @staff_page(Right.SEE_BOOKINGS)
    async def open_calendar(self, _who: Staff) -> None:
        """Show what the address asks for."""
        self.asking = Question()
        await self._show()

    @staff_watch(Right.SEE_BOOKINGS)
    async def look_again(self, _who: Staff) -> None:
        """Show what others booked and moved."""
        await self._show()

    @staff_event(Right.SEE_BOOKINGS)
    async def go_to(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Show the day that the form names, in the same view."""
        asked, day = self._asked(), read_day(submitted(form).get("day"))
        return (
            rx.redirect(address(Asked(view=asked.view, day=day, cancelled=asked.cancelled))) if day else None
        )

    @staff_event(Right.WORK_BOOKINGS)
    async def ask(self, _who: Staff, reference: str, version: int, target: str) -> None:
        """Ask before a booking moves to where it was dropped."""
        self.asking, self.problem, self.done = Question(), "", ""
        try:
            async with read_scope() as session:
                self.asking = await question(session, _plain(reference), _whole(version), _plain(target))
        finally:
            await self._show()

    @staff_event(Right.WORK_BOOKINGS)
    async def choose_time(self, _who: Staff, target: str) -> None:
        """Ask about another time of the same day."""
        self.asking = chosen(self.asking, _plain(target)) or self.asking

    @staff_event(Right.WORK_BOOKINGS)
    async def leave(self, _who: Staff) -> None:
        """Move nothing."""
        self.asking = Question()

    @staff_event(Right.WORK_BOOKINGS)
    async def move(self, who: Staff, form: dict[str, Any]) -> None:
        """Move the booking that was asked about."""
        asked, self.asking = self.asking, Question()
        if not asked.reference:
            return
        tell = asked.tellable and "tell" in submitted(form)
        try:
            async with session_scope() as session:
                await _moved(session, asked, who, tell=tell)
        finally:
            await self._show()
        self._follow(asked.reference)
        told = " The client is told by e-mail." if tell else ""
        self._say(f"Booking {asked.reference} is now at {spoken(read_moment(asked.target))}.{told}")

    def _follow(self, reference: str) -> None:
        """Let the focus go where the booking went."""
        cards = (card for day in self.sheet.days for cell in day.cells for card in cell.cards)
        few = (card for day in self.sheet.days for card in day.few)
        shown = (card.key for card in (*cards, *few) if card.reference == reference)
        self.moved, self.moves = next(shown, TITLE_ID), self.moves + 1

    def _asked(self) -> Asked:
        return read_asked(self.router.url.query_parameters, today())

    async def _show(self) -> None:
        asked = self._asked()
        async with report_scope() as session:
            found = sheet(asked, await board(session, *span(asked)), now())
        if found != self.sheet:
            self.sheet = found


def _plain(words: object) -> str:
    # References and times are plain letters; a browser may send what no database takes.
    return "".join(letter for letter in str(words)[:40] if letter.isascii() and letter.isprintable())


def _whole(number: object) -> int:
    return number if isinstance(number, int) else 0


async def _moved(session: Any, asked: Question, who: Staff, *, tell: bool) -> None:
    target = read_moment(asked.target)
    record = await staff_usecases.move(
        session, asked.reference, target, who.email, tell=tell, version=asked.version
    )
    detail = f"to {in_nairobi(target):%Y-%m-%d %H:%M}"
    await audit.record(session, who, "booking.moved", "booking", record.reference, detail)
