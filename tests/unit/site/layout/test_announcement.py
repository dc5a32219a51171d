"""The bar above the header: escaped, readable, in the place that each page has for it, and on private pages."""

from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import reflex as rx
from fastapi import FastAPI, Request, Response

from agency_site import brand, clock
from agency_site.content.announcement import Announcement, find_announcement
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, EntryInvalid
from agency_site.content.published import replace_published
from agency_site.feature_contracts import join_features
from agency_site.site.layout.announcement import announce, announcement_bar, announcement_place
from agency_site.site.layout.private_page import PrivatePage
from agency_site.ui.server_html import render_html

BAR = Announcement(text="Closed on <12> {December} ${x}", label="Other days", href="/book")


def build(**fields: str) -> Announcement:
    record = KINDS[Kind.ANNOUNCEMENT].build("bar", {"text": "Closed", **fields})
    assert isinstance(record, Announcement)
    return record


def test_the_bar_shows_its_words_as_they_were_typed() -> None:
    html = render_html(announcement_bar(BAR))
    assert 'Closed on &lt;12&gt; {December} ${x} <a href="/book">Other days</a>' in html
    assert "<script" not in html


def test_a_link_to_another_site_opens_in_a_new_tab() -> None:
    outside = render_html(announcement_bar(BAR.model_copy(update={"href": "https://maps.example/x"})))
    assert 'target="_blank"' in outside
    assert "opens in a new tab" in outside


def test_only_pages_with_the_place_get_the_bar() -> None:
    page = f"<body>{render_html(announcement_place())}<header></header></body>".encode()
    files = {Path("index.html"): page, Path("admin/index.html"): b"<body></body>", Path("feed.xml"): page}
    filled = announce(files, BAR)
    assert list(filled) == [Path("index.html")]
    assert b"Closed on &lt;12&gt;" in filled[Path("index.html")]


def test_the_bar_can_be_read() -> None:
    assert brand.contrast(brand.PAPER, brand.DEEP) >= brand.READABLE


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"label": "Read more"}, "href"),
        ({"href": "/book"}, "label"),
        ({"label": "x", "href": "javascript:alert(1)"}, "href"),
        ({"label": "x", "href": "//evil.example"}, "href"),
        ({"shows_from": "2026-12-12T09:00", "shows_until": "2026-12-12T09:00"}, "shows_until"),
        ({"text": "x" * 161}, "text"),
    ],
)
def test_a_bar_that_makes_no_sense_is_refused_at_its_field(fields: dict[str, str], field: str) -> None:
    with pytest.raises(EntryInvalid) as refused:
        build(**fields)
    assert list(refused.value.problems) == [field]


def test_of_several_announcements_the_first_that_is_shown_now_counts() -> None:
    coming = Announcement(text="Coming", shows_from=clock.now() + timedelta(hours=1))
    over = Announcement(text="Over", shows_until=clock.now())
    replace_published({Kind.ANNOUNCEMENT: (coming, over, BAR)})
    try:
        assert find_announcement() == BAR
    finally:
        replace_published({})
    assert find_announcement() is None


async def test_a_private_page_shows_the_announcement_of_the_moment() -> None:
    join_features()
    private_page = PrivatePage(path="/order/{token}", title="Order", description="x", unknown=rx.el.p())
    app = FastAPI()

    @app.get("/order/{token}")
    async def show(request: Request) -> Response:
        return private_page.show(request, rx.el.h1("Shown"))

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://site") as browser:
        before = await browser.get("/order/abc")
        replace_published({Kind.ANNOUNCEMENT: (BAR,)})
        try:
            during = await browser.get("/order/abc")
        finally:
            replace_published({})
        after = await browser.get("/order/abc")
    assert ["Other days" in page.text for page in (before, during, after)] == [False, True, False]
    assert during.text.index("Other days") < during.text.index("<header")
