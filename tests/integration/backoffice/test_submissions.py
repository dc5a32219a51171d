"""A submit of a staff form is applied once, however often it arrives."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from agency_site.auth import audit, submissions
from agency_site.auth.rules import Staff
from agency_site.auth.submissions import AlreadyApplied, split_key
from agency_site.clock import frozen
from agency_site.db.engine import read_scope, session_scope
from tests.integration.backoffice.conftest import on_duty

pytestmark = pytest.mark.usefixtures("database")
KEY = "0123456789abcdef" * 2


async def _submit(who: Staff) -> None:
    async with session_scope() as session:
        await audit.record(session, who, "booking.noted", "booking", "BK-1")
        await audit.record(session, who, "booking.moved", "booking", "BK-1")


async def _count() -> int:
    async with read_scope() as session:
        return len(await audit.list_entries(session, "booking", "BK-1", 100))


async def _is_applied(who: Staff) -> bool:
    async with read_scope() as session:
        return await submissions.is_applied(session, who.account_id, KEY)


async def test_the_same_submit_is_refused_and_changes_nothing() -> None:
    who = replace(await on_duty(), submission=KEY)
    assert not await _is_applied(who)
    await _submit(who)
    assert await _is_applied(who)
    with pytest.raises(AlreadyApplied):
        await _submit(who)
    assert await _count() == 2


@pytest.mark.each_database
async def test_of_parallel_submits_one_is_applied() -> None:
    who = replace(await on_duty(), submission=KEY)
    outcomes = await asyncio.gather(*(_submit(who) for _ in range(5)), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AlreadyApplied"] * 4 + ["NoneType"]
    assert await _count() == 2


async def test_a_submit_that_failed_can_be_made_again() -> None:
    who = replace(await on_duty(), submission=KEY)
    with suppress(LookupError):
        async with session_scope() as session:
            await audit.record(session, who, "booking.noted", "booking", "BK-1")
            raise LookupError
    await _submit(who)
    assert await _count() == 2


async def test_keys_of_two_accounts_and_events_without_a_form_do_not_meet() -> None:
    first = replace(await on_duty(), submission=KEY)
    second = replace(await on_duty("juma@mwanga.example"), submission=KEY)
    for who in (first, second, replace(first, submission=""), replace(first, submission="")):
        await _submit(who)
    assert await _count() == 8


async def test_old_keys_are_deleted(noon: datetime) -> None:
    who = replace(await on_duty(), submission=KEY)
    await _submit(who)
    with frozen(noon + timedelta(days=2)):
        async with session_scope() as session:
            assert await submissions.expire(session, noon, 20) == 0
            assert await submissions.expire(session, noon + timedelta(days=1), 20) == 1
    assert not await _is_applied(who)


@pytest.mark.parametrize(
    "key", ["", "x" * 32, "0" * 31, "0" * 33, 7, None, ["0" * 32], "0" * 31 + "\n", "0" * 32 + "\n"]
)
def test_a_key_in_another_shape_is_dropped(key: object) -> None:
    assert split_key({"form": {"note": "x", "submission": key}, "other": 1}) == (
        "",
        {"form": {"note": "x"}, "other": 1},
    )


def test_the_key_is_taken_out_of_the_form() -> None:
    assert split_key({"form": {"note": "x", "submission": KEY}}) == (KEY, {"form": {"note": "x"}})
    assert split_key({"form": "1"}) == ("", {"form": "1"})
