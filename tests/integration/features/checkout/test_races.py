"""Many requests at the same instant over two server processes: one order, one prompt, one charge.

Two things keep a person's order for a course single: each request looks for it before it makes one, and the unique
`open_key` refuses what slips through. In the same way the unique `previous_order_id` lets each order be followed once.
The tests run with both, and with `careless` processes whose first look finds nothing, so that the constraints alone are
left. The prompts of one phone are counted one transaction at a time.
"""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest
from sqlalchemy import delete

from agency_site.db.engine import dispose_engine, session_scope
from agency_site.db.tables import metadata
from tests.api_servers import ROOT, SITE_API, api_servers
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import (
    enrolments,
    mails,
    order_body,
    orders,
    payments,
)
from tests.servers import bare_environment, end, free_port, fresh_sqlite, pgbouncer, wait_for_port
from tests.simulator import Control

PRICE = PAID_COURSE.payment_price
"""The price that server processes charge."""

CROWD = 50
CARELESS = "tests.integration.features.checkout.careless:create_careless_api"


Body = dict[str, object]


@dataclass(frozen=True)
class Clients:
    """Many clients of two server processes."""

    sites: list[str]
    control: Control

    async def post(self, bodies: list[Body]) -> list[httpx.Response]:
        """Return the answers to all requests, sent at once to the processes in turn, once M-Pesa has decided about each."""
        async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
            answers = await asyncio.gather(
                *(http.post(f"{self.sites[n % 2]}/api/stkpush", json=body) for n, body in enumerate(bodies))
            )
        await self.control.settled()
        return list(answers)


@pytest.fixture(scope="module")
def simulator() -> Iterator[str]:
    """A simulator in a process of its own, shared by all servers."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "agency_site.mpesa.simulator", "--port", str(port), "--delay", "0.3"],
        cwd=ROOT,
        env=bare_environment(),
    )
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)


@pytest.fixture(
    scope="module", params=["sqlite", "postgresql", pytest.param("pgbouncer", marks=pytest.mark.thorough)]
)
def shared_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, object]]:
    """Settings of the servers' database; each test begins without rows."""
    if request.param == "sqlite":
        yield {"database_url": fresh_sqlite(tmp_path_factory.mktemp("races") / "races.sqlite3")}
        return
    with request.getfixturevalue("postgres").empty_database() as url:
        if request.param == "postgresql":
            yield {"database_url": url}
            return
        with pgbouncer(url, connections=4) as pooled:
            yield {"database_url": pooled, "database_prepares": "false"}


@pytest.fixture(scope="module")
def sites(
    request: pytest.FixtureRequest, shared_database: dict[str, object], simulator: str
) -> Iterator[list[str]]:
    """Two server processes of the application that the test names, for all its tests: a start takes longer than a test."""
    prepares = shared_database.get("database_prepares", "true")
    with api_servers(
        2,
        str(shared_database["database_url"]),
        factory=request.param,
        mpesa_base_url=simulator,
        database_prepares=prepares,
    ) as urls:
        yield urls


@pytest.fixture
async def clients(
    sites: list[str], shared_database: dict[str, object], simulator: str, configure: Callable[..., object]
) -> AsyncIterator[Clients]:
    """The servers with nothing in the database and nothing in the simulator's ledger."""
    configure(**shared_database)
    async with httpx.AsyncClient(base_url=simulator, timeout=60, trust_env=False) as reading:
        await Control(reading).post("reset")
        async with session_scope() as session:
            # Rows of the audit log cannot be deleted, and no client writes to it.
            for table in reversed(
                [
                    sorted_table
                    for sorted_table in metadata.sorted_tables
                    if sorted_table.name != "audit_entries"
                ]
            ):
                await session.exec(delete(table))
        yield Clients(sites, Control(reading))
    await dispose_engine()


BOTH = pytest.mark.parametrize("sites", [SITE_API, CARELESS], ids=["looking", "careless"], indirect=True)


def from_phones(count: int) -> list[Body]:
    return [order_body(amount=PRICE, phone=f"0712 345 {100 + number}") for number in range(count)]


@BOTH
@pytest.mark.parametrize(
    "bodies", [[order_body(amount=PRICE)] * CROWD, from_phones(CROWD)], ids=["same", "phones"]
)
async def test_fifty_requests_for_one_course_send_one_prompt(clients: Clients, bodies: list[Body]) -> None:
    answers = await clients.post(bodies)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: CROWD - 1}
    ledger = await clients.control.ledger()
    assert (ledger["calls"]["push"], len(ledger["prompts"]), ledger["charged"]) == (1, 1, PRICE)
    assert (len(await orders()), len(await payments()), len(await enrolments())) == (1, 1, 1)
    assert Counter(await mails()) == {"enrolment-confirmed": 1, "staff-enrolled": 1, "order-exists": 1}


@BOTH
async def test_of_fifty_new_orders_that_name_the_same_one_is_placed(clients: Clients) -> None:
    [first] = await clients.post([order_body(amount=PRICE)])
    again = [{**body, "previousOrder": first.json()["reference"]} for body in from_phones(CROWD)]
    answers = await clients.post(again)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: CROWD - 1}
    assert (len(await orders()), (await clients.control.ledger())["charged"]) == (2, 2 * PRICE)


@pytest.mark.parametrize("sites", [SITE_API], ids=["looking"], indirect=True)
async def test_fifty_orders_for_one_phone_ask_mpesa_three_times(clients: Clients) -> None:
    bodies = [order_body(amount=PRICE, email=f"guest{number}@example.com") for number in range(CROWD)]
    answers = await clients.post(bodies)
    full = [answer for answer in answers if answer.status_code == 429]
    assert len(full) == CROWD - 3
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in full)
    assert (await clients.control.ledger())["calls"]["push"] == len(await payments()) == 3
