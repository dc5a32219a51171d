"""The page of a client and the search: the records of a person that each role finds."""

from urllib.parse import urlsplit

import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.clients import ClientPage
from agency_site.backoffice.lists.definition import PAGE_SIZE
from agency_site.backoffice.lists.search import CLIENT, SearchState
from agency_site.db.engine import read_scope
from agency_site.features.booking.admin.bookings.new_booking import NewBooking
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.contact.request import ContactMessage
from agency_site.features.contact.tables import Enquiry
from agency_site.features.contact.usecases import receive_message
from agency_site.form_input import read_form
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.backoffice.personal_data.conftest import EMAIL, NAME, do, leave_traces, shop
from tests.integration.features.checkout.conftest import Shop, orders

pytestmark = pytest.mark.each_database

__all__ = ["shop"]

NEIGHBOUR = {"name": "Brian", "email": f"x{EMAIL}", "subject": "", "message": "Karibu."}

EVERYTHING = {
    "Bookings", "Orders", "Enrolments", "Learners", "Enquiries", "Plan sign-ups", "Registrations", "Comments", "Subscribers",
    "Waiting lists",
}  # fmt: skip


async def tab(page: type[ClientPage | SearchState | NewBooking], path: str, role: Role = Role.OWNER) -> Tab:
    """A page that a member of staff with the role has open."""
    email = f"{role}@mwanga.example"
    await hire(email, role)
    return Tab(page, (await enter(email)).token, path)


async def opened(path: str, role: Role = Role.OWNER) -> Tab:
    client_page = await tab(ClientPage, path, role)
    await client_page.run("open_client")
    return client_page


async def of_order() -> str:
    """The address of the page of the only order's client."""
    return f"{CLIENT}?list=orders&ref={(await orders())[0].reference}"


async def lookups() -> list[str]:
    async with read_scope() as session:
        entries = select(AuditEntry.reference).where(AuditEntry.action == "person.looked_up")
        return list((await session.exec(entries.order_by(col(AuditEntry.id)))).all())


async def test_an_owner_sees_everything_of_a_person_and_nothing_of_a_neighbour(shop: Shop) -> None:
    await leave_traces(shop)
    await do(receive_message, read_form(ContactMessage, NEIGHBOUR))
    page = await opened(await of_order())
    assert (page.state.email, page.state.phone) == (EMAIL, "0712 345 111")
    assert {result.title for result in page.state.results} == EVERYTHING
    assert "Brian" not in str(page.state.results)
    ((reference, *others),) = [await lookups()]
    assert reference.startswith("PN-")
    assert others == []


async def test_neighbours_with_longer_addresses_hide_no_record(shop: Shop) -> None:
    await leave_traces(shop)
    for number in range(PAGE_SIZE + 1):
        await do(receive_message, read_form(ContactMessage, NEIGHBOUR | {"message": f"Karibu {number}."}))
    page = await opened(await of_order())
    assert {result.title for result in page.state.results} == EVERYTHING
    assert "Brian" not in str(page.state.results)


async def test_an_address_in_capitals_is_the_same_client(shop: Shop) -> None:
    await leave_traces(shop)
    await do(receive_message, read_form(ContactMessage, NEIGHBOUR | {"email": EMAIL.upper()}))
    page = await opened(await of_order())
    assert "Brian" in str(page.state.results)


async def test_a_caller_without_an_address_is_known_by_the_number(shop: Shop) -> None:
    await leave_traces(shop)
    async with read_scope() as session:
        reference = (await session.exec(select(Booking.reference).where(Booking.email == ""))).one()
    page = await opened(f"{CLIENT}?list=bookings&ref={reference}")
    assert (page.state.email, page.state.phone) == ("", "0712 345 111")
    rows_by_list = {result.title: len(result.lines) for result in page.state.results}
    assert rows_by_list == {
        "Bookings": 2,
        "Orders": 1,
        "Enrolments": 1,
        "Learners": 1,
        "Waiting lists": 1,
        "Plan sign-ups": 1,
        "Registrations": 1,
    }


@pytest.mark.parametrize(
    ("role", "titles"), [(Role.FRONT_DESK, EVERYTHING - {"Comments", "Subscribers"}), (Role.EDITOR, set())]
)
async def test_a_role_sees_what_its_lists_show(shop: Shop, role: Role, titles: set[str]) -> None:
    await leave_traces(shop)
    page = await opened(await of_order(), role)
    assert {result.title for result in page.state.results} == titles
    assert bool(page.state.email) == bool(titles)
    assert bool(await lookups()) == bool(titles)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?list=orders",
        "?list=staff&ref=x",
        "?list=orders&ref=OR-222222",
        "?list=%00&ref=%",
        "?list=orders&ref=%00",
    ],
)
async def test_an_address_without_a_client_shows_no_client(shop: Shop, query: str) -> None:
    await leave_traces(shop)
    page = await opened(CLIENT + query)
    assert (page.state.record, page.state.results, await lookups()) == ("", [], [])


@pytest.mark.parametrize("words", ["wanjiru", "345 111", EMAIL, "amina111@"])
async def test_the_search_names_the_client_once(shop: Shop, words: str) -> None:
    await leave_traces(shop)
    search = await tab(SearchState, f"/admin/search?q={words}")
    await search.run("open_search")
    (client,) = search.state.clients
    assert (client.name, client.contact) == (NAME, f"{EMAIL}, 0712 345 111")
    page = Tab(ClientPage, search.token, client.href)
    await page.run("open_client")
    assert (page.state.fullname, page.state.name) == (NAME, "Amina Odhiambo")


async def test_a_whole_address_finds_all_that_has_it_and_no_neighbour(shop: Shop) -> None:
    await leave_traces(shop)
    await do(receive_message, read_form(ContactMessage, NEIGHBOUR))
    search = await tab(SearchState, f"/admin/search?q={EMAIL.upper()}")
    await search.run("open_search")
    # Enrolments are listed as their orders.
    titles = {result.title for result in search.state.results}
    assert titles == EVERYTHING - {"Enrolments"} | {"Payments", "Mail"}
    assert "Brian" not in str(search.state.results)


async def test_a_whole_reference_finds_its_record_and_the_mails_about_it(shop: Shop) -> None:
    await leave_traces(shop)
    async with read_scope() as session:
        reference = (await session.exec(select(Enquiry.reference))).all()[0]
    search = await tab(SearchState, f"/admin/search?q={reference.lower()}")
    await search.run("open_search")
    references = {result.title: [line.reference for line in result.lines] for result in search.state.results}
    assert references.pop("Mail")
    assert list(references.values()) == [[reference]]


async def test_a_message_is_found_by_the_reference_that_its_subject_names(shop: Shop) -> None:
    await leave_traces(shop)
    await do(receive_message, read_form(ContactMessage, NEIGHBOUR | {"subject": "Moving BK-7F3K9Q"}))
    search = await tab(SearchState, "/admin/search?q=BK-7F3K9Q")
    await search.run("open_search")
    assert [result.title for result in search.state.results] == ["Enquiries"]


async def test_a_booking_is_made_for_the_client_of_any_record(shop: Shop) -> None:
    await leave_traces(shop)
    form = await tab(NewBooking, f"/admin/bookings/new?{urlsplit(await of_order()).query}")
    await form.run("open_form")
    values = {field.name: field.value for group in form.state.form for field in group.fields}
    assert (values["email"], values["phone"]) == (EMAIL, "0712 345 111")
