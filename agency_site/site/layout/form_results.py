"""Results of posted forms: the page after the redirect says what was done only if the site has just done it."""

from datetime import UTC, datetime, timedelta

from fastapi import Request
from fastapi.responses import Response

from agency_site.clock import now
from agency_site.signing import is_signed, sign
from agency_site.site.layout.served_pages import see_other

_PURPOSE = "form-result"
_SHOWN_FOR = timedelta(minutes=10)


def see_result(path: str, result: str) -> Response:
    """Return the redirect after an accepted form to the page at `path`, which shows the result. A link alone does not."""
    at = f"{now().timestamp():.0f}"
    return see_other(f"{path}?{result}={at}.{sign(_PURPOSE, _describe(path, result, at))}")


def has_result(request: Request, result: str) -> bool:
    """Return whether `see_result` has led to this page within the last minutes."""
    at, _, signature = request.query_params.get(result, "").partition(".")
    if not is_signed(signature, _PURPOSE, _describe(request.url.path, result, at)):
        return False
    return now() < datetime.fromtimestamp(int(at), UTC) + _SHOWN_FOR


def _describe(path: str, result: str, at: str) -> str:
    return f"{path}?{result}={at}"
