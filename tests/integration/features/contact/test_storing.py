"""What visitors write is stored_enquiries, once, with the mails about it, on both databases."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.features.contact.rules import EnquiryKind, EnquiryState
from agency_site.mail.mime import compose_message
from tests.conftest import FRIDAY_NOON
from tests.integration.features.contact.enquiries import history_of, sign_up, stored_enquiries, write
from tests.integration.mail.outbox import list_rows

pytestmark = pytest.mark.usefixtures("database")


async def test_a_message_is_stored_and_both_mails_name_its_reference() -> None:
    with clock.frozen(FRIDAY_NOON):
        await write()
    (row,) = await stored_enquiries()
    assert (row.kind, row.state, row.version) == (EnquiryKind.MESSAGE, EnquiryState.NEW, 1)
    assert (row.fullname, row.email, row.subject, row.message) == (
        "Amina", "amina@shop.example", "A stall", "Karibu.",
    )  # fmt: skip
    assert (row.created_at, row.updated_at) == (FRIDAY_NOON, FRIDAY_NOON)
    assert await history_of(row.reference) == ["received"]
    notice, acknowledgement = await list_rows()
    assert row.reference in notice.text
    assert row.reference in acknowledgement.text
    assert row.reference in acknowledgement.subject
    assert row.thread == compose_message(acknowledgement)["Message-ID"]


async def test_a_signup_is_stored_with_plan_and_domain() -> None:
    await sign_up(domainName="https://www.mamamboga.co.ke/")
    (row,) = await stored_enquiries()
    assert (row.kind, row.phone) == (EnquiryKind.SIGNUP, "+254712345678")
    assert row.details == {"plan": "Growth", "domain_type": "new", "domain_name": "mamamboga.co.ke"}
    notice, acknowledgement = await list_rows()
    assert row.reference in notice.text
    assert row.reference in acknowledgement.text


async def test_staff_find_an_enquiry_by_every_searchable_field() -> None:
    await sign_up(fullName="Amína Ōdhiambo")
    (row,) = await stored_enquiries()
    for word in (
        row.reference.lower(),
        "amina",
        "odhiambo",
        "shop.example",
        "0712345678",
        "+254712",
        "growth",
        "mamamboga",
    ):
        assert word in row.search


@pytest.mark.each_database
@pytest.mark.parametrize("submit", [write, sign_up])
async def test_parallel_submissions_store_once_and_mail_once(submit: object) -> None:
    assert callable(submit)
    await asyncio.gather(*(submit() for _ in range(12)))
    assert len(await stored_enquiries()) == 1
    assert len(await list_rows()) == 2


@pytest.mark.each_database
async def test_the_same_message_after_five_minutes_is_a_new_enquiry() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await write()
        move(FRIDAY_NOON + timedelta(minutes=4, seconds=59))
        await write()
        assert len(await stored_enquiries()) == 1
        move(FRIDAY_NOON + timedelta(minutes=5))
        await asyncio.gather(*(write() for _ in range(8)))
    first, second = await stored_enquiries()
    assert first.reference != second.reference
    assert (first.content_key, second.content_key is None) == (None, False)


async def test_messages_beyond_the_mail_limit_are_stored_without_an_acknowledgement() -> None:
    for number in range(5):
        await write(message=f"Message {number}")
    enquiries = await stored_enquiries()
    assert len(enquiries) == 5
    assert [row.thread != "" for row in enquiries] == [True, True, True, False, False]


async def test_long_texts_with_unusual_characters_are_stored_unchanged() -> None:
    text = "\U0001f600\ufdfa'\"%_\\"
    await write(name=text * 10, subject=text * 10, message=text * 500)
    (row,) = await stored_enquiries()
    assert (row.fullname, row.subject, row.message) == (text * 10, text * 10, text * 500)


async def test_characters_that_reverse_the_writing_direction_are_removed() -> None:
    await write(subject="a\u202eb", message="one\u202e two")
    (row,) = await stored_enquiries()
    assert (row.subject, row.message) == ("ab", "one two")
