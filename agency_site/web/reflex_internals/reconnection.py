"""Keeps the state of a page that reconnects.

When a phone changes networks, its browser opens a new socket at once, while the server considers the old one open for up
to two minutes. Reflex then takes the new socket for a duplicated tab and gives it an empty state: choices are lost, and a
pending result never arrives. A reconnecting page can be recognised because it sends no hashes of its build; its old
socket is closed first. Where another process has the old socket, the new one replaces it in Redis.
"""

from typing import Any
from urllib.parse import parse_qs

import reflex as rx
from reflex.utils.token_manager import RedisTokenManager, SocketRecord


def keep_state_on_reconnect(app: rx.App) -> None:
    namespace: Any = app.event_namespace
    connect = namespace.on_connect

    async def on_connect(sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        token = parse_qs(environ.get("QUERY_STRING", "")).get("token", [""])[0]
        if token and _is_reconnect(auth):
            await _close_old_socket(namespace, token, sid)
        await connect(sid, environ, auth)

    namespace.on_connect = on_connect


def _is_reconnect(auth: object) -> bool:
    """Return whether the page was connected before; malformed input is left to Reflex."""
    event = auth.get("event") if isinstance(auth, dict) else None
    if not isinstance(event, dict):
        return False
    payload = event.get("payload", {})
    return isinstance(payload, dict) and "hashes" not in payload


async def _close_old_socket(namespace: Any, token: str, sid: str) -> None:
    manager = namespace._token_manager
    record = manager.token_to_socket.get(token)
    if record is not None and record.instance_id == manager.instance_id:
        # The record is removed first: closing a recorded socket would release the token later.
        await manager.disconnect_token(token, record.sid)
        await namespace.disconnect(record.sid)
    elif isinstance(manager, RedisTokenManager):
        await take_over(manager, token, sid)


async def take_over(manager: RedisTokenManager, token: str, sid: str) -> None:
    """Assign the page `token` to the socket `sid` of this process, even if another process had the page.

    That process reads the new record and drops the page; its old socket times out. The record is overwritten, not
    deleted: a process whose own record is deleted writes it again.
    """
    manager._ensure_socket_record_task()
    record = SocketRecord(instance_id=manager.instance_id, sid=sid)
    manager.token_to_socket[token], manager.sid_to_token[sid] = record, token
    await manager._store_socket_record(token, record)
