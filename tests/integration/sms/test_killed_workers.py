"""Several worker processes, one of which is killed in the middle: every message is handed over at most once."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.settings import ROOT, settings
from agency_site.sms.delivery import LEASE, deliver_due_texts
from agency_site.sms.rules import TextState
from agency_site.sms.usecases import enqueue_texts
from tests.integration.sms.conftest import SmsWorld
from tests.integration.sms.messages import build_text, deliver_all, list_texts, number_with
from tests.waiting import wait_until

_WORKER = """
import asyncio
from agency_site.sms.delivery import deliver_due_texts

async def work():
    while True:
        if not await deliver_due_texts():
            await asyncio.sleep(0.05)

asyncio.run(work())
"""
_MESSAGES = 120


@contextmanager
def worker_processes(database: str, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start processes that deliver to the same provider; kill those that still run at the end."""
    environment = os.environ | {
        "AGENCY_DATABASE_URL": database,
        "AGENCY_SMS_BASE_URL": settings().sms_url,
        "AGENCY_LOG_LEVEL": "error",
    }
    command = [sys.executable, "-c", _WORKER]
    workers = [subprocess.Popen(command, cwd=ROOT, env=environment) for _ in range(count)]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.wait(timeout=30)


@pytest.mark.each_database
async def test_a_killed_worker_sends_nothing_twice_and_leaves_unknown_messages(
    sms: SmsWorld, database: str
) -> None:
    # The first number gets no answer, so that its worker is in the middle of its batch when it is killed.
    numbers = [number_with("006"), *(f"+2547123{last:05}" for last in range(11_111, 11_110 + _MESSAGES))]
    async with session_scope() as session:
        await enqueue_texts(session, {number: build_text(to=number) for number in numbers})
    with worker_processes(database, 3) as workers:
        await asyncio.to_thread(wait_until, lambda: len(sms.engine.messages) > _MESSAGES // 4, 60)
        workers[1].send_signal(signal.SIGKILL)
        await asyncio.to_thread(workers[1].wait, 30)
        async with asyncio.timeout(60):
            while any(row.state is TextState.QUEUED for row in await list_texts()):  # noqa: ASYNC110 - another process changes them
                await asyncio.sleep(0.1)
        for worker in workers:
            worker.send_signal(signal.SIGKILL)
    with clock.frozen(datetime.now(UTC) + LEASE):
        await deliver_all()
        assert await deliver_due_texts() == 0
    states = {row.to: row.state for row in await list_texts()}
    assert set(states.values()) == {TextState.SENT, TextState.UNKNOWN}
    assert states[numbers[0]] is TextState.UNKNOWN
    accepted = Counter(await sms.list_accepted())
    assert set(accepted.values()) == {1}
    # What the simulator has not accepted is never reported as sent.
    assert {number for number, state in states.items() if state is TextState.SENT} <= set(accepted)
