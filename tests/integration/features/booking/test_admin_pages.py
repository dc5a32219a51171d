"""The booking page and the business hours as two members of staff use them at the same time."""

from datetime import date, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from agency_site import clock
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.admin.business_hours.state import BusinessHours
from agency_site.features.booking.bookings import staff_transitions, staff_usecases
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import (
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from tests import records
from tests.integration.backoffice.conftest import Tab, hire, open_tab
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.pages import details_of, links_of, open_booking, open_move, options_of
from tests.integration.features.booking.staff import (
    ACTOR,
    book_for_caller,
    do,
    find,
    free_times,
    history,
    mails,
    row_of,
)
from tests.integration.sms.messages import list_texts

pytestmark = pytest.mark.usefixtures("database")

SUNDAY = date(2026, 11, 29)
TYPED = {
    "fullname": "Brian Kiptoo", "phone": "0733 111 222", "email": "brian@example.com", "service": "", "way": "karen",
}  # fmt: skip
OPEN = {"state": "open", "times": "09:00", "capacity": "", "reason": ""}


async def edit(booking: BookingRecord, **texts: str) -> None:
    """Save the details of a booking as another editor, who read them when it was new."""
    await records.edit(BOOKINGS, booking.reference, texts, ACTOR, booking.version)


async def list_audit_entries() -> list[tuple[str, str, str]]:
    """Return actor, action and details of the entries about bookings, oldest first."""
    async with read_scope() as session:
        entries = await session.exec(
            select(AuditEntry).where(AuditEntry.kind == "booking").order_by(col(AuditEntry.id))
        )
        return [(entry.actor, entry.action, entry.detail) for entry in entries]


async def open_hours() -> Tab:
    await hire()
    return await open_tab(BusinessHours, "/admin/hours")


async def test_a_new_booking_is_announced_once_it_is_opened() -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking, "&new=1")
    assert tab.state.done == f"Booking created. The reference is {booking.reference}."
    assert tab.state.facts["heading"] == "Brian Kiptoo"
    with clock.frozen(clock.now() + timedelta(minutes=3)):
        assert (await open_tab(RecordState, f"/admin/booking?ref={booking.reference}&new=1")).state.done == ""


async def test_an_unknown_reference_is_reported() -> None:
    await hire()
    tab = await open_tab(RecordState, "/admin/booking?ref=BK-NOBODY")
    assert (tab.state.problem, tab.state.reference) == ("There is no booking BK-NOBODY.", "")


async def test_changes_of_two_editors_to_different_fields_are_merged() -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await tab.run("ask", key="edit")
    await edit(booking, message="A logo")
    await tab.run("run", key="edit", form={**TYPED, "phone": "0711 000 111"})
    assert (tab.state.done, tab.state.panel) == ("Details saved.", "")
    stored = await find(booking.reference)
    assert (stored.phone, stored.message) == ("+254711000111", "A logo")
    assert await list_audit_entries() == [
        (ACTOR, "booking.corrected", "Topic"),
        ("amina@mwanga.example", "booking.corrected", "Phone"),
    ]


async def test_the_form_formats_the_phone_number_and_saving_does_not_change_it() -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await tab.run("ask", key="edit")
    assert tab.state.draft["phone"] == details_of(tab)["Phone"] == "0733 111 222"
    assert links_of(tab)["Phone"] == "tel:+254733111222"
    await edit(booking, phone="0711 000 111")
    await tab.run("run", key="edit", form=TYPED | {"message": "A logo"})
    stored = await find(booking.reference)
    assert (stored.phone, stored.message) == ("+254711000111", "A logo")


@pytest.mark.parametrize("note", ["Called", "fullname: Brian K. Kiptoo"])
async def test_an_edit_conflict_names_the_editor_and_not_the_author_of_a_note(note: str) -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await tab.run("ask", key="edit")
    await edit(booking, fullname="Their Name")
    await do(staff_usecases.add_note, booking.reference, note, "asha@mwanga.example")
    await tab.run("run", key="edit", form=TYPED | {"fullname": "My Name"})
    assert (len(tab.state.conflicts), tab.state.conflict_author) == (1, ACTOR)


@pytest.mark.parametrize(("handler", "name"), [("keep_theirs", "Their Name"), ("save_mine", "My Name")])
async def test_the_second_editor_chooses_one_of_two_names(handler: str, name: str) -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await tab.run("ask", key="edit")
    await edit(booking, fullname="Their Name")
    await tab.run("run", key="edit", form={**TYPED, "fullname": "My Name", "message": "Mine as well"})
    assert [(conflict.label, conflict.theirs, conflict.own) for conflict in tab.state.conflicts] == [
        ("Name", "Their Name", "My Name")
    ]
    assert tab.state.conflict_author == ACTOR
    assert tab.state.panel == "edit"
    await tab.run(handler, **({"_form": {}} if handler == "save_mine" else {}))
    stored = await find(booking.reference)
    assert (stored.fullname, stored.message) == (name, "Mine as well")
    assert (tab.state.conflicts, tab.state.panel) == ([], "")


async def test_an_action_on_a_stale_booking_is_rejected_and_shows_the_current_one() -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await tab.run("ask", key="cancel")
    await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
    await tab.run("run", key="cancel", form={"reason": "Ill"})
    assert "Your changes were not saved." in tab.state.problem
    assert (tab.state.panel, tab.state.facts["below"]) == (
        "",
        "Tuesday 24 November 2026, 14:00 to 14:30",
    )
    assert (await find(booking.reference)).state is BookingState.CONFIRMED


async def test_actions_change_the_booking_and_show_a_message() -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    assert (await open_move(tab)).week
    await tab.run("run", key="move", form={"start": f"{TUESDAY}T14:00"})
    assert tab.state.done == "Moved to 14:00 on Tuesday 24 November. The client is not notified."
    await tab.run("run", key="cancel", form={"reason": "Ill"})
    assert (tab.state.facts["state"], tab.state.possible) == ("Cancelled", ["edit", "reinstate"])
    await tab.run("ask", key="reinstate")
    await book_for_caller(time="14:00")
    await tab.run("run", key="reinstate", form={})
    assert ("has just been taken" in tab.state.problem, tab.state.panel) == (True, "reinstate")
    await tab.run("close_panel")
    await tab.run("run", key="note", form={"note": "Rang."})
    assert (tab.state.done, tab.state.lines[0].words) == ("Note saved.", "Rang.")
    assert [what for _, what, _ in await history(booking)] == ["booked", "moved", "cancelled", "note"]
    assert [entry[1:] for entry in await list_audit_entries()] == [
        (
            "booking.moved",
            "Tuesday 24 November 2026, 11:00 to 11:30 → Tuesday 24 November 2026, 14:00 to 14:30",
        ),
        ("booking.cancelled", "Confirmed → Cancelled"),
        ("booking.noted", ""),
    ]


@pytest.mark.parametrize("start", ["", "soon", "2026-11-24T9"])
async def test_a_move_without_one_of_the_times_is_refused_at_its_field(start: str) -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await open_move(tab)
    await tab.run("run", key="move", form={"start": start, "notify": "yes"})
    assert tab.state.errors == {"start": "Please choose one of the free times."}
    assert (tab.state.panel, await find(booking.reference)) == ("move", booking)


@pytest.mark.parametrize("note", ["", " \n", "x" * 2001, "a\0b"])
async def test_an_invalid_note_is_refused_at_its_field(note: str) -> None:
    booking = await book_for_caller()
    tab = await open_booking(booking)
    await tab.run("run", key="note", form={"note": note})
    assert (set(tab.state.errors), tab.state.done) == ({"note"}, "")
    assert (len(await history(booking)), await list_audit_entries()) == (1, [])


async def test_the_second_of_two_editors_of_a_day_chooses_its_hours() -> None:
    tab = await open_hours()
    request = ScheduleExceptionRequest(day=SUNDAY, times="15:00")
    await do(business_hours.save_schedule_exception, request, 0, ACTOR)
    await tab.run("save_day", form={**OPEN, "day": SUNDAY.isoformat()})
    assert [(conflict.label, conflict.theirs, conflict.own) for conflict in tab.state.conflicts] == [
        ("Times", "15:00", "09:00")
    ]
    await tab.run("save_mine", _form={})
    assert (tab.state.done, tab.state.conflicts) == ("Sun 29 Nov 2026 saved.", [])
    assert await free_times(SUNDAY) == ["09:00"]


async def test_editing_a_removed_schedule_exception_is_a_conflict() -> None:
    await do(
        business_hours.save_schedule_exception, ScheduleExceptionRequest(day=SUNDAY, times="15:00"), 0, ACTOR
    )
    tab = await open_hours()
    await tab.run("edit_day", day=SUNDAY.isoformat())
    assert (tab.state.draft["times"], tab.state.draft["state"]) == ("15:00", "open")
    await do(business_hours.remove_schedule_exception, SUNDAY, 1)
    await tab.run("save_day", form=OPEN)
    assert tab.state.conflicts[0].theirs == "Usual hours"
    await tab.run("save_mine", _form={})
    assert await free_times(SUNDAY) == ["09:00"]
    assert tab.state.draft == {}


async def test_the_second_of_two_editors_of_the_policy_chooses() -> None:
    tab = await open_hours()
    await do(business_hours.save_overrides, PolicyOverridesRequest(capacity=3), 0, ACTOR)
    await tab.run("refresh")
    assert (tab.state.policy["usual"], tab.state.overrides["usual"]) == ("3", "")
    await tab.run("save_overrides", form={"usual": "4", "holidays": ""})
    assert [(conflict.label, conflict.theirs, conflict.own) for conflict in tab.state.conflicts] == [
        ("Bookings per time", "3", "4")
    ]
    await tab.run("keep_theirs")
    assert (tab.state.overrides["usual"], tab.state.conflicts) == ("3", [])
    await tab.run("save_overrides", form={"usual": "4", "holidays": ""})
    assert (tab.state.done, tab.state.policy["usual"]) == ("Saved.", "4")


async def test_notice_buffer_and_limit_are_saved_and_a_wrong_number_is_refused_at_its_field() -> None:
    tab = await open_hours()
    numbers = {"notice_hours": "24", "buffer_minutes": "15", "daily_limit": "4"}
    await tab.run("save_overrides", form={**numbers, "daily_limit": "0"})
    assert (list(tab.state.errors), tab.state.submitted_form) == (["daily_limit"], "choices")
    assert "from 1 to 50" in tab.state.errors["daily_limit"]
    await tab.run("save_overrides", form=numbers)
    assert (tab.state.done, tab.state.errors) == ("Saved.", {})
    assert {name: tab.state.overrides[name] for name in numbers} == numbers
    assert tab.state.policy["notice_hours"] == "24 hours"
    await do(business_hours.save_overrides, PolicyOverridesRequest(notice_hours=48), 1, ACTOR)
    await tab.run("save_overrides", form={**numbers, "buffer_minutes": "20"})
    assert [conflict.label for conflict in tab.state.conflicts] == [
        "Minimum notice (hours)",
        "Buffer between consultations (minutes)",
        "Consultations a day",
    ]


async def test_removing_an_exception_and_adding_a_blackout_list_misplaced_bookings() -> None:
    await do(
        business_hours.save_schedule_exception, ScheduleExceptionRequest(day=SUNDAY, times="15:00"), 0, ACTOR
    )
    booking = await book_for_caller(date=SUNDAY.isoformat(), time="15:00")
    tab = await open_hours()
    await tab.run("ask_to_remove", kind="special", name=SUNDAY.isoformat())
    assert "Sun 29 Nov 2026" in tab.state.question
    await tab.run("remove")
    assert [row.reference for row in tab.state.affected] == [booking.reference]
    assert [row.reference for row in tab.state.misplaced] == [booking.reference]
    await tab.run("add_blackout", form={"starts_at": "2026-11-30T08:00", "ends_at": "2026-11-30T09:00"})
    assert (tab.state.done, tab.state.affected, len(tab.state.blackouts)) == ("Blackout added.", [], 1)


async def test_a_confirmed_booking_outside_the_hours_is_shown_as_misplaced() -> None:
    booking = await book_for_caller()
    request = ScheduleExceptionRequest.model_validate({"day": TUESDAY, "state": "closed"})
    await do(business_hours.save_schedule_exception, request, 0, ACTOR)
    tab = await open_booking(booking)
    assert tab.state.facts["misplaced"] == "yes"
    await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
    await tab.run("refresh")
    assert tab.state.facts["misplaced"] == ""


@pytest.mark.parametrize("address", ["brian@example.com", ""])
@pytest.mark.parametrize("ticked", [True, False])
async def test_a_change_says_whether_the_client_is_notified(address: str, *, ticked: bool) -> None:
    booking = await book_for_caller(emailaddress=address)
    tab = await open_booking(booking)
    notify = {"notify": "on"} if ticked else {}
    notice = "The client is notified." if ticked else "The client is not notified."
    await tab.run("ask", key="cancel")
    await tab.run("run", key="cancel", form={"reason": "", **notify})
    assert tab.state.done == f"Cancelled. The time is free again. {notice}"
    await tab.run("ask", key="reinstate")
    await tab.run("run", key="reinstate", form=notify)
    assert tab.state.done == f"Booking reinstated. {notice}"
    assert len(await mails()) == (2 if ticked and address else 0)
    assert len(await list_texts()) == (2 if ticked else 0)


async def test_a_booking_with_a_service_that_is_no_longer_offered_can_be_edited() -> None:
    booking = await book_for_caller()
    async with session_scope() as session:
        await session.exec(update(Booking).values(service="of-last-year"))
    tab = await open_booking(booking)
    await tab.run("ask", key="edit")
    assert ("of-last-year", "of-last-year") in options_of(tab, "service")
    await tab.run("run", key="edit", form={**tab.state.draft, "message": "A logo"})
    assert (tab.state.done, tab.state.errors) == ("Details saved.", {})
    stored = await row_of(booking.reference)
    assert (stored.service, stored.message) == ("of-last-year", "A logo")
