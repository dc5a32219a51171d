"""Access tokens: one for all requests, renewed early, and again if Daraja rejects one (daraja.md, 1)."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx

from agency_site import clock
from agency_site.mpesa.answers import Answer, is_token_invalid
from agency_site.mpesa.contract import Token, TokenStore
from agency_site.mpesa.errors import MpesaError, Unreachable

log = logging.getLogger(__name__)


class MemoryTokenStore:
    """One token for one process. Several processes must share a store: a new token may invalidate the old one."""

    def __init__(self) -> None:
        self._current: Token | None = None
        self._lock = asyncio.Lock()

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        """Return a usable token; `stale` is one that Daraja has just rejected."""
        async with self._lock:
            current = self._current
            if current is None or current.value == stale or clock.now() >= current.use_until:
                current = self._current = await fetch()
            return current.value


class BearerAuth(httpx.Auth):
    """Adds the token to a request. If Daraja rejects the token, it fetches another and repeats the request once.

    The repeat cannot send a second prompt: Daraja does not process a request with a rejected token.
    """

    def __init__(self, tokens: TokenStore, fetch: Callable[[], Awaitable[Token]]) -> None:
        self._tokens = tokens
        self._fetch = fetch

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Authenticate one request; httpx calls this inside the client."""
        value = await self._get_token()
        request.headers["Authorization"] = f"Bearer {value}"
        response = yield request
        await response.aread()
        if not is_token_invalid(Answer.of(response)):
            return
        value = await self._get_token(stale=value)
        request.headers["Authorization"] = f"Bearer {value}"
        yield request

    async def _get_token(self, stale: str | None = None) -> str:
        """Return a token. Raises only NotSent: without a valid token nothing was requested."""
        try:
            return await self._tokens.token(self._fetch, stale)
        except MpesaError:
            raise
        except Exception as error:
            log.exception("the token store failed; the request is not sent")
            raise Unreachable(f"no token: {type(error).__name__}") from error
