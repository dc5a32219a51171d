"""The page of a private link, drawn by the server for each request: plain HTML with forms that the browser posts.

Its only scripts are for the menus, for moments in the visitor's own time zone, and for updates of a page that waits for a
result.
"""

import html
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import reflex as rx
from fastapi import Request, Response
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.content.announcement import Announcement, find_announcement
from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound, SiteError
from agency_site.site.layout.announcement import announcement_bar
from agency_site.site.layout.footer import site_footer
from agency_site.site.layout.head import shared_head
from agency_site.site.layout.header import site_header
from agency_site.site.layout.page_scripts import read_script, shared_script
from agency_site.site.layout.path_rules import PRIVATE_HEADERS, PRIVATE_PATHS
from agency_site.site.layout.served_pages import PAGES, AssembledPage, PublishedPages
from agency_site.ui.elements import announced, fragment_link, notice, text_link
from agency_site.ui.forms import focus_refusal
from agency_site.ui.server_html import render_html

_META = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer">'
)
_DEVELOPMENT_STYLES = '<link rel="stylesheet" href="/styles/__reflex_global_styles.css">'
_SCRIPT = Path(__file__).with_suffix(".js")
_PLAIN_REFRESH_SECONDS = 5
"""The shortest interval of reloads without scripts; scripts replace the content alone."""

Record = TypeVar("Record")
_newsletter_forms: list[Callable[[], rx.Component]] = []


def join_newsletter_form(draw: Callable[[], rx.Component]) -> None:
    """Register the newsletter feature's form for the footer of private pages."""
    _newsletter_forms[:] = [draw]
    _draw_frame.cache_clear()


async def find_record(find: Callable[[AsyncSession, str], Awaitable[Record]], token: str) -> Record | None:
    """Return the record that the token opens, or None."""
    try:
        async with read_scope() as session:
            return await find(session, token)
    except NotFound:
        return None


async def try_change(change: Callable[[AsyncSession, str], Awaitable[object]], token: str) -> str:
    """Change the record that the token opens; return the reason if that is refused, otherwise an empty text."""
    try:
        async with session_scope() as session:
            await change(session, token)
    except SiteError as refused:
        return refused.message
    return ""


@dataclass(frozen=True, eq=False)
class PrivatePage:
    """A page below one of `PRIVATE_PATHS`. Raises ValueError for any other path."""

    path: str
    """The path of its route, such as `/booking/{token}`."""
    title: str
    description: str
    unknown: rx.Component
    """The content for an unknown link."""
    width: str = "max-w-[720px]"
    """Class of the element around its content."""

    def __post_init__(self) -> None:
        if not self.path.startswith(PRIVATE_PATHS):
            raise ValueError(f"{self.path} is below none of PRIVATE_PATHS")

    def show(self, request: Request, content: rx.Component | None, *, refresh_seconds: float = 0) -> Response:
        """Return the page with its `content`, or 404 if the link opens no record.

        The page updates itself after `refresh_seconds`, unless they are 0.
        """
        return self._respond(request, content, 200, refresh_seconds=refresh_seconds)

    def refuse(
        self,
        request: Request,
        content: rx.Component | None,
        field_values: Mapping[str, str] | None = None,
        *,
        status: int = 409,
    ) -> Response:
        """Return the response to a refused form: the page with the reason, its fields filled with the `field_values`."""
        return self._respond(request, content, status, field_values=field_values)

    def _respond(
        self,
        request: Request,
        content: rx.Component | None,
        status: int,
        *,
        field_values: Mapping[str, str] | None = None,
        refresh_seconds: float = 0,
    ) -> Response:
        main = render_html(self.unknown if content is None else content, field_values)
        main = focus_refusal(main) if status >= 400 else main
        frame = _draw_frame(request.scope.get(PAGES), self, find_announcement())
        title = f"{'Error: ' if status >= 400 else ''}{self.title} | {BRAND.name}"
        head = f"<title>{html.escape(title, quote=False)}</title>{_write_refresh(refresh_seconds)}"
        opening = f'<main id="content" tabindex="-1" class="outline-none"{_write_seconds(refresh_seconds)}>'

        def assemble() -> str:
            return f"{frame.head}{head}{frame.above}{opening}{frame.within}{main}{frame.below}"

        policy = {"Content-Security-Policy": frame.policy} if frame.policy else {}
        return AssembledPage(assemble, 404 if content is None else status, PRIVATE_HEADERS | policy)


@dataclass(frozen=True)
class _Frame:
    """The constant parts of a page around its content."""

    head: str
    above: str
    within: str
    below: str
    policy: str


@lru_cache(maxsize=64)
def _draw_frame(pages: PublishedPages | None, page: PrivatePage, bar: Announcement | None) -> _Frame:
    description = f'<meta name="description" content="{html.escape(page.description)}">'
    styles = pages.find_styles() if pages else _DEVELOPMENT_STYLES
    head = f'<!doctype html><html lang="en-KE"><head>{_META}{description}{render_html(rx.fragment(*shared_head()))}{styles}'
    skip = fragment_link("Skip to content", fragment="content", class_name="skip")
    announcement = announcement_bar(bar) if bar else rx.fragment()
    above = f"</head><body>{render_html(rx.fragment(skip, announcement, site_header(page.path)))}"
    within = f'<div class="wrap py-[clamp(40px,6vw,80px)] min-h-[60vh]"><div class="{page.width}">'
    newsletter = rx.fragment(*(draw() for draw in _newsletter_forms))
    below = (
        f'</div></div></main><p class="sr-only" role="status" id="news"></p>{render_html(site_footer(newsletter))}'
        f"<script>{shared_script()}{read_script(_SCRIPT)}</script></body></html>"
    )
    return _Frame(head, above, within, below, pages.policy_of(head + above + below) if pages else "")


def _write_seconds(seconds: float) -> str:
    return f' data-refresh="{seconds:g}"' if seconds else ""


def _write_refresh(seconds: float) -> str:
    if not seconds:
        return ""
    content = max(round(seconds), _PLAIN_REFRESH_SECONDS)
    return f'<noscript><meta http-equiv="refresh" content="{content}"></noscript>'


def unknown_link(
    heading: str, elsewhere: rx.Component, check: str = "the whole link from the e-mail"
) -> rx.Component:
    return rx.el.div(
        rx.el.h1(heading),
        rx.el.p(
            f"Please check that you opened {check}, or call us on ",
            text_link(BRAND.phone, f"tel:{BRAND.phone_e164}"),
            ".",
            class_name="text-lead mt-5 mb-8",
        ),
        elsewhere,
    )


def change_result(failure: str, done: str) -> rx.Component:
    """The message that a change was refused, with the reason, or that it is done."""
    refusal = notice(rx.el.p(failure), tone="error", class_name="mb-5") if failure else rx.fragment()
    return rx.el.div(refusal, announced(done), class_name="mt-7")
