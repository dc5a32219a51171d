"""`make simulate`: run many histories, and describe the first that fails."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.servers import sqlite_template
from tests.simulation.campaign import run_batches
from tests.simulation.faults import FAMILIES, choose_families
from tests.simulation.history import Outcome, describe_outcome, plan_history, run_plan, shrink
from tests.simulation.world import prepared


def main() -> int:
    """Run the histories that the arguments name. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", default="0-1999", help="such as 17 or 0-1999")
    parser.add_argument("--faults", default="all", help=f"all, none, or some of {','.join(FAMILIES)}")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--story", action="store_true", help="print each history, whether it fails or not")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    families = choose_families(arguments.faults)
    if arguments.story:
        return _tell(seeds, families)
    started = time.monotonic()
    failed: list[Outcome] = []
    for batch, batch_failures in run_batches(seeds, families, arguments.processes):
        failed += batch_failures
        print(f"up to {batch[-1]}: {len(failed)} failed, {time.monotonic() - started:.0f} s", flush=True)
    seconds = time.monotonic() - started
    print(
        f"{len(seeds)} histories in {seconds:.0f} s, {len(seeds) / seconds:.1f} a second; {len(failed)} failed"
    )
    for kind, number in Counter(outcome.violations[0] for outcome in failed).most_common(40):
        print(f"  {number} x {kind}")
    if failed:
        print("seeds:", *(outcome.plan.seed for outcome in failed[:60]))
        with prepared(sqlite_template()):
            print(describe_outcome(shrink(failed[0])))
    return 1 if failed else 0


def _tell(seeds: Sequence[int], families: Sequence[str]) -> int:
    failed = False
    with prepared(sqlite_template()):
        for seed in seeds:
            outcome = run_plan(plan_history(seed, families))
            failed = failed or bool(outcome.violations)
            print(describe_outcome(outcome))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
