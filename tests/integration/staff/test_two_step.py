"""The second step: a code works once, whoever owes it for too long begins again, and owners can require it of all."""

import asyncio
from datetime import datetime, timedelta

import pyotp
import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, TooManyRequests
from agency_site.staff import accounts, two_step, usecases
from agency_site.staff.attempts import CROWD, PER_SOURCE
from agency_site.staff.refusals import CodeRefused, PendingOver
from agency_site.staff.rules import Role, Staff
from agency_site.staff.sessions import Visit
from agency_site.staff.usecases import CodeNeeded, SignedIn
from tests.integration.staff.conftest import HERE, PASSWORD, found, on_duty

pytestmark = pytest.mark.usefixtures("database", "noon")
LATER = timedelta(seconds=30)


def code_at(secret: str, moment: datetime) -> str:
    return pyotp.TOTP(secret).at(moment)


async def protected(who: Staff) -> tuple[str, tuple[str, ...]]:
    """Give the account an authenticator; returns its secret and the recovery codes."""
    offer = await two_step.begin_totp(session_scope, who, PASSWORD)
    async with session_scope() as session:
        return offer.secret, await two_step.confirm_totp(session, who, code_at(offer.secret, clock.now()))


async def owing(email: str = "amina@mwanga.example", visit: Visit = HERE) -> str:
    outcome = await usecases.sign_in(session_scope, email, PASSWORD, visit)
    assert isinstance(outcome, CodeNeeded)
    return outcome.pending


async def give(pending: str, code: str, visit: Visit = HERE) -> SignedIn | str:
    try:
        return await usecases.enter_code(session_scope, pending, code, visit)
    except (CodeRefused, PendingOver, TooManyRequests) as refused:
        return type(refused).__name__


async def test_the_offer_can_be_scanned_and_typed() -> None:
    who = await on_duty()
    offer = await two_step.begin_totp(session_scope, who, PASSWORD)
    assert offer.secret in offer.uri
    assert offer.uri.startswith("otpauth://totp/Mwanga%20Digital:amina%40mwanga.example?")
    assert offer.picture.startswith("<svg")
    scanned = pyotp.parse_uri(offer.uri)
    assert isinstance(scanned, pyotp.TOTP)
    assert scanned.at(clock.now()) == code_at(offer.secret, clock.now())


async def test_an_authenticator_counts_once_a_code_of_it_has_come() -> None:
    who = await on_duty()
    offer = await two_step.begin_totp(session_scope, who, PASSWORD)
    assert isinstance(await usecases.sign_in(session_scope, who.email, PASSWORD, HERE), SignedIn)
    async with session_scope() as session:
        with pytest.raises(InputRejected):
            await two_step.confirm_totp(session, who, "000000")
        assert len(await two_step.confirm_totp(session, who, code_at(offer.secret, clock.now()))) == 10
    assert await owing()


async def test_a_stolen_session_cannot_set_an_authenticator_up() -> None:
    who = await on_duty()
    with pytest.raises(InputRejected):
        await two_step.begin_totp(session_scope, who, "not the password")


@pytest.mark.parametrize("drift", [-LATER, timedelta(0), LATER])
async def test_the_code_lets_in_with_a_clock_half_a_minute_off(noon: datetime, drift: timedelta) -> None:
    secret, _ = await protected(await on_duty())
    with clock.frozen(noon + 10 * LATER):
        signed = await give(await owing(), code_at(secret, clock.now() + drift))
        assert isinstance(signed, SignedIn)
        assert await found(signed.token)


async def test_a_code_works_once_and_none_before_it_works_after(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    with clock.frozen(noon + 10 * LATER):
        pending = await owing()
        assert isinstance(await give(pending, code_at(secret, clock.now())), SignedIn)
        assert await give(pending, code_at(secret, clock.now())) == "CodeRefused"
        assert await give(pending, code_at(secret, clock.now() - LATER)) == "CodeRefused"
        assert isinstance(await give(pending, code_at(secret, clock.now() + LATER)), SignedIn)


async def test_the_code_that_confirmed_does_not_sign_in() -> None:
    secret, _ = await protected(await on_duty())
    assert await give(await owing(), code_at(secret, clock.now())) == "CodeRefused"


async def test_of_two_who_give_one_code_at_the_same_instant_one_gets_in(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    with clock.frozen(noon + 10 * LATER):
        pending, code = await owing(), code_at(secret, clock.now())
        outcomes = await asyncio.gather(give(pending, code), give(pending, code))
    assert sorted(isinstance(outcome, SignedIn) for outcome in outcomes) == [False, True]


async def test_of_two_who_give_one_recovery_code_at_the_same_instant_one_gets_in() -> None:
    who = await on_duty()
    _, recovery = await protected(who)
    pending = await owing()
    outcomes = await asyncio.gather(*(give(pending, recovery[0]) for _ in range(2)))
    assert sorted(isinstance(outcome, SignedIn) for outcome in outcomes) == [False, True]
    async with read_scope() as session:
        assert (await two_step.two_step_of(session, who.account_id)).codes_left == 9


async def test_recovery_codes_are_read_generously_and_end_with_new_ones() -> None:
    who = await on_duty()
    _, old = await protected(who)
    assert isinstance(await give(await owing(), f" {old[0].upper().replace('-', ' ')} "), SignedIn)
    fresh = await two_step.new_recovery_codes(session_scope, who, PASSWORD)
    pending = await owing()
    assert await give(pending, old[1]) == "CodeRefused"
    assert isinstance(await give(pending, fresh[1]), SignedIn)


async def test_whoever_takes_five_minutes_begins_again(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    pending = await owing()
    with clock.frozen(noon + timedelta(minutes=5)):
        assert await give(pending, code_at(secret, clock.now())) == "PendingOver"


async def test_a_note_that_the_site_did_not_write_leads_nowhere(noon: datetime) -> None:
    who = await on_duty()
    secret, _ = await protected(who)
    await on_duty("brian@mwanga.example")
    pending = await owing()
    account, until, seal = pending.split(".")
    with clock.frozen(noon + 4 * LATER):
        code = code_at(secret, clock.now())
        for forged in (
            "",
            f"{who.account_id + 1}.{until}.{seal}",
            f"{account}.{int(until) + 60}.{seal}",
            f"{account}.{until}.{'0' * 64}",
        ):
            assert await give(forged, code) == "PendingOver"
        await usecases.change_password(session_scope, who, PASSWORD, "another long password")
        assert await give(pending, code) == "PendingOver"


async def test_codes_cannot_be_guessed_from_one_address_nor_from_many(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    elsewhere = Visit("192.0.2.1")
    pending = await owing()
    assert [await give(pending, "000000", elsewhere) for _ in range(PER_SOURCE + 1)] == [
        *["CodeRefused"] * PER_SOURCE,
        "TooManyRequests",
    ]
    for number in range(CROWD - PER_SOURCE):
        assert await give(pending, "000000", Visit(f"198.51.100.{number}")) == "CodeRefused"
    assert await give(pending, "000000", Visit("198.51.100.250")) == "TooManyRequests"
    # The address where its owner signed in before is not held up.
    with clock.frozen(noon + 4 * LATER):
        assert isinstance(await give(pending, code_at(secret, clock.now())), SignedIn)


async def test_a_new_authenticator_takes_the_old_ones_place_without_a_gap(noon: datetime) -> None:
    who = await on_duty()
    old, _ = await protected(who)
    offer = await two_step.begin_totp(session_scope, who, PASSWORD)
    with clock.frozen(noon + 10 * LATER):
        assert isinstance(await give(await owing(), code_at(old, clock.now())), SignedIn)
        async with session_scope() as session:
            await two_step.confirm_totp(session, who, code_at(offer.secret, clock.now()))
    with clock.frozen(noon + 20 * LATER):
        pending = await owing()
        assert await give(pending, code_at(old, clock.now())) == "CodeRefused"
        assert isinstance(await give(pending, code_at(offer.secret, clock.now())), SignedIn)


async def test_taken_off_with_the_password_the_password_is_enough() -> None:
    who = await on_duty()
    await protected(who)
    with pytest.raises(InputRejected):
        await two_step.disable_totp(session_scope, who, "not the password")
    await two_step.disable_totp(session_scope, who, PASSWORD)
    assert isinstance(await usecases.sign_in(session_scope, who.email, PASSWORD, HERE), SignedIn)
    async with read_scope() as session:
        assert await two_step.two_step_of(session, who.account_id) == two_step.TwoStep(None, 0, False)


async def test_required_of_all_it_has_to_be_set_up_and_stays() -> None:
    who = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    async with session_scope() as session:
        assert not await two_step.must_set_up_totp(session, viewer.account_id)
        await two_step.require_totp(session, who, required=True)
        assert await two_step.must_set_up_totp(session, viewer.account_id)
    await protected(viewer)
    async with read_scope() as session:
        assert not await two_step.must_set_up_totp(session, viewer.account_id)
        assert await two_step.must_set_up_totp(session, who.account_id)
    with pytest.raises(Conflict):
        await two_step.disable_totp(session_scope, viewer, PASSWORD)
    async with session_scope() as session:
        await two_step.require_totp(session, who, required=False)
    await two_step.disable_totp(session_scope, viewer, PASSWORD)


async def test_an_owner_takes_a_lost_authenticator_off() -> None:
    owner = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    await protected(viewer)
    async with session_scope() as session:
        seen = await accounts.find_account(session, viewer.account_id)
        assert seen.two_step
        assert not (await accounts.drop_two_step(session, viewer.account_id, seen.version, owner)).two_step
    assert isinstance(await usecases.sign_in(session_scope, viewer.email, PASSWORD, HERE), SignedIn)
