"""What visitors write is stored, once, with the mails about it, on both databases."""

import asyncio
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.features.contact.rules import EnquiryKind, EnquiryState
from agency_site.mail.mime import compose_message
from tests.conftest import FRIDAY_NOON
from tests.integration.features.contact.enquiries import history_of, sign_up, stored, write
from tests.integration.mail.outbox import list_rows

pytestmark = pytest.mark.usefixtures("database")


async def test_a_message_is_stored_with_its_words_and_both_mails_name_it() -> None:
    with clock.frozen(FRIDAY_NOON):
        await write()
    (row,) = await stored()
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
    (row,) = await stored()
    assert (row.kind, row.phone) == (EnquiryKind.SIGNUP, "+254712345678")
    assert row.details == {"plan": "Growth", "domain_type": "new", "domain_name": "mamamboga.co.ke"}
    notice, acknowledgement = await list_rows()
    assert row.reference in notice.text
    assert row.reference in acknowledgement.text


async def test_staff_find_it_by_every_word_they_may_have() -> None:
    await sign_up(fullName="Amína Ōdhiambo")
    (row,) = await stored()
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


@pytest.mark.parametrize("submit", [write, sign_up])
async def test_parallel_submissions_store_once_and_mail_once(submit: object) -> None:
    assert callable(submit)
    await asyncio.gather(*(submit() for _ in range(12)))
    assert len(await stored()) == 1
    assert len(await list_rows()) == 2


async def test_the_same_words_after_five_minutes_are_a_new_enquiry() -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        await write()
        move(FRIDAY_NOON + timedelta(minutes=4, seconds=59))
        await write()
        assert len(await stored()) == 1
        move(FRIDAY_NOON + timedelta(minutes=5))
        await asyncio.gather(*(write() for _ in range(8)))
    first, second = await stored()
    assert first.reference != second.reference
    assert (first.content_key, second.content_key is None) == (None, False)


async def test_who_gets_no_more_acknowledgements_is_stored_all_the_same() -> None:
    for number in range(5):
        await write(message=f"Message {number}")
    found = await stored()
    assert len(found) == 5
    assert [row.thread != "" for row in found] == [True, True, True, False, False]


async def test_the_largest_and_oddest_that_the_form_takes_is_stored_as_typed() -> None:
    odd = "\U0001f600\ufdfa'\"%_\\"
    await write(name=odd * 10, subject=odd * 10, message=odd * 500)
    (row,) = await stored()
    assert (row.fullname, row.subject, row.message) == (odd * 10, odd * 10, odd * 500)


async def test_characters_that_turn_a_line_round_are_left_out() -> None:
    await write(subject="a\u202eb", message="one\u202e two")
    (row,) = await stored()
    assert (row.subject, row.message) == ("ab", "one two")
