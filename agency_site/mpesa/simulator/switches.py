"""The run-time settings of the simulator: oddities that a client must handle (daraja.md, section 10)."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Fault(StrEnum):
    """Ways in which a call fails before or after it was processed."""

    # The request never reaches Daraja's own code.
    HTML_503 = "html_503"
    HTML_403 = "html_403"
    BAD_GATEWAY = "bad_gateway"
    EMPTY_500 = "empty_500"
    EMPTY_400 = "empty_400"
    INTERNAL_ERROR = "internal_error"
    BUSY = "busy"
    SPIKE = "spike"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    NO_PRODUCT = "no_product"
    INVALID_TOKEN = "invalid_token"  # noqa: S105 - a name
    WRONG_CREDENTIALS = "wrong_credentials"
    NO_MERCHANT = "no_merchant"
    UNKNOWN_TEXT = "unknown_text"
    # The request is processed, but its answer is lost, late or unreadable.
    DROP = "drop"
    GATEWAY_TIMEOUT = "gateway_timeout"
    EMPTY_200 = "empty_200"
    HTML_200 = "html_200"
    SLOW = "slow"


AFTER_THE_FACT = frozenset({Fault.DROP, Fault.GATEWAY_TIMEOUT, Fault.EMPTY_200, Fault.HTML_200, Fault.SLOW})
"""Faults after the request was processed."""


class FaultOrder(BaseModel):
    """`POST /control/fault`: let the next `times` calls of a kind fail; 0 means until the reset."""

    model_config = ConfigDict(extra="forbid")

    call: Literal["token", "push", "query", "pull", "reversal"]
    fault: Fault
    times: int = Field(1, ge=0, le=1000)


class Switches(BaseModel):
    """`POST /control/switches`: change any of these; the others keep their values."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    token_seconds: int = Field(3599, ge=0)
    expires_in: Literal["text", "number"] = "text"
    new_token_kills_old: bool = True
    """The portal says so, but this is untested (daraja.md, section 1)."""

    balance: Literal["absent", "empty", "text"] = "empty"
    phone: Literal["number", "masked", "missing"] = "number"
    date: Literal["number", "text"] = "number"
    receipt: Literal["present", "missing"] = "present"
    amount: Literal["present", "missing"] = "present"
    items: Literal["ordered", "shuffled"] = "ordered"
    copies: int | None = Field(None, ge=0, le=10)
    """Callbacks per prompt; None for the plan of the phone's digits."""
    callback_delay: float | None = Field(None, ge=0)
    """Seconds from the decision to the callback; None for the plan of the phone's digits."""
    callback: Literal["after", "before"] = "after"
    """With `before`, the decision and its callback come before the answer to the push."""

    pending_form: Literal["4999", "old"] = "4999"
    query_limit: int = Field(0, ge=0)
    """Queries per 60 s before 429; Daraja's sandbox has 5. 0 for no limit."""
    query_noise: int = Field(0, ge=0)
    """Every n-th query gets a random 500.001.1001; 0 for no query."""
    query_lie: bool = False
    """Queries about paid prompts claim a failure, as the sandbox has done (daraja.md, section 4)."""
    query_blind: float = Field(0.0, ge=0)
    """Seconds after the push during which queries do not know an undecided prompt."""
    pull: bool = True
    """True if Pull Transactions is enabled for the shortcode."""
    pull_delay: float = Field(0.0, ge=0)
    """Seconds until a transaction appears in the books."""
    pull_page: int = Field(100, ge=1)
    """Transactions per answer."""
    reversal_code: str = Field("0", pattern=r"^\w{1,20}$")
    """The result of valid reversals."""
    same_amount_rule: bool = False
    """Return code 17 for the same amount and phone within two minutes."""
    slow_seconds: float = Field(5.0, ge=0)
    """The delay of the fault `slow`."""
