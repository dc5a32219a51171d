"""All spellings of a mailbox mean one person, for data requests and for the search."""

import pytest

from agency_site.backoffice.lists.search import search_lists
from agency_site.backoffice.personal_data import data_requests
from agency_site.db.engine import read_scope
from agency_site.features.booking.bookings import usecases as booking
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.contact import usecases as enquiries
from agency_site.features.contact.request import ContactMessage
from agency_site.form_input import read_form
from tests.integration.backoffice.conftest import enter, find_signed_in, hire
from tests.integration.backoffice.personal_data.conftest import ACTOR, do, whole_database
from tests.integration.features.newsletter.readers import join

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database", "noon")]
SPELLINGS = (
    "amina@m\u00fcnchen.de",
    "AMINA@xn--mnchen-3ya.de",
    "\u202aamina@mu\u0308nchen.de\u202c",
    "Amina <amina@m\u00fcnchen.de>",
    "mailto:amina@m\u00fcnchen.de.",
)


async def leave_traces() -> None:
    booked = {
        "fullname": "Ng\u2019ang\u2019a Odhiambo", "emailaddress": "Amina@m\u00fcnchen.de", "phonenumber": "0712 345 678",
        "message": "", "date": "2026-11-24", "time": "11:00",
    }  # fmt: skip
    await do(booking.book, read_form(BookingRequest, booked))
    await join("amina@m\u00fcnchen.de")
    fields = {"name": "Amina", "email": "amina@xn--mnchen-3ya.de", "subject": "", "message": "Karibu."}
    await do(enquiries.receive_message, read_form(ContactMessage, fields))


async def traces(email: str) -> dict[str, int]:
    async with read_scope() as session:
        held = await data_requests.find_records(session, data_requests.parse_person(email, ""))
    return {result.source.name: len(result.records) for result in held}


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_a_data_request_finds_and_erases_all_records(spelling: str) -> None:
    await leave_traces()
    held = await traces(spelling)
    assert {"Bookings", "Enquiries and plan sign-ups", "Newsletter", "Mails"} == held.keys()
    await do(data_requests.erase, data_requests.parse_person(spelling, ""), ACTOR)
    assert await traces(spelling) == {}
    left = await whole_database()
    assert "nchen" not in left


@pytest.mark.parametrize(
    ("spelling", "lists"),
    [
        *((spelling, {"bookings", "subscribers", "messages"}) for spelling in SPELLINGS),
        ("m\u00fcnchen.de", {"bookings", "subscribers", "messages"}),
        ("Ng'ang'a", {"bookings"}),
        ("nganga", {"bookings"}),
        ("\u202a+254 0712 345 678\u202c", {"bookings"}),
    ],
)
async def test_the_search_finds_the_same_records(spelling: str, lists: set[str]) -> None:
    await leave_traces()
    await hire()
    who = await find_signed_in((await enter()).token)
    assert who is not None
    rows = {definition.name for definition, some in await search_lists(spelling, who) if some}
    assert lists <= rows
