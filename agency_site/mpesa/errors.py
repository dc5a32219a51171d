"""The errors of M-Pesa, by what is certain about the prompt after a failed call (daraja.md, section 2.5).

MpesaError
├── NotSent                certainly no prompt on any phone
│   ├── TokenRefused       wrong key or secret, firewall in front of the token call
│   ├── RequestRefused     400, 404, 405: our bug or bad input, never resend unchanged
│   ├── Misconfigured      wrong credentials, merchant does not exist: alert staff
│   ├── SubscriberBusy     another prompt is open on that phone: wait at least 60 s
│   ├── Throttled          system busy, spike arrest, quota, 429: back off
│   ├── Unreachable        no connection was made
│   └── TooLate            its deadline passed before the request could be written
├── OutcomeUnknown         a prompt may have been sent: never resend, wait for callback and query
└── MalformedCallback      the body of a callback cannot be read
"""

from datetime import datetime


class MpesaError(Exception):
    """Base class; `code` is Daraja's errorCode or the HTTP status, `detail` its text for logs and staff."""

    def __init__(self, detail: str, code: str = "") -> None:
        super().__init__(f"{code} {detail}".strip())
        self.code = code
        self.detail = detail


class NotSent(MpesaError):
    """Certainly no prompt was sent, so a later attempt cannot charge twice."""


class TokenRefused(NotSent):
    """Daraja gave no access token."""


class RequestRefused(NotSent):
    """Daraja rejected the request itself as invalid."""


class Misconfigured(NotSent):
    """Shortcode, passkey or product is wrong; only staff can correct it."""


class SubscriberBusy(NotSent):
    """Another prompt or session is open on that phone."""


class Throttled(NotSent):
    """Daraja is busy or limits our rate; `retry_after` is in seconds, or None if Daraja names no time."""

    def __init__(self, detail: str, code: str = "", retry_after: float | None = None) -> None:
        super().__init__(detail, code)
        self.retry_after = retry_after


class Unreachable(NotSent):
    """No connection could be made."""


class TooLate(NotSent):
    """The deadline passed while the request waited for a token or a connection, or the process was frozen."""


class OutcomeUnknown(MpesaError):
    """The request may have arrived: read timeout, connection reset, 502, 503, 504, unreadable answer."""

    sent_at: datetime | None = None
    """The time at which a push was written to the connection; None if unknown."""


class MalformedCallback(MpesaError):
    """The body is not a callback of Daraja."""
