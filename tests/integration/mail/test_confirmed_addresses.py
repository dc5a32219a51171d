"""Strangers are not greeted by a name that any visitor can type, and get no text of other people in our mails."""

from base64 import b64decode
from collections.abc import Iterator
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import session_scope
from agency_site.mail.confirmed_addresses import confirm_address, is_confirmed
from agency_site.mail.mime import compose_message
from agency_site.mail.personal_data import erase, expire, export
from agency_site.mail.rules import ONE_TIME_KINDS, Message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue, enqueue_all, enqueue_unless_repeated, enqueue_within_limit
from tests.conftest import FRIDAY_NOON
from tests.every_mail import Texts, every_mail
from tests.integration.mail.outbox import build_message, list_rows

STRANGER = "stranger@shop.example"
TEXTS = Texts(name="Zawadi Mlaghai", title="Prize draw title", words="Claim your prize now", email=STRANGER)
NO_FREE_TEXT = frozenset(
    {"message-received", "signup-received", "booking-confirmed", "comment-received", "waiting-joined",
     "registration-confirmed", "order-exists", "payment-link"}
)  # fmt: skip
"""Mails that are sent before the recipient has paid, confirmed or replied."""


def mails_to_strangers() -> Iterator[Message]:
    for message in every_mail(TEXTS).values():
        if message.to == STRANGER and message.kind not in ONE_TIME_KINDS:
            yield message


async def store(message: Message) -> OutboxMessage:
    async with session_scope() as session:
        await enqueue(session, message)
    return (await list_rows())[-1]


@pytest.mark.usefixtures("database")
async def test_no_mail_calls_a_stranger_by_a_typed_name() -> None:
    for message in mails_to_strangers():
        row = await store(message)
        assert (row.to_name, compose_message(row)["To"]) == ("", STRANGER)
        assert not [line for line in row.text.splitlines() if line.startswith("Hello") and line != "Hello,"]
        for part in row.attachments:
            assert b"Zawadi" not in b64decode(part["content"]).replace(b"\r\n ", b""), message.kind


@pytest.mark.usefixtures("database")
async def test_unrequested_mails_contain_no_text_of_other_people() -> None:
    messages = [message for message in mails_to_strangers() if message.kind in NO_FREE_TEXT]
    assert {message.kind for message in messages} == NO_FREE_TEXT
    for message in messages:
        row = await store(message)
        for words in (TEXTS.words, TEXTS.name):
            assert words not in f"{row.subject} {row.text}".replace(f"Trainer: {TEXTS.name}", ""), (
                message.kind
            )
    signup = next(message for message in messages if message.kind == "signup-received")
    assert TEXTS.title not in (await store(signup)).text


@pytest.mark.usefixtures("database")
async def test_a_confirmed_address_is_greeted_by_name() -> None:
    async with session_scope() as session:
        await confirm_address(session, STRANGER.upper())
        await confirm_address(session, STRANGER)
        assert await is_confirmed(session, "Stranger@shop.example")
        assert not await is_confirmed(session, "other@shop.example")
    reminder = next(message for message in mails_to_strangers() if message.kind == "booking-reminder")
    row = await store(reminder)
    assert row.to_name == TEXTS.name
    assert f"Hello {TEXTS.name}," in row.text


@pytest.mark.usefixtures("database")
async def test_every_way_into_the_outbox_omits_the_name() -> None:
    message = build_message()
    async with session_scope() as session:
        await confirm_address(session, "known@shop.example")
        await enqueue_within_limit(session, message, key="one")
        await enqueue_unless_repeated(session, message, key="two")
        await enqueue_all(session, {"three": message, "four": build_message(to="known@shop.example")})
    assert [row.to_name for row in await list_rows()] == ["", "", "", message.to_name]


@pytest.mark.usefixtures("database")
async def test_staff_accounts_are_greeted_by_name() -> None:
    invitation = next(message for message in every_mail(TEXTS).values() if message.kind == "staff-invitation")
    assert (await store(invitation)).to_name == TEXTS.name


@pytest.mark.usefixtures("database")
async def test_a_confirmation_is_exported_erased_and_ends_with_its_period() -> None:
    with clock.frozen(FRIDAY_NOON):
        async with session_scope() as session:
            await confirm_address(session, STRANGER)
            assert await export(session, "Stranger@Shop.example ", "") == [
                {
                    "record": "confirmed address",
                    "reference": "",
                    "address": STRANGER,
                    "confirmed_at": FRIDAY_NOON.isoformat(),
                }
            ]
            assert await export(session, BRAND.email + ".invalid", "") == []
        async with session_scope() as session:
            await erase(session, STRANGER, "", "wanjiku@mwanga.example")
            assert not await is_confirmed(session, STRANGER)
            await confirm_address(session, STRANGER)
        async with session_scope() as session:
            await expire(session, FRIDAY_NOON, 10)
            assert await is_confirmed(session, STRANGER)
            await expire(session, FRIDAY_NOON + timedelta(seconds=1), 10)
            assert not await is_confirmed(session, STRANGER)
