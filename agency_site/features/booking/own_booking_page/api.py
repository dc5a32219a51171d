"""A booking's private page, and the forms that move and cancel it."""

from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response

from agency_site.db.engine import session_scope
from agency_site.errors import SiteError
from agency_site.features.booking.booking_page.api import find_asked_times, parse_month, read_asked_times
from agency_site.features.booking.bookings.usecases import cancel, find_by_token, move
from agency_site.features.booking.own_booking_page.view import (
    UNKNOWN_BOOKING,
    cancel_question,
    describe_done,
    move_question,
    own_booking,
)
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.form_input import parse_date, parse_time
from agency_site.site.layout.private_page import PrivatePage, find_record, try_change
from agency_site.site.layout.served_pages import Posted, refuse_other_sites, see_other

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/booking/{token}",
    title="Your consultation",
    description="See, move or cancel your consultation.",
    unknown=UNKNOWN_BOOKING,
)


@pages.get(_PAGE.path)
async def show_booking(token: str, request: Request) -> Response:
    """The booking; `move` or `cancel` in the address opens that question."""
    found, link, asked = await find_record(find_by_token, token), f"/booking/{token}", request.query_params
    if found is None:
        return _PAGE.show(request, None)
    question = None
    if "move" in asked:
        question = move_question(await find_asked_times(asked), link, parse_month(asked))
    elif "cancel" in asked:
        question = cancel_question(found, link)
    return _PAGE.show(request, own_booking(found, link, question, done=describe_done(found, asked)))


@pages.get(f"{_PAGE.path}/move")
async def leave_move(token: str, request: Request) -> Response:
    """The address of an answer, opened once more."""
    return see_other(f"/booking/{quote(token)}?move&{request.url.query}")


@pages.post(f"{_PAGE.path}/move")
async def post_move(token: str, request: Request, posted: Posted) -> Response:
    link = f"/booking/{token}"
    if asked := read_asked_times(request, posted):
        found, times = await find_record(find_by_token, token), await find_asked_times(asked, posted)
        content = own_booking(found, link, move_question(times, link, parse_month(asked))) if found else None
        return _PAGE.show(request, content)
    try:
        start = slot_start(parse_date(posted.get("date", "")), parse_time(posted.get("time", "")))
        async with session_scope() as session:
            await move(session, token, start)
    except (SiteError, ValueError) as refused:
        found, times = await find_record(find_by_token, token), await find_asked_times(posted)
        failure = refused.message if isinstance(refused, SiteError) else str(refused)
        content = own_booking(found, link, move_question(times, link), failure=failure) if found else None
        return _PAGE.refuse(request, content)
    return see_other(f"{link}?moved")


@pages.post(f"{_PAGE.path}/cancel", dependencies=[Depends(refuse_other_sites)])
async def post_cancellation(token: str, request: Request) -> Response:
    link = f"/booking/{token}"
    if failure := await try_change(cancel, token):
        found = await find_record(find_by_token, token)
        return _PAGE.refuse(request, own_booking(found, link, failure=failure) if found else None)
    return see_other(f"{link}?cancelled")
