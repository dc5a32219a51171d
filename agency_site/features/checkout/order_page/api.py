"""Routes of the private order page and its forms: confirm a free place, pay again, add a company."""

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy.exc import SQLAlchemyError

from agency_site.antispam.admission import admit_post
from agency_site.antispam.rules import Form
from agency_site.client_address import address_of
from agency_site.db.engine import session_scope
from agency_site.db.outages import is_outage
from agency_site.errors import InputRejected, SiteError, Unavailable
from agency_site.features.checkout.buying.order_status import find_order
from agency_site.features.checkout.buying.usecases import add_company, confirm_free_place, retry_payment
from agency_site.features.checkout.order_page.view import UNKNOWN, Refusal, is_undecided, order_content
from agency_site.features.checkout.orders.request import Company
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED, parse_payer_phone
from agency_site.features.checkout.payment_page.state import NUMBER
from agency_site.features.checkout.payments.gateway import gateway
from agency_site.features.checkout.payments.rules import (
    PaymentFailed,
    PaymentNotStored,
    PaymentUncertain,
    PaymentUnread,
    TooManyPrompts,
)
from agency_site.form_input import read_form
from agency_site.settings import settings
from agency_site.site.layout.private_page import PrivatePage, find_record, try_change
from agency_site.site.layout.served_pages import Posted, refuse_other_sites, see_other

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/order/{token}", title="Your order", description="See the state of your order.", unknown=UNKNOWN
)


@pages.get(_PAGE.path)
async def show_order(token: str, request: Request) -> Response:
    order_view = await find_record(find_order, token)
    if order_view is None:
        return _PAGE.show(request, None)
    seconds = settings().payment_poll_seconds if is_undecided(order_view) else 0
    return _PAGE.show(request, order_content(order_view, token), refresh_seconds=seconds)


@pages.get(f"{_PAGE.path}/retry")
@pages.get(f"{_PAGE.path}/company")
@pages.get(f"{_PAGE.path}/confirm")
async def leave_answer(token: str) -> Response:
    """Redirect a reloaded answer to a form, such as a bookmarked one, to the page itself."""
    return see_other(f"/order/{quote(token)}")


@pages.post(f"{_PAGE.path}/company")
async def post_company(token: str, request: Request, posted: Posted) -> Response:
    """Store the company that gets the invoice."""
    try:
        await admit_post(Form.COMPANY, posted, address_of(request))
        company = read_form(Company, posted)
        async with session_scope() as session:
            await add_company(session, token, company)
    except SiteError as refused:
        errors = refused.by_field() if isinstance(refused, InputRejected) else {}
        refusal = Refusal("" if errors else refused.message, errors=errors, typed=posted)
        return await _refuse(request, token, refusal, 422)
    return see_other(f"/order/{quote(token)}")


@pages.post(f"{_PAGE.path}/confirm", dependencies=[Depends(refuse_other_sites)])
async def post_confirmation(token: str, request: Request) -> Response:
    """Confirm the place in a free course. Only this POST does: mail scanners open the link itself."""
    if failure := await try_change(confirm_free_place, token):
        return await _refuse(request, token, Refusal(failure), 409)
    return see_other(f"/order/{quote(token)}")


@pages.post(f"{_PAGE.path}/retry")
async def post_retry(token: str, request: Request, posted: Posted) -> Response:
    """Send another prompt if the last one can no longer be answered. The page then shows the result."""
    refusal = await _retry(token, posted, address_of(request))
    if refusal is None:
        return see_other(f"/order/{quote(token)}")
    try:
        return await _refuse(request, token, refusal, 422)
    except SQLAlchemyError as error:
        if is_outage(error):
            raise Unavailable(refusal.reason or refusal.text) from error
        raise


async def _retry(token: str, posted: Mapping[str, str], address: str) -> Refusal | None:
    try:
        await admit_post(Form.PAYMENT, posted, address)
        number = posted.get(NUMBER, "")[:40]
        payer = parse_payer_phone(number) if number else ""
        await retry_payment(session_scope, gateway(session_scope), token, payer)
    except PaymentNotStored as failed:
        return Refusal(failed.message, failed.reason, typed=posted)
    except PaymentUnread as unread:
        return Refusal(unread.reason)
    except (PaymentFailed, PaymentUncertain):
        # The page itself shows the reason, or that the payment is waiting for M-Pesa.
        return None
    except TooManyPrompts as full:
        return Refusal(PAYMENT_FAILED, errors={NUMBER: full.message}, typed=posted)
    except InputRejected as rejected:
        reason = "; ".join(error.message for error in rejected.errors) or rejected.message
        return Refusal(PAYMENT_FAILED, reason, typed=posted)
    except SiteError as refused:
        return Refusal(PAYMENT_FAILED, refused.message, typed=posted)
    return None


async def _refuse(request: Request, token: str, refusal: Refusal, status: int) -> Response:
    order_view = await find_record(find_order, token)
    return _PAGE.refuse(
        request, order_content(order_view, token, refusal) if order_view else None, status=status
    )
