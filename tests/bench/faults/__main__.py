"""Runs schedules of faults, and prints how many broke a promise."""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from agency_site.db.engine import dispose_engine
from agency_site.settings import settings
from tests.bench.faults.books import is_settled, read_books, violations
from tests.bench.faults.shoppers import Shopper
from tests.bench.faults.stage import FAULTS, Stage, staged
from tests.bench.running import heading

_SHOPPERS, _MOST_FAULTS = 8, 5
_HEALING_SECONDS = 200.0
"""More than half an hour of the fast clock: the books are read once a prompt cannot be answered any more."""


async def _strike(stage: Stage, chance: Random, happened: list[str]) -> None:
    """Faults one after another, each once the one before has healed."""
    for _ in range(chance.randrange(1, _MOST_FAULTS + 1)):
        await asyncio.sleep(chance.uniform(0, 3))
        fault = chance.choice(FAULTS)
        happened.append(fault.__name__.replace("_", " "))
        await fault(stage, chance)
        await stage.recover()


async def _play(stage: Stage, seed: int) -> tuple[list[str], list[str]]:
    """The faults of one schedule, and the promises that were broken once everything had healed."""
    chance = Random(seed)
    shoppers = [Shopper(seed * _SHOPPERS + number, Random(chance.random())) for number in range(_SHOPPERS)]
    happened: list[str] = []
    await asyncio.gather(_strike(stage, chance, happened), *(shopper.shop(stage) for shopper in shoppers))
    until = time.monotonic() + _HEALING_SECONDS
    while not await is_settled(shoppers) and time.monotonic() < until:  # noqa: ASYNC110 - as other processes work
        await asyncio.sleep(1)
    await stage.control.settled()
    return happened, violations(await read_books(shoppers, await stage.control.ledger()), shoppers)


async def _run(database: str, schedules: int, first: int) -> int:
    broken, faults = 0, Counter[str]()
    with tempfile.TemporaryDirectory(prefix="agency-faults-") as folder:
        async with staged(database, Path(folder)) as stage:
            os.environ["AGENCY_DATABASE_URL"] = stage.database_url
            settings.cache_clear()
            for seed in range(first, first + schedules):
                happened, found = await _play(stage, seed)
                faults.update(happened)
                broken += bool(found)
                print(f"seed {seed}: {', '.join(happened)}: {'ok' if not found else ''}")
                for one in found:
                    print(f"    {one}")
                sys.stdout.flush()
            await dispose_engine()
            slowest = max(stage.recoveries)
    print(f"\n{schedules} schedules on {database}, {faults.total()} faults, {broken} with a violation; "
          f"slowest recovery {slowest:.1f} s")  # fmt: skip
    print(dict(faults))
    return 1 if broken else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.faults")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    heading("Faults while shoppers pay", f"python -m tests.bench.faults --database {chosen.database}")
    sys.exit(asyncio.run(_run(chosen.database, chosen.schedules, chosen.seed)))
