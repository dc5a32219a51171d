"""The booking page's and the private page's states."""

import logging
from typing import Any

import reflex as rx

from agency_site import clock
from agency_site.antispam.admission import admit
from agency_site.antispam.rules import Form
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound, SiteError
from agency_site.features.booking.request import BookingRequest, parse_date, parse_time
from agency_site.features.booking.rules import BookingState, slot_start, spoken_time
from agency_site.features.booking.slot_picker import SlotChooser
from agency_site.features.booking.tables import Booking
from agency_site.features.booking.usecases import BookedBooking, book, cancel, find_by_token, move
from agency_site.form_input import read_form
from agency_site.ui.forms import submitted

FAILED_BECAUSE, FAILED = "Error submitting booking: ", "Failed to submit booking"
"""The red box with a reason and without one (specification, section 8)."""

log = logging.getLogger(__name__)


class BookingDesk(SlotChooser, rx.State):
    """The form on `/book`."""

    errors: dict[str, str] = {}
    answers: rx.Field[int] = rx.field(0)
    """Counts answers to submits: the button is busy until the next one."""
    reference: rx.Field[str] = rx.field("")
    booked_for: rx.Field[str] = rx.field("")
    manage_link: rx.Field[str] = rx.field("")
    round: rx.Field[int] = rx.field(0)
    """Counts bookings made: the form is emptied after each."""
    attention: rx.Field[str] = rx.field("")
    """Where the focus goes after an answer: an element's id and a counter."""

    @rx.event
    def begin(self) -> None:
        """Forget why the last submit failed: the form was opened. A booking that was made stays in sight."""
        self.errors, self.failure = {}, ""

    @rx.event
    async def submit(self, form: dict[str, Any]) -> Any:
        """Book the chosen time; what was typed stays unless it worked."""
        if not self.time and (self.reference or self.failure):
            # No page that knows the last answer can press without a time: this press was made before it arrived.
            return
        self.errors, self.failure, self.reference = {}, "", ""
        yield
        try:
            await admit(
                Form.BOOKING,
                {**submitted(form), "date": self.date, "time": self.time},
                self.router.session.client_ip,
                submitted(form).get("emailaddress", ""),
            )
            request = read_form(BookingRequest, {**submitted(form), "date": self.date, "time": self.time})
            async with session_scope() as session:
                booked = await book(session, request)
            self._confirm(booked)
        except InputRejected as rejected:
            self.errors, self.failure = rejected.by_field(), FAILED_BECAUSE + rejected.message
        except SiteError as refused:
            self.failure = FAILED_BECAUSE + refused.message
            await self._refresh()
        except Exception:
            # Whatever it was, the visitor reads the specification's text and keeps the form.
            log.exception("booking broke")
            self.failure = FAILED
        finally:
            self.answers += 1
        if self.reference:
            await self._refresh()

    def _confirm(self, booked: BookedBooking) -> None:
        self.reference, self.booked_for = booked.reference, spoken_time(booked.starts_at)
        self.manage_link = f"/booking/{booked.token}"
        self.round += 1


class ManagedBooking(SlotChooser, rx.State):
    """The private page of one booking."""

    known: rx.Field[bool] = rx.field(False)
    looked_up: rx.Field[bool] = rx.field(False)
    reference: rx.Field[str] = rx.field("")
    fullname: rx.Field[str] = rx.field("")
    when: rx.Field[str] = rx.field("")
    state: rx.Field[str] = rx.field("")
    changeable: rx.Field[bool] = rx.field(False)
    moving: rx.Field[bool] = rx.field(False)
    asking: rx.Field[bool] = rx.field(False)
    """The question whether to cancel is open."""
    done: rx.Field[str] = rx.field("")
    _opened: str = ""
    """The link that the rest belongs to."""

    @rx.event
    async def open_booking(self) -> None:
        """Look the booking up by the link's token; what is being done with it stands when only the connection is new."""
        if self._opened != self._token:
            self.reset()
        self._opened = self._token
        try:
            async with read_scope() as session:
                self._show_booking(await find_by_token(session, self._token))
        except NotFound:
            self.known = False
        self.looked_up = True

    @rx.event
    def begin(self) -> None:
        """Forget what was done and begun: the page was opened."""
        self.moving, self.asking, self.failure, self.done = False, False, "", ""

    @rx.event
    def start_moving(self) -> Any:
        """Open the calendar."""
        self.moving, self.failure, self.done = True, "", ""
        return type(self).open_calendar

    @rx.event
    def ask_to_cancel(self) -> None:
        """Open the question."""
        self.asking = True

    @rx.event
    def keep(self) -> None:
        """Close the question and the calendar."""
        self.asking = self.moving = False

    @rx.event
    async def confirm_move(self) -> None:
        """Move to the chosen time."""
        self.failure = self.done = ""
        try:
            start = slot_start(parse_date(self.date), parse_time(self.time))
            async with session_scope() as session:
                self._show_booking(await move(session, self._token, start))
            self.moving, self.done = False, f"Your consultation is now at {self.when}."
        except ValueError as invalid:
            self.failure = str(invalid)
        except SiteError as refused:
            self.failure = refused.message
            await self._refresh()

    @rx.event
    async def confirm_cancel(self) -> None:
        """Cancel for good."""
        self.asking, self.moving, self.failure, self.done = False, False, "", ""
        try:
            async with session_scope() as session:
                self._show_booking(await cancel(session, self._token))
            self.done = "Your consultation is cancelled. The time is free for someone else now."
        except SiteError as refused:
            self.failure = refused.message

    @property
    def _token(self) -> str:
        return self.router.url.path.rstrip("/").rpartition("/")[2]

    def _show_booking(self, booking: Booking) -> None:
        self.known = True
        self.reference, self.fullname = booking.reference, booking.fullname
        self.when, self.state = spoken_time(booking.starts_at), _STATES[booking.state]
        self.changeable = booking.state is BookingState.CONFIRMED and booking.starts_at > clock.now()


_STATES = {
    BookingState.CONFIRMED: "Confirmed",
    BookingState.CANCELLED: "Cancelled",
    BookingState.COMPLETED: "Held",
    BookingState.NO_SHOW: "Missed",
}
