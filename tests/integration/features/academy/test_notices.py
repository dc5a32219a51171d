"""What learners are written about their run: changes, cancellations and reminders, each once."""

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
from tests.integration.features.academy.learners import EMAIL, buy, give_back, mails
from tests.integration.features.academy.runs import ACTOR, PATTERN, open_run
from tests.integration.features.academy.test_learners import calendar_of

pytestmark = pytest.mark.usefixtures("database", "noon")

OTIENO = "otieno@example.com"


async def read(run: RunRecord) -> tuple[RunRecord, tuple[SessionRecord, ...]]:
    async with read_scope() as session:
        return await records.find_run(session, run.reference), await records.list_sessions(session, run.id)


async def save(run: RunRecord, one: SessionRecord | None, starts_at: datetime, topic: str = "Ads") -> None:
    now, _ = await read(run)
    form = {"starts_at": moment_field_value(starts_at), "minutes": "120", "topic": topic}
    async with session_scope() as session:
        request = SessionRequest.model_validate(form)
        await runs.save_session(session, run.reference, now.version, one.id if one else None, request, ACTOR)


async def cancel(run: RunRecord) -> None:
    now, _ = await read(run)
    async with session_scope() as session:
        await runs.change_status(session, run.reference, now.version, RunStatus.CANCELLED, ACTOR)


async def taught() -> RunRecord:
    """A run with two learners of one order, and one of another who has given the place back."""
    run = await open_run()
    token = await buy(2, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-2": "Otieno Wafula", "email-2": OTIENO})
    await buy(1, run.reference, "gone@example.com")
    await give_back(2)
    return run


async def test_a_moved_session_is_written_to_every_learner_with_the_same_entry_and_a_raised_sequence() -> (
    None
):
    run = await taught()
    _, (first, *_) = await read(run)
    await save(run, first, first.starts_at + timedelta(days=1))
    sent = await mails("session-changed")
    assert [mail.to for mail in sent] == [EMAIL, OTIENO]
    assert "from Tuesday 12 January 2027, 18:30 to Wednesday 13 January 2027, 18:30" in str(sent[0].content)
    published = calendar_of((await mails("learner-confirmed"))[0]).walk("VEVENT")[0]
    calendar = calendar_of(sent[1])
    (event,) = calendar.walk("VEVENT")
    assert (calendar["METHOD"], event["UID"], event["SEQUENCE"]) == ("REQUEST", published["UID"], 1)
    assert event.decoded("DTSTART") == first.starts_at + timedelta(days=1)
    assert OTIENO in str(event["ATTENDEE"])


async def test_saving_a_session_as_it_is_writes_to_nobody() -> None:
    run = await taught()
    _, (first, *_) = await read(run)
    await save(run, first, first.starts_at, first.topic)
    after, (same, *_) = await read(run)
    assert (await mails("session-changed"), same.sequence, after.version) == ([], 0, run.version)


async def test_a_session_that_is_over_concerns_nobody_any_more() -> None:
    run = await taught()
    _, (first, *_) = await read(run)
    with clock.frozen(first.ends_at + timedelta(hours=1)):
        await save(run, first, first.starts_at, "What it was about")
    assert await mails("session-changed") == []


async def test_a_removed_session_is_taken_out_of_the_calendars_and_a_new_one_put_in() -> None:
    run = await taught()
    _, (*_, last) = await read(run)
    async with session_scope() as session:
        await runs.remove_session(session, run.reference, run.version, last.id, ACTOR)
    await save(run, None, last.starts_at)
    removed, added = [calendar_of(mail) for mail in await mails("session-changed") if mail.to == EMAIL]
    assert (removed["METHOD"], added["METHOD"]) == ("CANCEL", "REQUEST")
    (gone,), (new,) = removed.walk("VEVENT"), added.walk("VEVENT")
    assert (gone["SEQUENCE"], gone["STATUS"], new["SEQUENCE"]) == (1, "CANCELLED", 0)
    # Databases use ids again; entries in calendars are for ever.
    assert gone["UID"] != new["UID"]


async def test_generated_anew_the_sessions_keep_their_entries() -> None:
    run = await taught()
    _, before = await read(run)
    request = PatternRequest.model_validate(
        {**PATTERN, "first_day": "2027-01-13", "weekdays": frozenset({2})}
    )
    async with session_scope() as session:
        await runs.generate_sessions(session, run.reference, run.version, request, ACTOR)
    _, after = await read(run)
    assert [one.reference for one in after] == [one.reference for one in before]
    assert {one.sequence for one in after} == {1}
    assert [mail.to for mail in await mails("session-changed")] == [EMAIL, OTIENO]
    events = calendar_of((await mails("session-changed"))[0]).walk("VEVENT")
    assert [event.decoded("DTSTART") for event in events] == [one.starts_at for one in after]


async def test_a_cancelled_run_is_written_to_learners_and_to_buyers_who_are_none() -> None:
    run = await open_run()
    token = await buy(1, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-1": "Otieno Wafula", "email-1": OTIENO})
    await buy(1, run.reference, "other@example.com")
    await cancel(run)
    sent = await mails("run-cancelled")
    assert sorted(mail.to for mail in sent) == [EMAIL, "other@example.com", OTIENO]
    mine = next(mail for mail in sent if mail.to == OTIENO)
    calendars: list[Calendar] = [calendar_of(mine, number) for number in range(4)]
    assert {(one["METHOD"], one.walk("VEVENT")[0]["SEQUENCE"]) for one in calendars} == {("CANCEL", 1)}
    assert next(mail for mail in sent if mail.to == EMAIL).attachments == []


async def test_reminders_leave_a_day_and_an_hour_before_and_only_once() -> None:
    run = await taught()
    _, (first, *_) = await read(run)
    for before, expected in (
        (timedelta(days=1, seconds=1), 0), (timedelta(days=1), 2), (timedelta(hours=23), 0), (timedelta(hours=1), 2),
        (timedelta(minutes=30), 0), (timedelta(), 0),
    ):  # fmt: skip
        with clock.frozen(first.starts_at - before):
            assert (before, await remind_learners()) == (before, expected)
    assert [mail.to for mail in await mails("session-reminder")] == [EMAIL, OTIENO] * 2


async def test_a_moved_session_is_reminded_of_at_its_new_time_and_a_cancelled_one_not_at_all() -> None:
    run = await taught()
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


async def test_a_late_job_reminds_once_and_of_nothing_that_has_begun() -> None:
    run = await taught()
    _, (first, second, *_) = await read(run)
    with clock.frozen(first.starts_at - timedelta(minutes=40)):
        assert await remind_learners() == 2
        assert await remind_learners() == 0
    with clock.frozen(second.starts_at + timedelta(minutes=1)):
        assert await remind_learners() == 0


async def test_whoever_is_named_while_a_session_changes_gets_the_new_time() -> None:
    run = await taught()
    token = await buy(2, run.reference, "more@example.com")
    current, (first, *_) = await read(run)
    moved, form = asyncio.Event(), {"minutes": "120", "topic": "Ads", "starts_at": "2027-01-11T18:30"}
    goes_on = asyncio.Event()

    async def change() -> None:
        async with session_scope() as session:
            request = SessionRequest.model_validate(form)
            await runs.save_session(session, run.reference, current.version, first.id, request, ACTOR)
            moved.set()
            await goes_on.wait()

    async def name() -> None:
        await moved.wait()
        async with session_scope() as session:
            await name_learners(session, token, {"name-2": "Late", "email-2": "late@example.com"})

    changing, naming = asyncio.create_task(change()), asyncio.create_task(name())
    await moved.wait()
    _, waiting = await asyncio.wait([naming], timeout=0.3)
    assert waiting == {naming}
    goes_on.set()
    await asyncio.gather(changing, naming)
    (late,) = [mail for mail in await mails("learner-confirmed") if mail.to == "late@example.com"]
    event = calendar_of(late).walk("VEVENT")[0]
    assert (event["SEQUENCE"], event.decoded("DTSTART")) == (1, first.starts_at - timedelta(days=1))
