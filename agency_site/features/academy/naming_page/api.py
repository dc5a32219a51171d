"""The page on which a buyer names learners, and its form."""

from fastapi import APIRouter, Request, Response
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.antispam.admission import admit_post
from agency_site.antispam.rules import Form
from agency_site.client_address import address_of
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, InputRejected, SiteError
from agency_site.features.academy.learners.naming import OrderPlaces, find_places, name_learners
from agency_site.features.academy.naming_page.view import UNKNOWN, learner_names
from agency_site.site.layout.form_results import has_result, see_result
from agency_site.site.layout.private_page import PrivatePage, find_record
from agency_site.site.layout.served_pages import Posted

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/order/{token}/learners",
    title="Learners' names",
    description="Name the learners of your order.",
    unknown=UNKNOWN,
)
_SAVED = "saved"
"""Query parameter of the address to which the posted form redirects."""


@pages.get(_PAGE.path)
async def show_places(token: str, request: Request) -> Response:
    places = await find_record(_find_open_places, token)
    has_saved = has_result(request, _SAVED) and isinstance(places, OrderPlaces)
    done = "Saved. New learners will get an e-mail." if has_saved else ""
    return _PAGE.show(request, None if places is None else learner_names(places, token, done=done))


@pages.post(_PAGE.path)
async def post_learners(token: str, request: Request, posted: Posted) -> Response:
    try:
        await admit_post(Form.LEARNERS, posted, address_of(request))
        async with session_scope() as session:
            await name_learners(session, token, posted)
    except SiteError as refused:
        errors = refused.by_field() if isinstance(refused, InputRejected) else {}
        places = await find_record(_find_open_places, token)
        content = (
            None if places is None else learner_names(places, token, failure=refused.message, errors=errors)
        )
        return _PAGE.refuse(request, content, posted, status=422)
    return see_result(f"/order/{token}/learners", _SAVED)


async def _find_open_places(session: AsyncSession, token: str) -> OrderPlaces | str:
    """Return the places, or why learners cannot be named."""
    try:
        return await find_places(session, token)
    except Conflict as refused:
        return refused.message
