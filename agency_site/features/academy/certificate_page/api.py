"""The public page of a certificate as the server answers it."""

from fastapi import APIRouter, Request, Response

from agency_site.features.academy.certificate_page.state import CertificatePage
from agency_site.features.academy.certificate_page.view import UNKNOWN_CERTIFICATE, certificate
from agency_site.site.layout.private_link import PrivatePage
from agency_site.ui.server_html import new_state

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage("/certificate/-", UNKNOWN_CERTIFICATE)


@pages.get("/certificate/{serial}")
async def show_certificate(serial: str, request: Request) -> Response:
    state = new_state(CertificatePage)
    await state._open(serial)
    return _PAGE.show(request, state, certificate)
