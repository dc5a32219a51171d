"""Litestream beside the site: what its replica restores once the machine with the database is lost.

Real processes with the configuration of `deploy/`. The replica is a folder here, a bucket in production.
"""

import asyncio
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from alembic import command

from agency_site.db.backups.errors import BackupError
from agency_site.db.backups.inventory import Inventory, find_differences
from agency_site.db.backups.stores import store_at
from agency_site.db.backups.usecases import back_up, restore
from agency_site.db.migrations import config_for
from agency_site.settings import ROOT, Settings
from tests.api_servers import SITE_API, ApiServer, api_server
from tests.bench.bookings import CAPACITY, places
from tests.bench.seeding import seed
from tests.servers import end, fresh_sqlite

pytestmark = pytest.mark.thorough

log = logging.getLogger(__name__)

_PROGRAM = Path(sys.executable).with_name("litestream")
_TABLES_OF_LITESTREAM = "_litestream_"
_DEADLINE_SECONDS = 60
_VISITORS = 3


@dataclass(frozen=True)
class Litestream:
    """Litestream with the configuration of `deploy/`, one database and its replica."""

    database: Path
    replica: Path
    log: Path

    @property
    def url(self) -> str:
        """The address of the database."""
        return f"sqlite+aiosqlite:///{self.database}"

    @contextmanager
    def replicate(self) -> Iterator["subprocess.Popen[bytes]"]:
        """Replicate until the block ends."""
        with self.log.open("ab") as output:
            process = subprocess.Popen(
                self._command("replicate"), env=self._environment(), stdout=output, stderr=output
            )
            try:
                yield process
            finally:
                end(process)

    def restore(self, target: Path) -> None:
        """Restore the replica to `target`; raise RuntimeError while there is no replica."""
        options = ["-integrity-check", "full", "-o", str(target), str(self.database)]
        done = subprocess.run(
            self._command("restore", *options), env=self._environment(), check=False, capture_output=True, text=True
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(done.stderr)

    async def wait_until_restorable(self, is_complete: Callable[[Path], bool]) -> None:
        """Return once a restored copy is complete."""
        started = time.monotonic()
        while True:
            attempted = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder, "copy.sqlite3")
                try:
                    await asyncio.to_thread(self.restore, copy)
                    if is_complete(copy):
                        log.info("restored after at most %.2f s", time.monotonic() - started)
                        return
                except RuntimeError:
                    if attempted - started > _DEADLINE_SECONDS:
                        raise
            assert attempted - started < _DEADLINE_SECONDS, self.log.read_text()

    def lose_machine(self) -> None:
        """Delete the database, and all files of the site and of Litestream beside it."""
        shutil.rmtree(self.database.parent)

    def read_warnings(self) -> list[str]:
        """Return the warnings and errors in its log."""
        return [line for line in self.log.read_text().splitlines() if "level=INFO" not in line]

    def _command(self, name: str, *options: str) -> list[str]:
        return [str(_PROGRAM), name, "-config", str(ROOT / "deploy" / "litestream.yml"), *options]

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("LITESTREAM_")}
        return inherited | {
            "LITESTREAM_DATABASE": str(self.database),
            "LITESTREAM_REPLICA_URL": self.replica.as_uri(),
        }


@pytest.fixture
def litestream(tmp_path: Path, configure: Callable[..., Settings]) -> Litestream:
    """An empty, migrated database that the settings name, and a place for its replica."""
    program = Litestream(
        tmp_path / "machine" / "site.sqlite3", tmp_path / "replica", tmp_path / "litestream.log"
    )
    program.database.parent.mkdir()
    configure(
        database_url=fresh_sqlite(program.database),
        backup_folder=tmp_path / "backups",
        journal_folder=program.database.with_name("journal"),
    )
    return program


@contextmanager
def serve(litestream: Litestream) -> Iterator[ApiServer]:
    """A server of the site on the database."""
    chosen: dict[str, object] = {
        "booking_capacity": CAPACITY, "booking_horizon_days": 366, "rate_limit_forms": "1000000/minute",
        "journal_folder": litestream.database.with_name("journal"),
    }  # fmt: skip
    with api_server(SITE_API, litestream.url, None, chosen) as server:
        yield server


@asynccontextmanager
async def visit(server: ApiServer) -> AsyncIterator["asyncio.Queue[str]"]:
    """Let visitors book until the block or the server ends; yield the references of confirmed bookings."""
    confirmed: asyncio.Queue[str] = asyncio.Queue()
    chosen, leaving = places(), asyncio.Event()

    async def book_on(http: httpx.AsyncClient) -> None:
        for day, at in chosen:
            if leaving.is_set():
                return
            body = {
                "fullname": "Amina Odhiambo", "emailaddress": f"amina{time.monotonic_ns()}@example.com",
                "phonenumber": "0712 345 678", "date": day.isoformat(), "time": at,
            }  # fmt: skip
            try:
                answer = await http.post("/api/book", json=body)
            except httpx.TransportError:
                return
            assert answer.status_code in (201, 409), answer.text
            if answer.status_code == 201:
                confirmed.put_nowait(answer.json()["reference"])

    async with (
        httpx.AsyncClient(base_url=server.url, trust_env=False) as http,
        asyncio.timeout(2 * _DEADLINE_SECONDS),
        asyncio.TaskGroup() as group,
    ):
        for _ in range(_VISITORS):
            group.create_task(book_on(http))
        yield confirmed
        # Cancelled while they connect, they would leave connections open.
        leaving.set()


def read(file: Path, query: str) -> list[str]:
    """Return the first column of the rows of `query`."""
    connection = sqlite3.connect(file)
    try:
        return [str(row[0]) for row in connection.execute(query)]
    finally:
        connection.close()


def read_bookings(file: Path) -> set[str]:
    """Return the references of confirmed bookings."""
    return set(read(file, "SELECT reference FROM bookings WHERE state = 'confirmed'"))


def take_inventory(file: Path) -> Inventory:
    """Return the inventory of a file that other processes may have open, without the tables of Litestream.

    End the server first, and do not kill it: SQLite writes a commit to the WAL, waits for the disk, and writes to the index
    then. A commit of a process that is killed between is known to Litestream, which reads the WAL, and to no other process.
    """
    with tempfile.TemporaryDirectory() as folder:
        inventory = store_at(f"sqlite+aiosqlite:///{file}").dump(Path(folder, "dump"))
    own_tables = {
        name: table for name, table in inventory.tables.items() if not name.startswith(_TABLES_OF_LITESTREAM)
    }
    return inventory.model_copy(update={"tables": own_tables})


async def test_replicated_bookings_survive_the_loss_of_the_machine_amid_others(
    litestream: Litestream,
) -> None:
    with litestream.replicate() as replication, serve(litestream) as server:
        async with visit(server) as confirmed:
            confirmed_references = {await confirmed.get() for _ in range(30)}
            await litestream.wait_until_restorable(lambda copy: confirmed_references <= read_bookings(copy))
            replication.kill()
            server.kill()
    litestream.lose_machine()

    litestream.restore(litestream.database)

    assert read(litestream.database, "PRAGMA integrity_check") == ["ok"]
    restored = read_bookings(litestream.database)
    assert confirmed_references <= restored
    # The transaction of a booking is restored as a whole or not at all.
    assert (
        set(read(litestream.database, "SELECT about FROM outbox_messages WHERE kind <> 'staff-notices'"))
        == restored
    )
    events = read(litestream.database, "SELECT booking_id FROM booking_events")
    assert len(events) == len(set(events)) == len(restored)


async def test_the_site_and_its_replica_go_on_after_a_restore_on_another_machine(
    litestream: Litestream,
) -> None:
    with litestream.replicate(), serve(litestream) as server:
        async with visit(server) as confirmed:
            before = {await confirmed.get()}
        await litestream.wait_until_restorable(lambda copy: before <= read_bookings(copy))
        server.kill()
    litestream.lose_machine()
    litestream.restore(litestream.database)
    command.check(config_for(litestream.url))

    with litestream.replicate(), serve(litestream) as server:
        async with visit(server) as confirmed:
            both = before | {await confirmed.get()}
        await litestream.wait_until_restorable(lambda copy: both <= read_bookings(copy))


async def test_the_restored_database_has_the_inventory_of_the_lost_one(
    litestream: Litestream,
) -> None:
    with litestream.replicate() as replication:
        with serve(litestream) as server:
            seed(200)
            async with visit(server) as confirmed:
                await confirmed.get()
        before = take_inventory(litestream.database)
        await litestream.wait_until_restorable(lambda copy: take_inventory(copy) == before)
        replication.kill()
    litestream.lose_machine()

    litestream.restore(litestream.database)

    assert find_differences(before, take_inventory(litestream.database)) == []
    assert before.tables["payments"].money["amount"] > 0
    assert before.tables["booking_events"].rows > 0


async def test_backups_and_litestream_do_not_disturb_each_other(litestream: Litestream) -> None:
    with litestream.replicate():
        with serve(litestream) as server:
            async with visit(server) as confirmed:
                first = await confirmed.get()
                await litestream.wait_until_restorable(lambda copy: first in read_bookings(copy))
                backup = await asyncio.to_thread(back_up)
                # Bookings during the backup, and one that begins after it.
                for _ in range(confirmed.qsize() + _VISITORS + 1):
                    await confirmed.get()
        before = take_inventory(litestream.database)
        await litestream.wait_until_restorable(lambda copy: take_inventory(copy) == before)
    assert 0 < backup.manifest.inventory.tables["bookings"].rows < before.tables["bookings"].rows
    assert litestream.read_warnings() == []


async def test_a_backup_is_restored_only_while_litestream_is_stopped_and_then_replicated(
    litestream: Litestream,
) -> None:
    backup = back_up()
    with litestream.replicate():
        seed(20)
        await litestream.wait_until_restorable(lambda copy: len(read_bookings(copy)) > 0)
        with pytest.raises(BackupError, match="in use"):
            restore(backup.path, replacing=True)
    restore(backup.path, replacing=True)
    before = take_inventory(litestream.database)
    assert before.rows == 0

    with litestream.replicate():
        await litestream.wait_until_restorable(lambda copy: take_inventory(copy) == before)
