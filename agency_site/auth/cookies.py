"""The cookies of the back office: the session, a pending sign-in, a browser that signed in before.

No other module sets or reads them. On HTTPS their names begin with `__Host-`: the browser then refuses them from any other
host, path or plain connection.
"""

import re
from collections.abc import Iterator
from datetime import timedelta

from starlette.responses import Response

from agency_site.auth.tokens import CODE_TIME, TOKEN
from agency_site.settings import settings

_DEVICE_LIFETIME = timedelta(days=180)
_SEALED = re.compile(r"[A-Za-z0-9_.-]{1,200}")


def session_name() -> str:
    """Return the name of the cookie that holds the session's token."""
    return _cookie_name("staff")


def token_of(cookie_header: str) -> str:
    """Return the session's token in a raw Cookie header; empty if there is no possible token."""
    return _cookie_value(cookie_header, "staff", TOKEN)


def pending_of(cookie_header: str) -> str:
    """Return the sealed note of a sign-in that waits for its code."""
    return _cookie_value(cookie_header, "staff-code", _SEALED)


def device_of(cookie_header: str) -> str:
    """Return the sealed note of a browser that has signed in before."""
    return _cookie_value(cookie_header, "staff-device", _SEALED)


def set_session(response: Response, token: str, device: str) -> None:
    """Sign the browser in; the session cookie ends with the browser's window, the device cookie stays."""
    _set_cookie(response, "staff", token)
    _set_cookie(response, "staff-device", device, _DEVICE_LIFETIME)
    _delete_cookie(response, "staff-code")


def set_pending(response: Response, note: str) -> None:
    _set_cookie(response, "staff-code", note, CODE_TIME)


def drop_pending(response: Response) -> None:
    _delete_cookie(response, "staff-code")


def drop_session(response: Response) -> None:
    _delete_cookie(response, "staff")
    _delete_cookie(response, "staff-code")


def _secure() -> bool:
    return settings().site_url.startswith("https://")


def _cookie_name(plain: str) -> str:
    return f"__Host-{plain}" if _secure() else plain


def _pairs(header: str) -> Iterator[tuple[str, str]]:
    for part in header.split(";"):
        name, _, value = part.strip(" \t").partition("=")
        yield name, value.strip(" \t")


def _cookie_value(header: str, plain: str, shape: re.Pattern[str]) -> str:
    wanted = _cookie_name(plain)
    return next((value for name, value in _pairs(header) if name == wanted and shape.fullmatch(value)), "")


def _set_cookie(response: Response, plain: str, value: str, lifetime: timedelta | None = None) -> None:
    response.set_cookie(
        _cookie_name(plain),
        value,
        max_age=int(lifetime.total_seconds()) if lifetime else None,
        path="/",
        secure=_secure(),
        httponly=True,
        samesite="strict",
    )


def _delete_cookie(response: Response, plain: str) -> None:
    response.delete_cookie(_cookie_name(plain), path="/", secure=_secure(), httponly=True, samesite="strict")
