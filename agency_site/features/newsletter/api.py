"""The newsletter's own pages over HTTP: private links, and the public archive.

Finished HTML without scripts. What they show comes after the build, and mail programs post here without a browser.
A GET changes nothing: programs that check mails for dangers open every link in them.
"""

from collections.abc import Callable, Coroutine
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.markdown import render_staff_text
from agency_site.content.newsletter import INTERESTS
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.outages import SharedReading
from agency_site.errors import NotFound, SiteError
from agency_site.features.newsletter import archive
from agency_site.features.newsletter import preferences as private
from agency_site.features.newsletter.emails import spoken
from agency_site.features.newsletter.page import (
    SENT_REGION,
    archive_graph,
    archive_sitemap,
    issue_graph,
    sent_issues,
)
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.request import read_interests
from agency_site.features.newsletter.rules import SubscriberState, masked, tick_name
from agency_site.features.newsletter.state import BoxNewsletter, FooterNewsletter, NewsletterForm
from agency_site.features.newsletter.usecases import confirm, find_opt_in
from agency_site.features.newsletter.view import subscription_form
from agency_site.request_body import read_body, read_form_fields
from agency_site.site.layout.plain_page import missing_page, private_page, public_page
from agency_site.site.layout.served_pages import (
    FOR_ALL_VISITORS,
    Posted,
    page_response,
    posted_page,
    published_page,
    refuse_other_sites,
    see_other,
)
from agency_site.ui.server_html import new_state, render_html

_TEMPLATES = Path(__file__).parent / "templates"
_DEFAULT_TICKS = {tick_name(interest.name): "on" for interest in INTERESTS if interest.chosen}
LARGEST_FORM = 8 * 1024
"""Bytes; the form of interests fits many times."""
_SEEN = ["GET", "HEAD"]
_PAGE = "/newsletter"
_SHORT_FORMS = {"footer": FooterNewsletter, "box": BoxNewsletter}
"""States of the forms of one field, by their names."""
_RECENT = 4
"""Issues that the newsletter page lists above those of content."""
_sent: SharedReading[tuple[archive.PastIssue, ...]] = SharedReading()
_PATIENCE_SECONDS = 1.0
"""After which the page is shown without them: it does not need the database."""
_SAVED = "saved"
"""In the address of the preferences after they were saved."""


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
pages = APIRouter(prefix="/newsletter", include_in_schema=False)
"""The forms of footer, boxes and newsletter page as browsers post them without scripts."""


@pages.get("")
async def show_newsletter(request: Request) -> Response:
    """The newsletter page with the issues that were sent since the build; without any it is the published file."""
    sent = await _sent.read("", _PATIENCE_SECONDS, _list_recent)
    if not sent:
        return published_page(request)
    return page_response(request, _PAGE, {SENT_REGION: _draw_sent(sent)}, cache_control=FOR_ALL_VISITORS)


async def _list_recent() -> tuple[archive.PastIssue, ...]:
    async with read_scope() as session:
        return tuple(await archive.list_sent(session, _RECENT))


@lru_cache(maxsize=4)
def _draw_sent(sent: tuple[archive.PastIssue, ...]) -> str:
    return render_html(sent_issues(sent))


@pages.post("/subscribe")
async def post_subscription(request: Request, posted: Posted) -> Response:
    address, short_form = address_of(request), _SHORT_FORMS.get(posted.get("source", ""))
    form, typed = new_state(NewsletterForm), posted
    if short_form is not None:
        box = new_state(short_form)
        await box._subscribe(posted, address, admit_post)
        form.errors = {"email": box.error} if box.error else {}
        typed = _DEFAULT_TICKS | posted
    else:
        await form._subscribe(posted, address, admit_post)
    if form.errors:
        return posted_page(request, _PAGE, {"newsletter": render_html(subscription_form(form), typed)})
    return see_other("/newsletter/subscribed" if posted.get("email", "").strip() else _PAGE)


@router.api_route("/subscribe", methods=_SEEN)
async def open_form() -> Response:
    """The address of a form that was not accepted, opened once more."""
    return RedirectResponse(_PAGE, 303)


@router.api_route("/subscribed", methods=_SEEN)
async def show_thanks() -> Response:
    """Where a form leads that was posted without scripts."""
    return private_page(_TEMPLATES, "subscribed.html")


@router.api_route("/", methods=_SEEN)
async def newsletter() -> Response:
    """The newsletter page has no slash at its end."""
    return RedirectResponse(_PAGE, 308)


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
        opt_in, own = await find_opt_in(session, token)
    interests = None if opt_in.interests is None else spoken(opt_in.interests)
    who = masked(opt_in.subscriber.email)
    preferences = f"/newsletter/preferences/{own}"
    return private_page(
        _TEMPLATES, "confirm.html", opt_in=opt_in, who=who, interests=interests, preferences=preferences
    )


@router.post("/confirm/{token}")
async def post_confirmation(token: str, request: Request) -> Response:
    """Put the subscriber on the list; a second time changes nothing."""
    refuse_other_sites(request)
    async with session_scope() as session:
        await confirm(session, token, address_of(request))
    return see_other(f"/newsletter/confirm/{token}")


@router.api_route("/preferences/{token}", methods=_SEEN)
async def show_preferences(token: str, request: Request) -> Response:
    """What somebody wants to read about."""
    async with read_scope() as session:
        subscriber = await private.find_by_token(session, token)
    return _preferences(subscriber, token, saved=request.url.query == _SAVED)


@router.post("/preferences/{token}")
async def save_preferences(token: str, request: Request) -> Response:
    """Keep what is ticked."""
    refuse_other_sites(request)
    interests = read_interests(await read_form_fields(request, LARGEST_FORM))
    async with session_scope() as session:
        await private.choose(session, token, interests)
    return see_other(f"/newsletter/preferences/{token}?{_SAVED}")


@router.api_route("/unsubscribe/{token}", methods=_SEEN)
async def show_leaving(token: str) -> Response:
    """The question; opening it changes nothing."""
    async with read_scope() as session:
        subscriber = await private.find_by_token(session, token)
    return _leaving(subscriber, token)


@router.post("/unsubscribe/{token}")
async def leave(token: str, request: Request) -> Response:
    """Take the subscriber off the list: by the page's button, or by a mail program in one click (RFC 8058).

    No login, no cookie, and any number of times. A mail program gets its 200 without a redirect, also for a link that we no
    longer know: whoever it belonged to is on no list.
    """
    one_click = b"One-Click" in await read_body(request, LARGEST_FORM)
    if not one_click:
        refuse_other_sites(request)
    try:
        async with session_scope() as session:
            await private.unsubscribe(session, token)
    except NotFound:
        if not one_click:
            raise
    if one_click:
        return Response("", headers={"Cache-Control": "no-store"})
    return see_other(f"/newsletter/unsubscribe/{token}")


@router.api_route("/{slug}", methods=_SEEN)
async def issue(slug: str, request: Request) -> Response:
    """One past issue."""
    try:
        async with read_scope() as session:
            found = await archive.find_past(session, slug)
    except NotFound:
        return missing_page(_TEMPLATES)
    values = {"html": render_staff_text(found.text), "facts": issue_graph(found)}
    return public_page(_TEMPLATES, "issue.html", request, issue=found, **values)


@router.api_route("/{rest:path}", methods=_SEEN)
async def nothing(rest: str) -> Response:
    """Whatever else is asked for below the newsletter page."""
    return missing_page(_TEMPLATES)


def _preferences(subscriber: SubscriberRecord, token: str, *, saved: bool) -> Response:
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
