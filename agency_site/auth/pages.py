"""Rendering, headers, forms and the origin check of the pages in front of the back office."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from agency_site import brand
from agency_site.auth import cookies
from agency_site.auth.errors import SignInRefused
from agency_site.auth.sessions import Visit
from agency_site.client_address import address_of
from agency_site.content.brand import BRAND
from agency_site.errors import InputRejected, SiteError, TooManyRequests
from agency_site.request_body import read_form_fields
from agency_site.settings import settings

HOME = "/admin"
ACCOUNT = "/admin/account"
"""The page of the own account, open to all signed-in staff."""
LARGEST_FORM = 16 * 1024
"""Bytes; the longest password and the longest path fit many times over."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    # With no-referrer a browser would send `Origin: null` with our own forms. No referrer is sent to other sites.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}

_INSIDE = re.compile(r"/admin(?:[/?][!-\[\]-~]*)?")
_CLIMBING = re.compile(r"(?:^|/)\.{1,2}(?:/|$)")


def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "brand": BRAND,
        "theme_colour": brand.BRAND,
        "font_files": (brand.DISPLAY_FONT_FILE, brand.TEXT_FONT_FILE),
    }
    return environment


TEMPLATES = _templates()


class FromElsewhere(SiteError):
    """A post that did not come from a page of this site."""

    status = 403

    def __init__(self) -> None:
        super().__init__("This request did not come from our site and was rejected.")


def next_path(wanted: str) -> str:
    """Return the page to open after signing in: the wanted path if it is safe, otherwise the dashboard."""
    if len(wanted) > 500 or not _INSIDE.fullmatch(wanted):
        return HOME
    # Browsers decode %2e to a dot and leave the folder; the pages for signing in and out would form a loop.
    path = unquote(wanted.partition("?")[0])
    if _CLIMBING.search(path) or path.startswith("/admin/sign-") or "//" in path or "\\" in path:
        return HOME
    return wanted


def with_next(path: str, target: str) -> str:
    """Return `path` with the page to open afterwards."""
    return path if target == HOME else f"{path}?next={quote(target, safe='/')}"


def page(template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """Render one of the pages, with its headers."""
    return HTMLResponse(TEMPLATES.get_template(template).render(**values), status, _HEADERS)


@dataclass(frozen=True)
class AtField:
    """A refusal that is shown next to one field."""

    wrong: SiteError
    field: str


def at_field(wrong: SiteError, field: str) -> SiteError | AtField:
    """Show `wrong` next to `field` if the input of that field is the reason."""
    return AtField(wrong, field) if isinstance(wrong, SignInRefused) else wrong


def form_page(template: str, why: SiteError | AtField | None, **values: object) -> HTMLResponse:
    """Render a page with a form; `why` is why the last submit was rejected. Messages for fields are shown next to them."""
    wrong = why.wrong if isinstance(why, AtField) else why
    errors = wrong.by_field() if isinstance(wrong, InputRejected) else {}
    if isinstance(why, AtField):
        errors = {why.field: why.wrong.message}
    message = wrong.message if wrong else ""
    status = wrong.status if wrong else 200
    answer = page(template, status=status, wrong=message, errors=errors, **{"notice": "", **values})
    if isinstance(wrong, TooManyRequests):
        answer.headers["Retry-After"] = str(wrong.retry_after)
    return answer


def go(path: str) -> RedirectResponse:
    """Redirect to another page, with GET."""
    return RedirectResponse(path, 303, _HEADERS)


def visit_of(request: Request) -> Visit:
    """Return the source of the request and the cookies of its browser."""
    cookie_header = request.headers.get("cookie", "")
    return Visit(
        address=address_of(request),
        browser=request.headers.get("user-agent", "")[:400],
        device=cookies.device_of(cookie_header),
        token=cookies.token_of(cookie_header),
    )


async def read_posted_form(request: Request) -> dict[str, str]:
    """Return the fields of a posted form. Raises FromElsewhere, and InputRejected for a malformed body."""
    require_own_origin(request)
    return await read_form_fields(request, LARGEST_FORM)


def require_own_origin(request: Request) -> None:
    """Raise FromElsewhere unless a page of this site sent the request, because a form of another site must do nothing."""
    origin = request.headers.get("origin")
    if origin is None:
        parts = urlsplit(request.headers.get("referer", ""))
        origin = f"{parts.scheme}://{parts.netloc}"
    if origin not in settings().origins:
        raise FromElsewhere
