"""Staff move, rename and cancel webinars: people with a seat are notified once."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from agency_site import clock
from agency_site.backoffice.status.tables import ServerProcess
from agency_site.content import webinars
from agency_site.content.entries import Kind
from agency_site.content.published import replace_published
from agency_site.content.webinars import Webinar
from agency_site.db.engine import session_scope
from agency_site.features.webinars.jobs import remind_attendees
from agency_site.features.webinars.rules import REMINDER_BEFORE, RegistrationState, WebinarCancelled
from agency_site.mail.mime import compose_message
from agency_site.mail.tables import OutboxMessage
from tests.example_records import WEBINAR
from tests.integration.features.webinars.test_mail import calendar_of, mails
from tests.integration.features.webinars.test_registrations import (
    FORM,
    cancel,
    find_token,
    list_registrations,
    register,
)
from tests.integration.posted_forms import errors_of, stamped
from tests.integration.publishing import delivered_content, publish, settle

__all__ = ["delivered_content"]

LATER = WEBINAR.date + timedelta(days=7)
ROOM = "https://meet.example/mwanga"
PAGE = f"/webinar/{WEBINAR.id}"
pytestmark = pytest.mark.usefixtures("noon", "no_fill_time", "delivered_content")


async def change(**changes: str) -> Webinar:
    await publish(Kind.WEBINAR, WEBINAR.id, **changes)
    settle()
    webinar = webinars.find(WEBINAR.id)
    assert webinar is not None
    return webinar


async def find_changes() -> list[OutboxMessage]:
    return [*await mails("webinar-changed"), *await mails("webinar-cancelled")]


@pytest.mark.each_database
async def test_registered_people_are_notified_once_of_a_move_by_any_number_of_workers() -> None:
    registration = await register()
    assert await remind_attendees() == 0
    moved = await change(date=f"{LATER}", time="17:00")
    assert sum(await asyncio.gather(*(remind_attendees() for _ in range(4)))) == 1
    assert await remind_attendees() == 0
    (row,) = await find_changes()
    (event,) = calendar_of(compose_message(row))[0].walk("VEVENT")
    assert (row.to, event.decoded("DTSTART"), event["SEQUENCE"]) == ("amina@shop.example", moved.starts_at, 1)
    for words in (moved.day, moved.clock_time, f"/registration/{await find_token(registration.reference)}"):
        assert words in row.text
    (stored,) = await list_registrations()
    assert stored.due_at == moved.starts_at - REMINDER_BEFORE


async def test_a_change_is_not_announced_before_all_processes_show_it() -> None:
    await register()
    await publish(Kind.WEBINAR, WEBINAR.id, date=f"{LATER}")
    assert await remind_attendees() == 0
    settle()
    async with session_scope() as session:
        for number, build in enumerate(("1.0.0", "1.1.0")):
            session.add(
                ServerProcess(
                    id=str(number),
                    host="h",
                    process_id=number,
                    build=build,
                    started_at=clock.now(),
                    seen_at=clock.now(),
                    jobs={},
                    mpesa_answer=0.0,
                    mpesa_failure=0.0,
                )
            )
    assert await remind_attendees() == 0
    async with session_scope() as session:
        await session.delete(await session.get_one(ServerProcess, "0"))
    assert await remind_attendees() == 1


async def test_a_webinar_that_moves_back_is_a_change_again() -> None:
    await register()
    for date in (LATER, WEBINAR.date, LATER):
        await change(date=f"{date}")
        assert await remind_attendees() == 1
    assert len(await find_changes()) == 3


async def test_a_new_room_is_a_change_and_a_new_description_is_none() -> None:
    await register()
    await change(description="Other words about the same hour, in the same room, with the same speaker.")
    assert await remind_attendees() == 0
    await change(room=ROOM)
    assert await remind_attendees() == 1
    (row,) = await find_changes()
    assert ROOM in row.text


async def test_only_people_with_a_seat_are_notified_of_a_change() -> None:
    cancelled = await register(email="brian@shop.example")
    await cancel(cancelled.reference)
    await change(date=f"{LATER}")
    await register(email="late@shop.example")
    assert await remind_attendees() == 0
    assert await find_changes() == []


async def test_a_cancelled_webinar_leaves_calendars_and_takes_no_registrations() -> None:
    for name in ("amina", "brian", "carol"):
        await register(email=f"{name}@shop.example")
    await change(cancelled="yes")
    assert await remind_attendees() == 3
    assert await remind_attendees() == 0
    rows = await mails("webinar-cancelled")
    calendar, kind = calendar_of(compose_message(rows[0]))
    (event,) = calendar.walk("VEVENT")
    assert (len(rows), kind["method"], str(event["STATUS"])) == (3, "CANCEL", "CANCELLED")
    assert {row.due_at for row in await list_registrations()} == {None}
    with pytest.raises(WebinarCancelled):
        await register(email="late@shop.example")
    with clock.frozen(WEBINAR.starts_at - timedelta(hours=1)):
        assert await remind_attendees() == 0


async def test_a_webinar_that_takes_place_after_all_is_announced_and_reminded_again() -> None:
    await register()
    await change(cancelled="yes")
    await remind_attendees()
    await change(cancelled="")
    assert await remind_attendees() == 1
    assert len(await mails("webinar-changed")) == 1
    (row,) = await list_registrations()
    assert (row.state, row.due_at) == (RegistrationState.REGISTERED, WEBINAR.starts_at - REMINDER_BEFORE)


async def test_a_webinar_that_has_begun_changes_without_mail() -> None:
    await register()
    with clock.frozen(WEBINAR.starts_at + timedelta(minutes=1)):
        await change(room=ROOM)
        assert await remind_attendees() == 0


async def test_the_pages_of_a_cancelled_webinar_say_so(visitor: httpx.AsyncClient) -> None:
    registration = await register()
    await change(cancelled="yes")
    answer = await visitor.post(PAGE, data=stamped({**FORM, "email": "late@shop.example"}))
    assert answer.status_code == 422
    assert "This webinar has been cancelled" in answer.text
    own = await visitor.get(f"/registration/{await find_token(registration.reference)}")
    assert "The webinar has been cancelled" in own.text
    assert "Cancel my seat" not in own.text
    assert len(await list_registrations()) == 1


async def test_a_webinar_that_staff_have_added_takes_registrations(visitor: httpx.AsyncClient) -> None:
    added = WEBINAR.model_copy(update={"id": "added-by-staff", "capacity": 1})
    with_it = {Kind.WEBINAR: (*webinars.WEBINARS, added)}
    assert (await visitor.post(added.href, data=stamped({**FORM, "webinar": added.id}))).status_code == 404
    replace_published(with_it)
    answer = await visitor.post(added.href, data=stamped({**FORM, "webinar": added.id}))
    assert answer.status_code == 303, errors_of(answer.text)
    assert [row.webinar for row in await list_registrations()] == [added.id]
