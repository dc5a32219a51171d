"""Limits the states of disconnected tabs in the memory of one process.

Reflex keeps the state of a tab for an hour, for pages that reconnect. A client that opens and closes tabs could fill the
memory, so only the states of the latest disconnected tabs are kept. With Redis its own memory limit has the same effect.
"""

from typing import Any

import reflex as rx
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken

MOST_DISCONNECTED = 500
"""A state takes 30 to 100 KB. A page that reconnects after 500 others have disconnected gets a new state."""


class DisconnectedTabs:
    """The tabs without a socket, in the order in which they disconnected."""

    def __init__(self, states: StateManagerMemory, root: Any) -> None:
        self._states: Any = states
        self._root = root
        self._disconnected: dict[str, None] = {}

    def add(self, tab: str) -> None:
        """Add a disconnected tab; release the state of the earliest one if there are too many."""
        self._disconnected.pop(tab, None)
        self._disconnected[tab] = None
        if len(self._disconnected) > MOST_DISCONNECTED:
            first = next(iter(self._disconnected))
            del self._disconnected[first]
            self._release(first)

    def _release(self, tab: str) -> None:
        token = BaseStateToken(ident=tab, cls=self._root)
        lock = self._states._states_locks.get(token.lock_key)
        if lock is not None and lock.locked():
            # One of its events is still being handled.
            self._disconnected[tab] = None
            return
        self._states._purge_token(token)

    def remove(self, tab: str) -> None:
        """Remove a tab that has a socket again."""
        self._disconnected.pop(tab, None)


def limit_disconnected_tabs(app: rx.App) -> None:
    states = app.state_manager
    if not isinstance(states, StateManagerMemory):
        return
    namespace: Any = app.event_namespace
    connect, disconnect = namespace.on_connect, namespace.on_disconnect
    disconnected = DisconnectedTabs(states, app._state)

    async def on_connect(sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        await connect(sid, environ, auth)
        if tab := namespace.sid_to_token.get(sid):
            disconnected.remove(tab)

    def on_disconnect(sid: str) -> Any:
        if tab := namespace.sid_to_token.get(sid):
            disconnected.add(tab)
        return disconnect(sid)

    namespace.on_connect = on_connect
    namespace.on_disconnect = on_disconnect
