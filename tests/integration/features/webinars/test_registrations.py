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

FORM = {"webinar": "plan-2027", "fullName": "Amina Odhiambo", "email": "Amina@shop.example", "phone": ""}

ASHA = "asha@agency.example"

pytestmark = pytest.mark.usefixtures("database", "noon")


Seats = Callable[[int], None]


@pytest.fixture
def seats(monkeypatch: pytest.MonkeyPatch) -> Seats:
    """Give every webinar that many seats."""

    def set_to(capacity: int) -> None:
        small = tuple(one.model_copy(update={"capacity": capacity}) for one in WEBINARS)
        monkeypatch.setattr(webinars, "WEBINARS", small)

    return set_to


async def register(**changes: str) -> RegistrationRecord:
    async with session_scope() as session:
        return await usecases.register(session, read_form(RegistrationRequest, FORM | changes))


async def stored() -> list[WebinarRegistration]:
    async with read_scope() as session:
        return list((await session.exec(select(WebinarRegistration))).all())


async def token_of(reference: str) -> str:
    (row,) = (row for row in await stored() if row.reference == reference)
    token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash)
    assert token is not None
    return token


async def cancel(reference: str) -> RegistrationRecord:
    token = await token_of(reference)
    async with session_scope() as session:
        return await usecases.cancel_by_token(session, token)


async def test_a_place_is_taken_and_found_by_name_address_and_phone() -> None:
    made = await register(phone="0712 345 678")
    assert (made.webinar, made.email, made.state) == (
        "plan-2027", "amina@shop.example", RegistrationState.REGISTERED,
    )  # fmt: skip
    (row,) = await stored()
    for word in (row.reference.lower(), "amina", "0712345678", "plan-2027"):
        assert word in row.search


async def test_one_mailbox_has_one_place_however_often_it_is_pressed() -> None:
    made = await asyncio.gather(*(register() for _ in range(8)), register(email="AMINA@shop.example"))
    assert len({record.reference for record in made}) == 1
    assert len(await stored()) == 1


async def test_the_same_person_may_attend_another_webinar() -> None:
    await register()
    await register(webinar="thirty-posts")
    assert len(await stored()) == 2


async def test_no_more_than_fit_are_taken_in_at_the_same_instant(seats: Seats) -> None:
    seats(3)
    tries = [register(email=f"visitor{number}@shop.example") for number in range(12)]
    done = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(one, RegistrationRecord) for one in done) == 3
    assert sum(isinstance(one, WebinarFull) for one in done) == 9
    async with read_scope() as session:
        assert await usecases.count_registered(session, "plan-2027") == 3


async def test_who_has_the_last_place_and_submits_twice_keeps_it(seats: Seats) -> None:
    seats(1)
    made = await asyncio.gather(*(register() for _ in range(6)))
    assert {record.state for record in made} == {RegistrationState.REGISTERED}


async def test_a_place_given_back_is_free_for_somebody_else(seats: Seats) -> None:
    seats(1)
    made = await register()
    with pytest.raises(WebinarFull):
        await register(email="b@shop.example")
    gone = await cancel(made.reference)
    assert (gone.state, gone.cancelled_by) == (RegistrationState.CANCELLED, "visitor")
    assert gone.cancelled_at == clock.now()
    await register(email="b@shop.example")
    with pytest.raises(WebinarFull):
        await register()


async def test_giving_it_back_twice_changes_nothing_more() -> None:
    made = await register()
    first = await cancel(made.reference)
    assert await cancel(made.reference) == first


async def test_who_comes_back_is_registered_under_the_same_reference_and_link() -> None:
    made = await register()
    token = await token_of(made.reference)
    await cancel(made.reference)
    again = await register(fullName="Amina O.", phone="0712 345 678")
    assert (again.reference, again.state, again.fullname) == (
        made.reference, RegistrationState.REGISTERED, "Amina O.",
    )  # fmt: skip
    assert (again.cancelled_at, again.cancelled_by) == (None, "")
    assert await token_of(made.reference) == token
    assert "0712345678" in (await stored())[0].search


async def test_staff_give_it_back_as_they_saw_it() -> None:
    made = await register()
    async with session_scope() as session:
        gone = await usecases.cancel_by_staff(session, made.reference, made.version, ASHA)
    assert (gone.state, gone.cancelled_by, gone.version) == (RegistrationState.CANCELLED, ASHA, 2)
    await register()
    with pytest.raises(StaleRecord) as refused:
        async with session_scope() as session:
            await usecases.cancel_by_staff(session, made.reference, gone.version, ASHA)
    assert refused.value.current.state is RegistrationState.REGISTERED


async def test_a_webinar_that_has_begun_takes_nobody() -> None:
    webinar = webinars.find("plan-2027")
    assert webinar is not None
    with clock.frozen(webinar.starts_at), pytest.raises(WebinarBegun):
        await register()
    assert await stored() == []


async def test_what_does_not_fit_is_refused_beside_its_field() -> None:
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
