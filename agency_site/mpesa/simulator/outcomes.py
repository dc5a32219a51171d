"""The outcomes of simulated prompts: by the phone's last three digits (readings, "M-Pesa simulator") or by a plan."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agency_site.mpesa.simulator.config import SimulatorConfig

CALLBACK_TEXTS = {
    "0": "The service request is processed successfully.",
    "1": "The balance is insufficient for the transaction.",
    "4": "The transaction would exceed the daily limit of the customer.",
    "17": "Rule limited.",
    "1019": "Transaction has expired.",
    "1025": "An error occurred while sending a push request.",
    "1032": "Request cancelled by user.",
    "1037": "No response from user.",
    "2001": "The initiator information is invalid.",
    "8006": "The security credential is locked.",
    "9999": "An error occurred while sending a push request.",
    "SFC_IC0003": "The operator does not exist.",
}
# Daraja words the same code differently in a query (daraja.md, section 3.1).
QUERY_TEXTS = {
    **CALLBACK_TEXTS,
    "1032": "Request cancelled by user",
    "1037": "DS timeout user cannot be reached.",
}


class Plan(BaseModel):
    """The course of one prompt. Times are in seconds; None for those of the simulator's config."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: Literal["accept", "refuse", "silence"] = "accept"
    """The answer to the push itself."""
    result_code: str = Field("0", pattern=r"^\w{1,20}$")
    delay: float | None = Field(None, ge=0)
    """The time from the push to the customer's decision."""
    callback_delay: float = Field(0.0, ge=0)
    """The time from the decision to the callback."""
    copies: int = Field(1, ge=0, le=10)
    """The number of simultaneous deliveries of the callback."""
    amount_offset: int = 0
    """Added to the amount in the callback; the charge stays the requested amount."""
    hold: bool = False
    """The customer does not answer: the prompt stays open until `/control/answer`, or ends with 1037 after its window."""


def plan_for(phone: str, config: SimulatorConfig) -> Plan:
    """Return the plan for the last three digits of a phone number; all other numbers pay."""
    plans = {
        "001": Plan(result_code="1"),
        "032": Plan(result_code="1032"),
        "037": Plan(result_code="1037"),
        "200": Plan(result_code="2001"),
        "500": Plan(answer="refuse"),
        "503": Plan(answer="silence"),
        "600": Plan(copies=0),
        "700": Plan(callback_delay=config.late),
        "800": Plan(copies=3),
        "900": Plan(amount_offset=1),
    }
    return plans.get(phone[-3:], Plan())
