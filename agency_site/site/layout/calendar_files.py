"""Responses to calendar programs, which ask again every few minutes."""

import hashlib

from fastapi import Request, Response

from agency_site.accept_headers import has_etag
from agency_site.site.layout.path_rules import PRIVATE_HEADERS


def calendar_response(request: Request, content: bytes, filename: str) -> Response:
    """Return an iCalendar file of one reader, or 304 if the program has it already."""
    etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = PRIVATE_HEADERS | {
        "ETag": etag,
        "Content-Disposition": f'inline; filename="{filename}"',
        "X-Content-Type-Options": "nosniff",
    }
    if has_etag(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="text/calendar; charset=utf-8")
