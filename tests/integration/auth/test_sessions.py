"""Sessions are found by their token, expire or are ended, and always start with a new token."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from agency_site import clock
from agency_site.auth import sessions, usecases
from agency_site.auth.rules import ABSOLUTE, IDLE, Permission, Role, SessionEnd
from agency_site.auth.sessions import Visit
from agency_site.auth.tables import StaffAccount, StaffSession
from agency_site.db.engine import read_scope, session_scope
from tests.integration.backoffice.conftest import HERE, enter, find_signed_in, hire, on_duty

pytestmark = pytest.mark.usefixtures("database")


async def touch(token: str) -> None:
    who = await find_signed_in(token)
    assert who is not None
    async with session_scope() as session:
        await sessions.touch(session, who.session_id)


async def test_the_token_identifies_who_is_signed_in_and_from_where() -> None:
    account = await hire("desk@mwanga.example", Role.FRONT_DESK, name="Brian Otieno")
    signed = await enter("desk@mwanga.example")
    who = await find_signed_in(signed.token, "198.51.100.7")
    assert who is not None
    assert (who.account_id, who.email, who.name, who.role) == (
        account.id,
        "desk@mwanga.example",
        "Brian Otieno",
        Role.FRONT_DESK,
    )
    assert who.address == "198.51.100.7"
    assert who.has_permission(Permission.WORK_BOOKINGS)
    assert not who.has_permission(Permission.MANAGE_STAFF)


async def test_the_database_holds_no_token() -> None:
    await hire()
    signed = await enter()
    async with read_scope() as session:
        stored = (await session.exec(select(StaffSession))).one()
    assert signed.token not in repr(stored)
    assert stored.browser == "Chrome on Android"


@pytest.mark.parametrize("token", ["", "x", "a" * 43, "\x00", "ü" * 43])
async def test_no_account_is_found_for_another_token(token: str) -> None:
    await hire()
    await enter()
    assert await find_signed_in(token) is None


async def test_a_session_without_activity_ends(noon: datetime) -> None:
    await hire()
    signed = await enter()
    with clock.frozen(noon + IDLE - timedelta(seconds=1)):
        assert await find_signed_in(signed.token)
    with clock.frozen(noon + IDLE):
        assert await find_signed_in(signed.token) is None


async def test_an_active_session_ends_after_a_working_day(noon: datetime) -> None:
    await hire()
    signed = await enter()
    with clock.frozen(noon) as move:
        for hours in range(1, 12):
            move(noon + timedelta(hours=hours))
            await touch(signed.token)
        move(noon + ABSOLUTE - timedelta(seconds=1))
        assert await find_signed_in(signed.token)
        move(noon + ABSOLUTE)
        assert await find_signed_in(signed.token) is None


async def test_touching_writes_once_a_minute_and_renews_nothing_that_has_ended(noon: datetime) -> None:
    await hire()
    signed = await enter()
    who = await find_signed_in(signed.token)
    assert who is not None

    async def seen_after(moment: datetime) -> datetime:
        with clock.frozen(moment):
            async with session_scope() as session:
                await sessions.touch(session, who.session_id)
            async with read_scope() as session:
                return (await session.exec(select(StaffSession.seen_at))).one()

    assert await seen_after(noon + timedelta(seconds=60)) == noon
    later = noon + timedelta(seconds=61)
    assert await seen_after(later) == later
    assert await seen_after(later + IDLE) == later


async def test_ending_holds_at_once() -> None:
    who = await on_duty()
    other = await enter(visit=Visit("198.51.100.7"))
    async with session_scope() as session:
        await sessions.end(session, who.session_id, SessionEnd.SIGNED_OUT)
    async with read_scope() as session:
        open_now = await sessions.list_sessions(session, who.account_id)
    assert [open_session.address for open_session in open_now] == ["198.51.100.7"]
    assert await find_signed_in(other.token)


async def test_signing_out_ends_one_session_and_everywhere_all() -> None:
    who = await on_duty()
    here, there = await enter(), await enter()
    async with session_scope() as session:
        await usecases.sign_out(session, here.token, HERE.address)
    assert await find_signed_in(here.token) is None
    assert await find_signed_in(there.token)
    async with session_scope() as session:
        assert await usecases.sign_out_everywhere(session, who) == 2
    assert await find_signed_in(there.token) is None


async def test_a_member_of_staff_ends_only_own_sessions() -> None:
    owner = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    async with session_scope() as session:
        await usecases.end_own_session(session, viewer, owner.session_id)
        assert len(await sessions.list_sessions(session, owner.account_id)) == 1
        await usecases.end_own_session(session, viewer, viewer.session_id)
        assert await sessions.list_sessions(session, viewer.account_id) == []


async def test_a_disabled_account_is_signed_out_immediately() -> None:
    await hire()
    signed = await enter()
    async with session_scope() as session:
        await session.exec(update(StaffAccount).values(disabled_at=clock.now()))
    assert await find_signed_in(signed.token) is None


async def test_signing_in_takes_a_new_token_and_ends_the_browsers_old_one() -> None:
    await hire()
    first = await enter()
    second = await enter(visit=Visit(HERE.address, token=first.token))
    assert second.token != first.token
    assert await find_signed_in(first.token) is None
    assert await find_signed_in(second.token)


async def test_sessions_that_are_over_are_forgotten_and_live_ones_are_not(noon: datetime) -> None:
    await hire()
    signed_out, idle, active = await enter(), await enter(), await enter()
    end = noon + ABSOLUTE - timedelta(minutes=1)

    async def forgotten(moment: datetime) -> int:
        async with session_scope() as session:
            return await sessions.expire(session, moment, 10)

    async with session_scope() as session:
        await usecases.sign_out(session, signed_out.token, HERE.address)
    for hour in range(1, 12):
        with clock.frozen(noon + timedelta(hours=hour)):
            await touch(active.token)
    with clock.frozen(end):
        assert await find_signed_in(idle.token) is None
        assert await forgotten(noon) == 0
        assert await forgotten(end) == 2
        assert await find_signed_in(active.token)
