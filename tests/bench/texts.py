"""`python -m tests.bench.texts [messages] [workers]`: text messages through the outbox with several workers and no double.

Worker processes deliver from one PostgreSQL database to the simulator over HTTP. One of them is killed in the middle. Each
message must be handed over at most once; those that the killed worker had claimed may be unknown, and none may be lost.
"""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections import Counter

from sqlmodel import col, func, select

from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.settings import ROOT, settings
from agency_site.sms.delivery import BATCH
from agency_site.sms.rules import TextMessage, TextPurpose, TextState
from agency_site.sms.simulator import SmsSimulatorConfig, create_sms_simulator
from agency_site.sms.simulator.app import SmsEngine
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import enqueue_texts
from tests.bench.running import heading
from tests.servers import Postgres
from tests.simulator import serving

COMMAND = "python -m tests.bench.texts"
MESSAGES, WORKERS = 10_000, 4
_STORED_AT_ONCE = 500
_NEVER = 86_400.0
"""Seconds until a delivery report: none comes during the measurement."""
_PATIENCE_SECONDS = 1800.0
_WORKER = """
import asyncio
from agency_site.sms.delivery import deliver_due_texts

async def work():
    empty_rounds = 0
    while empty_rounds < 5:
        empty_rounds = 0 if await deliver_due_texts() else empty_rounds + 1
        await asyncio.sleep(0.1 if empty_rounds else 0)

asyncio.run(work())
"""


async def store_messages(count: int) -> float:
    """Enqueue messages to as many numbers; return the seconds."""
    # No number ends in digits that choose a fault of the simulator.
    numbers = [f"+2547{number // 900:05}{number % 900 + 100}" for number in range(count)]
    started = time.perf_counter()
    for first in range(0, count, _STORED_AT_ONCE):
        batch = numbers[first : first + _STORED_AT_ONCE]
        keyed = {
            number: TextMessage(
                "booking-confirmed", number, "Your consultation is confirmed.", TextPurpose.TRANSACTION
            )
            for number in batch
        }
        async with session_scope() as session:
            await enqueue_texts(session, keyed)
    return time.perf_counter() - started


async def count_states() -> dict[TextState, int]:
    async with read_scope() as session:
        query = select(SmsMessage.state, func.count()).group_by(col(SmsMessage.state))
        return {TextState(state): count for state, count in await session.exec(query)}


def start_worker() -> subprocess.Popen[bytes]:
    environment = os.environ | {"AGENCY_LOG_LEVEL": "error"}
    return subprocess.Popen([sys.executable, "-c", _WORKER], cwd=ROOT, env=environment)


async def deliver(count: int, workers: int, engine: SmsEngine) -> float:
    """Deliver with several processes, one of which is killed after a third.

    Returns the seconds from the first message until the last worker has ended, half a second after its last message.
    """
    processes = [start_worker() for _ in range(workers)]
    started, is_killed = 0.0, False
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while any(process.poll() is None for process in processes):
                accepted = len(engine.messages)
                started = started or (time.perf_counter() if accepted else 0.0)
                if not is_killed and accepted > count // 3:
                    processes[0].send_signal(signal.SIGKILL)
                    is_killed = True
                await asyncio.sleep(0.05)
        return time.perf_counter() - started
    finally:
        for process in processes:
            process.kill()
            process.wait(timeout=30)


async def measure(count: int, workers: int) -> bool:
    """Print the figures; return whether no message was handed over twice and none was lost."""
    simulator = create_sms_simulator(SmsSimulatorConfig("http://127.0.0.1:9", delay=_NEVER))
    engine: SmsEngine = simulator.state.engine
    async with serving(simulator) as url:
        os.environ["AGENCY_SMS_BASE_URL"] = url
        settings.cache_clear()
        stored = await store_messages(count)
        seconds = await deliver(count, workers, engine)
        states = await count_states()
        await engine.aclose()
    await dispose_engine()
    handed_over = Counter(message.number for message in engine.messages)
    doubles = sum(times > 1 for times in handed_over.values())
    in_flight = states.get(TextState.SENDING, 0)
    print(f"{count:,} messages stored in {stored:.1f} s, {count / stored:,.0f} a second")
    print(
        f"handed over by {workers} workers in {seconds:.1f} s, {count / seconds:,.0f} a second: "
        f"{states.get(TextState.SENT, 0):,} sent, {in_flight} of the killed worker, {doubles} twice"
    )
    return not doubles and states.get(TextState.SENT, 0) + in_flight == count and in_flight <= BATCH


def main(count: int = MESSAGES, workers: int = WORKERS) -> int:
    """Run the bench; return the exit code."""
    # The request that the killed worker was sending is cut off, which is what the bench is about.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    heading("Text messages through the outbox, on PostgreSQL", COMMAND)
    with Postgres.started() as server:
        os.environ["AGENCY_DATABASE_URL"] = server.fresh_database()
        return 0 if asyncio.run(measure(count, workers)) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
