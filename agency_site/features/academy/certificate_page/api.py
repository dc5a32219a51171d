"""The public page of a certificate."""

from fastapi import APIRouter, Request, Response

from agency_site.features.academy.certificate_page.view import UNKNOWN_CERTIFICATE, certificate
from agency_site.features.academy.certificates.usecases import find_certificate
from agency_site.site.layout.private_page import PrivatePage, find_record

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/certificate/{serial}",
    title="Certificate",
    description="Check whether a certificate of ours is valid.",
    unknown=UNKNOWN_CERTIFICATE,
    width="",
)


@pages.get(_PAGE.path)
async def show_certificate(serial: str, request: Request) -> Response:
    record = await find_record(find_certificate, serial)
    return _PAGE.show(request, certificate(record) if record else None)
