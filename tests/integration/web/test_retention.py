"""Personal data past its period is blanked, and nothing else; on both databases."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order, OrderEvent
from agency_site.features.checkout.payments.rules import PaymentState
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.comments.rules import CommentState
from agency_site.features.contact.rules import EnquiryState
from agency_site.features.contact.tables import Enquiry
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.settings import ROOT, Settings, variable
from agency_site.web.serving import retention
from agency_site.web.serving.jobs import JOBS
from agency_site.web.serving.retention import expire_old
from tests.integration.web import expiring_records
from tests.integration.web.expiring_records import all_of, everything, stock, traces

Configure = Callable[..., Settings]

THEN = datetime(2016, 3, 1, 9, 0, tzinfo=UTC)
NOW = THEN + timedelta(days=3650)
OLD, YOUNG = "zawadi", "baraka"
PERIODS = sorted(name for name in Settings.model_fields if name.startswith("retention_"))

pytestmark = pytest.mark.usefixtures("database")


async def at(moment: datetime, name: str) -> None:
    with clock.frozen(moment):
        await stock(name)


async def clean(moment: datetime = NOW) -> int:
    """Run the job until nothing is left to do; how many records were blanked."""
    with clock.frozen(moment):
        total = 0
        while done := await expire_old():
            total += done
    return total


async def test_everything_old_is_blanked_and_nothing_young_is_touched() -> None:
    await at(NOW, YOUNG)
    before = await everything()
    await at(THEN, OLD)
    assert len(await traces(OLD)) > 15
    assert await clean() == expiring_records.KINDS
    assert await traces(OLD) == {}
    after = await everything()
    assert {table: [row for row in rows if row not in after[table]] for table, rows in before.items()} == {
        table: [] for table in before
    }


async def test_a_second_run_changes_nothing() -> None:
    await at(THEN, OLD)
    await clean()
    before = await everything()
    assert await clean() == 0
    assert await clean(NOW + timedelta(days=9000)) == 0
    assert await everything() == before


async def test_money_references_dates_and_states_stay() -> None:
    await at(THEN, OLD)
    tables = (Order, Payment, Enrolment, Booking, Enquiry, WebinarRegistration, Subscriber)
    unexpired = (
        "reference",
        "state",
        "amount",
        "receipt",
        "created_at",
        "settled_at",
        "course_slug",
        "starts_at",
        "webinar",
    )

    async def books() -> list[list[object]]:
        return [
            [getattr(row, name, None) for name in unexpired]
            for table in tables
            for row in await all_of(table)
        ]

    before = await books()
    await clean()
    assert await books() == before


async def test_each_event_log_says_once_that_its_record_was_blanked_and_by_whom() -> None:
    await at(THEN, OLD)
    await clean()
    (*_, line) = await all_of(BookingEvent)
    assert (line.what, line.actor) == ("erased", "retention")
    said = [event for event in await all_of(OrderEvent) if event.actor == "retention"]
    assert {event.why for event in said} == {"personal data erased after its time"}
    assert len({event.order_id for event in said}) == len(said) == 3


@pytest.mark.parametrize("name", PERIODS)
async def test_each_kind_waits_for_its_own_period(name: str, configure: Configure) -> None:
    days = getattr(configure(**dict.fromkeys(PERIODS, 0) | {name: 40}), name)
    with clock.frozen(THEN):
        await stock(OLD)
        async with session_scope() as session:
            for state in retention.UNCONFIRMED:
                await expiring_records.subscriber(session, f"un{OLD}", state)
    rows = await everything()
    assert await clean(THEN + timedelta(days=days)) == 0
    assert await everything() == rows
    # Views are counted by day.
    step = timedelta(days=1) if name == "retention_visits_days" else timedelta(seconds=1)
    assert await clean(THEN + timedelta(days=days) + step) >= 1
    assert await everything() != rows


async def test_nothing_is_blanked_where_the_owner_keeps_everything(configure: Configure) -> None:
    configure(**dict.fromkeys(PERIODS, 0))
    await at(THEN, OLD)
    before = await everything()
    assert await clean() == 0
    assert await everything() == before


async def test_unfinished_records_stay_however_old_they_are() -> None:
    with clock.frozen(THEN):
        async with session_scope() as session:
            await expiring_records.order(session, OLD, OrderState.NEEDS_REVIEW, PaymentState.NEEDS_REVIEW)
            await expiring_records.order(session, OLD, OrderState.AWAITING, PaymentState.PENDING)
            await expiring_records.enquiry(session, OLD, EnquiryState.NEW)
            await expiring_records.comment(session, OLD, CommentState.PENDING)
            await expiring_records.comment(session, OLD, CommentState.APPROVED)
            await expiring_records.subscriber(session, OLD, SubscriberState.SUBSCRIBED)
        await expiring_records.waiting_mail(OLD)
    before = await everything()
    assert await clean() == 0
    assert await everything() == before


async def test_an_order_whose_payment_is_queried_again_is_left_alone() -> None:
    with clock.frozen(THEN):
        async with session_scope() as session:
            await expiring_records.order(session, OLD, OrderState.UNPAID)
            (payment,) = [item for item in session.new if isinstance(item, Payment)]
            payment.due_at = NOW
    assert await clean() == 0


async def test_registrations_count_from_the_webinar_not_from_the_form() -> None:
    held = datetime(2026, 12, 3, 15, 30, tzinfo=UTC)
    with clock.frozen(held - timedelta(days=300)):
        async with session_scope() as session:
            row = expiring_records._registration(OLD)
            row.webinar = "plan-2027"
            session.add(row)
    assert await clean(held + timedelta(days=180)) == 0
    assert await clean(held + timedelta(days=180, minutes=1)) == 1


async def test_batches_are_small_and_the_next_round_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for number, name in enumerate(("ann", "ben", "cat")):
        await at(THEN + timedelta(days=number), name)
    with clock.frozen(NOW):
        assert await expire_old() == 2 * expiring_records.KINDS
        assert await expire_old() == expiring_records.KINDS
        assert await expire_old() == 0
    assert (await traces("ann"), await traces("ben"), await traces("cat")) == ({}, {}, {})


async def test_one_kind_that_fails_does_not_keep_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> int:
        raise RuntimeError

    await at(THEN, OLD)
    kinds = tuple((name, broken if "bookings" in name else verb) for name, verb in retention.KINDS)
    monkeypatch.setattr(retention, "KINDS", kinds)
    assert await clean() == expiring_records.KINDS - 1
    assert "retention_bookings_days" in caplog.text


WORKER = """
import asyncio, sys
from datetime import datetime
from agency_site import clock
from agency_site.feature_contracts import join_features
from agency_site.web.serving.retention import expire_old

join_features()

async def work():
    print("ready", flush=True)
    sys.stdin.readline()
    with clock.frozen(datetime.fromisoformat(sys.argv[1])):
        return sum([await expire_old() for _ in range(12)])

print(asyncio.run(work()))
"""


@pytest.mark.each_database
async def test_two_processes_at_once_blank_each_record_once(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{first}{OLD}" for first in "abcdefghij"]
    for number, name in enumerate(names):
        await at(THEN + timedelta(days=number), name)
    environment = {**os.environ, variable("database_url"): database}
    workers = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", WORKER, NOW.isoformat(), cwd=ROOT, env=environment, stdin=PIPE, stdout=PIPE
        )
        for _ in range(2)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert await worker.stdout.readline() == b"ready\n"
    done = await asyncio.gather(*(worker.communicate(b"go\n") for worker in workers))
    blanked = [int(output) for output, _ in done]
    assert sum(blanked) == len(names) * expiring_records.KINDS
    assert [name for name in names if await traces(name)] == []
    erased = [line.booking_id for line in await all_of(BookingEvent) if line.actor == "retention"]
    assert len(erased) == len(set(erased)) == len(names)
    said = [event.order_id for event in await all_of(OrderEvent) if event.actor == "retention"]
    assert len(said) == len(set(said)) == 3 * len(names)


def test_the_background_does_it_and_every_period_has_a_verb() -> None:
    assert expire_old in [job for job, _ in JOBS]
    assert sorted({name for name, _ in retention.KINDS}) == PERIODS
