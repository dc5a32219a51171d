"""The screen of busy calendars as staff use it."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.clock import now
from agency_site.db.engine import read_scope
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.admin.busy_calendars.state import BusyCalendars, count_attention
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.features.booking.jobs import read_busy_calendars
from tests.calendar_server import CalendarServer, Reply, calendar_server
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.booking.busy_calendars.test_reading import calendar, store_person
from tests.integration.features.booking.staff import book_for_caller

pytestmark = pytest.mark.usefixtures("database")

NAME = "Google calendar of Wanjiru"


@pytest.fixture
def server(configure: Callable[..., object]) -> Iterator[CalendarServer]:
    configure(calendar_loopback=True)
    with calendar_server() as running:
        yield running


async def open_screen(role: Role = Role.FRONT_DESK) -> Tab:
    await hire(role=role)
    tab = Tab(BusyCalendars, (await enter()).token, "/admin/calendars")
    await tab.run("open_calendars")
    return tab


def filled_in(address: str, **otherwise: str) -> dict[str, str]:
    return {"name": NAME, "address": address, "person": "", **otherwise}


async def attention() -> int:
    async with read_scope() as session:
        return await count_attention(session)


async def test_a_calendar_is_tested_when_it_is_added_and_its_collisions_are_listed(
    server: CalendarServer,
) -> None:
    booking = await book_for_caller()
    tab = await open_screen()
    await tab.run("add_calendar", form=filled_in(server.serve("/a.ics", calendar((9, 12), (14, 15)))))
    assert (tab.back_office.done, tab.back_office.errors) == ("Calendar added. It has 2 busy times.", {})
    (row,) = tab.state.calendars
    assert (row.name, row.server, row.person, row.times, row.verdict) == (
        NAME,
        "localhost/…",
        "Everyone",
        "2",
        "OK",
    )
    (collision,) = tab.state.collisions
    assert (collision.href, collision.calendar) == (f"/admin/booking?ref={booking.reference}", NAME)
    assert await attention() == 1
    async with read_scope() as session:
        filters = {choice.key: choice for choice in BOOKINGS.definition.filters}
        condition = filters["state"].where("collides")  # type: ignore[union-attr]
        assert (await session.exec(select(Booking.reference).where(condition))).all() == [booking.reference]
        entries = (await session.exec(select(AuditEntry).where(AuditEntry.kind == "calendar"))).all()
    assert [(entry.action, NAME in repr(entry), "localhost" in repr(entry)) for entry in entries] == [
        ("calendar.added", False, False)
    ]


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        ({"name": "", "address": ""}, {"name": "Please enter a name", "address": "Please enter the calendar's private"}),
        ({"address": "ftp://example.com/a"}, {"address": "The address has to begin with https://"}),
        ({"address": "https://10.0.0.1/a.ics"}, {"address": "This address is inside a private network"}),
        ({"person": "CO-000000"}, {"person": "This person no longer takes consultations."}),
        ({}, {}),
    ],
)  # fmt: skip
async def test_wrong_input_is_explained_at_its_field_and_nothing_is_stored(
    server: CalendarServer, fields: dict[str, str], problems: dict[str, str]
) -> None:
    tab = await open_screen()
    address = server.serve("/a.ics", calendar())
    await tab.run("add_calendar", form=filled_in(address) | fields)
    errors = tab.back_office.errors
    assert list(errors) == list(problems)
    assert all(errors[name].startswith(text) for name, text in problems.items())
    assert len(tab.state.calendars) == (not problems)
    assert tab.state.saves == (not problems), "the form keeps what was typed"


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(status=404), "There is no calendar at this address."),
        (Reply(b"<html>"), "There is no calendar at this address, but"),
    ],
)  # fmt: skip
async def test_an_address_without_a_calendar_is_explained_at_the_field(
    server: CalendarServer, reply: Reply, text: str
) -> None:
    server.replies["/a.ics"] = reply
    tab = await open_screen()
    await tab.run("add_calendar", form=filled_in(f"{server.origin}/a.ics"))
    assert tab.back_office.errors["address"].startswith(text)
    assert tab.state.calendars == []


async def test_a_calendar_is_read_at_once_and_a_failure_is_shown(server: CalendarServer) -> None:
    tab = await open_screen()
    await tab.run("add_calendar", form=filled_in(server.serve("/a.ics", calendar())))
    assert tab.back_office.done.endswith("It has no busy times in the period that can be booked.")
    server.serve("/a.ics", calendar((9, 10)))
    await tab.run("read_now", identity=tab.state.calendars[0].key)
    assert tab.back_office.done == "Read. It has one busy time."
    server.replies["/a.ics"] = Reply(status=500)
    await tab.run("read_now", identity=tab.state.calendars[0].key)
    assert tab.back_office.problem == "The calendar's server answers with the error 500."
    row = tab.state.calendars[0]
    assert (row.verdict, row.times) == ("Trying again", "1")
    assert row.problem.startswith("The calendar's server answers with the error 500. Failing since ")
    assert await attention() == 0
    with clock.frozen(now() + timedelta(hours=1)):
        await read_busy_calendars()
        await tab.run("refresh")
        assert tab.state.calendars[0].verdict == "Cannot be read"
        assert await attention() == 1


async def test_a_calendar_is_removed_after_a_question(server: CalendarServer) -> None:
    tab = await open_screen()
    await tab.run("add_calendar", form=filled_in(server.serve("/a.ics", calendar((9, 10)))))
    key = tab.state.calendars[0].key
    await tab.run("ask_to_remove", identity=key)
    assert tab.state.question.startswith(f"{NAME} is removed")
    await tab.run("dismiss")
    await tab.run("remove")
    assert len(tab.state.calendars) == 1
    await tab.run("ask_to_remove", identity=key)
    await tab.run("remove")
    assert (tab.state.calendars, tab.state.question, tab.back_office.done) == ([], "", "Removed.")


async def test_persons_can_be_chosen(server: CalendarServer) -> None:
    await store_person("Wanjiru Kamau", 0)
    tab = await open_screen()
    assert [(option.value, option.text) for option in tab.state.persons] == [
        ("", "Please choose"), ("CO-000000", "Wanjiru Kamau"), ("everyone", "Everyone"),
    ]  # fmt: skip
    address = server.serve("/a.ics", calendar())
    await tab.run("add_calendar", form=filled_in(address))
    assert tab.back_office.errors == {"person": "Please choose whose times it closes."}
    await tab.run("add_calendar", form=filled_in(address, name="Agency", person="everyone"))
    assert tab.state.calendars[0].person == "Everyone"
    await tab.run("add_calendar", form=filled_in(server.serve("/a.ics", calendar()), person="CO-000000"))
    assert tab.state.calendars[1].person == "Wanjiru Kamau"


@pytest.mark.parametrize("odd", [None, 7, "", "x" * 5000, "-1", [], {}, {"name": 1}])
async def test_handlers_bear_any_argument(odd: Any) -> None:
    tab = await open_screen()
    for handler, name in (("add_calendar", "form"), ("read_now", "identity"), ("ask_to_remove", "identity")):
        await tab.run(handler, **{name: odd})
    assert (tab.state.question, tab.state.calendars) == ("", [])


async def test_other_roles_see_and_change_nothing(server: CalendarServer) -> None:
    tab = await open_screen(Role.VIEWER)
    await tab.run("add_calendar", form=filled_in(server.serve("/a.ics", calendar())))
    assert tab.back_office.refusal
    async with read_scope() as session:
        assert (await session.exec(select(BusyCalendar))).all() == []
    assert server.requests == []
