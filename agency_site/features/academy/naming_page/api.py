"""The page on which a buyer names learners, as the server answers it, and its form as browsers post it without scripts."""

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.features.academy.naming_page.state import SAVED, NamingPage
from agency_site.features.academy.naming_page.view import naming, unknown_order
from agency_site.site.layout.private_link import PrivatePage
from agency_site.site.layout.served_pages import Posted
from agency_site.ui.server_html import new_state

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage("/order/-/learners", unknown_order())


@pages.get("/order/{token}/learners")
async def show_places(token: str, request: Request) -> Response:
    state = new_state(NamingPage)
    await state._open(token, request.query_params)
    return _PAGE.show(request, state, naming)


@pages.post("/order/{token}/learners")
async def post_learners(token: str, request: Request, posted: Posted) -> Response:
    state = new_state(NamingPage)
    await state._open(token, {})
    await state._name(posted, token, address_of(request), admit_post)
    return _PAGE.answer(
        request, state, naming, done=f"{state.link}?{SAVED}" if state.done else "", status=422
    )
