"""Runs schedules of faults, and prints how many broke a promise."""

import argparse
import asyncio
import signal
import sys
import tempfile
import time
import traceback
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

from tests.bench.faults.books import is_settled, read_books, violations
from tests.bench.faults.fast_clock import HEALING_SPEED, SPEED
from tests.bench.faults.shoppers import Shopper
from tests.bench.faults.stage import FAULTS, Stage, staged
from tests.bench.running import heading

_SHOPPERS, _MOST_FAULTS = 8, 5
_HEALING_SECONDS = 120.0
"""More than an hour of the fast clock: the books are read once a prompt cannot be answered any more."""


@dataclass(frozen=True)
class Recovery:
    """How long after a fault both servers answered again."""

    fault: str
    seconds: float


@dataclass
class Campaign:
    """The schedules that are left, and what the others have shown."""

    database: str
    seeds: deque[int]
    starts: asyncio.Semaphore
    played: int = 0
    broken: int = 0
    """Schedules with a violation."""
    unjudged: int = 0
    """Schedules in which the test itself failed, for example because a server did not start in time."""
    recoveries: list[Recovery] = field(default_factory=list)

    async def play(self, folder: Path) -> None:
        """One schedule after another, on one stage; on a new one where the instrument itself has failed."""
        while self.seeds:
            own = Path(tempfile.mkdtemp(dir=folder))
            try:
                async with staged(self.database, own, self.starts) as stage:
                    while self.seeds:
                        await self._play_next(stage)
            except Exception:
                self.unjudged += 1
                traceback.print_exc()

    async def _play_next(self, stage: Stage) -> None:
        seed = self.seeds.popleft()
        recoveries, result = await _play(stage, seed)
        self.recoveries += recoveries
        self.played, self.broken = self.played + 1, self.broken + bool(result)
        happened = ", ".join(f"{recovery.fault} ({recovery.seconds:.1f} s)" for recovery in recoveries)
        lines = [f"{self.played}. seed {seed}: {happened}: {'' if result else 'ok'}", *result]
        print("\n    ".join(lines), flush=True)

    def print_figures(self) -> None:
        """The totals of all schedules."""
        print(
            f"\n{self.played} schedules on {self.database}, {len(self.recoveries)} faults, {self.broken} with a violation; "
            f"{self.unjudged} more could not be judged"
        )
        print("fault, how often, seconds until both servers answer: median, longest")
        for fault in sorted({recovery.fault for recovery in self.recoveries}):
            seconds = [recovery.seconds for recovery in self.recoveries if recovery.fault == fault]
            print(f"{fault}: {len(seconds)}, {median(seconds):.1f}, {max(seconds):.1f}")


async def _strike(stage: Stage, chance: Random) -> list[Recovery]:
    """Faults one after another, each once the one before has healed."""
    happened = []
    for _ in range(chance.randrange(1, _MOST_FAULTS + 1)):
        await asyncio.sleep(chance.uniform(0, 3))
        fault = chance.choice(FAULTS)
        await fault(stage, chance)
        happened.append(Recovery(fault.__name__.replace("_", " "), await stage.recover()))
    return happened


async def _play(stage: Stage, seed: int) -> tuple[list[Recovery], list[str]]:
    """The faults of one schedule, and the promises that were broken once everything had healed."""
    chance = Random(seed)
    shoppers = [Shopper(seed * _SHOPPERS + number, Random(chance.random())) for number in range(_SHOPPERS)]
    async with asyncio.TaskGroup() as acting:
        striking = acting.create_task(_strike(stage, chance))
        for shopper in shoppers:
            acting.create_task(shopper.shop(stage))
    await stage.control.settled()
    stage.clock.set_speed(HEALING_SPEED)
    until = time.monotonic() + _HEALING_SECONDS
    while not await is_settled(stage, shoppers) and time.monotonic() < until:  # noqa: ASYNC110 - as other processes work
        await asyncio.sleep(1)
    result = violations(await read_books(stage, shoppers), shoppers)
    stage.clock.set_speed(SPEED)
    return striking.result(), result


async def _run(database: str, seeds: range, together: int) -> int:
    campaign = Campaign(database, deque(seeds), asyncio.Semaphore(1))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, campaign.seeds.clear)
    with tempfile.TemporaryDirectory(prefix="agency-faults-") as folder:
        async with asyncio.TaskGroup() as stages:
            for _ in range(min(together, len(seeds))):
                stages.create_task(campaign.play(Path(folder)))
    campaign.print_figures()
    return 1 if campaign.broken or campaign.unjudged else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.faults",
        epilog="After SIGTERM no schedule begins, and the figures are printed.",
    )
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--together", type=int, default=4, help="stages side by side, each with servers of its own"
    )
    chosen = parser.parse_args()
    heading("Faults while shoppers pay", f"python -m tests.bench.faults --database {chosen.database}")
    sys.exit(
        asyncio.run(
            _run(chosen.database, range(chosen.seed, chosen.seed + chosen.schedules), chosen.together)
        )
    )
