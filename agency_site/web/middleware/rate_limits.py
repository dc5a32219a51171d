"""Limits per address on the HTTP API, on pages that are drawn for a request, and on pages with guessable addresses."""

from collections.abc import Callable

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from agency_site.antispam.limiter import rule_of, seconds_to_wait
from agency_site.client_address import address_of, client_network
from agency_site.mpesa.contract import PAYBILL_PATH
from agency_site.settings import settings
from agency_site.web.middleware.error_responses import error_response

_LIMITED = ("/api/", "/certificate/")
_FORM_PATHS = frozenset({"/api/book", "/api/stkpush"})
_UNLIMITED = ("/api/mpesa/callback/", f"{PAYBILL_PATH}/", "/api/sms/")
"""Never limited: M-Pesa and the SMS provider do not repeat their callbacks, and these come from few addresses."""


class LimitRequests:
    """ASGI middleware: 429 with Retry-After once an address exceeds its limit."""

    def __init__(self, app: ASGIApp, is_page: Callable[[Scope], bool]) -> None:
        """`is_page` returns whether the server draws a page for this request."""
        self._app = app
        self._is_page = is_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait = await self._wait(scope)
        if wait is None:
            await self._app(scope, receive, send)
            return
        message = f"Too many requests. Please try again in {wait} seconds."
        await error_response(scope, 429, message, {"Retry-After": str(wait)})(scope, receive, send)

    async def _wait(self, scope: Scope) -> int | None:
        path: str = scope.get("path", "")
        if scope["type"] != "http" or path.startswith(_UNLIMITED):
            return None
        address = client_network(address_of(HTTPConnection(scope)))
        if path in _FORM_PATHS:
            return await seconds_to_wait(rule_of(settings().form_limit), "form", path, address)
        if path.startswith(_LIMITED):
            return await seconds_to_wait(rule_of(settings().api_limit), "api", address)
        if self._is_page(scope):
            return await seconds_to_wait(rule_of(settings().pages_limit), "page", address)
        return None
