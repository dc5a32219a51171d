"""The calendar feed of a trainer: the sessions of the own course runs, and who may read it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from icalendar import Calendar

from agency_site import clock
from agency_site.auth.calendar_links import make_calendar_token
from agency_site.auth.rules import Role
from agency_site.db.engine import session_scope
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs.records import find_run, list_sessions
from agency_site.features.academy.runs.rules import RunStatus
from tests.integration.backoffice.conftest import on_duty
from tests.integration.features.academy.runs import ACTOR, open_run

pytestmark = pytest.mark.usefixtures("database", "noon")

TRAINER = "otieno@mwanga.example"


async def link_of(email: str = TRAINER, role: Role = Role.TRAINER) -> str:
    who = await on_duty(email, role)
    async with session_scope() as session:
        return f"/calendar/{await make_calendar_token(session, who)}"


async def test_the_feed_has_the_sessions_of_the_own_runs(client: httpx.AsyncClient) -> None:
    link = await link_of()
    own = await open_run(trainer_email=TRAINER)
    await open_run()
    answer = await client.get(f"{link}/sessions.ics")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    assert answer.headers["cache-control"] == "no-store"
    events = Calendar.from_ical(answer.content).walk("VEVENT")
    async with session_scope() as session:
        sessions = await list_sessions(session, own.id)
    assert [str(event["UID"]) for event in events] == [
        f"{meeting.reference.lower()}@mwanga.example" for meeting in sessions
    ]
    first: Any = events[0]
    assert (first.start, first.end) == (sessions[0].starts_at, sessions[0].ends_at)
    assert str(first["SUMMARY"]).startswith(own.course_name)
    assert str(first["LOCATION"]) == "https://meet.example.com/ads"
    again = await client.get(f"{link}/sessions.ics", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_sessions_of_a_cancelled_run_and_old_ones_are_left_out(client: httpx.AsyncClient) -> None:
    link = await link_of()
    run = await open_run(trainer_email=TRAINER)
    with clock.frozen(datetime(2027, 1, 19, 15, 30, tzinfo=UTC) + timedelta(days=30)):
        events = Calendar.from_ical((await client.get(f"{link}/sessions.ics")).content).walk("VEVENT")
        async with session_scope() as session:
            assert len(events) == len(await list_sessions(session, run.id)) - 1
    async with session_scope() as session:
        current = await find_run(session, run.reference)
        await runs.change_status(session, run.reference, current.version, RunStatus.CANCELLED, ACTOR)
    assert b"VEVENT" not in (await client.get(f"{link}/sessions.ics")).content


async def test_a_trainer_reads_no_bookings_and_a_stranger_nothing(client: httpx.AsyncClient) -> None:
    link = await link_of()
    assert (await client.get(f"{link}/sessions.ics")).status_code == 200
    for path in (
        f"{link}.ics",
        f"{link}/consultations.ics",
        f"/calendar/{'x' * 43}/sessions.ics",
        "/calendar//sessions.ics",
    ):
        assert (await client.get(path)).status_code == 404


async def test_an_editor_reads_no_sessions(client: httpx.AsyncClient) -> None:
    link = await link_of("editor@mwanga.example", Role.EDITOR)
    assert (await client.get(f"{link}/sessions.ics")).status_code == 404
