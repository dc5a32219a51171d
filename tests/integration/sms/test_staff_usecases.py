"""Staff write, preview and resend text messages."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlmodel import col, select, update

from agency_site import clock
from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.texts.messages import TEXTS
from agency_site.content.staff_texts import LINK
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.settings import Settings, settings
from agency_site.sms.outcomes import PATIENCE
from agency_site.sms.redaction import HIDDEN, hide_links
from agency_site.sms.rules import TextMessage, TextPurpose, TextState
from agency_site.sms.staff_usecases import (
    FROM_STAFF,
    StaffMessage,
    explain_no_resend,
    explain_refusal,
    find_copy,
    find_original,
    is_unresolved_failure,
    measure_text,
    send_text,
)
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import enqueue_text, find_link_target, give_consent, mark_dead, stop
from tests import records
from tests.statements import plans_of

pytestmark = pytest.mark.usefixtures("database", "noon")

STAFF, NUMBER, BRITISH = "wanjiku@mwanga.example", "+254712345678", "+447911123456"
PRIVATE = f"{settings().site_url}/booking/" + "t" * 43


async def send(text: str = "Please call us.", to: str = NUMBER, link: str = "") -> SmsMessage:
    values = {"name": "Amina {link} Wanjiru", "reference": "BK-7F3K9Q"} | ({"link": link} if link else {})
    async with session_scope() as session:
        return await send_text(session, StaffMessage(to, text, values, "BK-7F3K9Q"), STAFF)


async def resend(identity: int | None) -> None:
    await records.act(TEXTS, "resend", str(identity), STAFF)


async def list_rows() -> list[SmsMessage]:
    async with read_scope() as session:
        return list(await session.exec(select(SmsMessage).order_by(col(SmsMessage.id))))


async def end(row: SmsMessage, state: TextState, **values: object) -> None:
    async with session_scope() as session:
        changes = {"state": state, "due_at": None, **values}
        await session.exec(update(SmsMessage).where(col(SmsMessage.id) == row.id).values(**changes))


async def count_failed() -> int:
    async with read_scope() as session:
        return await attention_count(session, TEXTS.definition)


@pytest.mark.each_database
async def test_a_written_message_is_queued_with_its_writer() -> None:
    entry = await send()
    [row] = await list_rows()
    assert (row.kind, row.to, row.text, row.about) == (FROM_STAFF, NUMBER, "Please call us.", "BK-7F3K9Q")
    assert (row.purpose, row.requested_by, row.state) == (TextPurpose.STAFF, STAFF, TextState.QUEUED)
    assert entry.id == row.id


async def test_the_private_link_goes_out_short_and_staff_read_neither_form_of_it() -> None:
    row = await send(f"See {LINK} and {LINK} again.", link=PRIVATE)
    assert hide_links(row.text) == f"See {HIDDEN} and {HIDDEN} again."
    short = row.text.split()[1]
    assert short.startswith(f"{settings().site_url}/s/")
    assert len(short) < len(PRIVATE)
    async with read_scope() as session:
        assert await find_link_target(session, short.rpartition("/")[2]) == PRIVATE


async def test_the_length_of_a_text_counts_the_short_link() -> None:
    await send(f"See: {LINK}", link=PRIVATE)
    [row] = await list_rows()
    assert measure_text(f"See: {LINK}", {"link": PRIVATE}).characters == len(row.text)
    assert measure_text(f"See: {LINK}", {}).characters == len("See: {link}") + 2


async def test_placeholders_go_out_with_their_values_which_count_for_the_length() -> None:
    typed = "Hello {name}, see you. {reference}"
    await send(typed)
    [row] = await list_rows()
    assert row.text == "Hello Amina {link} Wanjiru, see you. BK-7F3K9Q"
    values = {"name": "Amina Wanjiru", "reference": "BK-7F3K9Q"}
    assert measure_text(typed, values).characters == len("Hello Amina Wanjiru, see you. BK-7F3K9Q")
    assert measure_text("{name}", {"name": "x" * 161}).parts == 2
    with pytest.raises(InputRejected, match="too long"):
        await send("{name}" * 40)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"See {LINK}", r"known ones are: \{name\}, \{reference\}\."),
        ("Hello {nmae}", r"known ones are: \{name\}, \{reference\}\."),
        ("Hello {name.__class__}", "unknown placeholder"),
        ("Hello {name", "curly bracket"),
        ("😀" * 200, "too long for 4 text messages"),
    ],
)
async def test_a_text_that_cannot_be_sent_is_rejected_at_its_field(text: str, problem: str) -> None:
    with pytest.raises(InputRejected, match=problem) as wrong:
        await send(text)
    assert set(wrong.value.by_field()) == {"text"}
    assert await list_rows() == []


@pytest.mark.each_database
async def test_a_double_click_sends_once_and_later_the_same_text_goes_out_again(noon: datetime) -> None:
    results = await asyncio.gather(
        *(send(f"See {LINK}", link=PRIVATE) for _ in range(4)), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 3 + ["SmsMessage"]
    await send("Another text")
    with clock.frozen(noon + timedelta(minutes=2)):
        await send(f"See {LINK}", link=PRIVATE)
    assert len(await list_rows()) == 3


async def test_who_stopped_gets_nothing_from_staff_until_they_consent_again() -> None:
    async with session_scope() as session:
        await stop(session, NUMBER)
    with pytest.raises(Conflict, match="STOP"):
        await send()
    async with session_scope() as session:
        await give_consent(session, NUMBER)
    assert (await send()).state is TextState.QUEUED


@pytest.mark.parametrize(
    ("number", "reason"),
    [("", "no phone number"), (BRITISH, "outside Kenya"), ("+254202345678", "not a mobile number")],
)
async def test_a_number_that_gets_no_text_messages_is_refused_with_the_reason(
    number: str, reason: str
) -> None:
    with pytest.raises(Conflict, match=reason):
        await send(to=number)
    assert await list_rows() == []


async def test_staff_can_write_to_a_dead_number_again_and_resending_names_the_networks_reason() -> None:
    async with session_scope() as session:
        await mark_dead(session, NUMBER, "InvalidPhoneNumber")
        assert "InvalidPhoneNumber" in await explain_refusal(session, NUMBER, TextPurpose.TRANSACTION)
    assert (await send()).state is TextState.QUEUED


async def test_reminders_and_too_many_transactions_are_refused_with_their_own_reasons(
    configure: Callable[..., Settings],
) -> None:
    configure(sms_per_number_day=3)
    async with session_scope() as session:
        assert "not agreed" in await explain_refusal(session, NUMBER, TextPurpose.REMINDER)
        for number in range(settings().sms_daily_limit):
            message = TextMessage("booking-confirmed", NUMBER, str(number), TextPurpose.TRANSACTION)
            await enqueue_text(session, message)
        assert "limit of a day" in await explain_refusal(session, NUMBER, TextPurpose.TRANSACTION)
        assert await explain_refusal(session, NUMBER) == ""


@pytest.mark.each_database
async def test_a_failed_message_is_resent_once_and_its_copy_in_turn() -> None:
    first = await send(f"See {LINK}", link=PRIVATE)
    await end(first, TextState.FAILED, last_error="Absent")
    assert await count_failed() == 1
    results = await asyncio.gather(*(resend(first.id) for _ in range(4)), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 3 + ["NoneType"]
    assert await count_failed() == 0
    old, copy = await list_rows()
    assert (copy.text, copy.about, copy.state, copy.requested_by) == (
        old.text,
        old.about,
        TextState.QUEUED,
        STAFF,
    )
    async with read_scope() as session:
        assert await find_copy(session, old) == copy
    assert (find_original(old), find_original(copy)) == (None, old.id)
    await end(copy, TextState.UNKNOWN)
    assert await count_failed() == 1
    await resend(copy.id)
    assert len(await list_rows()) == 3


@pytest.mark.parametrize("state", [TextState.QUEUED, TextState.SENDING, TextState.SENT, TextState.DELIVERED])
async def test_a_message_on_its_way_or_delivered_is_not_resent(state: TextState) -> None:
    first = await send()
    await end(first, state)
    with pytest.raises(Conflict, match="can be resent"):
        await resend(first.id)
    assert await count_failed() == 0


async def test_unknown_erased_and_useless_messages_are_not_resent(noon: datetime) -> None:
    with pytest.raises(NotFound):
        await resend(4711)
    first = await send()
    await end(first, TextState.FAILED, expires_at=noon - timedelta(minutes=1))
    assert await count_failed() == 0
    with pytest.raises(Conflict, match="useless"):
        await resend(first.id)
    await end(first, TextState.FAILED, to="", text="")
    with pytest.raises(Conflict, match="erased"):
        await resend(first.id)


async def test_nothing_is_resent_to_a_number_that_has_stopped_since() -> None:
    first = await send()
    await end(first, TextState.FAILED)
    async with session_scope() as session:
        await stop(session, NUMBER)
    with pytest.raises(Conflict, match="STOP"):
        await resend(first.id)
    async with read_scope() as session:
        assert "STOP" in await explain_no_resend(session, await session.get_one(SmsMessage, first.id))


@pytest.mark.parametrize("state", [TextState.FAILED, TextState.UNKNOWN, TextState.STOPPED])
async def test_what_did_not_arrive_needs_attention_for_two_weeks(noon: datetime, state: TextState) -> None:
    first = await send()
    await end(first, state)
    with clock.frozen(noon + timedelta(days=13)):
        assert await count_failed() == 1
    with clock.frozen(noon + timedelta(days=15)):
        assert await count_failed() == 0


async def test_a_message_that_waits_for_long_needs_attention(noon: datetime) -> None:
    await send()
    assert await count_failed() == 0
    with clock.frozen(noon + PATIENCE):
        assert await count_failed() == 1


async def test_failed_messages_are_counted_by_indexes() -> None:
    # The literal is needed for the partial index: PostgreSQL does not use it for a parameter of a prepared statement.
    assert "state = 'failed'" in str(is_unresolved_failure())
    if settings().sqlite:
        (plan,) = await plans_of(count_failed)
        assert "ix_sms_messages_failed" in plan
        assert "SCAN sms_messages" not in plan
