"""Reflex's own connections to Redis, for the metrics: Reflex does not expose its two clients."""

from collections.abc import Iterator
from typing import Any

import reflex as rx
from redis.asyncio import ConnectionPool
from reflex.istate.manager.redis import StateManagerRedis
from reflex.utils.token_manager import RedisTokenManager


def redis_pools(app: rx.App) -> Iterator[ConnectionPool]:
    """Yield the pools for states and for sockets of other processes; nothing without Redis."""
    namespace: Any = app.event_namespace
    for manager in (app.state_manager, namespace._token_manager):
        if isinstance(manager, StateManagerRedis | RedisTokenManager):
            yield manager.redis.connection_pool
