"""One-time links work once, for a limited time, for one account."""

import asyncio
from datetime import datetime

import pytest
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from agency_site import clock
from agency_site.auth import accounts, one_time_links, set_password, usecases
from agency_site.auth.errors import LinkGone, SignInRefused
from agency_site.auth.rules import LINK_LIFETIME, LinkPurpose, Role, Staff
from agency_site.auth.tables import StaffAccount, StaffLink
from agency_site.auth.usecases import SignedIn
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.settings import settings
from agency_site.web.serve import find_staff_link
from tests.integration.backoffice.conftest import (
    HERE,
    PASSWORD,
    enter,
    find_signed_in,
    mailed_link,
    on_duty,
    reloaded,
)

pytestmark = pytest.mark.usefixtures("database", "noon")
NEW = "the new and longer password"


def token_in(link: str | None) -> str:
    assert link
    return link.rpartition("/")[2]


async def setup_token() -> str:
    async with session_scope() as session:
        return token_in(await one_time_links.make_setup_link(session))


async def invited(owner: Staff, email: str = "brian@mwanga.example") -> str:
    async with session_scope() as session:
        await accounts.invite(session, email, "Brian Otieno", Role.FINANCE, owner)
        return token_in(await mailed_link(session))


async def accept(token: str, purpose: LinkPurpose = LinkPurpose.INVITATION) -> SignedIn | None:
    return await set_password.accept_link(session_scope, purpose, token, NEW, NEW, HERE)


async def set_up(token: str, email: str = "first@mwanga.example") -> SignedIn | None:
    try:
        return await set_password.set_up(session_scope, token, email, "Achieng", NEW, NEW, HERE)
    except LinkGone:
        return None


async def test_the_first_owner_is_made_by_the_set_up_link_and_signed_in() -> None:
    signed = await set_up(await setup_token())
    assert signed
    who = await find_signed_in(signed.token)
    assert who is not None
    assert (who.email, who.name, who.role) == ("first@mwanga.example", "Achieng", Role.OWNER)
    async with session_scope() as session:
        assert await one_time_links.make_setup_link(session) is None


async def test_a_start_says_where_staff_go() -> None:
    offered = await find_staff_link(settings())
    assert offered.startswith("http://localhost:3000/admin/set-up/")
    assert offered.endswith(" (once, within 48 h)")
    assert await set_up(token_in(offered.partition(" ")[0]))
    assert await find_staff_link(settings()) == "http://localhost:3000/admin"


async def test_every_start_offers_a_link_and_the_first_use_ends_them_all() -> None:
    tokens = [await setup_token() for _ in range(3)]
    assert await set_up(tokens[0])
    assert [await set_up(token, "b@mwanga.example") for token in tokens] == [None] * 3


@pytest.mark.each_database
async def test_of_two_set_ups_at_the_same_instant_one_makes_the_account() -> None:
    tokens = [await setup_token(), await setup_token()]
    outcomes = await asyncio.gather(
        *(set_up(token, f"{number}@mwanga.example") for number, token in enumerate(tokens))
    )
    assert sorted(outcome is None for outcome in outcomes) == [False, True]
    async with read_scope() as session:
        assert len((await session.exec(select(StaffAccount))).all()) == 1


async def test_a_set_up_link_is_over_once_there_is_an_account() -> None:
    token = await setup_token()
    await on_duty()
    assert await set_up(token) is None


async def test_what_is_wrong_with_the_set_up_is_said_for_all_boxes_at_once() -> None:
    token = await setup_token()
    with pytest.raises(InputRejected) as wrong:
        await set_password.set_up(session_scope, token, "x", "", "short", "other", HERE)
    assert set(wrong.value.by_field()) == {"email", "name", "password"}
    with pytest.raises(InputRejected) as unlike:
        await set_password.set_up(session_scope, token, "a@mwanga.example", "A", NEW, "other", HERE)
    assert set(unlike.value.by_field()) == {"repeated"}
    assert await set_up(token)


async def test_an_invited_member_of_staff_chooses_a_password_and_is_signed_in() -> None:
    owner = await on_duty()
    signed = await accept(await invited(owner))
    assert signed
    who = await find_signed_in(signed.token)
    assert who is not None
    assert (who.email, who.role) == ("brian@mwanga.example", Role.FINANCE)
    assert await enter("brian@mwanga.example", password=NEW)


@pytest.mark.each_database
async def test_of_two_parallel_uses_of_a_link_one_signs_in() -> None:
    token = await invited(await on_duty())

    async def attempt() -> bool:
        try:
            return await accept(token) is not None
        except LinkGone:
            return False

    assert sorted(await asyncio.gather(attempt(), attempt())) == [False, True]


async def test_a_link_is_over_after_two_days(noon: datetime) -> None:
    token = await invited(await on_duty())
    with clock.frozen(noon + LINK_LIFETIME), pytest.raises(LinkGone):
        await accept(token)


async def test_a_newer_link_ends_the_older_and_serves_no_other_purpose() -> None:
    owner = await on_duty()
    first = await invited(owner)
    async with session_scope() as session:
        account = (await session.exec(select(StaffAccount).where(StaffAccount.name == "Brian Otieno"))).one()
        await accounts.send_link(session, account.id or 0, owner)
        second = token_in(await mailed_link(session))
    for purpose, token in ((LinkPurpose.INVITATION, first), (LinkPurpose.RESET, second)):
        with pytest.raises(LinkGone):
            await accept(token, purpose)
    assert await accept(second)


async def test_a_reset_changes_the_password_and_ends_all_sessions() -> None:
    owner = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    token = (await enter(viewer.email)).token
    async with session_scope() as session:
        await accounts.send_link(session, viewer.account_id, owner)
        link = token_in(await mailed_link(session))
    assert await find_signed_in(token)
    signed = await accept(link, LinkPurpose.RESET)
    assert signed
    assert await find_signed_in(signed.token)
    assert await find_signed_in(token) is None
    with pytest.raises(SignInRefused):
        await usecases.sign_in(session_scope, viewer.email, PASSWORD, HERE)


async def test_a_reset_does_not_go_around_the_authenticator() -> None:
    owner = await on_duty()
    async with session_scope() as session:
        account = await session.get_one(StaffAccount, owner.account_id)
        account.totp_seed = "seed"
        await accounts.send_link(session, owner.account_id, owner)
        link = token_in(await mailed_link(session))
    assert await accept(link, LinkPurpose.RESET) is None
    assert (await reloaded(owner.account_id)).totp_seed == "seed"


async def test_disabling_and_a_changed_password_end_open_links() -> None:
    owner = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)

    async def reset_link() -> str:
        async with session_scope() as session:
            await accounts.send_link(session, viewer.account_id, owner)
            return token_in(await mailed_link(session))

    link = await reset_link()
    await usecases.change_password(session_scope, viewer, PASSWORD, NEW)
    with pytest.raises(LinkGone):
        await accept(link, LinkPurpose.RESET)
    link = await reset_link()
    async with session_scope() as session:
        version = (await accounts.find_account(session, viewer.account_id)).version
        await accounts.disable(session, viewer.account_id, version, owner)
    with pytest.raises(LinkGone):
        await accept(link, LinkPurpose.RESET)


@pytest.mark.each_database
async def test_only_a_set_up_link_has_no_account() -> None:
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            await one_time_links.make_link(session, LinkPurpose.RESET, None)
    async with read_scope() as session:
        assert (await session.exec(select(StaffLink))).all() == []
