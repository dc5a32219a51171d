"""What each answer of Daraja means: a result, or a named error (daraja.md, sections 1, 2.4, 2.5 and 4).

The question behind every line is whether a prompt may be on the customer's phone. Only answers that rule it
out become `NotSent`; whatever is not listed is `OutcomeUnknown`.
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
"""One code, at least five meanings: the only one where the text decides."""
_INVALID_TOKEN_CODES = frozenset({"404.001.03", "400.003.01", "401.002.01", "401.003.01"})
_THROTTLE_CODES = frozenset({"500.003.02", "500.003.03"})
# Made before the first byte of our request left, so Daraja cannot have seen it.
_NOT_CONNECTED = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, taken apart once."""

    status: int
    found: dict[str, Any]
    complaint: Complaint
    retry_after: float | None

    @classmethod
    def of(cls, response: httpx.Response) -> "Answer":
        """Take the response apart; its body must have been read."""
        found = json_object(response.content)
        return cls(
            response.status_code,
            found,
            Complaint.read(found),
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
        """Whether the message contains one of the phrases, in any letter case."""
        return any(phrase in self.complaint.message.lower() for phrase in phrases)


def _seconds(header: str) -> float | None:
    # The other form of the header, a date, says nothing on which a payment should depend.
    return float(header) if header.isascii() and header.isdigit() and len(header) < 7 else None


def token_is_invalid(answer: Answer) -> bool:
    """Whether Daraja refuses the token, so that a fresh one and one repeat are in order: nothing was done."""
    return answer.status == 401 or answer.complaint.code in _INVALID_TOKEN_CODES


def refusal(answer: Answer) -> MpesaError:
    """The named error for an answer that is no success."""
    kind = _by_code(answer) or _by_status(answer.status)
    if kind is Throttled:
        return Throttled(answer.detail, answer.code, answer.retry_after)
    return kind(answer.detail, answer.code)


def _by_code(answer: Answer) -> type[MpesaError] | None:
    code = answer.complaint.code
    if token_is_invalid(answer) or "noapiproduct" in code.lower() or answer.mentions("no apiproduct"):
        # A second refusal after a fresh token: product not enabled, or keys of the other environment.
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
        # A firewall or a redirect in front of Daraja: the address or the network needs mending.
        return Misconfigured
    return OutcomeUnknown


def transport_failure(error: httpx.HTTPError) -> MpesaError:
    """The named error when no answer came at all."""
    kind = Unreachable if isinstance(error, _NOT_CONNECTED) else OutcomeUnknown
    return kind(str(error) or type(error).__name__, type(error).__name__)


def token_answer(answer: Answer) -> TokenAnswer:
    """The token in an answer. Raises Throttled or TokenRefused; either way no prompt was sent."""
    token = TokenAnswer.model_validate(answer.found)
    if answer.status == 200 and token.access_token:
        return token
    error = refusal(answer)
    if isinstance(error, Throttled):
        raise error
    raise TokenRefused(answer.detail, answer.code)


def push_answer(answer: Answer) -> PushAccepted:
    """The accepted push. Raises the named error for every other answer."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise refusal(answer)
    taken = PushAnswer.model_validate(answer.found)
    ids = (taken.merchant_request_id, taken.checkout_request_id)
    if taken.response_code != "0" or not all(0 < len(one) <= LONGEST_ID for one in ids):
        raise OutcomeUnknown(taken.response_description or "unreadable answer to a push", answer.code)
    return PushAccepted(*ids, taken.customer_message)


def reversal_answer(answer: Answer) -> ReversalAccepted:
    """The accepted request for a reversal. Raises the named error for every other answer."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise refusal(answer)
    taken = ReversalAnswer.model_validate(answer.found)
    ids = (taken.originator_id, taken.conversation_id)
    if taken.response_code != "0" or not all(0 < len(one) <= LONGEST_ID for one in ids):
        raise OutcomeUnknown(taken.response_description or "unreadable answer to a reversal", answer.code)
    return ReversalAccepted(*ids)


_IN_ORDER = frozenset({"1000", "1001", "0"})
"""Codes of a registration that was made, or made before."""


def register_answer(answer: Answer) -> str:
    """What Daraja says of the registration. Raises the named error when it is refused."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise refusal(answer)
    stated = PullAnswer.model_validate(answer.found)
    text = f"{stated.response_description} {stated.response_message}".strip()
    if not _IN_ORDER & {stated.response_status, stated.response_code}:
        raise RequestRefused(text or "unreadable answer to a registration", stated.response_status)
    return text


def pull_answer(answer: Answer) -> tuple[Transaction, ...]:
    """The booked transactions. Raises the named error unless the whole answer can be read: what is not in it counts as
    not paid."""
    if answer.complaint.code or not 200 <= answer.status < 300:
        raise refusal(answer)
    stated = PullAnswer.model_validate(answer.found)
    if stated.response_code not in {"1000", "0"} or not isinstance(stated.response, list):
        raise OutcomeUnknown(
            stated.response_message or "unreadable answer of the books", stated.response_code
        )
    try:
        return parse_transactions(stated.response)
    except (ValueError, RecursionError) as error:
        raise OutcomeUnknown(f"unreadable answer of the books: {error}", answer.code) from None


def query_answer(answer: Answer, checkout_request_id: str) -> QueryResult:
    """The state of that prompt. Raises the named error when the answer says nothing about it."""
    complaint = answer.complaint
    if complaint.code == _SHARED_CODE and not answer.mentions("wrong credentials", "merchant does not exist"):
        pending = answer.mentions("being processed")
        return QueryResult(
            Outcome.PENDING if pending else Outcome.UNDECIDED, complaint.code, complaint.message
        )
    if complaint.code == "400.002.02" and answer.mentions("checkoutrequestid"):
        # An unknown id, or a query too soon after the push.
        return QueryResult(Outcome.UNDECIDED, complaint.code, complaint.message)
    if complaint.code or not 200 <= answer.status < 300:
        raise refusal(answer)
    stated = QueryAnswer.model_validate(answer.found)
    if not stated.result_code:
        raise OutcomeUnknown("unreadable answer to a query", answer.code)
    ours = stated.response_code == "0" and stated.checkout_request_id == checkout_request_id
    return QueryResult(
        # Only an answer that names our prompt says anything about it.
        query_outcome(stated.result_code) if ours else Outcome.UNDECIDED,
        stated.result_code,
        stated.result_desc,
        stated.merchant_request_id,
        stated.checkout_request_id,
    )
