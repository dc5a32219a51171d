"""The cookie `visit`: the origin of a visit, for half an hour after its last page. It identifies no browser and no person.

Scripts cannot read it. Its value is untrusted: a visitor who changes it changes what the own booking or order stores.
"""

from functools import lru_cache
from typing import Protocol
from urllib.parse import quote, unquote

from agency_site.settings import settings
from agency_site.visits.rules import NO_ORIGIN, Origin, clean_part, is_page

NAME = "visit"
SECONDS = 1800
_LONGEST_VALUE = 4096
"""Browsers refuse larger cookies."""
_PREFIX = f"{NAME}="
DELETION = f"{NAME}=; Max-Age=0; Path=/"
"""The header Set-Cookie that removes the cookie."""


class _Headers(Protocol):
    def get(self, key: str, default: str) -> str: ...


class _Request(Protocol):
    @property
    def headers(self) -> _Headers: ...


def parse_origin(cookie_header: str) -> Origin:
    """Return the origin in a raw Cookie header; `NO_ORIGIN` without a well-formed cookie, and if visits are not counted."""
    if _PREFIX not in cookie_header or not settings().visits:
        return NO_ORIGIN
    pairs = (pair.strip(" \t") for pair in cookie_header.split(";"))
    value = next((pair.removeprefix(_PREFIX) for pair in pairs if pair.startswith(_PREFIX)), "")
    return _parse_value(value)


def origin_of(request: _Request) -> Origin:
    """Return the origin of the visit to which a request belongs; `NO_ORIGIN` with Global Privacy Control."""
    if request.headers.get("sec-gpc", "") == "1":
        return NO_ORIGIN
    return parse_origin(request.headers.get("cookie", ""))


@lru_cache(maxsize=512)
def _parse_value(value: str) -> Origin:
    parts = value.split("&")
    if len(value) > _LONGEST_VALUE or len(parts) != 4:
        return NO_ORIGIN
    try:
        source, medium, campaign, page = (unquote(part, errors="strict") for part in parts)
    except ValueError:
        return NO_ORIGIN
    is_clean = all(clean_part(part) == part for part in (source, medium, campaign))
    return Origin(source, medium, campaign, page) if is_clean and is_page(page) else NO_ORIGIN


def write_cookie(origin: Origin) -> str:
    """Return the value of the header Set-Cookie that stores an origin in the browser."""
    return _write_cookie(origin, "; Secure" if settings().site_url.startswith("https://") else "")


@lru_cache(maxsize=512)
def _write_cookie(origin: Origin, secure: str) -> str:
    parts = (origin.source, origin.medium, origin.campaign, origin.first_page)
    value = "&".join(quote(part, safe="/") for part in parts)
    return f"{NAME}={value}; Max-Age={SECONDS}; Path=/; HttpOnly; SameSite=Lax{secure}"
