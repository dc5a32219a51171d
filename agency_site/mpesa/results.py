"""The meaning of Daraja's result codes, for us and for the customer (daraja.md, section 3.2).

Codes are text: most are numbers, some are not (`SFC_IC0003`). Daraja's own text for a code differs by channel and year, so
nothing here reads it.
"""

from dataclasses import dataclass

from agency_site.mpesa.contract import Outcome


@dataclass(frozen=True)
class Result:
    """One result code."""

    code: str
    outcome: Outcome
    text: str
    """For the customer: what happened and what to do next."""
    again: bool = True
    """True if a new attempt with the same details can succeed."""
    alert: bool = False
    """True if staff must check: the cause is on our side, or unknown."""
    watch: bool = False
    """True if money may still arrive later, so that the payment is queried for a day."""


_OUR_SIDE = (
    "M-Pesa could not take the payment because of a problem on our side. You have not been charged. "
    "Our staff have been notified; please contact us and we will help you pay another way."
)

RESULTS: tuple[Result, ...] = (
    Result("0", Outcome.PAID, "Your payment has arrived. Thank you!", again=False),
    Result(
        "1",
        Outcome.FAILED,
        "There was not enough money in your M-Pesa account. You have not been charged. Top up and try again.",
    ),
    Result("2", Outcome.FAILED, _OUR_SIDE, again=False, alert=True),
    Result(
        "3",
        Outcome.FAILED,
        "The amount is more than M-Pesa allows in one payment. You have not been charged. "
        "Choose a smaller quantity, or contact us to pay another way.",
        again=False,
    ),
    Result(
        "4",
        Outcome.FAILED,
        "This payment would go over your M-Pesa limit for today. You have not been charged. "
        "Try again tomorrow or pay from another number.",
    ),
    Result("8", Outcome.FAILED, _OUR_SIDE, again=False, alert=True),
    Result(
        "17",
        Outcome.FAILED,
        "M-Pesa refused a second payment of the same amount so soon. Check your M-Pesa messages first; "
        "if no payment to us went through, wait two minutes and try again.",
        watch=True,
    ),
    Result(
        "26",
        Outcome.FAILED,
        "M-Pesa is very busy just now. Check your M-Pesa messages; if no payment went through, wait a minute "
        "and try again.",
        watch=True,
    ),
    Result(
        "1001",
        Outcome.FAILED,
        "Your phone is busy with another M-Pesa request. Close it, wait about three minutes and try again.",
    ),
    Result(
        "1019",
        Outcome.EXPIRED,
        "The payment request ran out of time before it was finished. Try again and enter your PIN when your "
        "phone asks.",
        watch=True,
    ),
    Result(
        "1025",
        Outcome.FAILED,
        "M-Pesa could not show the payment request on your phone. Try once more; if it fails again, "
        "contact us.",
        alert=True,
        watch=True,
    ),
    Result(
        "1032",
        Outcome.CANCELLED,
        "You cancelled the payment on your phone, or the request closed before you entered your PIN. "
        "You have not been charged. Try again whenever you are ready.",
    ),
    Result(
        "1037",
        Outcome.EXPIRED,
        "We could not reach your phone, or the request was not answered in time. Make sure that it is on, "
        "unlocked and has signal, then try again. An old SIM card can be updated by dialling *234#.",
        watch=True,
    ),
    Result(
        "2001",
        Outcome.FAILED,
        "The M-Pesa PIN was not right. You have not been charged. Try again with care: "
        "M-Pesa locks the PIN after three wrong tries.",
    ),
    Result("2006", Outcome.FAILED, _OUR_SIDE, again=False, alert=True),
    Result("2028", Outcome.FAILED, _OUR_SIDE, again=False, alert=True),
    Result(
        "2029",
        Outcome.UNDECIDED,
        "M-Pesa has not told us how this payment ended. Please do not pay again yet; we keep checking and "
        "will e-mail you.",
        alert=True,
        watch=True,
    ),
    Result(
        "4999",
        Outcome.PENDING,
        "Your payment is still being processed. Please do not pay again; look at your phone and enter your "
        "PIN if it asks.",
        again=False,
        watch=True,
    ),
    Result(
        "8006",
        Outcome.FAILED,
        "Your M-Pesa PIN is locked. You have not been charged. Call Safaricom on 100 or 200 to unlock it, "
        "then try again.",
    ),
    Result(
        "9999",
        Outcome.FAILED,
        "M-Pesa could not send the payment request to your phone. Wait a few minutes and try again.",
        alert=True,
        watch=True,
    ),
    Result("SFC_IC0003", Outcome.FAILED, _OUR_SIDE, again=False, alert=True),
)

_BY_CODE = {result.code: result for result in RESULTS}

_UNKNOWN_TEXT = (
    "M-Pesa did not complete this payment and gave a reason that we do not know. Check your M-Pesa messages; "
    "if money was taken, contact us before you pay again."
)


def result_of(code: str) -> Result:
    """Return the record of a code. An unknown code is undecided, and staff are alerted."""
    return _BY_CODE.get(code) or Result(code, Outcome.UNDECIDED, _UNKNOWN_TEXT, alert=True, watch=True)


def callback_outcome(code: str) -> Outcome:
    """Return the outcome of a code in a callback, where an unknown code ends the attempt unpaid (daraja.md, 3.2)."""
    outcome = result_of(code).outcome
    return Outcome.FAILED if outcome is Outcome.UNDECIDED else outcome


def query_outcome(code: str) -> Outcome:
    """Return the outcome of a code in the answer to a query, where an unknown code decides nothing."""
    return result_of(code).outcome


_NOT_RETURNED = frozenset({"1", "11", "21", "2001", "2006", "2028", "8006", "R000002"})
"""Codes after which a payment was certainly not reversed (daraja.md, section 9)."""


def reversal_outcome(code: str) -> Outcome:
    """Return the outcome of a code for a reversal. An unknown code decides nothing: the money may have been refunded."""
    if code == "0":
        return Outcome.RETURNED
    return Outcome.FAILED if code in _NOT_RETURNED else Outcome.UNDECIDED
