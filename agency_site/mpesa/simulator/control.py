"""The control interface under `/control`: read the ledger, and set the next outcomes, as JSON."""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agency_site.mpesa.simulator.engine import Engine
from agency_site.mpesa.simulator.outcomes import Plan
from agency_site.mpesa.simulator.switches import FaultOrder, Switches

_LONGEST_WAIT_SECONDS = 60.0


class _Decision(BaseModel):
    """`POST /control/answer`: the customer decides about an open prompt now."""

    model_config = ConfigDict(extra="forbid")

    checkout_request_id: str
    result_code: str = Field("0", pattern=r"^\w{1,20}$")


class Skip(BaseModel):
    """`POST /control/advance`: advance the simulator's time."""

    model_config = ConfigDict(extra="forbid")

    seconds: float = Field(ge=0, le=90 * 86400)


class _PaybillOrder(BaseModel):
    """`POST /control/paybill`: a customer pays to the Paybill by hand."""

    model_config = ConfigDict(extra="forbid")

    phone: str = Field("254712345678", pattern=r"^254[17]\d{8}$")
    amount: int = Field(ge=1, le=250_000)
    account: str = Field(max_length=20)


def control_routes(engine: Engine) -> list[Route]:
    """Return the control routes. Each answers with JSON, or 422 for an invalid body."""
    control = _Control(engine)
    posts: dict[str, Callable[[bytes], Awaitable[Response]]] = {
        "switches": control.set_switches,
        "next": control.plan_next,
        "fault": control.order_fault,
        "answer": control.answer,
        "paybill": control.pay_by_hand,
        "advance": control.advance,
        "expire-tokens": control.expire_tokens,
        "reset": control.reset,
    }
    return [
        Route("/control/ledger", control.ledger, methods=["GET"]),
        Route("/control/switches", control.switches, methods=["GET"]),
        Route("/control/settled", control.settled, methods=["GET"]),
        *(
            Route(f"/control/{name}", _build_post_endpoint(action), methods=["POST"])
            for name, action in posts.items()
        ),
    ]


def _build_post_endpoint(
    action: Callable[[bytes], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            return await action(await request.body() or b"{}")
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            return JSONResponse({"errors": problems}, status_code=422)

    return endpoint


class _Control:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def ledger(self, _request: Request) -> Response:
        return JSONResponse(self._engine.ledger.report())

    async def switches(self, _request: Request) -> Response:
        return JSONResponse(self._engine.switches.model_dump(mode="json"))

    async def settled(self, request: Request) -> Response:
        try:
            seconds = float(request.query_params.get("timeout", "10"))
        except ValueError:
            seconds = 0.0
        seconds = min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS)
        return JSONResponse({"settled": await self._engine.settled(seconds)})

    async def set_switches(self, body: bytes) -> Response:
        changes: dict[str, Any] = Switches.model_validate_json(body).model_dump(exclude_unset=True)
        self._engine.switches = self._engine.switches.model_copy(update=changes)
        return JSONResponse(self._engine.switches.model_dump(mode="json"))

    async def plan_next(self, body: bytes) -> Response:
        plan = Plan.model_validate_json(body)
        self._engine.plans.append(plan)
        return JSONResponse(plan.model_dump())

    async def order_fault(self, body: bytes) -> Response:
        order = FaultOrder.model_validate_json(body)
        self._engine.faults.append(order)
        return JSONResponse(order.model_dump(mode="json"))

    async def answer(self, body: bytes) -> Response:
        decision = _Decision.model_validate_json(body)
        done = self._engine.answer(decision.checkout_request_id, decision.result_code)
        return JSONResponse({"answered": done}, status_code=200 if done else 404)

    async def pay_by_hand(self, body: bytes) -> Response:
        wanted = _PaybillOrder.model_validate_json(body)
        payment = await self._engine.pay_by_hand(wanted.phone, wanted.amount, wanted.account)
        return JSONResponse(payment.report())

    async def advance(self, body: bytes) -> Response:
        self._engine.stopwatch.skip(Skip.model_validate_json(body).seconds)
        return JSONResponse({"now": self._engine.stopwatch.now().isoformat()})

    async def expire_tokens(self, _body: bytes) -> Response:
        self._engine.forget_tokens()
        return JSONResponse({})

    async def reset(self, _body: bytes) -> Response:
        await self._engine.reset()
        return JSONResponse({})
