"""The tree of errors that a visitor may see.

    SiteError                 message fit for the visitor, HTTP status
    ├── InputRejected  422    one message per field
    │   └── NotAdmitted 429   antispam.rules: a form too often or too fast
    ├── SignInRefused  401    auth.errors: unknown account, wrong password or code
    ├── FromElsewhere  403    auth.pages: a post that no page of ours sent
    ├── NotFound       404
    ├── Conflict       409    the state has changed: slot taken, key used with another body
    │   ├── SlotTaken         booking.rules
    │   └── StaleRecord       somebody else changed or removed the record since it was read
    ├── TooManyRequests 429   carries the seconds to wait
    │   └── TooManyUnfinished web.middleware.request_bodies: one address sends too many bodies at once
    ├── BodyTooSlow 408, BodyTooLarge 413   web.middleware.request_bodies
    ├── Unavailable    503    the database is away; carries the seconds to wait
    └── UpstreamFailed 502    M-Pesa or mail refused or is down
        └── PaymentFailed     checkout.rules

Errors of M-Pesa itself live in `mpesa.errors`: they describe what the gateway did, not what the visitor reads.
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
    """Input that does not fit; `errors` says what is wrong with which field."""

    status = 422

    def __init__(self, message: str, errors: tuple[FieldError, ...] = ()) -> None:
        super().__init__(message)
        self.errors = errors

    def by_field(self) -> dict[str, str]:
        """The first message of each field, as forms show them."""
        found: dict[str, str] = {}
        for error in self.errors:
            found.setdefault(error.field, error.message)
        return found


class Forbidden(SiteError):
    """The request comes from where it may not come from."""

    status = 403


class NotFound(SiteError):
    """Nothing is stored under that reference, token or path."""

    status = 404


class Conflict(SiteError):
    """The request was valid, but the state that it relied on has changed."""

    status = 409


class StaleRecord(Conflict):
    """Somebody else changed the record since it was read; `current` is the record now, None when it was removed."""

    def __init__(self, name: str, current: Any, reason: str = "") -> None:
        """Say it of the record called `name`, or give the `reason` instead."""
        super().__init__(reason or _stale(name, current))
        self.current = current


def _stale(name: str, current: Any) -> str:
    if current is None:
        return f"Somebody else removed {name} in the meantime. Your changes were not saved."
    state = str(getattr(current, "state", "")).replace("_", " ")
    now = f" It is {state} now." if state else ""
    return f"Somebody else changed {name} in the meantime.{now} Your changes were not saved."


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
    """Turn pydantic's complaint into ours; pydantic's "Value error, " prefix is dropped."""
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
