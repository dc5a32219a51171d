"""How a simulated prompt ends: by the phone's last three digits (readings, "M-Pesa simulator") or by a plan."""

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
    """What will happen to one prompt. Times in seconds; None takes the simulator's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: Literal["accept", "refuse", "silence"] = "accept"
    """What the push call itself does."""
    result_code: str = Field("0", pattern=r"^\w{1,20}$")
    delay: float | None = Field(None, ge=0)
    """From the push to the customer's decision."""
    callback_delay: float = Field(0.0, ge=0)
    """From the decision to the callback."""
    copies: int = Field(1, ge=0, le=10)
    """How often the callback is sent, all at once."""
    amount_offset: int = 0
    """Added to the amount that the callback states; what is charged stays the requested amount."""
    hold: bool = False
    """Nobody answers: the prompt is open until `/control/answer`, or ends as 1037 with the prompt window."""


def plan_for(phone: str, config: SimulatorConfig) -> Plan:
    """The plan of a phone number by its last three digits; any other digits pay."""
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
