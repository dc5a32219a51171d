"""Daraja's JSON: what we send, built strictly, and what comes back, read loosely.

Safaricom publishes no machine-readable description and its samples disagree, so numbers may come as text and
text as numbers, keys may be missing or new, and only codes are decided upon (daraja.md, sections 1 to 4).
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
    amount_of,
    as_text,
    json_object,
    moment_of,
    storable,
    text_or_empty,
)
from agency_site.mpesa.results import callback_outcome, reversal_outcome

LONGEST_ID = 120
BOOKS_STAMP = "%Y-%m-%d %H:%M:%S"
_LONGEST_CODE = 30


def timestamp(moment: datetime) -> str:
    """The moment on a Nairobi clock as 14 digits (daraja.md, 2.1). Raises ValueError for a naive time."""
    return in_nairobi(moment).strftime(STAMP)


def password(shortcode: str, passkey: str, stamp: str) -> str:
    """Daraja's password: base64 of the three joined; `stamp` must be the Timestamp that is also sent."""
    return base64.b64encode(f"{shortcode}{passkey}{stamp}".encode()).decode()


class _Sent(BaseModel):
    """A body that we send: PascalCase names, text values."""

    model_config = ConfigDict(frozen=True, alias_generator=to_pascal, populate_by_name=True)

    business_short_code: str
    password: str
    timestamp: str

    def body(self) -> dict[str, str]:
        """The JSON object with Daraja's own names."""
        return self.model_dump(by_alias=True)


class _PushBody(_Sent):
    """`POST /mpesa/stkpush/v1/processrequest` (daraja.md, section 2.1)."""

    transaction_type: str
    amount: str
    party_a: str
    party_b: str
    phone_number: str
    call_back_url: str = Field(serialization_alias="CallBackURL")
    account_reference: str
    transaction_desc: str


class _QueryBody(_Sent):
    """`POST /mpesa/stkpushquery/v1/query` (daraja.md, section 4)."""

    checkout_request_id: str = Field(serialization_alias="CheckoutRequestID")


class Operator(BaseModel):
    """Who may return payments: the shortcode's API operator."""

    model_config = ConfigDict(frozen=True)

    name: str
    credential: str = Field(repr=False)
    """The operator's password, encrypted for Safaricom (daraja.md, section 9)."""


class Merchant(BaseModel):
    """Who is paid: the shortcode with its passkey, and the till or paybill that receives."""

    model_config = ConfigDict(frozen=True)

    shortcode: str
    passkey: str = Field(repr=False)
    party_b: str
    transaction_type: str

    def push_body(self, request: PushRequest, moment: datetime) -> dict[str, str]:
        """The body of a push; password and timestamp come from one reading of the clock."""
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
        """The body of a status query."""
        return _QueryBody(**self._signature(moment), checkout_request_id=checkout_request_id).body()

    def reversal_body(self, request: ReversalRequest, operator: Operator) -> dict[str, str]:
        """The body that asks for the return of a payment (daraja.md, section 9)."""
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
        """The body of a query of the books (daraja.md, section 4)."""
        return {
            "ShortCode": self.shortcode,
            "StartDate": f"{in_nairobi(begins):{BOOKS_STAMP}}",
            "EndDate": f"{in_nairobi(ends):{BOOKS_STAMP}}",
            "OffSetValue": str(offset),
        }

    def register_body(self, phone: str, callback_url: str) -> dict[str, str]:
        """The body that registers the shortcode for queries of its books; Safaricom notifies that phone."""
        return {
            "ShortCode": self.shortcode,
            "RequestType": "Pull",
            "NominatedNumber": phone,
            "CallBackURL": callback_url,
        }

    def paybill_body(self, address: str) -> dict[str, str]:
        """The body that has payments to the Paybill reported below `address`; where we do not answer, they are taken."""
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
    """What the token call answers; the lifetime comes as text or number (daraja.md, section 1)."""

    access_token: Loose = ""
    expires_in: Loose = ""

    @property
    def seconds(self) -> int:
        """How long the token lives; Daraja's documented 3600 where the answer says nothing usable."""
        text = self.expires_in
        return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 3600


class PushAnswer(BaseModel):
    """The answer to a push that was taken (daraja.md, section 2.3)."""

    merchant_request_id: Loose = Field("", alias="MerchantRequestID")
    checkout_request_id: Loose = Field("", alias="CheckoutRequestID")
    response_code: Loose = Field("", alias="ResponseCode")
    response_description: Loose = Field("", alias="ResponseDescription")
    customer_message: Loose = Field("", alias="CustomerMessage")


class ReversalAnswer(BaseModel):
    """The answer to the request for a reversal that was taken (daraja.md, section 9)."""

    # Daraja spells the name in both ways.
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
    """The answer to a query of the books, and to the registration for it."""

    response_code: Loose = Field("", alias="ResponseCode")
    response_status: Loose = Field("", alias="ResponseStatus")
    response_message: Loose = Field("", alias="ResponseMessage")
    response_description: Loose = Field("", alias="ResponseDescription")
    response: Any = Field(None, alias="Response")


def parse_transactions(listed: object) -> tuple[Transaction, ...]:
    """The rows of an answer, which come in a list or in lists of lists. Raises ValueError for one that cannot be read."""
    if isinstance(listed, list):
        return tuple(one for inner in listed for one in parse_transactions(inner))
    if not isinstance(listed, dict):
        raise ValueError("no transaction")
    row = {str(name).lower(): text_or_empty(value) for name, value in listed.items()}
    receipt = row.get("transactionid", "").upper()
    if not re.fullmatch("[A-Z0-9]{1,20}", receipt):
        raise ValueError("a transaction without a receipt")
    # The portal's sample ends in Z; every other time of Daraja is Nairobi's.
    booked = row.get("trxdate", "").replace("T", " ")
    return (
        Transaction(
            receipt=receipt,
            at=moment_of(booked[:19] if "-" in booked else booked),
            phone=mask_text(row.get("msisdn", "").removeprefix("+")),
            amount=amount_of(row.get("amount", "")),
            bill_reference=re.sub("[^A-Z0-9]", "", row.get("billreference", "").upper()),
            is_return="revers" in row.get("transactiontype", "").lower(),
        ),
    )


class Complaint(BaseModel):
    """An error in Daraja's own shape or its gateway's (daraja.md, section 2.4); empty when in neither."""

    code: str = ""
    message: str = ""

    @classmethod
    def read(cls, found: dict[str, Any]) -> "Complaint":
        """The complaint inside an answer's JSON object."""
        fault = found.get("fault")
        if isinstance(fault, dict):
            detail = fault.get("detail")
            code = detail.get("errorcode") if isinstance(detail, dict) else ""
            return cls(code=text_or_empty(code), message=text_or_empty(fault.get("faultstring")))
        return cls(
            code=text_or_empty(found.get("errorCode")), message=text_or_empty(found.get("errorMessage"))
        )


def parse_callback(body: bytes) -> Callback:
    """Daraja's callback (daraja.md, sections 3 and 9). Raises MalformedCallback when it cannot be read."""
    found = json_object(body, _unambiguous)
    if isinstance(reversal := found.get("Result"), dict) and "Body" not in found:
        return _parse_reversal(reversal)
    outer = found.get("Body")
    inner = outer.get("stkCallback") if isinstance(outer, dict) else None
    if not isinstance(inner, dict):
        raise MalformedCallback("no Body.stkCallback")
    code = _read_code(inner)
    items = _items(inner.get("CallbackMetadata"), "Item", "Name")
    return Callback(
        merchant_request_id=_scalar(inner, "MerchantRequestID", LONGEST_ID),
        checkout_request_id=_scalar(inner, "CheckoutRequestID", LONGEST_ID),
        result_code=code,
        description=text_or_empty(inner.get("ResultDesc")),
        outcome=callback_outcome(code),
        amount=amount_of(items.get("Amount", "")),
        receipt=_read_receipt(items.get("MpesaReceiptNumber", "")),
        paid_at=moment_of(items.get("TransactionDate", "")),
    )


def _parse_reversal(inner: dict[str, Any]) -> Callback:
    code = _read_code(inner)
    items = _items(inner.get("ResultParameters"), "ResultParameter", "Key")
    return Callback(
        merchant_request_id=_scalar(inner, "OriginatorConversationID", LONGEST_ID),
        checkout_request_id=_scalar(inner, "ConversationID", LONGEST_ID),
        result_code=code,
        description=text_or_empty(inner.get("ResultDesc")),
        outcome=reversal_outcome(code),
        amount=amount_of(items.get("Amount", "")),
        receipt=_read_receipt(text_or_empty(inner.get("TransactionID"))),
        paid_at=moment_of(items.get("TransCompletedTime", "")),
        reverses=_read_receipt(items.get("OriginalTransactionID", "")),
    )


def _read_code(inner: dict[str, Any]) -> str:
    code = _scalar(inner, "ResultCode", _LONGEST_CODE)
    if not code:
        raise MalformedCallback("no ResultCode")
    return code


def _read_receipt(text: str) -> str:
    return text.upper() if re.fullmatch("[A-Za-z0-9]{1,20}", text) else ""


def parse_paybill_payment(body: bytes) -> Transaction:
    """A payment to our Paybill, as confirmation and validation state it. Raises MalformedCallback when it cannot be read."""
    found = json_object(body, _unambiguous)
    receipt = text_or_empty(found.get("TransID")).upper()
    if not re.fullmatch("[A-Z0-9]{1,20}", receipt):
        raise MalformedCallback("no TransID")
    phone = text_or_empty(found.get("MSISDN")).removeprefix("+")
    return Transaction(
        receipt=receipt,
        at=moment_of(text_or_empty(found.get("TransTime"))),
        # M-Pesa has also sent a digest of the number.
        phone=mask_text(phone) if re.fullmatch(r"[0-9*]{9,15}", phone) else "",
        amount=amount_of(text_or_empty(found.get("TransAmount"))),
        bill_reference=_read_account(found),
        short_code=text_or_empty(found.get("BusinessShortCode")).strip(),
    )


def _read_account(found: dict[str, Any]) -> str:
    return re.sub("[^A-Z0-9]", "", text_or_empty(found.get("BillRefNumber")).upper())


def parse_paybill_return(body: bytes) -> ReturnedPayment | None:
    """The return that a confirmation reports instead of a payment; none: it reports a payment."""
    found = json_object(body, _unambiguous)
    if "revers" not in text_or_empty(found.get("TransactionType")).lower():
        return None
    fields = ("OriginalTransactionID", "ThirdPartyTransID", "InvoiceNumber", "BillRefNumber")
    named = [_read_receipt(text_or_empty(found.get(name))) for name in fields]
    return ReturnedPayment(
        receipt=_read_receipt(text_or_empty(found.get("TransID"))),
        at=moment_of(text_or_empty(found.get("TransTime"))),
        amount=amount_of(text_or_empty(found.get("TransAmount")).removeprefix("-")),
        originals=frozenset(named) - {""},
        linked=named[0] or named[1],
        account=_read_account(found),
    )


_READ_KEYS = frozenset(
    {
        *("Body", "stkCallback", "ResultCode", "MerchantRequestID", "CheckoutRequestID"),
        *("TransID", "TransAmount", "BillRefNumber", "BusinessShortCode"),
        *("Result", "TransactionID", "OriginatorConversationID", "ConversationID"),
    }
)


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        # Two bodies or two results in one message: whoever wrote that is not Daraja.
        if any(names.count(name) > 1 for name in _READ_KEYS):
            raise ValueError("a key occurs twice")
    return found


def _scalar(found: dict[str, Any], key: str, longest: int) -> str:
    try:
        text = as_text(found.get(key))
    except ValueError as error:
        raise MalformedCallback(f"{key} is {error}") from None
    if len(text) > longest:
        raise MalformedCallback(f"{key} is too long")
    return text


def _items(metadata: object, listed_as: str, named_as: str) -> dict[str, str]:
    """The metadata by name. A name that states two different values states none."""
    listed = metadata.get(listed_as) if isinstance(metadata, dict) else None
    found: dict[str, str] = {}
    for item in listed if isinstance(listed, list) else []:
        if not isinstance(item, dict) or not isinstance(item.get(named_as), str):
            continue
        name, value = item[named_as], text_or_empty(item.get("Value"))
        if value:
            # "?" is neither an amount nor a receipt nor a time, so the field reads as missing.
            found[name] = value if found.get(name, value) == value else "?"
    return found


_FULL_PHONE = re.compile(r"(?<![0-9])(254|0)[17][0-9]{5}([0-9]{3})(?![0-9])")
_NAMES_PERSON = "PartyPublicName"
_PHONE_IN_ID = re.compile(r"(ws_CO_[0-9]{15,17}?)[0-9]{6}([0-9]{3})(?![0-9])")


def mask_text(text: str) -> str:
    clean = _PHONE_IN_ID.sub(r"\1******\2", storable(text))
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


def masked(body: bytes) -> str:
    """A raw callback as JSON text without whole phone numbers, for storage; no JSON becomes a note."""
    try:
        # Fractions become text: they keep their digits, and no NaN can reach a JSON column.
        found = json.loads(body, parse_float=str, parse_constant=str)
        return json.dumps(_mask(found))
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": mask_text(body[:4096].decode("utf-8", "replace"))})
