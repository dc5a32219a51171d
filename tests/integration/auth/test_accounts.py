"""Management of accounts by owners, and its limits in rules and database."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import accounts, calendar_links, second_factor, set_password, usecases
from agency_site.auth.accounts import Account
from agency_site.auth.errors import SignInRefused
from agency_site.auth.rules import LinkPurpose, Role, Staff
from agency_site.auth.tables import AuditEntry
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.mail.usecases import list_newest_messages
from agency_site.settings import settings
from tests.integration.backoffice.conftest import (
    HERE,
    PASSWORD,
    enter,
    find_signed_in,
    hire,
    mailed_link,
    on_duty,
)

pytestmark = pytest.mark.usefixtures("database")
NEW = "the new and longer password"


async def seen(account_id: int) -> Account:
    async with read_scope() as session:
        return await accounts.find_account(session, account_id)


async def test_an_invitation_makes_an_account_and_mails_its_link() -> None:
    owner = await on_duty()
    async with session_scope() as session:
        await accounts.invite(session, " Brian@Mwanga.example ", "Brian  Otieno", Role.FINANCE, owner)
    async with read_scope() as session:
        listed = await accounts.list_accounts(session)
        mail = (await list_newest_messages(session))[0]
        entries = (
            await session.exec(select(AuditEntry.action, AuditEntry.reference, AuditEntry.detail))
        ).all()
    assert [(a.email, a.name, a.role, a.invited) for a in listed] == [
        ("amina@mwanga.example", "Amina", Role.OWNER, False),
        ("brian@mwanga.example", "Brian Otieno", Role.FINANCE, True),
    ]
    assert (mail.kind, mail.to) == ("staff-invitation", "brian@mwanga.example")
    assert f"{settings().site_url}/admin/invitation/" in mail.text
    assert entries[-1] == ("staff.invited", "brian@mwanga.example", "Finance")


@pytest.mark.parametrize(
    ("email", "name", "fields"),
    [("nobody", "", {"email", "name"}), ("AMINA@mwanga.example", "Another", {"email"})],
)
async def test_an_invalid_invitation_is_rejected_with_its_reason(
    email: str, name: str, fields: set[str]
) -> None:
    owner = await on_duty()
    async with session_scope() as session:
        with pytest.raises(InputRejected) as wrong:
            await accounts.invite(session, email, name, Role.VIEWER, owner)
    assert set(wrong.value.by_field()) == fields


@pytest.mark.each_database
async def test_two_invitations_of_one_address_make_one_account() -> None:
    owner = await on_duty()

    async def invite() -> bool:
        try:
            async with session_scope() as session:
                await accounts.invite(session, "b@mwanga.example", "Brian", Role.VIEWER, owner)
        except InputRejected:
            return False
        return True

    assert sorted(await asyncio.gather(invite(), invite())) == [False, True]


async def test_another_role_holds_from_the_next_sign_in_and_ends_the_sessions() -> None:
    owner = await on_duty()
    editor = await on_duty("editor@mwanga.example", Role.EDITOR)
    token = (await enter(editor.email)).token
    async with session_scope() as session:
        changed = await accounts.change_role(session, editor.account_id, Role.FINANCE, 1, owner)
    assert (changed.role, changed.version) == (Role.FINANCE, 2)
    assert await find_signed_in(token) is None
    who = await find_signed_in((await enter(editor.email)).token)
    assert who is not None
    assert who.role is Role.FINANCE


async def test_a_disabled_account_cannot_be_used_until_it_is_enabled() -> None:
    owner = await on_duty()
    editor = await on_duty("editor@mwanga.example", Role.EDITOR)
    token = (await enter(editor.email)).token
    async with session_scope() as session:
        disabled = await accounts.disable(session, editor.account_id, 1, owner)
    assert disabled.disabled_at
    assert await find_signed_in(token) is None
    with pytest.raises(SignInRefused):
        await usecases.sign_in(session_scope, editor.email, PASSWORD, HERE)
    async with session_scope() as session:
        with pytest.raises(Conflict):
            await accounts.send_link(session, editor.account_id, owner)
        assert not (await accounts.enable(session, editor.account_id, 2, owner)).disabled_at
    assert await find_signed_in(token) is None
    assert await enter(editor.email)


async def test_the_second_of_two_editors_gets_the_current_account() -> None:
    owner = await on_duty()
    editor = await on_duty("editor@mwanga.example", Role.EDITOR)
    async with session_scope() as session:
        await accounts.change_role(session, editor.account_id, Role.FINANCE, 1, owner)
    async with session_scope() as session:
        with pytest.raises(StaleRecord) as lost:
            await accounts.change_role(session, editor.account_id, Role.VIEWER, 1, owner)
    assert (lost.value.current.role, lost.value.current.version) == (Role.FINANCE, 2)


Verb = Callable[[AsyncSession, Account, Staff], Awaitable[object]]


async def demote(session: AsyncSession, account: Account, by: Staff) -> object:
    return await accounts.change_role(session, account.id, Role.VIEWER, account.version, by)


async def disable(session: AsyncSession, account: Account, by: Staff) -> object:
    return await accounts.disable(session, account.id, account.version, by)


@pytest.mark.parametrize("verb", [demote, disable])
async def test_the_last_owner_who_can_sign_in_stays(verb: Verb) -> None:
    owner = await on_duty()
    await hire("invited@mwanga.example", Role.OWNER, password="")
    await hire("viewer@mwanga.example", Role.VIEWER)
    async with session_scope() as session:
        with pytest.raises(Conflict, match="only owner"):
            await verb(session, await accounts.find_account(session, owner.account_id), owner)
    await hire("second@mwanga.example", Role.OWNER)
    async with session_scope() as session:
        await verb(session, await accounts.find_account(session, owner.account_id), owner)


@pytest.mark.each_database
@pytest.mark.parametrize("verb", [demote, disable])
async def test_of_two_owners_who_remove_each_other_at_the_same_instant_one_stays(verb: Verb) -> None:
    pair = [await on_duty("one@mwanga.example"), await on_duty("two@mwanga.example")]

    async def remove(by: Staff, other: Staff) -> bool:
        try:
            async with session_scope() as session:
                await verb(session, await accounts.find_account(session, other.account_id), by)
        except Conflict:
            return False
        return True

    outcomes = await asyncio.gather(remove(pair[0], pair[1]), remove(pair[1], pair[0]))
    assert sorted(outcomes) == [False, True]
    accounts_now = [await seen(owner.account_id) for owner in pair]
    assert sum(a.role is Role.OWNER and a.disabled_at is None for a in accounts_now) == 1


async def test_actions_on_a_missing_account_are_rejected() -> None:
    owner = await on_duty()
    async with session_scope() as session:
        with pytest.raises(NotFound):
            await accounts.disable(session, 999, 1, owner)
        with pytest.raises(NotFound):
            await accounts.send_link(session, 999, owner)


async def test_a_calendar_link_works_until_it_is_replaced_revoked_or_not_allowed() -> None:
    owner = await on_duty()
    receptionist = await on_duty("desk@mwanga.example", Role.FRONT_DESK)

    async def reader(token: str) -> str:
        async with read_scope() as session:
            calendar_reader = await calendar_links.find_calendar_reader(session, token)
        return calendar_reader.email if calendar_reader else ""

    async with session_scope() as session:
        first = await calendar_links.make_calendar_token(session, receptionist)
        second = await calendar_links.make_calendar_token(session, receptionist)
        owners = await calendar_links.make_calendar_token(session, owner)
    assert [await reader(token) for token in (first, second, "")] == ["", receptionist.email, ""]
    async with session_scope() as session:
        await second_factor.require_totp(session, owner, required=True)
    assert await reader(second) == ""
    async with session_scope() as session:
        await second_factor.require_totp(session, owner, required=False)
    assert await reader(second) == receptionist.email
    async with session_scope() as session:
        await accounts.change_role(session, receptionist.account_id, Role.EDITOR, 1, owner)
        await calendar_links.revoke_calendar_token(session, owner)
        assert not await calendar_links.has_calendar_token(session, owner.account_id)
    assert [await reader(second), await reader(owners)] == ["", ""]


async def test_the_audit_log_takes_new_lines_only() -> None:
    await on_duty()
    for change in (update(AuditEntry).values(actor="nobody"), delete(AuditEntry)):
        with pytest.raises(DBAPIError, match="append-only"):
            async with session_scope() as session:
                await session.exec(change)
    async with read_scope() as session:
        assert (await session.exec(select(AuditEntry.actor))).all() == ["amina@mwanga.example"]


async def set_anew(how: str, receptionist: Staff) -> None:
    """Set another password of the account, by its holder or through a link."""
    if how == "own":
        await usecases.change_password(session_scope, receptionist, PASSWORD, NEW)
        return
    owner = await on_duty()
    async with session_scope() as session:
        await accounts.send_link(session, receptionist.account_id, owner)
        token = (await mailed_link(session)).rpartition("/")[2]
    await set_password.accept_link(session_scope, LinkPurpose.RESET, token, NEW, NEW, HERE)


@pytest.mark.parametrize("how", ["own", "link"])
async def test_a_new_password_ends_the_calendar_link(how: str) -> None:
    receptionist = await on_duty("desk@mwanga.example", Role.FRONT_DESK)
    async with session_scope() as session:
        token = await calendar_links.make_calendar_token(session, receptionist)
    await set_anew(how, receptionist)
    async with read_scope() as session:
        assert await calendar_links.find_calendar_reader(session, token) is None
        assert not await calendar_links.has_calendar_token(session, receptionist.account_id)
