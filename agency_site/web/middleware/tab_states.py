"""How many states of tabs that have gone are kept in the memory of one process.

Reflex keeps the state of a tab for an hour, so that a page whose connection broke finds its own again. A client that opens
tabs and leaves would fill the memory: of the tabs that have gone only the latest are kept. With Redis its own limit of memory
does the same.
"""

from typing import Any

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

MOST_GONE = 500
"""A state takes 30 to 100 KB. A page that comes back later than 500 others is opened with a new one."""


class GoneTabs:
    """The tabs without a socket, in the order in which they went."""

    def __init__(self, states: StateManagerMemory, root: Any) -> None:
        self._states: Any = states
        self._root = root
        self._gone: dict[str, None] = {}

    def left(self, tab: str) -> None:
        """The tab has gone; the one that went first is forgotten if that makes too many."""
        self._gone.pop(tab, None)
        self._gone[tab] = None
        if len(self._gone) > MOST_GONE:
            first = next(iter(self._gone))
            del self._gone[first]
            self._release(first)

    def _release(self, tab: str) -> None:
        token = BaseStateToken(ident=tab, cls=self._root)
        lock = self._states._states_locks.get(token.lock_key)  # noqa: SLF001 - Reflex offers no other way
        if lock is not None and lock.locked():
            # An event of it is still being handled.
            self._gone[tab] = None
            return
        self._states._purge_token(token)  # noqa: SLF001

    def came_back(self, tab: str) -> None:
        """The tab has a socket again."""
        self._gone.pop(tab, None)


def limit_gone_tabs(app: rx.App) -> None:
    """Keep the states of the latest tabs only that have gone."""
    states = app.state_manager
    if not isinstance(states, StateManagerMemory):
        return
    namespace: Any = app.event_namespace
    connect, disconnect = namespace.on_connect, namespace.on_disconnect
    gone = GoneTabs(states, app._state)  # noqa: SLF001

    async def on_connect(sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        await connect(sid, environ, auth)
        if tab := namespace.sid_to_token.get(sid):
            gone.came_back(tab)

    def on_disconnect(sid: str) -> Any:
        if tab := namespace.sid_to_token.get(sid):
            gone.left(tab)
        return disconnect(sid)

    namespace.on_connect = on_connect
    namespace.on_disconnect = on_disconnect
