"""The private order page as the server answers it, and another attempt to pay without scripts."""

from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.features.checkout.order_page.state import OrderPageState
from agency_site.features.checkout.order_page.view import order, unknown_order
from agency_site.features.checkout.payment_page.state import NUMBER
from agency_site.site.layout.private_link import posted_private_link, private_link_response
from agency_site.site.layout.served_pages import Posted, see_other
from agency_site.ui.server_html import new_state

pages = APIRouter(include_in_schema=False)

_PATH = "/order/-"
_REFRESH = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
"""Until the payment is final."""


@pages.get("/order/{token}")
async def show_order(token: str, request: Request) -> Response:
    state = new_state(OrderPageState)
    await state._open_without_scripts(token)
    if not state.exists:
        return private_link_response(request, _PATH, unknown_order(), status=404)
    return private_link_response(request, _PATH, order(state), head=_REFRESH if state.polling else "")


@pages.get("/order/{token}/retry")
async def leave_retry(token: str) -> Response:
    """The address of an answer, opened once more."""
    return see_other(f"/order/{quote(token)}")


@pages.post("/order/{token}/retry")
async def post_retry(token: str, request: Request, posted: Posted) -> Response:
    """What was sent to M-Pesa is shown by the page itself, a refusal by the answer."""
    state = new_state(OrderPageState)
    await state._retry(posted, token, address_of(request), admit_post)
    await state._open_without_scripts(token)
    if not state.exists:
        return posted_private_link(request, _PATH, unknown_order(), 404)
    if state.reason or state.number_error:
        return posted_private_link(request, _PATH, order(state, posted.get(NUMBER, "")), 422)
    return see_other(state.link)
