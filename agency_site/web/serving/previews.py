"""Previews of drafts: the real page with the draft, in frames as wide as a phone and a computer, by a private link."""

import asyncio

import reflex as rx
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from agency_site.db.engine import read_scope
from agency_site.errors import NotFound
from agency_site.features.editing.entries.previews import PREVIEW, Preview, find_preview
from agency_site.settings import settings
from agency_site.site.layout.path_rules import PRIVATE_HEADERS
from agency_site.site.layout.private_page import PrivatePage, find_record, unknown_link
from agency_site.site.layout.served_pages import without_scripts
from agency_site.ui.elements import link_button
from agency_site.web.build.content_policy import page_policy
from agency_site.web.serving.live_content import draw_preview

pages = APIRouter(include_in_schema=False)
_WIDTHS = ((390, "Phone"), (1280, "Computer"))
_HEIGHT = 844
_FRAMES = PrivatePage(
    path=f"{PREVIEW}{{token}}",
    title="Preview",
    description="The preview of a page that is not published yet.",
    unknown=unknown_link(
        "This preview is not available.", link_button("Go to our home page", "/"), "the whole link"
    ),
    width="",
)


@pages.get(f"{PREVIEW}{{token}}")
async def show_frames(token: str, request: Request) -> Response:
    """Return the page with a frame for each width."""
    preview = await find_record(find_preview, token)
    return _FRAMES.show(request, _draw_frames(preview, token) if preview else None)


@pages.get(f"{PREVIEW}{{token}}/page")
async def show_previewed_page(token: str) -> Response:
    """Return the real page with the draft, without scripts. Only the page with the frames may frame it. Raises NotFound."""
    async with read_scope() as session:
        preview = await find_preview(session, token)
    page = await asyncio.to_thread(draw_preview, preview.overlays, preview.path)
    if page is None:
        raise NotFound("This page cannot be previewed.")
    body = without_scripts(page).replace("<head>", '<head><base target="_blank">', 1)
    return HTMLResponse(body, headers=PRIVATE_HEADERS | {"Content-Security-Policy": _policy_of(body)})


def _policy_of(page: str) -> str:
    policy = page_policy(page.encode(), settings().origins)
    framed = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    # A visitor's form in it would really be sent.
    return framed.replace("form-action 'self'", "form-action 'none'")


def _draw_frames(preview: Preview, token: str) -> rx.Component:
    return rx.el.div(
        rx.el.h1("Preview"),
        rx.el.p(
            rx.el.strong(preview.title),
            " as visitors would see it. Only people with this link see this page.",
            class_name="text-lead mt-5 mb-8",
        ),
        *(_draw_frame(f"{PREVIEW}{token}/page", width, device) for width, device in _WIDTHS),
    )


def _draw_frame(address: str, width: int, device: str) -> rx.Component:
    label = f"{device}, {width} pixels"
    frame = rx.el.iframe(
        custom_attrs={
            "src": address,
            "title": label,
            "width": str(width),
            "height": str(_HEIGHT),
            "sandbox": "allow-same-origin allow-popups allow-popups-to-escape-sandbox",
        },
    )
    scroll = {"tabindex": "0", "role": "region", "aria-label": label}
    return rx.el.section(
        rx.el.h2(label, class_name="mt-8 mb-4"),
        rx.el.div(frame, class_name="table-frame", custom_attrs=scroll),
    )
