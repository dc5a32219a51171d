"""Registering for webinars and cancelling, on both databases."""

import asyncio
from collections.abc import Callable

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.content import webinars
from agency_site.content.webinars import WEBINARS, WebinarStatus
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound, StaleRecord
from agency_site.features.webinars import usecases
from agency_site.features.webinars.records import RegistrationRecord
from agency_site.features.webinars.request import RegistrationRequest
from agency_site.features.webinars.rules import LINK_PURPOSE, RegistrationState, WebinarBegun, WebinarFull
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.form_input import read_form
from agency_site.signing import find_private_token
from tests.example_records import OTHER_WEBINAR, WEBINAR

FORM = {"webinar": WEBINAR.id, "fullName": "Amina Odhiambo", "email": "Amina@shop.example", "phone": ""}

ASHA = "asha@agency.example"

pytestmark = pytest.mark.usefixtures("database", "noon")


Seats = Callable[[int], None]


@pytest.fixture
def seats(monkeypatch: pytest.MonkeyPatch) -> Seats:
    """Give every webinar that many seats."""

    def set_to(capacity: int) -> None:
        small_webinars = tuple(webinar.model_copy(update={"capacity": capacity}) for webinar in WEBINARS)
        monkeypatch.setattr(webinars, "WEBINARS", small_webinars)

    return set_to


async def register(**changes: str) -> RegistrationRecord:
    async with session_scope() as session:
        return await usecases.register(session, read_form(RegistrationRequest, FORM | changes))


async def list_registrations() -> list[WebinarRegistration]:
    async with read_scope() as session:
        return list((await session.exec(select(WebinarRegistration))).all())


async def find_token(reference: str) -> str:
    (row,) = (row for row in await list_registrations() if row.reference == reference)
    token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash)
    assert token is not None
    return token


async def cancel(reference: str) -> RegistrationRecord:
    token = await find_token(reference)
    async with session_scope() as session:
        return await usecases.cancel_by_token(session, token)


async def test_a_registration_is_stored_and_found_by_name_address_and_phone() -> None:
    registration = await register(phone="0712 345 678")
    assert (registration.webinar, registration.email, registration.state) == (
        WEBINAR.id, "amina@shop.example", RegistrationState.REGISTERED,
    )  # fmt: skip
    (row,) = await list_registrations()
    for word in (row.reference.lower(), "amina", "0712345678", WEBINAR.id):
        assert word in row.search


@pytest.mark.each_database
async def test_one_mailbox_has_one_seat_however_often_it_submits() -> None:
    registrations = await asyncio.gather(
        *(register() for _ in range(8)), register(email="AMINA@shop.example")
    )
    assert len({record.reference for record in registrations}) == 1
    assert len(await list_registrations()) == 1


async def test_the_same_person_may_attend_another_webinar() -> None:
    await register()
    await register(webinar=OTHER_WEBINAR.id)
    assert len(await list_registrations()) == 2


@pytest.mark.each_database
async def test_simultaneous_registrations_never_exceed_the_capacity(seats: Seats) -> None:
    seats(3)
    tries = [register(email=f"visitor{number}@shop.example") for number in range(12)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(result, RegistrationRecord) for result in results) == 3
    assert sum(isinstance(result, WebinarFull) for result in results) == 9
    async with read_scope() as session:
        assert await usecases.count_registered(session, WEBINAR.id) == 3


@pytest.mark.each_database
async def test_a_person_with_the_last_seat_who_submits_twice_keeps_it(seats: Seats) -> None:
    seats(1)
    registrations = await asyncio.gather(*(register() for _ in range(6)))
    assert {record.state for record in registrations} == {RegistrationState.REGISTERED}


async def test_a_cancelled_seat_is_free_for_another_person(seats: Seats) -> None:
    seats(1)
    registration = await register()
    with pytest.raises(WebinarFull):
        await register(email="b@shop.example")
    cancelled = await cancel(registration.reference)
    assert (cancelled.state, cancelled.cancelled_by) == (RegistrationState.CANCELLED, "visitor")
    assert cancelled.cancelled_at == clock.now()
    await register(email="b@shop.example")
    with pytest.raises(WebinarFull):
        await register()


async def test_cancelling_a_seat_twice_changes_nothing() -> None:
    registration = await register()
    first = await cancel(registration.reference)
    assert await cancel(registration.reference) == first


async def test_registering_after_a_cancellation_keeps_reference_and_link() -> None:
    registration = await register()
    token = await find_token(registration.reference)
    await cancel(registration.reference)
    again = await register(fullName="Amina O.", phone="0712 345 678")
    assert (again.reference, again.state, again.fullname) == (
        registration.reference, RegistrationState.REGISTERED, "Amina O.",
    )  # fmt: skip
    assert (again.cancelled_at, again.cancelled_by) == (None, "")
    assert await find_token(registration.reference) == token
    assert "0712345678" in (await list_registrations())[0].search


async def test_staff_cancel_only_the_version_that_they_saw() -> None:
    registration = await register()
    async with session_scope() as session:
        cancelled = await usecases.cancel_by_staff(
            session, registration.reference, registration.version, ASHA
        )
    assert (cancelled.state, cancelled.cancelled_by, cancelled.version) == (
        RegistrationState.CANCELLED,
        ASHA,
        2,
    )
    await register()
    with pytest.raises(StaleRecord) as refused:
        async with session_scope() as session:
            await usecases.cancel_by_staff(session, registration.reference, cancelled.version, ASHA)
    assert refused.value.current.state is RegistrationState.REGISTERED


async def test_a_webinar_that_has_begun_takes_no_registration() -> None:
    webinar = webinars.find(WEBINAR.id)
    assert webinar is not None
    with clock.frozen(webinar.starts_at), pytest.raises(WebinarBegun):
        await register()
    assert await list_registrations() == []


async def test_invalid_values_are_rejected_beside_their_fields() -> None:
    past = next(webinar.id for webinar in WEBINARS if webinar.status is WebinarStatus.PAST)
    with pytest.raises(InputRejected) as rejected:
        await register(webinar=past, fullName="", email="amina at shop", phone="12")
    assert rejected.value.by_field().keys() == {"webinar", "fullName", "email", "phone"}


async def test_an_unknown_link_or_reference_is_not_found() -> None:
    async with session_scope() as session:
        with pytest.raises(NotFound):
            await usecases.cancel_by_token(session, "no such token")
        with pytest.raises(NotFound):
            await usecases.find_registration(session, "WR-XXXXXX")
