"""The HTTP edge in front of Reflex: pages and files from memory, canonical paths, real 404s.

Reflex's own file server responds to `/about` with a 307 and to unknown paths with an empty shell. The edge serves the page of
every registered path, redirects other spellings to it with a 308, and responds to everything else with a real 404.
"""

import hashlib
import mimetypes
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import reflex as rx
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.accept_headers import best_encoding, compress_html, has_etag
from agency_site.auth.cookies import token_of
from agency_site.content.feeds import FEEDS
from agency_site.content.navigation import ALIASES
from agency_site.settings import settings
from agency_site.site.layout.path_rules import PRIVATE_HEADERS, PRIVATE_PATHS, Rule, paths_with
from agency_site.site.layout.route import Route
from agency_site.site.layout.served_pages import PAGES, has_unstamped_form, stamp_forms
from agency_site.visits.rules import is_page
from agency_site.web.build.content_policy import page_policy
from agency_site.web.build.publish import QUICK, compressed, site_folder
from agency_site.web.middleware.paths import ROUTE
from agency_site.web.middleware.unhandled_errors import CatchExceptions
from agency_site.web.reflex_internals.configuration import is_production_build
from agency_site.web.serving.api import answers_page
from agency_site.web.serving.live_content import follow_content
from agency_site.web.serving.visits import count_views

INNER = paths_with(Rule.INNER)
"""Paths that the application behind the edge answers."""
_SOCKET_PATH = "/_event"
BACK_OFFICE = re.compile(r"^/admin(/|$)")
"""Pages of the back office: served to browsers with a session cookie; the page's own handlers check the session."""
MEDIA_TYPES = {
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".woff2": "font/woff2",
    ".js": "text/javascript",
}
"""Media types that `mimetypes` knows only if the machine has a list of its own."""
_FEED_MEDIA_TYPES = {feed.href: feed.media_type for feed in FEEDS}
_SIGN_IN = "/admin/sign-in"
_RELOAD_ONCE = '<!doctype html><html lang="en"><meta http-equiv="refresh" content="0"><title>Opening</title>'
"""Browsers omit a strict cookie if a link on another site, such as a webmail, leads here. The reload is a request from
our own page and includes it."""
NOT_FOUND_PAGE = "/not-found"
"""Prerendered, but served only as the response to an unknown path."""
_OFFLINE_PAGE = "/offline.html"
"""The service worker shows it for pages that are not in its cache (`offline/worker.py`)."""
_REVALIDATED = frozenset({".html", "/service-worker.js"})
"""Pages and the service worker: browsers cache them but revalidate each time."""
_LINK = re.compile("<link [^>]*>")
_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
"""Names of encodings, and the suffixes of their files."""
PRIVATE = re.compile(f"({'|'.join(PRIVATE_PATHS)})([^/]+)/?", re.IGNORECASE)
"""Private pages, which the application draws; their other spellings."""
_SIGN_UPS = re.compile("(/signup/)([^/]+)/?", re.IGNORECASE)
"""Paths whose last part may be anything and holds nothing private; the application answers them."""
_ARCHIVE = re.compile("/newsletter/[a-z0-9-]+")
"""Sent issues of the newsletter, public pages that the application draws."""
_SAFE_METHODS = ("GET", "HEAD")
_FOREIGN = re.compile(r"[^\w/.-]", re.ASCII)
"""Characters that are in no path of the site, such as brackets, quotes and invisible ones."""

_AN_HOUR = "public, max-age=3600"
_UNQUOTED = "/!$&'()*+,;=:@~"
"""Characters of a path that are not percent-encoded (RFC 3986, section 3.3)."""


@dataclass(frozen=True)
class PageRequest:
    """A request for a page or file."""

    path: str
    """The decoded path."""
    headers: Headers
    query: str = ""
    raw_path: str = ""
    """The path as it was sent, if it is known."""

    @classmethod
    def of(cls, scope: Scope) -> "PageRequest":
        path: str = scope["path"]
        raw_path = scope.get("raw_path") or path.encode()
        query = scope.get("query_string", b"").decode("latin-1")
        return cls(path, Headers(scope=scope), query, raw_path.partition(b"?")[0].decode("latin-1"))


@dataclass(frozen=True)
class StoredFile:
    """One file in memory with its compressed forms."""

    body: bytes
    encoded: Mapping[str, bytes]
    media_type: str
    etag: str
    cache: str
    policy: str = ""
    """The content security policy of a page; empty for files."""
    stamped: bool = False
    """True for a page with forms that need a stamp: each response has its own."""

    def pick(self, accepted: str) -> tuple[bytes, str]:
        """Return the body in the encoding that the browser prefers, and the name of that encoding."""
        encoding = best_encoding(accepted, self.encoded)
        return (self.encoded[encoding], encoding) if encoding else (self.body, "")


def _read_stored(path: Path, root: Path) -> StoredFile:
    encoded = {
        name: path.with_name(path.name + suffix).read_bytes()
        for name, suffix in _ENCODINGS
        if path.with_name(path.name + suffix).exists()
    }
    return _store(path.relative_to(root), path.read_bytes(), encoded)


def _compress_stored(name: Path, body: bytes) -> StoredFile:
    """Store a file that was made after publishing."""
    forms = compressed(name, body, QUICK)
    return _store(name, body, {encoding: forms[suffix] for encoding, suffix in _ENCODINGS if suffix in forms})


def _store(path: Path, body: bytes, encoded: Mapping[str, bytes]) -> StoredFile:
    # File names under /assets carry a content hash, so they never change; everything else is revalidated.
    immutable = path.parts[0] == "assets"
    lasting = "public, max-age=31536000, immutable" if immutable else _AN_HOUR
    named = _FEED_MEDIA_TYPES.get(f"/{path}") or MEDIA_TYPES.get(path.suffix)
    kind = named or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind in {"application/javascript", "application/json"}:
        kind += "; charset=utf-8"
    return StoredFile(
        body=body,
        encoded=encoded,
        media_type=kind,
        # Weak, because the compressed forms share it.
        etag=f'W/"{hashlib.sha256(body).hexdigest()[:20]}"',
        cache="no-cache" if {path.suffix, f"/{path}"} & _REVALIDATED else lasting,
        policy=page_policy(body, settings().origins) if path.suffix == ".html" else "",
        stamped=path.suffix == ".html" and has_unstamped_form(body),
    )


class Site:
    """All published pages and files, held in memory."""

    def __init__(self, root: Path) -> None:
        self._published = {
            f"/{path.relative_to(root)}": _read_stored(path, root) for path in _published_files(root)
        }
        self._show(self._published, {})

    def _show(self, files: Mapping[str, StoredFile], moved: Mapping[str, str]) -> None:
        self.files = files
        self.pages = {
            name.removesuffix("/index.html") or "/": stored
            for name, stored in files.items()
            if name.endswith("/index.html")
        }
        inner = (page for page in self.pages if page == NOT_FOUND_PAGE or BACK_OFFICE.match(page))
        self._public = frozenset(filter(is_page, self.pages)).difference(inner)
        self._spellings = {page.lower(): page for page in self.pages if page != NOT_FOUND_PAGE}
        self._spellings |= {alias.lower(): target for alias, target in (ALIASES | dict(moved)).items()}

    def list_published(self) -> dict[Path, bytes]:
        """Return the files as published, without what staff have changed since."""
        return {Path(name.removeprefix("/")): stored.body for name, stored in self._published.items()}

    def replace(
        self, changed: Mapping[Path, bytes], removed: Collection[str], moved: Mapping[str, str]
    ) -> None:
        """Serve the published files with these changes, without the pages at the `removed` paths.

        `moved` has the present path of each page that was at another one.
        """
        files = dict(self._published)
        for path in removed:
            files.pop(f"{path}/index.html", None)
        for name, body in changed.items():
            present = self.files.get(f"/{name}")
            files[f"/{name}"] = present if present and present.body == body else _compress_stored(name, body)
        self._show(files, moved)

    def find_page(self, path: str) -> tuple[str, str] | None:
        """Return the HTML of a page and its content security policy; None if nothing is published there."""
        page = self.pages.get(path)
        return (page.body.decode(), page.policy) if page else None

    def is_public(self, path: str) -> bool:
        """Return whether a page for all visitors may be at a path."""
        return path in self._public or _ARCHIVE.fullmatch(path) is not None

    def answer_as_published(self, scope: Scope) -> Response:
        """Return the published page of a request, or a 304."""
        return self.answer(PageRequest.of(scope))

    def find_styles(self) -> str:
        """Return the elements of the site's stylesheets, whose names contain a hash of their content."""
        page, _ = self.find_page(NOT_FOUND_PAGE) or ("", "")
        return "".join(link for link in _LINK.findall(page) if 'rel="stylesheet"' in link)

    def policy_of(self, page: str) -> str:
        """Return the content security policy of a page that is drawn for a request."""
        return page_policy(page.encode(), settings().origins)

    def canonical(self, path: str) -> str | None:
        """Return the registered path of another spelling; None if there is none."""
        target = self.find_registered(path)
        return target if target != path else None

    def find_registered(self, path: str) -> str | None:
        """Return the registered path of any spelling of a page; None if there is none."""
        return self._spellings.get(path.rstrip("/").lower() or "/")

    def answer(self, request: PageRequest) -> Response:
        """Return the response to a request for a page or file."""
        path = request.path
        if self._is_page(path) or self._is_file(path):
            if request.raw_path not in {"", path, quote(path, safe=_UNQUOTED)}:
                return _redirect(path, request.query)
            return (
                self._page(request)
                if self._is_page(path)
                else _file_response(self.files[path], request.headers)
            )
        if target := self.canonical(path) or _find_token_path(path):
            answer = _redirect(target, request.query)
            answer.headers.update(PRIVATE_HEADERS if PRIVATE.fullmatch(path) else {})
            return answer
        return self.not_found()

    def route(self, path: str) -> str:
        """Return the loggable form of a path: a page or file unchanged, a private page without its token, otherwise empty."""
        if self._is_page(path) or self._is_file(path):
            return path
        if match := PRIVATE.fullmatch(path) or _SIGN_UPS.fullmatch(path):
            return f"{match[1].lower()}*"
        return self.canonical(path) or ""

    def _is_page(self, path: str) -> bool:
        return path in self.pages and path != NOT_FOUND_PAGE

    def _is_file(self, path: str) -> bool:
        return path in self.files and (not path.endswith(".html") or path == _OFFLINE_PAGE)

    def _page(self, request: PageRequest) -> Response:
        path, headers = request.path, request.headers
        is_back_office = BACK_OFFICE.match(path) is not None
        if is_back_office and not token_of(headers.get("cookie", "")):
            if headers.get("sec-fetch-site") == "cross-site":
                return HTMLResponse(_RELOAD_ONCE, headers={"Cache-Control": "no-store"})
            here = quote(_with_query(path, request.query), safe="/")
            return RedirectResponse(f"{_SIGN_IN}?next={here}", 303, {"Cache-Control": "no-store"})
        answer = _file_response(self.pages[path], headers, private=is_back_office)
        if is_back_office:
            # With no-referrer a browser would hide the origin of the back office's own forms.
            answer.headers["Referrer-Policy"] = "same-origin"
        return answer

    def not_found(self) -> Response:
        """Return the page for unknown paths, with status 404."""
        page = self.pages.get(NOT_FOUND_PAGE)
        body, policy = (page.body, page.policy) if page else (b"404 Not Found", page_policy(b"", ()))
        headers = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Content-Security-Policy": policy}
        return Response(body, 404, headers, "text/html; charset=utf-8")


def _find_token_path(path: str) -> str | None:
    """Return the canonical path of another spelling of a path with a token or plan; None if it is not one."""
    match = PRIVATE.fullmatch(path) or _SIGN_UPS.fullmatch(path)
    target = f"{match[1].lower()}{match[2]}" if match else path
    return target if target != path else None


def _find_linked_path(site: Site, scope: Scope) -> str:
    """Return the path that a link means which ends in what a sentence or a chat has added to it; empty if it means no page.

    Tokens may end in a hyphen or an underscore, so a path is tried as it is first.
    """
    shorter = _FOREIGN.split(scope["path"], maxsplit=1)[0].rstrip("/._-")
    if scope["method"] not in _SAFE_METHODS or shorter in {"", scope["path"]}:
        return ""
    is_drawn = shorter.startswith("/newsletter/") or answers_page({**scope, "path": shorter})
    return site.find_registered(shorter) or (shorter if is_drawn else "")


def _redirect_linked(path: str, scope: Scope) -> Response:
    answer = _redirect(path, PageRequest.of(scope).query)
    answer.headers.update(PRIVATE_HEADERS if path.startswith(PRIVATE_PATHS) else {})
    return answer


def _redirect_if_missing(path: str, scope: Scope, receive: Receive, send: Send) -> Send:
    """Return a `send` that answers with a redirect to `path` in place of a 404."""
    is_missing = False

    async def send_or_redirect(message: Message) -> None:
        nonlocal is_missing
        if message["type"] == "http.response.start" and message["status"] == 404:
            is_missing = True
            await _redirect_linked(path, scope)(scope, receive, send)
        elif not is_missing:
            await send(message)

    return send_or_redirect


def _published_files(root: Path) -> Iterator[Path]:
    return (path for path in root.rglob("*") if path.is_file() and path.suffix not in {".br", ".gz"})


def _with_query(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def _redirect(target: str, query: str) -> Response:
    """Return a permanent redirect. `target` is a path of the site, never the requested one (no open redirect)."""
    return RedirectResponse(
        _with_query(quote(target, safe=_UNQUOTED), query), 308, {"Cache-Control": _AN_HOUR}
    )


def _file_response(stored: StoredFile, headers: Headers, *, private: bool = False) -> Response:
    response_headers = {"ETag": stored.etag, "Cache-Control": stored.cache, "Vary": "Accept-Encoding"}
    if stored.policy:
        response_headers["Content-Security-Policy"] = stored.policy
    if private:
        response_headers |= PRIVATE_HEADERS
    elif has_etag(headers.get("if-none-match", ""), stored.etag):
        return Response(status_code=304, headers=response_headers)
    accepted = headers.get("accept-encoding", "")
    if stored.stamped:
        # A browser that has cached the page keeps its older stamp.
        body, encoded = compress_html(stamp_forms(stored.body.decode()).encode(), accepted)
        return Response(body, headers=response_headers | encoded, media_type=stored.media_type)
    body, encoding = stored.pick(accepted)
    if encoding:
        response_headers["Content-Encoding"] = encoding
    return Response(body, headers=response_headers, media_type=stored.media_type)


def serve_site(
    inner: ASGIApp, *, routes: Callable[[], Iterable[Route]], newsletter: Callable[[], rx.Component]
) -> ASGIApp:
    """Put the published site in front of `inner`; the development server uses `inner` only.

    The pages of `routes` follow what staff publish; `newsletter` is the form in their footer.
    """
    folder = site_folder(settings().site_url)
    if not is_production_build() or not folder.is_dir():
        return inner
    site = Site(folder)
    follow_content(site, routes, newsletter)
    return CatchExceptions(in_front_of(inner, site))


def in_front_of(inner: ASGIApp, site: Site) -> ASGIApp:
    """Route requests: the application's own paths to `inner`, all others to `site`."""
    inner = _AnswerHeadRequests(inner)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        if scope["method"] == "GET" and site.is_public(path):
            send = count_views(scope, _announce_saving(scope, send))
        linked = _find_linked_path(site, scope)
        if path.startswith(INNER) or answers_page(scope):
            scope[PAGES] = site
            await inner(
                scope, receive, _redirect_if_missing(linked, scope, receive, send) if linked else send
            )
            return
        if route := site.route(path):
            scope[ROUTE] = route
        answer = _answer(site, scope, is_known=bool(route))
        if linked and answer.status_code == 404:
            answer = _redirect_linked(linked, scope)
        if scope["method"] == "HEAD":
            # The headers, the length included, are those of the response to a GET.
            answer.body = b""
        await answer(scope, receive, send)

    return app


def _announce_saving(scope: Scope, send: Send) -> Send:
    """Return `send` of a request for a page, which lets the page's scripts know that the browser wants to save data."""
    saves = Headers(scope=scope).get("save-data") == "on"

    async def send_announced(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.add_vary_header("Save-Data")
            if saves:
                # The only header of a page that its scripts can read.
                headers.append("Server-Timing", "save-data")
        await send(message)

    return send_announced


def _answer(site: Site, scope: Scope, *, is_known: bool) -> Response:
    if scope["method"] not in _SAFE_METHODS and is_known:
        allowed = {"Allow": ", ".join((*_SAFE_METHODS, "OPTIONS"))}
        return Response(status_code=204 if scope["method"] == "OPTIONS" else 405, headers=allowed)
    return site.answer(PageRequest.of(scope)) if scope["method"] in _SAFE_METHODS else site.not_found()


class _AnswerHeadRequests:
    """ASGI middleware: handles HEAD like GET without the body; FastAPI supports only the methods that a route declares."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"].startswith(_SOCKET_PATH):
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                if message.get("more_body"):
                    return
                message = {**message, "body": b""}
            await send(message)

        # The same scope object, because the application writes data for the access log into it.
        scope["method"] = "GET"
        try:
            await self._app(scope, receive, without_body)
        finally:
            scope["method"] = "HEAD"
