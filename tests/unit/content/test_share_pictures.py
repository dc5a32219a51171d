"""A share picture is shown while what is drawn in it is true."""

from collections.abc import Mapping
from datetime import date

import pytest

from agency_site.agency_site import site_routes
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, Overlay, lay_over
from agency_site.content.published import previewed
from agency_site.content.share_pictures import SHARE_PICTURES, describe_share_picture, share_address
from agency_site.site.layout.head import page_meta
from agency_site.site.layout.structured_data import page_graph

UPLOADED = "/pictures/0123456789abcdef/1200x800.jpg"


def overlay(kind: Kind, slug: str, **changes: str) -> Overlay:
    definition = KINDS[kind]
    delivered = definition.find_delivered(slug)
    assert delivered
    return Overlay(kind, slug, {**definition.fields_of(delivered), **changes})


def write_heads() -> Mapping[str, str]:
    """Return all that the head of each page says to search engines and messengers, by its path."""
    return {
        route.path: f"{route.title} {route.description} {page_meta(route)} {page_graph(route)}"
        for route in site_routes()
        if not route.private and not route.dynamic
    }


@pytest.mark.parametrize(
    ("changed", "path", "name", "neutral", "false_words"),
    [
        (overlay(Kind.PLAN, "starter", price="2900"), "/hosting", "hosting", "home", ("3,300",)),
        (overlay(Kind.PLAN, "starter", price="2900"), "/signup/starter", "signup-starter", "services", ("3,300",)),
        (overlay(Kind.PLAN, "starter", price="9900"), "/services/web-design", "", "", ("3,300",)),
        (overlay(Kind.WEBINAR, "plan-2027", date="2026-12-10"), "/webinar/plan-2027", "webinar-plan-2027", "webinar",
         ("3 December",)),
        (overlay(Kind.WEBINAR, "plan-2027", title="Plans"), "/webinar/plan-2027", "webinar-plan-2027", "webinar",
         ("on one page",)),
        (overlay(Kind.ARTICLE, "video-blog", title="Short clips"), "/video-blog", "video-blog", "blog",
         ("Short-form video: the first three seconds",)),
        (overlay(Kind.INSIGHT, "beyond-the-bypass", title="Roads"), "/insights/beyond-the-bypass",
         "insights-beyond-the-bypass", "insights", ("A campaign that ends",)),
        (overlay(Kind.HOURS, "hours", slot_minutes="45"), "/book", "book", "home", ("Half an hour", "half an hour")),
        (overlay(Kind.COURSE, "digital-skills", price="500"), "/digital-skills", "", "", ("free", "Free", "FREE")),
        (Overlay(Kind.TEAM_MEMBER, KINDS[Kind.TEAM_MEMBER].slug_of(KINDS[Kind.TEAM_MEMBER].delivered[-1]), None),
         "/about", "", "", ("eleven",)),
        (Overlay(Kind.PROJECT, KINDS[Kind.PROJECT].slug_of(KINDS[Kind.PROJECT].delivered[-1]), None),
         "/portfolio", "", "", ("19 projects",)),
    ],
)  # fmt: skip
def test_no_picture_and_no_sentence_keeps_what_staff_have_changed(
    changed: Overlay, path: str, name: str, neutral: str, false_words: tuple[str, ...]
) -> None:
    assert any(words in write_heads()[path] for words in false_words)
    with previewed(lay_over([changed])):
        head = write_heads()[path]
        address = share_address(name) if name else ""
        (route,) = (route for route in site_routes() if route.path == path)
    assert [words for words in false_words if words in head] == []
    assert changed.kind in route.shown_kinds
    if name:
        assert address == f"/share/{neutral}.png"
        assert address in head
        assert f"/share/{name}.png" not in head
        assert SHARE_PICTURES[neutral].alt in head


def test_without_changes_each_picture_is_the_drawn_one() -> None:
    assert {name: share_address(name) for name in SHARE_PICTURES} == {
        name: f"/share/{name}.png" for name in SHARE_PICTURES
    }


def test_a_change_of_other_fields_keeps_the_drawn_picture() -> None:
    changed = overlay(Kind.WEBINAR, "plan-2027", capacity="20", time="19:00")
    with previewed(lay_over([changed])):
        assert share_address("webinar-plan-2027") == "/share/webinar-plan-2027.png"


def test_a_cover_of_staff_is_the_picture_whatever_the_title() -> None:
    changed = overlay(Kind.WEBINAR, "plan-2027", date=f"{date(2026, 12, 10)}", title="Plans", image=UPLOADED)
    with previewed(lay_over([changed])):
        (webinar,) = (route.share_image for route in site_routes() if route.path == "/webinar/plan-2027")
        assert share_address(webinar) == "/pictures/0123456789abcdef/share.jpg"
        assert describe_share_picture(webinar) == ("image/jpeg", "")


def test_a_new_record_shows_the_picture_of_its_list_and_never_that_of_another_page() -> None:
    fields = overlay(Kind.ARTICLE, "video-blog", title="Our hosting").fields
    with previewed(
        lay_over([Overlay(Kind.ARTICLE, "new-one", fields), Overlay(Kind.ARTICLE, "about", fields)])
    ):
        assert share_address("new-one") == "/share/blog.png"
        assert share_address("about") == "/share/blog.png"
    assert share_address("no-such-page") == "/share/home.png"
