"""The real client of Daraja: prompts, status queries and the books, one token, no blind resend."""

import asyncio
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

import httpx

from agency_site import clock
from agency_site.metrics import mpesa_last_answer, mpesa_last_failure, mpesa_request_seconds, mpesa_requests
from agency_site.mpesa.answers import (
    Answer,
    pull_answer,
    push_answer,
    query_answer,
    register_answer,
    reversal_answer,
    token_answer,
    transport_failure,
)
from agency_site.mpesa.contract import (
    PushAccepted,
    PushRequest,
    QueryResult,
    ReversalAccepted,
    ReversalRequest,
    Token,
    TokenStore,
    Transaction,
)
from agency_site.mpesa.errors import Misconfigured, OutcomeUnknown, TooLate, Unreachable
from agency_site.mpesa.tokens import BearerAuth, MemoryTokenStore
from agency_site.mpesa.wire import Merchant, Operator
from agency_site.settings import Settings
from agency_site.tracing import SpanKind, span

__all__ = ["DarajaClient", "DarajaConfig", "MemoryTokenStore", "client_from", "config_from"]

_TOKEN_PATH = "/oauth/v1/generate"  # noqa: S105 - an address, not a secret
_PUSH_PATH = "/mpesa/stkpush/v1/processrequest"
_QUERY_PATH = "/mpesa/stkpushquery/v1/query"
_REVERSAL_PATH = "/mpesa/reversal/v1/request"
_PULL_PATH = "/pulltransactions/v1/query"
_PAYBILL_PATH = "/mpesa/c2b/v2/registerurl"
_REGISTER_PATH = "/pulltransactions/v1/register"
_OPERATIONS: Mapping[str, str] = {
    _PUSH_PATH: "push",
    _QUERY_PATH: "query",
    _REVERSAL_PATH: "reversal",
    _PULL_PATH: "pull",
    _PAYBILL_PATH: "register",
    _REGISTER_PATH: "register",
}
"""What metrics call them."""
TOKEN_SECONDS = 10.0
"""How long the token call may take, all in all: others wait for it."""
_RENEW_EARLY = timedelta(seconds=60)
"""A token is not used in its last minute (daraja.md, section 1)."""


@dataclass(frozen=True)
class DarajaConfig:
    """Where Daraja is and who we are there. Times in seconds."""

    base_url: str
    consumer_key: str = field(repr=False)
    consumer_secret: str = field(repr=False)
    merchant: Merchant
    operator: Operator | None = None
    """None: payments are not returned from here."""
    connect_timeout: float = 5.0
    read_timeout: float = 20.0


class DarajaClient:
    """The gateway over HTTP. Keeps one connection pool: use it in one event loop, close it with `aclose`."""

    def __init__(
        self, config: DarajaConfig, tokens: TokenStore, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._config = config
        self._http = httpx.AsyncClient(
            base_url=config.base_url,
            timeout=httpx.Timeout(config.read_timeout, connect=config.connect_timeout),
            transport=transport,
            # Proxies and the like come from our settings only, never from stray environment variables.
            trust_env=False,
        )
        self._bearer = BearerAuth(tokens, self._fetch_token)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def push(self, request: PushRequest) -> PushAccepted:
        """Send a prompt, once. Raises `NotSent` (surely no prompt) or `OutcomeUnknown` (maybe one)."""
        body = self._config.merchant.push_body(request, clock.now())
        departure = _Departure(request.deadline)
        try:
            accepted = push_answer(await self._post(_PUSH_PATH, body, departure))
        except OutcomeUnknown as error:
            error.sent_at = departure.at
            raise
        return replace(accepted, sent_at=departure.at)

    async def reverse(self, request: ReversalRequest) -> ReversalAccepted:
        """Ask for the return of a payment, once. Raises `NotSent` (surely not asked) or `OutcomeUnknown` (maybe asked)."""
        operator = self._config.operator
        if operator is None:
            raise Misconfigured("no API operator is in the settings")
        body = self._config.merchant.reversal_body(request, operator)
        return reversal_answer(await self._post(_REVERSAL_PATH, body, _Departure(request.deadline)))

    async def query(self, checkout_request_id: str) -> QueryResult:
        """The state of a prompt. Raises MpesaError when there is no answer about it."""
        body = self._config.merchant.query_body(checkout_request_id, clock.now())
        return query_answer(await self._post(_QUERY_PATH, body), checkout_request_id)

    async def pull(self, begins: datetime, ends: datetime, offset: int = 0) -> tuple[Transaction, ...]:
        """The booked transactions of a period. Raises MpesaError when there is no whole answer."""
        return pull_answer(
            await self._post(_PULL_PATH, self._config.merchant.pull_body(begins, ends, offset))
        )

    async def register_pull(self, phone: str, callback_url: str) -> str:
        """Register the shortcode for `pull`, once in its life; returns what Daraja says. Raises MpesaError."""
        body = self._config.merchant.register_body(phone, callback_url)
        return register_answer(await self._post(_REGISTER_PATH, body))

    async def register_paybill(self, address: str) -> str:
        """Have payments to the Paybill reported below `address`; returns what Daraja says. Raises MpesaError."""
        return register_answer(await self._post(_PAYBILL_PATH, self._config.merchant.paybill_body(address)))

    async def _post(self, path: str, body: dict[str, str], trace: "_Departure | None" = None) -> Answer:
        extensions = {"trace": trace} if trace else {}
        try:
            call = self._http.post(path, json=body, auth=self._bearer, extensions=extensions)
            return Answer.of(await _measure(_OPERATIONS[path], call))
        except httpx.HTTPError as error:
            raise transport_failure(error) from error

    async def _fetch_token(self) -> Token:
        requested_at = clock.now()
        try:
            async with asyncio.timeout(TOKEN_SECONDS):
                call = self._http.get(
                    _TOKEN_PATH,
                    params={"grant_type": "client_credentials"},
                    auth=httpx.BasicAuth(self._config.consumer_key, self._config.consumer_secret),
                )
                response = await _measure("token", call)
        except TimeoutError as error:
            raise Unreachable(f"no token within {TOKEN_SECONDS:g} s") from error
        except httpx.HTTPError as error:
            failure = transport_failure(error)
            # Without a token no request for a prompt has left, however this call ended.
            if isinstance(failure, OutcomeUnknown):
                failure = Unreachable(f"no answer to the token call: {failure.detail}", failure.code)
            raise failure from error
        token = token_answer(Answer.of(response))
        return Token(token.access_token, requested_at + timedelta(seconds=token.seconds) - _RENEW_EARLY)


async def _measure(operation: str, call: Awaitable[httpx.Response]) -> httpx.Response:
    """Await a request, trace it, and count how it ended."""
    begun = time.perf_counter()
    try:
        with span(f"daraja {operation}", kind=SpanKind.CLIENT) as step:
            response = await call
            if step:
                step.set_attribute("http.response.status_code", response.status_code)
    except (httpx.HTTPError, asyncio.CancelledError):
        mpesa_requests.labels(operation, "unreachable").inc()
        mpesa_last_failure.set_to_current_time()
        raise
    # Daraja reports what it has understood with status 500 too, as JSON; a gateway in front of it that fails sends a page.
    is_answer = response.status_code < 500 or "json" in response.headers.get("content-type", "")
    mpesa_requests.labels(operation, "answered" if is_answer else "failed").inc()
    mpesa_request_seconds.labels(operation).observe(time.perf_counter() - begun)
    (mpesa_last_answer if is_answer else mpesa_last_failure).set_to_current_time()
    return response


class _Departure:
    """Notes when a request is written to its connection, and refuses that past its deadline.

    httpx reports the steps of each request. This one comes after waiting for token, pool and connection, also when the
    request is repeated after a refused token.
    """

    def __init__(self, deadline: datetime) -> None:
        self._deadline = deadline
        self.at: datetime | None = None

    async def __call__(self, step: str, _details: Mapping[str, object]) -> None:
        """Raises TooLate, which keeps httpx from writing."""
        if step != "http11.send_request_headers.started":
            return
        moment = clock.now()
        if moment > self._deadline:
            raise TooLate(f"the request could not leave before {self._deadline:%H:%M:%S}")
        self.at = moment


def config_from(settings: Settings) -> DarajaConfig:
    """The configuration in the settings; with the simulator on, its fixed credentials replace missing ones."""
    key = settings.mpesa_consumer_key.get_secret_value()
    secret = settings.mpesa_consumer_secret.get_secret_value()
    passkey = settings.mpesa_passkey.get_secret_value()
    operator = None
    if settings.mpesa_initiator:
        # Imported only where it is needed: it loads OpenSSL.
        from agency_site.mpesa.operators import encrypt_password

        password = settings.mpesa_initiator_password.get_secret_value()
        certificate = Path(settings.mpesa_certificate).read_bytes()
        operator = Operator(name=settings.mpesa_initiator, credential=encrypt_password(password, certificate))
    if settings.simulator:
        # Imported only where it runs: production on Daraja never loads the simulator.
        from agency_site.mpesa.simulator import config as simulated

        key = simulated.CONSUMER_KEY
        secret = secret or simulated.CONSUMER_SECRET
        passkey = passkey or simulated.PASSKEY
        operator = operator or Operator(name=simulated.OPERATOR, credential=simulated.CREDENTIAL)
    return DarajaConfig(
        base_url=settings.daraja_url,
        consumer_key=key,
        consumer_secret=secret,
        merchant=Merchant(
            shortcode=settings.mpesa_shortcode,
            passkey=passkey,
            party_b=settings.mpesa_party_b or settings.mpesa_shortcode,
            transaction_type=settings.mpesa_transaction_type,
        ),
        operator=operator,
        connect_timeout=settings.mpesa_connect_timeout_seconds,
        read_timeout=settings.mpesa_read_timeout_seconds,
    )


def client_from(settings: Settings, tokens: TokenStore) -> DarajaClient:
    """The client that the settings describe."""
    return DarajaClient(config_from(settings), tokens)
