"""A person over the whole site: all records are found, and erasing keeps only the accounts."""

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import col, func, select

from agency_site.backoffice.personal_data import data_requests
from agency_site.backoffice.personal_data.labels import groups_of, other_identifiers
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict
from agency_site.mail.tables import OutboxMessage
from tests.example_records import THIRD_COURSE, WEBINAR
from tests.integration.backoffice.personal_data.conftest import (
    ACTOR,
    EMAIL,
    PHONE,
    TRACES,
    do,
    leave_traces,
    whole_database,
)
from tests.integration.features.checkout.conftest import Shop
from tests.integration.features.checkout.orders import report

EVERYWHERE = [
    "Bookings",
    "Learners",
    "Waiting lists",
    "Orders and payments",
    "Enquiries and plan sign-ups",
    "Webinar registrations",
    "Comments",
    "Newsletter",
    "Text messages",
    "Mails",
    "Saved views",
]


async def find_all(email: str = EMAIL, phone: str = PHONE) -> list[data_requests.SourceRecords]:
    async with read_scope() as session:
        return await data_requests.find_records(session, data_requests.parse_person(email, phone))


async def erase(email: str = EMAIL, phone: str = PHONE) -> dict[str, int]:
    done: dict[str, int] = await do(data_requests.erase, data_requests.parse_person(email, phone), ACTOR)
    return done


async def readable_mails() -> int:
    """Count the mails in the outbox that still have content."""
    async with read_scope() as session:
        wanted = select(func.count()).where(col(OutboxMessage.to) != "")
        return (await session.exec(wanted)).one()


async def test_all_records_of_a_person_are_exported_as_json(shop: Shop) -> None:
    await leave_traces(shop)
    held = await find_all()
    document: dict[str, Any] = json.loads(
        json.dumps(data_requests.document(data_requests.parse_person(EMAIL, PHONE), held), ensure_ascii=False)
    )
    assert list(document["records"]) == EVERYWHERE
    kinds = [record["record"] for records in document["records"].values() for record in records]
    assert kinds[:10] == [
        "booking", "booking", "learner", "waiting list entry", "order", "enquiry", "enquiry", "webinar registration", "comment",
        "subscriber",
    ]  # fmt: skip
    exported = json.dumps(document)
    for words in (
        "Amina comes with her brother.", "Amina called about her course.", "Dear Amina, yes.", "Amina again.",
        "Amina was here.", "Amina advertises.", "Amina asked for it by phone.", "amina.co.ke", WEBINAR.id,
    ):  # fmt: skip
        assert words in exported
    assert document["person"] == {"email": EMAIL, "phone": "+254712345111"}


async def test_erasing_keeps_the_accounts_and_leaves_no_trace_in_any_table(shop: Shop) -> None:
    await leave_traces(shop)
    await shop.paid("222", email="brian@example.com", firstName="Brian", lastName="Otieno")
    books, before = await report(), await readable_mails()
    erased = await erase()
    remains = await whole_database()
    assert [line for line in remains.splitlines() if any(trace in line for trace in TRACES)] == []
    assert "brian@example.com" in remains
    assert await report() == books
    assert books.balanced
    assert [name for name, count in erased.items() if count] == EVERYWHERE
    assert erased["Mails"] == before + 2 - await readable_mails(), "staff read of two cancelled bookings"
    assert await find_all() == []
    assert set((await erase()).values()) == {0}


async def test_by_the_number_alone_the_mails_about_those_records_go_as_well(shop: Shop) -> None:
    await leave_traces(shop)
    held = await find_all("", PHONE)
    assert other_identifiers(held, ["+254712345111"]) == [EMAIL]
    references = [str(record["reference"]).lower() for result in held[:4] for record in result.records]
    await erase("", PHONE)
    assert await find_all("", PHONE) == []
    about = [
        line for line in (await whole_database()).splitlines() if any(result in line for result in references)
    ]
    assert len({line.partition(":")[0] for line in about}) >= 4
    assert [line for line in about if any(trace in line for trace in TRACES)] == []


async def test_an_open_payment_refuses_and_then_nothing_at_all_is_erased(shop: Shop) -> None:
    await leave_traces(shop)
    await shop.control.post("next", hold=True)
    opened = await shop.pay("111", courseName=THIRD_COURSE.payment_name)
    assert opened.status_code == 200
    before = await whole_database()
    with pytest.raises(Conflict, match="not finished"):
        await erase()
    assert await whole_database() == before


async def test_one_refusal_of_a_source_rolls_back_the_whole_erasure(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await leave_traces(shop)

    async def refuse(*_anything: object) -> int:
        raise Conflict("Something of theirs is still open.")

    last = replace(data_requests.SAVED_VIEWS, erase=refuse)
    monkeypatch.setattr(data_requests, "SAVED_VIEWS", last)
    before = await whole_database()
    with pytest.raises(Conflict, match="still open"):
        await erase()
    assert await whole_database() == before


async def test_the_page_shows_every_record_with_its_link(shop: Shop) -> None:
    await leave_traces(shop)
    groups = groups_of(await find_all(), {"/admin/booking", "/admin/enquiry"})
    assert [group.name for group in groups] == EVERYWHERE
    booking, order = groups[0].records[0], groups[3].records[0]
    assert booking.href.startswith("/admin/booking?ref=BK-")
    assert order.href == ""
    assert groups[4].records[0].gist.startswith("Amina's shop · Fri 20 Nov 2026")
    facts = {part.title: {fact.label: fact.text for fact in part.facts} for part in order.parts}
    assert facts["Order"]["E-mail"] == EMAIL
    assert any(title.startswith("Payments 1, callbacks") for title in facts)


async def test_an_empty_search_and_our_own_address_are_rejected(shop: Shop) -> None:
    async with session_scope() as session:
        with pytest.raises(Conflict, match="own address"):
            await data_requests.find_records(session, data_requests.parse_person("desk@mwanga.example", ""))
