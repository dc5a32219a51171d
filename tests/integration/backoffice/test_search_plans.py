"""SQLite answers searches and a client's page with indexes, not with table scans."""

import pytest
from sqlmodel import col, select

import agency_site.agency_site  # noqa: F401 - declares all lists
from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.clients import find_client, records_of
from agency_site.backoffice.lists.definition import ListQuery, find_definition
from agency_site.backoffice.lists.query import open_page
from agency_site.db.engine import report_scope
from agency_site.db.statistics import refresh_statistics
from agency_site.features.booking.bookings.tables import Booking
from tests.bench.seeding import seed
from tests.statements import plans_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
OWNER = Staff(1, "owner@mwanga.example", "Owner", Role.OWNER, 1, "")
READ = {
    "bookings": "bookings", "orders": "orders", "enrolments": "orders", "payments": "orders", "mail": "outbox_messages",
    "messages": "enquiries", "signups": "enquiries", "comments": "comments", "subscribers": "subscribers",
}  # fmt: skip
"""Lists, and the table whose index is searched."""


@pytest.fixture
async def filled(database: str) -> str:
    """Provide a database with enough rows for the planner to prefer an index."""
    seed(2_000)
    await refresh_statistics()
    return database


async def plan_of(name: str, words: str) -> str:
    """Return the query plan of a search of that list."""
    definition = find_definition(name)
    assert definition

    async def search() -> None:
        async with report_scope() as session:
            await open_page(session, definition, ListQuery(words=words))

    return (await plans_of(search))[0]


async def test_a_search_reads_the_index_that_holds_the_searched_text(filled: str) -> None:
    plans = {name: await plan_of(name, "amina odhiambo") for name in READ}
    assert {
        name: f"COVERING INDEX ix_{READ[name]}_searched" in plan for name, plan in plans.items()
    } == dict.fromkeys(READ, True)


async def test_whole_numbers_and_beginnings_are_looked_up(filled: str) -> None:
    assert "ix_bookings_phone (phone=?)" in await plan_of("bookings", "0700 000 007")
    assert "ix_orders_phone (phone=?)" in await plan_of("orders", "0700 000 007")
    assert "(receipt>? AND receipt<?)" in await plan_of("payments", "T000")


@pytest.mark.parametrize("name", READ)
async def test_whole_references_and_addresses_are_looked_up(filled: str, name: str) -> None:
    assert f"ix_{READ[name]}_lower_" in await plan_of(name, "amina@example.com")
    # Subjects of messages name references too.
    if READ[name] != "enquiries":
        by_reference = await plan_of(name, "bk-7f3k9q")
        assert "about=?" in by_reference or "reference=?" in by_reference


async def test_a_client_is_found_without_reading_a_table(filled: str) -> None:
    async def open_client() -> None:
        async with report_scope() as session:
            newest = select(Booking.reference).order_by(col(Booking.id).desc()).limit(1)
            query = {"list": "bookings", "ref": (await session.exec(newest)).one()}
            client = await find_client(session, OWNER, query)
            assert client
            assert {definition.name for definition, _ in await records_of(session, OWNER, client)} >= {
                "bookings",
                "orders",
            }

    plans = await plans_of(open_client)
    assert len(plans) > 10
    assert [plan for plan in plans[1:] if "SCAN" in plan] == []
