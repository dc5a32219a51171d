"""One history: servers, Daraja, a mail server and people, on virtual time, under the faults of a plan."""

import asyncio
import errno
import logging
import os
import random as random_module
import shutil
import sqlite3
import time
from asyncio import events
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

import aiosmtplib
import httpx
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_connection
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import configure_mappers
from sqlmodel.main import default_registry
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site import clock
from agency_site.antispam import limiter
from agency_site.antispam.limiter import Windows
from agency_site.db import engine as product_engine
from agency_site.db import sqlite as product_sqlite
from agency_site.db.engine import session_scope
from agency_site.errors import SiteError
from agency_site.feature_contracts import join_features
from agency_site.features.academy.jobs import offer_freed_places, release_given_up
from agency_site.features.booking.jobs import remind_due
from agency_site.features.checkout import api
from agency_site.features.checkout.jobs import poll_payments, read_recent_books, return_coupon_uses
from agency_site.features.checkout.payments import emails, gateway, journal
from agency_site.features.checkout.reconciliation.report import ReconciliationReport
from agency_site.mail import delivery
from agency_site.mail import usecases as outbox
from agency_site.mail.delivery import deliver_due_messages
from agency_site.mpesa.client import DarajaClient, config_from
from agency_site.mpesa.contract import PAYBILL_PATH
from agency_site.mpesa.simulator import create_simulator
from agency_site.mpesa.simulator.engine import Engine as Simulator
from agency_site.mpesa.simulator.ledger import Prompt, PushOrder
from agency_site.mpesa.simulator.outcomes import Plan
from agency_site.mpesa.simulator.paybill import PaybillAddresses, PaybillPayment
from agency_site.mpesa.simulator.switches import Fault as DarajaFault
from agency_site.mpesa.simulator.switches import Switches
from agency_site.settings import settings
from tests.example_records import DEAR_COURSE, PAID_COURSE
from tests.simulation.database import Cursor, Database, InjectedFault, complete, complete_all
from tests.simulation.faults import LATE_BOOKS, ODDITIES, UNREADABLE_BOOKS, Planned
from tests.simulation.network import AsgiTransport, Broken, Lost, Network, Refused
from tests.simulation.scheduler import Endless, Process, Scheduler

join_features()

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
"""Friday 20 November 2026, 12:00 in Nairobi."""
SERVERS = ("server A", "server B")
RUN, RUN_PLACES = "CR-7F3K9Q", 2
"""A course run for which people compete."""
COURSES = tuple((course.payment_name, course.payment_price) for course in (PAID_COURSE, DEAR_COURSE))
"""What people buy, and what a place costs."""
DECLINING_PHONES, WILLING_PHONES = "25471234519", "25471234520"
"""All but the last digit: owners of the first decline every prompt, those of the others pay each."""
COUPON, COUPON_PERCENT = "JANUARY-10", 10
"""A coupon with one use, for which they compete too."""
_JOB_PAUSE = 1.0
_HEALING_HOURS = 27
Job = Callable[[], Awaitable[int]]


class World:
    """Everything of one history."""

    def __init__(self, seed: int, faults: Sequence[Planned]) -> None:
        self.scheduler = Scheduler(f"{seed}: order")
        self.faults = tuple(faults)
        self.happened: list[Planned] = []
        self.violations: list[str] = []
        self.healed = False
        self.mails: list[tuple[str, str]] = []
        """Message-ID and recipient of each mail that the mail server has taken."""
        self.references_of_key: dict[str, list[tuple[float, str]]] = {}
        """The orders that the answers to each Idempotency-Key have named, with the times."""
        self.requests_of_key: dict[str, list[tuple[float, str]]] = {}
        """The requests to M-Pesa for each Idempotency-Key, as long as no client tries again without its key."""
        self.confirmed: set[str] = set()
        """The bookings whose confirmation reached the client."""
        self.misplaced: set[str] = set()
        """The bookings of which staff read that they no longer fit a changed schedule."""
        self.unread_changes = 0
        """Changes of the schedule whose answer was lost."""
        self.assigned: set[str] = set()
        """The receipts of payments by hand that staff have assigned."""
        self.is_asked_about_paybill = Random(f"{seed}: validation").random() < 0.7
        """Whether M-Pesa asks before it takes a payment by hand: merchants have to apply for that."""
        self.is_paybill_registered = Random(f"{seed}: confirmation").random() < 0.7
        """Whether M-Pesa reports payments by hand: the merchant has to register an address for that."""
        self.reports: list[ReconciliationReport] = []
        """As staff see it once everything is decided, and once more when they have refunded what was paid twice."""
        self.paid_twice: set[str] = set()
        """The orders with several paid payments, when staff saw the first report."""
        self._healed_at = START
        key = gateway._compute_books_key(settings())
        self._due_statements = {job.__name__: due.replace(":books", f"'{key}'") for job, due, _ in _JOBS}
        self._counts: Counter[str] = Counter()
        self._numbers = 0
        self.database = Database(database_file(), self)
        self.people = self._process("people")
        self.carrier = self._process("network")
        self.post = self._process("mail server")
        self.daraja_process = self._process("Daraja")
        self.network = Network(self.carrier, Random(f"{seed}: network"), self)
        self.servers: dict[str, Process] = {}
        self._phones = Random(f"{seed}: phones")
        self._ids = Random(f"{seed}: ids")
        self._balancing = Random(f"{seed}: balancing")
        self._inspecting: sqlite3.Connection | None = None
        self._due: dict[str, datetime | None] = {}
        """From when each job has work, by the job's name."""
        self._idle: dict[str, list[asyncio.Future[None]]] = {job.__name__: [] for job, _, _ in _JOBS}
        self._has_journal = False
        self._waiting_faults = {
            (fault.kind, fault.subject, fault.occasion): fault for fault in reversed(self.faults)
        }
        self._away_until = self._read_only_until = self._disk_full_until = self._redis_away_until = 0.0
        self._redis: SharedCounts | None = None

    # Building and running

    def run(
        self, script: Callable[["World"], Awaitable[None]], last: Callable[["World"], Awaitable[None]]
    ) -> None:
        """Let people act under the faults, heal everything, let staff finish, and stop."""
        try:
            self._run(script, last)
        except Endless:
            self.violations.append(f"the history never comes to rest, after {self.scheduler.now:.0f} s")

    def _run(
        self, script: Callable[["World"], Awaitable[None]], last: Callable[["World"], Awaitable[None]]
    ) -> None:
        self._boot_daraja()
        for name in SERVERS:
            self._boot(name)
        for fault in self.faults:
            if not fault.occasion:
                self.carrier.call_at(fault.at, self._apply_timed, fault)
        acting = self.people.create_task(_settled(script(self)))
        self.scheduler.run(7 * 86_400, acting.done)
        self._require_end(acting, "people never finish")
        self.scheduler.run(self.scheduler.now + 600)
        self._heal()
        self.scheduler.run(self.scheduler.now + _HEALING_HOURS * 3600)
        closing = self.people.create_task(_settled(last(self)))
        self.scheduler.run(self.scheduler.now + 3600, closing.done)
        self._require_end(closing, "staff never finish")
        self.scheduler.run(self.scheduler.now + 600)

    def stop(self) -> None:
        """End all processes without leaving anything to the interpreter's collector."""
        for process in (self.people, self.carrier, self.post, self.daraja_process, *self.servers.values()):
            process.crash()
            self.database.drop(process)
        if self._inspecting is not None:
            self._inspecting.close()

    def _require_end(self, task: "asyncio.Task[None]", problem: str) -> None:
        if not task.done():
            self.violations.append(problem)
        elif not task.cancelled() and (error := task.exception()):
            raise error

    def _process(self, name: str) -> Process:
        self._numbers += 1
        return Process(self.scheduler, name, self._numbers)  # type: ignore[abstract]

    def _boot(self, name: str) -> None:
        """Start a server with empty memory."""
        process = self.servers[name] = self._process(name)
        fixed = [
            fault
            for fault in self.faults
            if fault.kind == "jump" and fault.subject == name and fault.at == 0.0
        ]
        process.skew = 0.0 if self.healed else sum(fault.value for fault in fixed)
        process.thread_ended = self.note_journal
        for job, _, _ in _JOBS:
            process.create_task(self._repeat(process, job))

        def connect() -> None:
            transport = AsgiTransport(
                self.network, lambda: self.daraja_process, self._daraja_app, _daraja_channel
            )
            tokens = gateway.SharedTokens(session_scope, gateway.compute_app_key(settings()))
            client = DarajaClient(config_from(settings()), tokens, transport)
            gateway._clients.here()[gateway.compute_app_key(settings())] = client

        process.call_soon(connect)

    def _boot_daraja(self) -> None:
        app = create_simulator()
        self._daraja_app: ASGIApp = app
        self.daraja: Simulator = app.state.engine
        self.daraja.plan = self._decide_prompt
        self.daraja.take_fault = self._take_daraja_fault
        transport = AsgiTransport(self.network, self.any_server, _callback_app, self._callback_channel)
        self.daraja._http = httpx.AsyncClient(transport=transport, trust_env=False)
        address = f"http://site.simulation.example{PAYBILL_PATH}/{settings().callback_secret}"
        validation = "validation" if self.is_asked_about_paybill else "nobody"
        confirmation = "confirmation" if self.is_paybill_registered else "nobody"
        self.daraja.paybill_addresses = PaybillAddresses(
            f"{address}/{validation}", f"{address}/{confirmation}"
        )

    def _callback_channel(self, path: str) -> str:
        is_return = self.inspect("select id from reversals where attempt_key = ?", path.rpartition("/")[2])
        return "result" if is_return else "callback"

    def any_server(self) -> Process | None:
        """The one that the load balancer chooses."""
        running = [process for process in self.servers.values() if not process.crashed]
        return self._balancing.choice(running) if running else None

    async def _repeat(self, process: Process, job: Job) -> None:
        # As `web.serving.jobs` does, but idle while nothing is due: a round that finds nothing changes nothing.
        name = job.__name__
        if job is read_recent_books:
            # After a start it is due whenever the last reading was.
            await self._run_job(process, job)
            done = None
            while done is None:
                await asyncio.sleep(_PAUSES[job])
                done = await self._run_job(process, job)
        while True:
            if not self.is_due(name, process):
                await self._wait_until_due(name, process)
                continue
            if not await self._run_job(process, job):
                await asyncio.sleep(_PAUSES.get(job, _JOB_PAUSE))

    async def _run_job(self, process: Process, job: Job) -> int | None:
        """Run the job. Returns the number of its results; None if it failed."""
        try:
            return await job()
        except Exception as error:
            self.check_exception(process, job.__name__, error)
        return None

    def is_due(self, name: str, process: Process) -> bool:
        """Return whether the job has work by the clock of that process."""
        moment = self._due.get(name)
        return moment is not None and moment <= self.calendar(process)

    async def _wait_until_due(self, name: str, process: Process) -> None:
        change, moment = process.create_future(), self._due.get(name)
        self._idle[name].append(change)
        timer = None
        if moment is not None:
            timer = process.call_later(
                (moment - self.calendar(process)).total_seconds() + 1e-6, complete, change
            )
        await change
        if timer:
            timer.cancel()
        if change in self._idle[name]:
            self._idle[name].remove(change)
        # Processes look at different moments: often one of them has taken the row before the other looks.
        if self._balancing.random() < 0.6:
            await asyncio.sleep(self._balancing.random() * _JOB_PAUSE)

    def note_commit(self, tables: Collection[str]) -> None:
        """Rows of these tables have changed: jobs may have something to do, or later than they thought."""
        for job, _, relevant in _JOBS:
            if relevant.isdisjoint(tables):
                continue
            (due_text,) = self.inspect(self._due_statements[job.__name__])[0]
            moment = datetime.fromisoformat(due_text).replace(tzinfo=UTC) if due_text else None
            if job is poll_payments and self._has_journal:
                moment = START - timedelta(days=1)
            if moment != self._due.get(job.__name__):
                self._due[job.__name__] = moment
                complete_all(self._idle[job.__name__])

    def note_journal(self) -> None:
        """A thread has ended: it may have written an entry of the journal, or removed the last one."""
        had, self._has_journal = self._has_journal, _list_journal()
        if had or self._has_journal:
            self.note_commit(["payments"])

    def _wake_jobs(self) -> None:
        """A clock was set."""
        for waiting in self._idle.values():
            complete_all(waiting)

    def inspect(self, statement: str, *parameters: object) -> list[Any]:
        """Rows of the database as they were committed last, read past the simulation."""
        if self._inspecting is None:
            self._inspecting = sqlite3.connect(self.database.path, isolation_level=None)
        return self._inspecting.execute(statement, parameters).fetchall()

    # Time

    def calendar(self, process: Process | None = None) -> datetime:
        """The clock of that process, or of the running one."""
        running = process or events._get_running_loop()
        skew = running.skew if isinstance(running, Process) else 0.0
        return START + timedelta(seconds=round(self.scheduler.now + skew, 6))

    # Faults

    def _heal(self) -> None:
        self.healed, self._healed_at = True, self.calendar()
        self._away_until = self._read_only_until = self._disk_full_until = self._redis_away_until = 0.0
        self.daraja.switches = Switches()
        self.scheduler.note("-- all faults end, every server runs again --")
        for name, process in self.servers.items():
            process.skew, process.frozen_until = 0.0, 0.0
            if process.crashed:
                self._boot(name)
        self._wake_jobs()

    def _next(self, key: str) -> int:
        self._counts[key] += 1
        return self._counts[key]

    def _find(self, kinds: Sequence[str], subject: str, occasion: int) -> Planned | None:
        if self.healed:
            return None
        for kind in kinds:
            if fault := self._waiting_faults.get((kind, subject, occasion)):
                self._record(fault)
                return fault
        return None

    def _record(self, fault: Planned) -> None:
        self.happened.append(fault)
        self.scheduler.note(f"FAULT {fault.describe()}")

    async def reach(self, label: str) -> None:
        """A point at which the running process may crash, freeze or wait."""
        if self.must_wait(label):
            await asyncio.sleep(0)

    def must_wait(self, label: str) -> bool:
        """Return whether the process has to let others run first, for code that cannot await."""
        process = events._get_running_loop()
        assert isinstance(process, Process)
        if process.name not in self.servers or self.healed:
            return self.scheduler.has_choice
        struck = False
        for where in (label, "at anything"):
            occasion = self._next(f"{process.name} {where}")
            if fault := self._find((f"crash {where}", f"stand still {where}"), process.name, occasion):
                self._strike(process, fault)
                struck = True
        return struck or self.scheduler.has_choice

    def _strike(self, process: Process, fault: Planned) -> None:
        if fault.family == "freeze":
            process.frozen_until = self.scheduler.now + fault.value
            return
        self._crash(process, fault.value)

    def _crash(self, process: Process, pause: float) -> None:
        process.crash()
        self.database.drop(process)
        self.network.break_off(process)
        self.carrier.call_later(pause, self._restart, process)

    def _cut_power(self, pause: float) -> None:
        """End the machine of all servers; of its disk only that is left which was synced."""
        for process in self.servers.values():
            if not process.crashed:
                self._crash(process, pause)
        if self._inspecting is not None:
            self._inspecting.close()
            self._inspecting = None
        self.database.lose_power()
        self.note_commit({table for _, _, tables in _JOBS for table in tables})

    def _restart(self, process: Process) -> None:
        if self.servers[process.name] is process:
            self.scheduler.note(f"{process.name} starts again")
            self._boot(process.name)

    def _apply_timed(self, fault: Planned) -> None:
        if self.healed or (fault.kind == "jump" and fault.at == 0.0):
            return
        self._record(fault)
        until = self.scheduler.now + fault.value
        if fault.kind in ("away", "away, disk full"):
            self._away_until = until
            self._disk_full_until = until if fault.family == "disk" else 0.0
            self.database.drop()
        elif fault.kind == "power cut":
            self._cut_power(fault.value)
        elif fault.kind == "redis away":
            self._redis_away_until = until
        elif fault.kind == "read-only":
            self._read_only_until = until
        elif fault.kind == "jump":
            self.servers[fault.subject].skew += fault.value
            self._wake_jobs()
        elif fault.kind == "expire":
            self.daraja.forget_tokens()
        elif fault.kind == "oddity":
            for name, value in ODDITIES[fault.subject].items():
                setattr(self.daraja.switches, name, value)

    def check_database(self, *, writing: bool) -> None:
        """Raise InjectedFault while the database is down, or read-only for a writer."""
        if self.scheduler.now < self._away_until:
            raise InjectedFault("connection closed: the database is away")
        if writing and self.scheduler.now < self._read_only_until:
            raise InjectedFault("attempt to write a readonly database")

    def loses_commit_answer(self) -> bool:
        """Return whether this commit succeeds and its answer is lost."""
        name = _running_name()
        return self._find(("lose the answer to a commit",), name, self._next(f"commit {name}")) is not None

    def fault_of_message(self, channel: str) -> Planned | None:
        """The fault that the next message of this channel meets."""
        kinds = ("lose the request", "lose the answer", "delay", "double", "truncate")
        return self._find(kinds, channel, self._next(f"message {channel}"))

    def _take_daraja_fault(self, call: str) -> DarajaFault | None:
        fault = self._find([fault.value for fault in DarajaFault], call, self._next(f"daraja {call}"))
        return DarajaFault(fault.kind) if fault else None

    def check_exception(self, process: Process, what: str, error: BaseException) -> None:
        """An exception that is no answer: a violation, unless a fault of the database has caused it."""
        if not _is_injected(error):
            self.violations.append(f"unexpected exception in {what} of {process.name}: {error!r}")

    # Daraja and the phones

    def _decide_prompt(self, order: PushOrder) -> Plan:
        random = self._phones
        code = random.choices(("0", "1032", "1037", "1", "2001"), (65, 12, 14, 5, 4))[0]
        code = {DECLINING_PHONES: "1032", WILLING_PHONES: "0"}.get(order.phone[:-1], code)
        delay = (
            random.uniform(26, 60) if code == "1037" else random.choice((3.0, 8.0, 20.0, 45.0, 59.0, 85.0))
        )
        callback_delay = random.choice((0.0, 0.0, 0.0, 2.0, 40.0, 200.0))
        offset = random.choice((0,) * 19 + (1,))
        self.scheduler.note(
            f"{order.phone} gets a prompt of KES {order.amount}; in {delay:.0f} s it ends with {code}"
        )
        switches = self.daraja.switches
        return Plan(
            result_code=code,
            delay=delay,
            callback_delay=callback_delay if switches.callback_delay is None else switches.callback_delay,
            amount_offset=offset,
            copies=1 if switches.copies is None else switches.copies,
        )

    # The mail server

    async def send_mail(self, message: Any, *, recipients: Sequence[str], **_options: Any) -> None:
        """Replace `aiosmtplib.send`. Raises its errors."""
        fault = self._find(("refuse for now", "drop after taking"), "mail server", self._next("mail taken"))

        async def take() -> None:
            if fault and fault.kind == "refuse for now":
                raise aiosmtplib.SMTPDataError(451, "try again later")
            self.mails.append((str(message["Message-ID"]), recipients[0]))
            if fault:
                raise aiosmtplib.SMTPServerDisconnected("connection lost")

        try:
            await self.network.send("mail", self.post, take, 20.0)
        except (Lost, Refused, Broken) as error:
            raise aiosmtplib.SMTPServerDisconnected(type(error).__name__) from None

    # What M-Pesa itself has recorded

    def prompts(self) -> list[tuple[Prompt, str]]:
        """Every prompt that reached a phone, with the attempt key of its callback address."""
        return [
            (prompt, prompt.order.callback_url.rpartition("/")[2])
            for prompt in self.daraja.ledger.prompts.values()
        ]

    def had(self, oddity: str) -> bool:
        """Return whether Daraja had that oddity."""
        return any(fault.kind == "oddity" and fault.subject == oddity for fault in self.happened)

    @property
    def charges_may_repeat(self) -> bool:
        """True if the books came later than the product waits: then an order may be charged twice (docs/money.md)."""
        return self.had(LATE_BOOKS)

    def was_never_shown(self, moment: datetime) -> bool:
        """Return whether the books could never be read while they reached back to that moment."""
        return self.had(UNREADABLE_BOOKS) and moment < self._healed_at - timedelta(hours=45)

    def paid_by_hand(self) -> dict[str, tuple[PaybillPayment, str]]:
        """The payments to the Paybill that were taken, with the orders that they are for, by receipt."""
        payments = (payment for payment in self.daraja.ledger.paybill if payment.charged)
        return {payment.receipt: (payment, f"EN-{payment.account[2:8].upper()}") for payment in payments}

    def returns(self) -> dict[str, str]:
        """The receipts of returns that M-Pesa has made, by those of their payments."""
        return {
            reversal.original: reversal.receipt
            for reversal in self.daraja.ledger.reversals
            if reversal.returned
        }

    def paid_orders(self) -> set[str]:
        """Return `charged_orders` and the orders that were paid by hand."""
        return self.charged_orders() | {reference for _, reference in self.paid_by_hand().values()}

    def prompts_of(self, attempt: str) -> list[Prompt]:
        """The prompts of one payment."""
        return [prompt for prompt, key in self.prompts() if key == attempt]

    def order_of(self, attempt: str) -> str:
        """The reference of the order of that payment; empty if there is none."""
        inspected_rows = self.inspect(
            "select o.reference from orders o join payments p on p.order_id = o.id where p.attempt_key = ?",
            attempt,
        )
        return str(inspected_rows[0][0]) if inspected_rows else ""

    def buyer_of(self, attempt: str) -> str:
        """The address and the course of the order of that payment; empty if there is none."""
        inspected_rows = self.inspect(
            "select o.email || ' for ' || o.course_slug from orders o join payments p on p.order_id = o.id "
            "where p.attempt_key = ?",
            attempt,
        )
        return str(inspected_rows[0][0]) if inspected_rows else ""

    def charged_orders(self) -> set[str]:
        """References of the orders for which money has been taken by now."""
        return {self.order_of(attempt) for prompt, attempt in self.prompts() if prompt.charged}

    def check_not_charged(self, who: str, reference: str, words: str) -> None:
        """Record that a payer has just read that nothing was charged."""
        if reference in self.charged_orders() and not self.charges_may_repeat:
            self.violations.append(f"{who} read that {reference} was not charged, and it was: {words[:80]}")

    # What servers share besides the database

    def open_redis(self, _url: str) -> "SharedCounts":
        """Replace connections to Redis."""
        self._redis = self._redis or SharedCounts(self)
        return self._redis

    async def reach_redis(self) -> None:
        """Raise redis's own error while Redis is down."""
        await self.reach("asking Redis")
        if self.scheduler.now < self._redis_away_until:
            raise RedisConnectionError("Redis is away")

    def append_to_journal(self, kind: journal.EntryKind, values: dict[str, Any]) -> None:
        """Replace the function that writes a journal entry. Raises OSError while the disk is full."""
        if self.scheduler.now < self._disk_full_until:
            raise OSError(errno.ENOSPC, "no space left on device")
        _append(kind, values)

    def random_bytes(self, count: int) -> bytes:
        """Replace the operating system's random numbers."""
        return self._ids.randbytes(count)


class SharedCounts(Windows):
    """Counts requests for all processes, as Redis does."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    async def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Count, where Redis answers."""
        await self._world.reach_redis()
        return await super().acquire_entry(key, limit, expiry, amount)


def find_discount(total: int) -> int:
    """Return the discount of the coupon in whole shillings."""
    return total * COUPON_PERCENT // 100


_append = journal._append


async def _settled(work: Awaitable[None]) -> None:
    await work


def _running_name() -> str:
    running = events._get_running_loop()
    return running.name if isinstance(running, Process) else ""


def _is_injected(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, InjectedFault) or isinstance(getattr(error, "orig", None), InjectedFault):
            return True
        error = error.__cause__ or error.__context__
    return False


def _daraja_channel(path: str) -> str:
    named = {
        "generate": "token",
        "processrequest": "push",
        "v1/query": "query",
        "reversal/v1/request": "push",
    }
    return next((name for end, name in named.items() if path.endswith(end) and "pull" not in path), "books")


async def _callback_app(scope: Scope, receive: Receive, send: Send) -> None:
    request, (secret, last) = Request(scope, receive), scope["path"].split("/")[-2:]
    reports = {"confirmation": api.confirmation, "validation": api.validation}
    try:
        if last == "nobody":
            response = Response(status_code=404)
        elif scope["path"].startswith(PAYBILL_PATH):
            response = await reports[last](request, secret)
        else:
            response = await api.callback(request, secret, last)
    except SiteError as error:
        response = Response(status_code=error.status)
    except HTTPException as error:
        response = Response(status_code=error.status_code)
    except Exception as error:
        if not _is_injected(error):
            raise
        response = Response(status_code=500)
    await response(scope, receive, send)


_PAYMENTS_DUE = """
select min(moment) from (
  select max(due_at, coalesce(leased_until, due_at)) as moment from callback_inbox where due_at is not null
  union all
  select max(due_at, coalesce(leased_until, due_at)) from unassigned_transactions where due_at is not null
  union all
  select max(due_at, coalesce(leased_until, due_at)) from reversals where due_at is not null
  union all
  select max(due_at, coalesce(leased_until, due_at),
             case when checkout_request_id is null then due_at
                  else coalesce((select max(next_at) from mpesa_query_slots where app_key <> :books), due_at) end)
  from payments where due_at is not null)
"""
_MAILS_DUE = (
    "select min(max(due_at, coalesce(leased_until, due_at))) from outbox_messages where due_at is not null"
)
_REMINDERS_DUE = (
    "select min(max(due_at, coalesce(leased_until, due_at))) from bookings where due_at is not null"
)
_PLACES_DUE = "select min(kept_until) from place_reservations"
_USES_DUE = "select min(kept_until) from coupon_uses"
_BOOKS_DUE = "select max(next_at) from mpesa_query_slots where app_key = :books"
_OFFERS_DUE = """
select min(e.created_at) from waiting_list_entries e join course_runs r on r.id = e.run_id
where e.state = 'waiting' and e.confirmed_at is not null and r.status = 'open' and r.taken + e.places <= r.capacity
"""


async def deliver_one_message() -> int:
    """Deliver mails one after another, as the job does; the history decides whether there is another."""
    return await deliver_due_messages(limit=1)


_JOBS: tuple[tuple[Any, str, frozenset[str]], ...] = (
    (
        poll_payments,
        _PAYMENTS_DUE,
        frozenset(
            {"payments", "callback_inbox", "unassigned_transactions", "reversals", "mpesa_query_slots"}
        ),
    ),
    (deliver_one_message, _MAILS_DUE, frozenset({"outbox_messages"})),
    (remind_due, _REMINDERS_DUE, frozenset({"bookings"})),
    (release_given_up, _PLACES_DUE, frozenset({"place_reservations"})),
    (return_coupon_uses, _USES_DUE, frozenset({"coupon_uses"})),
    (read_recent_books, _BOOKS_DUE, frozenset({"mpesa_query_slots"})),
    (offer_freed_places, _OFFERS_DUE, frozenset({"waiting_list_entries", "course_runs"})),
)
"""Each job, the statement that says when it has work, and the tables that this depends on."""
_PAUSES: dict[Any, float] = {read_recent_books: 60.0, offer_freed_places: 600.0}
"""Seconds after a round without work, where it is not `_JOB_PAUSE`."""


# The place of one history


def database_file() -> str:
    """Return the path of the database of the current history, in memory if the machine has such a folder."""
    folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path("/tmp")
    return str(folder / f"agency-simulation-{os.getpid()}" / "history.sqlite3")


def journal_folder() -> str:
    """The folder in which all servers keep their journal."""
    return database_file().replace("history.sqlite3", "journal")


def _list_journal() -> bool:
    """Return whether the journal has entries."""
    folder = journal_folder()
    return os.path.isdir(folder) and any(name.endswith(".json") for name in os.listdir(folder))


@contextmanager
def prepared(template: bytes) -> Iterator[None]:
    """The settings and replacements that all histories of this process share."""
    file = Path(database_file())
    file.parent.mkdir(exist_ok=True)
    engines: dict[str, Engine] = {}

    def sharing(url: str) -> AsyncEngine:
        sqlite_engine = product_sqlite.sqlite_engine(url)
        own = sqlite_engine.sync_engine
        first = engines.setdefault("sqlite", own)
        if first.dialect.server_version_info:
            own.dialect, own._compiled_cache = first.dialect, first._compiled_cache
        return sqlite_engine

    environment = {
        "AGENCY_DATABASE_URL": f"sqlite+aiosqlite:///{file}",
        "AGENCY_JOURNAL_FOLDER": journal_folder(),
        "AGENCY_SMTP_HOST": "mail.simulation.example",
        "AGENCY_MPESA_BASE_URL": "http://daraja.simulation.example",
        "AGENCY_MPESA_CALLBACK_URL": "http://site.simulation.example",
        "AGENCY_BOOKING_CAPACITY": "2",
        "AGENCY_REDIS_URL": "redis://redis.simulation.example",
    }
    with (
        patch.dict(os.environ, environment),
        patch.object(product_engine, "make_engine", sharing),
        patch.object(product_engine, "reporting_engine", sharing),
        patch.object(AsyncAdapt_aiosqlite_connection, "_cursor_cls", Cursor),
        # Drawn and composed a hundred thousand times, they would take half of the time; no fault changes them.
        patch.object(emails, "receipt_pdf", lambda _details: b"%PDF-simulated"),
        # Every hour it would take as long as all that people do.
        patch.object(gateway, "_BOOKS_INTERVAL", timedelta(hours=6)),
        patch.object(delivery, "compose_message", lambda row: {"Message-ID": row.message_id}),
    ):
        settings.cache_clear()
        _TEMPLATE[:] = [strip(template, file)]
        try:
            yield
        finally:
            settings.cache_clear()
            shutil.rmtree(file.parent, ignore_errors=True)


_TEMPLATE: list[bytes] = []
_PLAN_RUN = """
insert into course_runs (reference, course_slug, course_name, status, starts_at, ends_at, trainer, room, capacity, taken,
                         search, created_at, updated_at, version)
select :run, :slug, :name, 'open', moment, moment, '', '', :places, 0,
       '', moment, moment, 1
from (select '2027-01-12 15:30:00.000000' as moment)
"""


_MAKE_COUPON = """
insert into coupons (code, percent, course_slug, run_reference, uses, used, created_at, updated_at, version)
values (:code, :percent, '', '', 1, 0, '2026-11-01 09:00:00.000000', '2026-11-01 09:00:00.000000', 1)
"""


def strip(template: bytes, file: Path) -> bytes:
    """The database without the tables that no history uses: SQLite reads all of their definitions for each connection."""
    file.write_bytes(template)
    used = {
        mapper.local_table.name
        for mapper in configured_mappers()
        if mapper.class_.__module__.startswith(
            (
                "agency_site.features.academy",
                "agency_site.features.booking",
                "agency_site.features.checkout",
                "agency_site.mail",
                "agency_site.notices",
                "agency_site.sms",
            )
        )
    }
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        names = [
            name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")
        ]
        for name in names:
            if name not in used and not name.startswith("sqlite_"):
                connection.execute(f"drop table if exists {name}")
        course = {"slug": DEAR_COURSE.slug, "name": DEAR_COURSE.payment_name}
        connection.execute(_PLAN_RUN, {"run": RUN, "places": RUN_PLACES, **course})
        connection.execute(_MAKE_COUPON, {"code": COUPON, "percent": COUPON_PERCENT})
        connection.execute("vacuum")
        connection.execute("pragma journal_mode=wal")
    return file.read_bytes()


def configured_mappers() -> Iterator[Any]:
    """All mapped tables."""
    configure_mappers()
    return (mapper for mapper in default_registry.mappers)


@contextmanager
def in_place(world: World) -> Iterator[None]:
    """Time, randomness, connections and mail of the product come from this history."""
    for end in ("", "-wal", "-shm"):
        Path(f"{world.database.path}{end}").unlink(missing_ok=True)
    shutil.rmtree(journal_folder(), ignore_errors=True)
    Path(world.database.path).write_bytes(_TEMPLATE[0])
    with (
        patch.object(clock, "_source", world.calendar),
        patch.object(time, "time", lambda: START.timestamp() + world.scheduler.now),
        patch.object(time, "monotonic", lambda: world.scheduler.now),
        patch.object(outbox, "uuid4", lambda: UUID(bytes=world.random_bytes(16), version=4)),
        patch.object(random_module, "_urandom", world.random_bytes),
        patch.object(product_sqlite, "_connect", world.database.connect),
        patch.object(aiosmtplib, "send", world.send_mail),
        patch.object(limiter, "_redis_storage", world.open_redis),
        patch.object(journal, "_append", world.append_to_journal),
    ):
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
            world.stop()
