"""The second factor: a code works once, a pending sign-in expires, and owners can require it of all staff."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import pyotp
import pytest
from pydantic import ValidationError

from agency_site import clock
from agency_site.auth import accounts, second_factor, sessions, usecases
from agency_site.auth.attempts import ATTACK_ATTEMPTS, PER_SOURCE
from agency_site.auth.errors import CodeRefused, PendingOver
from agency_site.auth.rules import Permission, Role, Staff
from agency_site.auth.sessions import Visit
from agency_site.auth.usecases import CodeNeeded, SignedIn
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, TooManyRequests
from agency_site.settings import Settings
from agency_site.settings.site import DEFAULT_SECRET
from tests.integration.backoffice.conftest import HERE, PASSWORD, enter, find_signed_in, on_duty

pytestmark = pytest.mark.usefixtures("database", "noon")
LATER = timedelta(seconds=30)


def code_at(secret: str, moment: datetime) -> str:
    return pyotp.TOTP(secret).at(moment)


async def protected(who: Staff) -> tuple[str, tuple[str, ...]]:
    """Give the account an authenticator; return its secret and the recovery codes."""
    offer = await second_factor.begin_totp(session_scope, who, PASSWORD)
    async with session_scope() as session:
        return offer.secret, await second_factor.confirm_totp(
            session, who, code_at(offer.secret, clock.now())
        )


async def pending_sign_in(email: str = "amina@mwanga.example", visit: Visit = HERE) -> str:
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
    offer = await second_factor.begin_totp(session_scope, who, PASSWORD)
    assert offer.secret in offer.uri
    assert offer.uri.startswith("otpauth://totp/Mwanga%20Digital:amina%40mwanga.example?")
    assert offer.picture.startswith("<svg")
    scanned = pyotp.parse_uri(offer.uri)
    assert isinstance(scanned, pyotp.TOTP)
    assert scanned.at(clock.now()) == code_at(offer.secret, clock.now())


async def test_an_authenticator_counts_once_a_code_of_it_has_come() -> None:
    who = await on_duty()
    offer = await second_factor.begin_totp(session_scope, who, PASSWORD)
    assert isinstance(await usecases.sign_in(session_scope, who.email, PASSWORD, HERE), SignedIn)
    async with session_scope() as session:
        with pytest.raises(InputRejected):
            await second_factor.confirm_totp(session, who, "000000")
        assert len(await second_factor.confirm_totp(session, who, code_at(offer.secret, clock.now()))) == 10
    assert await pending_sign_in()


async def test_a_stolen_session_cannot_set_an_authenticator_up() -> None:
    who = await on_duty()
    with pytest.raises(InputRejected):
        await second_factor.begin_totp(session_scope, who, "not the password")


@pytest.mark.parametrize("drift", [-LATER, timedelta(0), LATER])
async def test_the_code_is_accepted_with_a_clock_half_a_minute_off(noon: datetime, drift: timedelta) -> None:
    secret, _ = await protected(await on_duty())
    with clock.frozen(noon + 10 * LATER):
        signed = await give(await pending_sign_in(), code_at(secret, clock.now() + drift))
        assert isinstance(signed, SignedIn)
        assert await find_signed_in(signed.token)


async def test_a_code_works_once_and_none_before_it_works_after(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    with clock.frozen(noon + 10 * LATER):
        pending = await pending_sign_in()
        assert isinstance(await give(pending, code_at(secret, clock.now())), SignedIn)
        assert await give(pending, code_at(secret, clock.now())) == "CodeRefused"
        assert await give(pending, code_at(secret, clock.now() - LATER)) == "CodeRefused"
        assert isinstance(await give(pending, code_at(secret, clock.now() + LATER)), SignedIn)


async def test_the_code_that_confirmed_does_not_sign_in() -> None:
    secret, _ = await protected(await on_duty())
    assert await give(await pending_sign_in(), code_at(secret, clock.now())) == "CodeRefused"


@pytest.mark.each_database
async def test_of_two_parallel_uses_of_a_code_one_signs_in(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    with clock.frozen(noon + 10 * LATER):
        pending, code = await pending_sign_in(), code_at(secret, clock.now())
        outcomes = await asyncio.gather(give(pending, code), give(pending, code))
    assert sorted(isinstance(outcome, SignedIn) for outcome in outcomes) == [False, True]


@pytest.mark.each_database
async def test_of_two_parallel_uses_of_a_recovery_code_one_signs_in() -> None:
    who = await on_duty()
    _, recovery = await protected(who)
    pending = await pending_sign_in()
    outcomes = await asyncio.gather(*(give(pending, recovery[0]) for _ in range(2)))
    assert sorted(isinstance(outcome, SignedIn) for outcome in outcomes) == [False, True]
    async with read_scope() as session:
        assert (await second_factor.find_second_factor(session, who.account_id)).codes_left == 9


async def test_recovery_codes_are_read_generously_and_end_with_new_ones() -> None:
    who = await on_duty()
    _, old = await protected(who)
    assert isinstance(await give(await pending_sign_in(), f" {old[0].upper().replace('-', ' ')} "), SignedIn)
    fresh = await second_factor.new_recovery_codes(session_scope, who, PASSWORD, old[2])
    pending = await pending_sign_in()
    assert await give(pending, old[1]) == "CodeRefused"
    assert isinstance(await give(pending, fresh[1]), SignedIn)


async def test_a_sign_in_without_a_code_expires_after_five_minutes(noon: datetime) -> None:
    secret, _ = await protected(await on_duty())
    pending = await pending_sign_in()
    with clock.frozen(noon + timedelta(minutes=5)):
        assert await give(pending, code_at(secret, clock.now())) == "PendingOver"


async def test_a_note_that_the_site_did_not_write_leads_nowhere(noon: datetime) -> None:
    who = await on_duty()
    secret, _ = await protected(who)
    await on_duty("brian@mwanga.example")
    pending = await pending_sign_in()
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
    pending = await pending_sign_in()
    assert [await give(pending, "000000", elsewhere) for _ in range(PER_SOURCE + 1)] == [
        *["CodeRefused"] * PER_SOURCE,
        "TooManyRequests",
    ]
    for number in range(ATTACK_ATTEMPTS - PER_SOURCE):
        assert await give(pending, "000000", Visit(f"198.51.100.{number}")) == "CodeRefused"
    assert await give(pending, "000000", Visit("198.51.100.250")) == "TooManyRequests"
    # The address of an earlier sign-in is not blocked.
    with clock.frozen(noon + 4 * LATER):
        assert isinstance(await give(pending, code_at(secret, clock.now())), SignedIn)


async def test_a_new_authenticator_takes_the_old_ones_place_without_a_gap(noon: datetime) -> None:
    who = await on_duty()
    old, recovery = await protected(who)
    with pytest.raises(InputRejected, match="code"):
        await second_factor.begin_totp(session_scope, who, PASSWORD)
    offer = await second_factor.begin_totp(session_scope, who, PASSWORD, recovery[0])
    with clock.frozen(noon + 10 * LATER):
        assert isinstance(await give(await pending_sign_in(), code_at(old, clock.now())), SignedIn)
        async with session_scope() as session:
            await second_factor.confirm_totp(session, who, code_at(offer.secret, clock.now()))
    with clock.frozen(noon + 20 * LATER):
        pending = await pending_sign_in()
        assert await give(pending, code_at(old, clock.now())) == "CodeRefused"
        assert isinstance(await give(pending, code_at(offer.secret, clock.now())), SignedIn)


async def test_without_the_removed_authenticator_the_password_is_enough(noon: datetime) -> None:
    who = await on_duty()
    secret, recovery = await protected(who)
    with clock.frozen(noon + 10 * LATER):
        right = code_at(secret, clock.now())
        for password, code in (("not the password", right), (PASSWORD, "000000"), (PASSWORD, "")):
            with pytest.raises(InputRejected):
                await second_factor.disable_totp(session_scope, who, password, code)
            with pytest.raises(InputRejected):
                await second_factor.new_recovery_codes(session_scope, who, password, code)
        assert isinstance(await give(await pending_sign_in(), recovery[0]), SignedIn)
        await second_factor.disable_totp(session_scope, who, PASSWORD, right)
    assert isinstance(await usecases.sign_in(session_scope, who.email, PASSWORD, HERE), SignedIn)
    async with read_scope() as session:
        assert await second_factor.find_second_factor(session, who.account_id) == second_factor.SecondFactor(
            None, 0, False
        )


async def test_codes_cannot_be_guessed_on_the_own_page_either() -> None:
    who = await on_duty()
    await protected(who)
    for _ in range(PER_SOURCE):
        with pytest.raises(InputRejected):
            await second_factor.disable_totp(session_scope, who, PASSWORD, "000000")
    with pytest.raises(TooManyRequests):
        await second_factor.disable_totp(session_scope, who, PASSWORD, "000000")


async def test_turning_the_second_factor_on_or_off_ends_the_other_sessions() -> None:
    who = await on_duty()
    other = (await enter(who.email, Visit("198.51.100.7"))).token
    _, recovery = await protected(who)
    assert await find_signed_in(other) is None
    signed = await give(await pending_sign_in(), recovery[0])
    assert isinstance(signed, SignedIn)
    async with session_scope() as session:
        here = await sessions.find(session, signed.token, HERE.address)
    assert here
    again = await give(await pending_sign_in(), recovery[1])
    assert isinstance(again, SignedIn)
    await second_factor.disable_totp(session_scope, here, PASSWORD, recovery[2])
    assert (await find_signed_in(signed.token), await find_signed_in(again.token)) == (here, None)


async def test_a_rotated_key_keeps_authenticators_recovery_codes_and_pending_sign_ins(
    noon: datetime, configure: Callable[..., Settings], database: str
) -> None:
    secret, recovery = await protected(await on_duty())
    pending = await pending_sign_in()
    configure(database_url=database, secret_key="k" * 40, old_secret_keys=DEFAULT_SECRET)
    with clock.frozen(noon + 2 * LATER):
        assert isinstance(await give(pending, recovery[0]), SignedIn)
        assert isinstance(await give(await pending_sign_in(), code_at(secret, clock.now())), SignedIn)
    configure(database_url=database, secret_key="k" * 40, old_secret_keys="")
    with clock.frozen(noon + 4 * LATER):
        assert await give(pending, recovery[1]) == "PendingOver"
        fresh = await pending_sign_in()
        assert await give(fresh, recovery[1]) == "CodeRefused"
        assert await give(fresh, code_at(secret, clock.now())) == "CodeRefused"


async def test_a_second_factor_required_of_all_must_be_set_up_and_cannot_be_removed() -> None:
    who = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    async with session_scope() as session:
        assert not await second_factor.must_set_up_totp(session, viewer.account_id)
        await second_factor.require_totp(session, who, required=True)
        assert await second_factor.must_set_up_totp(session, viewer.account_id)
    _, recovery = await protected(viewer)
    async with read_scope() as session:
        assert not await second_factor.must_set_up_totp(session, viewer.account_id)
        assert await second_factor.must_set_up_totp(session, who.account_id)
    with pytest.raises(Conflict):
        await second_factor.disable_totp(session_scope, viewer, PASSWORD, recovery[0])
    async with session_scope() as session:
        await second_factor.require_totp(session, who, required=False)
    await second_factor.disable_totp(session_scope, viewer, PASSWORD, recovery[0])


async def test_an_owner_removes_a_lost_authenticator() -> None:
    owner = await on_duty()
    viewer = await on_duty("viewer@mwanga.example", Role.VIEWER)
    await protected(viewer)
    async with session_scope() as session:
        seen = await accounts.find_account(session, viewer.account_id)
        assert seen.has_second_factor
        assert not (
            await accounts.remove_second_factor(session, viewer.account_id, seen.version, owner)
        ).has_second_factor
    assert isinstance(await usecases.sign_in(session_scope, viewer.email, PASSWORD, HERE), SignedIn)


@pytest.mark.parametrize(
    ("chosen", "needing"),
    [
        ({}, set()),
        ({"env": "production"}, set(Role)),
        ({"env": "production", "staff_second_factor_roles": "none"}, set()),
        ({"staff_second_factor_roles": "viewer,front_desk"}, {Role.VIEWER, Role.FRONT_DESK}),
        *(({"staff_second_factor_roles": role.value}, {role}) for role in Role),
    ],
)
def test_production_requires_a_second_factor_of_every_role_by_default(
    configure: Callable[..., Settings], chosen: dict[str, str], needing: set[Role]
) -> None:
    assert configure(**chosen).second_factor_roles == needing


def test_an_unknown_role_is_rejected(configure: Callable[..., Settings]) -> None:
    with pytest.raises(ValidationError):
        configure(staff_second_factor_roles="owner,cook")


async def test_a_role_that_requires_a_second_factor_is_held_back_until_it_is_set_up_and_cannot_remove_it(
    configure: Callable[..., Settings], database: str
) -> None:
    finance = await on_duty("finance@mwanga.example", Role.FINANCE)
    receptionist = await on_duty("desk@mwanga.example", Role.FRONT_DESK)
    configure(database_url=database, staff_second_factor_roles="owner,finance")
    token, other = (await enter(finance.email)).token, (await enter(receptionist.email)).token
    async with read_scope() as session:
        held = await second_factor.find_staff(session, token, HERE.address)
        free = await second_factor.find_staff(session, other, HERE.address)
    assert held
    assert free
    assert (held.held_back, free.held_back) == (True, False)
    assert not held.has_permission(Permission.SEE_PAYMENTS)
    _, recovery = await protected(held)
    async with read_scope() as session:
        who = await second_factor.find_staff(session, token, HERE.address)
        assert who
        assert who.has_permission(Permission.SEE_PAYMENTS)
        assert (await second_factor.find_second_factor(session, who.account_id)).required
    with pytest.raises(Conflict, match="Your role"):
        await second_factor.disable_totp(session_scope, who, PASSWORD, recovery[0])
