"""The HTTP interface: responses, errors and their shapes."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from sqlmodel import select

from agency_site.antispam.admission import enforce_form_limits
from agency_site.antispam.rules import Form
from agency_site.db.engine import read_scope
from agency_site.errors import TooManyRequests
from agency_site.features.booking.bookings.tables import Booking
from agency_site.settings import Settings
from tests.integration.features.booking.consultants import add_consultant

BODY = {
    "fullname": "Amina Odhiambo",
    "emailaddress": "amina@example.com",
    "phonenumber": "0712 345 678",
    "message": "A new website, please.",
    "date": "2026-11-24",
    "time": "11:00",
}


async def test_a_day_lists_its_slots(client: httpx.AsyncClient) -> None:
    await client.post("/api/book", json=BODY)
    answer = await client.get("/api/slots", params={"date": "2026-11-24"})
    assert answer.status_code == 200
    assert answer.json() == {
        "date": "2026-11-24",
        "slots": [
            {"time": "09:00", "available": True},
            {"time": "11:00", "available": False},
            {"time": "14:00", "available": True},
            {"time": "16:00", "available": True},
        ],
    }


@pytest.mark.parametrize("day", ["2026-11-22", "2026-12-12", "2026-11-19", "2027-02-19"])
async def test_a_day_that_cannot_be_booked_has_no_slots(client: httpx.AsyncClient, day: str) -> None:
    assert (await client.get("/api/slots", params={"date": day})).json() == {"date": day, "slots": []}


@pytest.mark.parametrize("query", ["", "?date=", "?date=tomorrow", "?date=2026-02-30", "?date=0001-01-01"])
async def test_a_bad_date_is_refused(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/api/slots{query}")
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["date"]


async def test_a_booking_is_confirmed_in_the_words_of_the_specification(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/book", json=BODY)
    assert answer.status_code == 201
    async with read_scope() as session:
        stored = (await session.exec(select(Booking))).one()
    assert answer.json() == {
        "message": "Booking confirmed! We will get back to you shortly.",
        "reference": stored.reference,
        "date": "2026-11-24",
        "time": "11:00",
    }


async def test_one_e_mail_address_books_ten_times_a_day_by_form_and_json_together(
    client: httpx.AsyncClient,
) -> None:
    for number in range(9):
        await enforce_form_limits(Form.BOOKING, f"198.51.100.{number}", f"amina+{number}@example.com")
    assert (await client.post("/api/book", json=BODY)).status_code == 201
    answer = await client.post(
        "/api/book", json=BODY | {"emailaddress": " Amina@Example.com", "time": "14:00"}
    )
    assert answer.status_code == 429
    assert answer.json() == {
        "message": "Too many bookings with this e-mail address today. Please try again in 24 hours, or call us."
    }
    assert 86_000 < int(answer.headers["retry-after"]) <= 86_400
    other = await client.post("/api/book", json=BODY | {"emailaddress": "other@example.com", "time": "14:00"})
    assert other.status_code == 201


async def test_one_network_books_so_much_a_day_by_form_and_json_together(
    client: httpx.AsyncClient, configure: Callable[..., object]
) -> None:
    configure(rate_limit_bookings="3/day")
    # In the network of `http_clients.ADDRESS`.
    for number in range(2):
        await enforce_form_limits(Form.BOOKING, f"203.0.113.{number}", f"visitor{number}@example.com")
    assert (await client.post("/api/book", json=BODY)).status_code == 201
    answer = await client.post(
        "/api/book", json=BODY | {"emailaddress": "other@example.com", "time": "14:00"}
    )
    assert answer.status_code == 429
    assert answer.json() == {
        "message": "Too many bookings from your network today. Please try again in 24 hours, or call us."
    }
    assert 86_000 < int(answer.headers["retry-after"]) <= 86_400
    with pytest.raises(TooManyRequests):
        await enforce_form_limits(Form.BOOKING, "203.0.113.200", "third@example.com")
    await enforce_form_limits(Form.BOOKING, "198.51.100.9", "fourth@example.com")


async def test_a_taken_slot_answers_409_with_a_message_only(client: httpx.AsyncClient) -> None:
    await client.post("/api/book", json=BODY)
    answer = await client.post("/api/book", json=BODY | {"emailaddress": "other@example.com"})
    assert (answer.status_code, answer.json()) == (
        409,
        {"message": "Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."},
    )


@pytest.mark.each_database
@pytest.mark.parametrize("capacity", [1, 3])
async def test_a_repeated_request_gets_the_first_booking(
    client: httpx.AsyncClient, configure: Callable[..., Settings], capacity: int
) -> None:
    configure(booking_capacity=capacity)
    answers = await asyncio.gather(*(client.post("/api/book", json=BODY) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["reference"] for answer in answers}) == 1


async def test_a_person_may_take_another_seat_of_a_slot_for_a_colleague(
    client: httpx.AsyncClient, configure: Callable[..., Settings]
) -> None:
    configure(booking_capacity=3)
    first = await client.post("/api/book", json=BODY)
    second = await client.post("/api/book", json=BODY | {"fullname": "Baraka Otieno"})
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["reference"] != second.json()["reference"]


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"emailaddress": "nobody"}, ["emailaddress"]),
        ({"fullname": " ", "phonenumber": "12"}, ["fullname", "phonenumber"]),
        ({"date": "2026-11-22"}, ["date"]),
        ({"time": "10:00"}, ["time"]),
        ({"time": None, "message": "a\0b"}, ["message", "time"]),
    ],
)
async def test_refused_input_names_each_field(
    client: httpx.AsyncClient, change: dict[str, Any], fields: list[str]
) -> None:
    answer = await client.post("/api/book", json=BODY | change)
    assert answer.status_code == 422
    assert answer.json()["message"]
    assert [error["field"] for error in answer.json()["errors"]] == fields
    assert all(error["message"] for error in answer.json()["errors"])


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b"null", b'{"fullname": "\\ud800"}', b"\xff\xfe"]
)
async def test_a_malformed_body_is_refused(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post("/api/book", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["message"]


async def test_the_description_of_the_api_shows_both_routes(client: httpx.AsyncClient) -> None:
    description = (await client.get("/api/openapi.json")).json()
    book = description["paths"]["/api/book"]["post"]["responses"]
    assert {"201", "409", "422"} <= set(book)
    request = description["components"]["schemas"]["BookingRequest"]
    assert set(request["required"]) == set(BODY) - {"message"}
    assert request["properties"]["time"]["pattern"] == r"^\d{2}:\d{2}$"


async def test_a_program_books_a_person_and_a_way(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/consultants")).json() == []
    await add_consultant("Wanjiru Kamau", karen="on")
    brian = await add_consultant("Brian Otieno", video="on")
    persons = (await client.get("/api/consultants")).json()
    choices = {"way": "video", "person": brian.reference, "service": "web-design"}
    answer = await client.post("/api/book", json=BODY | choices)
    query = {"date": BODY["date"], "way": "video"}
    slots = (await client.get("/api/slots", params=query)).json()["slots"]
    lost = await client.post("/api/book", json=BODY | choices | {"emailaddress": "other@example.com"})
    assert persons == [
        {"reference": brian.reference, "name": "Brian Otieno", "ways": ["video"]},
        {"reference": persons[1]["reference"], "name": "Wanjiru Kamau", "ways": ["karen"]},
    ]
    assert (answer.status_code, answer.json()["person"]) == (201, "Brian Otieno")
    assert {slot["time"]: slot["available"] for slot in slots}["11:00"] is False
    assert lost.status_code == 409
    refused = [await client.get("/api/slots", params=query | {"way": "x"})]
    refused += [
        await client.post("/api/book", json=BODY | {name: "x"}) for name in ("way", "person", "service")
    ]
    assert [response.status_code for response in refused] == [422] * 4


async def test_an_impossible_choice_has_no_slots_and_the_same_answer_as_a_booking(
    client: httpx.AsyncClient,
) -> None:
    wanjiru = await add_consultant("Wanjiru Kamau", karen="on")
    choices = (
        {"person": wanjiru.reference, "way": "phone"},
        {"person": "CO-AAAAAA", "way": "karen"},
        {"person": "CO-NONE", "way": "karen"},
        {"person": "", "way": "video"},
    )
    for choice in choices:
        listed = await client.get("/api/slots", params={"date": "2026-11-24", **choice})
        booked = await client.post("/api/book", json=BODY | choice)
        assert (listed.status_code, listed.json()) == (422, booked.json())
    offered = await client.get("/api/slots", params={"date": "2026-11-24", "person": wanjiru.reference})
    assert offered.status_code == 200
