"""The processes of a campaign: two servers, M-Pesa's simulator, a database; and how each of them fails."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

import httpx
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.engine import make_engine
from tests.api_servers import ROOT, ApiServer, api_server
from tests.bench.faults.fast_clock import SPEED, FastClock, clock_beside
from tests.bench.faults.relay import Mode, Relay
from tests.servers import Postgres, end, free_port, fresh_sqlite, wait_for_port
from tests.simulator import Control

_FACTORY = "tests.bench.faults.fast_clock:create_fast_api"
Part = TypeVar("Part")
_LONGER_THAN_LEASES = 14.0
"""Real seconds; leases last two minutes of the fast clock."""


@dataclass
class Stage:
    """Everything that runs. Faults are coroutines that end when the fault has ended."""

    database_url: str
    postgres: Postgres | None
    engine: AsyncEngine
    control: Control
    folder: Path
    clock: FastClock
    to_mpesa: Relay
    to_site: Relay
    starts: asyncio.Semaphore
    """Lock for starting processes, so that stages do not compete for the processor."""
    processes: ExitStack
    servers: list[ApiServer] = field(default_factory=list)

    def read_scope(self) -> AsyncSession:
        """A session that only reads."""
        return AsyncSession(self.engine, expire_on_commit=False, autoflush=False)

    def start_server(self) -> ApiServer:
        """One more server process."""
        return self.processes.enter_context(
            api_server(
                _FACTORY,
                self.database_url,
                self.folder / "servers.log",
                {
                    "secret_key": "k" * 64,
                    "mpesa_base_url": f"http://127.0.0.1:{self.to_mpesa.port}",
                    "mpesa_callback_url": f"http://127.0.0.1:{self.to_site.port}",
                    "mpesa_connect_timeout_seconds": 1,
                    "mpesa_read_timeout_seconds": 3,
                    "mpesa_query_interval_seconds": 2,
                    "mpesa_pull_margin_minutes": 1,
                    "payment_prompts_per_10_minutes": 1000,
                    "payment_prompts_per_day": 1000,
                    "journal_folder": _journal_folder(self.folder),
                },
            )
        )

    def port(self, number: int) -> int:
        """The address of that server."""
        return int(self.servers[number].url.rpartition(":")[2])

    async def kill(self, chance: Random) -> None:
        """A server dies."""
        number = chance.randrange(len(self.servers))
        await asyncio.to_thread(self.servers[number].kill)
        await asyncio.sleep(chance.uniform(0, 3))

    async def freeze(self, chance: Random) -> None:
        """A server is frozen, sometimes for longer than its leases last."""
        server = self.servers[chance.randrange(len(self.servers))]
        server.send_signal(signal.SIGSTOP)
        await asyncio.sleep(_LONGER_THAN_LEASES if chance.random() < 0.4 else chance.uniform(1, 4))
        server.send_signal(signal.SIGCONT)

    async def lose_database(self, chance: Random) -> None:
        """PostgreSQL ends at once and comes back; SQLite is locked by another process."""
        seconds = chance.uniform(1, 5)
        if self.postgres:
            await asyncio.to_thread(self.postgres.stop)
            await asyncio.sleep(seconds)
            await asyncio.to_thread(self.postgres.start)
            return
        file = self.database_url.partition("///")[2]
        with closing(sqlite3.connect(file, 30, isolation_level=None, check_same_thread=False)) as connection:
            await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
            await asyncio.sleep(2 * seconds)
            connection.execute("ROLLBACK")

    async def lose_calls(self, chance: Random) -> None:
        """Drop the site's requests to M-Pesa, or the responses."""
        await _set_for_a_while(self.to_mpesa, chance)

    async def lose_callbacks(self, chance: Random) -> None:
        """Drop M-Pesa's callbacks to the site."""
        await _set_for_a_while(self.to_site, chance)

    async def fail_at_daraja(self, chance: Random) -> None:
        """Daraja itself fails, before or after it has acted."""
        faults = (
            "drop",
            "gateway_timeout",
            "empty_200",
            "html_200",
            "html_503",
            "internal_error",
            "invalid_token",
        )
        call = chance.choice(("push", "push", "query", "token"))
        await self.control.post("fault", call=call, fault=chance.choice(faults), times=chance.randrange(1, 3))

    async def expire_tokens(self, _chance: Random) -> None:
        """All access tokens end."""
        await self.control.post("expire-tokens")

    async def recover(self) -> float:
        """Start servers in the place of those that died; the seconds until both answer with a database behind them."""
        dead = [number for number, server in enumerate(self.servers) if server.process.poll() is not None]
        async with (
            self.starts if dead else nullcontext(),
            httpx.AsyncClient(timeout=5, trust_env=False) as http,
        ):
            started_at = time.monotonic()
            for number in dead:
                self.servers[number] = await asyncio.to_thread(self.start_server)
                self.to_site.targets[number] = self.port(number)
            for server in self.servers:
                while not await _is_ready(http, server.url):  # noqa: ASYNC110 - another process cannot set an event
                    await asyncio.sleep(0.1)
            return time.monotonic() - started_at


Fault = Callable[[Stage, Random], Awaitable[None]]
FAULTS: tuple[Fault, ...] = (
    Stage.kill, Stage.freeze, Stage.lose_database, Stage.lose_calls, Stage.lose_callbacks, Stage.fail_at_daraja,
    Stage.expire_tokens,
)  # fmt: skip


async def _set_for_a_while(relay: Relay, chance: Random) -> None:
    relay.mode = chance.choice([mode for mode in Mode if mode is not Mode.WHOLE])
    await asyncio.sleep(chance.uniform(1, 5))
    relay.mode = Mode.WHOLE


async def _is_ready(http: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await http.get(f"{url}/readyz")).status_code == 200
    except httpx.HTTPError:
        return False


def _journal_folder(folder: Path) -> Path:
    return folder / "journal"


@contextmanager
def _simulator(clock: FastClock) -> Iterator[int]:
    """The simulator in a process of its own; yields its port."""
    port = free_port()
    command = [sys.executable, "-m", "tests.bench.faults.fast_clock", str(port), str(clock.file)]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        wait_for_port(port, process)
        yield port
    finally:
        end(process)


@asynccontextmanager
async def staged(database: str, folder: Path, starts: asyncio.Semaphore) -> AsyncIterator[Stage]:
    """All processes on a new database of that kind, in that folder; ended with the block."""
    clock, processes = clock_beside(_journal_folder(folder)), ExitStack()
    clock.set_speed(SPEED)

    async def begin(part: AbstractContextManager[Part]) -> Part:
        # In a thread: meanwhile other stages play.
        return await asyncio.to_thread(processes.enter_context, part)

    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, processes.close)
        async with starts:
            port = await begin(_simulator(clock))
            postgres = await begin(Postgres.started()) if database == "postgresql" else None
            url = (
                await asyncio.to_thread(postgres.fresh_database)
                if postgres
                else fresh_sqlite(folder / "site.sqlite3")
            )
            engine = make_engine(url)
            stack.push_async_callback(engine.dispose)
            reading = await stack.enter_async_context(
                # A connection that is kept may be closed by the simulator just when it is used again.
                httpx.AsyncClient(
                    base_url=f"http://127.0.0.1:{port}",
                    timeout=60,
                    trust_env=False,
                    limits=httpx.Limits(max_keepalive_connections=0),
                )
            )
            to_mpesa = await stack.enter_async_context(Relay([port]).listening())
            to_site = await stack.enter_async_context(Relay([0, 0]).listening())
            stage = Stage(
                url, postgres, engine, Control(reading), folder, clock, to_mpesa, to_site, starts, processes
            )
            stage.servers = [await asyncio.to_thread(stage.start_server) for _ in range(2)]
            to_site.targets = [stage.port(number) for number in range(2)]
        yield stage
