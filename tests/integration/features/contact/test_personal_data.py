"""What enquiries hold about somebody, and its removal, on both databases."""

import json

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.features.contact import staff_usecases
from agency_site.features.contact.personal_data import ENQUIRIES
from tests.integration.features.contact.enquiries import ASHA, history_of, lines, sign_up, stored, write

pytestmark = pytest.mark.usefixtures("database", "noon")


async def everything() -> None:
    await write()
    await sign_up()
    await write(name="Brian", email="brian@shop.example", message="Mine.")
    async with session_scope() as session:
        reference = (await stored())[0].reference
        await staff_usecases.reply(session, reference, 1, "We have one.", ASHA)
        await staff_usecases.add_note(session, reference, "Knows Brian.", ASHA)


async def found(email: str = "", phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await ENQUIRIES.export(session, email, phone)


async def remove(email: str = "", phone: str = "") -> int:
    async with session_scope() as session:
        return await ENQUIRIES.erase(session, email, phone, ASHA)


async def test_everything_about_a_person_is_found_by_address_in_any_letter_case() -> None:
    await everything()
    exported = await found("AMINA@shop.example")
    assert [record["record"] for record in exported] == ["enquiry", "enquiry"]
    readable = json.dumps(exported)
    for words in ("Karibu.", "We have one.", "Knows Brian.", "mamamboga.co.ke", "+254712345678"):
        assert words in readable
    assert "Mine." not in readable


async def test_a_phone_number_finds_them_however_it_is_written() -> None:
    await everything()
    for written in ("0712 345 678", "+254712345678"):
        assert [record["record"] for record in await found("", written)] == ["enquiry"]


async def test_erasing_leaves_references_states_and_dates_and_nothing_personal() -> None:
    await everything()
    before = await stored()
    assert await remove("amina@shop.example") == 2
    after = await stored()
    for was, now in zip(before, after, strict=True):
        assert (was.reference, was.state, was.created_at) == (now.reference, now.state, now.created_at)
    first, second, other = after
    for row in (first, second):
        assert (row.fullname, row.email, row.phone, row.subject, row.message) == ("",) * 5
        assert (row.search, row.content_key) == (row.reference.lower(), None)
    assert second.details == {"plan": "Growth", "domain_type": "new", "domain_name": ""}
    assert all((line.note, line.reply) == ("", "") for line in await lines(first.reference))
    assert await history_of(first.reference) == ["received", "replied", "noted", "erased"]
    assert (other.email, other.message) == ("brian@shop.example", "Mine.")


async def test_who_was_erased_is_not_found_again_even_by_nothing() -> None:
    await everything()
    await remove("amina@shop.example")
    assert await found("amina@shop.example", "0712345678") == []
    assert await found() == []
    assert await remove() == 0


async def test_nobody_can_answer_who_was_erased() -> None:
    await write()
    await remove("amina@shop.example")
    (row,) = await stored()
    with pytest.raises(Conflict, match="erased"):
        async with session_scope() as session:
            await staff_usecases.reply(session, row.reference, row.version, "Yes.", ASHA)
