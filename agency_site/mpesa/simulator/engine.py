"""The simulator's engine: tokens, prompts, the customers' decisions and the callbacks that follow them."""

import asyncio
import json
import secrets
import string
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta

import httpx

from agency_site.mpesa.simulator.callbacks import callback_body
from agency_site.mpesa.simulator.config import SimulatorConfig
from agency_site.mpesa.simulator.ledger import Ledger, Prompt, PushOrder, new_receipt
from agency_site.mpesa.simulator.outcomes import Plan, plan_for
from agency_site.mpesa.simulator.paybill import PaybillAddresses, PaybillPayment, paybill_body
from agency_site.mpesa.simulator.reversals import Reversal, result_body
from agency_site.mpesa.simulator.stopwatch import Stopwatch
from agency_site.mpesa.simulator.switches import Fault, FaultOrder, Switches

_SAME_AMOUNT_SECONDS = 120
_QUERY_PERIOD_SECONDS = 60
_PROMPT_TEXT = 182
"""The longest texts of one prompt in characters; beyond that the push ends with 1025 (daraja.md, section 3)."""


@dataclass(frozen=True)
class BookedTransaction:
    """A charge in M-Pesa's books."""

    receipt: str
    at: datetime
    phone: str
    account: str
    amount: int


class Engine:
    """A simulated Daraja. Its whole state is in memory, in one event loop."""

    def __init__(self, config: SimulatorConfig) -> None:
        self.config = config
        self.stopwatch = Stopwatch()
        self.switches = Switches()
        self.ledger = Ledger()
        self.plans: deque[Plan] = deque()
        self.faults: list[FaultOrder] = []
        self._tokens: dict[str, float] = {}
        self._queries: deque[float] = deque()
        self._answers: dict[str, tuple[asyncio.Event, list[str]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._http: httpx.AsyncClient | None = None
        self.paybill_addresses: PaybillAddresses | None = None
        """None until the merchant registers addresses."""

    # Tokens

    def issue_token(self) -> str:
        """Return a new token of 28 characters, which invalidates the older ones unless switched otherwise."""
        if self.switches.new_token_kills_old:
            self._tokens.clear()
        token = "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(28))
        self._tokens[token] = self.stopwatch.read() + self.switches.token_seconds
        return token

    def token_is_good(self, token: str) -> bool:
        """Return whether the token was issued here and is still valid."""
        return self.stopwatch.read() < self._tokens.get(token, float("-inf"))

    def forget_tokens(self) -> None:
        """Invalidate all tokens."""
        self._tokens.clear()

    # Faults and limits

    def take_fault(self, call: str) -> Fault | None:
        """Return the planned fault of this call, if any."""
        for order in self.faults:
            if order.call != call:
                continue
            if order.times == 1:
                self.faults.remove(order)
            elif order.times:
                order.times -= 1
            return order.fault
        return None

    def query_is_over_limit(self) -> bool:
        """Count a query. Returns True if it exceeds the limit of its minute."""
        present = self.stopwatch.read()
        while self._queries and self._queries[0] <= present - _QUERY_PERIOD_SECONDS:
            self._queries.popleft()
        if self.switches.query_limit and len(self._queries) >= self.switches.query_limit:
            return True
        self._queries.append(present)
        return False

    # Prompts

    def plan(self, order: PushOrder) -> Plan:
        """Return the plan of this push: the one that was set for the next push, else the one for the phone's digits."""
        plan = self.plans.popleft() if self.plans else plan_for(order.phone, self.config)
        changes: dict[str, object] = {}
        if self.switches.copies is not None:
            changes["copies"] = self.switches.copies
        if self.switches.callback_delay is not None:
            changes["callback_delay"] = self.switches.callback_delay
        if self.switches.same_amount_rule and self._paid_the_same(order):
            changes["result_code"] = "17"
        if len(order.reference) + len(order.description) > _PROMPT_TEXT:
            changes["result_code"] = "1025"
        return plan.model_copy(update=changes)

    def _paid_the_same(self, order: PushOrder) -> bool:
        last = self.ledger.newest.get(order.phone)
        if last is None or last.order.amount != order.amount:
            return False
        return self.stopwatch.read() - last.requested_reading < _SAME_AMOUNT_SECONDS

    async def show(self, order: PushOrder, plan: Plan) -> Prompt:
        """Put a prompt on the phone; the decision and the callback follow automatically."""
        moment = self.stopwatch.now()
        merchant, checkout = self.ledger.new_ids(order.phone, moment)
        prompt = Prompt(order, plan, merchant, checkout, moment, self.stopwatch.read())
        self.ledger.add(prompt)
        self._answers[checkout] = (asyncio.Event(), [])
        if self.switches.callback == "before":
            self._decide(prompt)
            await self._deliver_all(prompt)
        else:
            self._start(self._live(prompt, self._answers[checkout][0]))
        return prompt

    def answer(self, checkout_request_id: str, result_code: str) -> bool:
        """Let the customer decide now. Returns False if no such prompt is open."""
        prompt = self.ledger.prompts.get(checkout_request_id)
        if prompt is None or not prompt.open:
            return False
        event, codes = self._answers[checkout_request_id]
        codes.append(result_code)
        self._decide(prompt)
        event.set()
        return True

    def list_booked(self, begins: datetime, ends: datetime) -> list[BookedTransaction]:
        """Return the charges of a period that are in the books by now, oldest first. The times have whole seconds."""
        by_now = self.stopwatch.now() - timedelta(seconds=self.switches.pull_delay)
        latest = min(by_now, ends + timedelta(seconds=1))
        booked = (charge for charge in self._list_charges() if begins <= charge.at <= latest)
        return sorted(booked, key=lambda charge: charge.at)

    def _list_charges(self) -> list[BookedTransaction]:
        prompted = [
            BookedTransaction(
                prompt.receipt, prompt.decided_at, prompt.order.phone, prompt.order.reference, prompt.charged
            )
            for prompt in self.ledger.prompts.values()
            if prompt.charged and prompt.decided_at
        ]
        by_hand = [
            BookedTransaction(payment.receipt, payment.at, payment.phone, payment.account, payment.charged)
            for payment in self.ledger.paybill
            if payment.charged
        ]
        return [*prompted, *by_hand]

    # Reversals

    def reverse(self, receipt: str, amount: int, address: str) -> Reversal:
        """Accept the request for a reversal; the decision and the result follow automatically."""
        reversal = Reversal(receipt, amount, address, self.stopwatch.now())
        self.ledger.reversals.append(reversal)
        self._start(self._return(reversal))
        return reversal

    async def _return(self, reversal: Reversal) -> None:
        await self.stopwatch.wait(self.config.delay)
        reversal.decided_at = self.stopwatch.now()
        reversal.receipt = new_receipt(reversal.decided_at)
        reversal.result_code = self._judge_reversal(reversal)
        await self.stopwatch.wait(self.switches.callback_delay or 0)
        body = json.dumps(result_body(reversal, self.config.shortcode))
        copies = 1 if self.switches.copies is None else self.switches.copies
        statuses = await asyncio.gather(*(self._post(reversal.address, body) for _ in range(copies)))
        reversal.deliveries += statuses

    def _judge_reversal(self, reversal: Reversal) -> str:
        charges = self._list_charges()
        payment = next((charge for charge in charges if charge.receipt == reversal.original), None)
        if payment is None or payment.amount != reversal.amount:
            return "R000002"
        reversal.phone = payment.phone
        if any(other.original == reversal.original and other.returned for other in self.ledger.reversals):
            return "R000001"
        return self.switches.reversal_code

    # The Paybill

    async def pay_by_hand(self, phone: str, amount: int, account: str) -> PaybillPayment:
        """Pay to the Paybill as a customer: ask the merchant, take the money unless it rejects that, confirm the payment."""
        moment = self.stopwatch.now()
        payment = PaybillPayment(phone, amount, account, new_receipt(moment), moment)
        self.ledger.paybill.append(payment)
        body = json.dumps(paybill_body(payment, self.config.shortcode))
        addresses = self.paybill_addresses
        payment.verdict = await self._ask(addresses.validation, body) if addresses else "0"
        copies = 1 if self.switches.copies is None else self.switches.copies
        if addresses and payment.charged:
            statuses = await asyncio.gather(
                *(self._post(addresses.confirmation, body) for _ in range(copies))
            )
            payment.deliveries += statuses
        return payment

    async def _ask(self, address: str, body: str) -> str:
        """Return the merchant's verdict; without a readable one within eight seconds the payment is accepted."""
        try:
            answer = await self._client().post(address, content=body, headers=self._headers(), timeout=8)
            return str(answer.json()["ResultCode"])
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, LookupError):
            return "0"

    def _decide(self, prompt: Prompt) -> None:
        codes = self._answers.pop(prompt.checkout_request_id, (None, []))[1]
        by_itself = "1037" if prompt.plan.hold else prompt.plan.result_code
        prompt.decide(codes[0] if codes else by_itself, self.stopwatch.now())

    async def _live(self, prompt: Prompt, answered: asyncio.Event) -> None:
        plan = prompt.plan
        delay = self.config.delay if plan.delay is None else plan.delay
        await self.stopwatch.wait(self.config.prompt_window if plan.hold else delay, sooner=answered)
        self._decide(prompt)
        await self.stopwatch.wait(plan.callback_delay)
        await self._deliver_all(prompt)

    # Callbacks

    async def _deliver_all(self, prompt: Prompt) -> None:
        await asyncio.gather(*(self._deliver(prompt) for _ in range(prompt.plan.copies)))

    async def _deliver(self, prompt: Prompt) -> None:
        """Post one callback to the address of its push."""
        body = json.dumps(callback_body(prompt, self.switches))
        prompt.deliveries.append(await self._post(prompt.order.callback_url, body))

    async def _post(self, address: str, body: str) -> str:
        """Post once, without retry or redirect. Returns the HTTP status, or the name of the failure."""
        try:
            answer = await self._client().post(address, content=body, headers=self._headers())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return type(error).__name__
        return str(answer.status_code)

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            self._http = httpx.AsyncClient(timeout=30, trust_env=False)
        return self._http

    def _headers(self) -> dict[str, str]:
        return {
            "Content-Type": "application/json;charset=UTF-8",
            "Businessshortcode": self.config.shortcode,
        }

    # Life

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settled(self, seconds: float) -> bool:
        """Wait until no decision and no callback is outstanding. Returns False if the time runs out before that."""
        try:
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(set(self._tasks))
        except TimeoutError:
            return False
        return True

    async def reset(self) -> None:
        """Forget everything: prompts end without a callback, switches return to their defaults."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.switches = Switches()
        self.ledger = Ledger()
        self.plans.clear()
        self.faults.clear()
        self._tokens.clear()
        self._queries.clear()
        self._answers.clear()
        self.paybill_addresses = None

    async def aclose(self) -> None:
        """End all outstanding work and close the connections."""
        await self.reset()
        if self._http is not None:
            await self._http.aclose()
            self._http = None
