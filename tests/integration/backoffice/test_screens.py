"""Database queries of the screens of the own account and of staff."""

from typing import Any

import pytest
from sqlmodel import select

from agency_site.auth import accounts, audit, second_factor, sessions, usecases
from agency_site.auth.rules import Role, Staff
from agency_site.auth.sessions import Visit
from agency_site.auth.tables import StaffAccount
from agency_site.backoffice.accounts.list import STAFF_ACCOUNTS
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.query import count_of, page_of
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected

pytestmark = pytest.mark.usefixtures("database")
HERE = Visit("203.0.113.9", "Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36")


async def engaged(email: str, name: str, role: Role, **values: Any) -> tuple[Staff, str]:
    """A signed-in member of staff, and the token of their browser."""
    async with session_scope() as session:
        moment = now()
        account = StaffAccount(
            email=email, name=name, role=role, created_at=moment, updated_at=moment, **values
        )
        session.add(account)
        await session.flush()
        token = await sessions.start(session, account, HERE)
        who = await sessions.find(session, token, HERE.address)
    assert who is not None
    return who, token


async def list_names(**query: str) -> list[str]:
    """Return the names in the list for a query of its address."""
    async with read_scope() as session:
        rows = await page_of(session, STAFF_ACCOUNTS, read_query(STAFF_ACCOUNTS, query))
        assert await count_of(session, STAFF_ACCOUNTS, read_query(STAFF_ACCOUNTS, query)) == len(rows)
    return [STAFF_ACCOUNTS.columns[0].cell(row).text for row in rows]


async def test_the_list_of_staff_is_sorted_filtered_and_searched() -> None:
    await engaged("amina@mwanga.example", "amina Odhiambo", Role.OWNER, password_hash="x")
    await engaged("brian@mwanga.example", "Brian Otieno", Role.FINANCE, totp_seed="x", password_hash="x")
    await engaged("zuhura@mwanga.example", "Zuhura 100%", Role.FINANCE)
    ali, _ = await engaged("ali@mwanga.example", "Ali Salim", Role.EDITOR)
    async with session_scope() as session:
        (await session.get_one(StaffAccount, ali.account_id)).disabled_at = now()
    assert await list_names() == ["Ali Salim", "amina Odhiambo", "Brian Otieno", "Zuhura 100%"]
    assert await list_names(sort="-name") == ["Zuhura 100%", "Brian Otieno", "amina Odhiambo", "Ali Salim"]
    assert await list_names(sort="seen") == ["amina Odhiambo", "Brian Otieno", "Zuhura 100%", "Ali Salim"]
    assert await list_names(state="active") == ["amina Odhiambo", "Brian Otieno"]
    assert await list_names(state="invited") == ["Zuhura 100%"]
    assert await list_names(state="disabled") == ["Ali Salim"]
    assert await list_names(role="finance") == ["Brian Otieno", "Zuhura 100%"]
    assert await list_names(**{"two-step": "on"}) == ["Brian Otieno"]
    assert await list_names(**{"two-step": "off", "role": "finance"}) == ["Zuhura 100%"]
    assert await list_names(q="AMINA mwanga") == ["amina Odhiambo"]
    assert await list_names(q="100%") == ["Zuhura 100%"]


async def test_a_name_is_changed_and_audited_once() -> None:
    who, token = await engaged("ali@mwanga.example", "Ali", Role.VIEWER)
    async with session_scope() as session:
        assert await usecases.change_name(session, who, " Ali  Salim ") == "Ali Salim"
        assert await usecases.change_name(session, who, "Ali Salim") == "Ali Salim"
    async with read_scope() as session:
        renamed = await sessions.find(session, token, HERE.address)
        entries = await audit.list_entries(session, "staff", who.email, 9)
        version = (await session.exec(select(StaffAccount.version))).one()
    assert renamed is not None
    assert renamed.name == "Ali Salim"
    assert [entry.action for entry in entries] == ["staff.renamed"]
    assert version == 2


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\x00b"])
async def test_an_invalid_name_is_rejected(name: str) -> None:
    who, _ = await engaged("ali@mwanga.example", "Ali", Role.VIEWER)
    async with session_scope() as session:
        with pytest.raises(InputRejected) as wrong:
            await usecases.change_name(session, who, name)
    assert set(wrong.value.by_field()) == {"name"}


async def test_an_owner_signs_a_member_of_staff_out_of_every_browser() -> None:
    owner, own = await engaged("amina@mwanga.example", "Amina", Role.OWNER)
    who, token = await engaged("ali@mwanga.example", "Ali", Role.VIEWER)
    async with session_scope() as session:
        assert await accounts.end_sessions(session, who.account_id, owner) == 1
    async with read_scope() as session:
        assert await sessions.find(session, token, HERE.address) is None
        assert await sessions.find(session, own, HERE.address) is not None
        entries = await audit.list_entries(session, "staff", who.email, 9)
    assert [(entry.actor, entry.action, entry.detail) for entry in entries] == [
        ("amina@mwanga.example", "staff.sessions_ended", "1 sessions")
    ]


async def test_who_has_to_set_up_a_second_factor_is_held_back_from_the_next_event_on() -> None:
    owner, own = await engaged("amina@mwanga.example", "Amina", Role.OWNER, totp_seed="x")
    _, token = await engaged("ali@mwanga.example", "Ali", Role.VIEWER)

    async def held_back(presented: str) -> bool:
        async with read_scope() as session:
            who = await second_factor.find_staff(session, presented, HERE.address)
        assert who is not None
        return who.held_back

    assert not await held_back(token)
    async with session_scope() as session:
        await second_factor.require_totp(session, owner, required=True)
    assert await held_back(token)
    assert not await held_back(own)
    async with session_scope() as session:
        await second_factor.require_totp(session, owner, required=False)
    assert not await held_back(token)


async def test_without_a_token_no_calendar_reader_is_found() -> None:
    async with read_scope() as session:
        assert await second_factor.find_staff(session, "", HERE.address) is None
