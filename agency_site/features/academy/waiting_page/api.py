"""The pages of waiting lists as the server answers them, and their forms as browsers post them without scripts."""

from fastapi import APIRouter, Depends, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.features.academy.waiting_page.state import CONFIRMED, JOINED, LEFT, WaitingForm, WaitingPage
from agency_site.features.academy.waiting_page.view import (
    UNKNOWN_ENTRY,
    UNKNOWN_LIST,
    waiting,
    waiting_form,
)
from agency_site.site.layout.private_link import PrivatePage
from agency_site.site.layout.served_pages import Posted, refuse_other_sites
from agency_site.ui.server_html import new_state

pages = APIRouter(include_in_schema=False)

_LIST, _ENTRY = PrivatePage("/waiting-list/-", UNKNOWN_LIST), PrivatePage("/waiting/-", UNKNOWN_ENTRY)


@pages.get("/waiting-list/{run}")
async def show_list(run: str, request: Request) -> Response:
    state = new_state(WaitingForm)
    await state._open(run, request.query_params)
    return _LIST.show(request, state, waiting_form)


@pages.post("/waiting-list/{run}")
async def post_joining(run: str, request: Request, posted: Posted) -> Response:
    state = new_state(WaitingForm)
    await state._open(run, {})
    await state._join(run, posted, address_of(request), admit_post)
    done = f"{state.link}?{JOINED}" if state.answer else ""
    return _LIST.answer(request, state, waiting_form, posted, done=done, status=422)


@pages.get("/waiting/{token}")
async def show_entry(token: str, request: Request) -> Response:
    state = new_state(WaitingPage)
    await state._open(token, request.query_params)
    return _ENTRY.show(request, state, waiting)


@pages.post("/waiting/{token}/confirm", dependencies=[Depends(refuse_other_sites)])
async def post_confirming(token: str, request: Request) -> Response:
    state = new_state(WaitingPage)
    await state._open(token, {})
    await state._confirm(token)
    return _ENTRY.answer(request, state, waiting, done=f"{state.link}?{CONFIRMED}" if state.done else "")


@pages.post("/waiting/{token}/leave", dependencies=[Depends(refuse_other_sites)])
async def post_leaving(token: str, request: Request) -> Response:
    state = new_state(WaitingPage)
    await state._open(token, {})
    await state._leave(token)
    return _ENTRY.answer(request, state, waiting, done=f"{state.link}?{LEFT}" if state.done else "")
