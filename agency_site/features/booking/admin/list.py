"""All bookings as a list."""

from collections.abc import Sequence
from datetime import date, time, timedelta

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Right, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    Cell,
    Choice,
    Column,
    Days,
    Listing,
    Outcome,
    Wish,
    brief_moment_cell,
    holding,
    moment_cell,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.clock import now, today
from agency_site.features.booking.admin.dashboard import ACTIVE
from agency_site.features.booking.admin.labels import NEEDS_OUTCOME, STATE_NAMES, national, state_cell
from agency_site.features.booking.admin.toolbar import LIST, desk_strip
from agency_site.features.booking.rules import BookingState, slot_start
from agency_site.features.booking.slots import policy
from agency_site.features.booking.staff_transitions import set_state_of_many
from agency_site.features.booking.tables import Booking

_WAITING = "waiting"
_SPANS = {
    "today": "Today",
    "tomorrow": "Tomorrow",
    "week": "This week",
    "next-week": "Next week",
    "ahead": "To come",
    "past": "Past",
}


def _in_state(value: str) -> ColumnElement[bool]:
    if value == ACTIVE:
        return col(Booking.state) != BookingState.CANCELLED
    if value == _WAITING:
        over = col(Booking.starts_at) <= now() - policy().length
        return and_(col(Booking.state) == BookingState.CONFIRMED, over)
    return col(Booking.state) == BookingState(value)


def _states() -> Sequence[tuple[str, str]]:
    named = [(state.value, name) for state, name in STATE_NAMES.items()]
    return [(_WAITING, NEEDS_OUTCOME), (ACTIVE, "All but cancelled"), *named]


def _in_span(value: str) -> ColumnElement[bool]:
    day = today()
    monday = day - timedelta(days=day.weekday())
    match value:
        case "today":
            return _between(day, 1)
        case "tomorrow":
            return _between(day + timedelta(days=1), 1)
        case "week":
            return _between(monday, 7)
        case "next-week":
            return _between(monday + timedelta(days=7), 7)
        case "ahead":
            return col(Booking.starts_at) > now()
        case _:
            return col(Booking.starts_at) <= now()


def _between(first: date, days: int) -> ColumnElement[bool]:
    begins = slot_start(first, time.min)
    return and_(col(Booking.starts_at) >= begins, col(Booking.starts_at) < begins + timedelta(days=days))


def _becoming(state: BookingState, label: str, question: str, tells: str = "") -> Action:
    async def run(
        session: AsyncSession,
        references: Sequence[str],
        who: Staff,
        wish: Wish,
    ) -> Sequence[Outcome]:
        return await set_state_of_many(session, references, state, who.email, tell=wish.tell)

    return Action(state.value, label, Right.WORK_BOOKINGS, run, question, tells)


BOOKINGS = Listing(
    name="bookings",
    title="Bookings",
    noun=("booking", "bookings"),
    path=LIST,
    right=Right.SEE_BOOKINGS,
    rows=lambda: select(Booking),
    identity=col(Booking.id),
    reference=lambda booking: booking.reference,
    columns=(
        Column("reference", "Reference", lambda one: Cell(one.reference, "strong"), sort=col(Booking.reference)),
        Column("when", "When (Nairobi)", lambda one: moment_cell(one.starts_at), sort=col(Booking.starts_at)),
        Column("name", "Name", lambda one: Cell(one.fullname or "Erased")),
        Column("email", "E-mail", lambda one: Cell(one.email)),
        Column("phone", "Phone", lambda one: Cell(national(one.phone))),
        Column("state", "State", lambda one: state_cell(one.state, one.starts_at)),
        Column("booked", "Booked on", lambda one: brief_moment_cell(one.created_at), sort=col(Booking.created_at), shown=False),
        Column("changed", "Changed", lambda one: moment_cell(one.updated_at), shown=False),
        Column("message", "What it is about", lambda one: Cell(one.message), shown=False),
    ),
    # What has just come in stands on top; the short cuts sort by the slot.
    order="-booked",
    href=lambda booking: f"/admin/booking?ref={booking.reference}",
    filters=(
        Choice(
            "state",
            "State",
            _states,
            _in_state,
        ),
        Choice("span", "When", lambda: tuple(_SPANS.items()), _in_span),
        Days("day", "Slot", col(Booking.starts_at)),
    ),
    search=holding(col(Booking.search)),
    search_hint="Reference, name, e-mail, phone",
    actions=(
        _becoming(BookingState.COMPLETED, "Complete", "{count} took place?"),
        _becoming(BookingState.NO_SHOW, "Mark as no-show", "Nobody came to {count}?"),
        _becoming(
            BookingState.CANCELLED,
            "Cancel",
            "Cancel {count}? Their times become free again.",
            tells="Tell the clients by e-mail",
        ),
    ),
    empty="Nobody has booked yet.",
    attention=("state", _WAITING),
)  # fmt: skip

BOOKING_LIST = list_screen(BOOKINGS, desk_strip(LIST), icon="calendar")
