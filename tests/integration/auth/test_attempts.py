"""Limits on signing in: guessing is limited, and strangers do not lock out the holder of an account."""

import asyncio
from datetime import datetime, timedelta

import pytest

from agency_site import clock
from agency_site.auth import attempts, usecases
from agency_site.auth.attempts import ATTACK_ATTEMPTS, PER_ADDRESS, PER_SOURCE, WINDOW
from agency_site.auth.errors import SignInRefused
from agency_site.auth.sessions import Visit
from agency_site.db.engine import session_scope
from agency_site.errors import TooManyRequests
from tests.integration.backoffice.conftest import HERE, enter, hire
from tests.integration.conftest import CountingHasher

pytestmark = pytest.mark.usefixtures("database", "noon")
AMINA = "amina@mwanga.example"


async def fail(visit: Visit, email: str = AMINA) -> int:
    """Enter a wrong password; return the seconds to wait, 0 if it was checked."""
    try:
        await usecases.sign_in(session_scope, email, "a guess of a stranger", visit)
    except SignInRefused:
        return 0
    except TooManyRequests as limited:
        return limited.retry_after
    raise AssertionError("a wrong password let in")


def stranger(number: int) -> Visit:
    return Visit(f"198.51.{number // 250}.{number % 250}")


async def test_one_address_has_few_attempts_at_one_account() -> None:
    await hire()
    assert [await fail(HERE) for _ in range(PER_SOURCE)] == [0] * PER_SOURCE
    assert await fail(HERE) == WINDOW.total_seconds()
    with pytest.raises(TooManyRequests, match="15 minutes"):
        await enter()


async def test_refused_attempts_do_not_make_the_wait_longer(noon: datetime) -> None:
    await hire()
    for _ in range(PER_SOURCE):
        await fail(HERE)
    with clock.frozen(noon + timedelta(minutes=10)):
        assert [await fail(HERE) for _ in range(PER_SOURCE)] == [300] * PER_SOURCE
    with clock.frozen(noon + WINDOW):
        assert await enter()


@pytest.mark.each_database
async def test_parallel_attempts_do_not_bypass_the_limit(argon2: type[CountingHasher]) -> None:
    await hire()
    await asyncio.gather(*(fail(HERE) for _ in range(4 * PER_SOURCE)))
    assert argon2.verified <= PER_SOURCE


async def test_the_right_password_begins_the_count_anew() -> None:
    await hire()
    for _ in range(PER_SOURCE - 1):
        await fail(HERE)
    await enter()
    assert [await fail(HERE) for _ in range(PER_SOURCE)] == [0] * PER_SOURCE


async def test_one_address_cannot_try_many_accounts() -> None:
    waits = [await fail(HERE, f"person{number}@mwanga.example") for number in range(PER_ADDRESS + 1)]
    assert waits == [0] * PER_ADDRESS + [WINDOW.total_seconds()]


async def test_strangers_do_not_lock_out_the_holder_of_an_account() -> None:
    await hire()
    await enter()
    for number in range(ATTACK_ATTEMPTS + 5):
        await fail(stranger(number))
    # A known address has all attempts, and even a new address has one.
    assert [await fail(HERE) for _ in range(PER_SOURCE - 1)] == [0] * (PER_SOURCE - 1)
    assert await enter(visit=HERE)
    assert await enter(visit=Visit("192.0.2.77"))


async def test_many_failures_slow_new_addresses_down(noon: datetime) -> None:
    await hire()
    assert [await fail(stranger(0)) for _ in range(2)] == [0, 0]
    for number in range(1, ATTACK_ATTEMPTS):
        await fail(stranger(number))
    assert [await fail(stranger(200)) for _ in range(2)] == [0, WINDOW.total_seconds()]
    with clock.frozen(noon + timedelta(hours=1)):
        assert [await fail(stranger(200)) for _ in range(2)] == [0, 0]


async def test_a_browser_that_signed_in_before_is_not_held_up_by_a_neighbour_behind_the_same_address() -> (
    None
):
    await hire()
    device = (await enter()).device
    for _ in range(PER_SOURCE + 1):
        await fail(HERE)
    for number in range(PER_ADDRESS):
        await fail(HERE, f"person{number}@mwanga.example")
    assert await enter(visit=Visit(HERE.address, device=device))


async def test_the_note_of_a_browser_counts_for_its_own_account_only() -> None:
    await hire()
    await hire("brian@mwanga.example")
    device = (await enter("brian@mwanga.example")).device
    for _ in range(PER_SOURCE):
        await fail(HERE)
    assert await fail(Visit(HERE.address, device=device)) > 0
    assert await fail(Visit(HERE.address, device="x" * 22 + "." + "0" * 64)) > 0


async def test_the_note_of_a_browser_allows_no_more_guesses_than_an_address() -> None:
    await hire()
    device = (await enter()).device
    waits = [await fail(Visit(stranger(number).address, device=device)) for number in range(PER_SOURCE + 1)]
    assert waits == [0] * PER_SOURCE + [WINDOW.total_seconds()]


async def test_trust_in_an_address_ends_after_a_month(noon: datetime) -> None:
    await hire()
    await enter()
    with clock.frozen(noon + attempts.TRUST + timedelta(minutes=1)):
        for number in range(ATTACK_ATTEMPTS):
            await fail(stranger(number))
        assert [await fail(HERE) for _ in range(2)] == [0, WINDOW.total_seconds()]


async def test_a_whole_ipv6_customer_counts_as_one_address() -> None:
    for number in range(PER_SOURCE):
        await fail(Visit(f"2001:db8:1:2::{number + 1:x}"))
    assert await fail(Visit("2001:db8:1:2:ffff::9")) > 0
    assert await fail(Visit("2001:db8:1:3::1")) == 0
