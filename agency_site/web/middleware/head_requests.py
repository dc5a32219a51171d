"""HEAD answers as GET does, without the body; FastAPI knows only the methods that a route names."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SOCKET = "/_event"
"""The socket's own ways of asking: there a GET begins something."""


class AnswerHeads:
    """ASGI middleware: asks the application for the whole answer and sends its beginning."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, a HEAD as GET."""
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"].startswith(SOCKET):
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                if message.get("more_body"):
                    return
                message = {**message, "body": b""}
            await send(message)

        # The same scope, because the application notes in it what the log shows.
        scope["method"] = "GET"
        try:
            await self._app(scope, receive, without_body)
        finally:
            scope["method"] = "HEAD"
