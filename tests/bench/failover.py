"""`python -m tests.bench.failover`: PostgreSQL's primary is killed while visitors book and pay; its standby takes over.

Real processes: a server of the API with the simulator of M-Pesa, a primary that confirms a commit once its standby has it, and
the standby. A watcher promotes the standby after three failed looks at the primary, as Patroni does. Printed are how long
visitors got no booking and no payment, and how many confirmed ones the new primary does not have: the goals are 30 s and none.

With `--asynchronous` the primary does not wait for the standby, and its writes of the last two seconds do not reach it: the
run must report what is lost, and ends with 1. It shows that the measurement sees a loss.
"""

import argparse
import asyncio
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agency_site.settings import SIMULATOR_PATH, Settings, settings
from tests.api_servers import api_servers
from tests.bench.bookings import CAPACITY, places
from tests.bench.running import heading
from tests.servers import (
    INITDB_OPTIONS,
    POSTGRES_PASSWORD,
    end,
    free_port,
    migrated,
    missing,
    password_file,
    postgres_binaries,
    wait_for_port,
)
from tests.simulator import Control

COMMAND = "python -m tests.bench.failover"
BEFORE_SECONDS, AFTER_SECONDS, GOAL_SECONDS = 8, 40, 30
_LOOK_SECONDS, _FAILED_LOOKS = 1.0, 3
_PATIENCE = 8.0
"""Time that a visitor waits for an answer before a retry."""
_UNSENT_SECONDS = 2.0
"""How long before its end an asynchronous primary sends nothing to the standby."""
_PAUSE_SECONDS = 0.1
"""Between two bookings of a visitor: the goal is no throughput."""
_ACCOUNT = f"agency:{quote(POSTGRES_PASSWORD, safe='')}"
_COURSE, _PRICE = "Google Ads Masterclass", 15_000


@dataclass
class Node:
    """One PostgreSQL server."""

    binaries: Path
    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def run(self, name: str, *options: object) -> None:
        """Run a program of PostgreSQL's, as the user that owns its files."""
        command = [str(self.binaries / name), *map(str, options)]
        user, group = _account()
        subprocess.run(command, check=True, capture_output=True, cwd="/", user=user, group=group)

    def start(self, *options: str) -> None:
        """Start the server; returns once it listens."""
        chosen = [part for option in options for part in ("-c", option)]
        binary, folder = str(self.binaries / "postgres"), str(self.folder)
        command = [binary, "-D", folder, "-p", str(self.port), "-k", folder, *chosen]
        user, group = _account()
        process: subprocess.Popen[bytes] = subprocess.Popen(
            command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user, group=group
        )
        self.process = process
        wait_for_port(self.port, process)

    @property
    def address(self) -> str:
        """The address of its only database for psycopg."""
        return make_conninfo(
            "dbname=postgres connect_timeout=1",
            host="127.0.0.1",
            port=self.port,
            user="agency",
            password=POSTGRES_PASSWORD,
        )

    def kill(self) -> None:
        """Kill the server and its children at once, like a power failure."""
        assert self.process
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for process_id in (self.process.pid, *map(int, children)):
            os.kill(process_id, signal.SIGKILL)
        self.process.wait()


def _account() -> tuple[int | None, int | None]:
    """Return user and group for the server, which refuses to run as root; None for our own."""
    if os.geteuid():
        return None, None
    account = pwd.getpwnam("postgres")
    return account.pw_uid, account.pw_gid


@contextmanager
def replicated() -> Iterator[tuple[Node, Node]]:
    """A primary with all tables and its standby, for which it does not wait."""
    binaries = postgres_binaries() or missing("PostgreSQL")
    home = Path(tempfile.mkdtemp(prefix="agency-failover-"))
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    primary, standby = Node(binaries, home / "one", free_port()), Node(binaries, home / "two", free_port())
    options = ("listen_addresses=127.0.0.1", "max_connections=100", "hot_standby=on")
    try:
        with password_file() as password:
            primary.run("initdb", "-D", primary.folder, *INITDB_OPTIONS, f"--pwfile={password}")
        primary.start(*options)
        _wait_until(lambda: bool(_ask(primary, "SELECT 1")))
        migrated(f"postgresql+psycopg://{_ACCOUNT}@127.0.0.1:{primary.port}/postgres")
        source = make_conninfo(primary.address, dbname="replication", application_name="standby")
        standby.run("pg_basebackup", "-D", standby.folder, "-d", source, "-R", "-X", "stream", "-c", "fast")
        standby.start(*options)
        _wait_until(lambda: _ask(primary, "SELECT state FROM pg_stat_replication") == "streaming")
        yield primary, standby
    finally:
        for node in (primary, standby):
            if node.process:
                end(node.process)
        shutil.rmtree(home, ignore_errors=True)


def make_synchronous(primary: Node) -> None:
    """Confirm commits only once the standby has them."""
    _ask(primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    _ask(primary, "SELECT pg_reload_conf()")
    _wait_until(lambda: _ask(primary, "SELECT sync_state FROM pg_stat_replication") == "sync")


def stop_sending(primary: Node) -> None:
    """The primary goes on, and what it writes does not reach the standby."""
    os.kill(_ask(primary, "SELECT pid FROM pg_stat_replication"), signal.SIGSTOP)


def _ask(node: Node, statement: str) -> Any:
    """Return the first value; None if the server does not respond."""
    try:
        with psycopg.connect(node.address, autocommit=True) as connection:
            result = connection.execute(statement)
            row = result.fetchone() if result.description else None
    except psycopg.OperationalError:
        return None
    return row[0] if row else None


def _wait_until(ready: Any) -> None:
    deadline, pause = time.monotonic() + 30, 0.1
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(pause)


@dataclass
class Confirmed:
    """Confirmations of bookings and payments, with their times."""

    bookings: list[str] = field(default_factory=list)
    payments: list[str] = field(default_factory=list)
    """M-Pesa's request ids of payments that the site called paid."""
    booked_at: list[float] = field(default_factory=list)
    paid_at: list[float] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """Responses to bookings with a 4xx status."""


async def book(
    http: httpx.AsyncClient, chosen: Iterator[Any], names: Iterator[int], confirmed: Confirmed
) -> None:
    """Book one place after the other."""
    while True:
        day, at = next(chosen)
        body = {
            "fullname": "Bench Visitor", "emailaddress": f"bench{next(names)}@example.com",
            "phonenumber": "0712 345 678", "date": day.isoformat(), "time": at,
        }  # fmt: skip
        answer = await _post(http, "/api/book", body)
        if answer is not None and answer.status_code == 201:
            confirmed.bookings.append(answer.json()["reference"])
            confirmed.booked_at.append(time.monotonic())
        elif answer is not None and answer.status_code < 500:
            confirmed.refusals.append(answer.text)
        await asyncio.sleep(_PAUSE_SECONDS)


async def pay(http: httpx.AsyncClient, names: Iterator[int], confirmed: Confirmed) -> None:
    """Pay for one order after the other."""
    while True:
        number = next(names)
        body: dict[str, Any] = {
            "firstName": "Amina", "lastName": "Odhiambo", "email": f"payer{number}@example.com",
            "phone": f"07{number % 100_000:05}111", "courseName": _COURSE, "amount": _PRICE,
        }  # fmt: skip
        answer = await _post(http, "/api/stkpush", body)
        if answer is None or answer.status_code != 200:
            continue
        request = answer.json()["MerchantRequestID"]
        for _ in range(60):
            await asyncio.sleep(0.25)
            try:
                state = (await http.get(f"/api/check-payment-status/{request}")).json().get("state")
            except (httpx.HTTPError, ValueError):
                continue
            if state == "paid":
                confirmed.payments.append(request)
                confirmed.paid_at.append(time.monotonic())
            if state not in (None, "pending"):
                break


async def _post(http: httpx.AsyncClient, path: str, body: dict[str, Any]) -> httpx.Response | None:
    try:
        answer = await http.post(path, json=body)
    except httpx.HTTPError:
        answer = None
    if answer is None or answer.status_code >= 500:
        await asyncio.sleep(0.25)
    return answer


async def watch(primary: Node, standby: Node) -> float:
    """Promote the standby once the primary is away; returns when."""
    failed = 0
    while failed < _FAILED_LOOKS:
        await asyncio.sleep(_LOOK_SECONDS)
        failed = 0 if await asyncio.to_thread(_ask, primary, "SELECT 1") else failed + 1
    # The new primary has no standby yet: it must not wait for one.
    await asyncio.to_thread(_ask, standby, "ALTER SYSTEM SET synchronous_standby_names = ''")
    await asyncio.to_thread(_ask, standby, "SELECT pg_reload_conf()")
    await asyncio.to_thread(_ask, standby, "SELECT pg_promote()")
    return time.monotonic()


async def measure(primary: Node, standby: Node, servers: list[str], unsent_seconds: float) -> bool:
    """Kill the primary amid traffic, the last seconds of which do not reach the standby; whether the goals are met."""
    acknowledged, names, chosen = (
        Confirmed(),
        itertools.count(1),
        itertools.islice(places(), 0, None, 3),
    )
    clients = [httpx.AsyncClient(base_url=server, timeout=_PATIENCE, trust_env=False) for server in servers]
    work = [asyncio.create_task(book(http, chosen, names, acknowledged)) for http in clients * 4]
    work += [asyncio.create_task(pay(http, names, acknowledged)) for http in clients * 4]
    await asyncio.sleep(BEFORE_SECONDS)
    if unsent_seconds:
        stop_sending(primary)
        await asyncio.sleep(unsent_seconds)
    watcher = asyncio.create_task(watch(primary, standby))
    primary.kill()
    killed = time.monotonic()
    promoted = await watcher
    await asyncio.sleep(AFTER_SECONDS)
    for task in work:
        task.cancel()
    ends = await asyncio.gather(*work, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends
    charged, stored_count = await _compare_with_mpesa(servers[0], standby)
    for http in clients:
        await http.aclose()
    with psycopg.connect(standby.address) as connection:
        references = {row[0] for row in connection.execute("SELECT reference FROM bookings")}
        paid = {
            row[0]
            for row in connection.execute("SELECT merchant_request_id FROM payments WHERE state = 'paid'")
        }
    assert not acknowledged.refusals, acknowledged.refusals[:3]
    lost = (
        len(set(acknowledged.bookings) - references),
        len(set(acknowledged.payments) - paid),
    )
    booked = next((at - killed for at in acknowledged.booked_at if at > promoted), float("inf"))
    payment = next((at - killed for at in acknowledged.paid_at if at > promoted), float("inf"))
    print(
        f"promoted {promoted - killed:.1f} s after the primary was killed, after {_FAILED_LOOKS} looks "
        f"{_LOOK_SECONDS:.0f} s apart"
    )
    print(
        f"first booking confirmed after {booked:.1f} s, first payment after {payment:.1f} s (goal {GOAL_SECONDS} s)"
    )
    print(
        f"confirmed: {len(acknowledged.bookings)} bookings, {len(acknowledged.payments)} payments; lost: {lost[0]} and {lost[1]}"
    )
    print(f"M-Pesa charged {charged} customers, the new primary has {stored_count} of these payments")
    return lost == (0, 0) and charged == stored_count and max(booked, payment) <= GOAL_SECONDS


async def _compare_with_mpesa(server: str, standby: Node) -> tuple[int, int]:
    """Return the number of paid prompts, and how many of them are stored in any state."""
    async with httpx.AsyncClient(base_url=f"{server}{SIMULATOR_PATH}", trust_env=False) as http:
        prompts = (await Control(http).ledger())["prompts"]
    charged = {prompt["merchant_request_id"] for prompt in prompts if prompt["charged"]}
    with psycopg.connect(standby.address) as connection:
        stored = {row[0] for row in connection.execute("SELECT merchant_request_id FROM payments")}
    return len(charged), len(charged & stored)


def main(*, asynchronous: bool = False) -> int:
    """Measure; returns the exit code."""
    kind = "asynchronous" if asynchronous else "synchronous"
    heading(
        f"PostgreSQL fails over to its {kind} standby",
        f"{COMMAND}{' --asynchronous' if asynchronous else ''}",
    )
    with replicated() as (primary, standby), pytest.MonkeyPatch.context() as patch:
        if not asynchronous:
            make_synchronous(primary)
        patch.setitem(Settings.model_config, "env_file", None)
        settings.cache_clear()
        url = (
            f"postgresql+psycopg://{_ACCOUNT}@/postgres?host=127.0.0.1:{primary.port}&host=127.0.0.1:{standby.port}"
            "&target_session_attrs=read-write&connect_timeout=2"
        )
        patch.setenv("AGENCY_DATABASE_URL", url)
        with api_servers(
            1, url, booking_capacity=CAPACITY, booking_horizon_days=366, rate_limit_forms="1000000/minute",
            journal_folder=primary.folder.parent / "journal", log=primary.folder.parent / "server.log",
        ) as servers:  # fmt: skip
            unsent_seconds = _UNSENT_SECONDS if asynchronous else 0.0
            return 0 if asyncio.run(measure(primary, standby, servers, unsent_seconds)) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument(
        "--asynchronous", action="store_true", help="with a standby that lacks the last commits"
    )
    sys.exit(main(asynchronous=parser.parse_args().asynchronous))
