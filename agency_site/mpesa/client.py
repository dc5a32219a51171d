"""The client of Daraja for prompts, status queries, reversals and M-Pesa's books. It never resends a request blindly."""

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
    build_transport_error,
    read_accepted_push,
    read_accepted_reversal,
    read_query_result,
    read_registration,
    read_token,
    read_transactions,
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
"""The names of the operations in metrics."""
TOKEN_SECONDS = 10.0
"""The total time for the token call, short because other workers wait for it."""
_RENEW_EARLY = timedelta(seconds=60)
"""A token is not used in its last minute (daraja.md, section 1)."""


@dataclass(frozen=True)
class DarajaConfig:
    """The address of Daraja and our credentials. Times are in seconds."""

    base_url: str
    consumer_key: str = field(repr=False)
    consumer_secret: str = field(repr=False)
    merchant: Merchant
    operator: Operator | None = None
    """None if payments are not reversed from here."""
    connect_timeout: float = 5.0
    read_timeout: float = 20.0


class DarajaClient:
    """The gateway over HTTP. It has one connection pool: use it in one event loop, and close it with `aclose`."""

    def __init__(
        self, config: DarajaConfig, tokens: TokenStore, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._config = config
        self._http = httpx.AsyncClient(
            base_url=config.base_url,
            timeout=httpx.Timeout(config.read_timeout, connect=config.connect_timeout),
            transport=transport,
            # Proxies come from our settings only, not from environment variables such as HTTPS_PROXY.
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
        """Send a prompt, once. Raises `NotSent` (certainly no prompt) or `OutcomeUnknown` (possibly one)."""
        body = self._config.merchant.push_body(request, clock.now())
        departure = _Departure(request.deadline)
        try:
            accepted = read_accepted_push(await self._post(_PUSH_PATH, body, departure))
        except OutcomeUnknown as error:
            error.sent_at = departure.at
            raise
        return replace(accepted, sent_at=departure.at)

    async def reverse(self, request: ReversalRequest) -> ReversalAccepted:
        """Request the reversal of a payment, once. Raises `NotSent` (certainly not requested) or `OutcomeUnknown` (possibly)."""
        operator = self._config.operator
        if operator is None:
            raise Misconfigured("no API operator is in the settings")
        body = self._config.merchant.reversal_body(request, operator)
        return read_accepted_reversal(await self._post(_REVERSAL_PATH, body, _Departure(request.deadline)))

    async def query(self, checkout_request_id: str) -> QueryResult:
        """Return the state of a prompt. Raises MpesaError if there is no answer about it."""
        body = self._config.merchant.query_body(checkout_request_id, clock.now())
        return read_query_result(await self._post(_QUERY_PATH, body), checkout_request_id)

    async def pull(self, begins: datetime, ends: datetime, offset: int = 0) -> tuple[Transaction, ...]:
        """Return the booked transactions of a period. Raises MpesaError if the answer is not complete."""
        return read_transactions(
            await self._post(_PULL_PATH, self._config.merchant.pull_body(begins, ends, offset))
        )

    async def register_pull(self, phone: str, callback_url: str) -> str:
        """Register the shortcode for `pull`, once for ever. Returns Daraja's text. Raises MpesaError."""
        body = self._config.merchant.register_body(phone, callback_url)
        return read_registration(await self._post(_REGISTER_PATH, body))

    async def register_paybill(self, address: str) -> str:
        """Register `address` for reports of payments to the Paybill. Returns Daraja's text. Raises MpesaError."""
        return read_registration(await self._post(_PAYBILL_PATH, self._config.merchant.paybill_body(address)))

    async def _post(self, path: str, body: dict[str, str], trace: "_Departure | None" = None) -> Answer:
        extensions = {"trace": trace} if trace else {}
        try:
            call = self._http.post(path, json=body, auth=self._bearer, extensions=extensions)
            return Answer.of(await _measure(_OPERATIONS[path], call))
        except httpx.HTTPError as error:
            raise build_transport_error(error) from error

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
            failure = build_transport_error(error)
            # Without a token no prompt was requested, however this call failed.
            if isinstance(failure, OutcomeUnknown):
                failure = Unreachable(f"no answer to the token call: {failure.detail}", failure.code)
            raise failure from error
        token = read_token(Answer.of(response))
        return Token(token.access_token, requested_at + timedelta(seconds=token.seconds) - _RENEW_EARLY)


async def _measure(operation: str, call: Awaitable[httpx.Response]) -> httpx.Response:
    """Await a request, trace it, and count its outcome."""
    started = time.perf_counter()
    try:
        with span(f"daraja {operation}", kind=SpanKind.CLIENT) as step:
            response = await call
            if step:
                step.set_attribute("http.response.status_code", response.status_code)
    except (httpx.HTTPError, asyncio.CancelledError):
        mpesa_requests.labels(operation, "unreachable").inc()
        mpesa_last_failure.set_to_current_time()
        raise
    # Daraja's own answers may have status 500 too, but are JSON. A failing gateway in front of Daraja sends an HTML page.
    is_answer = response.status_code < 500 or "json" in response.headers.get("content-type", "")
    mpesa_requests.labels(operation, "answered" if is_answer else "failed").inc()
    mpesa_request_seconds.labels(operation).observe(time.perf_counter() - started)
    (mpesa_last_answer if is_answer else mpesa_last_failure).set_to_current_time()
    return response


class _Departure:
    """Records the time at which a request is written to its connection, and refuses to write it after its deadline.

    httpx reports the steps of each request. The step used here follows the waits for token, pool and connection, also if the
    request is repeated after a rejected token.
    """

    def __init__(self, deadline: datetime) -> None:
        self._deadline = deadline
        self.at: datetime | None = None

    async def __call__(self, step: str, _details: Mapping[str, object]) -> None:
        """Handle a step of httpx. Raises TooLate, which stops httpx from writing."""
        if step != "http11.send_request_headers.started":
            return
        moment = clock.now()
        if moment > self._deadline:
            raise TooLate(f"the request could not leave before {self._deadline:%H:%M:%S}")
        self.at = moment


def config_from(settings: Settings) -> DarajaConfig:
    """Return the configuration in the settings. If the simulator is on, its fixed credentials replace missing ones."""
    key = settings.mpesa_consumer_key.get_secret_value()
    secret = settings.mpesa_consumer_secret.get_secret_value()
    passkey = settings.mpesa_passkey.get_secret_value()
    operator = None
    if settings.mpesa_initiator:
        # Imported only if needed, because it loads OpenSSL.
        from agency_site.mpesa.operators import encrypt_password

        password = settings.mpesa_initiator_password.get_secret_value()
        certificate = Path(settings.mpesa_certificate).read_bytes()
        operator = Operator(name=settings.mpesa_initiator, credential=encrypt_password(password, certificate))
    if settings.simulator:
        # Imported only if it runs: production with Daraja never loads the simulator.
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
    """Return the client with the configuration in the settings."""
    return DarajaClient(config_from(settings), tokens)
