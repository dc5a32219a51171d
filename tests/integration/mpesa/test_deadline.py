"""A push is sent before its deadline or not at all, and its answer states when it was sent."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest

from agency_site import clock
from agency_site.mpesa.client import DarajaClient
from agency_site.mpesa.contract import Token
from agency_site.mpesa.errors import OutcomeUnknown, TooLate
from tests.conftest import FRIDAY_NOON
from tests.integration.mpesa.conftest import World

DEADLINE = FRIDAY_NOON + timedelta(seconds=30)


class SlowTokens:
    """A token store that keeps each caller waiting, by the clock."""

    def __init__(self, world: World, move: Callable[[datetime], None], *arrivals: int) -> None:
        self._tokens, self._move, self._arrivals = world.tokens, move, list(arrivals)

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        token_value = await self._tokens.token(fetch, stale)
        self._move(FRIDAY_NOON + timedelta(seconds=self._arrivals.pop(0)))
        return token_value


async def pushes(world: World) -> int:
    return int((await world.control.ledger())["calls"]["push"])


async def test_a_push_says_when_it_was_written(world: World) -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        client = DarajaClient(world.client._config, SlowTokens(world, move, 20))
        accepted = await client.push(world.request(deadline=DEADLINE))
        await client.aclose()
    assert accepted.sent_at == FRIDAY_NOON + timedelta(seconds=20)


async def test_a_push_whose_token_comes_after_its_deadline_is_not_sent(world: World) -> None:
    with clock.frozen(FRIDAY_NOON) as move:
        client = DarajaClient(world.client._config, SlowTokens(world, move, 31))
        with pytest.raises(TooLate):
            await client.push(world.request(deadline=DEADLINE))
        await client.aclose()
    assert await pushes(world) == 0


async def test_the_repeat_after_a_refused_token_keeps_the_deadline(world: World) -> None:
    await world.control.post("fault", call="push", fault="invalid_token")
    with clock.frozen(FRIDAY_NOON) as move:
        client = DarajaClient(world.client._config, SlowTokens(world, move, 29, 31))
        with pytest.raises(TooLate):
            await client.push(world.request(deadline=DEADLINE))
        await client.aclose()
    assert (await pushes(world), (await world.control.ledger())["prompts"]) == (1, [])


async def test_a_push_without_an_answer_says_when_it_was_written(world: World) -> None:
    await world.control.post("fault", call="push", fault="drop")
    with clock.frozen(FRIDAY_NOON), pytest.raises(OutcomeUnknown) as lost:
        await world.client.push(world.request(deadline=DEADLINE))
    assert lost.value.sent_at == FRIDAY_NOON
