"""Published pages with regions that a request fills, and forms that browsers post by themselves.

The edge puts the published pages into the scope of each request; where there are none, as under the development server, the
regions are all of the page.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Protocol
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, QueryParams
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from agency_site.accept_headers import compress_html
from agency_site.antispam.rules import STAMP_FIELD
from agency_site.antispam.stamps import new_stamp
from agency_site.errors import Forbidden
from agency_site.event_loops import PerLoop
from agency_site.settings import settings
from agency_site.site.layout.organisation import Node
from agency_site.site.layout.structured_data import change_nodes

PAGES = "agency_site.pages"
"""Key of the published pages in the scope of a request."""
_TAG = re.compile("<(/?)page-region[^>]*>")
_STAMP = "<form-stamp></form-stamp>"
"""In each form that takes a stamp (`ui/form_guard.jsx`)."""
_NO_STORE = {"Cache-Control": "no-store"}
_FOR_BACK_BUTTON = "private, no-cache"
"""Requested anew each time; but going back shows what was typed, also on the answer to a post."""
FOR_EVERYBODY = "no-cache"
"""Likewise; but the page is the same for all, so the service worker keeps it for reading without a network."""
_turns: PerLoop[asyncio.Lock] = PerLoop()
_OWN_SITE = ("same-origin", "none")
"""Values of Sec-Fetch-Site for our own pages and for what the visitor enters."""


class PublishedPages(Protocol):
    """The pages of the build, as they are served."""

    def find_page(self, path: str) -> tuple[str, str] | None:
        """The HTML of a page and its content security policy; none where nothing is published there."""

    def answer_as_published(self, scope: Scope) -> Response:
        """The published page of a request, or that the browser has it."""

    def find_styles(self) -> str:
        """The elements of the site's stylesheets, whose names contain a hash of their content."""

    def policy_of(self, page: str) -> str:
        """The content security policy of a page of ours that is not published."""


class FilteredPage(APIRoute):
    """A route for addresses whose query names a parameter of the endpoint; any other gets the published page."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        query = QueryParams(scope.get("query_string", b""))
        if any(parameter.alias in query for parameter in self.dependant.query_params):
            return super().matches(scope)
        return Match.NONE, {}


def published_page(request: Request) -> Response:
    """The page as it is published, where a request has nothing to fill in."""
    pages: PublishedPages | None = request.scope.get(PAGES)
    return pages.answer_as_published(request.scope) if pages else page_response(request, request.url.path, {})


def page_response(
    request: Request,
    path: str,
    regions: Mapping[str, str],
    *,
    facts: Mapping[str, Node] = MappingProxyType({}),
    cache_control: str = _FOR_BACK_BUTTON,
) -> Response:
    """The page published at `path` with its `regions` filled; it hydrates as always.

    `facts` are other properties of the nodes in its graph (`structured_data.change_nodes`).
    """
    page, policy = _find_page(request, path, regions)

    def assemble() -> str:
        return stamp_forms(_fill(change_nodes(page, facts) if facts else page, regions))

    return AssembledPage(assemble, 200, {"Cache-Control": cache_control} | _policy_header(policy))


def posted_page(request: Request, path: str, regions: Mapping[str, str], *, status: int = 422) -> Response:
    """The answer to a posted form that is not accepted, or that leads to another form: the page as it was, with its `regions`
    drawn anew.

    It has no scripts: React would replace the answer by the form's first state.
    """
    page, policy = _find_page(request, path, regions)

    def assemble() -> str:
        body = _without_scripts(page)
        if status >= 400:
            body = body.replace("<title>", "<title>Error: ", 1)
        return stamp_forms(_fill(body, regions))

    return AssembledPage(assemble, status, {"Cache-Control": _FOR_BACK_BUTTON} | _policy_header(policy))


def _policy_header(policy: str) -> dict[str, str]:
    return {"Content-Security-Policy": policy} if policy else {}


def see_other(path: str) -> Response:
    """The answer to a posted form that is accepted: a page of its own, which may be loaded again."""
    return RedirectResponse(path, 303, _NO_STORE)


def stamp_forms(page: str) -> str:
    """The page with the present time in each form that takes one."""
    if _STAMP not in page:
        return page
    field = f'<input type="hidden" name="{STAMP_FIELD}" value="{new_stamp()}">'
    return page.replace(_STAMP, f"<form-stamp>{field}</form-stamp>")


async def _read_posted(request: Request) -> dict[str, str]:
    """The text fields of a form. Raises Forbidden for a form on another site."""
    refuse_other_sites(request)
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Posted = Annotated[dict[str, str], Depends(_read_posted)]
"""The fields of a form that a page of this site has posted."""


def refuse_other_sites(request: Request) -> None:
    """Raise Forbidden for a form on another site."""
    if not _is_own_site(request):
        raise Forbidden("This form was sent by another site. Please open our page and send it there.")


def _is_own_site(request: Request) -> bool:
    if site := request.headers.get("sec-fetch-site"):
        return site in _OWN_SITE
    origin = request.headers.get("origin")
    # Browsers that know neither header, such as text browsers, do not run scripts of other sites either. Older ones hide the
    # origin of private pages, which send no referrer.
    return (
        origin in {None, "null"}
        or urlsplit(origin).netloc == request.headers.get("host")
        or origin in settings().origins
    )


def _find_page(request: Request, path: str, regions: Mapping[str, str]) -> tuple[str, str]:
    pages: PublishedPages | None = request.scope.get(PAGES)
    if pages is not None and (found := pages.find_page(path)):
        return found
    empty = "".join(f'<page-region name="{name}"></page-region>' for name in regions)
    return f"<!doctype html><html><head><title></title></head><body><main>{empty}</main></body></html>", ""


def _without_scripts(page: str) -> str:
    """The page without what browsers run; what it says to search engines stays."""
    before, *parts = page.split("<script")
    return before + "".join(
        f"<script{part}" if "ld+json" in part.partition(">")[0] else part.partition("</script>")[2]
        for part in parts
    )


def _fill(page: str, regions: Mapping[str, str]) -> str:
    """Fill regions in their order: one that lies in another comes after it."""
    for name, content in regions.items():
        page = _fill_region(page, name, content)
    return page


def _fill_region(page: str, name: str, content: str) -> str:
    """The page with every region of that name filled."""
    done = 0
    opening = re.compile(rf'<page-region [^>]*\bname="{re.escape(name)}"[^>]*>')
    while found := opening.search(page, done):
        depth, end = 1, found.end()
        while depth:
            tag = _TAG.search(page, end)
            if tag is None:
                raise ValueError(f"the region {name} has no end")
            depth += -1 if tag[1] else 1
            end = tag.end()
        filled = f"{found[0][:-1]} data-served>{content}</page-region>"
        page = page[: found.start()] + filled + page[end:]
        done = found.start() + len(filled)
    return page


class AssembledPage(Response):
    """A page that is put together and compressed in a thread, one page of a process at a time.

    Other requests are answered meanwhile: many visitors of these pages must not delay those of published pages.
    """

    def __init__(self, assemble: Callable[[], str], status: int, headers: Mapping[str, str]) -> None:
        super().__init__(status_code=status)
        self._assemble = assemble
        self._page_headers = dict(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = Headers(scope=scope).get("accept-encoding", "")
        async with _turns.here().setdefault("page", asyncio.Lock()):
            content, encoding = await asyncio.to_thread(self._compress, accepted)
        await HTMLResponse(content, self.status_code, self._page_headers | encoding)(scope, receive, send)

    def _compress(self, accepted: str) -> tuple[bytes, dict[str, str]]:
        return compress_html(self._assemble().encode(), accepted)
