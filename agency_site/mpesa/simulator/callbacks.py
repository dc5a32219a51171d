"""Build callbacks in Daraja's form, with its oddities by switch (daraja.md, section 3.1)."""

from typing import Any

from agency_site.clock import in_nairobi
from agency_site.mpesa.simulator.ledger import Prompt
from agency_site.mpesa.simulator.outcomes import CALLBACK_TEXTS
from agency_site.mpesa.simulator.switches import Switches


def callback_body(prompt: Prompt, switches: Switches) -> dict[str, Any]:
    """Return the JSON of a callback. It has metadata only if the prompt was paid."""
    code = prompt.result_code
    inner: dict[str, Any] = {
        "MerchantRequestID": prompt.merchant_request_id,
        "CheckoutRequestID": prompt.checkout_request_id,
        "ResultCode": int(code) if code.isdigit() else code,
        "ResultDesc": CALLBACK_TEXTS.get(code, "An error that has no name here."),
    }
    if code == "0":
        inner["CallbackMetadata"] = {"Item": _build_items(prompt, switches)}
    return {"Body": {"stkCallback": inner}}


def _build_items(prompt: Prompt, switches: Switches) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if switches.amount == "present":
        items.append({"Name": "Amount", "Value": float(prompt.order.amount + prompt.plan.amount_offset)})
    if switches.receipt == "present":
        items.append({"Name": "MpesaReceiptNumber", "Value": prompt.receipt})
    items += _build_balance(prompt, switches)
    items.append({"Name": "TransactionDate", "Value": _format_date(prompt, switches)})
    items += _build_phone(prompt, switches)
    if switches.items == "shuffled":
        items.reverse()
    return items


def _build_balance(prompt: Prompt, switches: Switches) -> list[dict[str, Any]]:
    if switches.balance == "absent":
        return []
    if switches.balance == "empty":
        return [{"Name": "Balance"}]
    amount = prompt.order.amount
    text = f"{{Amount={{CurrencyCode=KES, MinimumAmount={amount}00, BasicAmount={amount}.00}}}}"
    return [{"Name": "Balance", "Value": text}]


def _format_date(prompt: Prompt, switches: Switches) -> int | str:
    assert prompt.decided_at is not None
    local = in_nairobi(prompt.decided_at)
    return f"{local:%Y-%m-%d %H:%M:%S}" if switches.date == "text" else int(f"{local:%Y%m%d%H%M%S}")


def _build_phone(prompt: Prompt, switches: Switches) -> list[dict[str, Any]]:
    phone = prompt.order.phone
    if switches.phone == "missing":
        return []
    masked = f"{phone[:6]}***{phone[-3:]}"
    return [{"Name": "PhoneNumber", "Value": masked if switches.phone == "masked" else int(phone)}]
