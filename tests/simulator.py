"""Applications served over real HTTP inside a test, the simulator's control, a receiver of callbacks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn import Config, Server


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[str]:
    """The application on a free port of the loopback address, in this event loop; yields its address."""
    config = Config(app, port=0, http="h11", ws="none", lifespan="on", log_config=None, access_log=False)
    config.load()
    server = Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        await _stop(server)


async def _stop(server: Server) -> None:
    """`Server.shutdown` does the same with pauses of a tenth of a second, and waits for requests that never end."""
    # What the loop has accepted last becomes a connection two turns later, and is lost unclosed if its listener ends before.
    for listener in server.servers:
        for sock in listener.sockets:
            asyncio.get_running_loop().remove_reader(sock.fileno())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for listener in server.servers:
        listener.close()
    for connection in list(server.server_state.connections):
        connection.shutdown()
    unfinished = list(server.server_state.tasks)
    for task in unfinished:
        task.cancel()
    # A task that had not begun yet ends with its cancellation.
    await asyncio.gather(*unfinished, return_exceptions=True)
    # A connection whose request was cancelled waits for the response before it closes.
    for connection in list(server.server_state.connections):
        connection.transport.close()
    await server.lifespan.shutdown()


class Receiver:
    """Takes the place of the site's callback route: keeps every body and responds as Daraja expects."""

    def __init__(self) -> None:
        self.bodies: asyncio.Queue[bytes] = asyncio.Queue()
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answer: Response = JSONResponse({"ResultCode": 0, "ResultDesc": "Accepted"})
        self.app = Starlette(routes=[Route("/{path:path}", self._take, methods=["POST"])])
        self.url = ""

    async def _take(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        self.paths.append(request.url.path)
        self.bodies.put_nowait(await request.body())
        return self.answer

    async def body(self) -> bytes:
        """The next callback."""
        return await asyncio.wait_for(self.bodies.get(), 20)


class Control:
    """The simulator's `/control`, from a test's side."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def get(self, name: str) -> dict[str, Any]:
        return cast("dict[str, Any]", (await self._http.get(f"/control/{name}")).raise_for_status().json())

    async def post(self, name: str, **body: object) -> dict[str, Any]:
        answer = await self._http.post(f"/control/{name}", json=body)
        return cast("dict[str, Any]", answer.raise_for_status().json())

    async def ledger(self) -> dict[str, Any]:
        return await self.get("ledger")

    async def settled(self) -> None:
        """Return once no decision and no callback is outstanding."""
        assert (await self.get("settled?timeout=20"))["settled"]
