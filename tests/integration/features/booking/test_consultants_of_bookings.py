"""Bookings with consultants on the screens of staff: who takes them, changing that, booking, moving, and the calendar."""

from typing import Any

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.record_page import RecordState
from agency_site.db.engine import read_scope
from agency_site.features.booking.admin.bookings.new_booking import NewBooking
from agency_site.features.booking.admin.calendar.state import BookingCalendar
from agency_site.features.booking.bookings import staff_usecases
from agency_site.features.booking.consultants.rules import Way
from tests.integration.backoffice.conftest import Tab, enter, hire, open_tab
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.consultants import (
    ALL_WAYS,
    add_busy_time,
    add_consultant,
    deactivate_consultant,
)
from tests.integration.features.booking.pages import (
    details_of,
    links_of,
    open_booking,
    open_move,
    options_of,
)
from tests.integration.features.booking.staff import (
    ACTOR,
    all_bookings,
    book_for_caller,
    do,
    find,
    mails,
)

pytestmark = pytest.mark.usefixtures("database")

CALENDAR = f"/admin/bookings/calendar?view=day&day={TUESDAY}"


async def open_form(query: str = "") -> Tab:
    await hire()
    tab = Tab(NewBooking, (await enter()).token, f"/admin/bookings/new{query}")
    await tab.run("open_form")
    return tab


async def open_calendar(query: str = "") -> Tab:
    await hire()
    tab = Tab(BookingCalendar, (await enter()).token, CALENDAR + query)
    await tab.run("open_calendar")
    return tab


async def open_calendar_of(reference: str) -> Tab:
    tab = Tab(BookingCalendar, (await enter()).token, f"{CALENDAR}&person={reference}")
    await tab.run("open_calendar")
    return tab


def free_times(finder: Any) -> list[str]:
    """Return the free times of Tuesday in the finder, a state of a page."""
    return [
        slot.time for day in finder.week if day.date == TUESDAY.isoformat() for slot in day.slots if slot.free
    ]


def cells(tab: Tab) -> dict[str, Any]:
    (day,) = tab.state.layout.days
    return {cell.time: cell for cell in day.cells}


async def test_without_consultants_a_booking_can_be_given_to_nobody() -> None:
    tab = await open_booking(await book_for_caller())
    assert ("Consultant" in details_of(tab), "assign" in tab.state.possible) == (False, False)
    await tab.run("ask", key="assign")
    assert options_of(tab, "person") == []


async def test_another_consultant_who_is_free_takes_a_booking() -> None:
    wanjiru = await add_consultant("Wanjiru")
    booking = await book_for_caller(service="web-design", way="phone")
    brian = await add_consultant("Brian")
    await add_consultant("Chege", **ALL_WAYS | {"phone": ""})
    taken = await add_consultant("Dalmas")
    await book_for_caller(person=taken.reference)
    tab = await open_booking(booking)
    assert [details_of(tab)[label] for label in ("Consultant", "Service", "How")] == [
        "Wanjiru",
        "Web Design & Development",
        "By phone",
    ]
    await tab.run("ask", key="assign")
    assert options_of(tab, "person") == [(brian.reference, "Brian")]
    await tab.run("run", key="assign", form={"person": brian.reference, "notify": "on"})
    assert tab.state.done == "Consultant changed. The client is notified. Brian takes it now."
    assert await mails() == [("booking-assigned", "brian@example.com")]
    assert (details_of(tab)["Consultant"], tab.state.panel) == ("Brian", "")
    assert tab.state.lines[0].what == "Details edited: consultant"
    assert tab.state.lines[0].words == "Consultant: Wanjiru → Brian"
    async with read_scope() as session:
        entries = select(AuditEntry).where(col(AuditEntry.action) == "booking.assigned")
        (entry,) = (await session.exec(entries)).all()
    assert (entry.reference, entry.detail) == (booking.reference, "")
    assert wanjiru.reference != (await find(booking.reference)).person_reference


async def test_a_consultant_who_is_not_free_any_more_is_refused_and_the_dialog_stays_open() -> None:
    await add_consultant("Wanjiru")
    booking = await book_for_caller()
    brian = await add_consultant("Brian")
    tab = await open_booking(booking)
    await tab.run("ask", key="assign")
    await tab.run("run", key="assign", form={})
    assert tab.state.errors == {"person": "Please fill in “Consultant”."}
    await book_for_caller(person=brian.reference)
    await tab.run("run", key="assign", form={"person": brian.reference})
    assert (tab.state.problem, tab.state.panel) == (
        "Brian is not free at 11:00 on Tuesday 24 November.",
        "assign",
    )
    await deactivate_consultant(brian)
    await tab.run("run", key="assign", form={"person": brian.reference})
    assert tab.state.problem == "Brian takes no new bookings."
    await tab.run("run", key="assign", form={"person": "CO-AAAAAA"})
    assert tab.state.problem == "There is no consultant CO-AAAAAA."
    await tab.run("run", key="assign", form={"person": "CO-\ud800"})
    assert (list(tab.state.errors), tab.state.panel) == (["person"], "assign")
    assert (await find(booking.reference)).person == "Wanjiru"


async def test_a_stale_page_assigns_nobody() -> None:
    await add_consultant("Wanjiru")
    booking = await book_for_caller()
    brian = await add_consultant("Brian")
    tab = await open_booking(booking)
    await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
    await tab.run("run", key="assign", form={"person": brian.reference})
    assert "Your changes were not saved." in tab.state.problem
    assert (await find(booking.reference)).person == "Wanjiru"


async def test_viewers_assign_nobody_and_handlers_bear_any_argument() -> None:
    await add_consultant("Wanjiru")
    booking = await book_for_caller()
    brian = await add_consultant("Brian")
    await hire("viewer@mwanga.example", Role.VIEWER)
    path = f"/admin/booking?ref={booking.reference}"
    viewer = Tab(RecordState, (await enter("viewer@mwanga.example")).token, path)
    await viewer.run("open_record")
    assert details_of(viewer)["Consultant"] == "Wanjiru"
    await viewer.run("run", key="assign", form={"person": brian.reference})
    assert viewer.back_office.refusal
    tab = await open_booking(booking)
    for argument in (None, 3, ["person"], {"person": [brian.reference]}):
        await tab.run("run", key="assign", form=argument)
    assert (await find(booking.reference)).person == "Wanjiru"


async def test_staff_change_service_and_way_of_a_booking() -> None:
    booking = await book_for_caller(service="web-design")
    tab = await open_booking(booking)
    await tab.run("ask", key="edit")
    assert (tab.state.draft["service"], tab.state.draft["way"]) == ("web-design", "karen")
    form = {**tab.state.draft, "service": "", "way": "video"}
    await tab.run("run", key="edit", form={**form, "way": "pigeon"})
    assert list(tab.state.errors) == ["way"]
    await tab.run("run", key="edit", form=form)
    stored = await find(booking.reference)
    assert (tab.state.done, stored.service, stored.way) == ("Details saved.", "", Way.VIDEO)


async def test_the_page_of_a_video_consultation_has_the_meeting_link_of_its_consultant() -> None:
    await add_consultant("Wanjiru", **ALL_WAYS | {"video_link": "https://meet.example.com/wanjiru"})
    tab = await open_booking(await book_for_caller(way="video"))
    assert links_of(tab)["Meeting link"] == "https://meet.example.com/wanjiru"
    assert details_of(tab)["Meeting link"] == "https://meet.example.com/wanjiru"
    reference = (await book_for_caller(time="14:00")).reference
    other = await open_tab(RecordState, f"/admin/booking?ref={reference}")
    assert "Meeting link" not in details_of(other)


async def test_a_move_says_who_takes_the_booking_if_the_consultant_changes() -> None:
    wanjiru = await add_consultant("Wanjiru", **ALL_WAYS | {"tuesday": "08:00-12:00"})
    await add_consultant("Brian", **ALL_WAYS | {"tuesday": "13:00-17:00"})
    booking = await book_for_caller(person=wanjiru.reference)
    tab = await open_booking(booking)
    await open_move(tab)
    await tab.run("run", key="move", form={"start": f"{TUESDAY}T14:00"})
    assert tab.state.done.endswith("Brian takes it now.")
    await tab.run("run", key="move", form={"start": f"{TUESDAY}T16:00"})
    assert "takes it" not in tab.state.done


async def test_the_finder_of_a_move_shows_times_of_those_who_offer_the_way() -> None:
    await add_consultant("Wanjiru", **ALL_WAYS | {"tuesday": "08:00-12:00"})
    await add_consultant("Brian", **ALL_WAYS | {"tuesday": "13:00-17:00", "video": ""})
    tab = await open_booking(await book_for_caller(way="video"))
    assert free_times(await open_move(tab)) == ["09:00"]


async def test_a_new_booking_offers_the_times_of_the_chosen_way_and_consultant() -> None:
    wanjiru = await add_consultant("Wanjiru", **ALL_WAYS | {"tuesday": "08:00-12:00"})
    brian = await add_consultant("Brian", **ALL_WAYS | {"tuesday": "13:00-17:00", "video": ""})
    tab = await open_form(f"?day={TUESDAY}&time=14:00")
    assert [(option.value, option.text) for option in tab.state.persons] == [
        (brian.reference, "Brian"),
        (wanjiru.reference, "Wanjiru"),
    ]
    assert (tab.state.way, free_times(tab.state)) == ("karen", ["09:00", "11:00", "14:00", "16:00"])
    await tab.run("choose_person", person=brian.reference)
    assert free_times(tab.state) == ["14:00", "16:00"]
    await tab.run("choose_person", person="")
    await tab.run("choose_way", way="video")
    assert free_times(tab.state) == ["09:00", "11:00"]
    for argument in (None, 3, ["video"], {"way": "video"}, "CO-\ud800"):
        await tab.run("choose_way", way=argument)
        await tab.run("choose_person", person=argument)
    assert free_times(tab.state) == ["09:00", "11:00", "14:00", "16:00"]


async def test_a_new_booking_stores_service_way_and_consultant() -> None:
    await add_consultant("Wanjiru")
    brian = await add_consultant("Brian", **ALL_WAYS | {"video": ""})
    form = {
        "fullname": "Brian Kiptoo", "phone": "0733 111 222", "start": f"{TUESDAY}T11:00", "service": "web-design",
        "way": "video", "person": brian.reference,
    }  # fmt: skip
    tab = await open_form(f"?person={brian.reference}")
    assert tab.state.person == brian.reference
    await tab.run("book", form=form)
    assert list(tab.state.errors) == ["way"]
    await tab.run("book", form={**form, "service": "plumbing", "way": "phone"})
    assert list(tab.state.errors) == ["service"]
    for person in ("CO-NOBODY", "CO-\ud800", "CO-AAAAAA"):
        await tab.run("book", form={**form, "way": "phone", "person": person})
        assert list(tab.state.errors) == ["person"]
    await tab.run("book", form={"person": "CO-NOBODY", "start": "soon", "way": "phone"})
    assert list(tab.state.errors) == ["fullname", "phone", "person", "start"]
    assert await all_bookings() == []
    redirect = await tab.run("book", form={**form, "way": "phone"})
    assert "/admin/booking?ref=" in str(redirect)
    (row,) = await all_bookings()
    stored = await find(row.reference)
    assert (stored.service, stored.way, stored.person) == ("web-design", Way.PHONE, "Brian")


async def test_the_calendar_shows_who_takes_a_booking_and_is_filtered_by_consultant() -> None:
    wanjiru = await add_consultant("Wanjiru", **ALL_WAYS | {"tuesday": "08:00-12:00"})
    brian = await add_consultant("Brian")
    await book_for_caller(person=wanjiru.reference)
    await book_for_caller(time="14:00", way="video", person=brian.reference)
    tab = await open_calendar()
    assert [option.text for option in tab.state.layout.persons] == ["Brian", "Wanjiru"]
    assert {time: cell.note for time, cell in cells(tab).items()} == {
        "09:00": "2 of 2 free",
        "11:00": "1 of 2 free",
        "14:00": "",
        "16:00": "Free",
    }
    assert [card.meeting for cell in cells(tab).values() for card in cell.cards] == [
        "Wanjiru",
        "Brian, by video",
    ]
    redirect = await tab.run("choose_person", form={"person": wanjiru.reference})
    assert f"person={wanjiru.reference}" in str(redirect)
    theirs = await open_calendar_of(wanjiru.reference)
    assert theirs.state.layout.person == wanjiru.reference
    assert {time: (cell.kind, len(cell.cards)) for time, cell in cells(theirs).items()} == {
        "09:00": ("free", 0),
        "11:00": ("taken", 1),
    }
    for argument in (None, 3, {"person": 3}, {"person": "CO-NOBODY"}):
        await tab.run("choose_person", form=argument)


@pytest.mark.parametrize("view", ["day", "month"])
async def test_the_focus_follows_the_moved_booking_and_not_another_one(view: str) -> None:
    first, moved = [await book_for_caller(time=time) for time in ("09:00", "11:00")]
    tab = await open_calendar(f"&view={view}")
    await tab.run(
        "open_dialog", reference=moved.reference, version=moved.version, target="2026-11-24T14:00+03:00"
    )
    await tab.run("move", form={})
    assert (tab.state.moves, tab.state.focus_id) == (1, f"booking-{moved.reference}")
    assert first.reference in repr(tab.state.layout)


async def test_the_calendar_names_busy_calendars() -> None:
    wanjiru = await add_consultant("Wanjiru")
    brian = await add_consultant("Brian")
    await add_busy_time(tuesday_at(9), tuesday_at(10), wanjiru.id, "Google calendar of Wanjiru")
    await add_busy_time(tuesday_at(14), tuesday_at(15), None, "Office outing")
    tab = await open_calendar()
    assert {time: (cell.kind, cell.busy) for time, cell in cells(tab).items()} == {
        "09:00": ("free", ["Google calendar of Wanjiru"]),
        "11:00": ("free", []),
        "14:00": ("busy", ["Office outing"]),
        "16:00": ("free", []),
    }
    assert cells(tab)["09:00"].note == "1 of 2 free"
    assert cells(await open_calendar_of(wanjiru.reference))["09:00"].kind == "busy"
    assert cells(await open_calendar_of(brian.reference))["09:00"].busy == []


async def test_a_move_on_the_calendar_says_who_takes_the_booking() -> None:
    await add_consultant("Wanjiru")
    booking = await book_for_caller()
    tab = await open_calendar()
    target = cells(tab)["14:00"].key
    await tab.run("open_dialog", reference=booking.reference, version=booking.version, target=target)
    await tab.run("move", form={})
    assert (
        tab.state.done
        == f"Booking {booking.reference} is now at Tuesday 24 November, 14:00. Wanjiru takes it."
    )


async def test_a_booking_that_is_dropped_on_a_day_gets_a_time_of_those_who_offer_its_way() -> None:
    await add_consultant("Wanjiru", **ALL_WAYS | {"tuesday": "08:00-12:00", "monday": "08:00-17:00"})
    await add_consultant("Brian", **ALL_WAYS | {"tuesday": "13:00-17:00", "video": ""})
    booking = await book_for_caller(date="2026-11-23", time="14:00", way="video")
    tab = await open_calendar()
    await tab.run(
        "open_dialog", reference=booking.reference, version=booking.version, target=TUESDAY.isoformat()
    )
    assert [time.label for time in tab.state.dialog.times] == ["09:00", "11:00"]


async def test_the_page_of_a_consultant_lists_bookings_that_no_longer_fit() -> None:
    wanjiru = await add_consultant("Wanjiru")
    await add_consultant("Brian")
    booking = await book_for_caller(person=wanjiru.reference)
    await hire()
    tab = await open_tab(RecordState, f"/admin/consultant?ref={wanjiru.reference}")
    assert {line.label: line.text for line in tab.state.details}["Upcoming"] == "1 booking"
    assert tab.state.related == {"affected": []}
    await tab.run("ask", key="edit")
    await tab.run("run", key="edit", form={**tab.state.draft, "tuesday": "14:00-17:00"})
    (affected,) = tab.state.related["affected"]
    assert (tab.state.done, affected.label) == ("Saved.", booking.reference)
    assert affected.href == f"/admin/booking?ref={booking.reference}"
