"""`python -m tests.bench.redis_failover`: Redis' primary is killed while visitors book, pay and use open pages.

Real processes: a server of the whole site, a primary and its replica, three Sentinels that promote the replica, and HAProxy with
`deploy/redis/haproxy.cfg`, which leads one address to whichever is the primary. Printed are how long an open page got no
answer, how long bookings and payments stopped, and how many confirmed ones are lost: the goals are 30 s and none.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from agency_site.settings import Settings, settings
from tests.api_servers import api_servers
from tests.bench.bookings import CAPACITY, places
from tests.bench.crowd import Visitor
from tests.bench.failover import GOAL_SECONDS, Confirmed, book, pay
from tests.bench.running import heading
from tests.redis_pair import RedisPair, redis_binary, redis_pair
from tests.servers import Postgres, free_port, running

SITE = "tests.integration.web.site_sockets:create"
BEFORE_SECONDS, AFTER_SECONDS = 8, 30
_DOWN_MS, _FAILOVER_MS = 2000, 6000
"""When a Sentinel calls the primary down, and how long one failover may take."""
_EVENT_PATIENCE = 3.0


@contextmanager
def watched_pair(folder: Path) -> Iterator[RedisPair]:
    """The pair with three Sentinels."""
    with redis_pair() as pair, ExitStack() as stack:
        for number in range(3):
            port, file = free_port(), folder / f"sentinel-{number}.conf"
            file.write_text(
                f"port {port}\nbind 127.0.0.1\ndir {folder}\nsentinel monitor site 127.0.0.1 {pair.ports[0]} 2\n"
                f"sentinel down-after-milliseconds site {_DOWN_MS}\nsentinel failover-timeout site {_FAILOVER_MS}\n"
            )
            stack.enter_context(running([redis_binary(), str(file), "--sentinel"], port))
        yield pair


@dataclass
class Page:
    """An open page, and when its carousel's ticks were answered."""

    answered_at: list[float] = field(default_factory=list)
    opened: int = 0

    async def use(self, port: int) -> None:
        """Tick four times a second; open the page anew when it does not answer, as a browser connects again."""
        while True:
            try:
                visitor = await asyncio.wait_for(Visitor.open(port), _EVENT_PATIENCE)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.25)
                continue
            self.opened += 1
            listening = asyncio.create_task(visitor.listen())
            try:
                while not listening.done():
                    visitor.tick(time.perf_counter())
                    await asyncio.wait_for(visitor.answered.wait(), _EVENT_PATIENCE)
                    self.answered_at.append(time.monotonic())
                    await asyncio.sleep(0.25)
            except (OSError, TimeoutError):
                continue
            finally:
                listening.cancel()


def longest_gap(moments: list[float], since: float, until: float) -> float:
    """The longest time without one of these moments."""
    results = [since, *(moment for moment in moments if since < moment < until), until]
    return max(after - before for before, after in itertools.pairwise(results))


def _wait_for_promotion(pair: RedisPair) -> float:
    """Return the moment at which the replica is the primary."""
    while pair.roles()[1] != "master":
        time.sleep(0.1)
    return time.monotonic()


async def measure(pair: RedisPair, server: str, database: str) -> bool:
    """Kill the primary amid traffic; whether the goals are met."""
    confirmed, page, names = Confirmed(), Page(), itertools.count(1)
    chosen = itertools.islice(places(), 0, None, 3)
    async with httpx.AsyncClient(base_url=server, timeout=8.0, trust_env=False) as http:
        work = [asyncio.create_task(book(http, chosen, names, confirmed)) for _ in range(4)]
        work += [asyncio.create_task(pay(http, names, confirmed)) for _ in range(4)]
        work.append(asyncio.create_task(page.use(urlsplit(server).port or 80)))
        await asyncio.sleep(BEFORE_SECONDS)
        before = len(page.answered_at)
        pair.primary.kill()
        killed = time.monotonic()
        promoted = await asyncio.to_thread(_wait_for_promotion, pair) - killed
        await asyncio.sleep(AFTER_SECONDS)
        ended = time.monotonic()
        for task in work:
            task.cancel()
        ends = await asyncio.gather(*work, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends
    assert before > BEFORE_SECONDS, "the page was not answered before the failover"
    with psycopg.connect(database) as connection:
        references = {row[0] for row in connection.execute("SELECT reference FROM bookings")}
        paid = {
            row[0]
            for row in connection.execute("SELECT merchant_request_id FROM payments WHERE state = 'paid'")
        }
    lost = len(set(confirmed.bookings) - references), len(set(confirmed.payments) - paid)
    gaps = [
        longest_gap(moments, killed, ended)
        for moments in (page.answered_at, confirmed.booked_at, confirmed.paid_at)
    ]
    print(
        f"replica promoted {promoted:.1f} s after the primary was killed (down after {_DOWN_MS / 1000:.0f} s)"
    )
    print(f"longest time without an answer to an open page {gaps[0]:.1f} s, without a booking {gaps[1]:.1f} s, "
          f"without a payment {gaps[2]:.1f} s (goal {GOAL_SECONDS} s)")  # fmt: skip
    print(
        f"confirmed: {len(confirmed.bookings)} bookings, {len(confirmed.payments)} payments; lost: {lost[0]} and {lost[1]}"
    )
    print(
        f"events answered: {before} before, {len(page.answered_at) - before} after; the page connected {page.opened} times"
    )
    print(f"refused: {len(confirmed.refusals)} {confirmed.refusals[:1]}")
    return lost == (0, 0) and max(gaps) <= GOAL_SECONDS and not confirmed.refusals


def main() -> int:
    """Measure; returns the exit code."""
    heading("Redis fails over to its replica", "python -m tests.bench.redis_failover")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setitem(Settings.model_config, "env_file", None)
        settings.cache_clear()
        url = stack.enter_context(Postgres.started()).fresh_database()
        patch.setenv("AGENCY_DATABASE_URL", url)
        pair = stack.enter_context(watched_pair(folder))
        (server,) = stack.enter_context(
            api_servers(
                1, url, factory=SITE, log=folder / "server.log", booking_capacity=CAPACITY, booking_horizon_days=366,
                rate_limit_forms="1000000/minute", journal_folder=folder / "journal",
                redis_url=f"redis://127.0.0.1:{pair.address}/0",
            )
        )  # fmt: skip
        met = asyncio.run(measure(pair, server, url.replace("+psycopg", "")))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
