"""The pages of waiting lists, and their forms."""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Depends, Request, Response
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.antispam.admission import admit_post
from agency_site.antispam.rules import Form
from agency_site.client_address import address_of
from agency_site.db.engine import session_scope
from agency_site.errors import InputRejected, SiteError
from agency_site.features.academy.waiting_list.request import WaitingRequest
from agency_site.features.academy.waiting_list.usecases import (
    WaitingView,
    confirm_entry,
    find_closing_reason,
    find_entry,
    find_listed_run,
    join_waiting_list,
    leave_waiting_list,
)
from agency_site.features.academy.waiting_page.view import (
    UNKNOWN_ENTRY,
    UNKNOWN_LIST,
    JoinResult,
    OpenList,
    is_on_list,
    is_unconfirmed,
    waiting_entry,
    waiting_form,
)
from agency_site.form_input import read_form
from agency_site.site.layout.form_results import has_result, see_result
from agency_site.site.layout.private_page import PrivatePage, find_record, try_change
from agency_site.site.layout.served_pages import Posted, refuse_other_sites, see_other

pages = APIRouter(include_in_schema=False)

_LIST = PrivatePage(
    path="/waiting-list/{run}",
    title="Waiting list",
    description="Join the waiting list of a course run that is full.",
    unknown=UNKNOWN_LIST,
)
_ENTRY = PrivatePage(
    path="/waiting/{token}",
    title="Your place on the waiting list",
    description="See your place on the waiting list, take a place or leave.",
    unknown=UNKNOWN_ENTRY,
)
_JOINED, _CONFIRMED, _LEFT = "joined", "confirmed", "left"
"""Query parameters of the addresses to which the posted forms redirect."""


@pages.get(_LIST.path)
async def show_list(run: str, request: Request) -> Response:
    open_list = await find_record(_find_open_list, run)
    result = JoinResult(is_accepted=has_result(request, _JOINED))
    return _LIST.show(request, waiting_form(open_list, f"/waiting-list/{run}", result) if open_list else None)


@pages.post(_LIST.path)
async def post_joining(run: str, request: Request, posted: Posted) -> Response:
    try:
        await admit_post(Form.WAITING_LIST, posted, address_of(request))
        waiting_request = read_form(WaitingRequest, posted)
        async with session_scope() as session:
            await join_waiting_list(session, run.upper(), waiting_request)
    except SiteError as refused:
        errors = refused.by_field() if isinstance(refused, InputRejected) else {}
        result = JoinResult(failure=refused.message, errors=errors)
        open_list = await find_record(_find_open_list, run)
        content = waiting_form(open_list, f"/waiting-list/{run}", result) if open_list else None
        return _LIST.refuse(request, content, posted, status=422)
    return see_result(f"/waiting-list/{run}", _JOINED)


async def _find_open_list(session: AsyncSession, reference: str) -> OpenList:
    run = await find_listed_run(session, reference.upper())
    return OpenList(run, await find_closing_reason(session, run))


@pages.get(_ENTRY.path)
async def show_entry(token: str, request: Request) -> Response:
    view, query = await find_record(find_entry, token), request.query_params
    if view is None:
        return _ENTRY.show(request, None)
    done = ""
    if _LEFT in query and not is_on_list(view):
        done = "You are no longer on the waiting list."
    if _CONFIRMED in query and is_on_list(view) and not is_unconfirmed(view):
        done = "Thank you: you are on the waiting list now."
    return _ENTRY.show(request, waiting_entry(view, token, done=done))


@pages.post(f"{_ENTRY.path}/confirm", dependencies=[Depends(refuse_other_sites)])
async def post_confirming(token: str, request: Request) -> Response:
    return await _change_entry(request, token, confirm_entry, _CONFIRMED)


@pages.post(f"{_ENTRY.path}/leave", dependencies=[Depends(refuse_other_sites)])
async def post_leaving(token: str, request: Request) -> Response:
    return await _change_entry(request, token, leave_waiting_list, _LEFT)


async def _change_entry(
    request: Request, token: str, change: Callable[[AsyncSession, str], Awaitable[WaitingView]], done: str
) -> Response:
    if failure := await try_change(change, token):
        view = await find_record(find_entry, token)
        return _ENTRY.refuse(request, waiting_entry(view, token, failure=failure) if view else None)
    return see_other(f"/waiting/{token}?{done}")
