"""Daraja's calls: token, push, query, the books, and reversals (daraja.md, sections 1, 2, 4 and 9)."""

import base64
import binascii
import json
import logging
import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agency_site.clock import in_nairobi
from agency_site.mpesa.loose import as_text, parse_stamp
from agency_site.mpesa.simulator import problems
from agency_site.mpesa.simulator.engine import BookedTransaction, Engine
from agency_site.mpesa.simulator.ledger import Prompt, PushOrder
from agency_site.mpesa.simulator.outcomes import QUERY_TEXTS
from agency_site.mpesa.simulator.paybill import PaybillAddresses
from agency_site.mpesa.simulator.problems import Refused, invalid_field
from agency_site.mpesa.simulator.switches import AFTER_THE_FACT, Fault
from agency_site.mpesa.wire import password

logger = logging.getLogger(__name__)

MOST = 250_000
"""The largest amount of one payment in KES (daraja.md, section 2.1)."""
_ACCEPTED = "Success. Request accepted for processing"
_PHONE = r"254[17]\d{8}"
_SIGNATURE = {"BusinessShortCode": r"\d{5,7}", "Password": r"\S+", "Timestamp": r"20\d{12}"}
_PUSH_FIELDS = {
    **_SIGNATURE,
    "TransactionType": "Customer(PayBill|BuyGoods)Online",
    "Amount": r"[1-9]\d{0,5}",
    "PartyA": _PHONE,
    "PartyB": r"\d{5,7}",
    "PhoneNumber": _PHONE,
    "CallBackURL": r"https?://[^\s/]+/\S*",
    "AccountReference": r"\S.*",
    "TransactionDesc": r".*",
}
DOCUMENTED_LENGTHS = {"AccountReference": 12, "TransactionDesc": 13}
"""The lengths that the portal documents. Safaricom's own Node library sends longer texts, which work (daraja.md, 2.1)."""
_QUERY_FIELDS = {**_SIGNATURE, "CheckoutRequestID": r"\S+"}
_REGISTER_FIELDS = {
    "ShortCode": r"\d{5,7}",
    "RequestType": "Pull",
    "NominatedNumber": _PHONE,
    "CallBackURL": r"https?://[^\s/]+/\S*",
}
_REVERSAL_FIELDS = {
    "Initiator": r"\S+",
    "SecurityCredential": r"[A-Za-z0-9+/]{342}==",
    "CommandID": "TransactionReversal",
    "TransactionID": r"[A-Z0-9]{10}",
    "Amount": r"[1-9]\d{0,5}",
    "ReceiverParty": r"\d{5,7}",
    "RecieverIdentifierType": "11",
    "ResultURL": r"https?://[^\s/]+/\S*",
    "QueueTimeOutURL": r"https?://[^\s/]+/\S*",
    "Remarks": r".{2,100}",
}
_PAYBILL_FIELDS = {
    "ShortCode": r"\d{5,7}",
    "ResponseType": "Completed|Cancelled",
    "ConfirmationURL": r"https?://[^\s/]+/\S*",
    "ValidationURL": r"https?://[^\s/]+/\S*",
}
_REFUSED_WORDS = re.compile("m-?pesa|safaricom|exe|cmd|sql|query", re.IGNORECASE)
"""Words that the portal does not allow in these addresses (daraja.md, section 2.2)."""
_BOOKS_TIME = r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d"
_PULL_FIELDS = {
    "ShortCode": r"\d{5,7}",
    "StartDate": _BOOKS_TIME,
    "EndDate": _BOOKS_TIME,
    "OffSetValue": r"\d{1,6}",
}


Handler = Callable[[Engine, Request], Awaitable[Response]]


def daraja_routes(engine: Engine) -> list[Route]:
    """Return the routes with Daraja's exact paths."""
    return [
        Route("/oauth/v1/generate", _build_endpoint(engine, "token", _token), methods=["GET"]),
        Route("/mpesa/stkpush/v1/processrequest", _build_endpoint(engine, "push", _push), methods=["POST"]),
        Route("/mpesa/stkpushquery/v1/query", _build_endpoint(engine, "query", _query), methods=["POST"]),
        Route("/mpesa/reversal/v1/request", _build_endpoint(engine, "reversal", _reverse), methods=["POST"]),
        Route("/pulltransactions/v1/register", _build_endpoint(engine, "pull", _register), methods=["POST"]),
        Route(
            "/mpesa/c2b/v2/registerurl", _build_endpoint(engine, "pull", _register_paybill), methods=["POST"]
        ),
        Route("/pulltransactions/v1/query", _build_endpoint(engine, "pull", _pull), methods=["POST"]),
    ]


def _build_endpoint(engine: Engine, name: str, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        engine.ledger.calls[name] += 1
        fault = engine.take_fault(name)
        if fault is not None and fault not in AFTER_THE_FACT:
            return problems.build_faulty_response(fault)
        try:
            answer = await handler(engine, request)
        except Refused as refused:
            if name == "push":
                engine.ledger.refusals.append(refused.code)
            answer = refused.response()
        if fault is Fault.SLOW:
            await engine.stopwatch.wait(engine.switches.slow_seconds)
            return answer
        return problems.build_faulty_response(fault) if fault else answer

    return endpoint


async def _token(engine: Engine, request: Request) -> Response:
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        raise Refused(400, "400.008.01", "Invalid authentication type passed")
    if request.query_params.get("grant_type") != "client_credentials":
        raise Refused(400, "400.008.02", "Invalid grant type passed")
    try:
        pair = base64.b64decode(credentials, validate=True)
    except binascii.Error:
        pair = b""
    wanted = f"{engine.config.consumer_key}:{engine.config.consumer_secret}".encode()
    if not secrets.compare_digest(pair, wanted):
        # Daraja gives no reason at all here.
        return Response(status_code=400)
    seconds = engine.switches.token_seconds
    lifetime: int | str = seconds if engine.switches.expires_in == "number" else str(seconds)
    return JSONResponse({"access_token": engine.issue_token(), "expires_in": lifetime})


async def _push(engine: Engine, request: Request) -> Response:
    fields = await _read_fields(engine, request, _PUSH_FIELDS)
    if int(fields["Amount"]) > MOST:
        raise invalid_field("Amount")
    _check_address(engine, fields, "CallBackURL")
    _check_password(engine, fields)
    _warn_of_long_texts(fields)
    order = PushOrder(
        fields["PhoneNumber"],
        int(fields["Amount"]),
        fields["AccountReference"],
        fields["TransactionDesc"],
        fields["CallBackURL"],
    )
    return await _prompt(engine, order)


def _warn_of_long_texts(fields: dict[str, str]) -> None:
    for name, most in DOCUMENTED_LENGTHS.items():
        if len(fields[name]) > most:
            logger.warning("%s has %s characters; Daraja documents at most %s", name, len(fields[name]), most)


async def _prompt(engine: Engine, order: PushOrder) -> Response:
    plan = engine.plan(order)
    if plan.answer == "refuse":
        raise problems.WRONG_CREDENTIALS
    if plan.answer == "silence":
        engine.ledger.refusals.append("silence")
        await engine.stopwatch.wait(engine.config.silence)
        return problems.build_faulty_response(Fault.GATEWAY_TIMEOUT)
    if engine.ledger.open_on(order.phone):
        raise problems.LOCKED
    prompt = await engine.show(order, plan)
    return JSONResponse(
        {
            "MerchantRequestID": prompt.merchant_request_id,
            "CheckoutRequestID": prompt.checkout_request_id,
            "ResponseCode": "0",
            "ResponseDescription": _ACCEPTED,
            "CustomerMessage": _ACCEPTED,
        }
    )


async def _query(engine: Engine, request: Request) -> Response:
    if engine.query_is_over_limit():
        return problems.rate_limited()
    fields = await _read_fields(engine, request, _QUERY_FIELDS)
    _check_password(engine, fields)
    noise = engine.switches.query_noise
    if noise and engine.ledger.calls["query"] % noise == 0:
        raise problems.NOISE
    prompt = engine.ledger.prompts.get(fields["CheckoutRequestID"])
    if prompt is None or (prompt.open and _compute_age(engine, prompt) < engine.switches.query_blind):
        raise invalid_field("CheckoutRequestID")
    if prompt.open and engine.switches.pending_form == "old":
        raise problems.BEING_PROCESSED
    return JSONResponse(_describe_state(engine, prompt))


async def _reverse(engine: Engine, request: Request) -> Response:
    fields = await _read_fields(engine, request, _REVERSAL_FIELDS)
    if fields["ReceiverParty"] != engine.config.shortcode:
        raise problems.NO_MERCHANT
    _check_address(engine, fields, "ResultURL")
    reversal = engine.reverse(fields["TransactionID"], int(fields["Amount"]), fields["ResultURL"])
    return JSONResponse(
        {
            "OriginatorConversationID": reversal.originator_id,
            "ConversationID": reversal.conversation_id,
            "ResponseCode": "0",
            "ResponseDescription": "Accept the service request successfully.",
        }
    )


def _check_address(engine: Engine, fields: dict[str, str], name: str) -> None:
    base = engine.config.callback_base
    if base and not fields[name].startswith(f"{base.rstrip('/')}/"):
        raise invalid_field(name)


async def _register(engine: Engine, request: Request) -> Response:
    await _read_fields(engine, request, _REGISTER_FIELDS)
    answer = {"ResponseStatus": "1000", "ResponseDescription": "Short Code registered successfully"}
    return JSONResponse({"ResponseRefID": "18633-7271215-1", **answer})


async def _register_paybill(engine: Engine, request: Request) -> Response:
    fields = await _read_fields(engine, request, _PAYBILL_FIELDS)
    if fields["ShortCode"] != engine.config.shortcode:
        raise problems.NO_MERCHANT
    for name in ("ConfirmationURL", "ValidationURL"):
        if _REFUSED_WORDS.search(urlsplit(fields[name]).path):
            raise invalid_field(name)
    engine.paybill_addresses = PaybillAddresses(fields["ValidationURL"], fields["ConfirmationURL"])
    answer = {"ResponseCode": "0", "ResponseDescription": "Success"}
    return JSONResponse({"OriginatorCoversationID": "7619-37765134-1", **answer})


async def _pull(engine: Engine, request: Request) -> Response:
    if not engine.switches.pull:
        return problems.build_faulty_response(Fault.NO_PRODUCT)
    fields = await _read_fields(engine, request, _PULL_FIELDS)
    if fields["ShortCode"] != engine.config.shortcode:
        raise problems.NO_MERCHANT
    begins, ends = parse_stamp(fields["StartDate"]), parse_stamp(fields["EndDate"])
    if begins is None or ends is None:
        raise invalid_field("EndDate" if begins else "StartDate")
    listed = [_describe_transaction(transaction) for transaction in engine.list_booked(begins, ends)]
    offset = int(fields["OffSetValue"])
    page = listed[offset : offset + engine.switches.pull_page]
    answer = {"ResponseRefID": "26178-42530161-2", "ResponseCode": "1000", "ResponseMessage": "Success"}
    return JSONResponse({**answer, "Response": [page]})


def _describe_transaction(transaction: BookedTransaction) -> dict[str, str]:
    return {
        "transactionId": transaction.receipt,
        "trxDate": f"{in_nairobi(transaction.at):%Y-%m-%dT%H:%M:%SZ}",
        "msisdn": f"{transaction.phone[:4]}*****{transaction.phone[-3:]}",
        "sender": "MPESA",
        "transactiontype": "c2b-pay-bill-debit",
        "billreference": transaction.account,
        "amount": f"{transaction.amount}.00",
        "organizationname": "Simulator",
    }


def _describe_state(engine: Engine, prompt: Prompt) -> dict[str, str]:
    code, text = "4999", "The transaction is still under processing"
    if not prompt.open:
        code = "1037" if engine.switches.query_lie and prompt.charged else prompt.result_code
        text = QUERY_TEXTS.get(code, "An error that has no name here.")
    return {
        "ResponseCode": "0",
        "ResponseDescription": "The service request has been accepted successfully",
        "MerchantRequestID": prompt.merchant_request_id,
        "CheckoutRequestID": prompt.checkout_request_id,
        "ResultCode": code,
        "ResultDesc": text,
    }


def _compute_age(engine: Engine, prompt: Prompt) -> float:
    return engine.stopwatch.read() - prompt.requested_reading


async def _read_fields(engine: Engine, request: Request, patterns: dict[str, str]) -> dict[str, str]:
    """Return the fields as text, also if they came as numbers. Raises Refused for the first invalid one."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer":
        raise problems.INVALID_HEADER
    if not engine.token_is_good(token):
        raise problems.INVALID_TOKEN
    if not request.headers.get("Content-Type", "").startswith("application/json"):
        # Daraja treats a form-encoded body like one without any field.
        raise invalid_field("BusinessShortCode")
    content = await _read_json(request)
    return {name: _read_field(content, name, pattern) for name, pattern in patterns.items()}


async def _read_json(request: Request) -> dict[str, Any]:
    try:
        content = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise problems.INVALID_PAYLOAD from None
    if not isinstance(content, dict):
        raise problems.INVALID_PAYLOAD
    return content


def _read_field(content: dict[str, Any], name: str, pattern: str) -> str:
    try:
        text = as_text(content.get(name))
    except ValueError:
        raise invalid_field(name) from None
    if not re.fullmatch(pattern, text, re.ASCII):
        raise invalid_field(name)
    return text


def _check_password(engine: Engine, fields: dict[str, str]) -> None:
    config = engine.config
    if fields["BusinessShortCode"] != config.shortcode:
        raise problems.NO_MERCHANT
    wanted = password(config.shortcode, config.passkey, fields["Timestamp"])
    if not secrets.compare_digest(fields["Password"].encode(), wanted.encode()):
        raise problems.WRONG_CREDENTIALS
