"""The pages of webinars with their free seats, and the registration form without scripts."""

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.published import kept_until_changed
from agency_site.content.webinars import WEBINARS
from agency_site.features.webinars.page import RESERVED_PAGE
from agency_site.features.webinars.registration_page.view import RESERVED
from agency_site.features.webinars.state import RegistrationForm
from agency_site.features.webinars.view import REGION, registration_form
from agency_site.site.layout.served_pages import (
    Posted,
    page_response,
    posted_page,
    published_page,
    see_other,
)
from agency_site.ui.server_html import new_state, render_html

pages = APIRouter(include_in_schema=False)

_WEBINARS = {webinar.href: webinar for webinar in WEBINARS}


async def show_webinar(request: Request) -> Response:
    webinar, form = _WEBINARS[request.url.path], new_state(RegistrationForm)
    await form._open(webinar.id)
    if not form.closed:
        return published_page(request)
    return page_response(request, webinar.href, {REGION: _render_closed_form(webinar.href, form.closed)})


@kept_until_changed(64)
def _render_closed_form(path: str, closed: str) -> str:
    """Render the form of a webinar whose registration is closed."""
    webinar, form = _WEBINARS[path], new_state(RegistrationForm)
    form.webinar, form.closed = webinar.id, closed
    return render_html(registration_form(webinar, form))


async def post_registration(request: Request, posted: Posted) -> Response:
    webinar, form = _WEBINARS[request.url.path], new_state(RegistrationForm)
    await form._open(webinar.id)
    token = await form._register(posted, address_of(request), admit_post)
    if form.failure:
        region = render_html(registration_form(webinar, form), posted)
        return posted_page(request, webinar.href, {REGION: region})
    return see_other(f"/registration/{token}?{RESERVED}" if token else RESERVED_PAGE)


for _path in _WEBINARS:
    # One route for each webinar: any other address is answered by the site's 404 page.
    pages.add_api_route(_path, show_webinar)
    pages.add_api_route(_path, post_registration, methods=["POST"])
