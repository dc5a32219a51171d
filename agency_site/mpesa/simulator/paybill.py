"""Payments to the Paybill that a simulated customer makes by hand: asked about, taken, booked and reported (C2B)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agency_site.clock import in_nairobi


@dataclass(frozen=True)
class PaybillAddresses:
    """The merchant's addresses for validations and confirmations."""

    validation: str
    confirmation: str


@dataclass
class PaybillPayment:
    """A payment by hand with its result."""

    phone: str
    amount: int
    account: str
    receipt: str
    at: datetime
    verdict: str = ""
    """The merchant's answer to the validation; `0` also if there was none, empty until then."""
    deliveries: list[str] = field(default_factory=list)
    """The HTTP status, or the name of the failure, of each confirmation."""

    @property
    def charged(self) -> int:
        """The charge in whole shillings."""
        return self.amount if self.verdict == "0" else 0

    def report(self) -> dict[str, Any]:
        """Return the payment in the form of the control interface."""
        return {
            "phone": self.phone,
            "amount": self.amount,
            "account": self.account,
            "receipt": self.receipt,
            "at": self.at.isoformat(),
            "verdict": self.verdict,
            "charged": self.charged,
            "confirmations": list(self.deliveries),
        }


def paybill_body(payment: PaybillPayment, shortcode: str) -> dict[str, str]:
    """Return the JSON of a validation or a confirmation: all values are text, and the number is masked."""
    return {
        "TransactionType": "Pay Bill",
        "TransID": payment.receipt,
        "TransTime": f"{in_nairobi(payment.at):%Y%m%d%H%M%S}",
        "TransAmount": f"{payment.amount}.00",
        "BusinessShortCode": shortcode,
        "BillRefNumber": payment.account,
        "InvoiceNumber": "",
        "OrgAccountBalance": "",
        "ThirdPartyTransID": "",
        "MSISDN": f"{payment.phone[:4]}*****{payment.phone[-3:]}",
        "FirstName": "JANE",
    }
