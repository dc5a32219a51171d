"""Mails to learners about their run: changes, cancellations and reminders, each sent once."""

import asyncio
from datetime import datetime, timedelta

import pytest
from icalendar import Calendar

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.jobs import remind_learners
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.staff_request import PatternRequest, SessionRequest
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord, SessionRecord
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.form_input import moment_field_value
from tests.integration.features.academy.learners import EMAIL, buy, end_enrolment, list_mails
from tests.integration.features.academy.runs import ACTOR, PATTERN, open_run
from tests.integration.features.academy.test_learners import calendar_of

pytestmark = pytest.mark.usefixtures("database", "noon")

OTIENO = "otieno@example.com"


async def read(run: RunRecord) -> tuple[RunRecord, tuple[SessionRecord, ...]]:
    async with read_scope() as session:
        return await records.find_run(session, run.reference), await records.list_sessions(session, run.id)


async def save(
    run: RunRecord, meeting: SessionRecord | None, starts_at: datetime, topic: str = "Ads"
) -> None:
    now, _ = await read(run)
    form = {"starts_at": moment_field_value(starts_at), "minutes": "120", "topic": topic}
    async with session_scope() as session:
        request = SessionRequest.model_validate(form)
        await runs.save_session(
            session, run.reference, now.version, meeting.id if meeting else None, request, ACTOR
        )


async def cancel(run: RunRecord) -> None:
    now, _ = await read(run)
    async with session_scope() as session:
        await runs.change_status(session, run.reference, now.version, RunStatus.CANCELLED, ACTOR)


async def open_taught_run() -> RunRecord:
    """Store a run with two learners of one order, and one of another order that has ended."""
    run = await open_run()
    token = await buy(2, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-2": "Otieno Wafula", "email-2": OTIENO})
    await buy(1, run.reference, "gone@example.com")
    await end_enrolment(2)
    return run


async def test_every_learner_gets_a_moved_session_as_the_same_calendar_entry_with_a_raised_sequence() -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    await save(run, first, first.starts_at + timedelta(days=1))
    changes = await list_mails("session-changed")
    assert [mail.to for mail in changes] == [EMAIL, OTIENO]
    assert "from Tuesday 12 January 2027, 18:30 to Wednesday 13 January 2027, 18:30" in str(
        changes[0].content
    )
    published = calendar_of((await list_mails("learner-confirmed"))[0]).walk("VEVENT")[0]
    calendar = calendar_of(changes[1])
    (event,) = calendar.walk("VEVENT")
    assert (calendar["METHOD"], event["UID"], event["SEQUENCE"]) == ("REQUEST", published["UID"], 1)
    assert event.decoded("DTSTART") == first.starts_at + timedelta(days=1)
    assert OTIENO in str(event["ATTENDEE"])


async def test_saving_an_unchanged_session_sends_no_mail() -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    await save(run, first, first.starts_at, first.topic)
    after, (same, *_) = await read(run)
    assert (await list_mails("session-changed"), same.sequence, after.version) == ([], 0, run.version)


async def test_changing_a_session_that_is_over_sends_no_mail() -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    with clock.frozen(first.ends_at + timedelta(hours=1)):
        await save(run, first, first.starts_at, "What it was about")
    assert await list_mails("session-changed") == []


async def test_calendar_files_remove_a_removed_session_and_add_a_new_one() -> None:
    run = await open_taught_run()
    _, (*_, last) = await read(run)
    async with session_scope() as session:
        await runs.remove_session(session, run.reference, run.version, last.id, ACTOR)
    await save(run, None, last.starts_at)
    removed, added = [calendar_of(mail) for mail in await list_mails("session-changed") if mail.to == EMAIL]
    assert (removed["METHOD"], added["METHOD"]) == ("CANCEL", "REQUEST")
    (old,), (new,) = removed.walk("VEVENT"), added.walk("VEVENT")
    assert (old["SEQUENCE"], old["STATUS"], new["SEQUENCE"]) == (1, "CANCELLED", 0)
    # Databases reuse ids, but entries in calendars stay, so the reference must be new.
    assert old["UID"] != new["UID"]


async def test_sessions_that_are_generated_again_keep_their_calendar_entries() -> None:
    run = await open_taught_run()
    _, before = await read(run)
    request = PatternRequest.model_validate(
        {**PATTERN, "first_day": "2027-01-13", "weekdays": frozenset({2})}
    )
    async with session_scope() as session:
        await runs.generate_sessions(session, run.reference, run.version, request, ACTOR)
    _, after = await read(run)
    assert [meeting.reference for meeting in after] == [meeting.reference for meeting in before]
    assert {meeting.sequence for meeting in after} == {1}
    assert [mail.to for mail in await list_mails("session-changed")] == [EMAIL, OTIENO]
    events = calendar_of((await list_mails("session-changed"))[0]).walk("VEVENT")
    assert [event.decoded("DTSTART") for event in events] == [meeting.starts_at for meeting in after]


async def test_learners_and_buyers_without_a_place_get_mails_about_a_cancelled_run() -> None:
    run = await open_run()
    token = await buy(1, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-1": "Otieno Wafula", "email-1": OTIENO})
    await buy(1, run.reference, "other@example.com")
    await cancel(run)
    cancellations = await list_mails("run-cancelled")
    assert sorted(mail.to for mail in cancellations) == [EMAIL, "other@example.com", OTIENO]
    learner_mail = next(mail for mail in cancellations if mail.to == OTIENO)
    calendars: list[Calendar] = [calendar_of(learner_mail, number) for number in range(4)]
    assert {(calendar["METHOD"], calendar.walk("VEVENT")[0]["SEQUENCE"]) for calendar in calendars} == {
        ("CANCEL", 1)
    }
    assert next(mail for mail in cancellations if mail.to == EMAIL).attachments == []


async def test_reminders_are_sent_once_a_day_before_and_once_an_hour_before() -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    for before, expected in (
        (timedelta(days=1, seconds=1), 0), (timedelta(days=1), 2), (timedelta(hours=23), 0), (timedelta(hours=1), 2),
        (timedelta(minutes=30), 0), (timedelta(), 0),
    ):  # fmt: skip
        with clock.frozen(first.starts_at - before):
            assert (before, await remind_learners()) == (before, expected)
    assert [mail.to for mail in await list_mails("session-reminder")] == [EMAIL, OTIENO] * 2


async def test_reminders_follow_a_moved_session_and_stop_when_the_run_is_cancelled() -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    with clock.frozen(first.starts_at - timedelta(days=1)):
        assert await remind_learners() == 2
    later = first.starts_at + timedelta(days=2)
    with clock.frozen(first.starts_at - timedelta(hours=20)):
        await save(run, first, later)
    with clock.frozen(first.starts_at - timedelta(hours=1)):
        assert await remind_learners() == 0
    with clock.frozen(later - timedelta(days=1)):
        assert await remind_learners() == 2
        await cancel(run)
    with clock.frozen(later - timedelta(hours=1)):
        assert await remind_learners() == 0


async def test_a_late_job_sends_one_reminder_and_none_for_a_session_that_has_begun() -> None:
    run = await open_taught_run()
    _, (first, second, *_) = await read(run)
    with clock.frozen(first.starts_at - timedelta(minutes=40)):
        assert await remind_learners() == 2
        assert await remind_learners() == 0
    with clock.frozen(second.starts_at + timedelta(minutes=1)):
        assert await remind_learners() == 0


@pytest.mark.each_database
async def test_a_learner_who_is_named_while_a_session_changes_gets_the_new_time() -> None:
    run = await open_taught_run()
    token = await buy(2, run.reference, "more@example.com")
    current, (first, *_) = await read(run)
    moved, form = asyncio.Event(), {"minutes": "120", "topic": "Ads", "starts_at": "2027-01-11T18:30"}
    may_commit = asyncio.Event()

    async def change() -> None:
        async with session_scope() as session:
            request = SessionRequest.model_validate(form)
            await runs.save_session(session, run.reference, current.version, first.id, request, ACTOR)
            moved.set()
            await may_commit.wait()

    async def name() -> None:
        await moved.wait()
        async with session_scope() as session:
            await name_learners(session, token, {"name-2": "Late", "email-2": "late@example.com"})

    changing, naming = asyncio.create_task(change()), asyncio.create_task(name())
    await moved.wait()
    _, waiting = await asyncio.wait([naming], timeout=0.3)
    assert waiting == {naming}
    may_commit.set()
    await asyncio.gather(changing, naming)
    (late,) = [mail for mail in await list_mails("learner-confirmed") if mail.to == "late@example.com"]
    event = calendar_of(late).walk("VEVENT")[0]
    assert (event["SEQUENCE"], event.decoded("DTSTART")) == (1, first.starts_at - timedelta(days=1))
