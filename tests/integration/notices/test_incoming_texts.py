"""Texts from phones reach a person when they may mean a record, and are found and erased with the person."""

from collections.abc import Callable

import httpx
import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.mail import personal_data as mails
from agency_site.mail.usecases import list_newest_messages
from agency_site.notices.dealings import list_dealings
from agency_site.settings import Settings, settings
from agency_site.sms.rules import TextPurpose
from agency_site.sms.usecases import can_text, give_consent
from tests.integration.sms.messages import NUMBER, OTHER

pytestmark = pytest.mark.usefixtures("database", "noon")
STAFF = "wanjiku@mwanga.example"


async def book() -> str:
    """Book for Tuesday with consent to reminders, and return the private token."""
    request = BookingRequest.model_validate(
        {
            "fullname": "Amina Odhiambo",
            "emailaddress": "amina@example.com",
            "phonenumber": "0712 345 678",
            "message": "A new website, please.",
            "date": "2026-11-24",
            "time": "11:00",
        }
    )
    async with session_scope() as session:
        created = await usecases.book(session, request)
        await give_consent(session, NUMBER)
        return created.token


async def text(client: httpx.AsyncClient, words: str, number: str = NUMBER, identity: str = "1") -> None:
    path = f"/api/sms/{settings().sms_callback_secrets[0]}/messages"
    fields = {"id": identity, "from": number, "text": words}
    for _ in range(2):
        assert (await client.post(path, data=fields)).status_code == 200


async def list_notices() -> list[str]:
    async with read_scope() as session:
        newest = await list_newest_messages(session)
        return [mail.text for mail in newest if mail.kind == "staff-text"]


@pytest.mark.parametrize(
    "word",
    ["CANCEL", "stop", "End.", "QUIT", "toka", "Acha", "STOP STOP", "\uff33\uff34\uff2f\uff30", "stop all"],
)
async def test_a_stop_word_of_a_client_with_a_booking_stops_and_goes_to_staff_with_the_booking(
    client: httpx.AsyncClient, word: str
) -> None:
    await book()
    await text(client, word, "0712345678")
    [notice] = await list_notices()
    assert "Consultation at 11:00 on Tuesday 24 November" in notice
    assert "BK-" in notice
    assert "no more reminders" in notice
    async with read_scope() as session:
        assert not await can_text(session, NUMBER, TextPurpose.REMINDER)


async def test_stop_without_a_booking_and_start_need_no_person(client: httpx.AsyncClient) -> None:
    await text(client, "STOP", OTHER)
    await book()
    await text(client, "START", NUMBER, "2")
    assert await list_notices() == []


async def test_stop_after_the_booking_is_cancelled_needs_no_person(client: httpx.AsyncClient) -> None:
    token = await book()
    async with session_scope() as session:
        await usecases.cancel(session, token)
    await text(client, "CANCEL")
    assert await list_notices() == []
    async with read_scope() as session:
        assert [dealing.is_upcoming for dealing in await list_dealings(session, NUMBER)] == [False]


async def test_any_other_text_names_the_booking_too(client: httpx.AsyncClient) -> None:
    await book()
    await text(client, "Can we move to Friday?")
    [notice] = await list_notices()
    assert "Can we move to Friday?" in notice
    assert "Consultation at 11:00 on Tuesday 24 November" in notice


@pytest.mark.each_database
@pytest.mark.parametrize("sender", [NUMBER, "0712345678", "+0712345678"])
@pytest.mark.parametrize("typed", ["0712 345 678", NUMBER])
async def test_what_a_person_texted_is_exported_and_erased_by_number(
    client: httpx.AsyncClient, sender: str, typed: str
) -> None:
    await text(client, "Can we move to Friday?", sender)
    await text(client, "Another person", OTHER, "2")
    async with read_scope() as session:
        [record] = await mails.export(session, "", typed)
        assert "Can we move to Friday?" in str(record["text"])
    async with session_scope() as session:
        assert await mails.erase(session, "", typed, STAFF) == 1
    [other, erased] = await list_notices()
    assert ("Another person" in other, "Friday" in erased) == (True, False)


async def test_many_texts_in_a_day_become_few_mails(
    client: httpx.AsyncClient, configure: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agency_site.mail.staff_notices.MOST_A_DAY", 3)
    configure(smtp_host="mail.example")
    for number in range(6):
        await text(client, f"Text {number}", identity=str(number))
    async with read_scope() as session:
        newest = await list_newest_messages(session)
    assert sum(mail.kind == "staff-text" and mail.due_at is not None for mail in newest) == 3
    assert sum(mail.kind == "staff-notices" for mail in newest) == 1
