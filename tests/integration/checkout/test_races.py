"""Fifty presses at the same instant over two server processes: one order, one prompt, one charge.

Two things keep the press single: each request looks for an order of the same press before it makes one, and the
unique `open_key` refuses what slips through. The test runs with both, and with `careless` processes whose first look
finds nothing, so that the constraint alone is left.
Observed after the constraint `uq_orders_open_key` was dropped, two runs each:

                    looking, SQLite    looking, PostgreSQL            careless, either
    with it         1 order, 1 push    1 order, 1 push                1 order, 1 push
    without         1 order, 1 push    35 and 40 orders and pushes,   50 orders, 50 pushes,
                                       up to 2 prompts paid           up to 6 prompts paid

SQLite holds with looking alone because a writing session takes the write lock before it looks. That no more prompts
were paid is the simulator's doing, which refuses a second prompt on a phone while one is open.
"""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from tests.api_servers import ROOT, SITE_API, api_servers
from tests.integration.checkout.conftest import PRICE, enrolments, mails, order_body, orders, payments
from tests.servers import end, free_port, wait_for_port
from tests.simulator import Control

CROWD = 50
CARELESS = "tests.integration.checkout.careless:create_careless_api"


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


@pytest.mark.parametrize("factory", [SITE_API, CARELESS], ids=["looking", "careless"])
async def test_fifty_presses_over_two_processes_send_one_prompt(
    database: str, simulator: str, factory: str
) -> None:
    async with (
        httpx.AsyncClient(timeout=60, trust_env=False) as http,
        httpx.AsyncClient(base_url=simulator, timeout=60, trust_env=False) as reading,
    ):
        with api_servers(2, database, factory=factory, mpesa_base_url=simulator) as sites:
            answers = await asyncio.gather(
                *(http.post(f"{sites[n % 2]}/api/stkpush", json=order_body()) for n in range(CROWD))
            )
            await Control(reading).settled()
        ledger = await Control(reading).ledger()
    assert Counter(answer.status_code for answer in answers) == {200: CROWD}
    assert len({answer.text for answer in answers}) == 1
    assert (ledger["calls"]["push"], len(ledger["prompts"]), ledger["charged"]) == (1, 1, PRICE)
    assert (len(await orders()), len(await payments()), len(await enrolments())) == (1, 1, 1)
    assert Counter(await mails()) == {"enrolment-confirmed": 1, "staff-enrolled": 1}
