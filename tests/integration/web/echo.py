"""A socket that echoes, behind the site's own middleware."""

from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.web.middleware.stack import with_middleware


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for step in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{step}.complete"})
        return
    await receive()
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        return
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


def create() -> ASGIApp:
    """The application."""
    return with_middleware(_echo)
