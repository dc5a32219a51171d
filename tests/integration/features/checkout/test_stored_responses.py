"""Work under an idempotency key: done once, returned again, taken over, given up, forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from agency_site import clock
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.features.checkout.idempotency import StoredResponse, delete_old_responses, run_once
from agency_site.features.checkout.tables import IdempotencyKey
from tests.integration.features.checkout.conftest import rows
from tests.integration.features.checkout.stored_rows import store

pytestmark = pytest.mark.usefixtures("database")

DAY = timedelta(hours=24)
MOMENT = timedelta(seconds=1)


class Work:
    """Counts how often it is done; its response says so."""

    times = 0

    async def __call__(self) -> StoredResponse:
        self.times += 1
        return StoredResponse(200 + self.times, {"times": self.times})


async def run(
    work: Callable[[], Awaitable[StoredResponse]], key: str = "key-1", route: str = "pay", body: str = "{}"
) -> StoredResponse:
    return await run_once(session_scope, route, key, body, work)


async def start(moment: datetime, **values: Any) -> None:
    """A request whose work has begun at that moment and has not ended."""
    running = {
        "route": "pay",
        "key": "key-1",
        "created_at": moment,
        "leased_until": moment + timedelta(minutes=2),
    }
    # SHA-256 of an empty object as JSON.
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    await store(IdempotencyKey(body_digest=digest, **{**running, **values}))


@pytest.mark.parametrize("key", ["", "a" * 256, "tab\there", "clé"])
async def test_a_key_that_is_empty_too_long_or_not_printable_is_rejected(noon: datetime, key: str) -> None:
    with pytest.raises(InputRejected) as rejected:
        await run(Work(), key)
    reason = "Idempotency-Key has 1 to 255 printable ASCII characters."
    assert (rejected.value.message, rejected.value.by_field()) == (reason, {"Idempotency-Key": reason})
    assert await rows(IdempotencyKey) == []


@pytest.mark.parametrize("key", ["a", "a" * 255])
async def test_a_repeated_request_gets_the_first_response(noon: datetime, key: str) -> None:
    work = Work()
    for _ in range(2):
        assert await run(work, key) == StoredResponse(201, {"times": 1})


async def test_another_key_and_another_route_are_other_requests(noon: datetime) -> None:
    work, requests = Work(), (("key-1", "pay"), ("key-2", "pay"), ("key-1", "enrol"))
    for _ in range(2):
        assert [(await run(work, *one)).body["times"] for one in requests] == [1, 2, 3]


async def test_a_key_that_was_used_with_another_body_is_refused(noon: datetime) -> None:
    work = Work()
    await run(work)
    with pytest.raises(
        Conflict, match=r"^This Idempotency-Key was used with another request\. Please send a new key\.$"
    ):
        await run(work, body="{ }")
    assert work.times == 1


async def test_a_response_is_returned_for_a_day_and_only_old_keys_are_forgotten(noon: datetime) -> None:
    work = Work()
    await run(work)
    await run(work, "key-2")
    with clock.frozen(noon + DAY - MOMENT):
        assert (await run(work)).body == {"times": 1}
    with clock.frozen(noon + DAY):
        assert (await run(work)).body == {"times": 3}
    assert [row.key for row in await rows(IdempotencyKey)] == ["key-2", "key-1"]


async def test_old_responses_are_deleted_and_counted(noon: datetime) -> None:
    for number, age in enumerate((DAY + MOMENT, DAY, DAY - MOMENT)):
        await start(noon - age, key=f"key-{number}", status=200)
    async with session_scope() as session:
        assert await delete_old_responses(session) == 2
    assert [row.key for row in await rows(IdempotencyKey)] == ["key-2"]


async def test_work_that_fails_may_be_done_again_and_leaves_other_requests_alone(noon: datetime) -> None:
    async def fail() -> StoredResponse:
        raise OSError("the network is gone")

    await start(noon, key="key-2")
    await start(noon, route="enrol")
    with pytest.raises(OSError, match="the network is gone"):
        await run(fail)
    assert [(row.route, row.key) for row in await rows(IdempotencyKey)] == [
        ("pay", "key-2"),
        ("enrol", "key-1"),
    ]
    assert (await run(Work())).status == 201


async def test_the_work_of_a_killed_process_is_taken_over_when_its_lease_ends_and_leased_again(
    noon: datetime,
) -> None:
    leases: list[timedelta] = []

    async def look() -> StoredResponse:
        leases.extend(row.leased_until - noon for row in await rows(IdempotencyKey))
        return StoredResponse(200, {})

    for key in ("key-1", "key-2"):
        await start(noon, key=key)
    with clock.frozen(noon + timedelta(minutes=2)):
        assert await run(look) == StoredResponse(200, {})
    assert leases == [timedelta(minutes=4), timedelta(minutes=2)]


async def test_a_request_waits_two_minutes_for_the_first_one_and_is_then_refused(
    noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    await start(noon)
    monkeypatch.setattr(asyncio, "sleep", pause)
    # 1200 looks at the database would take seconds.
    monkeypatch.setattr("agency_site.features.checkout.idempotency._PAUSE", 30)
    work = Work()
    refusal = r"^The first request with this Idempotency-Key is still being worked on\.$"
    with clock.frozen(noon + timedelta(minutes=2) - MOMENT), pytest.raises(Conflict, match=refusal):
        await run(work)
    assert (pauses, work.times) == ([30] * 4, 0)


async def test_a_request_that_waits_gets_the_response_of_the_first_one(
    noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def work() -> StoredResponse:
        begun.set()
        await may_end.wait()
        return StoredResponse(200, {"reference": "EN-7F3K9Q"})

    monkeypatch.setattr("agency_site.features.checkout.idempotency._PAUSE", 0)
    first = asyncio.create_task(run(work))
    await begun.wait()
    second = asyncio.create_task(run(Work()))
    await asyncio.sleep(0)
    may_end.set()
    assert await first == await second == StoredResponse(200, {"reference": "EN-7F3K9Q"})


async def test_another_body_does_not_renew_the_lease_of_a_killed_process(noon: datetime) -> None:
    await start(noon - timedelta(minutes=2))
    with pytest.raises(Conflict):
        await run(Work(), body="{ }")
    assert (await run(Work())).status == 201


async def test_work_that_fails_after_another_process_has_taken_it_over_leaves_that_response(
    noon: datetime,
) -> None:
    async def be_slow_and_fail() -> StoredResponse:
        with clock.frozen(noon + timedelta(minutes=2)):
            await run(Work())
        raise OSError("the network is gone")

    with pytest.raises(OSError, match="the network is gone"):
        await run(be_slow_and_fail)
    assert [row.status for row in await rows(IdempotencyKey)] == [201]
