"""Text messages to learners and to people on waiting lists."""

from datetime import datetime, timedelta

import httpx
import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.jobs import offer_freed_places, remind_learners
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.runs.records import RunRecord
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.staff_usecases import choose_channel
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import find_link_target, give_consent
from tests.conftest import FRIDAY_NOON
from tests.integration.features.academy.learners import (
    EMAIL,
    buy,
    end_enrolment,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import ACTOR, open_run
from tests.integration.features.academy.test_notices import cancel, read, save
from tests.integration.features.academy.waiting import fill_run, find_token, list_entries
from tests.integration.posted_forms import stamped
from tests.integration.sms.messages import find_number, list_texts

pytestmark = pytest.mark.usefixtures("database", "noon")
OTIENO, NUMBER, BUYERS_NUMBER = "otieno@example.com", "+254722000111", "+254712345111"
NAMED = {"name-2": "Otieno Wafula", "email-2": OTIENO, "phone-2": "0722 000 111"}


async def name(token: str, **changes: str) -> None:
    async with session_scope() as session:
        await name_learners(session, token, NAMED | changes)


async def open_taught_run() -> RunRecord:
    """Store a run with the buyer and a named learner, who both have a number."""
    run = await open_run()
    await name(await buy(2, run.reference))
    return run


async def join_list(visitor: httpx.AsyncClient, run: RunRecord, **fields: str) -> httpx.Response:
    """Post the form of the waiting list a minute after it was opened."""
    form = stamped({"fullName": "Otieno Wafula", "email": OTIENO, "places": "1", **fields})
    with clock.frozen(FRIDAY_NOON + timedelta(minutes=1)):
        return await visitor.post(f"/waiting-list/{run.reference}", data=form)


async def find_page(text: SmsMessage) -> str:
    """Return the address to which the short link of a text message leads."""
    async with read_scope() as session:
        return await find_link_target(session, text.text.rpartition("/s/")[2])


async def test_a_named_learner_gets_their_link_by_text_message_too_and_the_buyer_has_the_number_of_the_order() -> (
    None
):
    await open_taught_run()
    assert [learner.phone for learner in await list_learners()] == [BUYERS_NUMBER, NUMBER]
    (text,) = await list_texts()
    assert (text.kind, text.to, text.about) == ("place-named", NUMBER, (await list_learners())[1].reference)
    assert (await find_page(text)).endswith(f"/learner/{await find_link(1)}")
    assert [mail.to for mail in await list_mails("learner-confirmed")] == [EMAIL, OTIENO]


async def test_naming_the_same_learner_again_sends_nothing_and_a_new_number_is_stored() -> None:
    run = await open_run()
    token = await buy(2, run.reference)
    await name(token)
    await name(token)
    await name(token, **{"phone-2": "0733 111 222", "sms-2": "yes"})
    assert (await list_learners())[1].phone == "+254733111222"
    assert len(await list_texts()) == 1
    consented = await find_number("+254733111222")
    assert consented is not None
    assert consented.consented_at == FRIDAY_NOON
    assert await find_number(NUMBER) is None


async def test_a_wrong_number_is_refused_at_its_field(visitor: httpx.AsyncClient) -> None:
    token = await buy(2)
    page = await visitor.post(f"/order/{token}/learners", data=NAMED | {"phone-2": "12"})
    assert page.status_code == 422
    assert 'id="learners-phone-2-error"' in page.text
    assert "valid phone number" in page.text
    assert 'value="12"' in page.text


async def test_a_moved_session_is_announced_to_the_numbers_of_all_learners() -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    await save(run, first, first.starts_at + timedelta(days=1))
    texts = [text for text in await list_texts() if text.kind == "session-changed"]
    assert [text.to for text in texts] == [BUYERS_NUMBER, NUMBER]
    assert "has moved to Wednesday 13 January 2027, 18:30" in texts[0].text
    assert [mail.to for mail in await list_mails("session-changed")] == [EMAIL, OTIENO]


async def test_a_cancelled_run_is_announced_by_the_chosen_channel() -> None:
    async with session_scope() as session:
        await choose_channel(session, NoticeKind.SESSION_CHANGED, 0, Channel.SMS, ACTOR)
    run = await open_taught_run()
    await cancel(run)
    texts = [text for text in await list_texts() if text.kind == "session-changed"]
    assert (len(texts), await list_mails("run-cancelled")) == (2, [])
    assert "is cancelled" in texts[0].text


async def test_one_hour_before_a_session_those_who_agreed_get_its_link_by_text_message() -> None:
    run = await open_taught_run()
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    _, (first, *_) = await read(run)
    with clock.frozen(first.starts_at - timedelta(days=1)) as move:
        assert await remind_learners() == 2
        assert len(await list_texts()) == 1
        move(first.starts_at - timedelta(hours=1))
        assert await remind_learners() == 2
        assert await remind_learners() == 0
    (text,) = [text for text in await list_texts() if text.kind == "session-soon"]
    assert (text.to, text.expires_at) == (NUMBER, first.starts_at)
    assert (await find_page(text)).endswith(f"/learner/{await find_link(1)}")
    assert len(await list_mails("session-reminder")) == 4


async def test_a_place_is_offered_by_text_message_with_the_link_that_takes_it(
    visitor: httpx.AsyncClient,
) -> None:
    run = await fill_run()
    joined = await join_list(visitor, run, phone="0722 000 111", smsReminders="yes")
    assert joined.status_code == 303
    (entry,) = await list_entries()
    assert entry.phone == NUMBER
    assert "+254722000111" in (await visitor.get(f"/waiting/{await find_token()}")).text
    await visitor.post(f"/waiting/{await find_token()}/confirm")
    await end_enrolment()
    assert await offer_freed_places() == 1
    (text,) = await list_texts()
    assert (text.kind, text.to, text.about) == ("waiting-offer", NUMBER, entry.reference)
    assert (await find_page(text)).endswith(f"&place={await find_token()}")
    number = await find_number(NUMBER)
    assert number is not None
    assert number.consented_at is not None


async def test_until_the_address_is_confirmed_the_newest_number_counts(visitor: httpx.AsyncClient) -> None:
    run = await fill_run()
    for phone in ("0722 000 111", ""):
        assert (await join_list(visitor, run, phone=phone)).status_code == 303
    assert [entry.phone for entry in await list_entries()] == [""]
    await visitor.post(f"/waiting/{await find_token()}/confirm")
    await join_list(visitor, run, phone="0722 000 111")
    assert [entry.phone for entry in await list_entries()] == [""]


NIGHT = FRIDAY_NOON + timedelta(hours=14)
"""02:00 in Nairobi."""
MORNING = FRIDAY_NOON + timedelta(hours=19)
"""07:00, the end of quiet hours."""


async def test_the_time_of_an_offer_that_is_made_at_night_begins_with_its_text_in_the_morning(
    visitor: httpx.AsyncClient,
) -> None:
    run = await fill_run()
    await join_list(visitor, run, phone="0722 000 111")
    await visitor.post(f"/waiting/{await find_token()}/confirm")
    await end_enrolment()
    with clock.frozen(NIGHT):
        assert await offer_freed_places() == 1
    (text,), (entry,), (mail,) = await list_texts(), await list_entries(), await list_mails("waiting-offer")
    assert (text.due_at, mail.created_at) == (MORNING, NIGHT)
    assert entry.reserved_until == text.expires_at == MORNING + timedelta(hours=48)
    assert "until Monday 23 November 2026, 07:00" in text.text
    assert "until Monday 23 November 2026, 07:00" in mail.to_message().paragraphs[1]


@pytest.mark.parametrize(("days", "due_at"), [(1, NIGHT), (2, MORNING)])
async def test_at_night_a_moved_session_is_texted_at_once_only_if_it_begins_before_the_morning(
    days: int, due_at: datetime
) -> None:
    run = await open_taught_run()
    _, (first, *_) = await read(run)
    early = MORNING - timedelta(minutes=30)
    with clock.frozen(NIGHT - timedelta(days=1)):
        await save(run, first, early + timedelta(days=days - 1))
    before = len(await list_texts())
    _, (first, *_) = await read(run)
    with clock.frozen(NIGHT):
        await save(run, first, FRIDAY_NOON + timedelta(days=5))
    assert {text.due_at for text in (await list_texts())[before:]} == {due_at}
