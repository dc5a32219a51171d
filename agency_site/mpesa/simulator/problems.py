"""Failures in all forms: those of Daraja and of its gateway, HTML, and empty answers (daraja.md, 2.4)."""

import secrets

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

from agency_site.mpesa.simulator.switches import Fault

_INCAPSULA = (
    "<html><head><title>Request unsuccessful</title></head><body>Request unsuccessful. "
    "Incapsula incident ID: 1234000560012345678-90123456789012345</body></html>"
)


class Refused(Exception):
    """A request that Daraja rejects with an error in its own form."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code, message)
        self.status = status
        self.code = code
        self.message = message

    def response(self) -> Response:
        """Return the HTTP answer."""
        request_id = f"{secrets.token_hex(2)}-{secrets.token_hex(2)}-{secrets.randbelow(90_000) + 10_000}"
        body = {"requestId": request_id, "errorCode": self.code, "errorMessage": self.message}
        return JSONResponse(body, status_code=self.status)


def invalid_field(name: str) -> Refused:
    """Return the error for a missing or invalid field."""
    return Refused(400, "400.002.02", f"Bad Request - Invalid {name}")


INVALID_TOKEN = Refused(404, "404.001.03", "Invalid Access Token")
INVALID_HEADER = Refused(404, "404.001.04", "Invalid Authentication Header")
INVALID_PAYLOAD = Refused(400, "400.002.05", "Invalid Request Payload")
NO_MERCHANT = Refused(500, "500.001.1001", "Merchant does not exist")
WRONG_CREDENTIALS = Refused(500, "500.001.1001", "Wrong credentials")
LOCKED = Refused(
    500,
    "500.001.1001",
    "Unable to lock subscriber, a transaction is already in process for the current subscriber",
)
BEING_PROCESSED = Refused(500, "500.001.1001", "The transaction is being processed")
NOISE = Refused(500, "500.001.1001", "The transaction does not Exist")

_OWN_SHAPE = {
    Fault.INVALID_TOKEN: INVALID_TOKEN,
    Fault.WRONG_CREDENTIALS: WRONG_CREDENTIALS,
    Fault.NO_MERCHANT: NO_MERCHANT,
    Fault.INTERNAL_ERROR: Refused(500, "500.003.1001", "Internal Server Error"),
    Fault.BUSY: Refused(500, "500.003.02", "System is busy. Please try again in few minutes."),
    Fault.SPIKE: Refused(500, "500.003.02", "Error Occurred: Spike Arrest Violation"),
    Fault.QUOTA: Refused(500, "500.003.03", "Quota Violation"),
    Fault.UNKNOWN_TEXT: Refused(500, "500.001.1001", "An error without a name"),
}


def _gateway_fault(status: int, text: str, code: str) -> Response:
    """Return an error of the gateway in front of Daraja."""
    return JSONResponse({"fault": {"faultstring": text, "detail": {"errorcode": code}}}, status_code=status)


def rate_limited() -> Response:
    """Return the gateway's raw rate limit, with the figures of the sandbox (daraja.md, section 4)."""
    rate = "MessageRate{messagesPerPeriod=5, periodInMicroseconds=60000000, maxBurstMessageCount=1.0}"
    answer = _gateway_fault(
        429, f"Spike arrest violation. Allowed rate : {rate}", "policies.ratelimit.SpikeArrestViolation"
    )
    answer.headers["Retry-After"] = "12"
    return answer


class _Dropped(Response):
    """An answer whose connection closes before a byte of the body is sent."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Announce a body but send none: the server then closes the connection."""
        headers = [(b"content-type", b"application/json"), (b"content-length", b"100")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": True})


def build_faulty_response(fault: Fault) -> Response:
    """Return the answer of a fault, which replaces the real one."""
    if fault in _OWN_SHAPE:
        return _OWN_SHAPE[fault].response()
    if fault is Fault.RATE_LIMIT:
        return rate_limited()
    if fault is Fault.NO_PRODUCT:
        return _gateway_fault(
            401,
            "Invalid API call as no apiproduct match found",
            "keymanagement.service.InvalidAPICallAsNoApiProductMatchFound",
        )
    if fault is Fault.GATEWAY_TIMEOUT:
        return _gateway_fault(504, "Gateway Timeout", "messaging.adaptors.http.flow.GatewayTimeout")
    if fault is Fault.DROP:
        return _Dropped()
    return _build_plain_response(fault)


def _build_plain_response(fault: Fault) -> Response:
    plain = {
        Fault.HTML_503: HTMLResponse(_INCAPSULA, status_code=503),
        Fault.HTML_403: HTMLResponse(_INCAPSULA, status_code=403),
        Fault.HTML_200: HTMLResponse(_INCAPSULA, status_code=200),
        Fault.BAD_GATEWAY: HTMLResponse("<html><body>502 Bad Gateway</body></html>", status_code=502),
        Fault.EMPTY_500: Response(status_code=500),
        Fault.EMPTY_400: Response(status_code=400),
        Fault.EMPTY_200: Response(status_code=200),
    }
    return plain[fault]
