"""Pages that the API serves as HTML in the site's style and without scripts, for content that is newer than the build.

A feature's templates extend `plain.html` and fill its blocks `title`, `head` and `main`.
"""

import hashlib
from functools import cache
from pathlib import Path

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from agency_site import brand
from agency_site.accept_headers import compress_html, has_etag
from agency_site.clock import today
from agency_site.content.brand import BRAND
from agency_site.content.navigation import HEADER, QUICK_LINKS, SMALL_PRINT
from agency_site.content.share_pictures import SHARE_PICTURES
from agency_site.settings import settings
from agency_site.site.layout.header import social_links
from agency_site.site.layout.path_rules import PRIVATE_HEADERS
from agency_site.ui.server_html import render_html

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; manifest-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_PUBLIC = _HEADERS | {
    "Cache-Control": "no-cache",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Vary": "Accept-Encoding",
}
PRIVATE = _HEADERS | PRIVATE_HEADERS


@cache
def environment(templates: Path) -> Environment:
    """Return the templates of a feature, which may extend those of the layout."""
    templates_of_feature = Environment(
        loader=FileSystemLoader([templates, Path(__file__).parent / "templates"]),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates_of_feature.globals |= {
        "brand": BRAND,
        "theme_colour": brand.BRAND,
        "font_files": (brand.DISPLAY_FONT_FILE, brand.TEXT_FONT_FILE),
        "header": HEADER,
        "quick_links": QUICK_LINKS,
        "small_print": SMALL_PRINT,
        "social_links": Markup(render_html(social_links())),  # noqa: S704 - components escape their texts
        "share_pictures": SHARE_PICTURES,
    }
    return templates_of_feature


def private_page(templates: Path, name: str, status: int = 200, **values: object) -> Response:
    """Return a private page of one person."""
    return HTMLResponse(render_template(templates, name, private=True, **values), status, PRIVATE)


def public_page(templates: Path, name: str, request: Request, **values: object) -> Response:
    """Return a public page, which browsers revalidate at each visit; an unchanged page is a 304."""
    body = render_template(templates, name, private=False, **values).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = _PUBLIC | {"ETag": etag}
    if has_etag(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    body, encoding = compress_html(body, request.headers.get("accept-encoding", ""))
    return HTMLResponse(body, headers=headers | encoding)


def missing_page(templates: Path) -> Response:
    """Return the site's page for unknown paths (readings, 5)."""
    body = render_template(templates, "plain_missing.html", private=True)
    return HTMLResponse(body, 404, PRIVATE)


def render_template(templates: Path, name: str, **values: object) -> str:
    """Return the HTML of a page."""
    return (
        environment(templates)
        .get_template(name)
        .render(site_url=settings().site_url, year=today().year, **values)
    )
