"""Callbacks of the provider: delivery reports in any order, texts from phones, opt-outs; and short links."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import update
from sqlmodel import col, select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings
from agency_site.sms.rules import LIMITED, TextPurpose, TextState
from agency_site.sms.tables import EarlyReport, SmsMessage
from agency_site.sms.usecases import can_text, give_consent, mark_dead, shorten
from tests.http_clients import PAGE_HEADERS
from tests.integration.sms.conftest import SmsWorld
from tests.integration.sms.messages import (
    NUMBER,
    OTHER,
    build_text,
    deliver_all,
    enqueue,
    find_number,
    list_texts,
)

SUCCESS = {"id": "ATXid_1", "status": "Success", "phoneNumber": NUMBER}
FAILED = {"id": "ATXid_1", "status": "Failed", "phoneNumber": NUMBER, "failureReason": "UserDoesNotExist"}
BUFFERED = {"id": "ATXid_1", "status": "Buffered", "phoneNumber": NUMBER}


async def call(client: httpx.AsyncClient, name: str, fields: dict[str, str], secret: str = "") -> int:
    path = f"/api/sms/{secret or settings().sms_callback_secrets[0]}/{name}"
    return (await client.post(path, data=fields)).status_code


async def store_text(state: TextState, provider_id: str | None = "ATXid_1") -> None:
    identity = await enqueue(build_text())
    values = {"state": state, "provider_id": provider_id, "due_at": None}
    async with session_scope() as session:
        await session.exec(update(SmsMessage).where(col(SmsMessage.id) == identity).values(**values))


async def list_notices() -> list[OutboxMessage]:
    async with read_scope() as session:
        return list(
            (await session.exec(select(OutboxMessage).where(OutboxMessage.kind == "staff-text"))).all()
        )


async def count_early_reports() -> int:
    async with read_scope() as session:
        return len((await session.exec(select(EarlyReport))).all())


@pytest.mark.each_database
@pytest.mark.parametrize(
    ("reports", "state"),
    [
        ([SUCCESS], TextState.DELIVERED),
        ([BUFFERED], TextState.SENT),
        ([SUCCESS, SUCCESS, SUCCESS], TextState.DELIVERED),
        ([SUCCESS, BUFFERED], TextState.DELIVERED),
        ([SUCCESS, FAILED], TextState.DELIVERED),
        ([FAILED, SUCCESS], TextState.FAILED),
        ([FAILED, BUFFERED], TextState.FAILED),
        ([{"id": "ATXid_1", "status": "Dreaming"}], TextState.SENT),
    ],
)
async def test_the_first_final_report_holds(
    client: httpx.AsyncClient, reports: list[dict[str, str]], state: TextState
) -> None:
    await store_text(TextState.SENT)
    for report in reports:
        assert await call(client, "reports", report) == 200
    assert [row.state for row in await list_texts()] == [state]
    assert await count_early_reports() == 0


async def test_a_report_on_the_way_settles_an_unknown_message_as_sent(client: httpx.AsyncClient) -> None:
    await store_text(TextState.UNKNOWN)
    await call(client, "reports", BUFFERED)
    assert [row.state for row in await list_texts()] == [TextState.SENT]


async def test_a_report_about_a_blocked_number_stops_it(client: httpx.AsyncClient) -> None:
    await store_text(TextState.SENT)
    await call(client, "reports", FAILED | {"failureReason": "UserInBlackList"})
    assert [row.state for row in await list_texts()] == [TextState.STOPPED]
    known = await find_number()
    assert known is not None
    assert known.stopped_at is not None
    assert known.failed_at is None


@pytest.mark.each_database
async def test_an_early_report_of_no_message_is_dropped_after_minutes(client: httpx.AsyncClient) -> None:
    await call(client, "reports", SUCCESS)
    await call(client, "reports", SUCCESS)
    assert await count_early_reports() == 1
    with clock.frozen(datetime.now(UTC) + timedelta(minutes=6)):
        await deliver_all()
    assert await count_early_reports() == 0


async def test_an_early_report_never_settles_a_message_to_another_number(client: httpx.AsyncClient) -> None:
    await store_text(TextState.UNKNOWN, None)
    await call(client, "reports", SUCCESS | {"phoneNumber": OTHER})
    await call(client, "reports", {"id": "ATXid_2", "status": "Success"})
    with clock.frozen(datetime.now(UTC) + timedelta(minutes=6)):
        await deliver_all()
    assert [row.state for row in await list_texts()] == [TextState.UNKNOWN]


@pytest.mark.parametrize("name", ["reports", "messages", "opt-outs"])
async def test_a_wrong_secret_is_not_found_and_changes_nothing(client: httpx.AsyncClient, name: str) -> None:
    await store_text(TextState.SENT)
    stop_and_report = SUCCESS | {"from": NUMBER, "text": "STOP"}
    for secret in ("x", "\u00e9", settings().sms_callback_secrets[0][:-1], settings().callback_secret):
        assert await call(client, name, stop_and_report, secret) == 404
    assert [row.state for row in await list_texts()] == [TextState.SENT]
    assert await find_number() is None


async def test_a_chosen_secret_replaces_the_derived_one(
    client: httpx.AsyncClient, configure: Callable[..., object]
) -> None:
    derived = settings().sms_callback_secrets[0]
    configure(sms_callback_secret="a-secret-of-our-own-0123456789abcdef")
    await store_text(TextState.SENT)
    assert await call(client, "reports", SUCCESS, derived) == 404
    assert await call(client, "reports", SUCCESS) == 200
    assert [row.state for row in await list_texts()] == [TextState.DELIVERED]


@pytest.mark.parametrize("fields", [{}, {"id": ""}, {"id": "x" * 81}, {"status": "Success"}])
async def test_a_report_without_a_message_is_accepted(
    client: httpx.AsyncClient, fields: dict[str, str]
) -> None:
    assert await call(client, "reports", fields) == 200
    assert await count_early_reports() == 0


async def test_a_body_that_is_no_form_is_refused(client: httpx.AsyncClient) -> None:
    path = f"/api/sms/{settings().sms_callback_secrets[0]}/reports"
    assert (await client.post(path, content=b"\xff\xfe" * 9)).status_code in {400, 409, 422}
    assert (await client.post(path, content=b"a=" + b"b" * 20_000)).status_code in {400, 409, 413, 422}


@pytest.mark.each_database
@pytest.mark.parametrize("word", ["STOP", "stop.", " Stop! ", "Unsubscribe", "acha", "SIMAMISHA"])
async def test_stop_ends_all_but_what_belongs_to_dealings(client: httpx.AsyncClient, word: str) -> None:
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    incoming = {"id": "1", "from": NUMBER, "to": "22384", "text": word}
    assert await call(client, "messages", incoming) == 200
    assert await call(client, "messages", incoming) == 200
    async with read_scope() as session:
        allowed = [purpose for purpose in TextPurpose if await can_text(session, NUMBER, purpose)]
    assert allowed == list(LIMITED)
    assert await list_notices() == []


@pytest.mark.parametrize(
    "number", ["0712345678", "+0712345678", "712345678", "254712345678", " 254712345678", "0712 345 678"]
)
async def test_a_number_written_in_another_way_is_the_same(client: httpx.AsyncClient, number: str) -> None:
    await call(client, "messages", {"id": "1", "from": number, "text": "STOP"})
    known = await find_number()
    assert known is not None
    assert known.stopped_at is not None
    await call(client, "messages", {"id": "2", "from": number, "text": "START"})
    await call(client, "opt-outs", {"phoneNumber": number})
    known = await find_number()
    assert known is not None
    assert known.stopped_at is not None


def _reply(identity: str, text: str, date: str) -> dict[str, str]:
    return {"id": identity, "from": NUMBER, "text": text, "date": date}


EARLY, LATE = "2026-11-20 09:00:00", "2026-11-20 09:00:07"
S, T = ("1", "START", EARLY), ("2", "STOP", LATE)


@pytest.mark.each_database
@pytest.mark.parametrize(
    ("arrivals", "has_stopped"),
    [
        ([S, T], True),
        ([T, S], True),
        ([S, T, S], True),
        ([T, S, T, S], True),
        ([("1", "START", ""), ("2", "STOP", ""), ("1", "START", "")], True),
        ([("1", "STOP", EARLY), ("2", "START", LATE)], False),
        ([("2", "START", LATE), ("1", "STOP", EARLY)], False),
        ([("1", "STOP", EARLY), ("2", "START", LATE), ("1", "STOP", EARLY)], False),
        ([("2", "START", EARLY), ("1", "STOP", EARLY)], True),
        ([("1", "STOP", EARLY), ("2", "START", EARLY)], True),
        ([("", "STOP", ""), ("", "START", ""), ("", "STOP", "")], True),
        ([("1", "START", "2026-11-20T09:00:00Z"), ("2", "STOP", "2026-11-20T12:00:01+03:00")], True),
    ],
)
async def test_the_later_reply_counts_in_any_order_and_however_often_it_comes(
    client: httpx.AsyncClient, arrivals: list[tuple[str, str, str]], has_stopped: bool
) -> None:
    for arrival in arrivals:
        assert await call(client, "messages", _reply(*arrival)) == 200
    known = await find_number()
    assert known is not None
    assert (known.stopped_at is not None, known.consented_at is not None) == (has_stopped, not has_stopped)


@pytest.mark.usefixtures("database")
async def test_a_dead_number_is_tried_again_after_new_consent_or_some_weeks() -> None:
    async with session_scope() as session:
        await mark_dead(session, NUMBER, "UserDoesNotExist")
        assert not await can_text(session, NUMBER, TextPurpose.TRANSACTION)
        with clock.frozen(clock.now() + timedelta(weeks=5)):
            assert await can_text(session, NUMBER, TextPurpose.TRANSACTION)
        await give_consent(session, NUMBER)
        assert await can_text(session, NUMBER, TextPurpose.TRANSACTION)


async def test_a_delivered_message_revives_a_number(client: httpx.AsyncClient) -> None:
    await store_text(TextState.SENT)
    async with session_scope() as session:
        await mark_dead(session, NUMBER, "InvalidPhoneNumber")
    await call(client, "reports", SUCCESS)
    async with read_scope() as session:
        assert await can_text(session, NUMBER, TextPurpose.TRANSACTION)


async def test_start_consents_again_and_revives_a_dead_number(client: httpx.AsyncClient) -> None:
    async with session_scope() as session:
        await mark_dead(session, NUMBER, "InvalidPhoneNumber")
    await call(client, "messages", {"id": "1", "from": NUMBER, "text": "STOP"})
    await call(client, "messages", {"id": "2", "from": NUMBER, "text": "START"})
    async with read_scope() as session:
        assert [purpose for purpose in TextPurpose if await can_text(session, NUMBER, purpose)] == list(
            TextPurpose
        )


@pytest.mark.each_database
async def test_another_text_goes_to_staff_once(client: httpx.AsyncClient) -> None:
    incoming = {"id": "1", "from": NUMBER, "text": "Cancel my booking on Friday\n\nAsante", "date": "x"}
    for _ in range(3):
        assert await call(client, "messages", incoming) == 200
    [notice] = await list_notices()
    assert notice.subject == "Text message from 0712 345 678"
    assert notice.content["paragraphs"] == ["Cancel my booking on Friday", "Asante"]
    assert await call(client, "messages", incoming | {"id": "2"}) == 200
    assert len(await list_notices()) == 2


@pytest.mark.parametrize("incoming", [{}, {"from": "MPESA", "text": "STOP"}, {"from": NUMBER, "text": ""}])
async def test_a_text_without_number_or_words_goes_to_staff_too(
    client: httpx.AsyncClient, incoming: dict[str, str]
) -> None:
    assert await call(client, "messages", incoming) == 200
    assert len(await list_notices()) == 1


async def test_the_simulator_plays_a_text_from_a_phone(sms: SmsWorld) -> None:
    assert await sms.control.post("incoming") == {"status": 200}


async def test_an_opt_out_at_the_provider_stops_the_number(client: httpx.AsyncClient) -> None:
    # The plus of a number that was not encoded arrives as a space.
    assert await call(client, "opt-outs", {"senderId": "Mwanga", "phoneNumber": f" {NUMBER[1:]}"}) == 200
    assert await call(client, "opt-outs", {"senderId": "Mwanga"}) == 200
    known = await find_number()
    assert known is not None
    assert known.stopped_at is not None


async def test_a_short_link_redirects_and_no_cache_stores_it(client: httpx.AsyncClient) -> None:
    target = "http://localhost:3000/booking/AbC_123-xyz?move"
    async with session_scope() as session:
        address = await shorten(session, target)
    answer = await client.get(address.removeprefix("http://localhost:3000"))
    assert (answer.status_code, answer.headers["location"]) == (303, target)
    typed = await client.get(address.removeprefix("http://localhost:3000").lower())
    assert typed.headers["location"] == target
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("code", ["ABCDEFGHJKMN", "x" * 65, "%00", "\u00e9"])
async def test_an_unknown_short_link_is_a_page_that_helps(client: httpx.AsyncClient, code: str) -> None:
    answer = await client.get(f"/s/{code}", headers=PAGE_HEADERS)
    assert answer.status_code == 404
    assert "This link is unknown or has expired." in answer.text
    assert answer.headers["cache-control"] == "no-store"
