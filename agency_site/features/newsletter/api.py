"""The newsletter's pages over HTTP: private links and the public archive.

The server draws them without scripts, because their content is newer than the build and mail programs post here. A GET
changes nothing, because programs that scan mails open every link.
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
from agency_site.features.newsletter.emails import describe_interests
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
from agency_site.form_input import CHECK_FIELDS
from agency_site.request_body import read_body, read_form_fields
from agency_site.site.layout.form_results import has_result, see_result
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
from agency_site.ui.server_html import describe_states, new_state, render_html
from agency_site.visits.cookie import origin_of

_TEMPLATES = Path(__file__).parent / "templates"
_DEFAULT_TICKS = {tick_name(interest.name): "on" for interest in INTERESTS if interest.chosen}
LARGEST_FORM = 8 * 1024
"""The most bytes of a posted form, many times the size of the form of interests."""
_READ_METHODS = ["GET", "HEAD"]
_PAGE = "/newsletter"
_SHORT_FORMS = {"footer": FooterNewsletter, "box": BoxNewsletter}
"""The states of the forms of one field, by `source`."""
_RECENT = 4
"""The number of sent issues that the newsletter page lists above those of content."""
_recent_issues: SharedReading[tuple[archive.PastIssue, ...]] = SharedReading("past newsletters")
_PATIENCE_SECONDS = 1.0
"""After this time the page is served without sent issues: readers need not wait for a slow database."""
_SAVED = "saved"
"""Marks the address of the preferences after they were saved."""


class PageRoute(APIRoute):
    """A route whose errors are pages, not JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, with its errors as pages."""
        inner: Callable[[Request], Any] = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                answer: Response = await inner(request)
            except SiteError as error:
                return private_page(_TEMPLATES, "refused.html", error.status, message=error.message)
            return answer

        return handler


router = APIRouter(prefix="/newsletter", include_in_schema=False, route_class=PageRoute)
pages = APIRouter(prefix="/newsletter", include_in_schema=False)
"""The newsletter page, and the posted forms of footer, boxes and newsletter page."""


@pages.get("")
async def show_newsletter(request: Request) -> Response:
    """Serve the newsletter page with the issues sent since the build. Without any, serve the published file."""
    issues = await _recent_issues.read("", _PATIENCE_SECONDS, _list_recent)
    if not issues:
        return published_page(request)
    return page_response(request, _PAGE, {SENT_REGION: _draw_issues(issues)}, cache_control=FOR_ALL_VISITORS)


async def _list_recent() -> tuple[archive.PastIssue, ...]:
    async with read_scope() as session:
        return tuple(await archive.list_sent(session, _RECENT))


@lru_cache(maxsize=4)
def _draw_issues(issues: tuple[archive.PastIssue, ...]) -> str:
    return render_html(sent_issues(issues))


@pages.post("/subscribe")
async def post_subscription(request: Request, posted: Posted) -> Response:
    address, short_form = address_of(request), _SHORT_FORMS.get(posted.get("source", ""))
    form, fields = new_state(NewsletterForm), posted
    if short_form is not None:
        box = new_state(short_form)
        await box._subscribe(posted, address, admit_post, origin_of(request))
        form.failure, form.errors = CHECK_FIELDS if box.error else "", {"email": box.error}
        fields = _DEFAULT_TICKS | posted
    else:
        await form._subscribe(posted, address, admit_post, origin_of(request))
    if form.failure:
        region = render_html(subscription_form(form), fields)
        return posted_page(request, _PAGE, {"newsletter": region}, states=describe_states(form))
    return see_other("/newsletter/subscribed" if posted.get("email", "").strip() else _PAGE)


@router.api_route("/subscribe", methods=_READ_METHODS)
async def open_form() -> Response:
    """Redirect a visitor who reloads the address of a rejected form."""
    return RedirectResponse(_PAGE, 303)


@router.api_route("/subscribed", methods=_READ_METHODS)
async def show_thanks() -> Response:
    """Serve the page after a form that was posted without scripts."""
    return private_page(_TEMPLATES, "subscribed.html")


@router.api_route("/", methods=_READ_METHODS)
async def redirect_to_page() -> Response:
    """Redirect to the newsletter page, whose address has no final slash."""
    return RedirectResponse(_PAGE, 308)


@router.api_route("/archive", methods=_READ_METHODS)
async def show_archive(request: Request) -> Response:
    """Serve the list of all past issues."""
    async with read_scope() as session:
        issues = await archive.list_past(session)
    return public_page(_TEMPLATES, "archive.html", request, issues=issues, facts=archive_graph())


@router.api_route("/sitemap.xml", methods=_READ_METHODS)
async def sitemap() -> Response:
    """Serve the sitemap of the issues, to which the site's sitemap links."""
    async with read_scope() as session:
        issues = await archive.list_past(session)
    return Response(
        archive_sitemap(issues), media_type="application/xml", headers={"Cache-Control": "no-cache"}
    )


@router.api_route("/confirm/{token}", methods=_READ_METHODS)
async def show_confirmation(token: str) -> Response:
    """Serve the page with the subscription and the button that confirms it."""
    async with read_scope() as session:
        opt_in, private_token = await find_opt_in(session, token)
    interests = None if opt_in.interests is None else describe_interests(opt_in.interests)
    who = masked(opt_in.subscriber.email)
    preferences = f"/newsletter/preferences/{private_token}"
    return private_page(
        _TEMPLATES, "confirm.html", opt_in=opt_in, who=who, interests=interests, preferences=preferences
    )


@router.post("/confirm/{token}")
async def post_confirmation(token: str, request: Request) -> Response:
    """Confirm the subscription. A repeated request changes nothing."""
    refuse_other_sites(request)
    async with session_scope() as session:
        await confirm(session, token, address_of(request))
    return see_other(f"/newsletter/confirm/{token}")


@router.api_route("/preferences/{token}", methods=_READ_METHODS)
async def show_preferences(token: str, request: Request) -> Response:
    """Serve the form with the interests of a subscriber."""
    async with read_scope() as session:
        subscriber = await private.find_by_token(session, token)
    return _preferences_page(subscriber, token, saved=has_result(request, _SAVED))


@router.post("/preferences/{token}")
async def save_preferences(token: str, request: Request) -> Response:
    """Store the ticked interests."""
    refuse_other_sites(request)
    interests = read_interests(await read_form_fields(request, LARGEST_FORM))
    async with session_scope() as session:
        await private.choose_interests(session, token, interests)
    return see_result(f"/newsletter/preferences/{token}", _SAVED)


@router.api_route("/unsubscribe/{token}", methods=_READ_METHODS)
async def show_unsubscribe_page(token: str) -> Response:
    """Serve the page with the button that unsubscribes. Opening it changes nothing."""
    async with read_scope() as session:
        subscriber = await private.find_by_token(session, token)
    return _unsubscribe_page(subscriber, token)


@router.post("/unsubscribe/{token}")
async def post_unsubscribe(token: str, request: Request) -> Response:
    """Unsubscribe, by the page's button or by a mail program with one click (RFC 8058).

    It needs no sign-in and no cookie and may be repeated. A mail program gets 200 without a redirect, even for an unknown
    link, because its owner is not subscribed.
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


@router.api_route("/{slug}", methods=_READ_METHODS)
async def show_issue(slug: str, request: Request) -> Response:
    """Serve one past issue."""
    try:
        async with read_scope() as session:
            issue = await archive.find_past(session, slug)
    except NotFound:
        return missing_page(_TEMPLATES)
    values = {"html": render_staff_text(issue.text), "facts": issue_graph(issue)}
    return public_page(_TEMPLATES, "issue.html", request, issue=issue, **values)


@router.api_route("/{rest:path}", methods=_READ_METHODS)
async def show_missing_page(rest: str) -> Response:
    """Serve 404 for any other address below the newsletter page."""
    return missing_page(_TEMPLATES)


def _preferences_page(subscriber: SubscriberRecord, token: str, *, saved: bool) -> Response:
    if subscriber.state is not SubscriberState.SUBSCRIBED:
        return _unsubscribe_page(subscriber, token)
    boxes = [
        {
            "name": tick_name(interest.name),
            "label": interest.label,
            "ticked": interest.name in subscriber.interests,
        }
        for interest in INTERESTS
    ]
    return private_page(
        _TEMPLATES,
        "preferences.html",
        who=masked(subscriber.email),
        boxes=boxes,
        saved=saved,
        leave=f"/newsletter/unsubscribe/{token}",
    )


def _unsubscribe_page(subscriber: SubscriberRecord, token: str) -> Response:
    return private_page(
        _TEMPLATES,
        "unsubscribe.html",
        who=masked(subscriber.email),
        left=subscriber.state is not SubscriberState.SUBSCRIBED,
        preferences=f"/newsletter/preferences/{token}",
    )
