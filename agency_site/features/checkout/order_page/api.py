"""The private order page as the server answers it, and another attempt to pay without scripts."""

from functools import partial
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy.exc import SQLAlchemyError

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.db.outages import is_outage
from agency_site.errors import Unavailable
from agency_site.features.checkout.order_page.state import OrderPageState
from agency_site.features.checkout.order_page.view import order, unknown_order
from agency_site.features.checkout.payment_page.state import NUMBER
from agency_site.site.layout.private_link import PrivatePage
from agency_site.site.layout.served_pages import Posted, refuse_other_sites, see_other
from agency_site.ui.server_html import new_state

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage("/order/-", unknown_order())
_REFRESH = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
"""Until the payment is final."""


@pages.get("/order/{token}")
async def show_order(token: str, request: Request) -> Response:
    state = new_state(OrderPageState)
    await state._open_without_scripts(token)
    return _PAGE.show(request, state, order, head=_REFRESH if state.polling else "")


@pages.get("/order/{token}/retry")
async def leave_retry(token: str) -> Response:
    """The address of an answer, opened once more."""
    return see_other(f"/order/{quote(token)}")


@pages.get("/order/{token}/company")
async def leave_company(token: str) -> Response:
    """The address of an answer, opened once more."""
    return see_other(f"/order/{quote(token)}")


@pages.post("/order/{token}/company")
async def post_company(token: str, request: Request, posted: Posted) -> Response:
    """Who gets the invoice; what is wrong with it is said by the answer, which keeps what was typed."""
    state = new_state(OrderPageState)
    await state._add_company(posted, token, address_of(request), admit_post)
    await state._open_without_scripts(token)
    refused = not state.exists or state.failure or state.company_errors
    return _PAGE.answer(request, state, order, done="" if refused else f"/order/{quote(token)}", status=422)


@pages.get("/order/{token}/confirm")
async def leave_confirmation(token: str) -> Response:
    """The address of an answer, opened once more."""
    return see_other(f"/order/{quote(token)}")


@pages.post("/order/{token}/confirm", dependencies=[Depends(refuse_other_sites)])
async def post_confirmation(token: str, request: Request) -> Response:
    """Take the place in a free course. A link that is only opened, as by a mail scanner, takes none."""
    state = new_state(OrderPageState)
    await state._confirm_place(token)
    await state._open_without_scripts(token)
    return _PAGE.answer(request, state, order, done="" if state.failure else state.link, status=409)


@pages.post("/order/{token}/retry")
async def post_retry(token: str, request: Request, posted: Posted) -> Response:
    """What was sent to M-Pesa is shown by the page itself, a refusal by the answer."""
    state = new_state(OrderPageState)
    await state._retry(posted, token, address_of(request), admit_post)
    try:
        await state._open_without_scripts(token)
    except SQLAlchemyError as error:
        if state.failure and is_outage(error):
            raise Unavailable(state.reason or state.failure) from error
        raise
    refused = not state.exists or state.reason or state.number_error
    draw = partial(order, number=posted.get(NUMBER, ""))
    return _PAGE.answer(request, state, draw, done="" if refused else state.link, status=422)
