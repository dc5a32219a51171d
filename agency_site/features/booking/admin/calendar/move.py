"""The dialog that checks and confirms the move of a booking on the calendar."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.calendar_query import parse_calendar_day
from agency_site.clock import in_nairobi
from agency_site.errors import Conflict, InputRejected, StaleRecord
from agency_site.features.booking.admin.calendar.layout import moment_key
from agency_site.features.booking.bookings.records import BookingRecord, find_booking
from agency_site.features.booking.bookings.staff_usecases import find_slot_for_staff, require_movable
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.calendar.schedule import ScheduleSlot, read_schedule
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.rules import format_day
from agency_site.features.booking.schedule.slots import SlotState


@dataclass
class TimeOption:
    """One of the free times."""

    key: str
    label: str


@dataclass
class MoveDialog:
    """The dialog. It is open if it has a reference."""

    reference: str = ""
    version: int = 0
    """The version that was shown when the move began."""
    text: str = ""
    """The question, such as `Move Amina to Tuesday 24 November, 11:00?`."""
    current_time: str = ""
    target: str = ""
    times: list[TimeOption] = field(default_factory=list)
    """The free times, if the booking was dropped on a whole day."""
    has_email: bool = False


async def open_move_dialog(session: AsyncSession, reference: str, version: int, target: str) -> MoveDialog:
    """Return the dialog for moving the booking to `target`: the `moment_key` of a slot, or a day.

    On a day the booking keeps its time or gets the first free one. Raises the errors of `staff_usecases.move`.
    """
    booking = await find_booking(session, reference)
    if booking.version != version:
        raise StaleRecord(f"booking {booking.reference}", BookingRecord.of(booking))
    day = parse_calendar_day(target)
    if day:
        require_movable(booking)
        return await _offer_times_of_day(session, booking, day)
    moment = parse_moment(target)
    require_movable(booking, moment)
    local = in_nairobi(moment)
    slot = await find_slot_for_staff(session, local.date(), local.time(), moving=booking)
    return _build_dialog(booking, slot.starts_at, ())


def parse_moment(key: str) -> datetime:
    """Return the moment of a `moment_key`. Raises InputRejected for another text."""
    try:
        moment = datetime.fromisoformat(key)
        is_valid = moment.tzinfo is not None and parse_calendar_day(in_nairobi(moment).date())
    except (ValueError, OverflowError):
        is_valid = None
    if not is_valid:
        raise InputRejected("This time is not in the calendar.")
    return moment


def choose_time(dialog: MoveDialog, target: str) -> MoveDialog:
    """Return the dialog with another of its times, or unchanged if `target` is not one of them."""
    if target not in {time.key for time in dialog.times}:
        return dialog
    text = dialog.text.rpartition(" to ")[0] + f" to {format_moment(parse_moment(target))}?"
    return replace(dialog, text=text, target=target, times=list(dialog.times))


def format_moment(moment: datetime) -> str:
    """Format a moment in Nairobi, such as `Tuesday 24 November, 11:00`."""
    local = in_nairobi(moment)
    return f"{format_day(local.date())}, {local:%H:%M}"


async def _offer_times_of_day(session: AsyncSession, booking: Booking, day: date) -> MoveDialog:
    slots = (await read_schedule(session, day, day, Wish(booking.way))).days[0].slots
    free = [slot for slot in slots if slot.state is SlotState.FREE and slot.starts_at != booking.starts_at]
    if not free:
        raise Conflict(f"{format_day(day)} has no free time. Please choose another day.")
    at = f"{in_nairobi(booking.starts_at):%H:%M}"
    return _build_dialog(booking, next((slot for slot in free if slot.time == at), free[0]).starts_at, free)


def _build_dialog(booking: Booking, starts_at: datetime, free: Iterable[ScheduleSlot]) -> MoveDialog:
    return MoveDialog(
        reference=booking.reference,
        version=booking.version,
        text=f"Move {booking.fullname or booking.reference} to {format_moment(starts_at)}?",
        current_time=format_moment(booking.starts_at),
        target=moment_key(starts_at),
        times=[TimeOption(moment_key(slot.starts_at), slot.time) for slot in free],
        has_email=bool(booking.email),
    )
