"""What stands in the head of every page: fonts, icons, and the tags that search engines and messengers read."""

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.content.feeds import FEEDS, TITLE
from agency_site.layout.route import Route
from agency_site.settings import PLACEHOLDER_ORIGIN

_FONTS = ("bricolage-grotesque-latin-wght-normal.woff2", "figtree-latin-wght-normal.woff2")

_HOLD_SUBMITS = (
    "addEventListener('submit',function(e){if(!('alive' in document.documentElement.dataset))"
    "{e.preventDefault();window.earlyForm=e.target}},true)"
)
"""A form submitted before the page is alive waits: the browser would send what was typed as part of an address."""


def shared_head() -> list[rx.Component]:
    """Tags of every page."""
    return [
        *(
            rx.el.link(
                rel="preload",
                href=f"/fonts/{name}",
                type="font/woff2",
                cross_origin="anonymous",
                custom_attrs={"as": "font"},
            )
            for name in _FONTS
        ),
        rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
        rx.el.link(rel="icon", href="/favicon.ico", sizes="32x32"),
        rx.el.link(rel="apple-touch-icon", href="/apple-touch-icon.png"),
        rx.el.link(rel="manifest", href="/site.webmanifest"),
        *(
            rx.el.link(rel="alternate", type=feed.media_type, title=f"{TITLE} ({feed.name})", href=feed.href)
            for feed in FEEDS
        ),
        rx.el.meta(name="theme-color", content="#C24435"),
        rx.el.script(_HOLD_SUBMITS),
    ]


def page_title(route: Route) -> str:
    """The page's title with the brand's name."""
    return f"{route.title} | {BRAND.name}"


def page_meta(route: Route) -> list[dict[str, str] | rx.Component]:
    """Canonical address, Open Graph and Twitter tags, or noindex for private pages."""
    if route.private or route.dynamic:
        return [
            {"name": "robots", "content": "noindex, nofollow"},
            {"name": "referrer", "content": "no-referrer"},
        ]
    address = PLACEHOLDER_ORIGIN + (route.canonical or route.path)
    image = f"{PLACEHOLDER_ORIGIN}/share/{route.share_image}.png"
    return [
        rx.el.link(rel="canonical", href=address),
        {"property": "og:type", "content": "website"},
        {"property": "og:site_name", "content": BRAND.name},
        {"property": "og:title", "content": route.title},
        {"property": "og:description", "content": route.description},
        {"property": "og:url", "content": address},
        {"property": "og:image:width", "content": "1200"},
        {"property": "og:image:height", "content": "630"},
        {"name": "twitter:card", "content": "summary_large_image"},
        {"name": "twitter:image", "content": image},
    ]


def share_image(route: Route) -> str:
    """Absolute address of the page's share image."""
    return f"{PLACEHOLDER_ORIGIN}/share/{route.share_image}.png"
