"""A process that has not read what staff have published takes no orders and no bookings, and says that it is not ready."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError

from agency_site.backoffice.status.usecases import report_process
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS
from agency_site.content.published import replace_published
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.web.serving import jobs, live_content
from agency_site.web.serving.health import watch_redis
from agency_site.web.serving.jobs import run_jobs
from agency_site.web.serving.live_content import refresh_content
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import order_body

Configure = Callable[..., object]
BOOKING = {
    "fullname": "Amina Wanjiku",
    "emailaddress": "amina@example.com",
    "phonenumber": "0712 345 678",
    "date": "2026-11-24",
    "time": "09:00",
}


@pytest.fixture(autouse=True)
async def forgets(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(jobs, "JOBS", ((watch_redis, 60.0),))
    monkeypatch.setattr(live_content, "_shown_stamp", 0)
    yield
    replace_published({})


async def publish_price(price: int) -> None:
    kind, slug = Kind.COURSE, PAID_COURSE.slug
    async with session_scope() as session:
        fields = {**KINDS[kind].fields_of(PAID_COURSE), "price": str(price)}
        entry = await staff.save_entry(session, kind, slug, 0, fields, "editor@example.com")
        await staff.publish_entry(session, kind, slug, entry.version, "editor@example.com")


async def readiness(client: httpx.AsyncClient) -> tuple[int, list[str]]:
    answer = await client.get("/readyz")
    return answer.status_code, answer.json()["missing"]


@pytest.mark.usefixtures("noon")
async def test_a_process_that_starts_during_an_outage_sells_nothing_until_it_has_read_the_prices(
    client: httpx.AsyncClient, database: str, configure: Configure
) -> None:
    await publish_price(18_000)
    order = order_body(amount=15_000)
    configure(database_url="postgresql+psycopg://nobody@127.0.0.1:1/none")
    await dispose_engine()
    async with run_jobs():
        configure(database_url=database)
        await dispose_engine()
        assert await readiness(client) == (503, ["content"])
        for path, body in (("/api/stkpush", order), ("/api/book", BOOKING)):
            answer = await client.post(path, json=body)
            assert (answer.status_code, "Retry-After" in answer.headers) == (503, True)
        await refresh_content()
        assert await readiness(client) == (200, [])
        assert (await client.post("/api/stkpush", json=order)).status_code == 422


@pytest.mark.usefixtures("database")
async def test_a_page_that_cannot_be_drawn_does_not_keep_a_process_from_opening(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("not drawn")

    await publish_price(18_000)
    monkeypatch.setattr(live_content, "_redraw", fail)
    monkeypatch.setattr(live_content, "_followed", [object()])
    async with run_jobs():
        assert await readiness(client) == (200, [])


READ_ONLY = {
    "sqlite": "PRAGMA query_only=ON",
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
}
"""Statements that make the connection refuse writes."""


@pytest.mark.each_database
async def test_a_database_that_refuses_writes_makes_the_site_not_ready_until_one_succeeds(
    client: httpx.AsyncClient, database: str
) -> None:
    await report_process()
    assert await readiness(client) == (200, [])
    async with session_scope() as session:
        statement = READ_ONLY[make_url(database).get_backend_name()]
        await (await session.connection()).execute(text(statement))
    with pytest.raises(DBAPIError):
        await report_process()
    assert await readiness(client) == (503, ["writing"])
    await dispose_engine()
    async with session_scope():
        """A commit of nothing."""
    assert await readiness(client) == (503, ["writing"])
    await report_process()
    assert await readiness(client) == (200, [])
