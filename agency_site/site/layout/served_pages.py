"""Published pages with regions that are filled for a request, and forms that browsers post without scripts.

The edge puts the published pages into the scope of each request. Without them, as under the development server, a page
consists of its regions only.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from agency_site.ui.forms import focus_refusal

PAGES = "agency_site.pages"
"""Key of the published pages in the scope of a request."""
_TAG = re.compile("<(/?)page-region[^>]*>")
_STAMP = "<form-stamp></form-stamp>"
"""Placeholder in each form that needs a stamp (`ui/form_guard.jsx`)."""
_NO_STORE = {"Cache-Control": "no-store"}
_FOR_BACK_BUTTON = "private, no-cache"
"""Revalidated each time, but the back button still shows the visitor's input, even on the response to a post."""
FOR_ALL_VISITORS = "no-cache"
"""For pages that are the same for all visitors, which the service worker may cache for reading without a network."""
_locks: PerLoop[asyncio.Lock] = PerLoop()
_OWN_SITE = ("same-origin", "none")
"""Values of Sec-Fetch-Site for requests from our own pages and from the address bar."""


@dataclass(frozen=True)
class Drawing:
    """Regions of a page that are drawn from states of their own, and those states (`server_html.describe_states`)."""

    regions: dict[str, str]
    states: str


class PublishedPages(Protocol):
    """The pages of the build that are served."""

    def find_page(self, path: str) -> tuple[str, str] | None:
        """Return the HTML of a page and its content security policy; None if nothing is published there."""

    def is_public(self, path: str) -> bool:
        """Return whether a page for all visitors may be at a path."""

    def answer_as_published(self, scope: Scope) -> Response:
        """Return the published page of a request, or a 304."""

    def find_styles(self) -> str:
        """Return the elements of the site's stylesheets, whose names contain a hash of their content."""

    def policy_of(self, page: str) -> str:
        """Return the content security policy of a page that is drawn for a request."""


class FilteredPage(APIRoute):
    """A route for addresses whose query has a parameter of the endpoint; others get the published page."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        query = QueryParams(scope.get("query_string", b""))
        if any(parameter.alias in query for parameter in self.dependant.query_params):
            return super().matches(scope)
        return Match.NONE, {}


def published_page(request: Request) -> Response:
    """Return the published page, for a request without regions to fill."""
    pages: PublishedPages | None = request.scope.get(PAGES)
    return pages.answer_as_published(request.scope) if pages else page_response(request, request.url.path, {})


def page_response(
    request: Request,
    path: str,
    regions: Mapping[str, str],
    *,
    states: str = "",
    facts: Mapping[str, Node] = MappingProxyType({}),
    cache_control: str = _FOR_BACK_BUTTON,
) -> Response:
    """Return the page published at `path` with its `regions` filled; it hydrates like the published page.

    `states` are those from which the regions were drawn (`server_html.describe_states`). `facts` replace properties of nodes in
    its structured data (`structured_data.change_nodes`).
    """
    page, policy = _find_page(request, path, regions)

    def assemble() -> str:
        body = change_nodes(page, facts) if facts else page
        return stamp_forms(_with_states(fill_regions(body, regions), states))

    return AssembledPage(assemble, 200, {"Cache-Control": cache_control} | _policy_header(policy))


def posted_page(
    request: Request, path: str, regions: Mapping[str, str], *, states: str = "", status: int = 422
) -> Response:
    """Return the response to a posted form that is refused, or that leads to another form: the page with new `regions`.

    Without the `states` from which they were drawn it has no scripts, because React would draw other regions.
    """
    page, policy = _find_page(request, path, regions)

    def assemble() -> str:
        body = _with_states(page, states) if states else without_scripts(page)
        body = stamp_forms(fill_regions(body, regions))
        return focus_refusal(body.replace("<title>", "<title>Error: ", 1)) if status >= 400 else body

    return AssembledPage(assemble, status, {"Cache-Control": _FOR_BACK_BUTTON} | _policy_header(policy))


def _with_states(page: str, states: str) -> str:
    if not states:
        return page
    listed = states.replace("<", r"\u003c")
    return page.replace("</head>", f'<script type="application/json" id="states">{listed}</script></head>', 1)


def _policy_header(policy: str) -> dict[str, str]:
    return {"Content-Security-Policy": policy} if policy else {}


def see_other(path: str) -> Response:
    """Return the redirect after an accepted form, to a page that can be reloaded without posting again."""
    return RedirectResponse(path, 303, _NO_STORE)


def has_unstamped_form(page: bytes) -> bool:
    """Return whether a page has a form that needs a stamp, which is new in each response."""
    return _STAMP.encode() in page


def stamp_forms(page: str) -> str:
    """Return the page with a stamp of the present time in each form that needs one."""
    if _STAMP not in page:
        return page
    field = f'<input type="hidden" name="{STAMP_FIELD}" value="{new_stamp()}">'
    return page.replace(_STAMP, f"<form-stamp>{field}</form-stamp>")


async def _read_posted(request: Request) -> dict[str, str]:
    """Return the text fields of a form. Raises Forbidden for a form on another site."""
    refuse_other_sites(request)
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Posted = Annotated[dict[str, str], Depends(_read_posted)]
"""The fields of a form that a page of this site posted."""


def refuse_other_sites(request: Request) -> None:
    """Raise Forbidden for a form on another site."""
    if not _is_own_site(request):
        raise Forbidden("This form was sent by another site. Please open our page and send it there.")


def _is_own_site(request: Request) -> bool:
    if site := request.headers.get("sec-fetch-site"):
        return site in _OWN_SITE
    origin = request.headers.get("origin")
    # Browsers without either header, such as text browsers, do not run scripts of other sites either. Older ones hide the
    # origin of private pages, which send no referrer.
    return (
        origin in {None, "null"}
        or urlsplit(origin).netloc == request.headers.get("host")
        or origin in settings().origins
    )


def _find_page(request: Request, path: str, regions: Mapping[str, str]) -> tuple[str, str]:
    pages: PublishedPages | None = request.scope.get(PAGES)
    if pages is not None and (page := pages.find_page(path)):
        return page
    empty = "".join(f'<page-region name="{name}"></page-region>' for name in regions)
    return f"<!doctype html><html><head><title></title></head><body><main>{empty}</main></body></html>", ""


def without_scripts(page: str) -> str:
    """Return the page without scripts that browsers run; structured data stays."""
    before, *parts = page.split("<script")
    return before + "".join(
        f"<script{part}" if "ld+json" in part.partition(">")[0] else part.partition("</script>")[2]
        for part in parts
    )


def fill_regions(page: str, regions: Mapping[str, str]) -> str:
    """Return the page with these regions filled, in order: a nested region must come after the region around it."""
    for name, content in regions.items():
        page = _fill_region(page, name, content)
    return page


def _fill_region(page: str, name: str, content: str) -> str:
    """Return the page with every region of that name filled."""
    done = 0
    opening = re.compile(rf'<page-region [^>]*\bname="{re.escape(name)}"[^>]*>')
    while match := opening.search(page, done):
        depth, end = 1, match.end()
        while depth:
            tag = _TAG.search(page, end)
            if tag is None:
                raise ValueError(f"the region {name} has no end")
            depth += -1 if tag[1] else 1
            end = tag.end()
        filled = f"{match[0]}{content}</page-region>"
        page = page[: match.start()] + filled + page[end:]
        done = match.start() + len(filled)
    return page


class AssembledPage(Response):
    """A page that is assembled and compressed in a thread, one page of a process at a time.

    Other requests are handled meanwhile: many visitors of these pages must not delay visitors of published pages.
    """

    def __init__(self, assemble: Callable[[], str], status: int, headers: Mapping[str, str]) -> None:
        super().__init__(status_code=status)
        self._assemble = assemble
        self._page_headers = dict(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = Headers(scope=scope).get("accept-encoding", "")
        async with _locks.here().setdefault("page", asyncio.Lock()):
            content, encoding = await asyncio.to_thread(self._compress, accepted)
        await HTMLResponse(content, self.status_code, self._page_headers | encoding)(scope, receive, send)

    def _compress(self, accepted: str) -> tuple[bytes, dict[str, str]]:
        return compress_html(self._assemble().encode(), accepted)
