"""Articles with their published comments, the comment form as browsers post it, and an author's private page."""

from functools import lru_cache, partial

from fastapi import APIRouter, Depends, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.articles import ARTICLES
from agency_site.db.outages import SharedReading
from agency_site.errors import NotFound
from agency_site.features.comments.page import LIMITED, OWN_COMMENT, SENT, WITHDRAWN, own_comment
from agency_site.features.comments.state import (
    SHOWN,
    CommentForm,
    Comments,
    find_article,
    find_slug,
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
from agency_site.site.layout.private_page import find_record, try_change
from agency_site.site.layout.served_pages import (
    FOR_EVERYBODY,
    Posted,
    page_response,
    posted_page,
    published_page,
    refuse_other_sites,
    see_other,
)
from agency_site.ui.server_html import new_state, render_html

pages = APIRouter(include_in_schema=False)

_published: SharedReading[Comments] = SharedReading()
_PATIENCE_SECONDS = 1.0
"""After which an article is shown without comments: it does not need the database."""


async def show_article(request: Request) -> Response:
    """The article with its comments. Without any, and without the database, it is the published file."""
    path, limit = request.url.path, read_limit(request.query_params.get(SHOWN, ""))
    slug = find_slug(path)
    found = await _published.read(f"{slug} {limit}", _PATIENCE_SECONDS, partial(read_comments, slug, limit))
    if not found or not found.total:
        return published_page(request)
    return page_response(request, path, _draw_comments(slug, found), cache_control=FOR_EVERYBODY)


for _article in ARTICLES:
    pages.add_api_route(_article.href, show_article, methods=["GET"])


@pages.get("/comment")
async def open_blog() -> Response:
    """The address of a form that was not accepted, opened once more."""
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
        return see_other(f"/comment/{token}?{LIMITED if form.note else SENT}")
    found = await read_comments(slug, read_limit(""))
    refusal = {FORM_REGION: render_html(comment_form(slug, form), posted)}
    return posted_page(request, path, _draw_comments(slug, found) | refusal)


@lru_cache(maxsize=64)
def _draw_comments(slug: str, found: Comments) -> dict[str, str]:
    if not found.total:
        return {}
    return {
        COUNT_REGION: label_count(found.total),
        INTRO_REGION: render_html(comments_intro(found.total)),
        THREAD_REGION: render_html(comment_thread(slug, found)),
    }


@pages.get(OWN_COMMENT.path)
async def show_own_comment(token: str, request: Request) -> Response:
    found = await find_record(find_by_token, token)
    return OWN_COMMENT.show(request, own_comment(found, token, request.query_params) if found else None)


@pages.post(f"{OWN_COMMENT.path}/withdraw", dependencies=[Depends(refuse_other_sites)])
async def post_withdrawal(token: str, request: Request) -> Response:
    if await try_change(withdraw, token):
        return OWN_COMMENT.show(request, None)
    return see_other(f"/comment/{token}?{WITHDRAWN}")
