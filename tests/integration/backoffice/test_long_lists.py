"""Lists with more rows than their pages reach."""

import pytest
from sqlalchemy import insert

from agency_site import clock
from agency_site.auth.tables import AuditEntry
from agency_site.backoffice.audit_log import AUDIT_LOG
from agency_site.backoffice.lists.definition import COUNTED, DEEPEST_PAGE, PAGE_SIZE, ListQuery
from agency_site.backoffice.lists.query import open_page
from agency_site.backoffice.lists.state import ListState
from agency_site.db.engine import read_scope, session_scope
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.statements import statements

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


async def audit(reference: str, rows: int) -> None:
    entry = {
        "at": clock.now(),
        "actor": "shell",
        "action": "booking.moved",
        "kind": "booking",
        "reference": reference,
    }
    async with session_scope() as session:
        await (await session.connection()).execute(insert(AuditEntry), [entry] * rows)


async def test_pages_lead_to_the_first_ten_thousand_rows_and_say_that_there_are_more() -> None:
    await hire()
    await audit("BK-7F3K9Q", COUNTED + PAGE_SIZE)
    await audit("BK-AAAAAA", 2)
    page = Tab(ListState, (await enter()).token, f"{AUDIT_LOG.path}?page=9999")
    await page.run("open_list")
    assert (page.state.total, page.state.pages, page.state.page) == (COUNTED + 1, DEEPEST_PAGE, DEEPEST_PAGE)
    assert len(page.state.lines) == PAGE_SIZE
    page.go_to(f"{AUDIT_LOG.path}?q=bk-7f3k9q")
    await page.run("open_list")
    assert (page.state.total, len(page.state.lines)) == (COUNTED + 1, PAGE_SIZE)
    page.go_to(f"{AUDIT_LOG.path}?q=bk-aaaaaa")
    await page.run("open_list")
    assert (page.state.total, page.state.pages) == (2, 1)


@pytest.mark.parametrize(("words", "statement_counts"), [("", (2, 1, 3)), ("bk-7f3k9q", (2, 2, 3))])
async def test_a_page_comes_with_the_number_of_rows_and_few_statements(
    words: str, statement_counts: tuple[int, ...]
) -> None:
    """A page that is not full shows the number of rows; a search runs once. The third page does not exist."""
    await audit("BK-7F3K9Q", PAGE_SIZE + 2)
    pages = []
    for number in (1, 2, 3):
        async with read_scope() as session:
            with statements() as statements_sent:
                opened_page = await open_page(session, AUDIT_LOG, ListQuery(words=words, page=number))
        pages.append((opened_page.number, len(opened_page.rows), opened_page.total, len(statements_sent)))
    total = PAGE_SIZE + 2
    assert pages == [
        (1, PAGE_SIZE, total, statement_counts[0]),
        (2, 2, total, statement_counts[1]),
        (2, 2, total, statement_counts[2]),
    ]


async def test_an_empty_list_has_one_page() -> None:
    async with read_scope() as session:
        page = await open_page(session, AUDIT_LOG, ListQuery(words="nobody", page=2))
    assert (page.number, list(page.rows), page.total) == (1, [], 0)


async def test_the_last_page_stays_when_a_page_beyond_it_was_asked_for() -> None:
    await hire()
    await audit("BK-7F3K9Q", PAGE_SIZE + 2)
    page = Tab(ListState, (await enter()).token, f"{AUDIT_LOG.path}?q=bk-7f3k9q&page=9")
    await page.run("open_list")
    await page.run("refresh")
    assert (page.state.page, page.state.pages, len(page.state.lines)) == (2, 2, 2)
    await audit("BK-7F3K9Q", 1)
    await page.run("refresh")
    assert (page.state.total, len(page.state.lines)) == (PAGE_SIZE + 3, 3)
