"""Many histories: in one process, or batch after batch in several."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

from tests.servers import sqlite_template
from tests.simulation.history import Outcome, plan_history, run_plan
from tests.simulation.world import prepared


def run_seeds(families: Sequence[str], seeds: Sequence[int]) -> list[Outcome]:
    """The histories that fail."""
    with prepared(sqlite_template()):
        outcomes = (run_plan(plan_history(seed, families)) for seed in seeds)
        return [outcome for outcome in outcomes if outcome.violations]


def run_batches(
    seeds: range, families: Sequence[str], processes: int, batch: int = 250
) -> Iterator[tuple[range, list[Outcome]]]:
    """Each batch with the histories that fail, in the order of the seeds."""
    batches = [seeds[begin : begin + batch] for begin in range(0, len(seeds), batch)]
    context = get_context("spawn")

    def run(some: range) -> list[Outcome]:
        # A process for each batch: what crashed processes leave stays in memory. A pool that replaces its workers
        # (`max_tasks_per_child`) may wait for ever for a process that is never started (CPython issue 115634).
        with ProcessPoolExecutor(1, context) as pool:
            return pool.submit(partial(run_seeds, families), some).result()

    with ThreadPoolExecutor(processes) as threads:
        yield from zip(batches, threads.map(run, batches), strict=True)
