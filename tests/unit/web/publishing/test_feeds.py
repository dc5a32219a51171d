"""Feeds: RSS 2.0, Atom and JSON Feed hold every article, and hold to the rules of their formats."""

import json
import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.articles import ARTICLES
from agency_site.content.entries import Kind
from agency_site.content.feeds import FEEDS
from agency_site.content.insights import INSIGHTS
from agency_site.content.markdown import render
from agency_site.content.published import previewed
from agency_site.web.publishing.feeds import Entry, absolute, atom, entry, feeds, jsonfeed, newest_first, rss

ORIGIN = "https://mwanga.example"
ATOM = "{http://www.w3.org/2005/Atom}"
TEXT = "{http://purl.org/rss/1.0/modules/content/}encoded"
CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
PUBLICATIONS = newest_first((*ARTICLES, *INSIGHTS))
LINKS = re.compile(r'(?:href|src)="([^"]*)"')
TAG = re.compile(r"^tag:[a-z0-9.-]+,\d{4}(-\d\d-\d\d)?:/.+")
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
"""RFC 3339 in UTC."""


def only_text(parent: ElementTree.Element, name: str) -> str:
    """The text of the one child of that name, which must not be empty."""
    (child,) = parent.findall(name)
    assert child.text
    assert child.text.strip()
    return child.text


def absolute_address(address: str | None) -> str:
    parts = urlsplit(address or "")
    assert parts.scheme in {"https", "http"}, address
    assert parts.netloc, address
    return str(address)


def read_rss(body: bytes) -> list[Entry]:
    """The items, after checking what RSS 2.0 and the RSS Advisory Board's profile ask for."""
    root = ElementTree.fromstring(body)
    assert (root.tag, root.get("version")) == ("rss", "2.0")
    (channel,) = root.findall("channel")
    for name in ("title", "description", "language", "lastBuildDate"):
        assert only_text(channel, name)
    absolute_address(only_text(channel, "link"))
    (own,) = channel.findall(f"{ATOM}link")
    assert (own.get("rel"), absolute_address(own.get("href"))) == ("self", f"{ORIGIN}/feed.xml")
    assert parsedate_to_datetime(only_text(channel, "lastBuildDate")).utcoffset() is not None
    results = []
    for item in channel.findall("item"):
        (guid,) = item.findall("guid")
        assert guid.get("isPermaLink") == "false"
        published = only_text(item, "pubDate")
        assert published.endswith(" GMT")
        results.append(
            Entry(
                id=guid.text or "", url=absolute_address(only_text(item, "link")), title=only_text(item, "title"),
                summary=only_text(item, "description"), html=only_text(item, TEXT), image="",
                published=parsedate_to_datetime(published), updated=parsedate_to_datetime(published),
                author=only_text(item, CREATOR),
                categories=tuple(str(match.text) for match in item.findall("category")),
            )
        )  # fmt: skip
    return results


def read_atom(body: bytes) -> list[Entry]:
    """The entries, after checking what RFC 4287 asks for."""
    root = ElementTree.fromstring(body)
    assert root.tag == f"{ATOM}feed"
    assert TAG.match(only_text(root, f"{ATOM}id"))
    assert only_text(root, f"{ATOM}title")
    assert STAMP.match(only_text(root, f"{ATOM}updated"))
    own = [link.get("href") for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own == [f"{ORIGIN}/feed.atom"]
    results = []
    for item in root.findall(f"{ATOM}entry"):
        assert STAMP.match(only_text(item, f"{ATOM}updated"))
        (link,) = item.findall(f"{ATOM}link")
        assert link.get("rel") == "alternate"
        (content,) = item.findall(f"{ATOM}content")
        assert content.get("type") == "html"
        (author,) = item.findall(f"{ATOM}author")
        results.append(
            Entry(
                id=only_text(item, f"{ATOM}id"), url=absolute_address(link.get("href")), title=only_text(item, f"{ATOM}title"),
                summary=only_text(item, f"{ATOM}summary"), html=content.text or "", image="",
                published=datetime.fromisoformat(only_text(item, f"{ATOM}published")),
                updated=datetime.fromisoformat(only_text(item, f"{ATOM}updated")), author=only_text(author, f"{ATOM}name"),
                categories=tuple(str(match.get("term")) for match in item.findall(f"{ATOM}category")),
            )
        )  # fmt: skip
    return results


def read_json(body: bytes) -> list[Entry]:
    """The items, after checking what JSON Feed 1.1 asks for."""
    feed = json.loads(body)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"]
    assert feed["feed_url"] == f"{ORIGIN}/feed.json"
    for name in ("home_page_url", "icon", "favicon"):
        absolute_address(feed[name])
    results = []
    for item in feed["items"]:
        assert STAMP.match(item["date_published"])
        results.append(
            Entry(
                id=item["id"], url=absolute_address(item["url"]), title=item["title"], summary=item["summary"],
                html=item["content_html"], image=absolute_address(item["image"]),
                published=datetime.fromisoformat(item["date_published"]),
                updated=datetime.fromisoformat(item["date_modified"]), author=item["authors"][0]["name"],
                categories=tuple(item["tags"]),
            )
        )  # fmt: skip
    return results


READERS = {"feed.xml": read_rss, "feed.atom": read_atom, "feed.json": read_json}
WRITERS = {"feed.xml": rss, "feed.atom": atom, "feed.json": jsonfeed}


def test_every_feed_that_pages_name_is_written() -> None:
    assert sorted(feeds(ORIGIN)) == sorted(feed.href.removeprefix("/") for feed in FEEDS) == sorted(READERS)


@pytest.mark.parametrize("name", READERS)
def test_each_feed_holds_every_article_and_insight_newest_first(name: str) -> None:
    result = READERS[name](feeds(ORIGIN)[name])
    assert [item.title for item in result] == [publication.title for publication in PUBLICATIONS]
    assert [item.url for item in result] == [ORIGIN + publication.href for publication in PUBLICATIONS]
    assert [item.author for item in result] == [publication.author for publication in PUBLICATIONS]
    assert [item.published.astimezone(UTC).date() for item in result] == [
        publication.published for publication in PUBLICATIONS
    ]
    assert all(
        str(publication.category) in item.categories
        for item, publication in zip(result, PUBLICATIONS, strict=True)
    )
    for item, publication in zip(result, PUBLICATIONS, strict=True):
        assert item.html == absolute(publication.html, item.url)
        assert item.summary == publication.excerpt


@pytest.mark.parametrize("name", READERS)
def test_no_address_in_a_feed_depends_on_where_it_is_read(name: str) -> None:
    for item in READERS[name](feeds(ORIGIN)[name]):
        for target in LINKS.findall(item.html):
            assert urlsplit(target).scheme in {"https", "http", "mailto", "tel"}, target


@pytest.mark.parametrize("name", READERS)
def test_ids_are_unique_and_survive_a_move_of_the_site(name: str) -> None:
    here = [item.id for item in READERS[name](feeds(ORIGIN)[name])]
    assert len(set(here)) == len(here)
    assert all(TAG.match(identifier) for identifier in here)
    assert here == [entry(publication, "http://localhost:3000").id for publication in PUBLICATIONS]


def test_a_revision_moves_the_day_of_change_and_not_that_of_publication() -> None:
    revised = entry(PUBLICATIONS[0].model_copy(update={"revised": date(2026, 11, 20)}), ORIGIN)
    for name in ("feed.atom", "feed.json"):
        (result,) = READERS[name](WRITERS[name]([revised], ORIGIN))
        assert result.published.date() == PUBLICATIONS[0].published
        assert result.updated.date() == date(2026, 11, 20)


def test_the_same_content_gives_the_same_bytes() -> None:
    assert feeds(ORIGIN) == feeds(ORIGIN)


def test_links_of_a_text_become_whole() -> None:
    html = '<p><a href="/book">a</a><a href="#end">b</a><img src="x.png"><a href="https://a.example/?b=1&amp;c">c</a></p>'
    assert LINKS.findall(absolute(html, f"{ORIGIN}/insights/one")) == [
        f"{ORIGIN}/book",
        f"{ORIGIN}/insights/one#end",
        f"{ORIGIN}/insights/x.png",
        "https://a.example/?b=1&amp;c",
    ]


@pytest.mark.parametrize(
    "sample",
    [
        '```\n<a href="https://[your-site].co.ke">Home</a>\n```',
        '```\n<a href="http://[2001:db8::1">\n```',
        '```\n<img src="/logo.png" srcset="/a 1x" sizes="1px">\n```',
        '```\n<link href="/style.css">\n```',
        'A line with `<a href="/contact">` in it.',
    ],
)
def test_code_samples_are_as_their_authors_wrote_them(sample: str) -> None:
    html = render(f"Read [this](/book).\n\n{sample}")[0]
    linked = f'<a href="{ORIGIN}/book">'
    assert absolute(html, f"{ORIGIN}/one") == html.replace('<a href="/book">', linked)
    assert linked in absolute(html, f"{ORIGIN}/one")


@pytest.mark.parametrize("name", READERS)
def test_an_article_that_makes_no_entry_is_left_out_and_the_others_stay(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    broken = ARTICLES[0].model_copy(update={"html": None})
    with previewed({Kind.ARTICLE: (broken, *ARTICLES[1:])}):
        entries = READERS[name](feeds(ORIGIN)[name])
    assert [each.title for each in entries] == [each.title for each in PUBLICATIONS if each != ARTICLES[0]]
    assert "entry of the feeds is left out" in caplog.text


ANYTHING = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


def as_xml_holds(text: str) -> str:
    """Return the text that a parser returns: normalised line ends, without characters that XML 1.0 does not allow."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        char for char in lines if char in "\t\n" or (ord(char) >= 0x20 and ord(char) not in (0xFFFE, 0xFFFF))
    )


@pytest.mark.parametrize("name", READERS)
@given(title=ANYTHING, html=ANYTHING, author=ANYTHING, category=ANYTHING)
def test_any_text_comes_back_as_it_was(name: str, title: str, html: str, author: str, category: str) -> None:
    words = [f"x{text}x" for text in (title, html, author, category)]
    given_entry = entry(PUBLICATIONS[0], ORIGIN).model_copy(
        update=dict(zip(("title", "html", "author", "categories"), [*words[:3], (words[3],)], strict=True))
    )
    (result,) = READERS[name](WRITERS[name]([given_entry], ORIGIN))
    expected = words if name == "feed.json" else [as_xml_holds(word) for word in words]
    assert result.model_copy(update={"image": given_entry.image}) == given_entry.model_copy(
        update=dict(
            zip(("title", "html", "author", "categories"), [*expected[:3], (expected[3],)], strict=True)
        )
    )


def test_an_entry_keeps_its_id_when_its_address_or_date_changes() -> None:
    article = ARTICLES[0]
    moved = article.model_copy(
        update={"address": "elsewhere", "published": date(2027, 1, 1), "title": "Another"}
    )
    assert entry(moved, ORIGIN).id == entry(article, ORIGIN).id
    follower = ARTICLES[1].model_copy(update={"address": article.slug})
    assert entry(follower, ORIGIN).id == entry(ARTICLES[1], ORIGIN).id


def test_no_two_entries_share_an_id_and_none_has_that_of_the_feed() -> None:
    insight = INSIGHTS[0].model_copy(update={"slug": ARTICLES[0].slug})
    named_feed = ARTICLES[0].model_copy(update={"slug": "feed"})
    entries = [entry(each, ORIGIN) for each in (*PUBLICATIONS, insight, named_feed)]
    assert len({each.id for each in entries}) == len(entries)
    feed_id = only_text(ElementTree.fromstring(atom(entries, ORIGIN)), f"{ATOM}id")
    assert feed_id not in {each.id for each in entries}
