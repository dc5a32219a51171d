"""The HTTP interface of payments, M-Pesa's callbacks, and the PDF documents. Each error carries a message for the visitor."""

import asyncio
import hmac
import json
import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Path, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from agency_site.antispam.admission import enforce_form_limits, enforce_recipient_limits
from agency_site.antispam.rules import Form
from agency_site.client_address import address_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.outages import is_outage
from agency_site.errors import InputRejected, NotFound, SiteError, TooManyRequests
from agency_site.features.checkout.buying.idempotency import RequestKey, find_payment_of_key, parse_key
from agency_site.features.checkout.buying.order_status import (
    INVALID,
    ShownState,
    find_credit_note,
    find_invoice,
    find_payment_status,
    find_receipt,
)
from agency_site.features.checkout.buying.usecases import start_payment
from agency_site.features.checkout.direct_payments.paybill import receive_confirmation, validate_payment
from agency_site.features.checkout.documents.rendering import credit_note_pdf, invoice_pdf, receipt_pdf
from agency_site.features.checkout.inbox.callbacks import receive_callback
from agency_site.features.checkout.orders.request import CheckoutRequest
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED, OrderExists
from agency_site.features.checkout.payments.documents import MOST_REFUNDS
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import PaymentFailed, PaymentUncertain
from agency_site.mpesa.contract import Gateway, Verdict
from agency_site.mpesa.errors import MalformedCallback
from agency_site.request_body import read_body
from agency_site.settings import settings
from agency_site.visits.cookie import origin_of

_LARGEST_CALLBACK = 64 * 1024
_STKPUSH = "stkpush"
_ATTEMPT = re.compile(r"[0-9a-f]{32}")

router = APIRouter(prefix="/api", tags=["payment"])


class Started(BaseModel):
    """M-Pesa has accepted the request: a prompt is on its way. Never means paid."""

    CustomerMessage: str
    MerchantRequestID: str = Field(description="Ask for the status with it")
    CheckoutRequestID: str
    reference: str = Field(examples=["EN-7F3K9Q"])
    amount: int = Field(description="Charged, in whole shillings", examples=[30000])


class Refused(BaseModel):
    """The reason why no payment could be started."""

    message: str = Field(examples=[PAYMENT_FAILED])
    detail: str = Field("", description="The reason, for the payer")
    reference: str = Field("", description="The stored order")


class Status(BaseModel):
    """The state of a payment."""

    status: str = Field(description="`payment valid` once paid, else `payment invalid`")
    state: ShownState
    detail: str = Field(description="What happened and what to do next")


class UnknownPayment(BaseModel):
    """There is no payment with that ID."""

    status: str = Field(examples=[INVALID])
    message: str


class Acknowledgement(BaseModel):
    """The response that Daraja expects."""

    ResultCode: int = 0
    ResultDesc: str = "Accepted"


_REFUSED: dict[int | str, dict[str, Any]] = {
    200: {"model": Started},
    409: {
        "model": Refused,
        "description": "An earlier order for the course with this e-mail address is paid or may still be, and "
        "`previousOrder` does not name it; or the key was used with another request",
    },
    429: {"model": Refused, "description": "The phone has been sent too many prompts; see `Retry-After`"},
    502: {"model": Refused, "description": "M-Pesa refused, is down, or did not answer"},
    503: {
        "model": Refused,
        "description": "The database is down; `detail` says whether a prompt may have been sent; see `Retry-After`",
    },
}


async def mpesa() -> Gateway:
    """Return the client of M-Pesa; it is a dependency so that tests can replace it."""
    return gateway(session_scope)


Mpesa = Annotated[Gateway, Depends(mpesa)]
Key = Annotated[
    str | None, Header(alias="Idempotency-Key", description="Repeats of a request carry the same key")
]


@router.post("/stkpush", summary="Pay for a course", responses=_REFUSED)
async def stkpush(
    request: CheckoutRequest, client: Mpesa, call: Request, idempotency_key: Key = None
) -> JSONResponse:
    """Send the M-Pesa prompt to the payer's phone. The price list decides the amount; any other amount is rejected."""
    key = None
    if idempotency_key is not None:
        key = parse_key(_STKPUSH, idempotency_key, request.model_dump_json())
    if not await _is_repeated(key):
        await enforce_form_limits(Form.PAYMENT, address_of(call))
        await enforce_recipient_limits(Form.PAYMENT, address_of(call), request.email)
    secret = f"{key.route} {key.key}" if key else ""
    try:
        started = await start_payment(
            session_scope,
            client,
            request.from_visit(origin_of(call)),
            client=secret,
            key=key,
            address=address_of(call),
        )
    except TooManyRequests:
        raise
    except SiteError as error:
        later = getattr(error, "retry_after", None)
        headers = {"Retry-After": str(later)} if later else None
        return JSONResponse(_describe_error(error), error.status, headers)
    body = Started(
        CustomerMessage=started.customer_message,
        MerchantRequestID=started.merchant_request_id,
        CheckoutRequestID=started.checkout_request_id,
        reference=started.reference,
        amount=started.amount,
    )
    return JSONResponse(body.model_dump())


async def _is_repeated(key: RequestKey | None) -> bool:
    if key is None:
        return False
    async with read_scope() as session:
        return await find_payment_of_key(session, key) is not None


def _describe_error(error: SiteError) -> dict[str, Any]:
    body: dict[str, Any] = {"message": error.message}
    if isinstance(error, InputRejected) and error.errors:
        body["errors"] = [
            {"field": field_error.field, "message": field_error.message} for field_error in error.errors
        ]
    if isinstance(error, PaymentFailed | PaymentUncertain):
        body |= {"detail": error.reason, "reference": error.reference}
    if isinstance(error, OrderExists) and error.reference:
        body["reference"] = error.reference
    return body


@router.get(
    "/check-payment-status/{merchantRequestId}",
    summary="The state of a payment",
    responses={200: {"model": Status}, 404: {"model": UnknownPayment}},
)
async def check_payment_status(
    merchant_request_id: Annotated[str, Path(alias="merchantRequestId")],
) -> JSONResponse:
    """Return the stored state. The server queries M-Pesa in the background, never during this request."""
    try:
        async with read_scope() as session:
            payment = await find_payment_status(session, merchant_request_id)
    except NotFound as error:
        return JSONResponse({"status": INVALID, "message": error.message}, status_code=404)
    return JSONResponse({"status": payment.status, "state": payment.state.value, "detail": payment.detail})


@router.post("/mpesa/callback/{secret}/{attempt}", include_in_schema=False)
async def callback(request: Request, secret: str, attempt: str) -> Response:
    """Store and handle Daraja's callback. The response is the same for new, repeated and wrong callbacks.

    The address contains the attempt key of a push; without one there is no such address.
    """
    if not _ATTEMPT.fullmatch(attempt):
        raise NotFound("Not Found")
    body = await _read_report(request, secret)
    # The sender's address is only recorded: Daraja publishes no list of addresses that we could check it against.
    await receive_callback(session_scope, body, attempt, address_of(request))
    return JSONResponse(Acknowledgement().model_dump())


@router.post("/paybill/{secret}/confirmation", include_in_schema=False)
async def confirmation(request: Request, secret: str) -> Response:
    """Store a payment to our Paybill that a customer made by hand."""
    body = await _read_report(request, secret)
    try:
        await receive_confirmation(session_scope, body)
    except MalformedCallback as error:
        raise HTTPException(400, f"The body states no payment: {error.detail}.") from None
    return JSONResponse(Acknowledgement().model_dump())


@router.post("/paybill/{secret}/validation", include_in_schema=False)
async def validation(request: Request, secret: str) -> Response:
    """Answer whether M-Pesa should take a payment by hand. During a database outage it should: rejecting loses the sale."""
    body = await _read_report(request, secret)
    try:
        async with read_scope() as session:
            verdict = await validate_payment(session, body)
    except Exception as error:
        if not is_outage(error):
            raise
        verdict = Verdict.ACCEPTED
    described = "Accepted" if verdict is Verdict.ACCEPTED else "Rejected"
    return JSONResponse({"ResultCode": verdict.value, "ResultDesc": described})


async def _read_report(request: Request, secret: str) -> bytes:
    """Return the JSON that M-Pesa sent. Raises NotFound for a wrong secret, HTTPException if it is too large or not JSON."""
    guess = secret.encode(errors="replace")
    if not any(
        hmac.compare_digest(guess, callback_secret.encode())
        for callback_secret in settings().callback_secrets
    ):
        raise NotFound("Not Found")
    try:
        body = await read_body(request, _LARGEST_CALLBACK)
    except InputRejected:
        raise HTTPException(413, "The body is too large.") from None
    if not _is_json(body):
        raise HTTPException(400, "The body is not JSON.")
    return body


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


@router.get(
    "/orders/{token}/receipt.pdf",
    summary="The receipt of a paid order",
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}}, 404: {"model": Refused}},
)
async def receipt(token: str) -> Response:
    """Return the PDF receipt; the order's private link gives access to it."""
    async with read_scope() as session:
        details = await find_receipt(session, token)
    return _send_pdf(await asyncio.to_thread(receipt_pdf, details), f"receipt-{details.reference}.pdf")


@router.get(
    "/orders/{token}/invoice.pdf",
    summary="The invoice of an order that a company pays for",
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}}, 404: {"model": Refused}},
)
async def invoice(token: str) -> Response:
    """Return the PDF invoice, also before anything is paid; the order's private link gives access to it."""
    async with read_scope() as session:
        details = await find_invoice(session, token)
    return _send_pdf(await asyncio.to_thread(invoice_pdf, details), f"invoice-{details.reference}.pdf")


@router.get(
    "/orders/{token}/credit-notes/{number}.pdf",
    summary="The credit note of a refund",
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}}, 404: {"model": Refused}},
)
async def credit_note(token: str, number: Annotated[int, Path(ge=1, le=MOST_REFUNDS)]) -> Response:
    """Return the PDF credit note of a refund by the order's private link. The refunds of an order are numbered from 1."""
    async with read_scope() as session:
        details = await find_credit_note(session, token, number)
    return _send_pdf(await asyncio.to_thread(credit_note_pdf, details), f"credit-note-{details.number}.pdf")


def _send_pdf(pdf: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"}
    return Response(pdf, media_type="application/pdf", headers=headers)
