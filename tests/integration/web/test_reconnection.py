"""A page reconnects to another process, which uses the same Redis."""

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from redis.asyncio import Redis as Client
from reflex.utils.token_manager import RedisTokenManager

from agency_site.web.reflex_internals.reconnection import take_over
from tests.servers import Redis

PAGES = [f"page-{number}" for number in range(40)]


@asynccontextmanager
async def process(server: Redis) -> AsyncIterator[RedisTokenManager]:
    """One process of the site with its records of sockets."""
    manager = RedisTokenManager(Client.from_url(server.url))
    try:
        yield manager
    finally:
        await manager.close()


@pytest.fixture
async def processes(redis: Redis) -> AsyncIterator[list[RedisTokenManager]]:
    """Two of them: the first takes a socket of every page for open, and gets notice of its records."""
    async with AsyncExitStack() as stack:
        site_processes = [await stack.enter_async_context(process(redis)) for _ in range(2)]
        for page in PAGES:
            assert await site_processes[0].link_token_to_sid(page, f"old-{page}") is None
        await until(site_processes[0], lambda info: info["pubsub_patterns"] == 1)
        yield site_processes


async def until(manager: RedisTokenManager, reached: Callable[[dict[str, int]], bool]) -> None:
    """Wait for a condition, which may read Redis's statistics."""
    async with asyncio.timeout(15):
        while not reached(await manager.redis.info("stats")):
            pass


async def holder(manager: RedisTokenManager, page: str) -> str:
    """The socket that Redis has for a page."""
    return str(pickle.loads(await manager.redis.get(f"token_manager_socket_record_{page}")).sid)


async def test_a_page_that_comes_back_to_another_process_keeps_its_token(
    processes: list[RedisTokenManager],
) -> None:
    old, new = processes
    for page in PAGES:
        await take_over(new, page, f"new-{page}")
        assert await new.link_token_to_sid(page, f"new-{page}") is None
    await until(
        old, lambda _: all(old.token_to_socket[page].instance_id == new.instance_id for page in PAGES)
    )
    for page in PAGES:
        assert await holder(new, page) == f"new-{page}"
        assert new.token_to_socket[page].sid == f"new-{page}"


async def test_the_late_end_of_the_old_socket_takes_nothing_from_the_new_one(
    processes: list[RedisTokenManager],
) -> None:
    old, new = processes
    for page in PAGES:
        await take_over(new, page, f"new-{page}")
    await until(
        old, lambda _: all(old.token_to_socket[page].instance_id == new.instance_id for page in PAGES)
    )
    for page in PAGES:
        await old.disconnect_token(page, f"old-{page}")
        assert f"old-{page}" not in old.sid_to_token
        assert await holder(new, page) == f"new-{page}"
        assert await new.is_token_connected(page)


async def test_a_second_tab_with_the_same_token_still_gets_one_of_its_own(
    processes: list[RedisTokenManager],
) -> None:
    _, new = processes
    new_token = await new.link_token_to_sid(PAGES[0], "second-tab")
    assert new_token not in {None, PAGES[0]}
    assert await holder(new, PAGES[0]) == f"old-{PAGES[0]}"
