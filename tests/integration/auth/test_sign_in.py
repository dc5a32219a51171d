"""Signing in with a password: success, and refusals that disclose nothing."""

import pytest
from argon2 import PasswordHasher
from sqlalchemy import update
from sqlmodel import select

from agency_site.auth import passwords, sessions, usecases
from agency_site.auth.attempts import PER_SOURCE
from agency_site.auth.errors import SignInRefused
from agency_site.auth.sessions import Visit
from agency_site.auth.tables import AuditEntry, StaffAccount
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, TooManyRequests
from tests.integration.backoffice.conftest import (
    HERE,
    PASSWORD,
    enter,
    find_signed_in,
    hire,
    on_duty,
    reloaded,
)
from tests.integration.conftest import CountingHasher

pytestmark = pytest.mark.usefixtures("database")


async def refused(email: str, password: str) -> str:
    with pytest.raises(SignInRefused) as why:
        await usecases.sign_in(session_scope, email, password, HERE)
    return why.value.message


@pytest.mark.parametrize("address", ["amina@mwanga.example", "  Amina@Mwanga.EXAMPLE "])
async def test_the_right_password_signs_in(address: str) -> None:
    await hire()
    assert await find_signed_in((await enter(address)).token)


async def test_unknown_wrong_unfinished_and_disabled_are_refused_in_the_same_words_after_the_same_work(
    argon2: type[CountingHasher],
) -> None:
    await hire()
    await hire("gone@mwanga.example")
    await hire("invited@mwanga.example", password="")
    async with session_scope() as session:
        disable = update(StaffAccount).where(StaffAccount.email == "gone@mwanga.example")  # type: ignore[arg-type]
        await session.exec(disable.values(disabled_at=now()))
    said, worked = set(), []
    for email, password in (
        ("amina@mwanga.example", "not her password"),
        ("nobody@mwanga.example", PASSWORD),
        ("gone@mwanga.example", PASSWORD),
        ("invited@mwanga.example", ""),
        ("bad\x00 \ud800", PASSWORD),
    ):
        before = argon2.verified
        said.add(await refused(email, password))
        worked.append(argon2.verified - before)
    assert len(said) == 1
    assert worked == [1, 1, 1, 1, 1]


async def test_the_hash_for_unknown_accounts_costs_what_all_others_cost() -> None:
    hasher = PasswordHasher()
    assert not hasher.check_needs_rehash(passwords._impossible_hash(hasher))
    assert await passwords.verify("", "anything") is False


async def test_a_hash_of_older_parameters_is_renewed_at_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    account = await hire()
    monkeypatch.setattr(passwords, "HASHER", PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    await enter()
    new_hash = (await reloaded(account.id)).password_hash
    assert "m=16,t=2,p=1" in new_hash
    await enter()
    assert (await reloaded(account.id)).password_hash == new_hash


async def test_the_log_names_sign_ins_and_failures() -> None:
    who = await on_duty()
    await refused(who.email, "not her password")
    async with session_scope() as session:
        await usecases.sign_out_everywhere(session, who)
    async with read_scope() as session:
        entries = (await session.exec(select(AuditEntry))).all()
    assert [(e.action, e.actor, e.address) for e in entries] == [
        ("staff.signed_in", who.email, HERE.address),
        ("staff.sign_in_refused", who.email, HERE.address),
        ("staff.signed_out_everywhere", who.email, HERE.address),
    ]


async def test_a_new_password_needs_the_old_one_and_ends_the_other_sessions() -> None:
    who = await on_duty()
    other = await enter()
    with pytest.raises(InputRejected) as wrong:
        await usecases.change_password(session_scope, who, "not mine", "another long password")
    assert wrong.value.by_field() == {"current": "The password is incorrect."}
    with pytest.raises(InputRejected) as weak:
        await usecases.change_password(session_scope, who, PASSWORD, "short")
    assert weak.value.by_field() == {"new": "Please use at least 12 characters. This one has 5."}
    await usecases.change_password(session_scope, who, PASSWORD, "another long password")
    assert await find_signed_in(other.token) is None
    await refused(who.email, PASSWORD)
    own = await enter(who.email, password="another long password")
    assert await find_signed_in(own.token)
    async with read_scope() as session:
        assert who.session_id in {s.id for s in await sessions.list_sessions(session, who.account_id)}


async def test_an_open_session_does_not_allow_guessing_the_password() -> None:
    who = await on_duty()
    for _ in range(5):
        with pytest.raises(InputRejected):
            await usecases.change_password(session_scope, who, "a guess", "another long password")
    with pytest.raises(TooManyRequests):
        await usecases.change_password(session_scope, who, PASSWORD, "another long password")
    assert await enter(visit=Visit("198.51.100.7"))


async def test_guesses_in_one_session_take_no_attempts_from_another() -> None:
    guessing = await on_duty()
    holder = await find_signed_in((await enter()).token)
    assert holder is not None
    for _ in range(PER_SOURCE):
        with pytest.raises(InputRejected):
            await usecases.change_password(session_scope, guessing, "a guess", "another long password")
    await usecases.change_password(session_scope, holder, PASSWORD, "another long password")
