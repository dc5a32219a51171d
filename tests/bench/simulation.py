"""How many simulated histories hold, and what one takes.

`python -m tests.bench.simulation --histories 100000` is the long run.
"""

import argparse
import resource
import sys
import time

from tests.bench.running import heading
from tests.simulation.campaign import run_batches
from tests.simulation.faults import FAMILIES
from tests.simulation.history import describe_outcome

_PROCESSES = 2


def main(histories: int = 2_000) -> bool:
    """Run them from seed 0, print the figures and the first story that does not hold; whether all hold."""
    heading("Simulated histories", f"python -m tests.bench.simulation --histories {histories}")
    started_at, used = time.monotonic(), _processor_seconds()
    failed = [
        outcome
        for _, result in run_batches(range(histories), list(FAMILIES), _PROCESSES)
        for outcome in result
    ]
    seconds, used = time.monotonic() - started_at, _processor_seconds() - used
    print(f"{histories:,} histories in {seconds:.0f} s, {used / histories:.2f} s of processor time each, "
          f"{len(failed)} with a violation\n")  # fmt: skip
    if failed:
        print(describe_outcome(failed[0]))
    return not failed


def _processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.simulation", description=__doc__)
    parser.add_argument("--histories", type=int, default=2_000)
    sys.exit(not main(parser.parse_args().histories))
