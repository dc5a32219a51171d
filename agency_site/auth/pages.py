"""What the pages in front of the back office share: rendering, headers, forms, and from where a post may come."""

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
"""The own account's page, which everybody who is signed in may open."""
LARGEST_FORM = 16 * 1024
"""Bytes; the longest password and the longest path fit many times."""
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
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "brand": BRAND,
        "theme_colour": brand.BRAND,
        "font_files": (brand.DISPLAY_FONT_FILE, brand.TEXT_FONT_FILE),
    }
    return made


TEMPLATES = _templates()


class FromElsewhere(SiteError):
    """A post that did not come from one of the site's own pages."""

    status = 403

    def __init__(self) -> None:
        super().__init__("This request did not come from our site and was rejected.")


def next_path(asked: str) -> str:
    """Where somebody is redirected after signing in: a path of the back office, whatever was asked for."""
    if len(asked) > 500 or not _INSIDE.fullmatch(asked):
        return HOME
    # Browsers take %2e for a dot and climb; the pages for signing in and out would lead nowhere.
    path = unquote(asked.partition("?")[0])
    if _CLIMBING.search(path) or path.startswith("/admin/sign-") or "//" in path or "\\" in path:
        return HOME
    return asked


def with_next(path: str, target: str) -> str:
    """`path`, remembering where to go afterwards."""
    return path if target == HOME else f"{path}?next={quote(target, safe='/')}"


def page(template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """One of the pages, with its headers."""
    return HTMLResponse(TEMPLATES.get_template(template).render(**values), status, _HEADERS)


@dataclass(frozen=True)
class AtField:
    """A refusal that is said next to one field."""

    wrong: SiteError
    field: str


def at_field(wrong: SiteError, field: str) -> SiteError | AtField:
    """`wrong`, said next to `field` if it is what was typed there that did not fit."""
    return AtField(wrong, field) if isinstance(wrong, SignInRefused) else wrong


def form_page(template: str, why: SiteError | AtField | None, **values: object) -> HTMLResponse:
    """A page with a form; `why` is why the last submission was rejected. Messages for fields are shown next to them."""
    wrong = why.wrong if isinstance(why, AtField) else why
    errors = wrong.by_field() if isinstance(wrong, InputRejected) else {}
    if isinstance(why, AtField):
        errors = {why.field: why.wrong.message}
    said = wrong.message if wrong else ""
    status = wrong.status if wrong else 200
    answer = page(template, status=status, wrong=said, errors=errors, **{"notice": "", **values})
    if isinstance(wrong, TooManyRequests):
        answer.headers["Retry-After"] = str(wrong.retry_after)
    return answer


def go(path: str) -> RedirectResponse:
    """On to another page, with GET."""
    return RedirectResponse(path, 303, _HEADERS)


def visit_of(request: Request) -> Visit:
    """Where the request comes from, and what its browser kept."""
    kept = request.headers.get("cookie", "")
    return Visit(
        address=address_of(request),
        browser=request.headers.get("user-agent", "")[:400],
        device=cookies.device_of(kept),
        token=cookies.token_of(kept),
    )


async def posted(request: Request) -> dict[str, str]:
    """The fields of a posted form. Raises FromElsewhere, and InputRejected for a body that is no such form."""
    require_own_origin(request)
    return await read_form_fields(request, LARGEST_FORM)


def require_own_origin(request: Request) -> None:
    """Raise FromElsewhere unless one of the site's own pages sent the request: another site's form must do nothing."""
    origin = request.headers.get("origin")
    if origin is None:
        parts = urlsplit(request.headers.get("referer", ""))
        origin = f"{parts.scheme}://{parts.netloc}"
    if origin not in settings().origins:
        raise FromElsewhere
