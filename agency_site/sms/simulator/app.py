"""The simulator as an ASGI application."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from uuid import uuid4

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from agency_site.request_body import read_form_fields
from agency_site.sms.rules import count_parts
from agency_site.sms.simulator.config import Outcome, SmsSimulatorConfig, outcome_of

_MOST_MESSAGES = 20_000
"""The oldest messages are forgotten."""
_LARGEST_BODY = 64 * 1024
_PRICE = 0.8
_REPORTS = {
    Outcome.REJECTED_LATER: ("Failed", "UserDoesNotExist"),
    Outcome.ABSENT: ("Failed", "AbsentSubscriber"),
}
_GATEWAY_ERRORS = 2


@dataclass
class SimulatedMessage:
    """A message that the simulator has accepted."""

    id: str
    number: str
    text: str
    sender: str
    reports: list[str] = field(default_factory=list)
    """The statuses that were reported."""


class SmsEngine:
    """The account and its messages."""

    def __init__(self, config: SmsSimulatorConfig) -> None:
        self.config = config
        self.messages: deque[SimulatedMessage] = deque(maxlen=_MOST_MESSAGES)
        self.is_empty = False
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._hurry = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._http = httpx.AsyncClient(timeout=10, trust_env=False)

    async def aclose(self) -> None:
        """Drop all reports that are still to come."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._http.aclose()

    async def report_now(self) -> None:
        """Send all reports that are still to come, and return once they are sent."""
        self._hurry.set()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._hurry.clear()

    async def send(self, number: str, text: str, sender: str) -> Response:
        """Accept or reject a message as the last digits of its number say."""
        outcome = outcome_of(number)
        if rejection := self._reject(outcome, number, text):
            return _answer(number, *rejection)
        message = SimulatedMessage(f"ATXid_{uuid4().hex}", number, text, sender)
        self.messages.append(message)
        if outcome is Outcome.EARLY_REPORT:
            await self._report(message, 0)
        else:
            delay = self.config.late if outcome is Outcome.LATE_REPORT else self.config.delay
            repeats = 3 if outcome is Outcome.THREE_REPORTS else 1
            self._start(self._report_all(message, delay, repeats))
        if outcome is Outcome.NO_ANSWER:
            await asyncio.sleep(self.config.silence)
        cost = f"KES {_PRICE * count_parts(text).parts:.4f}"
        return _answer(number, 101, "Success", cost, message.id)

    def _reject(self, outcome: Outcome, number: str, text: str) -> tuple[int, str] | None:
        if self.is_empty or outcome is Outcome.EMPTY_ACCOUNT:
            return 405, "InsufficientBalance"
        if outcome is Outcome.INVALID_NUMBER:
            return 403, "InvalidPhoneNumber"
        if outcome is Outcome.BLACKLISTED:
            return 406, "UserInBlacklist"
        if outcome is Outcome.GATEWAY_ERROR:
            self._attempts[number, text] += 1
            if self._attempts[number, text] <= _GATEWAY_ERRORS:
                return 501, "GatewayError"
        return None

    async def post(self, name: str, fields: dict[str, str]) -> int:
        """Call the site; return the status, or 0 if it cannot be reached."""
        try:
            return (await self._http.post(f"{self.config.callbacks}/{name}", data=fields)).status_code
        except httpx.HTTPError:
            return 0

    async def _report_all(self, message: SimulatedMessage, delay: float, repeats: int) -> None:
        for _ in range(repeats):
            await self._report(message, delay)

    async def _report(self, message: SimulatedMessage, delay: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), delay)
        status, reason = _REPORTS.get(outcome_of(message.number), ("Success", ""))
        fields = {
            "id": message.id,
            "status": status,
            "phoneNumber": message.number,
            "networkCode": "63902",
            "retryCount": "0",
        }
        await self.post("reports", fields | ({"failureReason": reason} if reason else {}))
        message.reports.append(status)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def create_sms_simulator(config: SmsSimulatorConfig) -> Starlette:
    """Return a simulated SMS API with its own account. It works at any mount path."""
    engine = SmsEngine(config)
    app = Starlette(routes=[Route("/version1/messaging", _send(engine), methods=["POST"]), *_control(engine)])
    app.state.engine = engine
    return app


def _send(engine: SmsEngine) -> Callable[[Request], Awaitable[Response]]:
    async def send(request: Request) -> Response:
        if not request.headers.get("apiKey"):
            return PlainTextResponse("The supplied authentication is invalid", 401)
        fields = await read_form_fields(request, _LARGEST_BODY)
        for name in ("username", "to", "message"):
            if not fields.get(name):
                return PlainTextResponse(f"Request is missing required form field '{name}'", 400)
        return await engine.send(fields["to"], fields["message"], fields.get("from", ""))

    return send


def _control(engine: SmsEngine) -> list[Route]:
    async def list_messages(_request: Request) -> Response:
        return JSONResponse(
            {"empty": engine.is_empty, "messages": [asdict(message) for message in engine.messages]}
        )

    async def report_now(_request: Request) -> Response:
        await engine.report_now()
        return JSONResponse({})

    async def empty(_request: Request) -> Response:
        engine.is_empty = True
        return JSONResponse({"empty": True})

    async def refill(_request: Request) -> Response:
        engine.is_empty = False
        return JSONResponse({"empty": False})

    async def play_text(request: Request) -> Response:
        fields = await read_form_fields(request, _LARGEST_BODY)
        fields = {"id": uuid4().hex, "to": "22384", "date": "2026-11-20 12:00:00"} | fields
        return JSONResponse({"status": await engine.post("messages", fields)})

    return [
        Route("/control/messages", list_messages, methods=["GET"]),
        Route("/control/reports", report_now, methods=["POST"]),
        Route("/control/empty", empty, methods=["POST"]),
        Route("/control/refill", refill, methods=["POST"]),
        Route("/control/incoming", play_text, methods=["POST"]),
    ]


def _answer(number: str, code: int, status: str, cost: str = "0", identity: str = "None") -> Response:
    accepted = int(code < 400)
    recipient = {
        "statusCode": code,
        "number": number,
        "status": status,
        "cost": cost,
        "messageId": identity,
    }
    data = {"Message": f"Sent to {accepted}/1 Total Cost: {cost}", "Recipients": [recipient]}
    return JSONResponse({"SMSMessageData": data}, 201)
