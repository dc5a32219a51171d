"""Contract of `redis_pools.py`."""

import inspect

from tests.unit.web.reflex_internals.contract import contract


def test_both_managers_keep_their_client() -> None:
    with contract("the managers of states and of sockets have a client of Redis"):
        from reflex.app import EventNamespace
        from reflex.istate.manager.redis import StateManagerRedis
        from reflex.utils.token_manager import RedisTokenManager

        assert "redis" in StateManagerRedis.__annotations__
        assert "self.redis = " in inspect.getsource(RedisTokenManager.__init__)
        assert "_token_manager" in inspect.getsource(EventNamespace)
