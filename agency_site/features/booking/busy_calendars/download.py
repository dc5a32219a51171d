"""Download a calendar from a server that staff have named, without reaching into our own network.

Each name is resolved once, all its addresses are checked, and the connection goes to a checked address. So a name that answers
with another address a moment later (DNS rebinding) leads nowhere else. Redirects are followed by hand, each through the same
check.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache

import httpx

from agency_site.content.brand import BRAND
from agency_site.features.booking.busy_calendars.rules import (
    CalendarUnreadable,
    is_loopback_address,
    is_public_address,
    parse_calendar_address,
)
from agency_site.settings import settings

MAX_BYTES = 10_000_000
MAX_SECONDS = 20.0
"""For all of it: names, connections, redirects and content."""
_CONNECT_SECONDS = 5.0
_MAX_REDIRECTS = 3
_MAX_TRIED = 4
"""Addresses of one server that are tried until one answers."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REASONS = {
    401: "The calendar's server asks for a password. Please use the calendar's private or secret address.",
    403: "The calendar's server refuses access. Please use the calendar's private or secret address.",
    404: "There is no calendar at this address. It may have been reset or switched off.",
    410: "There is no calendar at this address. It may have been reset or switched off.",
    429: "The calendar's server says that it is asked too often.",
}
_ENCODINGS = frozenset({"", "identity", "gzip"})
"""Others can unpack to a thousand times their size in one step."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the IP addresses of a server's name."""


@dataclass(frozen=True)
class Validators:
    """What the server sent with the last content, to ask for newer content only."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True)
class Download:
    """The content of a calendar."""

    content: bytes
    validators: Validators


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """Return the IP addresses of `host`, in the order in which they should be tried."""
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


async def download_calendar(
    address: str,
    validators: Validators = Validators(),
    *,
    resolve: Resolve = resolve_name,
    certificates: ssl.SSLContext | None = None,
) -> Download | None:
    """Return the content at `address`; None if it has not changed since the `validators`. Raises CalendarUnreadable."""
    try:
        # `trust_env` off: a proxy would connect in our place, to addresses that we have not checked.
        async with (
            asyncio.timeout(MAX_SECONDS),
            httpx.AsyncClient(
                verify=certificates or _public_certificates(),
                trust_env=False,
                timeout=httpx.Timeout(MAX_SECONDS, connect=_CONNECT_SECONDS),
                headers={
                    "Accept": "text/calendar, */*;q=0.1",
                    "Accept-Encoding": "gzip",
                    "User-Agent": f"{BRAND.name} calendar reader",
                },
            ) as client,
        ):
            return await _follow(client, address, validators, resolve)
    except TimeoutError:
        raise CalendarUnreadable(
            f"The calendar's server has not sent it within {MAX_SECONDS:.0f} seconds."
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise CalendarUnreadable(_describe_failure(error)) from None


@cache
def _public_certificates() -> ssl.SSLContext:
    # Reading the certificates takes 25 ms.
    return httpx.create_ssl_context(trust_env=False)


async def _follow(
    client: httpx.AsyncClient, address: str, validators: Validators, resolve: Resolve
) -> Download | None:
    """Request `address` and follow its redirects."""
    for _ in range(_MAX_REDIRECTS + 1):
        url = _require_allowed(address)
        response = await _send(client, url, validators, resolve)
        try:
            if response.status_code not in _REDIRECTS:
                is_conditional = bool(validators.etag or validators.last_modified)
                return await _read_response(response, is_conditional=is_conditional)
            address = str(url.join(response.headers.get("location", "")))
        finally:
            await response.aclose()
    raise CalendarUnreadable("The calendar's server redirects too often.")


def _require_allowed(address: str) -> httpx.URL:
    try:
        return httpx.URL(parse_calendar_address(address, allows_http=settings().calendar_loopback))
    except ValueError as error:
        raise CalendarUnreadable(str(error)) from None


async def _send(
    client: httpx.AsyncClient, url: httpx.URL, validators: Validators, resolve: Resolve
) -> httpx.Response:
    """Send the request to the first address of the server that can be connected to."""
    host = url.raw_host.decode()
    failure: httpx.HTTPError | None = None
    for checked in (await _resolve_checked(host, url, resolve))[:_MAX_TRIED]:
        headers = {"Host": url.netloc.decode()}
        if validators.etag:
            headers["If-None-Match"] = validators.etag
        if validators.last_modified:
            headers["If-Modified-Since"] = validators.last_modified
        request = client.build_request(
            # The certificate is checked against the name, not against the address.
            "GET", url.copy_with(host=checked), headers=headers, extensions={"sni_hostname": host}
        )  # fmt: skip
        try:
            return await client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            failure = error
    raise failure or CalendarUnreadable("The calendar's server cannot be reached.")


async def _resolve_checked(host: str, url: httpx.URL, resolve: Resolve) -> Sequence[str]:
    """Return the addresses of the server. Raises CalendarUnreadable unless all of them may be asked."""
    try:
        addresses = await resolve(host.strip("[]"), url.port or (443 if url.scheme == "https" else 80))
    except (socket.gaierror, UnicodeError):
        raise CalendarUnreadable("There is no server with that name.") from None
    may_be_local = settings().calendar_loopback
    for address in addresses:
        is_local = may_be_local and is_loopback_address(address)
        if not (is_local or (url.scheme == "https" and is_public_address(address))):
            raise CalendarUnreadable("This address is inside a private network, so it is not read.")
    return addresses


async def _read_response(response: httpx.Response, *, is_conditional: bool) -> Download | None:
    """Return the content of the last response; None for 304."""
    if is_conditional and response.status_code == httpx.codes.NOT_MODIFIED:
        return None
    if response.status_code != httpx.codes.OK:
        answer = f"The calendar's server answers with the error {response.status_code}."
        raise CalendarUnreadable(_REASONS.get(response.status_code, answer))
    if response.headers.get("content-encoding", "").lower() not in _ENCODINGS:
        raise CalendarUnreadable("The calendar's server sends it in an encoding that is not read.")
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise CalendarUnreadable(f"The calendar has more than {MAX_BYTES // 1_000_000} MB.")
    headers = response.headers
    return Download(
        bytes(content), Validators(headers.get("etag", "")[:300], headers.get("last-modified", "")[:80])
    )


def _describe_failure(error: Exception) -> str:
    if isinstance(error.__cause__ or error, ssl.SSLError) or "CERTIFICATE" in str(error):
        return "The certificate of the calendar's server is not valid."
    if isinstance(error, httpx.TimeoutException):
        return "The calendar's server does not answer in time."
    if isinstance(error, httpx.ConnectError | OSError):
        return "The calendar's server cannot be reached."
    return "The connection to the calendar's server failed."
