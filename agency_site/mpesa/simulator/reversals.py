"""Reversals that the merchant requests: decided, booked and reported (daraja.md, section 9)."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agency_site.clock import in_nairobi

_TEXTS = {
    "0": "The service request is processed successfully.",
    "1": "The balance is insufficient for the transaction.",
    "21": "The initiator is not allowed to initiate this request.",
    "2001": "The initiator information is invalid.",
    "R000001": "The transaction has already been reversed.",
    "R000002": "The OriginalTransactionID is invalid.",
}


@dataclass
class Reversal:
    """A request for a reversal with its result."""

    original: str
    """The receipt of the payment."""
    amount: int
    address: str
    requested_at: datetime
    originator_id: str = field(
        default_factory=lambda: f"{secrets.randbelow(90_000) + 10_000}-{secrets.token_hex(4)}-1"
    )
    conversation_id: str = ""
    phone: str = ""
    """The payer's number; empty if there is no such payment."""
    receipt: str = ""
    """The receipt of the reversal itself."""
    result_code: str = ""
    """Empty until it is decided."""
    decided_at: datetime | None = None
    deliveries: list[str] = field(default_factory=list)
    """The HTTP status, or the name of the failure, of each result."""

    def __post_init__(self) -> None:
        self.conversation_id = f"AG_{in_nairobi(self.requested_at):%Y%m%d}_{secrets.token_hex(10)}"

    @property
    def returned(self) -> int:
        """The reversed amount in whole shillings."""
        return self.amount if self.result_code == "0" else 0

    def report(self) -> dict[str, Any]:
        """Return the request in the form of the control interface."""
        return {
            "original": self.original,
            "amount": self.amount,
            "receipt": self.receipt,
            "result_code": self.result_code,
            "returned": self.returned,
            "results": list(self.deliveries),
        }


def result_body(reversal: Reversal, shortcode: str) -> dict[str, Any]:
    """Return the JSON of a result. Only a successful one states the amount."""
    code = reversal.result_code
    inner: dict[str, Any] = {
        "ResultType": 0,
        "ResultCode": int(code) if code.isdigit() else code,
        "ResultDesc": _TEXTS.get(code, "An error that has no name here."),
        "OriginatorConversationID": reversal.originator_id,
        "ConversationID": reversal.conversation_id,
        "TransactionID": reversal.receipt,
    }
    if reversal.returned and reversal.decided_at:
        stated = {
            "Amount": float(reversal.amount),
            "TransCompletedTime": int(f"{in_nairobi(reversal.decided_at):%Y%m%d%H%M%S}"),
            "OriginalTransactionID": reversal.original,
            "Charge": 0,
            "CreditPartyPublicName": f"{reversal.phone} - Jane Doe",
            "DebitPartyPublicName": f"{shortcode} - Simulator",
        }
        items = [{"Key": key, "Value": value} for key, value in stated.items()]
        inner["ResultParameters"] = {"ResultParameter": items}
    return {"Result": inner}
