"""Prepared answers of Daraja for the client's tests."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx

from agency_site.mpesa.client import DarajaClient, DarajaConfig, MemoryTokenStore
from agency_site.mpesa.contract import PushRequest
from agency_site.mpesa.wire import Merchant

MERCHANT = Merchant(
    shortcode="174379", passkey="pass", party_b="174379", transaction_type="CustomerPayBillOnline"
)
CONFIG = DarajaConfig("https://daraja.example/base", "key", "secret", MERCHANT)
FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
"""A deadline that no test reaches."""
PUSH = PushRequest("254712345678", 1500, "OR7F3K9Q", "Course fee", "https://site.example/hooks/1", FOREVER)
TAKEN = {
    "MerchantRequestID": "7c1a-1",
    "CheckoutRequestID": "ws_CO_1",
    "ResponseCode": "0",
    "ResponseDescription": "Success. Request accepted for processing",
    "CustomerMessage": "Success. Request accepted for processing",
}
SETTLED = {
    "ResponseCode": "0",
    "ResponseDescription": "The service request has been accepted successfully",
    "MerchantRequestID": "7c1a-1",
    "CheckoutRequestID": "ws_CO_1",
    "ResultCode": "0",
    "ResultDesc": "The service request is processed successfully.",
}
HTML = httpx.Response(503, html="<html>Incapsula incident</html>")
SPIKE = {
    "fault": {
        "faultstring": "Spike arrest violation.",
        "detail": {"errorcode": "policies.ratelimit.SpikeArrestViolation"},
    }
}
NO_PRODUCT = {
    "fault": {"faultstring": "Invalid API call as no apiproduct match found", "detail": {"errorcode": "x"}}
}


WORK: tuple[Callable[[DarajaClient], Any], ...] = (
    lambda client: client.push(PUSH),
    lambda client: client.query("ws_CO_1"),
)


class Daraja:
    """Prepared answers; a token for every token call; remembers the calls."""

    def __init__(self, *answers: httpx.Response | Exception, tokens: list[Any] | None = None) -> None:
        self.answers = list(answers)
        self.tokens: list[Any] = tokens or []
        self.calls: list[httpx.Request] = []
        self.bearers: list[str] = []
        self.token_calls: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if "oauth" in request.url.path:
            self.token_calls.append(request)
            answer = self.tokens.pop(0) if self.tokens else token(f"t{len(self.token_calls)}")
        else:
            self.calls.append(request)
            # Noted now: a repeat is the same request object with another header.
            self.bearers.append(request.headers["Authorization"])
            answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def client(self) -> DarajaClient:
        return DarajaClient(CONFIG, MemoryTokenStore(), httpx.MockTransport(self))


def token(value: str, expires: object = "3599") -> httpx.Response:
    return httpx.Response(200, json={"access_token": value, "expires_in": expires})


def complaint(status: int, code: str, message: str = "") -> httpx.Response:
    return httpx.Response(status, json={"requestId": "1", "errorCode": code, "errorMessage": message})
