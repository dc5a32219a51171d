"""Articles with their published comments, the comment form without scripts, and the author's private page."""

from functools import partial

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.published import kept_until_changed
from agency_site.db.outages import SharedReading
from agency_site.errors import NotFound
from agency_site.features.comments.page import LIMITED, OWN_COMMENT, RESULTS, SENT, WITHDRAWN, own_comment
from agency_site.features.comments.state import (
    SHOWN,
    CommentForm,
    Comments,
    find_article,
    find_slug,
    is_article_path,
    read_comments,
    read_limit,
)
from agency_site.features.comments.usecases import find_by_token, withdraw
from agency_site.features.comments.view import (
    COUNT_REGION,
    FORM_REGION,
    INTRO_REGION,
    THREAD_REGION,
    comment_form,
    comment_thread,
    comments_intro,
    label_count,
)
from agency_site.site.layout.form_results import has_result, see_result
from agency_site.site.layout.private_page import find_record, try_change
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

pages = APIRouter(include_in_schema=False)

_published: SharedReading[Comments] = SharedReading("comments of an article")
_PATIENCE_SECONDS = 1.0
"""After this time an article is served without comments: readers need not wait for a slow database."""


async def show_article(request: Request) -> Response:
    """Serve the article with its comments. Without comments or database, serve the published file."""
    path, limit = request.url.path, read_limit(request.query_params.get(SHOWN, ""))
    slug = find_slug(path)
    comments = await _published.read(
        f"{slug} {limit}", _PATIENCE_SECONDS, partial(read_comments, slug, limit)
    )
    if not comments or not comments.total:
        return published_page(request)
    return page_response(request, path, _draw_regions(slug, comments), cache_control=FOR_ALL_VISITORS)


class _ArticleRoute(APIRoute):
    """A route for the addresses of articles only."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches(scope) if is_article_path(scope["path"]) else (Match.NONE, {})


pages.add_api_route("/{article}", show_article, methods=["GET"], route_class_override=_ArticleRoute)


@pages.get("/comment")
async def open_blog() -> Response:
    """Redirect a reader who reloads the address of a rejected form."""
    return see_other("/blog")


@pages.post("/comment")
async def post_comment(request: Request, posted: Posted) -> Response:
    slug = posted.get("article", "")
    _, path = find_article(slug)
    if not path:
        raise NotFound("This article takes no comments.")
    form = new_state(CommentForm)
    form.article = slug
    token = await form._send(posted, address_of(request), admit_post)
    if token:
        return see_result(f"/comment/{token}", LIMITED if form.note else SENT)
    comments = await read_comments(slug, read_limit(""))
    refusal = {FORM_REGION: render_html(comment_form(slug, form), posted)}
    regions = _draw_regions(slug, comments) | refusal
    return posted_page(request, path, regions, states=describe_states(form))


@kept_until_changed(64)
def _draw_regions(slug: str, comments: Comments) -> dict[str, str]:
    if not comments.total:
        return {}
    return {
        COUNT_REGION: label_count(comments.total),
        INTRO_REGION: render_html(comments_intro(comments.total)),
        THREAD_REGION: render_html(comment_thread(slug, comments)),
    }


@pages.get(OWN_COMMENT.path)
async def show_own_comment(token: str, request: Request) -> Response:
    comment = await find_record(find_by_token, token)
    result = next((result for result in RESULTS if has_result(request, result)), "")
    return OWN_COMMENT.show(request, own_comment(comment, token, result) if comment else None)


@pages.post(f"{OWN_COMMENT.path}/withdraw", dependencies=[Depends(refuse_other_sites)])
async def post_withdrawal(token: str, request: Request) -> Response:
    if await try_change(withdraw, token):
        return OWN_COMMENT.show(request, None)
    return see_result(f"/comment/{token}", WITHDRAWN)
