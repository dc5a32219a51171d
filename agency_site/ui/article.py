"""Elements of reading pages: the text itself, tables of contents, share buttons."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

import reflex as rx

from agency_site.ui.elements import fragment_link, outside_link
from agency_site.ui.icon import icon

_SIZE = re.compile(r"(\d+)x(\d+)(?:\+(\d+)\+(\d+))?")


@dataclass(frozen=True, kw_only=True)
class Shared:
    """The page that share links pass on. Addresses are absolute."""

    url: str
    title: str
    image: str
    description: str = ""
    """For Pinterest; empty for the title."""
    hashtags: tuple[str, ...] = field(default=())
    """For Twitter/X."""


def text_body(html: str) -> rx.Component:
    """Return text that the content loader rendered; it contains no HTML but the loader's own."""
    return rx.el.div(class_name="article-body", custom_attrs={"dangerouslySetInnerHTML": {"__html": html}})


def contents_list(entries: Sequence[tuple[str, str]], *, linked: bool) -> rx.Component:
    """Return a numbered list of sections, each given as (id, text), with or without links."""
    return rx.el.ol(
        *(
            rx.el.li(
                fragment_link(text, fragment=identifier, class_name="contents-link")
                if linked
                else rx.el.span(text, class_name="contents-link")
            )
            for identifier, text in entries
        ),
        class_name="contents-list",
    )


def share_targets(shared: Shared) -> dict[str, tuple[str, str]]:
    """Return the name and address of each network's share page, by icon name (specification, section 7)."""
    url, title = shared.url, shared.title
    pin = {"url": url, "media": shared.image, "description": shared.description or title}
    tags = {"hashtags": ",".join(shared.hashtags)} if shared.hashtags else {}
    return {
        "x": (
            "Twitter/X",
            _address("https://twitter.com/intent/tweet", {"url": url, "text": title, **tags}),
        ),
        "facebook": (
            "Facebook",
            _address("https://www.facebook.com/sharer/sharer.php", {"u": url, "quote": title}),
        ),
        "pinterest": ("Pinterest", _address("https://www.pinterest.com/pin/create/button/", pin)),
        "linkedin": (
            "LinkedIn",
            _address("https://www.linkedin.com/shareArticle", {"mini": "true", "url": url, "title": title}),
        ),
    }


def window_features(size: str) -> str:
    """Return a size such as `626x436+100+100` in the format of `window.open`. Raises ValueError for any other text."""
    match = _SIZE.fullmatch(size)
    if match is None:
        raise ValueError(f"no window size: {size!r}")
    width, height, left, top = match.groups()
    place = f",top={top},left={left}" if top else ""
    return f"popup,width={width},height={height}{place}"


def share_row(shared: Shared, windows: Mapping[str, str]) -> rx.Component:
    """The four share buttons. `windows` gives a network's window size; a network without one opens a new tab."""
    return rx.el.div(
        rx.el.h2("Share this", class_name="text-body tracking-normal"),
        rx.el.ul(
            *(
                _share_link(network, name, href, windows.get(network, ""))
                for network, (name, href) in share_targets(shared).items()
            ),
            class_name="flex flex-wrap gap-2.5 list-none p-0",
        ),
        class_name="share-row",
    )


def _share_link(network: str, name: str, href: str, size: str) -> rx.Component:
    window = {"data-window": window_features(size)} if size else {}
    return rx.el.li(
        outside_link(
            icon(network, size=20),
            rx.el.span(rx.el.span("Share on ", class_name="sr-only"), name),
            href=href,
            class_name="share-button",
            custom_attrs=window,
        )
    )


def _address(page: str, query: Mapping[str, str]) -> str:
    # ":" and "/" stay as they are (RFC 3986 allows them in a query): publishing finds the site's address by its text.
    return f"{page}?{urlencode(query, quote_via=quote, safe=':/')}"
