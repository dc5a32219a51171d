"""The ledger of the simulator: every prompt, its charge, and the deliveries of its callbacks."""

import secrets
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from agency_site.clock import in_nairobi
from agency_site.mpesa.simulator.outcomes import Plan
from agency_site.mpesa.simulator.paybill import PaybillPayment
from agency_site.mpesa.simulator.reversals import Reversal

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class PushOrder:
    """A push that passed all checks."""

    phone: str
    amount: int
    reference: str
    description: str
    callback_url: str


@dataclass
class Prompt:
    """One prompt on one phone."""

    order: PushOrder
    plan: Plan
    merchant_request_id: str
    checkout_request_id: str
    requested_at: datetime
    requested_reading: float
    """The reading of the simulator's stopwatch at that time, to compute ages."""
    result_code: str = ""
    """Empty while the prompt is open."""
    charged: int = 0
    receipt: str = ""
    decided_at: datetime | None = None
    deliveries: list[str] = field(default_factory=list)
    """The HTTP status, or the name of the failure, of each callback."""

    @property
    def open(self) -> bool:
        """True until the customer decides."""
        return not self.result_code

    def decide(self, result_code: str, moment: datetime) -> None:
        """Record the customer's decision. A second one changes nothing, so that no customer is charged twice."""
        if not self.open:
            return
        self.result_code = result_code
        self.decided_at = moment
        if result_code == "0":
            self.charged = self.order.amount
            self.receipt = new_receipt(moment)

    def report(self) -> dict[str, Any]:
        """Return the prompt in the form of the control interface."""
        return {
            **asdict(self.order),
            "merchant_request_id": self.merchant_request_id,
            "checkout_request_id": self.checkout_request_id,
            "requested_at": self.requested_at.isoformat(),
            "state": "open" if self.open else ("paid" if self.charged else "refused"),
            "result_code": self.result_code,
            "charged": self.charged,
            "receipt": self.receipt,
            "decided_at": self.decided_at.isoformat() if self.decided_at else None,
            "callbacks": list(self.deliveries),
        }


@dataclass
class Ledger:
    """Everything since the last reset."""

    prompts: dict[str, Prompt] = field(default_factory=dict)
    """The prompts by CheckoutRequestID, in order of arrival."""
    calls: dict[str, int] = field(
        default_factory=lambda: {"token": 0, "push": 0, "query": 0, "pull": 0, "reversal": 0}
    )
    """The numbers of received requests, including failed ones."""
    refusals: list[str] = field(default_factory=list)
    """Error codes of pushes that led to no prompt, in order."""
    paybill: list[PaybillPayment] = field(default_factory=list)
    """Payments that customers made by hand, in order."""
    reversals: list[Reversal] = field(default_factory=list)
    """Requests for reversals, in order."""
    newest: dict[str, Prompt] = field(default_factory=dict)
    """The last prompt of each phone. Only this one can be open, because a push to a phone with an open prompt is rejected."""

    def add(self, prompt: Prompt) -> None:
        """Record a prompt that appears on its phone."""
        self.prompts[prompt.checkout_request_id] = prompt
        self.newest[prompt.order.phone] = prompt

    def open_on(self, phone: str) -> bool:
        """Return whether that phone shows a prompt now."""
        last = self.newest.get(phone)
        return last is not None and last.open

    def new_ids(self, phone: str, moment: datetime) -> tuple[str, str]:
        """Return a MerchantRequestID and a CheckoutRequestID in Daraja's form (daraja.md, section 2.3)."""
        local = in_nairobi(moment)
        millisecond = local.microsecond // 1000
        checkout = f"ws_CO_{local:%d%m%Y%H%M%S}{millisecond}{phone[-9:]}"
        while checkout in self.prompts:
            millisecond = (millisecond + 1) % 1000
            checkout = f"ws_CO_{local:%d%m%Y%H%M%S}{millisecond}{phone[-9:]}"
        groups = "-".join(secrets.token_hex(2) for _ in range(3))
        return f"{groups}-{secrets.token_hex(6)}{secrets.randbelow(90_000) + 10_000}", checkout

    def report(self) -> dict[str, Any]:
        """Return the ledger in the form of the control interface."""
        return {
            "prompts": [prompt.report() for prompt in self.prompts.values()],
            "charged": sum(prompt.charged for prompt in self.prompts.values()),
            "paybill": [payment.report() for payment in self.paybill],
            "reversals": [reversal.report() for reversal in self.reversals],
            "returned": sum(reversal.returned for reversal in self.reversals),
            "calls": dict(self.calls),
            "refusals": list(self.refusals),
        }


def new_receipt(moment: datetime) -> str:
    """Return a receipt: year, month and day in M-Pesa's code (UKK is 20 November 2026) and seven random characters."""
    local = in_nairobi(moment)
    year = _LETTERS[10 + (local.year - 2006) % 26]
    return (
        year
        + _LETTERS[9 + local.month]
        + _LETTERS[local.day]
        + "".join(secrets.choice(_LETTERS) for _ in range(7))
    )
