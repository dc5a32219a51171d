"""A worker claims due rows for a while, and no other worker gets them until its lease ends."""

from datetime import timedelta

import pytest
from prometheus_client import REGISTRY
from sqlmodel import col, select

from agency_site.db.engine import read_scope, session_scope
from agency_site.db.leases import Leased, claim
from agency_site.features.checkout.payments.tables import CallbackInbox
from tests.conftest import FRIDAY_NOON

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]
MINUTE = timedelta(minutes=1)


async def store_rows(*minutes: float | None) -> None:
    """Store rows that are due the given minutes after noon; None for rows that are never due."""
    async with session_scope() as session:
        for number, after in enumerate(minutes):
            due = None if after is None else FRIDAY_NOON + after * MINUTE
            session.add(
                CallbackInbox(digest=str(number), body=str(number), received_at=FRIDAY_NOON, due_at=due)
            )
            await session.flush()


async def claimed(minutes: float = 0, *conditions: object, **options: object) -> list[str]:
    async with session_scope() as session:
        rows = await claim(session, CallbackInbox, FRIDAY_NOON + minutes * MINUTE, *conditions, **options)  # type: ignore[arg-type]
        return [row.body for row in rows]


async def leases() -> dict[str, object]:
    async with read_scope() as session:
        rows = (await session.exec(select(CallbackInbox))).all()
    return {row.body: row.leased_until for row in rows}


async def test_due_rows_are_claimed_oldest_first_and_others_stay() -> None:
    await store_rows(0, -2, 1, None, -1)
    assert await claimed() == ["1", "4", "0"]
    until = FRIDAY_NOON + 2 * MINUTE
    assert await leases() == {"0": until, "1": until, "2": None, "3": None, "4": until}


async def test_a_claimed_row_is_free_again_when_its_lease_ends() -> None:
    await store_rows(0)
    assert await claimed(lease=5 * MINUTE) == ["0"]
    assert await claimed(4.9) == []
    assert await claimed(5) == ["0"]


async def test_a_row_whose_worker_never_finished_counts_as_a_takeover() -> None:
    labels = {"table": "callback_inbox"}
    before = REGISTRY.get_sample_value("agency_lease_takeovers_total", labels) or 0
    await store_rows(0, 0)
    await claimed(limit=1)
    await claimed(1)
    assert (REGISTRY.get_sample_value("agency_lease_takeovers_total", labels) or 0) == before
    await claimed(2.5)
    assert REGISTRY.get_sample_value("agency_lease_takeovers_total", labels) == before + 1


async def test_what_is_due_or_leased_far_beyond_its_longest_pause_is_due_and_free() -> None:
    await store_rows(6.9, 7.1, 60)
    assert await claimed() == ["1", "2"]
    assert await claimed(-4.9, col(CallbackInbox.body) != "0") == []
    assert await claimed(-60, col(CallbackInbox.body) != "0") == ["1", "2"]


def test_every_table_of_work_says_how_long_its_longest_pause_is() -> None:
    tables = Leased.__subclasses__()
    assert len(tables) > 5
    planned = {table.__tablename__ for table in tables if vars(table)["longest_pause"] is None}
    assert planned == {"bookings", "webinar_registrations", "course_sessions"}


async def test_a_worker_claims_ten_rows_unless_it_asks_for_another_number() -> None:
    await store_rows(*[-number for number in range(14)])
    assert await claimed(limit=2) == ["13", "12"]
    assert await claimed() == [str(number) for number in range(11, 1, -1)]
    assert await claimed() == ["1", "0"]
    assert await claimed() == []


async def test_only_rows_that_meet_all_conditions_are_claimed() -> None:
    await store_rows(0, 0, 0)
    conditions = (col(CallbackInbox.body) != "0", col(CallbackInbox.body) != "1")
    assert await claimed(0, *conditions) == ["2"]
