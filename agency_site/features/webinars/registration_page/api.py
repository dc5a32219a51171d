"""The private page of a registration, and the form that cancels the seat."""

from fastapi import APIRouter, Depends, Request, Response

from agency_site.features.webinars.registration_page.view import (
    CANCELLED,
    UNKNOWN_REGISTRATION,
    describe_result,
    own_registration,
)
from agency_site.features.webinars.usecases import cancel_by_token, find_registration_by_token
from agency_site.site.layout.private_page import PrivatePage, find_record, try_change
from agency_site.site.layout.served_pages import refuse_other_sites, see_other

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/registration/{token}",
    title="Your seat",
    description="See your seat in a webinar or cancel it.",
    unknown=UNKNOWN_REGISTRATION,
)


@pages.get(_PAGE.path)
async def show_registration(token: str, request: Request) -> Response:
    record = await find_record(find_registration_by_token, token)
    if record is None:
        return _PAGE.show(request, None)
    return _PAGE.show(
        request, own_registration(record, token, done=describe_result(record, request.query_params))
    )


@pages.post(f"{_PAGE.path}/cancel", dependencies=[Depends(refuse_other_sites)])
async def post_cancellation(token: str, request: Request) -> Response:
    if failure := await try_change(cancel_by_token, token):
        record = await find_record(find_registration_by_token, token)
        return _PAGE.refuse(request, own_registration(record, token, failure=failure) if record else None)
    return see_other(f"/registration/{token}?{CANCELLED}")
