"""Error responses from outside the application: JSON for programs, a page for browsers."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from agency_site.accept_headers import wants_html
from agency_site.site.layout.plain_page import private_page
from agency_site.web.middleware.request_ids import request_id

_HEADINGS = {
    408: "That took too long to arrive",
    413: "That is more than we can take at once",
    429: "One moment, please",
    500: "Unexpected Application Error!",
}
_TEMPLATES = Path(__file__).parent / "templates"


def error_response(
    scope: Scope, status: int, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with `status`, `message` and the request's id, in the media type that the request accepts."""
    reference = request_id()
    if wants_html(Headers(scope=scope).get("accept", "")):
        heading = _HEADINGS.get(status, HTTPStatus(status).phrase)
        response = private_page(
            _TEMPLATES,
            "plain_refused.html",
            status,
            code=status,
            heading=heading,
            message=message,
            reference=reference if status >= 500 else "",
        )
    else:
        body = {"message": message} | ({"request_id": reference} if reference else {})
        response = JSONResponse(body, status)
    response.headers.update({"Cache-Control": "no-store"} | dict(headers or {}))
    return response
