"""The head of every page: fonts, icons, and tags for search engines and messengers."""

import logging

import reflex as rx

from agency_site import brand
from agency_site.content.brand import BRAND
from agency_site.content.feeds import FEEDS, TITLE
from agency_site.content.share_pictures import SHARE_PICTURES, describe_share_picture
from agency_site.picture_addresses import share_address_of
from agency_site.site.layout.route import Route
from agency_site.site.layout.structured_data import SHARE_SIZE, address_of, json_ld, page_graph, picture_of

log = logging.getLogger(__name__)

TITLE_LENGTH = 62
"""Approximate number of characters of a title that search results show."""


def shared_head() -> list[rx.Component]:
    """Return the tags of every page."""
    return [
        *(
            rx.el.link(
                rel="preload",
                href=f"/fonts/{name}",
                type="font/woff2",
                cross_origin="anonymous",
                custom_attrs={"as": "font"},
            )
            for name in (brand.DISPLAY_FONT_FILE, brand.TEXT_FONT_FILE)
        ),
        rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
        rx.el.link(rel="icon", href="/favicon.ico", sizes="32x32"),
        rx.el.link(rel="apple-touch-icon", href="/apple-touch-icon.png"),
        rx.el.link(rel="manifest", href="/site.webmanifest"),
        *(
            rx.el.link(rel="alternate", type=feed.media_type, title=f"{TITLE} ({feed.name})", href=feed.href)
            for feed in FEEDS
        ),
        rx.el.meta(name="theme-color", content=brand.BRAND),
    ]


def page_title(route: Route) -> str:
    """Return the page's title, with the brand's name if both fit into search results."""
    branded_title = f"{route.title} | {BRAND.name}"
    return route.title if BRAND.name in route.title or len(branded_title) > TITLE_LENGTH else branded_title


def page_meta(route: Route) -> list[dict[str, str] | rx.Component]:
    """Return canonical address, Open Graph and Twitter tags and structured data; for private pages noindex."""
    if route.private or route.dynamic:
        return [
            {"name": "robots", "content": "noindex, nofollow"},
            {"name": "referrer", "content": "no-referrer"},
        ]
    media_type, alt = describe_share_picture(route.share_image)
    is_known = route.share_image in SHARE_PICTURES or share_address_of(route.share_image)
    if not is_known and not route.made_like:
        log.warning(
            "%s shows the share image of the home page: add %r to PAGES of content/share_pictures.py and run `make art`",
            route.path,
            route.share_image,
        )
    return [
        rx.el.link(rel="canonical", href=address_of(route)),
        {"property": "og:type", "content": "article" if route.publication else "website"},
        {"property": "og:locale", "content": "en_KE"},
        {"property": "og:site_name", "content": BRAND.name},
        {"property": "og:title", "content": route.title},
        {"property": "og:description", "content": route.description},
        {"property": "og:url", "content": address_of(route)},
        {"property": "og:image:type", "content": media_type},
        {"property": "og:image:width", "content": str(SHARE_SIZE[0])},
        {"property": "og:image:height", "content": str(SHARE_SIZE[1])},
        {"property": "og:image:alt", "content": alt or route.title},
        *_article_meta(route),
        {"name": "twitter:card", "content": "summary_large_image"},
        {"name": "twitter:title", "content": route.title},
        {"name": "twitter:description", "content": route.description},
        {"name": "twitter:image", "content": picture_of(route)},
        {"name": "twitter:image:alt", "content": alt or route.title},
        json_ld(page_graph(route)),
    ]


def _article_meta(route: Route) -> list[dict[str, str]]:
    if route.publication is None:
        return []
    publication = route.publication
    return [
        {"property": "article:published_time", "content": publication.published.isoformat()},
        {"property": "article:modified_time", "content": publication.changed.isoformat()},
        {"property": "article:section", "content": publication.section},
        *({"property": "article:tag", "content": tag} for tag in publication.keywords),
    ]
