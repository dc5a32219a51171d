"""What may be sent to a number, consent and STOP, and short links."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.sms.rules import LIMITED, TextPurpose, TextState
from agency_site.sms.tables import ShortLink
from agency_site.sms.usecases import (
    can_text,
    count_limited,
    enqueue_texts,
    find_link_target,
    give_consent,
    mark_dead,
    mark_reachable,
    shorten,
    stop,
)
from tests.integration.sms.messages import BRITISH, NUMBER, OTHER, build_text, enqueue, list_texts


@pytest.mark.usefixtures("database")
@pytest.mark.each_database
async def test_a_message_is_stored_once_for_its_key() -> None:
    assert await enqueue(build_text(), key="one") is not None
    assert await enqueue(build_text(), key="one") is None
    [row] = await list_texts()
    assert (row.state, row.to, row.parts) == (TextState.QUEUED, NUMBER, 1)
    assert row.due_at is not None
    assert row.search == "+254712345678 bk-7f3k9q booking-confirmed 0712345678"


@pytest.mark.usefixtures("database")
async def test_typographic_characters_become_plain_so_that_the_message_fits_into_one_part() -> None:
    await enqueue(build_text(text="Wanjirũ\u2019s consultation \u2013 " + "x" * 60))
    [row] = await list_texts()
    assert row.text == "Wanjiru's consultation - " + "x" * 60
    assert row.parts == 1


@pytest.mark.usefixtures("database")
async def test_several_messages_are_stored_without_those_that_may_not_be_sent() -> None:
    keyed = {
        "one": build_text(),
        "two": build_text(to=BRITISH),
        "three": build_text(TextPurpose.REMINDER, to=OTHER),
        "four": build_text(TextPurpose.STAFF, to=OTHER),
    }
    async with session_scope() as session:
        await enqueue_texts(session, keyed)
        await enqueue_texts(session, keyed)
        await enqueue_texts(session, {})
    assert [row.key for row in await list_texts()] == ["one", "four"]


@pytest.mark.usefixtures("database")
@pytest.mark.each_database
async def test_reminders_need_consent_and_stop_ends_all_but_what_belongs_to_dealings() -> None:
    async def allowed() -> set[TextPurpose]:
        async with read_scope() as session:
            return {purpose for purpose in TextPurpose if await can_text(session, NUMBER, purpose)}

    assert await allowed() == {*LIMITED, TextPurpose.STAFF}
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    assert await allowed() == set(TextPurpose)
    async with session_scope() as session:
        await stop(session, NUMBER)
    assert await allowed() == {*LIMITED}
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    assert await allowed() == set(TextPurpose)


@pytest.mark.usefixtures("database")
async def test_a_number_that_fails_for_good_gets_nothing_until_a_message_comes_from_it() -> None:
    async with session_scope() as session:
        await mark_dead(session, NUMBER, "InvalidPhoneNumber")
    assert await enqueue(build_text()) is None
    async with session_scope() as session:
        await mark_reachable(session, NUMBER)
    assert await enqueue(build_text()) is not None


@pytest.mark.usefixtures("database")
async def test_numbers_outside_kenya_get_messages_only_by_setting(configure: Callable[..., object]) -> None:
    assert await enqueue(build_text(to=BRITISH)) is None
    assert await enqueue(build_text(to="+254202345678")) is None
    assert await enqueue(build_text(to="")) is None
    configure(sms_foreign_numbers=True)
    assert await enqueue(build_text(to=BRITISH)) is not None


@pytest.mark.usefixtures("database")
async def test_a_number_gets_a_limited_number_of_transactions_a_day(
    configure: Callable[..., object], noon: datetime
) -> None:
    configure(sms_per_number_day=2)
    assert [await enqueue(build_text()) is not None for _ in range(3)] == [True, True, False]
    assert await enqueue(build_text(to=OTHER)) is not None
    assert await enqueue(build_text(TextPurpose.STAFF)) is not None
    with clock.frozen(noon + timedelta(hours=25)):
        assert await enqueue(build_text()) is not None


@pytest.mark.usefixtures("database")
async def test_quiet_hours_delay_what_can_wait_and_drop_what_is_useless_by_then() -> None:
    evening = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)
    morning = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    with clock.frozen(evening):
        await enqueue(build_text())
        await enqueue(build_text(TextPurpose.STAFF))
        await enqueue(build_text(TextPurpose.REMINDER, useless_after=morning + timedelta(minutes=30)))
        useless = build_text(TextPurpose.REMINDER, useless_after=morning - timedelta(hours=1))
        assert await enqueue(useless) is None
    assert [row.due_at for row in await list_texts()] == [evening, morning, morning]


@pytest.mark.usefixtures("database")
async def test_without_a_provider_production_keeps_messages(configure: Callable[..., object]) -> None:
    configure(env="production")
    await enqueue(build_text())
    [row] = await list_texts()
    assert (row.state, row.due_at) == (TextState.KEPT, None)


@pytest.mark.usefixtures("database")
@pytest.mark.each_database
async def test_a_short_link_leads_to_its_target_until_it_expires(noon: datetime) -> None:
    target = "http://localhost:3000/booking/manage/AbC_123?x=1"
    async with session_scope() as session:
        address = await shorten(session, target)
        assert address.startswith("http://localhost:3000/s/")
        code = address.rpartition("/")[2]
        assert await find_link_target(session, code) == target
        assert await find_link_target(session, code.lower()) == target
        assert await find_link_target(session, "") == ""
        [row] = (await session.exec(select(ShortLink))).all()
        assert code not in row.code_hash
    with clock.frozen(noon + timedelta(days=121)):
        async with read_scope() as session:
            assert await find_link_target(session, code) == ""


@pytest.mark.usefixtures("database", "noon")
@pytest.mark.each_database
async def test_the_whole_site_sends_a_limited_number_of_transactions_a_day_and_nothing_else_is_limited(
    configure: Callable[..., object], noon: datetime
) -> None:
    configure(sms_site_day=3)
    for number in range(5):
        await enqueue(build_text(to=f"+25471234500{number}"))
    assert len(await list_texts()) == 3
    async with session_scope() as session:
        await give_consent(session, NUMBER)
        assert await count_limited(session) == 3
        allowed = {purpose for purpose in TextPurpose if await can_text(session, NUMBER, purpose)}
    assert allowed == {TextPurpose.REMINDER, TextPurpose.STAFF}
    with clock.frozen(noon + timedelta(hours=25)):
        assert await enqueue(build_text()) is not None
