"""Many requests at the same instant over two server processes: one order, one prompt, one charge.

Two things keep a person's order for a course single: each request looks for it before it makes one, and the unique
`open_key` refuses what slips through. In the same way the unique `previous_order_id` lets each order be followed once.
The tests run with both, and with `careless` processes whose first look finds nothing, so that the constraints alone are
left. The prompts of one phone are counted one transaction at a time.
"""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api_servers import ROOT, SITE_API, api_servers
from tests.integration.features.checkout.conftest import (
    PRICE,
    enrolments,
    mails,
    order_body,
    orders,
    payments,
)
from tests.servers import end, free_port, wait_for_port
from tests.simulator import Control

CROWD = 50
CARELESS = "tests.integration.features.checkout.careless:create_careless_api"


@pytest.fixture
def simulator() -> Iterator[str]:
    """A simulator in a process of its own, shared by all servers."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "agency_site.mpesa.simulator", "--port", str(port), "--delay", "0.3"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("AGENCY_")},
    )
    try:
        wait_for_port(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        end(process)


Body = dict[str, object]


async def crowd(database: str, simulator: str, factory: str, bodies: list[Body]) -> list[httpx.Response]:
    """The answers to all requests, sent at once to two server processes in turn."""
    async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
        with api_servers(2, database, factory=factory, mpesa_base_url=simulator) as sites:
            answers = await asyncio.gather(
                *(http.post(f"{sites[n % 2]}/api/stkpush", json=body) for n, body in enumerate(bodies))
            )
            async with httpx.AsyncClient(base_url=simulator, timeout=60, trust_env=False) as reading:
                await Control(reading).settled()
    return list(answers)


async def ledger_of(simulator: str) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=simulator, timeout=60, trust_env=False) as reading:
        return await Control(reading).ledger()


def from_phones(count: int) -> list[Body]:
    return [order_body(phone=f"0712 345 {100 + number}") for number in range(count)]


@pytest.mark.parametrize("factory", [SITE_API, CARELESS], ids=["looking", "careless"])
@pytest.mark.parametrize("bodies", [[order_body()] * CROWD, from_phones(CROWD)], ids=["same", "phones"])
async def test_fifty_requests_for_one_course_send_one_prompt(
    database: str, simulator: str, factory: str, bodies: list[Body]
) -> None:
    answers = await crowd(database, simulator, factory, bodies)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: CROWD - 1}
    ledger = await ledger_of(simulator)
    assert (ledger["calls"]["push"], len(ledger["prompts"]), ledger["charged"]) == (1, 1, PRICE)
    assert (len(await orders()), len(await payments()), len(await enrolments())) == (1, 1, 1)
    assert Counter(await mails()) == {"enrolment-confirmed": 1, "staff-enrolled": 1, "order-exists": 1}


@pytest.mark.parametrize("factory", [SITE_API, CARELESS], ids=["looking", "careless"])
async def test_of_fifty_new_orders_that_name_the_same_one_is_placed(
    database: str, simulator: str, factory: str
) -> None:
    [first] = await crowd(database, simulator, SITE_API, [order_body()])
    again = [{**body, "previousOrder": first.json()["reference"]} for body in from_phones(CROWD)]
    answers = await crowd(database, simulator, factory, again)
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: CROWD - 1}
    assert (len(await orders()), (await ledger_of(simulator))["charged"]) == (2, 2 * PRICE)


async def test_fifty_orders_for_one_phone_ask_mpesa_three_times(database: str, simulator: str) -> None:
    bodies = [order_body(email=f"guest{number}@example.com") for number in range(CROWD)]
    answers = await crowd(database, simulator, SITE_API, bodies)
    full = [answer for answer in answers if answer.status_code == 429]
    assert len(full) == CROWD - 3
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in full)
    assert (await ledger_of(simulator))["calls"]["push"] == len(await payments()) == 3
