"""`python -m tests.bench.soak --minutes 10`: the site under mixed traffic at half of what it can take.

Visitors read pages and hold sockets open, book, and pay through the simulator of M-Pesa; staff work in the back office; one
replica is restarted now and then, as a deploy does. Two replicas on PostgreSQL and Redis behind the proxy of `deploy/`, or
with `--sqlite` one process. The first replica is never restarted: its memory and file descriptors are what is judged.
Exit code 1: memory grew more than 5 % after warm-up, descriptors leaked, something failed, or work was lost.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce
from operator import and_
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import create_engine, text

from agency_site.auth.passwords import HASHER
from agency_site.settings import ROOT
from agency_site.web.serving.jobs import JOBS
from tests.bench.running import heading
from tests.bench.soak.books import Books
from tests.bench.soak.journal import Journal
from tests.bench.soak.processes import Sample, growth, kinds_of_descriptors, take_sample
from tests.caddy import caddy
from tests.e2e.own_server import OwnServer, own_server
from tests.servers import SECRET_KEY, Postgres, Redis, end, free_port, fresh_sqlite

COMMAND = "python -m tests.bench.soak"
CALIBRATION_SECONDS, SAMPLE_SECONDS = 15, 5
MEMORY_GOAL, SPARE_DESCRIPTORS = 0.05, 10
_DEPLOYS, _DEPLOY_PAUSE_SECONDS = 6, 60
POOLS = {
    "PostgreSQL": ("agency_database_sessions", ("agency_database_pool_size",)),
    "Redis": (
        "agency_redis_connections used",
        ("agency_redis_connections used", "agency_redis_connections idle"),
    ),
}
"""Connections that a process keeps once a busy moment has opened them: how many are in use, and how many its pools may hold."""
_REST_SECONDS, _REST_READINGS, _REPORT_SECONDS = 12, 5, 300
DRAIN_SECONDS = 5
"""The value of `deploy/compose.yaml`."""
_RECOVERED_SECONDS = 10
"""After a replica has come back: sockets that end until then ended because of the deploy."""
EMAIL, PASSWORD = "soak@example.com", "seven warm mandazi at dawn"
_UNLIMITED = {
    "rate_limit_api": "1000000/minute", "rate_limit_forms": "1000000/minute", "rate_limit_bookings": "1000000/day",
    "rate_limit_payments": "1000000/day", "rate_limit_connects": "1000000/minute", "rate_limit_events": "100000/second",
    "open_sockets": 20_000, "booking_capacity": 50, "booking_horizon_days": 366,
}  # fmt: skip
"""All visitors come from one address."""


@dataclass
class Deployment:
    """The running site."""

    url: str
    database_url: str
    folder: Path
    ports: list[int]
    settings: dict[str, object]
    names: dict[int, str]
    """What listens on the ports that servers connect to."""
    others: dict[str, int]
    """Process ids of what runs beside the site."""
    servers: dict[int, OwnServer] = field(default_factory=dict)
    code: Path = ROOT
    """The release that replicas start from."""
    running: dict[int, ExitStack] = field(default_factory=dict)
    deploys: list[tuple[float, float]] = field(default_factory=list)
    """When a replica was away, in seconds since 1970."""
    failed_stops: int = 0

    def start(self, number: int) -> None:
        """Start one replica; its log goes on."""
        stack = ExitStack()
        log = self.folder / f"server-{number}-{len(self.deploys)}.log"
        self.servers[number] = stack.enter_context(
            own_server(log, self.url, self.database_url, self.code, port=self.ports[number], **self.settings)
        )
        self.running[number] = stack

    def deploy(self, number: int) -> None:
        """Restart one replica."""
        started_at = time.time()
        process = self.servers[number].process
        process.send_signal(signal.SIGTERM)
        self.failed_stops += process.wait(timeout=60) != 0
        self.running.pop(number).close()
        self.start(number)
        self.deploys.append((started_at, time.time()))

    def close(self) -> None:
        """Stop all replicas."""
        for stack in self.running.values():
            stack.close()

    def logged(self, level: str) -> list[str]:
        """Lines of that level of all replicas."""
        lines = [
            line for log in sorted(self.folder.glob("server-*.log")) for line in log.read_text().splitlines()
        ]
        return [
            line for line in lines if f'"level": "{level}"' in line or line.startswith(f"[{level.upper()}]")
        ]

    def metrics(self, number: int) -> dict[str, float]:
        """Runs of jobs by outcome, when each last ended well, and errors of handlers, of one replica."""
        metrics_text = httpx.get(f"http://127.0.0.1:{self.ports[number]}/metrics", trust_env=False).text
        return {
            f"{sample.name} {' '.join(sample.labels.values())}".strip(): sample.value
            for family in text_string_to_metric_families(metrics_text)
            for sample in family.samples
        }


@contextmanager
def program(*command: object) -> Iterator[int]:
    """A process of ours beside the site; yields its id."""
    process = subprocess.Popen(
        [*map(str, command)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process.pid
    finally:
        end(process)


@contextmanager
def deployed(*, sqlite: bool, code: Path = ROOT) -> Iterator[Deployment]:
    """The site, its database, its proxy, a mail server and the simulator of M-Pesa, on this machine."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agency-soak-")))
        mail, simulator, secure, plain = (free_port() for _ in range(4))
        ports = [free_port() for _ in range(1 if sqlite else 2)]
        settings: dict[str, object] = {
            **_UNLIMITED, "smtp_host": "127.0.0.1", "smtp_port": mail, "smtp_security": "none", "log_level": "warning",
            "mpesa_base_url": f"http://127.0.0.1:{simulator}", "journal_folder": folder / "journal",
        }  # fmt: skip
        others = {
            "mail server": stack.enter_context(
                program(sys.executable, "-m", "aiosmtpd", "-n", "-c", "aiosmtpd.handlers.Sink", "-l", f"127.0.0.1:{mail}")
            ),
            "simulator": stack.enter_context(
                program(sys.executable, "-m", "agency_site.mpesa.simulator", "--port", simulator, "--delay", 2)
            ),
        }  # fmt: skip
        names = {mail: "mail server", simulator: "simulator"}
        if sqlite:
            deployment = Deployment(
                f"http://localhost:{ports[0]}",
                fresh_sqlite(folder / "soak.sqlite3"),
                folder,
                ports,
                settings,
                names,
                others,
            )
        else:
            postgres, redis = stack.enter_context(Postgres.started()), stack.enter_context(Redis.started())
            names |= {postgres.port: "PostgreSQL", redis.port: "Redis"}
            settings |= {
                "env": "production", "secret_key": SECRET_KEY, "redis_url": redis.url, "trusted_proxy_hops": 1,
                "mpesa_simulator_in_production": "true", "drain_seconds": DRAIN_SECONDS,
            }  # fmt: skip
            deployment = Deployment(
                f"https://localhost:{secure}",
                postgres.fresh_database(),
                folder,
                ports,
                settings,
                names,
                others,
            )
        deployment.code = code
        stack.callback(deployment.close)
        for number in range(len(ports)):
            deployment.start(number)
        if not sqlite:
            stack.enter_context(caddy(folder, secure, plain, ports))
        yield deployment


def employ(database_url: str) -> None:
    """An owner who signs in with a password."""
    engine, moment = (
        create_engine(database_url.replace("+aiosqlite", "")),
        f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}",
    )
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO staff_accounts (email, name, role, password_hash, totp_seed, totp_next_seed, totp_step, version,"
                " created_at, updated_at) VALUES (:email, 'Soak', 'owner', :password, '', '', 0, 1, :at, :at)"
            ),
            {"email": EMAIL, "password": HASHER.hash(PASSWORD), "at": moment},
        )
    engine.dispose()


class Traffic:
    """Visitors and staff, in a process of their own."""

    def __init__(self, site: Deployment, seconds: float, rate: float) -> None:
        command = ["tests.bench.soak.visitors", site.url, str(seconds), str(rate), EMAIL, PASSWORD]
        environment = os.environ | {"AGENCY_BOOKING_HORIZON_DAYS": str(_UNLIMITED["booking_horizon_days"])}
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )
        self._output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        self._output = self._process.stdout.read()

    @property
    def runs(self) -> bool:
        """Return whether there are still visitors."""
        return self._process.poll() is None

    def result(self) -> Journal:
        """Wait until all visitors have left, and return the totals."""
        assert self._process.wait(timeout=300) == 0
        self._reader.join()
        return Journal(**json.loads(self._output.splitlines()[-1]))


@dataclass
class Observed:
    """Observations during the traffic."""

    samples: dict[str, list[Sample]] = field(default_factory=dict)
    depths: list[int] = field(default_factory=list)
    kinds: list[Counter[str]] = field(default_factory=list)
    """Descriptors of the first replica."""


def observe(site: Deployment, books: Books, traffic: Traffic, seconds: float) -> Observed:
    """Take samples and restart replicas until the visitors have left."""
    seen, started_at, deploys, reported = Observed(), time.monotonic(), 0, 0.0
    pause = max(seconds / _DEPLOYS, _DEPLOY_PAUSE_SECONDS)
    while traffic.runs:
        second = time.monotonic() - started_at
        watched = {
            f"replica {number}": server.process.pid for number, server in site.servers.items()
        } | site.others
        for name, process in watched.items():
            seen.samples.setdefault(name, []).append(take_sample(process, second))
        seen.depths.append(books.depth())
        seen.kinds.append(kinds_of_descriptors(site.servers[0].process.pid, site.names))
        if second > reported + _REPORT_SECONDS:
            reported = second
            print(
                f"{second / 60:4.0f} min  {seen.samples['replica 0'][-1]}  {seen.depths[-1]} mails wait",
                flush=True,
            )
        if len(site.ports) > 1 and second > (deploys + 0.5) * pause:
            deploys += 1
            threading.Thread(target=site.deploy, args=(1,), daemon=True).start()
        time.sleep(SAMPLE_SECONDS)
    return seen


def judge_processes(seen: Observed, seconds: float) -> list[str]:
    """Print what processes hold; returns what grew."""
    problems = []
    for name, samples in seen.samples.items():
        memory, resident = growth(samples, "pss", seconds), growth(samples, "rss", seconds)
        descriptors, sockets = growth(samples, "descriptors", seconds), growth(samples, "sockets", seconds)
        print(
            f"{name:<12} PSS {memory} MiB   RSS {resident} MiB   descriptors {descriptors}   sockets {sockets}"
        )
        if name != "replica 0":
            continue
        if memory.share > MEMORY_GOAL:
            problems.append(f"memory grew by {memory.share:.1%}")
    return problems


@dataclass(frozen=True)
class Rest:
    """Resources of the first replica without visitors."""

    descriptors: Counter[str]
    in_use: Counter[str]
    """Connections that are not back in their pool: listeners, and lost ones."""
    outside: Counter[str]
    """Connections that no pool knows."""


def wait_for_rest(site: Deployment) -> Rest:
    """Read connections after the proxy has closed idle ones. Take the minimum of several readings, because jobs borrow some."""
    time.sleep(_REST_SECONDS)
    readings = []
    for _ in range(_REST_READINGS):
        readings.append(_read_rest(site))
        time.sleep(1)
    in_use, outside = (reading.in_use for reading in readings), (reading.outside for reading in readings)
    return Rest(readings[-1].descriptors, reduce(and_, in_use), reduce(and_, outside))


def _read_rest(site: Deployment) -> Rest:
    counts = Counter(site.metrics(0))
    descriptors = kinds_of_descriptors(site.servers[0].process.pid, site.names)
    in_use = Counter({name: int(counts[used]) for name, (used, _) in POOLS.items()})
    accounted = Counter({name: int(sum(counts[item] for item in held)) for name, (_, held) in POOLS.items()})
    open_now = Counter({name: descriptors[name] for name in POOLS})
    return Rest(descriptors, in_use, open_now - accounted)


def judge_rest(before: Rest, after: Rest) -> list[str]:
    """Print both; returns leaks. A connection that is back in its pool is none, however many a busy moment has opened."""
    for when, rest in (("before", before), ("after", after)):
        print(
            f"replica 0 without visitors, {when} the run: descriptors {dict(rest.descriptors)}, connections in use"
            f" {dict(rest.in_use)}, in no pool {dict(rest.outside)}"
        )
    more = sum(
        after.descriptors[name] - before.descriptors[name] for name in after.descriptors.keys() - POOLS
    )
    problems = [f"{more} descriptors leaked"] if more > SPARE_DESCRIPTORS else []
    lost = (after.in_use - before.in_use) + (after.outside - before.outside)
    return problems + [f"{number} connections to {name} were lost" for name, number in lost.items()]


def describe_pools(kinds: list[Counter[str]]) -> None:
    """Print how large the pools of the first replica were."""
    half = len(kinds) // 2
    for name in POOLS:
        early, late = (max((item[name] for item in some), default=0) for some in (kinds[:half], kinds[half:]))
        print(
            f"connections of replica 0 to {name}: at most {early} in the first half of the run, {late} in the second"
        )


def judge_jobs(site: Deployment) -> list[str]:
    """Print the runs of jobs; returns which failed or have not run."""
    problems = []
    for number in range(len(site.ports)):
        result = site.metrics(number)
        runs = {job.__name__: result.get(f"agency_job_runs_total {job.__name__} ended", 0) for job, _ in JOBS}
        print(
            f"job rounds of replica {number}: "
            + ", ".join(f"{name} {value:.0f}" for name, value in runs.items())
        )
        for job, pause in JOBS:
            name = job.__name__
            last = result.get(f"agency_job_last_success_timestamp_seconds {name}", 0.0)
            if result.get(f"agency_job_runs_total {name} failed"):
                problems.append(f"{name} failed on replica {number}")
            if time.time() - last > pause + 60:
                problems.append(f"{name} is overdue on replica {number}")
        if result.get("agency_handler_errors_total"):
            problems.append(
                f"{result['agency_handler_errors_total']:.0f} handlers failed on replica {number}"
            )
    return problems


def unexplained(lost: list[float], deploys: list[tuple[float, float]]) -> int:
    """Sockets that were lost while no replica was away."""
    return sum(not any(away <= at <= back + _RECOVERED_SECONDS for away, back in deploys) for at in lost)


def measure_capacity(site: Deployment) -> Journal:
    """Measure visits without pauses, then again without one replica, which fills the pools to their maximum."""
    result = Traffic(site, CALIBRATION_SECONDS, 0).result()
    if len(site.ports) > 1:
        again = Traffic(site, CALIBRATION_SECONDS, 0)
        site.deploy(1)
        again.result()
    return result


def soak(seconds: float, rate: float, *, sqlite: bool) -> int:
    """Run and judge; returns the exit code."""
    with deployed(sqlite=sqlite) as site:
        employ(site.database_url)
        books = Books(site.database_url)
        if not rate:
            before = measure_capacity(site)
            capacity = before.visits / CALIBRATION_SECONDS
            rate = max(0.5, capacity / 2)
            print(f"capacity: {capacity:.1f} visits a second; {before}")
            print("\n".join(before.errors[:5]))
        print(f"{rate:.1f} visits a second for {seconds / 60:.0f} minutes", flush=True)
        at_rest = wait_for_rest(site)
        traffic = Traffic(site, seconds, rate)
        seen = observe(site, books, traffic, seconds)
        result = traffic.result()
        drained = books.drain()
        problems = judge_processes(seen, seconds)
        problems += judge_rest(at_rest, wait_for_rest(site))
        describe_pools(seen.kinds)
        problems += judge_jobs(site)
        problems += books.problems(result.bookings, result.payments)
        print(result)
        print(
            f"outbox: at most {max(seen.depths)} messages waited; all work done {drained:.0f} s after the last visit"
        )
        print(f"{len(site.deploys)} deploys, {len(result.lost_sockets)} sockets lost and opened again")
        if lost := unexplained(result.lost_sockets, site.deploys):
            problems.append(f"{lost} sockets lost without a deploy")
        if result.errors:
            problems.append(f"{len(result.errors)} errors of visitors, such as {result.errors[:3]}")
        warned = site.logged("warning")
        print(f"{len(warned)} warnings logged{', such as ' if warned else ''}{' '.join(warned[:2])[:600]}")
        if logged := site.logged("error") + site.logged("critical"):
            problems.append(f"{len(logged)} errors logged, such as {logged[:3]}")
        if site.failed_stops:
            problems.append(f"{site.failed_stops} replicas did not stop as they should")
        books.close()
    for problem in problems:
        print(f"PROBLEM: {problem}")
    print(f"verdict: {'failed' if problems else 'passed'}")
    return 1 if problems else 0


def main(minutes: float = 10, rate: float = 0, *, sqlite: bool = False) -> int:
    """Print the heading, run, judge."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    kind = "one process on SQLite" if sqlite else "two replicas on PostgreSQL and Redis behind Caddy"
    heading(f"Soak: {kind}", f"{COMMAND} --minutes {minutes:g}{' --sqlite' if sqlite else ''}")
    return soak(minutes * 60, rate, sqlite=sqlite)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument(
        "--rate",
        type=float,
        default=0,
        help="visits a second; 0: half of the capacity, which is measured first",
    )
    parser.add_argument(
        "--sqlite", action="store_true", help="one process on SQLite, without Redis and proxy"
    )
    chosen = parser.parse_args()
    sys.exit(main(chosen.minutes, chosen.rate, sqlite=chosen.sqlite))
