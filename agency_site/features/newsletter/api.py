"""The newsletter's own pages over HTTP: private links, and the public archive.

Finished HTML without scripts. What they show comes after the build, and mail programs post here without a browser.
A GET changes nothing: programs that check mails for dangers open every link in them.
"""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from agency_site.client_address import address_of
from agency_site.content.markdown import render_written
from agency_site.content.newsletter import INTERESTS
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound, SiteError
from agency_site.features.newsletter import archive
from agency_site.features.newsletter import preferences as private
from agency_site.features.newsletter.emails import spoken
from agency_site.features.newsletter.page import archive_graph, archive_sitemap, issue_graph
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.request import read_interests
from agency_site.features.newsletter.rules import SubscriberState, masked, tick_name
from agency_site.features.newsletter.usecases import OptInRecord, confirm, find_opt_in
from agency_site.request_body import read_body, read_form_fields
from agency_site.site.layout.plain_page import missing_page, private_page, public_page

_TEMPLATES = Path(__file__).parent / "templates"
LARGEST_FORM = 8 * 1024
"""Bytes; the form of interests fits many times."""
_SEEN = ["GET", "HEAD"]


class PageRoute(APIRoute):
    """A route whose refusals are pages, not JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler with its refusals shown as a page."""
        inner: Callable[[Request], Any] = super().get_route_handler()

        async def shown(request: Request) -> Response:
            try:
                answer: Response = await inner(request)
            except SiteError as wrong:
                return private_page(_TEMPLATES, "refused.html", wrong.status, message=wrong.message)
            return answer

        return shown


router = APIRouter(prefix="/newsletter", include_in_schema=False, route_class=PageRoute)


@router.api_route("/", methods=_SEEN)
async def newsletter() -> Response:
    """The newsletter page has no slash at its end."""
    return RedirectResponse("/newsletter", 308)


@router.api_route("/archive", methods=_SEEN)
async def all_issues(request: Request) -> Response:
    """All past issues."""
    async with read_scope() as session:
        issues = await archive.list_past(session)
    return public_page(_TEMPLATES, "archive.html", request, issues=issues, facts=archive_graph())


@router.api_route("/sitemap.xml", methods=_SEEN)
async def sitemap() -> Response:
    """The issues for search engines; the site's own sitemap leads here."""
    async with read_scope() as session:
        issues = await archive.list_past(session)
    return Response(
        archive_sitemap(issues), media_type="application/xml", headers={"Cache-Control": "no-cache"}
    )


@router.api_route("/confirm/{token}", methods=_SEEN)
async def show_confirmation(token: str) -> Response:
    """What is to be confirmed, and the button that does it."""
    async with read_scope() as session:
        opt_in = await find_opt_in(session, token)
    return _confirmation(opt_in)


@router.post("/confirm/{token}")
async def press_confirmation(token: str, request: Request) -> Response:
    """Put the subscriber on the list; pressing again changes nothing."""
    async with session_scope() as session:
        opt_in, own = await confirm(session, token, address_of(request))
    return _confirmation(opt_in, f"/newsletter/preferences/{own}")


@router.api_route("/preferences/{token}", methods=_SEEN)
async def show_preferences(token: str) -> Response:
    """What somebody wants to read about."""
    async with read_scope() as session:
        subscriber = await private.find_by_token(session, token)
    return _preferences(subscriber, token)


@router.post("/preferences/{token}")
async def save_preferences(token: str, request: Request) -> Response:
    """Keep what is ticked."""
    interests = read_interests(await read_form_fields(request, LARGEST_FORM))
    async with session_scope() as session:
        subscriber = await private.choose(session, token, interests)
    return _preferences(subscriber, token, saved=True)


@router.api_route("/unsubscribe/{token}", methods=_SEEN)
async def show_leaving(token: str) -> Response:
    """The question; opening it changes nothing."""
    async with read_scope() as session:
        subscriber = await private.find_by_token(session, token)
    return _leaving(subscriber, token)


@router.post("/unsubscribe/{token}")
async def leave(token: str, request: Request) -> Response:
    """Take the subscriber off the list: by the page's button, or by a mail program in one click (RFC 8058).

    No login, no cookie, no redirect, and any number of times. A mail program gets its 200 also for a link that we no
    longer know: whoever it belonged to is on no list.
    """
    one_click = b"One-Click" in await read_body(request, LARGEST_FORM)
    try:
        async with session_scope() as session:
            subscriber = await private.unsubscribe(session, token)
    except NotFound:
        if not one_click:
            raise
        return Response("", headers={"Cache-Control": "no-store"})
    return _leaving(subscriber, token)


@router.api_route("/{slug}", methods=_SEEN)
async def issue(slug: str, request: Request) -> Response:
    """One past issue."""
    try:
        async with read_scope() as session:
            found = await archive.find_past(session, slug)
    except NotFound:
        return missing_page(_TEMPLATES)
    values = {"html": render_written(found.text), "facts": issue_graph(found)}
    return public_page(_TEMPLATES, "issue.html", request, issue=found, **values)


@router.api_route("/{rest:path}", methods=_SEEN)
async def nothing(rest: str) -> Response:
    """Whatever else is asked for below the newsletter page."""
    return missing_page(_TEMPLATES)


def _confirmation(opt_in: OptInRecord, preferences: str = "") -> Response:
    interests = None if opt_in.interests is None else spoken(opt_in.interests)
    who = masked(opt_in.subscriber.email)
    return private_page(
        _TEMPLATES, "confirm.html", opt_in=opt_in, who=who, interests=interests, preferences=preferences
    )


def _preferences(subscriber: SubscriberRecord, token: str, *, saved: bool = False) -> Response:
    if subscriber.state is not SubscriberState.SUBSCRIBED:
        return _leaving(subscriber, token)
    boxes = [
        {"name": tick_name(one.name), "label": one.label, "ticked": one.name in subscriber.interests}
        for one in INTERESTS
    ]
    return private_page(
        _TEMPLATES,
        "preferences.html",
        who=masked(subscriber.email),
        boxes=boxes,
        saved=saved,
        leave=f"/newsletter/unsubscribe/{token}",
    )


def _leaving(subscriber: SubscriberRecord, token: str) -> Response:
    return private_page(
        _TEMPLATES,
        "unsubscribe.html",
        who=masked(subscriber.email),
        left=subscriber.state is not SubscriberState.SUBSCRIBED,
        preferences=f"/newsletter/preferences/{token}",
    )
