"""The tree of errors that a visitor may see.

    SiteError                 message fit for the visitor, HTTP status
    ├── InputRejected  422    one message per field
    │   └── NotAdmitted 429   antispam.rules: a form too often or too fast
    ├── SignInRefused  401    auth.errors: unknown account, wrong password or code
    ├── FromElsewhere  403    auth.pages: a post that did not come from a page of this site
    ├── NotFound       404
    ├── Conflict       409    the state has changed: slot taken, key used with another body
    │   ├── SlotTaken         booking.rules
    │   └── StaleRecord       another person changed or removed the record since it was read
    ├── TooManyRequests 429   carries the seconds to wait
    │   └── TooManyUnfinished web.middleware.request_bodies: one address sends too many bodies at once
    ├── BodyTooSlow 408, BodyTooLarge 413   web.middleware.request_bodies
    ├── Unavailable    503    the database is away; carries the seconds to wait
    └── UpstreamFailed 502    M-Pesa or mail refused or is down
        └── PaymentFailed     checkout.rules

Errors of M-Pesa itself are in `mpesa.errors`: they describe what the gateway did, not what the visitor reads.
The most important ones are listed; each is defined beside the rule that raises it.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with one named field of a form or a JSON body."""

    field: str
    message: str


class SiteError(Exception):
    """An expected failure whose message may be shown to the visitor unchanged."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InputRejected(SiteError):
    """Invalid input; `errors` has a message for each invalid field."""

    status = 422

    def __init__(self, message: str, errors: tuple[FieldError, ...] = ()) -> None:
        super().__init__(message)
        self.errors = errors

    def by_field(self) -> dict[str, str]:
        """Return the first message of each field, as forms show them."""
        first_messages: dict[str, str] = {}
        for error in self.errors:
            first_messages.setdefault(error.field, error.message)
        return first_messages


def reject(field: str, message: str) -> InputRejected:
    """Return the error for one invalid field."""
    return InputRejected(message, (FieldError(field, message),))


class Forbidden(SiteError):
    """The request comes from a source that may not send it."""

    status = 403


class NotFound(SiteError):
    """Nothing is stored under that reference, token or path."""

    status = 404


class Conflict(SiteError):
    """The request was valid, but the state that it relied on has changed."""

    status = 409


class StaleRecord(Conflict):
    """Another person changed the record since it was read; `current` is the record now, None if it was removed."""

    def __init__(self, name: str, current: Any, reason: str = "") -> None:
        """`name` is the record's name in the message; a `reason` replaces the message."""
        super().__init__(reason or _stale(name, current))
        self.current = current


def _stale(name: str, current: Any) -> str:
    if current is None:
        return f"Another person removed {name} in the meantime. Your changes were not saved."
    state = str(getattr(current, "state", "")).replace("_", " ")
    now = f" It is {state} now." if state else ""
    return f"Another person changed {name} in the meantime.{now} Your changes were not saved."


class TooManyRequests(SiteError):
    """A limit was reached; `retry_after` is in whole seconds."""

    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(SiteError):
    """The database is away for a moment; `retry_after` is in whole seconds."""

    status = 503
    retry_after = 5


class UpstreamFailed(SiteError):
    """A service that we depend on refused or did not answer."""

    status = 502


def rejection(message: str, invalid: ValidationError) -> InputRejected:
    """Return pydantic's error as ours, without pydantic's prefix "Value error, "."""
    return InputRejected(
        message,
        tuple(
            FieldError(
                ".".join(str(part) for part in error["loc"]) or "body",
                error["msg"].removeprefix("Value error, "),
            )
            for error in invalid.errors(include_url=False, include_input=False, include_context=False)
        ),
    )
