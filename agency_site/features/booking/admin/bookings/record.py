"""Bookings in the back office: the client's details, what staff see, and what they can do."""

from collections.abc import Sequence
from datetime import date, time, timedelta
from functools import partial
from typing import Any

import reflex as rx
from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.behaviours import Print
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import card, small_note
from agency_site.backoffice.lists.definition import Action as ListAction
from agency_site.backoffice.lists.definition import (
    ActionOptions,
    Cell,
    Choice,
    Column,
    Days,
    Outcome,
    StoredChoice,
    brief_moment_cell,
    clients_in,
    moment_cell,
    search_in,
    when,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.record_form import form_fields
from agency_site.backoffice.record_page import RecordState, record_screens, submit_row
from agency_site.backoffice.records import (
    CLIENT,
    Action,
    FieldColumn,
    HistoryLine,
    Record,
    Values,
    is_changed,
)
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import link_button, message_button, message_dialogs
from agency_site.characters import is_blank
from agency_site.clock import in_nairobi, now, today
from agency_site.db.engine import read_scope
from agency_site.db.event_log import LoggedEvent
from agency_site.features.booking.admin.bookings.messages import BookingMessages
from agency_site.features.booking.admin.bookings.printout import consultation_sheet
from agency_site.features.booking.admin.bookings.slot_finder import SlotFinder, parse_start, slot_finder
from agency_site.features.booking.admin.dashboard import ACTIVE
from agency_site.features.booking.admin.labels import (
    NEEDS_OUTCOME,
    STATE_NAMES,
    describe_event,
    format_time_span,
    state_cell,
)
from agency_site.features.booking.admin.toolbar import ADD, LIST, booking_toolbar
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, texts
from agency_site.features.booking.bookings.records import search_of
from agency_site.features.booking.bookings.request import MESSAGE_LENGTH
from agency_site.features.booking.bookings.rules import SERVICE_NAMES, BookingState
from agency_site.features.booking.bookings.seats import read_occupancy
from agency_site.features.booking.bookings.staff_transitions import set_states
from agency_site.features.booking.bookings.staff_usecases import require_way
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.bookings.usecases import recover_token
from agency_site.features.booking.business_hours.usecases import bounds_of_day, find_misplaced_bookings
from agency_site.features.booking.calendar.collisions import collides
from agency_site.features.booking.consultants.records import list_active
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.rules import format_slot_time, slot_start
from agency_site.features.booking.schedule.slots import booking_policy, is_person_free
from agency_site.fields import Control, Field, Options
from agency_site.form_input import (
    CLIENTS,
    EMAIL_LENGTH,
    NAME_LENGTH,
    PHONE_LENGTH,
    YES,
    email_address,
    full_name,
    phone_number,
)
from agency_site.ids import parse_reference
from agency_site.notices import usecases as notices
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import notice
from agency_site.ui.icon import icon

_JUST_BOOKED = timedelta(minutes=2)
_REASON_LENGTH = 500
_COLLIDES, _WAITING = "collides", "waiting"
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


def _parse_email(text: str) -> str:
    return "" if is_blank(text) else email_address(text, CLIENTS)


def _parse_way(text: str) -> Way:
    try:
        return Way(text)
    except ValueError:
        raise ValueError("Please choose how to meet: in Karen, by phone or by video.") from None


CLIENT_FIELDS = (
    Field("fullname", "Name", longest=NAME_LENGTH, typing="person", parser=partial(full_name, whose=CLIENTS)),
    Field("phone", "Phone", Control.PHONE, longest=PHONE_LENGTH, parser=partial(phone_number, whose=CLIENTS),
          text=format_phone_number),
    Field("email", "E-mail", Control.EMAIL, longest=EMAIL_LENGTH, is_required=False, parser=_parse_email,
          empty="the client gets no e-mails"),
    Field("service", "Service", Control.CHOICE, is_required=False, empty="Not stated",
          choices=lambda: tuple(SERVICE_NAMES.items())),
    Field("way", "How", Control.CHOICE, first=Way.KAREN, parser=_parse_way,
          choices=lambda: [(way.value, label) for way, label in WAY_LABELS.items()]),
    Field("message", "Topic", Control.TEXT, longest=MESSAGE_LENGTH, is_required=False),
)  # fmt: skip
"""The details of a client, which the forms of staff share."""


class MoveSlots(SlotFinder, StaffState):
    """The free times to which the open booking can move."""

    @staff_event(Permission.WORK_BOOKINGS)
    async def begin(self, who: Staff) -> None:
        """Show the week of the booking that is open."""
        reference = (await self.get_state(RecordState)).reference
        async with read_scope() as session:
            booking = await staff_usecases.find(session, reference)
        self.way = booking.way.value
        day = in_nairobi(booking.starts_at).date()
        await self._load_week(day - timedelta(days=day.weekday()))


def _is_erased(booking: Any) -> bool:
    return not booking.fullname


def _is_confirmed(booking: Any) -> bool:
    return bool(booking.state is BookingState.CONFIRMED)


def _can_end(booking: Any, other: BookingState) -> bool:
    """Return whether the consultation can get an outcome, of which `other` is the opposite."""
    return booking.state is other or (_is_confirmed(booking) and booking.starts_at <= now())


def _notify_field(label: str) -> Field:
    return Field("notify", label, Control.TICK, is_required=False, first=YES)


def _describe_notice(values: Values) -> str:
    return "The client is notified." if values["notify"] else "The client is not notified."


def _describe_phone(booking: Booking) -> str:
    """Return how a client without an e-mail address is notified; empty for others, and if the client's data was erased."""
    if booking.email or not booking.phone:
        return ""
    phone = format_phone_number(booking.phone)
    return f" No e-mail address: an SMS goes to {phone}, if it is a Kenyan mobile."


def _describe_consultant(before: str, booking: Any) -> str:
    return f" {booking.person} takes it now." if booking.person not in ("", before) else ""


async def _check(session: AsyncSession, booking: Booking, _values: Values, _who: Staff) -> None:
    """Store the search text. Another way needs a consultant who offers it; the client is notified of an upcoming one."""
    booking.search = search_of(booking)
    if not is_changed(booking, "way"):
        return
    require_way(booking.consultant, booking.way)
    booking.sequence += 1
    if booking.state is BookingState.CONFIRMED and booking.starts_at > now():
        await notices.notify(session, texts.way_notice(booking, recover_token(booking)))


async def _move(session: AsyncSession, booking: Booking, values: Values, who: Staff) -> str:
    start, before = values["start"], booking.person
    moved = await staff_usecases.move(session, booking.reference, start, who.email, notify=values["notify"])
    return (
        f"Moved to {format_slot_time(start)}. {_describe_notice(values)}{_describe_consultant(before, moved)}"
    )


async def _assign(session: AsyncSession, booking: Booking, values: Values, who: Staff) -> str:
    before = booking.person
    changed = await staff_usecases.assign_person(
        session, booking.reference, booking.version, values["person"], who.email, notify=values["notify"]
    )
    return f"Consultant changed. {_describe_notice(values)}{_describe_consultant(before, changed)}"


async def _cancel(session: AsyncSession, booking: Booking, values: Values, who: Staff) -> str:
    await staff_transitions.cancel(
        session, booking.reference, who.email, reason=values["reason"], notify=values["notify"]
    )
    return f"Cancelled. The time is free again. {_describe_notice(values)}"


async def _reinstate(session: AsyncSession, booking: Booking, values: Values, who: Staff) -> str:
    before = booking.person
    restored = await staff_transitions.reinstate(
        session, booking.reference, who.email, notify=values["notify"]
    )
    return f"Booking reinstated. {_describe_notice(values)}{_describe_consultant(before, restored)}"


async def _complete(session: AsyncSession, booking: Booking, _values: Values, who: Staff) -> None:
    await staff_transitions.complete(session, booking.reference, who.email)


async def _mark_no_show(session: AsyncSession, booking: Booking, _values: Values, who: Staff) -> None:
    await staff_transitions.mark_no_show(session, booking.reference, who.email)


async def _add_note(session: AsyncSession, booking: Booking, text: str, who: Staff) -> None:
    await staff_usecases.add_note(session, booking.reference, text, who.email)


async def _read_events(session: AsyncSession, booking: Booking) -> list[LoggedEvent]:
    return await staff_usecases.list_history(session, booking.id)


async def _has_consultants(session: AsyncSession, _booking: Booking) -> bool:
    return bool(await list_active(session))


async def _list_free_persons(session: AsyncSession, booking: Booking) -> Options:
    """Return the consultants who can take the booking instead of the present one."""
    policy = booking_policy()
    occupancy = await read_occupancy(session, *bounds_of_day(in_nairobi(booking.starts_at).date()))
    others = occupancy.without_seat(booking.starts_at, booking.seat)
    return [
        (person.reference, person.name)
        for person in occupancy.persons
        if person.reference != booking.person_reference
        and booking.way in person.ways
        and is_person_free(person, booking.starts_at, policy, others)
    ]


async def _read_values(session: AsyncSession, booking: Booking, _who: Staff) -> dict[str, str]:
    return {
        "misplaced": "yes" if await _is_misplaced(session, booking) else "",
        "message": booking.message,
        "can_copy": "" if _is_erased(booking) else "yes",
    }


async def _is_misplaced(session: AsyncSession, booking: Booking) -> bool:
    if booking.state is not BookingState.CONFIRMED:
        return False
    end = booking.starts_at + timedelta(seconds=1)
    misplaced = await find_misplaced_bookings(session, booking.starts_at, end)
    return any(other.reference == booking.reference for other in misplaced)


def _welcome(booking: Booking) -> str:
    is_new = booking.created_at > now() - _JUST_BOOKED
    return f"Booking created. The reference is {booking.reference}." if is_new else ""


def _describe_event(event: LoggedEvent, line: HistoryLine) -> HistoryLine:
    return describe_event(event, line, BOOKINGS.history_labels)


def _video_link_cell(booking: Booking) -> Cell:
    link = booking.consultant.video_link if booking.way is Way.VIDEO and booking.consultant else ""
    return Cell(link, href=link)


def _changed_cell(booking: Booking) -> Cell:
    return Cell(when(booking.updated_at) if booking.updated_at > booking.created_at else "")


def _in_state(value: str) -> ColumnElement[bool]:
    if value == ACTIVE:
        return col(Booking.state).in_([state for state in BookingState if state != BookingState.CANCELLED])
    if value == _WAITING:
        is_over = col(Booking.starts_at) <= now() - booking_policy().length
        return and_(col(Booking.state) == BookingState.CONFIRMED, is_over)
    if value == _COLLIDES:
        return collides()
    return col(Booking.state) == BookingState(value)


def _state_choices() -> Sequence[tuple[str, str]]:
    by_name = [(state.value, name) for state, name in STATE_NAMES.items()]
    by_need = [(_WAITING, NEEDS_OUTCOME), (_COLLIDES, "At a busy time"), (ACTIVE, "Not cancelled")]
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


def _bulk_action(state: BookingState, label: str, question: str, notify_label: str = "") -> ListAction:
    async def run(
        session: AsyncSession, references: Sequence[str], who: Staff, options: ActionOptions
    ) -> Sequence[Outcome]:
        # One lock for all rows, in an order in which two changes cannot deadlock.
        return await set_states(session, references, state, who.email, notify=options.notify)

    return ListAction(state.value, label, Permission.WORK_BOOKINGS, run, question, notify_label)


def _draw_move() -> rx.Component:
    return card(
        "Move to another time",
        rx.el.form(
            slot_finder(MoveSlots, legend="Free times"),
            form_fields(RecordState.form, "booking-move", RecordState.errors),
            rx.cond(RecordState.question != "", small_note(RecordState.question)),
            submit_row("Move booking"),
            keep_draft("booking-move", RecordState.reference),
            on_submit=RecordState.run("move"),
            class_name="bookings-form-wide",
        ),
        FocusWhen.create(when=RecordState.panel == "move", target="move-heading"),
        identity="move-heading",
    )


BOOKINGS = Record(
    table=Booking,
    kind="booking",
    noun=("booking", "bookings"),
    icon="calendar",
    path="/admin/booking",
    list_path=LIST,
    see=Permission.SEE_BOOKINGS,
    work=Permission.WORK_BOOKINGS,
    reference=col(Booking.reference),
    clean_reference=parse_reference,
    state=lambda booking: state_cell(booking.state, booking.ends_at),
    heading=lambda booking: (booking.fullname or "Erased", format_time_span(booking.starts_at, booking.ends_at)),
    fields=CLIENT_FIELDS,
    check=_check,
    can_edit=lambda booking: not _is_erased(booking),
    edit_refusal=lambda booking: (
        f"The client's data of booking {booking.reference} was erased, so it can no longer be changed."
    ),
    saved="Details saved.",
    edit_step="corrected",
    welcome=_welcome,
    facts=(
        *(each.name for each in CLIENT_FIELDS if each.name != "message"),
        Column("person", "Consultant", lambda booking: Cell(booking.person)),
        Column("link", "Meeting link", _video_link_cell),
        CLIENT,
        Column("booked", "Booked on", lambda booking: moment_cell(booking.created_at), unit="Nairobi"),
        Column("origin", "Came from", lambda booking: Cell(booking.origin.text)),
        Column("changed", "Changed", _changed_cell),
    ),
    values=_read_values,
    events=BookingEvent,
    read_events=_read_events,
    describe_event=_describe_event,
    history_heading="Notes and history",
    note=_add_note,
    column_labels={"person": "Consultant"},
    log_facts=lambda booking: (
        state_cell(booking.state, booking.ends_at).text, format_time_span(booking.starts_at, booking.ends_at)
    ),
    log_labels={
        "assigned": "Booking given to another consultant", "booked": "Booking created by staff",
        "completed": "Booking marked as completed", "confirmed": "Booking reinstated", "corrected": "Client's details edited",
        "no_show": "Booking marked as no-show", "noted": "Note added to a booking", "restored": "Booking reinstated",
    },
    columns=(
        Column("reference", "Reference", lambda booking: Cell(booking.reference, "strong"), sort=col(Booking.reference)),
        Column("when", "When (Nairobi)", lambda booking: moment_cell(booking.starts_at), sort=col(Booking.starts_at)),
        Column("name", "Name", lambda booking: Cell(booking.fullname or "Erased")),
        "email",
        FieldColumn("phone", tone="whole"),
        Column("state", "State", lambda booking: state_cell(booking.state, booking.ends_at)),
        Column("person", "Consultant", lambda booking: Cell(booking.person), is_shown=False, exported=True),
        Column("booked", "Booked on", lambda booking: brief_moment_cell(booking.created_at), unit="Nairobi",
               sort=col(Booking.created_at), is_shown=False),
        Column("changed", "Changed", lambda booking: moment_cell(booking.updated_at), unit="Nairobi", is_shown=False),
        FieldColumn("service", is_shown=False, exported=True),
        FieldColumn("way", is_shown=False, exported=True),
        FieldColumn("message", is_shown=False),
        *origin_columns(Booking),
    ),
    # New bookings come first, because staff read them first. The shortcuts sort by slot.
    order="-booked",
    filters=(
        Choice("state", "State", _state_choices, _in_state),
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
    list_actions=(
        _bulk_action(BookingState.COMPLETED, "Complete", "Mark {count} as completed?"),
        _bulk_action(BookingState.NO_SHOW, "Mark as no-show", "Mark {count} as no-show?"),
        _bulk_action(BookingState.CANCELLED, "Cancel bookings", "Cancel {count}? Their times become free again.",
                     notify_label="Notify the clients"),
    ),
    empty="No bookings yet.",
    attention=("state", _WAITING),
    actions=(
        Action("complete", "Complete", _complete, event="completed", is_logged=False, tone="ink", done="Marked as completed.",
               when=lambda booking: _can_end(booking, BookingState.NO_SHOW)),
        Action("no_show", "No-show", _mark_no_show, is_logged=False, done="Marked as no-show.",
               when=lambda booking: _can_end(booking, BookingState.COMPLETED)),
        Action("reinstate", "Reinstate booking", _reinstate, event="restored", is_logged=False, tone="ink",
               when=lambda booking: booking.state is BookingState.CANCELLED and not _is_erased(booking),
               title="Reinstate this booking?", confirm="Yes, reinstate booking", cancel="Keep cancelled",
               fields=(_notify_field("Notify the client"),),
               question=lambda booking: "The booking returns to its time, "
               f"{format_time_span(booking.starts_at, booking.ends_at)}, if that is still free.{_describe_phone(booking)}"),
        Action("move", "Move", _move, event="moved", is_logged=False, tone="ink",
               when=lambda booking: _is_confirmed(booking) and not _is_erased(booking), draw=_draw_move, on_open=MoveSlots.begin,
               question=_describe_phone,
               fields=(
                   Field("start", "Time", Control.OTHER, parser=parse_start),
                   _notify_field("Send the new time to the client"),
               )),
        Action("assign", "Change consultant", _assign, event="assigned", is_logged=False,
               when=lambda booking: _is_confirmed(booking) and not _is_erased(booking), is_offered=_has_consultants,
               title="Change the consultant?", confirm="Change consultant",
               fields=(
                   Field("person", "Consultant", Control.CHOICE, read_choices=_list_free_persons, hint="Those who are free then.",
                         empty="No other consultant is free then. Please move the booking, or change the hours of a consultant."),
                   _notify_field("Notify the client by e-mail"),
               ),
               question=lambda booking: f"{format_time_span(booking.starts_at, booking.ends_at)}. The time stays the same."
               f"{_describe_phone(booking)}"),
        Action("cancel", "Cancel booking", _cancel, event="cancelled", is_logged=False, when=_is_confirmed,
               title="Cancel this booking?", confirm="Yes, cancel booking", cancel="Keep booking",
               fields=(
                   Field("reason", "Reason", longest=_REASON_LENGTH, is_required=False, hint="For staff only."),
                   _notify_field("Notify the client"),
               ),
               question=lambda booking: f"{format_time_span(booking.starts_at, booking.ends_at)}. The time becomes free again."
               f"{_describe_phone(booking)}"),
    ),
)  # fmt: skip


def _misplaced_notice() -> rx.Component:
    return rx.cond(
        RecordState.facts["misplaced"] != "",
        notice(
            "This time is no longer offered, or the consultant does not work then. The booking is still confirmed: please "
            "move it, change the consultant, or call the client."
        ),
    )


def _head() -> rx.Component:
    copy_url = f"{ADD}?from=" + RecordState.reference
    return rx.fragment(
        rx.cond(
            RecordState.facts["can_copy"] != "",
            rx.el.a("Book again", href=copy_url, class_name="office-quiet"),
        ),
        message_button(BookingMessages, RecordState.reference),
        link_button(BookingMessages, RecordState.reference),
        Print.create(icon("download", size=18), label="Print", class_name="office-quiet"),
    )


def _topic() -> rx.Component:
    message = RecordState.facts["message"]
    return rx.fragment(
        rx.el.h3("Topic"),
        rx.el.p(rx.cond(message != "", message, "No message."), class_name="office-said-text"),
    )


def _edit_note() -> rx.Component:
    return small_note("The client is notified if an upcoming consultation takes place in another way.")


def _dialogs_and_sheet() -> rx.Component:
    return rx.fragment(message_dialogs(BookingMessages, "booking-text"), consultation_sheet())


SCREENS = record_screens(
    BOOKINGS,
    head=(_head,),
    top=(_misplaced_notice,),
    bottom=(_dialogs_and_sheet,),
    details=(_topic,),
    form=(_edit_note,),
    above=(partial(booking_toolbar, LIST),),
    class_name="bookings-file",
)
