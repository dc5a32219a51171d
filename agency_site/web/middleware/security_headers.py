"""Security headers of every response: pages, files, API, redirects, errors.

They are defaults: a response that sets a header itself keeps it. Each page has its own policy for scripts and styles
(`Content-Security-Policy`); this module only adds who may frame the response.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agency_site.settings import settings

_PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
        "payment", "usb",
    )
)  # fmt: skip
"""Permissions that the site never needs. Payments run over the phone, not over the browser's payment sheet."""
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": _PERMISSIONS,
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}
_SHARED = ("image/", "application/rss+xml", "application/atom+xml", "application/feed+json")
"""Media types that other sites may show: pictures in search results and previews, feeds."""
_SHARED_WITH_ORIGINS = ("/api/", "/_event")
"""Paths that pages of `AGENCY_ALLOWED_ORIGINS` may read."""
_STARTS = {"http.response.start", "websocket.http.response.start"}


class AddSecurityHeaders:
    """ASGI middleware: adds missing security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:

        async def send_secured(message: Message) -> None:
            if message["type"] in _STARTS:
                headers = MutableHeaders(scope=message)
                if not str(scope.get("path", "")).startswith(_SHARED_WITH_ORIGINS):
                    _close_to_other_origins(headers)
                add_missing_headers(headers)
            await send(message)

        await self._app(scope, receive, send_secured)


def add_missing_headers(headers: MutableHeaders) -> None:
    for name, value in _ALWAYS.items():
        headers.setdefault(name, value)
    if settings().site_url.startswith("https://"):
        headers.setdefault("Strict-Transport-Security", settings().hsts)
    # A response without a declared cache policy may contain personal data.
    headers.setdefault("Cache-Control", "no-store")
    shared = headers.get("content-type", "").startswith(_SHARED)
    headers.setdefault("Cross-Origin-Resource-Policy", "cross-origin" if shared else "same-origin")
    _frame(headers)
    if vary := headers.getlist("vary"):
        # Each layer that reads the origin adds it again.
        names = dict.fromkeys(name.strip() for value in vary for name in value.split(","))
        headers["Vary"] = ", ".join(names)


def _close_to_other_origins(headers: MutableHeaders) -> None:
    """Remove the headers that Reflex's CORS middleware adds to every response.

    `Vary: Origin` would make browsers cache a file several times, for requests with and without that header.
    """
    for name in [name for name in headers if name.startswith("access-control-")]:
        del headers[name]
    if vary := headers.getlist("vary"):
        names = (name.strip() for value in vary for name in value.split(","))
        remaining = [name for name in names if name.lower() != "origin"]
        del headers["vary"]
        if remaining:
            headers["Vary"] = ", ".join(remaining)


def _frame(headers: MutableHeaders) -> None:
    """Restrict framing with both headers that browsers support."""
    policy = headers.get("content-security-policy", "")
    if "frame-ancestors" not in policy:
        policy = "; ".join(part for part in (policy.rstrip("; "), "frame-ancestors 'none'") if part)
        headers["Content-Security-Policy"] = policy
    allows_own_site = "frame-ancestors 'self'" in policy
    headers.setdefault("X-Frame-Options", "SAMEORIGIN" if allows_own_site else "DENY")
