"""Several processes sell the places of one course run at the same time."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest
from sqlalchemy import text

from agency_site.db.engine import read_scope
from agency_site.features.academy import records
from tests.api_servers import ROOT
from tests.integration.features.academy.runs import open_run

PROCESSES, CAPACITY = 3, 12
HELD = (
    "select coalesce((select sum(places) from place_reservations), 0) "
    "+ coalesce((select sum(places) from enrolments where run_id is not null and ended_at is null), 0)"
)
DISAGREEING = (
    "select count(*) from orders o left join enrolments e on e.order_id = o.id "
    "where (o.state in ('paid', 'refunded')) <> (e.id is not null)"
)


def sell(database_url: str, run: str) -> Counter[str]:
    """What became of the orders of all processes, which run at the same time."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AGENCY_")}
    # Places that are given up are free at once: more of them change hands.
    own = {
        "AGENCY_DATABASE_URL": database_url,
        "AGENCY_LOG_LEVEL": "error",
        "AGENCY_PLACE_KEPT_MINUTES": "0",
    }
    module = "tests.integration.features.checkout.buying"
    running = [
        subprocess.Popen(
            [sys.executable, "-m", module, run, str(seed)], cwd=ROOT, env=kept | own, stdout=subprocess.PIPE
        )
        for seed in range(PROCESSES)
    ]
    printed = [process.communicate(timeout=240)[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return sum((Counter(json.loads(output)) for output in printed), Counter[str]())


@pytest.mark.parametrize("capacity", [CAPACITY, 1])
async def test_processes_that_sell_at_once_never_sell_more_places_than_there_are(
    database: str, capacity: int
) -> None:
    run = await open_run(capacity=str(capacity), starts_at="2030-01-08T18:30")
    sold = sell(database, run.reference)
    async with read_scope() as session:
        connection = await session.connection()
        held = (await connection.execute(text(HELD))).scalar_one()
        disagreeing = (await connection.execute(text(DISAGREEING))).scalar_one()
        taken = (await records.find_run(session, run.reference)).taken
    assert held == taken <= capacity
    assert disagreeing == 0
    assert sold["paid"] + sold["late"] + sold["refunded"] > 0
    assert sold["full"] > 0
