"""The list of bookings."""

from collections.abc import Sequence
from datetime import date, time, timedelta

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    ActionOptions,
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    Outcome,
    StoredChoice,
    brief_moment_cell,
    clients_in,
    moment_cell,
    search_in,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.lists.view import list_screen
from agency_site.clock import now, today
from agency_site.features.booking.admin.dashboard import ACTIVE
from agency_site.features.booking.admin.labels import (
    DETAIL_LABELS,
    NEEDS_OUTCOME,
    STATE_NAMES,
    describe_value,
    state_cell,
)
from agency_site.features.booking.admin.toolbar import LIST, booking_toolbar
from agency_site.features.booking.bookings.request import column_of
from agency_site.features.booking.bookings.rules import SERVICE_NAMES, BookingState
from agency_site.features.booking.bookings.staff_transitions import set_states
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.calendar.collisions import collides
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import booking_policy
from agency_site.phone_numbers import format_phone_number

_NEEDS_OUTCOME, _COLLIDES = "waiting", "collides"

NO_CONSULTANT = "none"
"""The value of the filter for bookings without a consultant."""

_SPANS = {
    "today": "Today",
    "tomorrow": "Tomorrow",
    "week": "This week",
    "next-week": "Next week",
    "ahead": "Upcoming",
    "past": "Past",
}


def _in_state(value: str) -> ColumnElement[bool]:
    if value == ACTIVE:
        return col(Booking.state).in_([state for state in BookingState if state != BookingState.CANCELLED])
    if value == _NEEDS_OUTCOME:
        is_over = col(Booking.starts_at) <= now() - booking_policy().length
        return and_(col(Booking.state) == BookingState.CONFIRMED, is_over)
    if value == _COLLIDES:
        return collides()
    return col(Booking.state) == BookingState(value)


def _state_choices() -> Sequence[tuple[str, str]]:
    by_name = [(state.value, name) for state, name in STATE_NAMES.items()]
    by_need = [(_NEEDS_OUTCOME, NEEDS_OUTCOME), (_COLLIDES, "At a busy time"), (ACTIVE, "Not cancelled")]
    return [*by_need, *by_name]


def _in_span(value: str) -> ColumnElement[bool]:
    day = today()
    monday = day - timedelta(days=day.weekday())
    match value:
        case "today":
            return _starts_within(day, 1)
        case "tomorrow":
            return _starts_within(day + timedelta(days=1), 1)
        case "week":
            return _starts_within(monday, 7)
        case "next-week":
            return _starts_within(monday + timedelta(days=7), 7)
        case "ahead":
            return col(Booking.starts_at) > now()
        case _:
            return col(Booking.starts_at) <= now()


def _starts_within(first: date, days: int) -> ColumnElement[bool]:
    begins = slot_start(first, time.min)
    return and_(col(Booking.starts_at) >= begins, col(Booking.starts_at) < begins + timedelta(days=days))


async def _list_consultants(session: AsyncSession) -> Sequence[tuple[str, str]]:
    consultants = await session.exec(select(Consultant).order_by(col(Consultant.name), col(Consultant.id)))
    names = [
        (consultant.reference, consultant.name if consultant.is_active else f"{consultant.name} (inactive)")
        for consultant in consultants
    ]
    return [*names, (NO_CONSULTANT, "None")] if names else []


def _is_taken_by(value: str) -> ColumnElement[bool]:
    if value == NO_CONSULTANT:
        return col(Booking.consultant_id).is_(None)
    return col(Booking.consultant_id).in_(select(Consultant.id).where(Consultant.reference == value))


def _detail_column(name: str) -> Column:
    return Column(
        name,
        DETAIL_LABELS[name],
        lambda booking: Cell(describe_value(name, getattr(booking, column_of(name)))),
        is_shown=False,
        exported=name != "message",
    )


def _state_action(state: BookingState, label: str, question: str, notify_label: str = "") -> Action:
    async def run(
        session: AsyncSession,
        references: Sequence[str],
        who: Staff,
        options: ActionOptions,
    ) -> Sequence[Outcome]:
        return await set_states(session, references, state, who.email, notify=options.notify)

    return Action(state.value, label, Permission.WORK_BOOKINGS, run, question, notify_label)


BOOKINGS = ListDefinition(
    name="bookings",
    title="Bookings",
    noun=("booking", "bookings"),
    path=LIST,
    permission=Permission.SEE_BOOKINGS,
    rows=lambda: select(Booking),
    identity=col(Booking.id),
    columns=(
        Column("reference", "Reference", lambda booking: Cell(booking.reference, "strong"), sort=col(Booking.reference)),
        Column("when", "When (Nairobi)", lambda booking: moment_cell(booking.starts_at), sort=col(Booking.starts_at)),
        Column("name", "Name", lambda booking: Cell(booking.fullname or "Erased")),
        Column("email", "E-mail", lambda booking: Cell(booking.email)),
        Column("phone", "Phone", lambda booking: Cell(format_phone_number(booking.phone), "whole")),
        Column("state", "State", lambda booking: state_cell(booking.state, booking.ends_at)),
        Column("person", "Consultant", lambda booking: Cell(booking.person), is_shown=False, exported=True),
        Column("booked", "Booked on", lambda booking: brief_moment_cell(booking.created_at), unit="Nairobi",
               sort=col(Booking.created_at), is_shown=False),
        Column("changed", "Changed", lambda booking: moment_cell(booking.updated_at), unit="Nairobi", is_shown=False),
        *(_detail_column(name) for name in DETAIL_LABELS if name not in ("fullname", "phonenumber", "emailaddress")),
        *origin_columns(Booking),
    ),
    # New bookings come first, because staff read them first. The shortcuts sort by slot.
    order="-booked",
    href=lambda booking: f"/admin/booking?ref={booking.reference}",
    filters=(
        Choice(
            "state",
            "State",
            _state_choices,
            _in_state,
        ),
        Choice("span", "When", lambda: tuple(_SPANS.items()), _in_span),
        Days("day", "Slot", col(Booking.starts_at)),
        StoredChoice("person", "Consultant", _list_consultants, _is_taken_by),
        Choice("service", "Service", lambda: tuple(SERVICE_NAMES.items()), lambda value: col(Booking.service) == value),
        Choice("way", "How", lambda: [(way.value, name) for way, name in WAY_LABELS.items()],
               lambda value: col(Booking.way) == Way(value)),
        *origin_filters(Booking),
    ),
    search=search_in(Booking),
    clients=clients_in(Booking),
    search_hint="Reference, name, e-mail, phone",
    actions=(
        _state_action(BookingState.COMPLETED, "Complete", "Mark {count} as completed?"),
        _state_action(BookingState.NO_SHOW, "Mark as no-show", "Mark {count} as no-show?"),
        _state_action(
            BookingState.CANCELLED,
            "Cancel bookings",
            "Cancel {count}? Their times become free again.",
            notify_label="Notify the clients",
        ),
    ),
    empty="No bookings yet.",
    attention=("state", _NEEDS_OUTCOME),
)  # fmt: skip

BOOKING_LIST = list_screen(BOOKINGS, booking_toolbar(LIST), icon="calendar")
