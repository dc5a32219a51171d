"""Daraja's JSON: build our requests strictly, and parse the answers leniently.

Safaricom publishes no machine-readable description, and its samples disagree: numbers may come as text and text as numbers,
keys may be missing or new. So only codes decide anything (daraja.md, sections 1 to 4).
"""

import base64
import json
import re
from datetime import datetime
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_pascal

from agency_site.clock import in_nairobi
from agency_site.mpesa.contract import (
    Callback,
    PushRequest,
    ReturnedPayment,
    ReversalRequest,
    Transaction,
)
from agency_site.mpesa.errors import MalformedCallback
from agency_site.mpesa.loose import (
    STAMP,
    Loose,
    as_text,
    clean_for_storage,
    json_object,
    parse_stamp,
    parse_stated_amount,
    text_or_empty,
)
from agency_site.mpesa.results import callback_outcome, reversal_outcome

LONGEST_ID = 120
BOOKS_STAMP = "%Y-%m-%d %H:%M:%S"
_LONGEST_CODE = 30


def timestamp(moment: datetime) -> str:
    """Return the Nairobi time as 14 digits (daraja.md, 2.1). Raises ValueError for a naive time."""
    return in_nairobi(moment).strftime(STAMP)


def password(shortcode: str, passkey: str, stamp: str) -> str:
    """Return Daraja's password, the base64 of all three; `stamp` must be the Timestamp in the same request."""
    return base64.b64encode(f"{shortcode}{passkey}{stamp}".encode()).decode()


class _SignedBody(BaseModel):
    """A request body with PascalCase names and text values."""

    model_config = ConfigDict(frozen=True, alias_generator=to_pascal, populate_by_name=True)

    business_short_code: str
    password: str
    timestamp: str

    def body(self) -> dict[str, str]:
        """Return the JSON object with Daraja's names."""
        return self.model_dump(by_alias=True)


class _PushBody(_SignedBody):
    """`POST /mpesa/stkpush/v1/processrequest` (daraja.md, section 2.1)."""

    transaction_type: str
    amount: str
    party_a: str
    party_b: str
    phone_number: str
    call_back_url: str = Field(serialization_alias="CallBackURL")
    account_reference: str
    transaction_desc: str


class _QueryBody(_SignedBody):
    """`POST /mpesa/stkpushquery/v1/query` (daraja.md, section 4)."""

    checkout_request_id: str = Field(serialization_alias="CheckoutRequestID")


class Operator(BaseModel):
    """The API operator of the shortcode, who may reverse payments."""

    model_config = ConfigDict(frozen=True)

    name: str
    credential: str = Field(repr=False)
    """The operator's password, encrypted for Safaricom (daraja.md, section 9)."""


class Merchant(BaseModel):
    """The payee: the shortcode with its passkey, and the Till or Paybill that receives the money."""

    model_config = ConfigDict(frozen=True)

    shortcode: str
    passkey: str = Field(repr=False)
    party_b: str
    transaction_type: str

    def push_body(self, request: PushRequest, moment: datetime) -> dict[str, str]:
        """Return the body of a push. Password and timestamp come from one reading of the clock."""
        return _PushBody(
            **self._signature(moment),
            transaction_type=self.transaction_type,
            amount=str(request.amount),
            party_a=request.phone,
            party_b=self.party_b,
            phone_number=request.phone,
            call_back_url=request.callback_url,
            account_reference=request.reference,
            transaction_desc=request.description,
        ).body()

    def query_body(self, checkout_request_id: str, moment: datetime) -> dict[str, str]:
        """Return the body of a status query."""
        return _QueryBody(**self._signature(moment), checkout_request_id=checkout_request_id).body()

    def reversal_body(self, request: ReversalRequest, operator: Operator) -> dict[str, str]:
        """Return the body that requests a reversal (daraja.md, section 9)."""
        return {
            "Initiator": operator.name,
            "SecurityCredential": operator.credential,
            "CommandID": "TransactionReversal",
            "TransactionID": request.receipt,
            "Amount": str(request.amount),
            "ReceiverParty": self.shortcode,
            "RecieverIdentifierType": "11",
            "ResultURL": request.callback_url,
            "QueueTimeOutURL": request.callback_url,
            "Remarks": "Refund",
        }

    def pull_body(self, begins: datetime, ends: datetime, offset: int) -> dict[str, str]:
        """Return the body of a query of M-Pesa's books (daraja.md, section 4)."""
        return {
            "ShortCode": self.shortcode,
            "StartDate": f"{in_nairobi(begins):{BOOKS_STAMP}}",
            "EndDate": f"{in_nairobi(ends):{BOOKS_STAMP}}",
            "OffSetValue": str(offset),
        }

    def register_body(self, phone: str, callback_url: str) -> dict[str, str]:
        """Return the body that registers the shortcode for queries of its books. Safaricom notifies that phone."""
        return {
            "ShortCode": self.shortcode,
            "RequestType": "Pull",
            "NominatedNumber": phone,
            "CallBackURL": callback_url,
        }

    def paybill_body(self, address: str) -> dict[str, str]:
        """Return the body that registers `address` for reports of payments to the Paybill.

        With the ResponseType `Completed`, M-Pesa accepts a payment if our validation does not answer.
        """
        return {
            "ShortCode": self.shortcode,
            "ResponseType": "Completed",
            "ConfirmationURL": f"{address}/confirmation",
            "ValidationURL": f"{address}/validation",
        }

    def _signature(self, moment: datetime) -> dict[str, str]:
        stamp = timestamp(moment)
        return {
            "business_short_code": self.shortcode,
            "password": password(self.shortcode, self.passkey, stamp),
            "timestamp": stamp,
        }


class TokenAnswer(BaseModel):
    """The answer to the token call; the lifetime comes as text or number (daraja.md, section 1)."""

    access_token: Loose = ""
    expires_in: Loose = ""

    @property
    def seconds(self) -> int:
        """The lifetime of the token; Daraja's documented 3600 if the answer contains none."""
        text = self.expires_in
        return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 3600


class PushAnswer(BaseModel):
    """The answer to an accepted push (daraja.md, section 2.3)."""

    merchant_request_id: Loose = Field("", alias="MerchantRequestID")
    checkout_request_id: Loose = Field("", alias="CheckoutRequestID")
    response_code: Loose = Field("", alias="ResponseCode")
    response_description: Loose = Field("", alias="ResponseDescription")
    customer_message: Loose = Field("", alias="CustomerMessage")


class ReversalAnswer(BaseModel):
    """The answer to an accepted request for a reversal (daraja.md, section 9)."""

    # Daraja uses both spellings.
    originator_id: Loose = Field(
        "", validation_alias=AliasChoices("OriginatorConversationID", "OriginatorCoversationID")
    )
    conversation_id: Loose = Field("", alias="ConversationID")
    response_code: Loose = Field("", alias="ResponseCode")
    response_description: Loose = Field("", alias="ResponseDescription")


class QueryAnswer(PushAnswer):
    """The answer to a status query (daraja.md, section 4)."""

    result_code: Loose = Field("", alias="ResultCode")
    result_desc: Loose = Field("", alias="ResultDesc")


class PullAnswer(BaseModel):
    """The answer to a query of M-Pesa's books, and to the registration for it."""

    response_code: Loose = Field("", alias="ResponseCode")
    response_status: Loose = Field("", alias="ResponseStatus")
    response_message: Loose = Field("", alias="ResponseMessage")
    response_description: Loose = Field("", alias="ResponseDescription")
    response: Any = Field(None, alias="Response")


def parse_transactions(listed: object) -> tuple[Transaction, ...]:
    """Return the transactions in an answer, a list or nested lists. Raises ValueError for one that cannot be read."""
    if isinstance(listed, list):
        return tuple(transaction for inner in listed for transaction in parse_transactions(inner))
    if not isinstance(listed, dict):
        raise ValueError("no transaction")
    row = {str(name).lower(): text_or_empty(value) for name, value in listed.items()}
    receipt = row.get("transactionid", "").upper()
    if not re.fullmatch("[A-Z0-9]{1,20}", receipt):
        raise ValueError("a transaction without a receipt")
    # The sample on the portal ends in Z, but all other times of Daraja are Nairobi times, so Z is ignored.
    booked = row.get("trxdate", "").replace("T", " ")
    return (
        Transaction(
            receipt=receipt,
            at=parse_stamp(booked[:19] if "-" in booked else booked),
            phone=mask_text(row.get("msisdn", "").removeprefix("+")),
            amount=parse_stated_amount(row.get("amount", "")),
            bill_reference=re.sub("[^A-Z0-9]", "", row.get("billreference", "").upper()),
            is_return="revers" in row.get("transactiontype", "").lower(),
        ),
    )


class Complaint(BaseModel):
    """An error in the form of Daraja or of its gateway (daraja.md, section 2.4); empty if it has neither form."""

    code: str = ""
    message: str = ""

    @classmethod
    def read(cls, content: dict[str, Any]) -> "Complaint":
        """Return the error in the JSON object of an answer."""
        fault = content.get("fault")
        if isinstance(fault, dict):
            detail = fault.get("detail")
            code = detail.get("errorcode") if isinstance(detail, dict) else ""
            return cls(code=text_or_empty(code), message=text_or_empty(fault.get("faultstring")))
        return cls(
            code=text_or_empty(content.get("errorCode")), message=text_or_empty(content.get("errorMessage"))
        )


def parse_callback(body: bytes) -> Callback:
    """Return Daraja's callback (daraja.md, sections 3 and 9). Raises MalformedCallback if it cannot be read."""
    content = json_object(body, _reject_duplicate_keys)
    if isinstance(reversal := content.get("Result"), dict) and "Body" not in content:
        return _parse_reversal(reversal)
    outer = content.get("Body")
    inner = outer.get("stkCallback") if isinstance(outer, dict) else None
    if not isinstance(inner, dict):
        raise MalformedCallback("no Body.stkCallback")
    code = _read_code(inner)
    items = _read_items(inner.get("CallbackMetadata"), "Item", "Name")
    return Callback(
        merchant_request_id=_read_scalar(inner, "MerchantRequestID", LONGEST_ID),
        checkout_request_id=_read_scalar(inner, "CheckoutRequestID", LONGEST_ID),
        result_code=code,
        description=text_or_empty(inner.get("ResultDesc")),
        outcome=callback_outcome(code),
        amount=parse_stated_amount(items.get("Amount", "")),
        receipt=_read_receipt(items.get("MpesaReceiptNumber", "")),
        paid_at=parse_stamp(items.get("TransactionDate", "")),
    )


def _parse_reversal(inner: dict[str, Any]) -> Callback:
    code = _read_code(inner)
    items = _read_items(inner.get("ResultParameters"), "ResultParameter", "Key")
    return Callback(
        merchant_request_id=_read_scalar(inner, "OriginatorConversationID", LONGEST_ID),
        checkout_request_id=_read_scalar(inner, "ConversationID", LONGEST_ID),
        result_code=code,
        description=text_or_empty(inner.get("ResultDesc")),
        outcome=reversal_outcome(code),
        amount=parse_stated_amount(items.get("Amount", "")),
        receipt=_read_receipt(text_or_empty(inner.get("TransactionID"))),
        paid_at=parse_stamp(items.get("TransCompletedTime", "")),
        reverses=_read_receipt(items.get("OriginalTransactionID", "")),
    )


def _read_code(inner: dict[str, Any]) -> str:
    code = _read_scalar(inner, "ResultCode", _LONGEST_CODE)
    if not code:
        raise MalformedCallback("no ResultCode")
    return code


def _read_receipt(text: str) -> str:
    return text.upper() if re.fullmatch("[A-Za-z0-9]{1,20}", text) else ""


def parse_paybill_payment(body: bytes) -> Transaction:
    """Return the payment to our Paybill in a confirmation or validation. Raises MalformedCallback if it cannot be read."""
    content = json_object(body, _reject_duplicate_keys)
    receipt = text_or_empty(content.get("TransID")).upper()
    if not re.fullmatch("[A-Z0-9]{1,20}", receipt):
        raise MalformedCallback("no TransID")
    phone = text_or_empty(content.get("MSISDN")).removeprefix("+")
    return Transaction(
        receipt=receipt,
        at=parse_stamp(text_or_empty(content.get("TransTime"))),
        # M-Pesa has also sent a digest instead of the number.
        phone=mask_text(phone) if re.fullmatch(r"[0-9*]{9,15}", phone) else "",
        amount=parse_stated_amount(text_or_empty(content.get("TransAmount"))),
        bill_reference=_read_account(content),
        short_code=text_or_empty(content.get("BusinessShortCode")).strip(),
    )


def _read_account(content: dict[str, Any]) -> str:
    return re.sub("[^A-Z0-9]", "", text_or_empty(content.get("BillRefNumber")).upper())


def parse_paybill_return(body: bytes) -> ReturnedPayment | None:
    """Return the reversal in a confirmation; None if it reports a payment."""
    content = json_object(body, _reject_duplicate_keys)
    if "revers" not in text_or_empty(content.get("TransactionType")).lower():
        return None
    fields = ("OriginalTransactionID", "ThirdPartyTransID", "InvoiceNumber", "BillRefNumber")
    receipts = [_read_receipt(text_or_empty(content.get(name))) for name in fields]
    return ReturnedPayment(
        receipt=_read_receipt(text_or_empty(content.get("TransID"))),
        at=parse_stamp(text_or_empty(content.get("TransTime"))),
        amount=parse_stated_amount(text_or_empty(content.get("TransAmount")).removeprefix("-")),
        originals=frozenset(receipts) - {""},
        linked=receipts[0] or receipts[1],
        account=_read_account(content),
    )


_READ_KEYS = frozenset(
    {
        *("Body", "stkCallback", "ResultCode", "MerchantRequestID", "CheckoutRequestID"),
        *("TransID", "TransAmount", "BillRefNumber", "BusinessShortCode"),
        *("Result", "TransactionID", "OriginatorConversationID", "ConversationID"),
    }
)


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        # Daraja never sends two bodies or two results in one message, so this one is forged.
        if any(names.count(name) > 1 for name in _READ_KEYS):
            raise ValueError("a key occurs twice")
    return content


def _read_scalar(content: dict[str, Any], key: str, longest: int) -> str:
    try:
        text = as_text(content.get(key))
    except ValueError as error:
        raise MalformedCallback(f"{key} is {error}") from None
    if len(text) > longest:
        raise MalformedCallback(f"{key} is too long")
    return text


def _read_items(metadata: object, listed_as: str, named_as: str) -> dict[str, str]:
    """Return the metadata by name. A name with two different values counts as missing."""
    listed = metadata.get(listed_as) if isinstance(metadata, dict) else None
    values: dict[str, str] = {}
    for item in listed if isinstance(listed, list) else []:
        if not isinstance(item, dict) or not isinstance(item.get(named_as), str):
            continue
        name, value = item[named_as], text_or_empty(item.get("Value"))
        if value:
            # "?" is not a valid amount, receipt or time, so the field counts as missing.
            values[name] = value if values.get(name, value) == value else "?"
    return values


_FULL_PHONE = re.compile(r"(?<![0-9])(254|0)[17][0-9]{5}([0-9]{3})(?![0-9])")
_NAMES_PERSON = "PartyPublicName"
_PHONE_IN_ID = re.compile(r"(ws_CO_[0-9]{15,17}?)[0-9]{6}([0-9]{3})(?![0-9])")


def mask_text(text: str) -> str:
    clean = _PHONE_IN_ID.sub(r"\1******\2", clean_for_storage(text))
    return _FULL_PHONE.sub(r"\1******\2", clean)


def _mask(value: object) -> object:
    if isinstance(value, dict) and str(value.get("Key", "")).endswith(_NAMES_PERSON):
        # "254708374149 - Jane Doe"
        return {"Key": _mask(value["Key"])}
    if isinstance(value, dict):
        return {mask_text(str(key)): _mask(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mask(inner) for inner in value]
    if isinstance(value, str):
        return mask_text(value)
    if value is None or isinstance(value, bool):
        return value
    plain = str(value)
    masked_number = mask_text(plain)
    return value if isinstance(value, int) and masked_number == plain else masked_number


def mask_body(body: bytes) -> str:
    """Return a raw callback as JSON text with masked phone numbers, for storage, even if it is not JSON."""
    try:
        # Fractions become text: this keeps their digits, and no NaN can reach a JSON column.
        content = json.loads(body, parse_float=str, parse_constant=str)
        return json.dumps(_mask(content))
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": mask_text(body[:4096].decode("utf-8", "replace"))})
