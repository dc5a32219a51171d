"""Lists of records that come from visits: filters, columns, files and the line of the detail pages."""

import csv
import io

import httpx
import pytest

from agency_site.backoffice.lists.definition import (
    ListDefinition,
    ListQuery,
    list_definitions,
    read_query,
    shown_columns,
)
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import open_page
from agency_site.backoffice.records import Record
from agency_site.db.engine import report_scope
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.checkout.admin.orders.list import ORDER_LIST_DEFINITION
from agency_site.features.checkout.order_details.records import OrderRecord
from agency_site.features.contact.admin.enquiries import ENQUIRIES, SIGNUPS
from agency_site.features.newsletter.admin.subscribers import SUBSCRIBERS
from agency_site.features.webinars.admin.list import REGISTRATION_LIST_DEFINITION
from agency_site.visits.rules import Origin
from tests.integration.visits.test_origins import OTHER, POSTS, SPRING, cookie_of
from tests.records import find_fact
from tests.statements import plans_of

LISTS = {
    "booking": BOOKINGS.definition,
    "order": ORDER_LIST_DEFINITION,
    "enquiry": ENQUIRIES.definition,
    "sign-up": SIGNUPS.definition,
    "registration": REGISTRATION_LIST_DEFINITION,
    "subscription": SUBSCRIBERS.definition,
}
"""The lists by the name of a record's form."""
FILTER = {"visit-source": " Google ", "visit-campaign": "Spring  sale"}
LINE = "google (cpc), campaign spring sale, first page /web-design"

pytestmark = pytest.mark.usefixtures("noon", "no_fill_time", "fresh_limits")


async def make_record(visitor: httpx.AsyncClient, name: str, origin: Origin) -> None:
    visitor.headers["Cookie"] = cookie_of(origin)
    _, post = POSTS[name]
    assert (await post(visitor)).is_error is False


async def count_rows(definition: ListDefinition, query: dict[str, str]) -> int:
    async with report_scope() as session:
        return (await open_page(session, definition, read_query(definition, query))).total


@pytest.mark.parametrize(("name", "definition"), LISTS.items(), ids=LISTS)
async def test_a_list_is_filtered_by_source_and_campaign(
    visitor: httpx.AsyncClient, name: str, definition: ListDefinition
) -> None:
    await make_record(visitor, name, SPRING)
    counts = [
        await count_rows(definition, query)
        for query in ({}, FILTER, {"visit-source": OTHER.source}, {"visit-source": "goog"}, {"visit-campaign": "x"})
    ]  # fmt: skip
    assert counts == [1, 1, 0, 0, 0]


@pytest.mark.parametrize(("name", "definition"), LISTS.items(), ids=LISTS)
async def test_a_file_has_source_and_campaign(
    visitor: httpx.AsyncClient, name: str, definition: ListDefinition
) -> None:
    await make_record(visitor, name, SPRING)
    file = b"".join([chunk async for chunk in lines_of_export(definition, ListQuery())]).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(file))
    assert (row["Visit source"], row["Campaign"]) == (SPRING.source, SPRING.campaign)
    assert {column.key for column in shown_columns(definition, ListQuery())}.isdisjoint(FILTER)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("key", FILTER)
@pytest.mark.parametrize("definition", [*LISTS.values()][:2], ids=lambda definition: definition.name)
@pytest.mark.usefixtures("database")
async def test_an_index_answers_the_filter(definition: ListDefinition, key: str) -> None:
    """SQLite states its plan even without rows."""
    query = {"sort": f"-{'booked' if definition is BOOKINGS.definition else 'placed'}", key: "google"}

    async def read() -> None:
        await count_rows(definition, query)

    plans = await plans_of(read)
    assert f"_{key.replace('-', '_')} " in plans[0]


def test_only_these_lists_have_origins() -> None:
    with_origins = [each for each in list_definitions() if each.column("visit-source")]
    assert {each.name for each in with_origins} == {each.name for each in LISTS.values()}


@pytest.mark.parametrize(
    ("name", "record"),
    [("booking", BOOKINGS), ("enquiry", ENQUIRIES), ("sign-up", ENQUIRIES), ("subscription", SUBSCRIBERS)],
)
async def test_the_page_of_a_record_says_where_it_came_from(
    visitor: httpx.AsyncClient, name: str, record: Record
) -> None:
    await make_record(visitor, name, SPRING)
    async with report_scope() as session:
        (row,) = (await open_page(session, LISTS[name], ListQuery())).rows
    assert find_fact(record, "origin", row) == LINE


async def test_the_page_of_an_order_says_where_it_came_from(visitor: httpx.AsyncClient) -> None:
    await make_record(visitor, "order", SPRING)
    async with report_scope() as session:
        (row,) = (await open_page(session, LISTS["order"], ListQuery())).rows
    assert OrderRecord.of(row.Order).origin.text == LINE
