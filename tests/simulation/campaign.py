"""Many histories in one process."""

from collections.abc import Sequence

from tests.servers import sqlite_template
from tests.simulation.history import Outcome, plan_history, run_plan
from tests.simulation.world import prepared


def run_seeds(seeds: Sequence[int], families: Sequence[str]) -> list[Outcome]:
    """The histories that fail."""
    with prepared(sqlite_template()):
        outcomes = (run_plan(plan_history(seed, families)) for seed in seeds)
        return [outcome for outcome in outcomes if outcome.violations]
