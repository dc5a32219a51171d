"""Comments without scripts: the published ones, the form as browsers post it, and an author's private page."""

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.content.articles import ARTICLES
from agency_site.errors import NotFound
from agency_site.features.comments.page import UNKNOWN_COMMENT, own_comment
from agency_site.features.comments.state import (
    LIMITED,
    SENT,
    SHOWN,
    WITHDRAWN,
    CommentForm,
    CommentThread,
    OwnComment,
    find_article,
    find_slug,
    read_limit,
)
from agency_site.features.comments.view import COUNT_REGION, REGION, comment_label, comments
from agency_site.site.layout.private_link import PrivatePage
from agency_site.site.layout.served_pages import (
    Posted,
    page_response,
    posted_page,
    refuse_other_sites,
    see_other,
)
from agency_site.ui.server_html import new_state, render_html

pages = APIRouter(include_in_schema=False)

_PRIVATE_PAGE = PrivatePage("/comment/-", UNKNOWN_COMMENT)
_ARTICLES = {article.href for article in ARTICLES}


class _ArticleWithComments(APIRoute):
    """Articles are files that everybody gets; only those whose address asks for comments are made for the request."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As always, for an article with the query."""
        asks = scope["query_string"].startswith(SHOWN.encode()) and scope["path"] in _ARTICLES
        return super().matches(scope) if asks else (Match.NONE, {})


async def show_comments(request: Request) -> Response:
    path = request.url.path
    regions = await _draw_regions(find_slug(path), read_limit(request.query_params.get(SHOWN, "")))
    return page_response(request, path, regions)


pages.add_api_route("/{article}", show_comments, route_class_override=_ArticleWithComments)


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
    return posted_page(request, path, await _draw_regions(slug, read_limit(""), form, posted))


async def _draw_regions(
    slug: str, limit: int, form: CommentForm | None = None, typed: Posted | None = None
) -> dict[str, str]:
    thread = new_state(CommentThread)
    await thread._open(slug, limit)
    return {
        COUNT_REGION: render_html(comment_label(slug, thread)),
        REGION: render_html(comments(slug, thread, form or new_state(CommentForm)), typed),
    }


@pages.get("/comment/{token}")
async def show_own_comment(token: str, request: Request) -> Response:
    own = new_state(OwnComment)
    await own._open(token, request.query_params)
    return _PRIVATE_PAGE.show(request, own, own_comment)


@pages.post("/comment/{token}/withdraw", dependencies=[Depends(refuse_other_sites)])
async def post_withdrawal(token: str, request: Request) -> Response:
    own = new_state(OwnComment)
    await own._withdraw(token)
    done = f"/comment/{token}?{WITHDRAWN}" if own.done else ""
    return _PRIVATE_PAGE.answer(request, own, own_comment, done=done)
