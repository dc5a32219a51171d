"""Changes of a booking's state by staff: cancelled, reinstated, completed, no-show; one by one or many at once.

Sessions, commits and mails are handled as in `staff_usecases`.
"""

from collections.abc import Iterable, Mapping

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now
from agency_site.db.event_log import append_event
from agency_site.errors import Conflict, InputRejected, SiteError
from agency_site.features.booking.bookings import emails
from agency_site.features.booking.bookings.records import BookingRecord, lock_booking, require_personal_data
from agency_site.features.booking.bookings.rules import BookingChange, BookingState, can_staff_set, state_name
from agency_site.features.booking.bookings.seats import reseat_booking
from agency_site.features.booking.bookings.staff_usecases import find_slot_for_staff, record_new_seat
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.bookings.usecases import recover_token
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.mail.usecases import enqueue

MAX_BULK = 200
"""Bookings that one bulk change takes: it holds the database's write lock for about a second at most."""


async def cancel(
    session: AsyncSession,
    reference: str,
    actor: str,
    *,
    reason: str = "",
    notify: bool,
    version: int | None = None,
) -> BookingRecord:
    """Cancel a confirmed booking, past or to come. The reason is stored in its log; the client does not read it.

    Raises NotFound, StaleRecord for an old `version`, Conflict when it is not confirmed.
    """
    booking = await lock_booking(session, reference, version)
    await _cancel(session, booking, actor, notify=notify, reason=reason)
    return BookingRecord.of(booking)


async def reinstate(
    session: AsyncSession, reference: str, actor: str, *, notify: bool, version: int | None = None
) -> BookingRecord:
    """Confirm a cancelled booking again in its slot, with the freedom of `staff_usecases.book_for_client`.

    Raises as that and `cancel` do; Conflict when the client's data was erased, SlotTaken when no seat is free.
    """
    booking = await lock_booking(session, reference, version)
    await _reinstate(session, booking, actor, notify=notify)
    return BookingRecord.of(booking)


async def complete(
    session: AsyncSession, reference: str, actor: str, *, version: int | None = None
) -> BookingRecord:
    """Mark the consultation as held. Raises as `cancel`, and Conflict when it has not begun."""
    booking = await lock_booking(session, reference, version)
    await _set_outcome(session, booking, actor, BookingState.COMPLETED)
    return BookingRecord.of(booking)


async def mark_no_show(
    session: AsyncSession, reference: str, actor: str, *, version: int | None = None
) -> BookingRecord:
    """Mark the client as not having come. Raises as `complete`."""
    booking = await lock_booking(session, reference, version)
    await _set_outcome(session, booking, actor, BookingState.NO_SHOW)
    return BookingRecord.of(booking)


async def set_states(
    session: AsyncSession, references: Iterable[str], state: BookingState, actor: str, *, notify: bool
) -> tuple[tuple[str, str], ...]:
    """Change each booking to `state`; returns, in the order given, each reference with "" or the error's message.

    An error of one booking does not keep the others. Raises InputRejected for more than `MAX_BULK`.
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
    """The current rows, locked until the transaction ends, earliest first.

    Rows are locked at once and by id, seats are then taken by time and number: two bulk changes, or one and somebody who
    moves a booking, cannot deadlock.
    """
    query = select(Booking).where(col(Booking.reference).in_(references)).order_by(col(Booking.id))
    locked = query.with_for_update().execution_options(populate_existing=True)
    return sorted(await session.exec(locked), key=lambda booking: (booking.starts_at, booking.id or 0))


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
    if notify and booking.email:
        key = f"booking-cancelled:{booking.reference}:{booking.sequence}"
        await enqueue(session, emails.cancellation(booking), key=key)


async def _reinstate(session: AsyncSession, booking: Booking, actor: str, *, notify: bool) -> None:
    require_personal_data(booking)
    _require_transition(booking, BookingState.CONFIRMED)
    before, local = booking.state, in_nairobi(booking.starts_at)
    slot = await find_slot_for_staff(session, local.date(), local.time())
    await reseat_booking(session, booking, slot.starts_at, slot.free_seats)
    await record_new_seat(session, booking, remind=notify)
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.RESTORED, actor, before, booking.state
    )
    if notify and booking.email:
        key = f"booking-restored:{booking.reference}:{booking.sequence}"
        await enqueue(session, emails.reinstatement_notice(booking, recover_token(booking)), key=key)


_OUTCOMES: Mapping[BookingState, BookingChange] = {
    BookingState.COMPLETED: BookingChange.COMPLETED,
    BookingState.NO_SHOW: BookingChange.NO_SHOW,
}


async def _set_outcome(session: AsyncSession, booking: Booking, actor: str, state: BookingState) -> None:
    _require_transition(booking, state)
    # Only a confirmed booking holds its seat, which must stay taken until the consultation begins.
    if booking.starts_at > now():
        raise Conflict(f"Booking {booking.reference} begins at {format_slot_time(booking.starts_at)}.")
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
