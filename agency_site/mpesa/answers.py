"""Turn each answer of Daraja into a result or a named error (daraja.md, sections 1, 2.4, 2.5 and 4).

What matters is whether a prompt may be on the customer's phone. Only answers that rule it out become `NotSent`; every answer
that is not listed is `OutcomeUnknown`.
"""

from dataclasses import dataclass
from typing import Any

import httpx

from agency_site.mpesa.contract import Outcome, PushAccepted, QueryResult, ReversalAccepted, Transaction
from agency_site.mpesa.errors import (
    Misconfigured,
    MpesaError,
    OutcomeUnknown,
    RequestRefused,
    SubscriberBusy,
    Throttled,
    TokenRefused,
    Unreachable,
)
from agency_site.mpesa.loose import json_object
from agency_site.mpesa.results import query_outcome
from agency_site.mpesa.wire import (
    LONGEST_ID,
    Complaint,
    PullAnswer,
    PushAnswer,
    QueryAnswer,
    ReversalAnswer,
    TokenAnswer,
    parse_transactions,
)

_SHARED_CODE = "500.001.1001"
"""The code with at least five meanings, and the only one for which the text decides."""
_INVALID_TOKEN_CODES = frozenset({"404.001.03", "400.003.01", "401.002.01", "401.003.01"})
_THROTTLE_CODES = frozenset({"500.003.02", "500.003.03"})
# Errors before the first byte of our request was sent, so Daraja cannot have seen it.
_NOT_CONNECTED = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, parsed once."""

    status: int
    content: dict[str, Any]
    complaint: Complaint
    retry_after: float | None

    @classmethod
    def of(cls, response: httpx.Response) -> "Answer":
        """Parse the response; its body must have been read."""
        content = json_object(response.content)
        return cls(
            response.status_code,
            content,
            Complaint.read(content),
            _seconds(response.headers.get("Retry-After", "")),
        )

    @property
    def code(self) -> str:
        """Daraja's errorCode, else the HTTP status."""
        return self.complaint.code or str(self.status)

    @property
    def detail(self) -> str:
        """Daraja's text, else a plain description."""
        return self.complaint.message or f"HTTP {self.status} without a readable explanation"

    def mentions(self, *phrases: str) -> bool:
        """Return whether the message contains one of the phrases, ignoring case."""
        return any(phrase in self.complaint.message.lower() for phrase in phrases)


def _seconds(header: str) -> float | None:
    # The header may also be a date, but a payment should not depend on Daraja's clock.
    return float(header) if header.isascii() and header.isdigit() and len(header) < 7 else None


def is_token_invalid(answer: Answer) -> bool:
    """Return whether Daraja rejects the token. Then nothing was done, and one retry with a new token is safe."""
    return answer.status == 401 or answer.complaint.code in _INVALID_TOKEN_CODES


def build_error(answer: Answer) -> MpesaError:
    """Return the named error for an answer that is not a success."""
    kind = _by_code(answer) or _by_status(answer.status)
    if kind is Throttled:
        return Throttled(answer.detail, answer.code, answer.retry_after)
    return kind(answer.detail, answer.code)


def _by_code(answer: Answer) -> type[MpesaError] | None:
    code = answer.complaint.code
    if is_token_invalid(answer) or "noapiproduct" in code.lower() or answer.mentions("no apiproduct"):
        # Rejected again with a new token: the product is not enabled, or the keys belong to the other environment.
        return Misconfigured
    if code == _SHARED_CODE:
        return _shared_code(answer)
    lowered = code.lower()
    if code in _THROTTLE_CODES or answer.status == 429 or "ratelimit" in lowered or "quota" in lowered:
        return Throttled
    if code.startswith(("400.", "404.", "405.")):
        return RequestRefused
    return OutcomeUnknown if code.startswith("500.") else None


def _shared_code(answer: Answer) -> type[MpesaError]:
    if answer.mentions("unable to lock"):
        return SubscriberBusy
    if answer.mentions("wrong credentials", "merchant does not exist"):
        return Misconfigured
    return OutcomeUnknown


def _by_status(status: int) -> type[MpesaError]:
    if status in {400, 404, 405, 411, 413, 415, 422}:
        return RequestRefused
    if status == 403 or 300 <= status < 400:
        # A firewall or a redirect in front of Daraja: staff have to correct the address or the network.
        return Misconfigured
    return OutcomeUnknown


def build_transport_error(error: httpx.HTTPError) -> MpesaError:
    """Return the named error if there was no answer at all."""
    kind = Unreachable if isinstance(error, _NOT_CONNECTED) else OutcomeUnknown
    return kind(str(error) or type(error).__name__, type(error).__name__)


def read_token(answer: Answer) -> TokenAnswer:
    """Return the token in an answer. Raises Throttled or TokenRefused; in both cases no prompt was sent."""
    token = TokenAnswer.model_validate(answer.content)
    if answer.status == 200 and token.access_token:
        return token
    error = build_error(answer)
    if isinstance(error, Throttled):
        raise error
    raise TokenRefused(answer.detail, answer.code)


def read_accepted_push(answer: Answer) -> PushAccepted:
    """Return the accepted push. Raises the named error for every other answer."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise build_error(answer)
    accepted = PushAnswer.model_validate(answer.content)
    ids = (accepted.merchant_request_id, accepted.checkout_request_id)
    if accepted.response_code != "0" or not all(0 < len(request_id) <= LONGEST_ID for request_id in ids):
        raise OutcomeUnknown(accepted.response_description or "unreadable answer to a push", answer.code)
    return PushAccepted(*ids, accepted.customer_message)


def read_accepted_reversal(answer: Answer) -> ReversalAccepted:
    """Return the accepted request for a reversal. Raises the named error for every other answer."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise build_error(answer)
    accepted = ReversalAnswer.model_validate(answer.content)
    ids = (accepted.originator_id, accepted.conversation_id)
    if accepted.response_code != "0" or not all(0 < len(request_id) <= LONGEST_ID for request_id in ids):
        raise OutcomeUnknown(accepted.response_description or "unreadable answer to a reversal", answer.code)
    return ReversalAccepted(*ids)


_IN_ORDER = frozenset({"1000", "1001", "0"})
"""Codes of a registration that succeeded now or earlier."""


def read_registration(answer: Answer) -> str:
    """Return Daraja's text about the registration. Raises the named error if it was rejected."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise build_error(answer)
    stated = PullAnswer.model_validate(answer.content)
    text = f"{stated.response_description} {stated.response_message}".strip()
    if not _IN_ORDER & {stated.response_status, stated.response_code}:
        raise RequestRefused(text or "unreadable answer to a registration", stated.response_status)
    return text


def read_transactions(answer: Answer) -> tuple[Transaction, ...]:
    """Return the booked transactions. Raises the named error unless all of them can be read: a missing one counts as unpaid."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise build_error(answer)
    stated = PullAnswer.model_validate(answer.content)
    if stated.response_code not in {"1000", "0"} or not isinstance(stated.response, list):
        raise OutcomeUnknown(
            stated.response_message or "unreadable answer of the books", stated.response_code
        )
    try:
        return parse_transactions(stated.response)
    except (ValueError, RecursionError) as error:
        raise OutcomeUnknown(f"unreadable answer of the books: {error}", answer.code) from None


def read_query_result(answer: Answer, checkout_request_id: str) -> QueryResult:
    """Return the state of that prompt. Raises the named error if the answer is not about it."""
    complaint = answer.complaint
    if complaint.code == _SHARED_CODE and not answer.mentions("wrong credentials", "merchant does not exist"):
        pending = answer.mentions("being processed")
        return QueryResult(
            Outcome.PENDING if pending else Outcome.UNDECIDED, complaint.code, complaint.message
        )
    if complaint.code == "400.002.02" and answer.mentions("checkoutrequestid"):
        # The id is unknown, or the query came too soon after the push.
        return QueryResult(Outcome.UNDECIDED, complaint.code, complaint.message)
    if complaint.code or not 200 <= answer.status < 300:
        raise build_error(answer)
    stated = QueryAnswer.model_validate(answer.content)
    if not stated.result_code:
        raise OutcomeUnknown("unreadable answer to a query", answer.code)
    ours = stated.response_code == "0" and stated.checkout_request_id == checkout_request_id
    return QueryResult(
        # An answer without the id of our prompt may be about another one.
        query_outcome(stated.result_code) if ours else Outcome.UNDECIDED,
        stated.result_code,
        stated.result_desc,
        stated.merchant_request_id,
        stated.checkout_request_id,
    )
