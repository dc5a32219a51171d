"""The floor for events: a Socket.IO server that echoes, with nothing of the site or of Reflex."""

from typing import Any

import socketio  # type: ignore[import-untyped]
from starlette.types import ASGIApp

from tests.bench.crowd import NAMESPACE


def create() -> ASGIApp:
    """The application."""
    server = socketio.AsyncServer(async_mode="asgi", cors_allowed_origins=[])

    async def echo(sid: str, data: Any) -> None:
        await server.emit("event", data, to=sid, namespace=NAMESPACE)

    server.on("event", echo, namespace=NAMESPACE)
    app: ASGIApp = socketio.ASGIApp(server, socketio_path="/_event")
    return app
