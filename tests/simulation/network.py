"""Messages between processes: each may be late, lost, doubled or cut, and a process that is down answers nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Protocol, TypeVar

import httpx
from starlette.types import ASGIApp, Message

from tests.simulation.faults import REPORTS, Planned
from tests.simulation.scheduler import Process

Answer = TypeVar("Answer")


class Lost(Exception):
    """No answer has come in time."""


class Refused(Exception):
    """No process listens there: nothing was sent."""


class Broken(Exception):
    """The connection broke while the answer was awaited."""


class MessageFaults(Protocol):
    """What the network asks of the history."""

    async def reach(self, label: str) -> None:
        """A point at which the running process may crash, freeze or wait."""

    def fault_of_message(self, channel: str) -> Planned | None:
        """The fault that the next message of this channel meets."""


class Network:
    """Carries requests and answers between processes."""

    def __init__(self, carrier: Process, random: Random, faults: MessageFaults) -> None:
        self._carrier = carrier
        self._random = random
        self._faults = faults
        self._under_way: list[tuple[Process, asyncio.Future[None]]] = []

    def break_off(self, process: Process) -> None:
        """The process has crashed: those who wait for its answers see their connection break."""
        for target, waiting in self._under_way:
            if target is process and not waiting.done():
                waiting.get_loop().call_soon(_finish, waiting)

    async def connect(self, channel: str) -> None:
        """Wait for a connection."""
        await self._faults.reach(f"while connecting for {channel}")
        await self._pass_time()

    async def send(
        self,
        channel: str,
        target: Process | None,
        work: Callable[[], Awaitable[Answer]],
        patience: float,
        cut: Callable[[Answer], Answer] | None = None,
        work_cut: Callable[[], Awaitable[Answer]] | None = None,
    ) -> Answer:
        """Return the result of `work` in the target's process. Raises Lost, Refused or Broken.

        `cut` makes half of an answer, `work_cut` receives half of a request.
        """
        await self._faults.reach(f"before sending {channel}")
        fault = self._faults.fault_of_message(channel)
        kind = fault.kind if fault else ""
        if kind == "truncate" and work_cut:
            kind, work = "", work_cut
        if target is None or target.crashed:
            await self._pass_time()
            raise Refused
        own = asyncio.get_running_loop()
        end = own.time() + patience
        answers: list[Answer | Exception] = []
        waiting = own.create_future()
        if kind == "delay" and fault:
            self._carrier.call_later(fault.value, self._deliver, target, work, answers, waiting)
        elif kind != "lose the request":
            self._carrier.call_later(self._latency(), self._deliver, target, work, answers, waiting)
        if kind == "double" and fault:
            self._carrier.call_later(fault.value, self._deliver, target, work, [], None)
        timer = own.call_at(end, _finish, waiting)
        self._under_way.append((target, waiting))
        await waiting
        timer.cancel()
        self._under_way = [request for request in self._under_way if request[1] is not waiting]
        await self._pass_time()
        await self._faults.reach(f"after an answer to {channel}")
        if own.time() >= end or kind == "lose the answer":
            raise Lost
        if not answers:
            raise Broken
        if isinstance(answers[0], Exception):
            raise answers[0]
        return cut(answers[0]) if kind == "truncate" and cut else answers[0]

    def _deliver(
        self,
        target: Process,
        work: Callable[[], Awaitable[Answer]],
        answers: list[Answer | Exception],
        waiting: "asyncio.Future[None] | None",
    ) -> None:
        if target.crashed:
            if waiting:
                _finish(waiting)
            return

        async def serve() -> None:
            try:
                answers.append(await work())
            except Exception as error:
                answers.append(error)
            if waiting and not waiting.done():
                waiting.get_loop().call_soon(_finish, waiting)

        target.create_task(serve())

    async def _pass_time(self) -> None:
        await asyncio.sleep(self._latency())

    def _latency(self) -> float:
        return self._random.choice((0.0, 0.005, 0.05, 0.4, 1.5)) * self._random.random()


def _finish(waiting: "asyncio.Future[None]") -> None:
    if not waiting.done():
        waiting.set_result(None)


class AsgiTransport(httpx.AsyncBaseTransport):
    """httpx over the simulated network, to an ASGI application in another process."""

    def __init__(
        self,
        network: Network,
        find_target: Callable[[], Process | None],
        app: ASGIApp,
        channel: Callable[[str], str],
    ) -> None:
        self._network = network
        self._find_target = find_target
        self._app = app
        self._channel = channel

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry one request. Raises httpx's own errors."""
        body = await request.aread()
        timeout = request.extensions.get("timeout", {}).get("read") or 30.0
        channel = self._channel(request.url.path)

        async def work() -> httpx.Response:
            return await _call_app(self._app, request, body)

        async def work_cut() -> httpx.Response:
            return await _call_app(self._app, request, body[: len(body) // 2])

        await self._network.connect(channel)
        if trace := request.extensions.get("trace"):
            # As httpcore reports it when it has a connection: what listens may refuse to write.
            await trace("http11.send_request_headers.started", {})
        try:
            return await self._network.send(
                channel, self._find_target(), work, timeout, _cut, work_cut if channel in REPORTS else None
            )
        except Refused:
            raise httpx.ConnectError("connection refused", request=request) from None
        except Lost:
            raise httpx.ReadTimeout("no answer in time", request=request) from None
        except Broken:
            raise httpx.RemoteProtocolError("server disconnected", request=request) from None


def _cut(response: httpx.Response) -> httpx.Response:
    body = response.content
    return httpx.Response(response.status_code, content=body[: len(body) // 2])


async def _call_app(app: ASGIApp, request: httpx.Request, body: bytes) -> httpx.Response:
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path,
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("196.201.214.200", 443),
        "server": (request.url.host, request.url.port or 80),
    }
    status, headers, parts, is_complete = 500, list[tuple[bytes, bytes]](), list[bytes](), False

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, headers, is_complete
        if message["type"] == "http.response.start":
            status, headers = message["status"], list(message["headers"])
        else:
            parts.append(message.get("body", b""))
            is_complete = not message.get("more_body", False)

    await app(scope, receive, send)
    if not is_complete:
        raise Broken
    return httpx.Response(status, headers=headers, content=b"".join(parts))
