"""What the rest of the product uses of M-Pesa: the gateway, its requests, its results.

Errors are in `mpesa.errors`. The real client (`mpesa.client.DarajaClient`) is used in every environment;
without Daraja credentials it talks to `mpesa.simulator` over HTTP.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Protocol

from pydantic import Field, StringConstraints
from pydantic.dataclasses import dataclass as checked_dataclass

Phone = Annotated[str, StringConstraints(strict=True, pattern="^254[17][0-9]{8}$")]
Shillings = Annotated[int, Field(strict=True, ge=1)]
Reference = Annotated[str, StringConstraints(strict=True, pattern="^[A-Z0-9]{1,12}$")]
Description = Annotated[str, StringConstraints(strict=True, pattern="^[A-Za-z0-9 ]{1,13}$")]
CallbackUrl = Annotated[str, StringConstraints(strict=True, pattern=r"^https?://[^\s/]+/[^\s]*$")]


@checked_dataclass(frozen=True)
class PushRequest:
    """A prompt to send to a phone (daraja.md, section 2.1). Raises ValueError when a field does not fit."""

    phone: Phone
    """Payer, 12 digits: 2547… or 2541…"""
    amount: Shillings
    """Whole Kenyan shillings; how much at most is a setting and the checkout's business."""
    reference: Reference
    """Shown on the phone; 1 to 12 capital letters and digits."""
    description: Description
    """1 to 13 letters, digits and spaces."""
    callback_url: CallbackUrl
    """Carries our secret and our own id of this attempt: the only value of ours that ever comes back."""
    deadline: datetime
    """Past it the request is not written to the connection any more."""


Receipt = Annotated[str, StringConstraints(strict=True, pattern="^[A-Z0-9]{1,20}$")]


@checked_dataclass(frozen=True)
class ReversalRequest:
    """A payment to return to its payer (daraja.md, section 9). Raises ValueError when a field does not fit."""

    receipt: Receipt
    """Of the payment."""
    amount: Shillings
    """All of it: M-Pesa returns whole payments."""
    callback_url: CallbackUrl
    """As in a push."""
    deadline: datetime
    """As in a push."""


@dataclass(frozen=True)
class ReversalAccepted:
    """Daraja took the request. Never means that money was returned: that follows over the callback address."""

    originator_id: str
    conversation_id: str


@dataclass(frozen=True)
class PushAccepted:
    """Daraja took the request: a prompt is on its way. Never means paid."""

    merchant_request_id: str
    checkout_request_id: str
    """Personal data: it contains the customer's number."""
    customer_message: str
    sent_at: datetime | None = None
    """When the request was written to the connection; none: not known."""


class Outcome(StrEnum):
    """What a result code says about one prompt, or about returning its payment."""

    PAID = "paid"
    PENDING = "pending"
    """Not decided yet (4999 and the older forms)."""
    CANCELLED = "cancelled"
    """The customer declined on the phone (1032)."""
    EXPIRED = "expired"
    """Nobody answered in time (1037, 1019)."""
    FAILED = "failed"
    """Refused for good: balance, PIN, limits, configuration."""
    RETURNED = "returned"
    """The payment went back to its payer."""
    UNDECIDED = "undecided"
    """Says nothing about the payment: noise, unknown id, unknown code in a query. Query again later."""


@dataclass(frozen=True)
class QueryResult:
    """The answer to a status query (daraja.md, section 4). It carries no receipt and no amount."""

    outcome: Outcome
    result_code: str
    description: str
    merchant_request_id: str = ""
    checkout_request_id: str = ""


@dataclass(frozen=True)
class Callback:
    """Daraja's callback, read loosely (daraja.md, sections 3 and 9). Even a success may lack amount or receipt.

    Of a reversal the ids are OriginatorConversationID and ConversationID, and `receipt` is the reversal's own.
    """

    merchant_request_id: str
    checkout_request_id: str
    result_code: str
    description: str
    outcome: Outcome
    amount: Decimal | None = None
    receipt: str = ""
    paid_at: datetime | None = None
    reverses: str = ""
    """The receipt of the payment that a reversal returns; empty: not stated, or no reversal."""


@dataclass(frozen=True)
class Transaction:
    """One transaction in M-Pesa's books (Pull Transactions, daraja.md, section 4), read loosely."""

    receipt: str
    at: datetime | None
    """When M-Pesa booked it; none: not stated."""
    phone: str
    """The payer's, with digits masked; empty: not stated."""
    amount: Decimal | None
    bill_reference: str
    """Our account reference, or what somebody typed who paid by hand; capital letters and digits only."""
    short_code: str = ""
    """Of the account that was paid to; empty: not stated, so that it is ours."""
    is_return: bool = False
    """Money of a payment that goes back to its payer: nothing was received."""


@dataclass(frozen=True)
class ReturnedPayment:
    """Money of a payment that M-Pesa has returned to its payer, as its books or a callback show it."""

    receipt: str
    """Of the return itself."""
    at: datetime | None
    """When M-Pesa booked it; none: not stated."""
    amount: Decimal | None
    originals: frozenset[str]
    """The receipts that it names: one is that of the payment."""
    linked: str = ""
    """The one that a field for it states; empty: none does, and some of the others may be other words."""
    account: str = ""
    """The account number of the payment, capital letters and digits only; empty: not stated."""


class Verdict(StrEnum):
    """Our answer to M-Pesa, which asks before it takes a payment that somebody makes to our Paybill by hand."""

    ACCEPTED = "0"
    WRONG_ACCOUNT = "C2B00012"
    WRONG_AMOUNT = "C2B00013"


PAYBILL_PATH = "/api/paybill"
"""Where M-Pesa reports payments to our Paybill, without the words that it refuses in addresses (daraja.md, section 2.2)."""


@dataclass(frozen=True)
class Token:
    """An access token of Daraja and the moment it should no longer be used (already 60 s early)."""

    value: str
    use_until: datetime


class TokenStore(Protocol):
    """Keeps one token per app for all processes: a new token may kill the old one (daraja.md, section 1)."""

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        """A usable token; calls `fetch` once at a time over all workers, also if the kept one is `stale`."""
        ...


class Reversals(Protocol):
    """Returning payments."""

    async def reverse(self, request: ReversalRequest) -> ReversalAccepted:
        """Ask for the return of a payment. Raises `mpesa.errors.NotSent` (surely not asked) or `OutcomeUnknown` (maybe asked)."""
        ...


class Gateway(Protocol):
    """The two calls about a prompt."""

    async def push(self, request: PushRequest) -> PushAccepted:
        """Send a prompt. Raises `mpesa.errors.NotSent` (surely no prompt) or `OutcomeUnknown` (maybe one)."""
        ...

    async def query(self, checkout_request_id: str) -> QueryResult:
        """The state of a prompt. Raises `mpesa.errors.MpesaError` when there is no answer at all."""
        ...


class Books(Protocol):
    """M-Pesa's own list of transactions."""

    async def pull(self, begins: datetime, ends: datetime, offset: int = 0) -> tuple[Transaction, ...]:
        """The booked transactions of a period of the last 48 hours, without the first `offset`.

        Raises `mpesa.errors.MpesaError` when there is no whole answer.
        """
        ...
