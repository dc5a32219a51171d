"""robots.txt, sitemaps, llms.txt: exactly the pages that search engines may keep, with days that are true."""

import re
from datetime import date
from pathlib import Path
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest

from agency_site.content.brand import BRAND
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.sitemap import NAMESPACE
from agency_site.site.layout.structured_data import script_text
from agency_site.web.publishing.crawlers import crawler_files, robots
from agency_site.web.publishing.published_pages import built_pages
from agency_site.web.publishing.revisions import (
    Revision,
    changed_on,
    read_revisions,
    updated_revisions,
    write_revisions,
)

DAY, LATER = date(2026, 11, 3), date(2026, 11, 20)
PRIVATE = Path("order/index.html")


def markup(path: str, words: str, *, about: str = "", revised: str = "", canonical: str = "") -> bytes:
    """A page as the build writes it."""
    page = {
        "@type": "WebPage", "url": PLACEHOLDER_ORIGIN + (canonical or path), "name": f"Title of {path}",
        "description": f"What {path} is about.", **({"dateModified": revised} if revised else {}),
    }  # fmt: skip
    thing = [{"@type": about, "mainEntityOfPage": {"@id": path}}] if about else []
    facts = script_text([page, *thing])
    return f'<html><main id="content">{words}</main><script type="application/ld+json">{facts}</script></html>'.encode()


def build(**changed: bytes) -> dict[Path, bytes]:
    files = {
        "index": markup("/", "<p>Home</p>"),
        "hosting": markup("/hosting", "<p>Three plans</p>", about="Service"),
        "post": markup("/post", "<p>A post</p>", about="BlogPosting", revised="2025-04-26"),
        "second": markup("/second", "<p>The same</p>", canonical="/hosting"),
        "order": b"<html><main>One person's</main></html>",
    } | changed
    return {
        Path("index.html" if name == "index" else f"{name}/index.html"): body for name, body in files.items()
    }


def noted(files: dict[Path, bytes], day: date = DAY) -> dict[str, Revision]:
    return dict(updated_revisions(built_pages(files), {}, day))


def places(body: bytes) -> dict[str, str | None]:
    """Address and day of each entry of a sitemap."""
    root = ElementTree.fromstring(body)
    assert root.tag in {f"{{{NAMESPACE}}}urlset", f"{{{NAMESPACE}}}sitemapindex"}
    return {
        str(entry.findtext(f"{{{NAMESPACE}}}loc")): entry.findtext(f"{{{NAMESPACE}}}lastmod")
        for entry in root
    }


def sitemap_entries(files: dict[Path, bytes], revisions: dict[str, Revision]) -> dict[str, str | None]:
    body = crawler_files(files, revisions)[Path("sitemap-pages.xml")]
    return {address.removeprefix(PLACEHOLDER_ORIGIN): changed for address, changed in places(body).items()}


def test_the_sitemap_has_the_canonical_public_pages_each_with_its_day() -> None:
    files = build()
    assert sitemap_entries(files, noted(files)) == {
        "/": "2026-11-03", "/hosting": "2026-11-03", "/post": "2025-04-26",
    }  # fmt: skip


def test_a_page_with_other_words_has_no_day_until_they_are_stored() -> None:
    before = noted(build())
    files = build(hosting=markup("/hosting", "<p>Four plans</p>"))
    assert sitemap_entries(files, before)["/hosting"] is None
    after = dict(updated_revisions(built_pages(files), before, LATER))
    assert sitemap_entries(files, after) == {
        "/": "2026-11-03",
        "/hosting": "2026-11-20",
        "/post": "2025-04-26",
    }


@pytest.mark.parametrize(
    "same",
    [
        '<section class="wide"><p>Three <b>plans</b></p></section>',
        "<p>Three<!-- --> plans</p><svg><title>x</title></svg><style>p{}</style>",
    ],
)
def test_another_style_of_the_same_words_is_no_change(same: str) -> None:
    before, (page,) = noted(build()), built_pages({Path("hosting/index.html"): markup("/hosting", same)})
    assert changed_on(page, before) == DAY


@pytest.mark.parametrize("other", ["<p>Three plans.</p>", '<p>Three plans</p><img alt="A server">'])
def test_other_words_are_a_change_in_text_and_in_alternative_text(other: str) -> None:
    before, (page,) = noted(build()), built_pages({Path("hosting/index.html"): markup("/hosting", other)})
    assert changed_on(page, before) is None


def test_stored_revisions_read_back_and_pages_that_are_gone_are_dropped(tmp_path: Path) -> None:
    days = noted(build())
    write_revisions(days, tmp_path / "revisions.json")
    assert read_revisions(tmp_path / "revisions.json") == days
    assert "/post" not in days
    fewer = {Path("index.html"): build()[Path("index.html")]}
    assert list(updated_revisions(built_pages(fewer), days, LATER)) == ["/"]


def test_the_index_leads_to_the_pages_and_to_the_issues() -> None:
    files = build()
    assert places(crawler_files(files, noted(files))[Path("sitemap.xml")]) == {
        f"{PLACEHOLDER_ORIGIN}/sitemap-pages.xml": "2026-11-03",
        f"{PLACEHOLDER_ORIGIN}/newsletter/sitemap.xml": None,
    }


def test_the_same_build_gives_the_same_bytes() -> None:
    assert crawler_files(build(), noted(build())) == crawler_files(build(), noted(build()))


def test_robots_keep_out_of_the_back_office_interfaces_and_private_pages() -> None:
    rules = RobotFileParser()
    rules.parse(robots().splitlines())
    closed = (
        "/admin", "/admin/orders", "/api/slots", "/order/abc", "/booking/abc", "/comment/abc", "/registration/abc",
        "/certificate/abc", "/learner/abc", "/waiting/abc", "/waiting-list/abc",
        "/newsletter/unsubscribe/abc", "/newsletter/preferences/abc",
        "/newsletter/confirm/abc", "/outbox",
    )  # fmt: skip
    open_ = (
        "/", "/book", "/payment", "/google-ads", "/assets/app.js", "/styles/site.css", "/newsletter/archive",
        "/newsletter/sitemap.xml", "/share/home.png", "/feed.xml",
    )  # fmt: skip
    assert [path for path in closed if rules.can_fetch("Googlebot", path)] == []
    assert [path for path in open_ if not rules.can_fetch("Googlebot", path)] == []
    assert rules.site_maps() == [f"{PLACEHOLDER_ORIGIN}/sitemap.xml"]


def test_llms_txt_holds_to_its_format_and_names_every_page() -> None:
    text = crawler_files(build(), {})[Path("llms.txt")].decode()
    lines = text.splitlines()
    assert lines[0] == f"# {BRAND.name}"
    assert [line for line in lines if line.startswith("# ")] == lines[:1]
    assert next(line for line in lines[1:] if line) == f"> {BRAND.description}"
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    assert sections[-1].startswith("Optional\n")
    for section in sections:
        _, *entries = (line for line in section.splitlines() if line)
        assert entries
        assert all(re.fullmatch(r"- \[[^\]]+\]\(https://[^) ]+\): .+", entry) for entry in entries), section
    assert f"- [Title of /hosting]({PLACEHOLDER_ORIGIN}/hosting): What /hosting is about." in lines
    assert "/second" not in text
    assert "/order" not in text


def test_a_page_without_metadata_is_not_for_search_engines() -> None:
    assert built_pages({PRIVATE: build()[PRIVATE]}) == []
    assert [page.path for page in built_pages(build())] == ["/", "/hosting", "/post"]
