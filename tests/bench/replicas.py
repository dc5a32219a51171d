"""`python -m tests.bench.replicas`: 1, 2 and 4 server processes behind Caddy, on PostgreSQL (also through PgBouncer) and Redis.

Static pages over TLS (wrk), bookings, and events of open home pages, each beside what one process does in the same run, and
the processor time that each part takes for one of them: with every part on the same cores that says where it stops scaling.
Bookings come from this process, events and pages from processes of their own, so a server shares the machine with its load.
"""

import asyncio
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import httpx
import redis as redis_client

from agency_site.settings import Settings, settings
from agency_site.web.build.publish import site_folder
from tests.bench.bookings import BOOKINGS, CAPACITY, CLIENTS, measure, places, visitor
from tests.bench.load import crowd
from tests.bench.running import heading
from tests.caddy import caddy
from tests.e2e.own_server import own_server
from tests.servers import SECRET_KEY, Postgres, Redis, free_port, missing, pgbouncer, program

COMMAND = "python -m tests.bench.replicas"
PROCESSES = (1, 2, 4)
STATIC_SECONDS, CONNECTIONS = 5, 32
RATES, RATE_SECONDS, SOCKETS = (100, 200, 400, 600, 800, 1200), 5, 200
"""Events a second that are tried in turn, until one is too much."""
GOOD_MILLISECONDS = 100.0
"""Limit of the 95th percentile of events."""
OPEN_PAGES = 1000
LIMITS = ("api", "forms", "bookings", "payments", "sends", "posts", "form", "connects", "recipients")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Site:
    """Server processes behind one proxy."""

    count: int
    secure: int
    plain: int
    upstreams: list[int]
    servers: list[int]
    """Ids of the processes that were started; each has a worker."""
    redis: Redis


@dataclass(frozen=True)
class Figures:
    """How often a second something was done, how long it took in milliseconds, and what it cost."""

    name: str
    rate: float
    p50: float
    p95: float
    p99: float
    cost: str = ""

    def beside(self, other: "Figures | None") -> str:
        """A line, with the ratio to one process."""
        ratio = f"{self.rate / other.rate:5.2f} times" if other else " " * 11
        return (
            f"{self.name:<36}{self.rate:8.0f}/s {ratio}   p50 {self.p50:6.1f}   p95 {self.p95:6.1f}   "
            f"p99 {self.p99:6.1f} ms   {self.cost}"
        )


@contextmanager
def site(count: int, postgres: Postgres, redis: Redis, *, pooled: bool) -> Iterator[Site]:
    """Run server processes on a new database like production, without limits."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        secure, plain = free_port(), free_port()
        ports = [free_port() for _ in range(count)]
        database = postgres.fresh_database()
        own: dict[str, object] = {
            "env": "production", "secret_key": SECRET_KEY, "redis_url": redis.url, "trusted_proxy_hops": 1,
            "mpesa_simulator_in_production": "true", "log_level": "error",
            "booking_capacity": CAPACITY, "booking_horizon_days": 366,
            **{f"rate_limit_{name}": "1000000/minute" for name in LIMITS},
            "rate_limit_events": "1000000/second", "open_sockets": 100_000,
            "open_bodies": 1000,
        }  # fmt: skip
        if pooled:
            database = stack.enter_context(pgbouncer(database))
            own["database_prepares"] = "false"
        redis.flush()
        url = f"https://localhost:{secure}"
        stack.callback(shutil.rmtree, site_folder(url), ignore_errors=True)
        servers = [
            stack.enter_context(own_server(folder / f"{port}.log", url, database, port=port, **own))
            for port in ports
        ]
        stack.enter_context(caddy(folder, secure, plain, ports, "localhost, http://localhost"))
        yield Site(count, secure, plain, ports, [server.process.pid for server in servers], redis)


def family(process: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(result for child in children for result in family(int(child)))]


def seconds_by_part(servers: list[int]) -> Counter[str]:
    """Processor seconds that each part of the site, and what loads it, has taken so far."""
    counts: Counter[str] = Counter()
    served = {process for server in servers for process in family(server)}
    for process in family(os.getpid()):
        try:
            name, _, rest = Path(f"/proc/{process}/stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        part = "load" if process == os.getpid() else "server" if process in served else name
        counts[part] += int((int(fields[11]) + int(fields[12])) * 1000 / _TICKS)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts["load"] += int((ended.ru_utime + ended.ru_stime) * 1000)
    return counts


class Costs:
    """The processor time of each part between now and then."""

    def __init__(self, behind: Site) -> None:
        self._behind = behind
        self._before = seconds_by_part(behind.servers)

    def of(self, done: int) -> str:
        """Milliseconds of each part for one of so many."""
        spent = seconds_by_part(self._behind.servers) - self._before
        shares = [
            f"{part} {spent[part] / done:.2f}"
            for part, _ in spent.most_common()
            if spent[part] / done >= 0.005
        ]
        return "CPU ms: " + ", ".join(shares)


def static_pages(name: str, behind: Site, address: str) -> Figures:
    """Measure a page with wrk, with brotli and persistent connections."""
    wrk = program("wrk") or missing("wrk")
    costs = Costs(behind)
    order = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{STATIC_SECONDS}s", "--latency", "-s", "/dev/stdin", address]
    # wrk's own percentiles have no 95th.
    script = (
        'wrk.headers["Accept-Encoding"] = "br"\n'
        "function done(summary, latency)\n"
        'io.write(string.format("FOUND %d %d %d %d %d\\n", summary.requests, summary.errors.status,'
        " latency:percentile(50), latency:percentile(95), latency:percentile(99)))\nend\n"
    )
    printed = subprocess.run(order, input=script, check=True, capture_output=True, text=True).stdout
    match = re.search(r"FOUND (\d+) (\d+) (\d+) (\d+) (\d+)", printed)
    assert match, printed
    requests, errors, *times = map(int, match.groups())
    assert not errors, printed
    p50, p95, p99 = (value / 1000 for value in times)
    return Figures(name, requests / STATIC_SECONDS, p50, p95, p99, costs.of(requests))


async def bookings(name: str, behind: Site) -> Figures:
    """Bookings of 100 visitors at once, through the proxy."""
    chosen = list(islice(places(), 0, BOOKINGS * 3, 3))
    async with AsyncExitStack() as stack:
        visitors = [await stack.enter_async_context(visitor(behind.plain, chosen)) for _ in range(CLIENTS)]
        costs = Costs(behind)
        figures = await measure(name, visitors)
        cost = costs.of(BOOKINGS)
    ordered = sorted(figures.seconds)
    p50, p95, p99 = (ordered[int(len(ordered) * share) - 1] * 1000 for share in (0.5, 0.95, 0.99))
    return Figures(name, figures.rate, p50, p95, p99, cost)


def events(name: str, behind: Site) -> Figures:
    """The most events a second of which 95 of 100 are answered in time."""
    best = Figures(f"{name}: too slow at the lowest rate", RATES[0], 0, 0, 0)
    for rate in RATES:
        costs = Costs(behind)
        answers = crowd(name, f"http://localhost:{behind.plain}", SOCKETS, rate, RATE_SECONDS)
        if len(answers.durations) < answers.event_count or answers.at(0.95) > GOOD_MILLISECONDS:
            print(
                f"    {rate} events a second: {len(answers.durations)} of {answers.event_count}, p95 {answers.at(0.95):.0f} ms"
            )
            break
        # The crowd opens its pages and lets each tick once before it counts.
        done = answers.event_count + 2 * SOCKETS
        best = Figures(name, rate, answers.at(0.5), answers.at(0.95), answers.at(0.99), costs.of(done))
    return best


def resident(processes: list[int]) -> float:
    """Megabytes of memory that processes have, without what they share."""
    pages = 0
    for process in processes:
        results = [int(field) for field in Path(f"/proc/{process}/statm").read_text().split()]
        pages += results[1] - results[2]
    return pages * _PAGE / 1e6


def redis_megabytes(redis: Redis) -> float:
    """Return the memory of Redis."""
    with redis_client.Redis.from_url(redis.url) as client:
        return float(client.info("memory")["used_memory"]) / 1e6


def caddies() -> list[int]:
    """The proxy that this process has started."""
    return [item for item in family(os.getpid()) if Path(f"/proc/{item}/comm").read_text().strip() == "caddy"]


def open_pages(behind: Site) -> str:
    """Measure the memory of open pages in servers, proxy and Redis."""
    parts: dict[str, Callable[[], float]] = {
        "servers": lambda: resident([item for server in behind.servers for item in family(server)]),
        "Caddy": lambda: resident(caddies()),
        "Redis": lambda: redis_megabytes(behind.redis),
    }
    before = {name: read() for name, read in parts.items()}
    most = dict(before)
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            for name, read in parts.items():
                most[name] = max(most[name], read())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        crowd("open", f"http://localhost:{behind.plain}", OPEN_PAGES, 200, 1)
    finally:
        done.set()
        watching.join()
    grown = {name: most[name] - before[name] for name in parts}
    return (
        f"{OPEN_PAGES} open pages, MB: " + ", ".join(f"{name} {grown[name]:.0f}" for name in parts)
        + f"; {sum(grown.values()) * 1000 / OPEN_PAGES:.0f} KB each; servers without visitors "
        f"{before['servers'] / behind.count:.0f} MB each"
    )  # fmt: skip


Row = tuple[str, Callable[[Site], Figures]]
DIRECT: tuple[Row, ...] = (
    (
        "/about over TLS",
        lambda item: static_pages("/about over TLS", item, f"https://localhost:{item.secure}/about"),
    ),
    ("bookings", lambda item: asyncio.run(bookings("bookings", item))),
    ("events", lambda item: events("events", item)),
)
POOLED: tuple[Row, ...] = (
    ("bookings", lambda item: asyncio.run(bookings("bookings through PgBouncer", item))),
)


def measure_all(processes: tuple[int, ...], postgres: Postgres, redis: Redis, *, pooled: bool) -> None:
    """Measure each number of processes in turn and print."""
    first: dict[str, Figures] = {}
    for count in processes:
        with site(count, postgres, redis, pooled=pooled) as behind:
            print(f"{count} server process{'es' if count > 1 else ''}{', PgBouncer' if pooled else ''}:")
            ready(behind)
            if count == 1 and not pooled:
                address = f"http://localhost:{behind.upstreams[0]}/about"
                print(static_pages("/about without proxy and TLS", behind, address).beside(None))
            for name, take in POOLED if pooled else DIRECT:
                result = take(behind)
                print(result.beside(first.setdefault(name, result)), flush=True)
            if not pooled:
                print(open_pages(behind))


def ready(behind: Site) -> None:
    """Return once every server has answered and the proxy knows it."""
    for port in behind.upstreams:
        httpx.get(f"http://localhost:{port}/readyz", timeout=20).raise_for_status()
    deadline = time.monotonic() + 30
    while httpx.get(f"https://localhost:{behind.secure}/about", verify=False, timeout=20).status_code != 200:
        assert time.monotonic() < deadline


def main(processes: tuple[int, ...] = PROCESSES) -> None:
    """Measure and print."""
    # Servers and crowds inherit it: each socket is a file.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    heading("Server processes behind Caddy, on PostgreSQL and Redis", COMMAND)
    Settings.model_config["env_file"] = None
    settings.cache_clear()
    with Postgres.started() as postgres, Redis.started() as redis:
        for pooled in (False, True):
            measure_all(processes, postgres, redis, pooled=pooled)


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or PROCESSES)
