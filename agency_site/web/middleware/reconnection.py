"""A page whose connection broke without a word gets its own state back.

Phones change between networks: the browser opens a new socket at once, while the server still takes the old one for
alive, for up to two minutes. Reflex then takes the newcomer for a duplicated tab and gives it an empty state: what was
chosen is gone, and an answer that was on its way is never told. A page that only connects again says so, because it
sends no hashes of what it was built with; for that page the old socket is ended first. Where another process has the old
one, the new one takes its place in Redis.
"""

from typing import Any
from urllib.parse import parse_qs

import reflex as rx
from reflex.utils.token_manager import RedisTokenManager, SocketRecord


def let_pages_return(app: rx.App) -> None:
    """Let pages of `app` that connect again keep their state."""
    namespace: Any = app.event_namespace
    connect = namespace.on_connect

    async def on_connect(sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        token = parse_qs(environ.get("QUERY_STRING", "")).get("token", [""])[0]
        if token and _returns(auth):
            await _end_old_socket(namespace, token, sid)
        await connect(sid, environ, auth)

    namespace.on_connect = on_connect


def _returns(auth: object) -> bool:
    """Whether the page was connected before; anything odd is left to Reflex."""
    event = auth.get("event") if isinstance(auth, dict) else None
    if not isinstance(event, dict):
        return False
    payload = event.get("payload", {})
    return isinstance(payload, dict) and "hashes" not in payload


async def _end_old_socket(namespace: Any, token: str, sid: str) -> None:
    manager = namespace._token_manager  # noqa: SLF001 - Reflex offers no other way
    known = manager.token_to_socket.get(token)
    if known is not None and known.instance_id == manager.instance_id:
        # First forgotten, then ended: the end of a socket that is still known would let go of the token later.
        await manager.disconnect_token(token, known.sid)
        await namespace.disconnect(known.sid)
    elif isinstance(manager, RedisTokenManager):
        await take_over(manager, token, sid)


async def take_over(manager: RedisTokenManager, token: str, sid: str) -> None:
    """Make the socket `sid` of this process that of the page `token`, whichever process had it before.

    That process reads the new record and lets go of the page; its old socket ends by itself. The record is written over,
    not deleted: a process that sees its own record go puts it back.
    """
    manager._ensure_socket_record_task()  # noqa: SLF001
    record = SocketRecord(instance_id=manager.instance_id, sid=sid)
    manager.token_to_socket[token], manager.sid_to_token[sid] = record, token
    await manager._store_socket_record(token, record)  # noqa: SLF001
