"""One row that cannot be handled does not keep the others waiting, in every loop over due work."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import select

from agency_site import clock
from agency_site.db.due_work import RETRY_AFTER, handle_due, handle_each, handle_together
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.leases import finish
from agency_site.db.outages import is_outage
from agency_site.features.checkout.payments.tables import CallbackInbox
from tests.conftest import FRIDAY_NOON

pytestmark = pytest.mark.usefixtures("database")

Failure = Callable[[], Awaitable[Exception]]


async def raise_key_error() -> Exception:
    return KeyError("unknown")


async def raise_timeout() -> Exception:
    return TimeoutError()


async def raise_faulty_statement() -> Exception:
    try:
        async with session_scope() as session:
            await (await session.connection()).execute(text("SELECT nothing FROM nowhere"))
    except Exception as error:
        return error
    raise AssertionError


class Cancelled(Exception):
    """What psycopg raises for a statement that ran for too long."""

    sqlstate = "57014"


async def raise_statement_timeout() -> Exception:
    return OperationalError("SELECT 1", {}, Cancelled())


ABOUT_ONE_ROW = [raise_key_error, raise_timeout, raise_faulty_statement, raise_statement_timeout]


async def store_rows(count: int) -> None:
    async with session_scope() as session:
        for number in range(count):
            due = FRIDAY_NOON - timedelta(minutes=count - number)
            session.add(CallbackInbox(digest=f"{number}", body="{}", received_at=FRIDAY_NOON, due_at=due))


async def waiting() -> list[str]:
    async with read_scope() as session:
        rows = (await session.exec(select(CallbackInbox))).all()
    return [row.digest for row in rows if row.due_at]


async def handle_all_but_first(row: CallbackInbox, failure: Failure) -> None:
    if row.digest in ("0", "1"):
        raise await failure()
    async with session_scope() as session:
        await finish(session, row)


@pytest.mark.parametrize("failure", ABOUT_ONE_ROW)
async def test_rows_behind_one_that_fails_are_handled_and_it_is_tried_again_after_a_pause(
    failure: Failure, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> int:
        return await handle_due(
            session_scope, CallbackInbox, lambda row: handle_all_but_first(row, failure), limit=3
        )

    await store_rows(7)
    with clock.frozen(FRIDAY_NOON) as move:
        assert [await work() for _ in range(4)] == [1, 3, 1, 0]
        assert await waiting() == ["0", "1"]
        assert "callback_inbox 1 could not be handled" in caplog.text
        await store_rows_due_now("late")
        move(FRIDAY_NOON + RETRY_AFTER)
        assert [await work(), await work()] == [1, 0]


async def store_rows_due_now(digest: str) -> None:
    async with session_scope() as session:
        row = CallbackInbox(digest=digest, body="{}", received_at=FRIDAY_NOON, due_at=FRIDAY_NOON)
        session.add(row)


async def test_a_row_that_was_handled_before_it_failed_is_not_due_again() -> None:
    async def handle(row: CallbackInbox) -> None:
        async with session_scope() as session:
            await finish(session, row)
        raise KeyError("afterwards")

    await store_rows(1)
    with clock.frozen(FRIDAY_NOON):
        await handle_due(session_scope, CallbackInbox, handle)
    assert await waiting() == []


@pytest.mark.parametrize("handle_all", [handle_each, handle_together])
async def test_an_outage_of_the_database_ends_the_round(
    handle_all: Callable[..., Awaitable[int]], caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_number: int) -> None:
        raise InterfaceError("SELECT 1", {}, Exception("connection refused"))

    with pytest.raises(InterfaceError) as ended:
        await handle_all([1, 2], fail, str)
    assert is_outage(ended.value)
    assert caplog.text == ""


@pytest.mark.parametrize("handle_all", [handle_each, handle_together])
async def test_results_are_added_and_no_result_counts_as_one(
    handle_all: Callable[..., Awaitable[int]],
) -> None:
    async def handle(number: int) -> int | None:
        if number == 3:
            raise KeyError(number)
        return None if number == 1 else number

    assert await handle_all([0, 1, 2, 3, 4], handle, str) == 7
