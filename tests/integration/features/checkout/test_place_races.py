"""Several processes sell the places of one course run, or give them to its waiting list, at the same time."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from sqlalchemy import text

from agency_site.db.engine import read_scope
from agency_site.features.academy.runs import records
from tests.api_servers import ROOT
from tests.integration.features.academy.learners import end_enrolment, list_mails
from tests.integration.features.academy.runs import open_run
from tests.integration.features.academy.waiting import count_taken, fill_run, join, list_states
from tests.servers import bare_environment

pytestmark = pytest.mark.each_database

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
    """Return the results of the orders of all processes, which run at the same time."""
    module = "tests.integration.features.checkout.buying"
    return race(database_url, *((module, run, str(seed)) for seed in range(PROCESSES)))


def race(database_url: str, *modules: tuple[str, ...]) -> Counter[str]:
    """The sum of what the processes, each a module with its arguments, have printed."""
    # Places that are given up are free at once: more of them change hands.
    own = {
        "AGENCY_DATABASE_URL": database_url,
        "AGENCY_LOG_LEVEL": "error",
        "AGENCY_PLACE_KEPT_MINUTES": "0",
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-m", *module], cwd=ROOT, env=bare_environment() | own, stdout=subprocess.PIPE
        )
        for module in modules
    ]
    printed = [process.communicate(timeout=240)[0] for process in running]
    assert [process.returncode for process in running] == [0] * len(modules)
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
        count_taken = (await records.find_run(session, run.reference)).taken
    assert held == count_taken <= capacity
    assert disagreeing == 0
    assert sold["paid"] + sold["late"] + sold["refunded"] > 0
    assert sold["full"] > 0


@pytest.mark.parametrize(("places", "people"), [(1, 2), (6, 4)])
async def test_freed_places_go_to_the_waiting_list_once_and_to_other_buyers_afterwards(
    database: str, places: int, people: int
) -> None:
    run = await fill_run(places, starts_at="2030-01-08T18:30")
    for number in range(people):
        await join(run, f"person{number}")
    await end_enrolment()
    module = "tests.integration.features.checkout.handing_over"
    jobs = [(module, "job", run.reference)] * 2
    sales = race(database, *jobs, (module, "buyer", run.reference))
    offered = min(places, people)
    assert sales["offered"] == offered
    assert (await list_states()).count("offered") == offered
    assert len(await list_mails("waiting-offer")) == offered
    assert sales["sold"] <= places - offered
    async with read_scope() as session:
        held = (await (await session.connection()).execute(text(HELD))).scalar_one()
    assert held == await count_taken(run) == offered + sales["sold"]
