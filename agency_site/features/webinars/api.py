"""The pages of webinars with their free seats, and the registration form without scripts."""

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.published import kept_until_changed
from agency_site.content.webinars import Webinar, webinars
from agency_site.errors import NotFound
from agency_site.features.webinars.page import RESERVED_PAGE
from agency_site.features.webinars.registration_page.view import RESERVED
from agency_site.features.webinars.state import RegistrationForm
from agency_site.features.webinars.view import REGION, registration_panel
from agency_site.site.layout.served_pages import (
    Drawing,
    Posted,
    page_response,
    posted_page,
    published_page,
    see_other,
)
from agency_site.ui.server_html import describe_states, new_state, render_html
from agency_site.visits.cookie import origin_of

pages = APIRouter(include_in_schema=False)


def _find_webinar(path: str) -> Webinar | None:
    """Return the webinar whose page is at that path; None if there is none."""
    return next((webinar for webinar in webinars() if webinar.href == path), None)


async def show_webinar(request: Request) -> Response:
    webinar, form = _find_webinar(request.url.path), new_state(RegistrationForm)
    if webinar is None or not webinar.is_coming:
        return published_page(request)
    await form._open(webinar.id)
    if not form.closed:
        return published_page(request)
    drawing = _draw_closed_form(webinar, form.closed)
    return page_response(request, webinar.href, drawing.regions, states=drawing.states)


@kept_until_changed(64)
def _draw_closed_form(webinar: Webinar, closed: str) -> Drawing:
    """Draw the form of a webinar whose registration is closed."""
    form = new_state(RegistrationForm)
    form.webinar, form.closed = webinar.id, closed
    return Drawing({REGION: render_html(registration_panel(webinar, form))}, describe_states(form))


async def post_registration(request: Request, posted: Posted) -> Response:
    webinar, form = _find_webinar(request.url.path), new_state(RegistrationForm)
    if webinar is None:
        raise NotFound("There is no such webinar.")
    await form._open(webinar.id)
    token = await form._register(posted, address_of(request), admit_post, origin_of(request))
    if form.failure:
        region = render_html(registration_panel(webinar, form), posted)
        return posted_page(request, webinar.href, {REGION: region}, states=describe_states(form))
    return see_other(f"/registration/{token}?{RESERVED}" if token else RESERVED_PAGE)


class _WebinarRoute(APIRoute):
    """A route for the addresses of webinars only; the site's 404 page answers others."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches(scope) if _find_webinar(scope["path"]) else (Match.NONE, {})


pages.add_api_route("/webinar/{webinar}", show_webinar, route_class_override=_WebinarRoute)
pages.add_api_route(
    "/webinar/{webinar}", post_registration, methods=["POST"], route_class_override=_WebinarRoute
)
