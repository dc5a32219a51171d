"""Export and erasure of personal data in enquiries, on both databases."""

import json

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.features.contact.personal_data import ENQUIRIES
from tests.integration.features.contact.enquiries import (
    ASHA,
    add_note,
    history_of,
    log_entries,
    reply,
    sign_up,
    stored_enquiries,
    write,
)

pytestmark = pytest.mark.usefixtures("database", "noon")


async def store_enquiries_of_two_people() -> None:
    await write()
    await sign_up()
    await write(name="Brian", email="brian@shop.example", message="Mine.")
    reference = (await stored_enquiries())[0].reference
    await reply(reference, 1, "We have one.")
    await add_note(reference, "Knows Brian.")


async def export(email: str = "", phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await ENQUIRIES.export(session, email, phone)


async def remove(email: str = "", phone: str = "") -> int:
    async with session_scope() as session:
        return await ENQUIRIES.erase(session, email, phone, ASHA)


async def test_an_export_finds_a_person_by_address_in_upper_and_lower_case() -> None:
    await store_enquiries_of_two_people()
    exported = await export("AMINA@shop.example")
    assert [record["record"] for record in exported] == ["enquiry", "enquiry"]
    readable = json.dumps(exported)
    for words in ("Karibu.", "We have one.", "Knows Brian.", "mamamboga.co.ke", "+254712345678"):
        assert words in readable
    assert "Mine." not in readable


async def test_an_export_finds_a_person_by_phone_number_in_every_notation() -> None:
    await store_enquiries_of_two_people()
    for number in ("0712 345 678", "+254712345678"):
        assert [record["record"] for record in await export("", number)] == ["enquiry"]


async def test_erasure_leaves_references_states_and_dates_only() -> None:
    await store_enquiries_of_two_people()
    before = await stored_enquiries()
    assert await remove("amina@shop.example") == 2
    after = await stored_enquiries()
    for was, now in zip(before, after, strict=True):
        assert (was.reference, was.state, was.created_at) == (now.reference, now.state, now.created_at)
    first, second, other = after
    for row in (first, second):
        assert (row.fullname, row.email, row.phone, row.subject, row.message) == ("",) * 5
        assert (row.search, row.content_key) == (row.reference.lower(), None)
    assert second.details == {"plan": "Growth", "domain_type": "new", "domain_name": ""}
    assert all((line.note, line.reply) == ("", "") for line in await log_entries(first.reference))
    assert await history_of(first.reference) == ["received", "replied", "noted", "erased"]
    assert (other.email, other.message) == ("brian@shop.example", "Mine.")


async def test_an_erased_person_is_not_found_again_even_with_empty_criteria() -> None:
    await store_enquiries_of_two_people()
    await remove("amina@shop.example")
    assert await export("amina@shop.example", "0712345678") == []
    assert await export() == []
    assert await remove() == 0


async def test_an_erased_enquiry_takes_no_reply() -> None:
    await write()
    await remove("amina@shop.example")
    (row,) = await stored_enquiries()
    with pytest.raises(Conflict, match="erased"):
        await reply(row.reference, row.version, "Yes.")
