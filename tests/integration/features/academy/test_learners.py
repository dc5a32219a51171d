"""Learners of an order: stored with the enrolment, named and replaced by the buyer, erased on request."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest
from icalendar import Calendar

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.academy.learners.naming import OrderPlaces, find_places, name_learners
from agency_site.features.academy.learners.usecases import find_learner
from agency_site.features.academy.personal_data import LEARNERS, erase_learner, expire
from agency_site.mail.tables import OutboxMessage
from tests.conftest import FRIDAY_NOON
from tests.integration.features.academy.learners import (
    BUYER,
    EMAIL,
    buy,
    end_enrolment,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import open_run

pytestmark = pytest.mark.usefixtures("database", "noon")

THREE = {
    "name-1": BUYER, "email-1": EMAIL, "name-2": "Otieno Wafula", "email-2": "otieno@example.com",
    "name-3": "", "email-3": "",
}  # fmt: skip


async def name(token: str, form: Mapping[str, str]) -> OrderPlaces:
    async with session_scope() as session:
        return await name_learners(session, token, form)


async def list_names() -> list[tuple[str, str]]:
    return [(learner.fullname, learner.email) for learner in await list_learners()]


def calendar_of(mail: OutboxMessage, number: int = 0) -> Calendar:
    return Calendar.from_ical(b64decode(mail.attachments[number]["content"]))


async def test_the_buyer_has_the_first_place_and_the_others_have_no_name_yet() -> None:
    await buy(3)
    rows = await list_learners()
    assert [learner.number for learner in rows] == [1, 2, 3]
    assert [(learner.fullname, learner.email) for learner in rows] == [(BUYER, EMAIL), ("", ""), ("", "")]
    assert len({learner.reference for learner in rows}) == 3
    assert all(learner.reference.startswith("LN-") for learner in rows)
    # Without dates, the confirmation of the order is enough.
    assert await list_mails() == []


async def test_a_buyer_in_a_run_gets_its_dates_with_a_calendar_file() -> None:
    run = await open_run()
    await buy(run=run.reference)
    (mail,) = await list_mails("learner-confirmed")
    assert (mail.to, mail.about) == (EMAIL, (await list_learners())[0].reference)
    assert ["Session 1", "Tuesday 12 January 2027, 18:30, Nairobi time"] in mail.content["facts"]
    calendar = calendar_of(mail)
    events = list(calendar.walk("VEVENT"))
    assert (calendar["METHOD"], len(events)) == ("PUBLISH", 4)
    assert len({event["UID"] for event in events}) == 4
    assert {event["SEQUENCE"] for event in events} == {0}
    assert all("ATTENDEE" not in event for event in events)


async def test_the_buyer_names_learners_now_and_later_and_each_gets_one_mail() -> None:
    run = await open_run()
    token = await buy(3, run.reference)
    await name(token, THREE)
    assert await list_names() == [(BUYER, EMAIL), ("Otieno Wafula", "otieno@example.com"), ("", "")]
    # Submitting the same form again changes nothing.
    await name(token, THREE)
    await name(token, {"name-3": "Wambui", "email-3": "wambui@example.com"})
    assert [mail.to for mail in await list_mails("learner-confirmed")] == [
        EMAIL, "otieno@example.com", "wambui@example.com",
    ]  # fmt: skip
    assert len(await list_mails()) == 3


async def test_errors_are_next_to_their_fields_and_store_nothing() -> None:
    token = await buy(3)
    wrong = {**THREE, "email-2": "otieno", "name-3": "Wambui"}
    with pytest.raises(InputRejected) as rejected:
        await name(token, wrong)
    assert set(rejected.value.by_field()) == {"email-2", "email-3"}
    with pytest.raises(InputRejected) as rejected:
        await name(token, {**THREE, "email-2": EMAIL.upper()})
    assert set(rejected.value.by_field()) == {"email-2"}
    with pytest.raises(InputRejected) as rejected:
        await name(token, {"name-3": "Amina's sister", "email-3": EMAIL})
    assert set(rejected.value.by_field()) == {"email-3"}
    assert await list_names() == [(BUYER, EMAIL), ("", ""), ("", "")]


async def test_a_person_who_takes_over_a_place_gets_a_link_and_the_old_link_stops_working() -> None:
    run = await open_run()
    token = await buy(1, run.reference)
    old = await find_link()
    await name(token, {"name-1": "Otieno Wafula", "email-1": "otieno@example.com"})
    async with read_scope() as session:
        with pytest.raises(NotFound):
            await find_learner(session, old)
        view = await find_learner(session, await find_link())
    assert (view.learner.fullname, len(view.course.sessions)) == ("Otieno Wafula", 4)
    (notice,) = await list_mails("learner-replaced")
    assert notice.to == EMAIL
    calendars = [calendar_of(notice, number) for number in range(4)]
    assert {calendar["METHOD"] for calendar in calendars} == {"CANCEL"}
    published = calendar_of((await list_mails("learner-confirmed"))[0]).walk("VEVENT")
    assert [calendar.walk("VEVENT")[0]["UID"] for calendar in calendars] == [
        event["UID"] for event in published
    ]


async def test_a_corrected_name_keeps_the_link_and_sends_no_mail() -> None:
    token = await buy()
    old = await find_link()
    await name(token, {"name-1": "Amina W. Odhiambo", "email-1": EMAIL})
    assert (await list_names(), await find_link(), await list_mails()) == (
        [("Amina W. Odhiambo", EMAIL)],
        old,
        [],
    )


async def test_until_the_deadline_learners_can_be_replaced_and_later_only_named(
    configure: Callable[..., object],
) -> None:
    configure(learner_changes_until_hours=48)
    run = await open_run()
    token = await buy(2, run.reference)
    with clock.frozen(run.starts_at - timedelta(hours=48)):
        with pytest.raises(InputRejected) as rejected:
            await name(token, {"name-1": "Otieno", "email-1": "otieno@example.com"})
        assert "too late" in rejected.value.by_field()["email-1"]
        with pytest.raises(InputRejected):
            await name(token, {"name-1": "", "email-1": ""})
        await name(
            token,
            {"name-1": "Amina W", "email-1": EMAIL, "name-2": "Otieno", "email-2": "otieno@example.com"},
        )
    assert await list_names() == [("Amina W", EMAIL), ("Otieno", "otieno@example.com")]


async def test_learners_of_ended_places_cannot_be_named() -> None:
    token = await buy(2)
    old = await find_link()
    await end_enrolment()
    with pytest.raises(Conflict, match="have ended"):
        await name(token, THREE)
    async with read_scope() as session:
        with pytest.raises(Conflict):
            await find_places(session, token)
        with pytest.raises(NotFound):
            await find_places(session, token[:-1])
        assert (await find_learner(session, old)).course.has_ended


async def test_naming_learners_again_and_again_sends_a_stranger_few_mails(
    configure: Callable[..., object],
) -> None:
    configure(mails_per_recipient_hour=2)
    token = await buy()
    for number in range(5):
        await name(token, {"name-1": "A", "email-1": f"victim+{number}@example.com"})
    assert len(await list_mails("learner-confirmed")) == 2
    assert len(await list_mails("learner-replaced")) <= 3


async def test_a_learner_is_exported_and_erased_by_their_address() -> None:
    run = await open_run()
    token = await buy(2, run.reference)
    await name(token, THREE | {"name-3": "", "email-3": ""})
    old = await find_link(1)
    async with read_scope() as session:
        (record,) = await LEARNERS.export(session, "OTIENO@example.com", "")
    assert (record["record"], record["fullname"], record["run"]) == (
        "learner",
        "Otieno Wafula",
        run.reference,
    )
    assert "token_hash" not in record
    async with session_scope() as session:
        assert await LEARNERS.erase(session, "otieno@example.com", "", "wanjiku@example.com") == 1
    assert await list_names() == [(BUYER, EMAIL), ("", "")]
    assert "otieno" not in str([(mail.to, mail.content, mail.search) for mail in await list_mails()])
    assert "otieno" not in str((await list_learners())[1].search)
    async with read_scope() as session:
        with pytest.raises(NotFound):
            await find_learner(session, old)


async def test_erasing_a_buyer_erases_only_their_own_place_in_that_order() -> None:
    await buy(2)
    await buy(1)
    async with session_scope() as session:
        await erase_learner(session, 1, EMAIL, "retention")
    assert await list_names() == [("", ""), ("", ""), (BUYER, EMAIL)]


async def test_learners_expire_some_time_after_their_run() -> None:
    run = await open_run()
    await buy(run=run.reference)
    await buy()

    async def erased(before: timedelta) -> int:
        async with session_scope() as session:
            return await expire(session, FRIDAY_NOON + before, 20)

    assert [await erased(timedelta(days=days)) for days in (0, 1, 1)] == [0, 1, 0]
    ended = run.ends_at - FRIDAY_NOON
    assert [await erased(ended), await erased(ended + timedelta(seconds=1))] == [0, 1]
