"""A server process shows what staff publish: pages, feeds, sitemap and service worker, without a build."""

import html
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from agency_site import clock
from agency_site.agency_site import site_routes
from agency_site.content.article_schema import GENERAL_CALL, Article, SidebarCategory
from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, Overlay
from agency_site.content.hours import HOURS
from agency_site.content.published import replace_published
from agency_site.db.engine import session_scope
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.features.editing.entries.checks import AnswerNeeded
from agency_site.features.editing.entries.records import EntryRecord
from agency_site.features.newsletter.view import footer_form
from agency_site.form_input import moment_field_value
from agency_site.settings import settings
from agency_site.web.publishing.offline.worker import worker_files
from agency_site.web.serving import live_content
from agency_site.web.serving.live_content import draw_preview, follow_content, refresh_content
from tests.built_pages import build_page

EDITOR = "editor@example.com"
FIRST = ARTICLES[0]
FIELDS = KINDS[Kind.ARTICLE].fields_of(FIRST)
PATHS = ("/", "/about", "/blog", "/book", "/contact", *(article.href for article in ARTICLES))
pytestmark = pytest.mark.usefixtures("database")


class FilesOfSite:
    """A served site that only holds its files."""

    def __init__(self, files: dict[Path, bytes]) -> None:
        self.published = self.files = files
        self.moved: Mapping[str, str] = {}

    def list_published(self) -> dict[Path, bytes]:
        return dict(self.published)

    def replace(
        self, changed: Mapping[Path, bytes], removed: Collection[str], moved: Mapping[str, str]
    ) -> None:
        removed_files = {Path(f"{path}/index.html".lstrip("/")) for path in removed}
        self.files = {
            name: body for name, body in (self.published | dict(changed)).items() if name not in removed_files
        }
        self.moved = moved

    def page(self, path: str) -> str:
        return self.files[Path(f"{path}/index.html".lstrip("/"))].decode()


@pytest.fixture(scope="module")
def built() -> dict[Path, bytes]:
    routes = {route.path: route for route in site_routes()}
    pages = {path: build_page(routes[path], footer_form) for path in PATHS}
    files = {Path(f"{path}/index.html".lstrip("/")): page.encode() for path, page in pages.items()}
    return files | worker_files(files)


@pytest.fixture
def site(built: dict[Path, bytes]) -> Iterator[FilesOfSite]:
    followed = FilesOfSite(built)
    follow_content(followed, site_routes, footer_form)
    live_content._shown_stamp = 0
    yield followed
    live_content._followed.clear()
    live_content._shown_stamp, live_content._shown_announcement = 0, None
    replace_published({})


async def publish(version: int, slug: str = FIRST.slug, **changes: str) -> int:
    async with session_scope() as session:
        entry = await staff.save_entry(session, Kind.ARTICLE, slug, version, {**FIELDS, **changes}, EDITOR)
        return (await staff.publish_entry(session, Kind.ARTICLE, slug, entry.version, EDITOR)).version


async def test_without_a_change_nothing_is_drawn(site: FilesOfSite) -> None:
    assert await refresh_content() == 0
    assert site.files is site.published


async def test_a_correction_is_on_every_page_that_shows_the_article(site: FilesOfSite) -> None:
    await publish(0, title="Corrected <title>")
    assert await refresh_content() == 1
    assert await refresh_content() == 0
    for path in ("/", "/blog", FIRST.href, ARTICLES[-1].href):
        assert "Corrected &lt;title&gt;" in site.page(path), path
    assert b"Corrected &lt;title&gt;" in site.files[Path("feed.xml")]
    assert "Corrected <title>" in site.files[Path("llms.txt")].decode()
    assert settings().site_url + FIRST.href in site.page(FIRST.href)
    assert "origin.invalid" not in site.page(FIRST.href)


async def test_a_new_article_has_a_page_and_is_listed_everywhere(site: FilesOfSite) -> None:
    async with session_scope() as session:
        fields = {
            **FIELDS,
            "title": "Fresh",
            "address": "fresh",
            "published": "2026-11-28",
            "featured": "yes",
        }
        entry = await staff.create_entry(session, Kind.ARTICLE, fields, EDITOR)
        await staff.publish_entry(session, Kind.ARTICLE, entry.slug, entry.version, EDITOR)
    await refresh_content()

    assert "<h1" in site.page("/fresh")
    assert "Fresh" in site.page("/fresh")
    assert 'name="article" value="fresh"' in site.page("/fresh").replace('type="hidden" ', "")
    for name in ("blog/index.html", "index.html", "feed.atom", "feed.json", "sitemap-pages.xml", "llms.txt"):
        assert "/fresh" in site.files[Path(name)].decode(), name
    assert '"/fresh"' in site.files[Path("service-worker.js")].decode()


async def test_a_hidden_article_is_gone_and_comes_back(site: FilesOfSite) -> None:
    async with session_scope() as session:
        hidden = await staff.hide_entry(session, Kind.ARTICLE, FIRST.slug, 0, EDITOR)
    await refresh_content()
    assert Path(f"{FIRST.slug}/index.html") not in site.files
    assert FIRST.title not in site.page("/blog")
    assert FIRST.href.encode() not in site.files[Path("sitemap-pages.xml")]

    async with session_scope() as session:
        await staff.reset_entry(session, Kind.ARTICLE, FIRST.slug, hidden.version, EDITOR)
    await refresh_content()
    assert FIRST.title in site.page(FIRST.href)


async def test_a_moved_article_leads_from_its_former_address(site: FilesOfSite) -> None:
    await publish(0, address="moved")
    await refresh_content()
    assert site.moved == {FIRST.href: "/moved"}
    assert FIRST.title in site.page("/moved")
    assert Path(f"{FIRST.slug}/index.html") not in site.files


async def test_a_scheduled_article_appears_at_its_moment(site: FilesOfSite) -> None:
    moment = clock.now() + timedelta(hours=8)
    async with session_scope() as session:
        entry = await staff.save_entry(
            session, Kind.ARTICLE, FIRST.slug, 0, {**FIELDS, "title": "At eight"}, EDITOR
        )
        await staff.schedule_entry(session, Kind.ARTICLE, FIRST.slug, entry.version, moment, EDITOR)
    await refresh_content()
    assert "At eight" not in site.page("/blog")
    with clock.frozen(moment):
        assert await refresh_content() == 1
    assert "At eight" in site.page("/blog")


async def test_a_process_that_starts_later_shows_the_same(
    site: FilesOfSite, built: dict[Path, bytes]
) -> None:
    await publish(0, title="Corrected")
    await refresh_content()
    blog = site.page("/blog")
    again = FilesOfSite(built)
    follow_content(again, site_routes, footer_form)
    live_content._shown_stamp = 0
    await refresh_content()
    assert again.page("/blog") == blog


async def announce(**fields: str) -> EntryRecord:
    async with session_scope() as session:
        entry = await staff.create_entry(session, Kind.ANNOUNCEMENT, fields, EDITOR)
        return await staff.publish_entry(session, Kind.ANNOUNCEMENT, entry.slug, entry.version, EDITOR)


def pages_with(site: FilesOfSite, text: str) -> list[str]:
    return [path for path in PATHS if text in site.page(path)]


async def test_an_announcement_is_on_every_page_until_it_is_hidden(site: FilesOfSite) -> None:
    bar = await announce(text="Closed on 12 <December>", label="Other days", href="/book")
    await refresh_content()
    assert pages_with(site, "Closed on 12 &lt;December&gt;") == list(PATHS)
    assert site.page("/blog").index("Other days") < site.page("/blog").index("<header")
    kept_pages = site.files[Path("service-worker.js")]
    assert kept_pages != site.published[Path("service-worker.js")]

    async with session_scope() as session:
        await staff.hide_entry(session, Kind.ANNOUNCEMENT, bar.slug, bar.version, EDITOR)
    await refresh_content()
    assert {path: site.files[path] for path in site.published if path.suffix == ".html"} == {
        path: body for path, body in site.published.items() if path.suffix == ".html"
    }


async def test_an_announcement_begins_and_ends_at_its_moments(site: FilesOfSite) -> None:
    first, last = clock.now() + timedelta(hours=1), clock.now() + timedelta(hours=2)
    await announce(
        text="For an hour", shows_from=moment_field_value(first), shows_until=moment_field_value(last)
    )
    assert await refresh_content() == 1
    assert pages_with(site, "For an hour") == []
    with clock.frozen(first + timedelta(minutes=1)):
        assert (await refresh_content(), await refresh_content()) == (1, 0)
        assert pages_with(site, "For an hour") == list(PATHS)
    with clock.frozen(last):
        assert (await refresh_content(), await refresh_content()) == (1, 0)
        assert pages_with(site, "For an hour") == []


async def test_a_changed_page_has_the_announcement_too(site: FilesOfSite) -> None:
    await announce(text="Closed today")
    await publish(0, title="Corrected title")
    await refresh_content()
    assert pages_with(site, "Closed today") == list(PATHS)
    assert "Corrected title" in site.page("/blog")


async def test_weekly_hours_are_on_the_pages_that_state_them(site: FilesOfSite) -> None:
    async with session_scope() as session:
        fields = {**KINDS[Kind.HOURS].fields_of(HOURS), "saturday": "10:00-14:00", "sunday": "10:00-14:00"}
        entry = await staff.save_entry(session, Kind.HOURS, "hours", 0, fields, EDITOR)
        await staff.publish_entry(session, Kind.HOURS, "hours", entry.version, EDITOR)
    await refresh_content()
    assert "Saturday and Sunday" in site.page("/contact")
    assert "10:00 AM to 2:00 PM" in site.page("/contact")
    assert pages_with(site, "https://schema.org/Sunday") == ["/", "/about", "/contact"]
    assert "Saturday and Sunday 10:00 AM to 2:00 PM" in site.files[Path("llms.txt")].decode()


CODE_SAMPLE = '```\n<a href="https://[your-site].co.ke">Home</a>\n```'


async def test_a_code_sample_with_a_placeholder_address_stops_nothing(site: FilesOfSite) -> None:
    await publish(0, text=f"{FIELDS['text']}\n\n{CODE_SAMPLE}")
    await announce(text="Published afterwards")
    await refresh_content()
    assert "[your-site].co.ke" in site.page(FIRST.href)
    assert b"[your-site].co.ke" in site.files[Path("feed.xml")]
    assert pages_with(site, "Published afterwards") == list(PATHS)


def fail(*_: object, **__: object) -> NoReturn:
    raise RuntimeError("cannot be drawn")


SUMMARIES = {
    "feed.xml": "feeds",
    "sitemap-pages.xml": "crawler_files",
    "service-worker.js": "worker_files",
    "about/index.html": "announce",
}
"""Files about all entries, and the function that makes each."""


@pytest.mark.parametrize(("name", "maker"), SUMMARIES.items())
async def test_a_summary_that_cannot_be_drawn_keeps_nothing_else_from_visitors(
    site: FilesOfSite, monkeypatch: pytest.MonkeyPatch, name: str, maker: str
) -> None:
    await publish(0, title="Corrected")
    await announce(text="Closed today")
    monkeypatch.setattr(live_content, maker, fail)
    assert (await refresh_content(), await refresh_content()) == (1, 0)
    assert "Corrected" in site.page("/blog")
    assert site.files.get(Path(name)) == site.published.get(Path(name))
    for other in SUMMARIES.keys() - {name}:
        assert site.files[Path(other)] != site.published.get(Path(other)), other


async def test_a_page_that_cannot_be_read_is_missing_in_the_sitemap_alone(
    built: dict[Path, bytes], site: FilesOfSite
) -> None:
    page = Path("about/index.html")
    site.published = built | {page: built[page].replace(b'"@graph"', b'"nothing"')}
    await publish(0, title="Corrected")
    await refresh_content()
    sitemap = site.files[Path("sitemap-pages.xml")].decode()
    assert "/about<" not in sitemap
    assert "/blog<" in sitemap
    assert "Corrected" in site.files[Path("llms.txt")].decode()


def test_a_preview_shows_the_announcement_and_visitors_do_not_see_it(site: FilesOfSite) -> None:
    overlay = Overlay(Kind.ANNOUNCEMENT, "closed", {"text": "Closed tomorrow"})
    preview = draw_preview([overlay], "/about")
    assert preview is not None
    assert "Closed tomorrow" in preview
    assert pages_with(site, "Closed tomorrow") == []
    assert draw_preview([overlay], "/no-such-page") is None


async def test_an_article_has_only_what_its_form_says(site: FilesOfSite) -> None:
    plain = {
        "contents": "", "hashtags": "", "next_title": "", "next_text": "", "next_label": "", "next_href": "", "lead": "",
        "call_title": "", "call_text": "", "call_label": "", "call_href": "",
    }  # fmt: skip
    async with session_scope() as session:
        fields = FIELDS | plain | {"title": "Fresh", "address": "fresh"}
        entry = await staff.create_entry(session, Kind.ARTICLE, fields, EDITOR)
        await staff.publish_entry(session, Kind.ARTICLE, entry.slug, entry.version, EDITOR)
    await refresh_content()
    page = site.page("/fresh")
    assert "Table of Contents" not in page
    assert all(html.escape(article.call.title) not in page for article in ARTICLES)
    assert GENERAL_CALL.title in page
    assert html.escape(FIELDS["excerpt"]) in page


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.slug)
async def test_a_delivered_article_is_drawn_anew_with_any_of_its_parts_gone_or_added(
    site: FilesOfSite, article: Article
) -> None:
    fields = KINDS[Kind.ARTICLE].fields_of(article)
    call = {
        "call_title": "Own call",
        "call_text": "Own words",
        "next_title": "Own box",
        "next_text": "Own box's text",
    }
    added = {"contents": "listed", "hashtags": "OwnHashtag", "lead": "Own opening"} | call
    emptied = dict.fromkeys((*added, "call_label", "call_href", "next_label", "next_href"), "")
    version = 0
    for changes in (added, emptied):
        version = await publish(version, article.slug, **{**fields, **changes})
        await refresh_content()
        page = site.page(article.href)
        assert ["Own call" in page, "Own box" in page, "OwnHashtag" in page, "Own opening" in page] == [
            changes is added
        ] * 4
        assert ("Table of Contents" in page) is (changes is added)


async def test_a_changed_excerpt_leaves_the_opening(site: FilesOfSite) -> None:
    await publish(0, excerpt="Another excerpt of the same article.")
    await refresh_content()
    assert html.escape(FIRST.lead) in site.page(FIRST.href)


async def test_the_counts_of_the_sidebar_are_true_once_staff_change_an_article(site: FilesOfSite) -> None:
    def count(page: str, category: SidebarCategory) -> str:
        match = re.search(rf"<span[^>]*>{category}</span><span[^>]*>(\d+)</span>", page)
        return match[1] if match else ""

    assert count(site.page("/blog"), SidebarCategory.EMAIL_MARKETING) == "15"
    await publish(0, shelves=SidebarCategory.EMAIL_MARKETING)
    await refresh_content()
    with_it = len([article for article in ARTICLES[1:] if "Email Marketing" in article.filed_under]) + 1
    assert count(site.page("/blog"), SidebarCategory.EMAIL_MARKETING) == str(with_it)
    assert count(site.page("/blog"), SidebarCategory.ANALYTICS) == ""


async def test_two_delivered_articles_swap_their_addresses(site: FilesOfSite) -> None:
    second = ARTICLES[1]
    await publish(0, address="elsewhere")
    for slug, fields in (
        (second.slug, KINDS[Kind.ARTICLE].fields_of(second) | {"address": FIRST.slug}),
        (FIRST.slug, FIELDS | {"address": second.slug}),
    ):
        async with session_scope() as session:
            entry = await staff.find_entry(session, Kind.ARTICLE, slug)
            saved = await staff.save_entry(session, Kind.ARTICLE, slug, entry.version, fields, EDITOR)
            with pytest.raises(AnswerNeeded) as needed:
                await staff.publish_entry(session, Kind.ARTICLE, slug, saved.version, EDITOR)
            questions = [needed.value.message]
            await staff.publish_entry(session, Kind.ARTICLE, slug, saved.version, EDITOR, questions)
    await refresh_content()
    headings = [re.search(r"<h1[^>]*>(.*?)</h1>", site.page(path)) for path in (FIRST.href, second.href)]
    assert [html.unescape(heading[1]) for heading in headings if heading] == [second.title, FIRST.title]
    assert site.moved == {"/elsewhere": second.href}
