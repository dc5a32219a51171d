"""Counting views of public pages, and the cookie with the origin of a visit.

A view is a page that a browser opens: robots, prefetches, parts of pages and staff are left out. Links between pages load them
as a whole (decision 0013), so requests are all that must be counted, with one exception: a browser that has prefetched a page
sends no request when the visitor opens it. Its script then reports the view (`web/build/hydration.js`).

Not counted: pages that a browser takes from its history (the back button) or, without a network, from the service worker.
"""

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response
from starlette.types import Message, Scope, Send

from agency_site.auth.cookies import token_of
from agency_site.client_address import address_of, wide_network
from agency_site.settings import settings
from agency_site.site.layout.served_pages import PAGES, PublishedPages
from agency_site.visits.cookie import DELETION, NAME, parse_origin, write_cookie
from agency_site.visits.counter import VIEWS
from agency_site.visits.rules import NO_ORIGIN, find_host, find_origin, is_robot, split_referrer

router = APIRouter(include_in_schema=False)

_PREFETCHES = frozenset((b"sec-purpose", b"purpose", b"x-purpose", b"x-moz"))
"""Headers that browsers send only with requests for pages that the visitor may never open."""
_READ = _PREFETCHES.union((b"user-agent", b"sec-fetch-mode", b"sec-gpc", b"cookie", b"referer"))
_OPENED = (200, 304)
_LONGEST_REPORT = 500
_Headers = Mapping[bytes, bytes]


def count_views(scope: Scope, send: Send) -> Send:
    """Return `send` of a GET request for a public page, which counts the view once the page is served."""
    headers = _read_headers(scope)
    if not _is_opened_by_visitor(headers):
        return send

    async def send_counted(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] in _OPENED:
            query, referrer = scope["query_string"].decode("latin-1"), _text(headers, b"referer")
            network = wide_network(address_of(Request(scope)))
            if cookie := _count(headers, scope["path"], query, referrer, network):
                _add_cookie(message, cookie)
        await send(message)

    return send_counted


@router.post("/api/views", status_code=204)
async def report_view(request: Request, response: Response) -> None:
    """Count the view of a page that was prefetched: the page is the request's referrer, its own referrer is the body."""
    headers, page = _read_headers(request.scope), split_referrer(request.headers.get("referer", ""))
    pages: PublishedPages | None = request.scope.get(PAGES)
    if pages is None or not settings().is_own_host(page.hostname or "") or not pages.is_public(page.path):
        return
    if _is_opened_by_visitor({**headers, b"sec-fetch-mode": b"navigate"}):
        referrer = (await request.body())[:_LONGEST_REPORT].decode(errors="replace")
        network = wide_network(address_of(request))
        if cookie := _count(headers, page.path, page.query, referrer, network):
            response.headers["Set-Cookie"] = cookie


def _read_headers(scope: Scope) -> _Headers:
    return {name: value for name, value in scope["headers"] if name in _READ}


def _text(headers: _Headers, name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


def _is_opened_by_visitor(headers: _Headers) -> bool:
    # The service worker's request for an opened page has this mode, but no destination.
    if headers.get(b"sec-fetch-mode", b"navigate") != b"navigate" or not _PREFETCHES.isdisjoint(headers):
        return False
    is_staff = b"cookie" in headers and token_of(_text(headers, b"cookie"))
    return not is_staff and not is_robot(_text(headers, b"user-agent"))


def _count(headers: _Headers, page: str, query: str, referrer: str, network: str) -> str:
    """Count a view and return the header Set-Cookie, which begins the half hour of the visit anew; empty without a visit.

    A visit begins with a view from another site or without a referrer, unless the cookie of a visit from there is present: a
    reload has the referrer of the first view, and private pages send none.
    """
    host, cookie_header = find_host(referrer), _text(headers, b"cookie")
    is_from_outside = not settings().is_own_host(host)
    if headers.get(b"sec-gpc") == b"1" or not settings().visits:
        VIEWS.add(page, NO_ORIGIN, visits=int(is_from_outside))
        return DELETION if f"{NAME}=" in cookie_header else ""
    present = parse_origin(cookie_header)
    if is_from_outside:
        origin = find_origin(query, host, page)
        if not present.continues_with(origin):
            VIEWS.add(page, origin, visits=1, network=network)
            return write_cookie(origin)
    VIEWS.add(page, NO_ORIGIN, visits=0)
    return write_cookie(present) if present != NO_ORIGIN else ""


def _add_cookie(message: Message, cookie: str) -> None:
    """Add the header to the start of a response, which other caches than the browser's must not store.

    The qualified directive (RFC 9111, section 5.2.2.7) lets the service worker store the page (`service_worker.js`).
    """
    headers = [
        (
            name,
            value + b', private="set-cookie"'
            if name == b"cache-control" and b"private" not in value
            else value,
        )
        for name, value in message["headers"]
    ]
    message["headers"] = [*headers, (b"set-cookie", cookie.encode())]
