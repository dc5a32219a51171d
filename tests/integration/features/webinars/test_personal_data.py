"""Personal data in registrations: export and erasure, on both databases."""

import json
from dataclasses import replace

import pytest
from sqlmodel import select

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.webinars.personal_data import REGISTRATIONS
from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration
from tests.example_records import WEBINAR
from tests.integration.features.webinars.test_registrations import ASHA, list_registrations, register

EMAIL = "amina@shop.example"

pytestmark = pytest.mark.usefixtures("database", "noon")


async def export(email: str = "", phone: str = "") -> list[dict[str, object]]:
    async with read_scope() as session:
        return await REGISTRATIONS.export(session, email, phone)


async def remove(email: str = "", phone: str = "") -> int:
    async with session_scope() as session:
        return await REGISTRATIONS.erase(session, email, phone, ASHA)


@pytest.mark.parametrize(
    ("email", "phone"), [("AMINA@shop.example", ""), ("", "0712 345 678"), ("", "+254712345678")]
)
async def test_a_person_is_found_by_address_or_phone_in_any_notation(email: str, phone: str) -> None:
    await register(phone="0712 345 678")
    await register(email="brian@shop.example")
    exported = await export(email, phone)
    assert [record["record"] for record in exported] == ["webinar registration"]
    readable = json.dumps(exported)
    assert all(words in readable for words in ("+254712345678", WEBINAR.id, EMAIL))


async def test_erasing_cancels_the_registration_and_frees_the_address() -> None:
    await register(phone="0712 345 678")
    assert await remove("", "0712345678") == 1
    (row,) = await list_registrations()
    assert (row.state, row.cancelled_by) == (RegistrationState.CANCELLED, ASHA)
    assert (row.fullname, row.email, row.phone, row.search) == ("", "", "", row.reference.lower())
    assert (await register()).state is RegistrationState.REGISTERED


async def test_an_erased_person_is_not_found_again_even_by_an_empty_search() -> None:
    await register(phone="0712 345 678")
    await remove(EMAIL)
    assert await export(EMAIL, "0712345678") == []
    assert await export() == []
    assert await remove() == 0


async def test_two_people_can_be_erased_from_one_webinar() -> None:
    for name in ("amina", "brian"):
        await register(email=f"{name}@shop.example")
        assert await remove(f"{name}@shop.example") == 1


BY_PHONE = replace(REGISTRATIONS, personal=("phone",))
"""The declaration of a table whose people leave only a phone number."""


async def test_a_person_who_left_only_a_number_is_found_erased_and_expires_by_it() -> None:
    await register(phone="0712 345 678")
    await register(email="brian@shop.example", phone="0722 000 000")
    async with session_scope() as session:
        assert await BY_PHONE.export(session, EMAIL, "") == []
        assert len(await BY_PHONE.export(session, EMAIL, "0712 345 678")) == 1
        assert await BY_PHONE.erase(session, "", "+254 712 345678", ASHA) == 1
        assert await BY_PHONE.expire(session, select(WebinarRegistration), 9) == 1
        assert await BY_PHONE.expire(session, select(WebinarRegistration), 9) == 0
    assert [row.phone for row in await list_registrations()] == ["", ""]


def test_data_by_which_no_person_is_found_is_refused() -> None:
    with pytest.raises(ValueError, match="webinar registration: neither e-mail nor phone is personal"):
        replace(REGISTRATIONS, personal=("fullname",))
