"""The interface of M-Pesa for the rest of the product: the gateway, its requests and its results.

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
    """A prompt to send to a phone (daraja.md, section 2.1). Raises ValueError for an invalid field."""

    phone: Phone
    """The payer's number, 12 digits: 2547… or 2541…"""
    amount: Shillings
    """Whole Kenyan shillings; checkout enforces the maximum."""
    reference: Reference
    """The account reference on the phone, 1 to 12 capital letters and digits."""
    description: Description
    """1 to 13 letters, digits and spaces."""
    callback_url: CallbackUrl
    """Contains our secret and our own id of this attempt. It is our only value that Daraja sends back."""
    deadline: datetime
    """After this time the request is not written to the connection any more."""


Receipt = Annotated[str, StringConstraints(strict=True, pattern="^[A-Z0-9]{1,20}$")]


@checked_dataclass(frozen=True)
class ReversalRequest:
    """A payment to reverse (daraja.md, section 9). Raises ValueError for an invalid field."""

    receipt: Receipt
    """The receipt of the payment."""
    amount: Shillings
    """The full amount: M-Pesa reverses only whole payments."""
    callback_url: CallbackUrl
    """The address for the result, like that of a push."""
    deadline: datetime
    """The latest time for writing the request, like that of a push."""


@dataclass(frozen=True)
class ReversalAccepted:
    """Daraja accepted the request. It does not mean that money was refunded: the result follows as a callback."""

    originator_id: str
    conversation_id: str


@dataclass(frozen=True)
class PushAccepted:
    """Daraja accepted the request, and a prompt is on its way. It does not mean paid."""

    merchant_request_id: str
    checkout_request_id: str
    """Personal data: it contains the customer's number."""
    customer_message: str
    sent_at: datetime | None = None
    """The time at which the request was written to the connection; None if unknown."""


class Outcome(StrEnum):
    """The meaning of a result code for a prompt, or for a reversal."""

    PAID = "paid"
    PENDING = "pending"
    """Not decided yet (4999 and the older forms)."""
    CANCELLED = "cancelled"
    """The customer declined on the phone (1032)."""
    EXPIRED = "expired"
    """The customer did not answer in time (1037, 1019)."""
    FAILED = "failed"
    """Rejected for good: balance, PIN, limits, configuration."""
    RETURNED = "returned"
    """The payment was reversed."""
    UNDECIDED = "undecided"
    """No statement about the payment: noise, unknown id, unknown code in a query. Query again later."""


@dataclass(frozen=True)
class QueryResult:
    """The answer to a status query (daraja.md, section 4). It contains no receipt and no amount."""

    outcome: Outcome
    result_code: str
    description: str
    merchant_request_id: str = ""
    checkout_request_id: str = ""


@dataclass(frozen=True)
class Callback:
    """Daraja's callback, parsed leniently (daraja.md, sections 3 and 9). Even a success may lack its amount or receipt.

    For a reversal the ids are OriginatorConversationID and ConversationID, and `receipt` is that of the reversal.
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
    """The receipt of the reversed payment; empty if not stated, or for a prompt."""


@dataclass(frozen=True)
class Transaction:
    """A transaction in M-Pesa's books (Pull Transactions, daraja.md, section 4), parsed leniently."""

    receipt: str
    at: datetime | None
    """The time of M-Pesa's booking; None if not stated."""
    phone: str
    """The payer's number with digits masked; empty if not stated."""
    amount: Decimal | None
    bill_reference: str
    """Our account reference, or the account number that a payer entered by hand; capital letters and digits only."""
    short_code: str = ""
    """The short code of the account that was paid; empty if not stated, and then it is ours."""
    is_return: bool = False
    """True for a reversal: nothing was received."""


@dataclass(frozen=True)
class ReturnedPayment:
    """A reversed payment, as M-Pesa's books or a callback show it."""

    receipt: str
    """The receipt of the reversal itself."""
    at: datetime | None
    """The time of M-Pesa's booking; None if not stated."""
    amount: Decimal | None
    originals: frozenset[str]
    """The receipts that the reversal may mean; one is that of the payment."""
    linked: str = ""
    """The receipt in the field for it; empty if there is none, and then some `originals` may be ordinary words."""
    account: str = ""
    """The account number of the payment, capital letters and digits only; empty if not stated."""


class Verdict(StrEnum):
    """Our answer to the validation request that M-Pesa sends before it accepts a payment by hand to our Paybill."""

    ACCEPTED = "0"
    WRONG_ACCOUNT = "C2B00012"
    WRONG_AMOUNT = "C2B00013"


PAYBILL_PATH = "/api/paybill"
"""The path for M-Pesa's reports of payments to our Paybill. It avoids the words that M-Pesa rejects (daraja.md, section 2.2)."""


@dataclass(frozen=True)
class Token:
    """An access token of Daraja and the time after which it should not be used (60 s before it ends)."""

    value: str
    use_until: datetime


class TokenStore(Protocol):
    """Stores one token per app for all processes: a new token may invalidate the old one (daraja.md, section 1)."""

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        """Return a usable token. Only one worker at a time calls `fetch`, also if the stored token is `stale`."""
        ...


class Reversals(Protocol):
    """The call that reverses a payment."""

    async def reverse(self, request: ReversalRequest) -> ReversalAccepted:
        """Request a reversal. Raises `mpesa.errors.NotSent` (certainly not requested) or `OutcomeUnknown` (possibly)."""
        ...


class Gateway(Protocol):
    """The two calls about a prompt."""

    async def push(self, request: PushRequest) -> PushAccepted:
        """Send a prompt. Raises `mpesa.errors.NotSent` (certainly no prompt) or `OutcomeUnknown` (possibly one)."""
        ...

    async def query(self, checkout_request_id: str) -> QueryResult:
        """Return the state of a prompt. Raises `mpesa.errors.MpesaError` if there is no answer."""
        ...


class Books(Protocol):
    """M-Pesa's own list of transactions."""

    async def pull(self, begins: datetime, ends: datetime, offset: int = 0) -> tuple[Transaction, ...]:
        """Return the booked transactions of a period within the last 48 hours, without the first `offset`.

        Raises `mpesa.errors.MpesaError` if the answer is not complete.
        """
        ...
