"""Contact messages and plan sign-ups reach staff, once, on both databases."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.errors import InputRejected
from agency_site.mail.mime import compose_message
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.integration.features.contact.enquiries import sign_up, write
from tests.integration.mail.outbox import list_rows

pytestmark = pytest.mark.usefixtures("database")


async def kinds() -> list[str]:
    return [row.kind for row in await list_rows()]


async def test_a_message_reaches_staff_and_its_writer_is_notified() -> None:
    await write()
    notice, acknowledgement = await list_rows()
    assert (notice.kind, notice.to) == ("staff-message", BRAND.staff_email)
    assert compose_message(notice)["Reply-To"] == "amina@shop.example"
    assert "Karibu." in notice.text
    assert (acknowledgement.kind, acknowledgement.to) == ("message-received", "amina@shop.example")
    assert compose_message(acknowledgement)["Reply-To"] == BRAND.email
    assert "Karibu." not in acknowledgement.text


async def test_a_signup_reaches_staff_and_the_visitor_is_notified() -> None:
    await sign_up()
    notice, acknowledgement = await list_rows()
    assert (notice.kind, notice.to) == ("staff-signup", BRAND.staff_email)
    assert compose_message(notice)["Reply-To"] == "amina@shop.example"
    assert "mamamboga.co.ke" in notice.text
    assert (acknowledgement.kind, acknowledgement.to) == ("signup-received", "amina@shop.example")


@pytest.mark.each_database
@pytest.mark.parametrize("submit", [write, sign_up])
async def test_a_double_click_or_a_replayed_event_sends_once(submit: object) -> None:
    assert callable(submit)
    with clock.frozen(FRIDAY_NOON) as move:
        await asyncio.gather(*(submit() for _ in range(8)))
        assert len(await list_rows()) == 2
        move(FRIDAY_NOON + timedelta(minutes=4, seconds=59))
        await submit()
        assert len(await list_rows()) == 2


@pytest.mark.each_database
async def test_the_same_message_after_five_minutes_is_sent_again() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await write()
        move(FRIDAY_NOON + timedelta(minutes=5))
        await asyncio.gather(*(write() for _ in range(8)))
    assert await kinds() == ["staff-message", "message-received"] * 2


@pytest.mark.parametrize(
    "changes", [{"message": "Karibu sana."}, {"subject": ""}, {"email": "b@shop.example"}]
)
async def test_another_text_or_another_writer_is_another_message(changes: dict[str, str]) -> None:
    await write()
    await write(**changes)
    assert (await kinds()).count("staff-message") == 2


async def test_acknowledgements_to_one_mailbox_are_limited_while_staff_get_every_notice() -> None:
    an_hour, a_day = settings().mails_per_recipient_hour, settings().mails_per_recipient_day
    addresses = ("amina@shop.example", "Amina+news@shop.example")
    with clock.frozen(FRIDAY_NOON) as move:
        acknowledged = [
            await write(message=f"Message {number}", email=addresses[number % 2])
            for number in range(an_hour + 2)
        ]
        assert acknowledged == [True] * an_hour + [False] * 2
        assert (await kinds()).count("staff-message") == an_hour + 2
        assert (await kinds()).count("message-received") == an_hour
        for hour in range(1, 23):
            move(FRIDAY_NOON + timedelta(hours=hour))
            await write(message=f"Hour {hour}")
        assert (await kinds()).count("message-received") == a_day
        move(FRIDAY_NOON + timedelta(hours=25))
        assert await write(message="The next day")
    assert (await kinds()).count("message-received") == a_day + 1


@pytest.mark.each_database
async def test_messages_at_the_same_instant_keep_the_limit_of_acknowledgements() -> None:
    acknowledgements = await asyncio.gather(*(write(message=f"Message {number}") for number in range(10)))
    allowed = settings().mails_per_recipient_hour
    assert sum(acknowledgements) == allowed
    assert (await kinds()).count("message-received") == allowed


async def test_a_repeated_message_is_answered_like_the_first() -> None:
    assert [await write() for _ in range(5)] == [True] * 5


async def test_a_rejected_form_sends_nothing() -> None:
    with pytest.raises(InputRejected):
        await write(email="amina at shop")
    with pytest.raises(InputRejected):
        await sign_up(plan="Gold")
    assert await list_rows() == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028"])
async def test_no_field_can_add_a_header(end: str) -> None:
    injected = f"x{end}Bcc: all"
    with pytest.raises(InputRejected):
        await write(email=f"amina@shop.example{end}Bcc: all@example.com")
    await write(name=injected, subject=f"{injected}@example.com")
    await sign_up(fullName=injected)
    messages = [compose_message(row) for row in await list_rows()]
    assert len(messages) == 4
    for message in messages:
        assert set(message.keys()) == {
            "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Reply-To", "MIME-Version", "Content-Type",
        }  # fmt: skip
        assert all("\n" not in str(value) for value in message.values())
    assert "x Bcc: all@example.com" in messages[0]["Subject"]
