"""Access tokens: kept once for all, renewed early, and again when Daraja refuses one (daraja.md, 1)."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable

import httpx

from agency_site import clock
from agency_site.mpesa.answers import Answer, token_is_invalid
from agency_site.mpesa.contract import Token, TokenStore
from agency_site.mpesa.errors import MpesaError, Unreachable

log = logging.getLogger(__name__)


class MemoryTokenStore:
    """One token for one process. Several processes must share a store: a new token may kill the old one."""

    def __init__(self) -> None:
        self._kept: Token | None = None
        self._lock = asyncio.Lock()

    async def token(self, fetch: Callable[[], Awaitable[Token]], stale: str | None = None) -> str:
        """A usable token; `stale` names one that Daraja has just refused."""
        async with self._lock:
            kept = self._kept
            if kept is None or kept.value == stale or clock.now() >= kept.use_until:
                kept = self._kept = await fetch()
            return kept.value


class BearerAuth(httpx.Auth):
    """Puts the token on a request; after an invalid-token answer fetches another and repeats once.

    The repeat cannot send a second prompt: a request with a refused token was not acted upon.
    """

    def __init__(self, tokens: TokenStore, fetch: Callable[[], Awaitable[Token]]) -> None:
        self._tokens = tokens
        self._fetch = fetch

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Runs inside the client, once for each request."""
        value = await self._get_token()
        request.headers["Authorization"] = f"Bearer {value}"
        response = yield request
        await response.aread()
        if not token_is_invalid(Answer.of(response)):
            return
        value = await self._get_token(stale=value)
        request.headers["Authorization"] = f"Bearer {value}"
        yield request

    async def _get_token(self, stale: str | None = None) -> str:
        """Raises NotSent only: without a token, or with a refused one, nothing was done."""
        try:
            return await self._tokens.token(self._fetch, stale)
        except MpesaError:
            raise
        except Exception as error:
            log.exception("no token could be had")
            raise Unreachable(f"no token: {type(error).__name__}") from error
