"""Changes of a booking's state by staff: cancel, reinstate, complete, mark as no-show; for one booking or many.

`staff_usecases` describes sessions, commits and mails.
"""

from collections.abc import Iterable, Mapping

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now
from agency_site.db.event_log import append_event
from agency_site.errors import Conflict, InputRejected, SiteError
from agency_site.features.booking.bookings import texts
from agency_site.features.booking.bookings.records import BookingRecord, lock_booking, require_personal_data
from agency_site.features.booking.bookings.rules import BookingChange, BookingState, can_staff_set, state_name
from agency_site.features.booking.bookings.seats import rank_seats, reseat_booking
from agency_site.features.booking.bookings.staff_usecases import find_slot_for_staff, record_new_seat
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.bookings.usecases import recover_token
from agency_site.features.booking.schedule.persons import Wish
from agency_site.notices import usecases as notices

MAX_BULK = 200
"""The most bookings of one bulk change, which then holds the database's write lock for about a second."""


async def cancel(
    session: AsyncSession,
    reference: str,
    actor: str,
    *,
    reason: str = "",
    notify: bool,
    version: int | None = None,
) -> BookingRecord:
    """Cancel a confirmed booking, past or upcoming. The reason is stored in its log, which the client does not read.

    Raises NotFound, StaleRecord for an old `version`, and Conflict if it is not confirmed.
    """
    booking = await lock_booking(session, reference, version)
    await _cancel(session, booking, actor, notify=notify, reason=reason)
    return BookingRecord.of(booking)


async def reinstate(
    session: AsyncSession, reference: str, actor: str, *, notify: bool, version: int | None = None
) -> BookingRecord:
    """Confirm a cancelled booking again in its slot, under the rules of `staff_usecases.book_for_client`.

    Raises the errors of that function and of `cancel`, and Conflict if the client's data was erased.
    """
    booking = await lock_booking(session, reference, version)
    await _reinstate(session, booking, actor, notify=notify)
    return BookingRecord.of(booking)


async def complete(
    session: AsyncSession, reference: str, actor: str, *, version: int | None = None
) -> BookingRecord:
    """Mark the consultation as completed. Raises the errors of `cancel`, and Conflict if it has not begun."""
    booking = await lock_booking(session, reference, version)
    await _set_outcome(session, booking, actor, BookingState.COMPLETED)
    return BookingRecord.of(booking)


async def mark_no_show(
    session: AsyncSession, reference: str, actor: str, *, version: int | None = None
) -> BookingRecord:
    """Record that the client did not come. Raises the errors of `complete`."""
    booking = await lock_booking(session, reference, version)
    await _set_outcome(session, booking, actor, BookingState.NO_SHOW)
    return BookingRecord.of(booking)


async def set_states(
    session: AsyncSession, references: Iterable[str], state: BookingState, actor: str, *, notify: bool
) -> tuple[tuple[str, str], ...]:
    """Set the state of each booking. Return each reference, in the given order, with "" or an error message.

    An error of one booking does not affect the others. Raises InputRejected for more than `MAX_BULK`.
    """
    requested = list(dict.fromkeys(reference.strip().upper() for reference in references))
    if len(requested) > MAX_BULK:
        raise InputRejected(f"At most {MAX_BULK} bookings can be changed at once.")
    outcomes = {reference: f"There is no booking {reference[:20]}." for reference in requested}
    for booking in await _lock_bookings(session, requested):
        reference = booking.reference
        try:
            await _set_state(session, booking, state, actor, notify=notify)
            outcomes[reference] = ""
        except SiteError as error:
            outcomes[reference] = error.message
    return tuple(outcomes.items())


async def _lock_bookings(session: AsyncSession, references: list[str]) -> list[Booking]:
    """Return the current rows, earliest first, locked until the transaction ends."""
    # All rows are locked in one statement in the order of their ids, and seats are taken in the order of their times, so
    # two bulk changes, or a bulk change and a move, cannot deadlock.
    query = select(Booking).where(col(Booking.reference).in_(references)).order_by(col(Booking.id))
    locking_query = query.with_for_update().execution_options(populate_existing=True)
    return sorted(await session.exec(locking_query), key=lambda booking: (booking.starts_at, booking.id or 0))


async def _set_state(
    session: AsyncSession, booking: Booking, state: BookingState, actor: str, *, notify: bool
) -> None:
    match state:
        case BookingState.CANCELLED:
            await _cancel(session, booking, actor, notify=notify, reason="")
        case BookingState.CONFIRMED:
            await _reinstate(session, booking, actor, notify=notify)
        case _:
            await _set_outcome(session, booking, actor, state)


async def _cancel(session: AsyncSession, booking: Booking, actor: str, *, notify: bool, reason: str) -> None:
    _require_transition(booking, BookingState.CANCELLED)
    before = booking.state
    booking.state = BookingState.CANCELLED
    booking.sequence += 1
    await _record_change(session, booking)
    await append_event(
        session,
        BookingEvent,
        [booking.id],
        BookingChange.CANCELLED,
        actor,
        before,
        booking.state,
        note=reason,
    )
    if notify:
        await notices.notify(session, texts.cancellation(booking))


async def _reinstate(session: AsyncSession, booking: Booking, actor: str, *, notify: bool) -> None:
    require_personal_data(booking)
    _require_transition(booking, BookingState.CONFIRMED)
    before, local = booking.state, in_nairobi(booking.starts_at)
    slot = await find_slot_for_staff(session, local.date(), local.time(), Wish(booking.way))
    seats = await rank_seats(session, slot, present=booking.seat)
    await reseat_booking(session, booking, slot.starts_at, seats, slot.persons)
    await record_new_seat(session, booking, remind=notify)
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.RESTORED, actor, before, booking.state
    )
    if notify:
        await notices.notify(session, texts.reinstatement_notice(booking, recover_token(booking)))


_OUTCOMES: Mapping[BookingState, BookingChange] = {
    BookingState.COMPLETED: BookingChange.COMPLETED,
    BookingState.NO_SHOW: BookingChange.NO_SHOW,
}


async def _set_outcome(session: AsyncSession, booking: Booking, actor: str, state: BookingState) -> None:
    _require_transition(booking, state)
    # A booking with an outcome no longer holds its seat, which must stay taken until the consultation begins.
    if booking.starts_at > now():
        raise Conflict(
            f"Booking {booking.reference} has not begun yet, so it cannot be marked as {state_name(state)}."
        )
    before, booking.state = booking.state, state
    await _record_change(session, booking)
    await append_event(session, BookingEvent, [booking.id], _OUTCOMES[state], actor, before, state)


def _require_transition(booking: Booking, state: BookingState) -> None:
    if booking.state is state:
        raise Conflict(f"Booking {booking.reference} is already {state_name(state)}.")
    if not can_staff_set(booking.state, state):
        raise Conflict(
            f"Booking {booking.reference} is {state_name(booking.state)}, so it cannot become {state_name(state)}."
        )


async def _record_change(session: AsyncSession, booking: Booking) -> None:
    booking.updated_at = now()
    booking.due_at = booking.leased_until = None
    await session.flush()
