"""What staff let become of bookings: cancelled, brought back, held, missed; one by one or many at once.

The rules of `desk` about sessions and mails hold here too.
"""

from collections.abc import Iterable, Mapping

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now
from agency_site.db.event_log import append_event
from agency_site.errors import Conflict, FieldError, InputRejected, SiteError
from agency_site.features.booking import emails
from agency_site.features.booking.records import BookingRecord, as_record, locked, require_person
from agency_site.features.booking.rules import BookingChange, BookingState, spoken_time, staff_may_set
from agency_site.features.booking.seats import move_to, take_a_seat
from agency_site.features.booking.staff_usecases import offered, reseated, spoken_state
from agency_site.features.booking.tables import Booking, BookingEvent
from agency_site.features.booking.usecases import known_token
from agency_site.form_input import line
from agency_site.mail.usecases import enqueue

REASON_LENGTH = 500
MOST_AT_ONCE = 200
"""Bookings that one bulk change takes: it holds the database's write lock for about a second at most."""


async def cancel(
    session: AsyncSession,
    reference: str,
    actor: str,
    *,
    reason: str = "",
    tell: bool,
    version: int | None = None,
) -> BookingRecord:
    """Cancel a confirmed booking, past or to come. The reason stays in the history; the visitor does not read it.

    Raises NotFound, EditedMeanwhile for a `version` that has passed, Conflict when it is not confirmed.
    """
    booking = await locked(session, reference, version)
    await _cancel(session, booking, actor, tell=tell, reason=_reason(reason))
    return as_record(booking)


async def confirm(
    session: AsyncSession, reference: str, actor: str, *, tell: bool, version: int | None = None
) -> BookingRecord:
    """Bring a cancelled booking back into its slot, with the freedom of `desk.book_for`.

    Raises as that one and `cancel` do; Conflict when the client's data was erased;
    SlotTaken when somebody else has got the slot meanwhile.
    """
    booking = await locked(session, reference, version)
    await _confirm(session, booking, actor, tell=tell)
    return as_record(booking)


async def complete(
    session: AsyncSession, reference: str, actor: str, *, version: int | None = None
) -> BookingRecord:
    """Note that the consultation was held. Raises as `cancel`, and Conflict when it has not begun."""
    booking = await locked(session, reference, version)
    await _close(session, booking, actor, BookingState.COMPLETED)
    return as_record(booking)


async def no_show(
    session: AsyncSession, reference: str, actor: str, *, version: int | None = None
) -> BookingRecord:
    """Note that the visitor did not come. Raises as `complete`."""
    booking = await locked(session, reference, version)
    await _close(session, booking, actor, BookingState.NO_SHOW)
    return as_record(booking)


async def set_state_of_many(
    session: AsyncSession,
    references: Iterable[str],
    state: BookingState,
    actor: str,
    *,
    tell: bool,
    reason: str = "",
) -> tuple[tuple[str, str], ...]:
    """Let each booking become `state`; for each, in the order given, its reference and "" or why not.

    What one refuses does not keep the others. Raises InputRejected for more than `MOST_AT_ONCE`.
    """
    asked = list(dict.fromkeys(reference.strip().upper() for reference in references))
    if len(asked) > MOST_AT_ONCE:
        raise InputRejected(f"At most {MOST_AT_ONCE} bookings can be changed at once.")
    why = _reason(reason)
    outcomes = {reference: f"There is no booking {reference[:20]}." for reference in asked}
    for booking in await _held(session, asked):
        reference = booking.reference
        try:
            await _step(session, booking, state, actor, tell=tell, reason=why)
            outcomes[reference] = ""
        except SiteError as refused:
            outcomes[reference] = refused.message
    return tuple(outcomes.items())


async def _held(session: AsyncSession, references: list[str]) -> list[Booking]:
    """Those bookings as they stand now, held until the transaction ends, earliest first.

    Rows are locked all at once and by id, seats are then taken by time and number: two such changes, or one and
    somebody who moves a booking, never wait for each other in a circle.
    """
    query = select(Booking).where(col(Booking.reference).in_(references)).order_by(col(Booking.id))
    fresh = query.with_for_update().execution_options(populate_existing=True)
    return sorted(await session.exec(fresh), key=lambda booking: (booking.starts_at, booking.id or 0))


async def _step(
    session: AsyncSession, booking: Booking, state: BookingState, actor: str, *, tell: bool, reason: str
) -> None:
    match state:
        case BookingState.CANCELLED:
            await _cancel(session, booking, actor, tell=tell, reason=reason)
        case BookingState.CONFIRMED:
            await _confirm(session, booking, actor, tell=tell)
        case _:
            await _close(session, booking, actor, state)


async def _cancel(session: AsyncSession, booking: Booking, actor: str, *, tell: bool, reason: str) -> None:
    _require_step(booking, BookingState.CANCELLED)
    before = booking.state
    booking.state = BookingState.CANCELLED
    booking.sequence += 1
    await _changed(session, booking)
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
    if tell and booking.email:
        key = f"booking-cancelled:{booking.reference}:{booking.sequence}"
        await enqueue(session, emails.cancelled(booking), key=key)


async def _confirm(session: AsyncSession, booking: Booking, actor: str, *, tell: bool) -> None:
    require_person(booking)
    _require_step(booking, BookingState.CONFIRMED)
    before, local = booking.state, in_nairobi(booking.starts_at)
    starts_at, free = await offered(session, local.date(), local.time())
    await take_a_seat(starts_at, free, lambda seat: move_to(session, booking, starts_at, seat))
    await session.refresh(booking)
    await reseated(session, booking, remind=tell)
    await append_event(
        session, BookingEvent, [booking.id], BookingChange.RESTORED, actor, before, booking.state
    )
    if tell and booking.email:
        key = f"booking-restored:{booking.reference}:{booking.sequence}"
        await enqueue(session, emails.restored(booking, known_token(booking)), key=key)


_CLOSED: Mapping[BookingState, BookingChange] = {
    BookingState.COMPLETED: BookingChange.COMPLETED,
    BookingState.NO_SHOW: BookingChange.NO_SHOW,
}


async def _close(session: AsyncSession, booking: Booking, actor: str, state: BookingState) -> None:
    _require_step(booking, state)
    # Before it begins its seat must stay taken: only a confirmed booking holds one.
    if booking.starts_at > now():
        raise Conflict(f"Booking {booking.reference} begins at {spoken_time(booking.starts_at)}.")
    before, booking.state = booking.state, state
    await _changed(session, booking)
    await append_event(session, BookingEvent, [booking.id], _CLOSED[state], actor, before, state)


def _require_step(booking: Booking, state: BookingState) -> None:
    if booking.state is state:
        raise Conflict(f"Booking {booking.reference} already is {spoken_state(state)}.")
    if not staff_may_set(booking.state, state):
        raise Conflict(
            f"Booking {booking.reference} is {spoken_state(booking.state)}, so it cannot become {spoken_state(state)}."
        )


async def _changed(session: AsyncSession, booking: Booking) -> None:
    booking.version += 1
    booking.updated_at = now()
    booking.due_at = booking.leased_until = None
    await session.flush()


def _reason(given: str) -> str:
    try:
        return line(given, "The reason", REASON_LENGTH)
    except ValueError as invalid:
        raise InputRejected(str(invalid), (FieldError("reason", str(invalid)),)) from None
