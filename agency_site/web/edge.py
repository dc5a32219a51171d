"""The edge in front of Reflex: pages and files from memory, canonical paths, real 404s.

Reflex's own file server answers `/about` with a 307 and unknown paths with an empty shell; this one answers every
registered path with its page, leads other spellings to it with a 308, and knows what it does not have.
"""

import hashlib
import mimetypes
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from reflex_base.constants import Env
from reflex_base.environment import environment
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.content.feeds import FEEDS
from agency_site.content.navigation import ALIASES
from agency_site.settings import settings
from agency_site.staff.cookies import token_of
from agency_site.web.policy import page_policy
from agency_site.web.publish import site_folder

INNER = (
    "/api/", "/_event", "/_health", "/ping", "/healthz", "/readyz", "/simulator/", "/outbox", "/_upload", "/calendar/",
    "/newsletter/",
    "/admin/export/", "/admin/sign-in", "/admin/sign-out", "/admin/set-up/", "/admin/invitation/", "/admin/reset/",
)  # fmt: skip
"""Paths that the application behind the edge answers."""
OFFICE = re.compile(r"^/admin(/|$)")
"""Pages of the back office: for whoever has a session's cookie; what it is worth the page finds out."""
KINDS = {
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".woff2": "font/woff2",
    ".js": "text/javascript",
}
"""Kinds that Python knows only where the machine has a list of its own."""
FEED_KINDS = {feed.href: feed.media_type for feed in FEEDS}
SIGN_IN = "/admin/sign-in"
_ONCE_MORE = '<!doctype html><html lang="en"><meta http-equiv="refresh" content="0"><title>Opening</title>'
"""A browser holds a strict cookie back when a link on another site, such as a mail program's, leads here. It brings the
cookie once the page that asks is ours."""
NOT_FOUND_PAGE = "/not-found"
"""Prerendered, but only ever served as the answer to an unknown path."""
OFFLINE_PAGE = "/offline.html"
"""What the service worker shows for a page that it has not kept (`offline/worker.py`)."""
ASKED_AGAIN = frozenset({".html", "/service-worker.js"})
"""What browsers keep but ask for again each time, by suffix or address: pages, and the file that may remove itself."""
SHELL = "/__spa-fallback.html"
PRIVATE = re.compile(r"^/(booking|comment|order|registration)/[^/]+$")
"""One person's pages, known only when opened: served as the empty shell, filled over the socket, kept by no cache."""
OPEN_SHELLS = (re.compile(r"^/signup/[^/]+/?$", re.IGNORECASE),)
"""Paths whose last part may be anything and holds nothing private: the shell too, but an ordinary page."""


@dataclass(frozen=True)
class Stored:
    """One file in memory with its compressed forms."""

    body: bytes
    encoded: Mapping[str, bytes]
    media_type: str
    etag: str
    cache: str
    policy: str = ""
    """The content security policy of a page; files have none."""

    def pick(self, accepted: str) -> tuple[bytes, str]:
        """The smallest form that the browser takes, and the name of its encoding."""
        for encoding in ("br", "gzip"):
            if encoding in self.encoded and encoding in accepted:
                return self.encoded[encoding], encoding
        return self.body, ""


def _store(path: Path, root: Path) -> Stored:
    body = path.read_bytes()
    encoded = {
        name: path.with_name(path.name + suffix).read_bytes()
        for name, suffix in (("br", ".br"), ("gzip", ".gz"))
        if path.with_name(path.name + suffix).exists()
    }
    # File names under /assets carry a content hash, so they never change; everything else is asked for again.
    immutable = path.relative_to(root).parts[0] == "assets"
    lasting = "public, max-age=31536000, immutable" if immutable else "public, max-age=3600"
    named = FEED_KINDS.get(f"/{path.relative_to(root)}") or KINDS.get(path.suffix)
    kind = named or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind in {"application/javascript", "application/json"}:
        kind += "; charset=utf-8"
    return Stored(
        body=body,
        encoded=encoded,
        media_type=kind,
        etag=f'"{hashlib.sha256(body).hexdigest()[:20]}"',
        cache="no-cache" if {path.suffix, f"/{path.relative_to(root)}"} & ASKED_AGAIN else lasting,
        policy=page_policy(body, settings().origins) if path.suffix == ".html" else "",
    )


class Site:
    """All published pages and files, held in memory."""

    def __init__(self, root: Path) -> None:
        self.files = {f"/{path.relative_to(root)}": _store(path, root) for path in _served(root)}
        self.pages = {
            name.removesuffix("/index.html") or "/": stored
            for name, stored in self.files.items()
            if name.endswith("/index.html")
        }
        self._spellings = {page.lower(): page for page in self.pages if page != NOT_FOUND_PAGE}
        self._spellings |= {alias.lower(): target for alias, target in ALIASES.items()}

    def canonical(self, path: str) -> str | None:
        """The registered path that another spelling of it means, or none."""
        target = self._spellings.get(path.rstrip("/").lower() or "/")
        return target if target != path else None

    def answer(self, path: str, headers: Headers, query: str = "") -> Response:
        """The response to a request for a page or file."""
        if path in self.pages and path != NOT_FOUND_PAGE:
            return self._page(path, headers, query)
        if path in self.files and (not path.endswith(".html") or path == OFFLINE_PAGE):
            return _respond(self.files[path], headers)
        if target := self.canonical(path):
            return RedirectResponse(f"{target}?{query}" if query else target, status_code=308)
        return self._shell(path, headers) or self._not_found()

    def _page(self, path: str, headers: Headers, query: str) -> Response:
        office = OFFICE.match(path) is not None
        if office and not token_of(headers.get("cookie", "")):
            if headers.get("sec-fetch-site") == "cross-site":
                return HTMLResponse(_ONCE_MORE, headers={"Cache-Control": "no-store"})
            here = quote(f"{path}?{query}" if query else path, safe="/")
            return RedirectResponse(f"{SIGN_IN}?next={here}", 303, {"Cache-Control": "no-store"})
        answer = _respond(self.pages[path], headers, private=office)
        if office:
            # With no-referrer a browser would hide the origin of the office's own forms.
            answer.headers["Referrer-Policy"] = "same-origin"
        return answer

    def _shell(self, path: str, headers: Headers) -> Response | None:
        if SHELL not in self.files:
            return None
        if PRIVATE.match(path):
            return _respond(self.files[SHELL], headers, private=True)
        if any(pattern.match(path) for pattern in OPEN_SHELLS):
            answer = _respond(self.files[SHELL], headers)
            answer.headers["X-Robots-Tag"] = "noindex"
            return answer
        return None

    def _not_found(self) -> Response:
        page = self.pages.get(NOT_FOUND_PAGE)
        body, policy = (page.body, page.policy) if page else (b"404 Not Found", page_policy(b"", ()))
        headers = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Content-Security-Policy": policy}
        return Response(body, 404, headers, "text/html; charset=utf-8")


def _served(root: Path) -> Iterator[Path]:
    return (path for path in root.rglob("*") if path.is_file() and path.suffix not in {".br", ".gz"})


def _respond(stored: Stored, headers: Headers, *, private: bool = False) -> Response:
    shown = {
        "ETag": stored.etag,
        "Cache-Control": "no-store" if private else stored.cache,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer" if private else "strict-origin-when-cross-origin",
    }
    if stored.policy:
        shown["Content-Security-Policy"] = stored.policy
    if private:
        shown["X-Robots-Tag"] = "noindex, nofollow"
    elif stored.etag in headers.get("if-none-match", ""):
        return Response(status_code=304, headers=shown)
    body, encoding = stored.pick(headers.get("accept-encoding", ""))
    if encoding:
        shown["Content-Encoding"] = encoding
    return Response(body, headers=shown, media_type=stored.media_type)


def serve_site(inner: ASGIApp) -> ASGIApp:
    """Put the published site in front of `inner`; under the development server only `inner` answers."""
    folder = site_folder(settings().site_url)
    if environment.REFLEX_ENV_MODE.get() is not Env.PROD or not folder.is_dir():
        return inner
    site = Site(folder)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"} or path.startswith(INNER):
            await inner(scope, receive, send)
            return
        query: str = scope.get("query_string", b"").decode("latin-1")
        await site.answer(path, Headers(scope=scope), query)(scope, receive, send)

    return app
