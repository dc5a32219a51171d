"""A booking's private page, and the forms that move and cancel it."""

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response

from agency_site.db.engine import session_scope
from agency_site.errors import SiteError
from agency_site.features.booking.booking_page.api import build_form, find_choice, read_calendar_query
from agency_site.features.booking.booking_page.state import BookingForm, load_calendar
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.bookings.usecases import cancel, find_by_token, move, wish_of_move
from agency_site.features.booking.own_booking_page.view import (
    ANY_PERSON,
    UNKNOWN_BOOKING,
    cancellation_form,
    describe_result,
    move_form,
    own_booking,
)
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.form_input import parse_date, parse_time
from agency_site.site.layout.private_page import PrivatePage, find_record, try_change
from agency_site.site.layout.served_pages import Posted, refuse_other_sites, see_other

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/booking/{token}",
    title="Your consultation",
    description="View, move or cancel your consultation.",
    unknown=UNKNOWN_BOOKING,
)


@pages.get(_PAGE.path)
async def show_booking(token: str, request: Request) -> Response:
    """Serve the booking. `move` or `cancel` in the address opens that form."""
    booking, link, query = await find_record(find_by_token, token), f"/booking/{token}", request.query_params
    if booking is None:
        return _PAGE.show(request, None)
    form = None
    if "move" in query:
        form = move_form(booking, link, *await _find_times(booking, query))
    elif "cancel" in query:
        form = cancellation_form(booking, link)
    return _PAGE.show(request, own_booking(booking, link, form, done=describe_result(booking, query)))


@pages.get(f"{_PAGE.path}/move")
async def redirect_move(token: str, request: Request) -> Response:
    """Redirect a visitor who reloads the address of a rejected form."""
    return see_other(f"/booking/{quote(token)}?move&{request.url.query}")


@pages.post(f"{_PAGE.path}/move")
async def post_move(token: str, request: Request, posted: Posted) -> Response:
    link = f"/booking/{token}"
    if query := read_calendar_query(request, posted):
        if (booking := await find_record(find_by_token, token)) is None:
            return _PAGE.show(request, None)
        form = move_form(booking, link, *await _find_times(booking, find_choice(query, posted), posted))
        return _PAGE.show(request, own_booking(booking, link, form))
    try:
        start = slot_start(parse_date(posted.get("date", "")), parse_time(posted.get("time", "")))
        async with session_scope() as session:
            booking = await find_by_token(session, token)
            await move(session, token, start, _read_wish(booking, posted))
    except (SiteError, ValueError) as error:
        if (booking := await find_record(find_by_token, token)) is None:
            return _PAGE.refuse(request, None)
        failure = error.message if isinstance(error, SiteError) else str(error)
        form = move_form(booking, link, *await _find_times(booking, posted))
        return _PAGE.refuse(request, own_booking(booking, link, form, failure=failure))
    return see_other(f"{link}?moved")


def _read_wish(booking: Booking, values: Mapping[str, str]) -> Wish:
    """Return the choices of the visitor: another person takes the consultation only if the visitor agrees."""
    return Wish(booking.way) if values.get("person") == ANY_PERSON else wish_of_move(booking)


async def _find_times(
    booking: Booking, chosen: Mapping[str, str], posted: Mapping[str, str] | None = None
) -> tuple[BookingForm, Wish]:
    """Return the chosen day with the times to which the booking can move, and the choices for which they are free."""
    wish = _read_wish(booking, posted or chosen)
    return build_form(await load_calendar(wish), wish, chosen), wish


@pages.post(f"{_PAGE.path}/cancel", dependencies=[Depends(refuse_other_sites)])
async def post_cancellation(token: str, request: Request) -> Response:
    link = f"/booking/{token}"
    if failure := await try_change(cancel, token):
        booking = await find_record(find_by_token, token)
        return _PAGE.refuse(request, own_booking(booking, link, failure=failure) if booking else None)
    return see_other(f"{link}?cancelled")
