"""Power cuts: what a visitor has been promised is in the database when the machine starts again.

SQLite's file lies on a file system of its own. A copy of that block device at a random moment is what a machine has after a power
cut: what is only in the page cache is gone, and mounting the copy replays the journal of the file system.
"""

import asyncio
import itertools
import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from agency_site.mpesa.simulator import create_simulator
from tests.api_servers import SITE_API, api_server
from tests.bench.bookings import places
from tests.example_records import PAID_COURSE
from tests.integration.features.checkout.conftest import QUICK, order_body
from tests.servers import migrated, missing, program
from tests.simulator import serving

pytestmark = pytest.mark.thorough

CUTS, CLIENTS = 5, 4
SEED = 20261129
_IMAGE_BYTES = 48 * 1024 * 1024


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[Path]:
    """Mount a file system from a file. It needs the rights of root and the kernel's loop devices."""
    folder.mkdir()
    done = subprocess.run(["mount", "-o", "loop", image, folder], check=False, capture_output=True)
    if done.returncode:
        missing(f"a loop device for {image.name} ({done.stderr.decode().strip()})")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def make_image(path: Path) -> Path:
    """Make an empty ext4 in a file."""
    if os.geteuid() or not program("mkfs.ext4", "e2fsprogs"):
        missing("ext4 on a loop device")
    with path.open("wb") as file:
        file.truncate(_IMAGE_BYTES)
    subprocess.run(["mkfs.ext4", "-q", "-J", "size=4", path], check=True)
    return path


@dataclass(frozen=True)
class Site:
    """A server on a database, and the references that its visitors were given."""

    http: httpx.AsyncClient
    promises: list[str] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, number: int, book_next: Callable[[], tuple[str, str]]) -> None:
        """Book and order without a pause until the site closes."""
        for count in itertools.count():
            if self.closing.is_set():
                return
            day, time = book_next()
            email, phone = f"visitor{number}-{count}@example.com", f"0712 {number}{count:05}"
            visitor = {"fullname": "Amina Wanjiku", "emailaddress": email, "phonenumber": phone}
            await self._post("/api/book", {**visitor, "date": day, "time": time}, 201)
            order = order_body(amount=PAID_COURSE.payment_price, email=email, phone=phone)
            await self._post("/api/stkpush", order, 200)

    async def _post(self, path: str, body: dict[str, object], status: int) -> None:
        answer = await self.http.post(path, json=body)
        assert answer.status_code == status, answer.text
        async with self.changed:
            self.promises.append(str(answer.json()["reference"]))
            self.changed.notify_all()


def stored_references(database: Path) -> set[str]:
    """Return the references in a database that is opened after the cut."""
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT reference FROM bookings UNION SELECT reference FROM orders")
        return {reference for (reference,) in rows}


async def cut_power(site: Site, image: Path, copy: Path, further: int) -> list[str]:
    """Copy the device after so many further promises, while visitors go on. Return what they had been promises before."""
    wanted = len(site.promises) + further
    async with asyncio.timeout(60), site.changed:
        await site.changed.wait_for(lambda: len(site.promises) >= wanted)
    promises = list(site.promises)
    await asyncio.to_thread(shutil.copyfile, image, copy)
    return promises


async def test_what_visitors_were_promised_survives_power_cuts_on_sqlite(tmp_path: Path) -> None:
    image, moments = make_image(tmp_path / "disk"), random.Random(SEED)
    slots = ((day.isoformat(), time) for day, time in places())
    with mounted(image, tmp_path / "running") as disk:
        url = migrated(f"sqlite+aiosqlite:///{disk}/site.sqlite3")
        own = {"booking_capacity": 50, "booking_horizon_days": 366, "rate_limit_forms": "1000000/minute",
               "rate_limit_payments": "1000000/minute", "journal_folder": disk / "journal"}  # fmt: skip
        async with serving(create_simulator(QUICK)) as simulator:
            with api_server(SITE_API, url, None, own | {"mpesa_base_url": simulator}) as server:
                async with httpx.AsyncClient(base_url=server.url, timeout=60, trust_env=False) as http:
                    site = Site(http)
                    visitors = [
                        asyncio.create_task(site.work(number, lambda: next(slots)))
                        for number in range(CLIENTS)
                    ]
                    cuts = [
                        (
                            copy := tmp_path / f"cut{number}",
                            await cut_power(site, image, copy, moments.randint(8, 40)),
                        )
                        for number in range(CUTS)
                    ]
                    # Cancelled while it connects, a visitor would leave the connection open.
                    site.closing.set()
                    await asyncio.gather(*visitors)
    for copy, promises in cuts:
        with mounted(copy, copy.with_suffix(".mounted")) as after:
            assert not set(promises) - stored_references(after / "site.sqlite3")
