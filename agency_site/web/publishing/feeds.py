"""Feeds of blog and insights with full texts: RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1.

They are files, written when the site is published, because only then its address is known. Equal content gives equal
bytes, so a repeated request gets a 304. Ids contain neither the site's address nor that of the page nor a date: an article
keeps its id if it, or the site, moves.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

from agency_site.clock import NAIROBI
from agency_site.content.article_schema import Article, Insight
from agency_site.content.articles import articles
from agency_site.content.brand import BRAND
from agency_site.content.feeds import DESCRIPTION, TITLE
from agency_site.content.insights import insights
from agency_site.content.schema import Record
from agency_site.content.share_pictures import share_address
from agency_site.isolation import map_isolated

Publication = Article | Insight

_LANGUAGE = "en-KE"
_TAG = f"tag:{BRAND.email.rpartition('@')[2]},{BRAND.since}"
"""The beginning of all ids (RFC 4151)."""
_HOUR = time(9, 0)
"""Content has only the day; nine in the morning in Nairobi is on that day nearly everywhere."""
ATOM, TEXT, _DUBLIN = (
    "http://www.w3.org/2005/Atom", "http://purl.org/rss/1.0/modules/content/", "http://purl.org/dc/elements/1.1/",
)  # fmt: skip

_UNWRITABLE = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, and the carriage return, which parsers would change."""
_FORMS = re.compile(r'<source [^>]*>| (?:srcset|sizes)="[^"]*"')
"""Further forms of pictures, whose addresses have no origin."""
_TARGET = re.compile(r'(?<= )(href|src)="([^"]*)"')
_OPENING = re.compile(r"<[a-z][^>]*>", re.IGNORECASE)
"""The opening tag of an element. In code samples, which quote such attributes, the opening bracket is escaped."""


class Entry(Record):
    """One article or insight as an entry of a feed."""

    id: str
    url: str
    title: str
    summary: str
    html: str
    """The text with absolute addresses."""
    image: str
    published: datetime
    updated: datetime
    author: str
    categories: tuple[str, ...]


def feeds(origin: str) -> Mapping[str, bytes]:
    """Return the name and content of each feed's file, for the site at `origin`."""
    publications = newest_first((*articles(), *insights()))
    entries = map_isolated(lambda publication: entry(publication, origin), publications, "entry of the feeds")
    return {
        "feed.xml": rss(entries, origin),
        "feed.atom": atom(entries, origin),
        "feed.json": jsonfeed(entries, origin),
    }


def newest_first(publications: Sequence[Publication]) -> list[Publication]:
    """Sort by date, then by slug, so that the order is the same on every machine."""
    return sorted(
        publications, key=lambda publication: (-publication.published.toordinal(), publication.slug)
    )


def entry(publication: Publication, origin: str) -> Entry:
    """Return the feed entry of an article or insight."""
    url = origin + publication.href
    tags = (
        publication.filed_under + publication.tags
        if isinstance(publication, Article)
        else (str(publication.category),)
    )
    return Entry(
        id=f"{_TAG}:/{'insights' if isinstance(publication, Insight) else 'blog'}/{publication.slug}",
        url=url,
        title=publication.title,
        summary=publication.excerpt,
        html=absolute(publication.html, url),
        image=origin + share_address(publication.share_image),
        published=_morning(publication.published),
        updated=_morning(publication.changed),
        author=publication.author,
        categories=tuple(dict.fromkeys(tags)),
    )


def _morning(day: date) -> datetime:
    return datetime.combine(day, _HOUR, NAIROBI).astimezone(UTC)


def absolute(html: str, url: str) -> str:
    """Return the text of the page at `url` with absolute addresses, because feed readers show it on other sites."""

    def complete(tag: re.Match[str]) -> str:
        return _TARGET.sub(lambda match: f'{match[1]}="{urljoin(url, match[2])}"', _FORMS.sub("", tag[0]))

    return _OPENING.sub(complete, html)


def rss(entries: Sequence[Entry], origin: str) -> bytes:
    """Return the RSS 2.0 feed; the author is in `dc:creator`, which needs no e-mail address."""
    root = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(root, "channel")
    _put(channel, "title", TITLE)
    _put(channel, "link", f"{origin}/blog")
    _put(channel, f"{{{ATOM}}}link", href=f"{origin}/feed.xml", rel="self", type="application/rss+xml")
    _put(channel, "description", DESCRIPTION)
    _put(channel, "language", _LANGUAGE)
    _put(channel, "lastBuildDate", format_datetime(_newest(entries), usegmt=True))
    for each in entries:
        item = ElementTree.SubElement(channel, "item")
        _put(item, "title", each.title)
        _put(item, "link", each.url)
        _put(item, "guid", each.id, isPermaLink="false")
        _put(item, "pubDate", format_datetime(each.published, usegmt=True))
        _put(item, f"{{{_DUBLIN}}}creator", each.author)
        for category in each.categories:
            _put(item, "category", category)
        _put(item, "description", each.summary)
        _put(item, f"{{{TEXT}}}encoded", each.html)
    return _serialize(root, content=TEXT, dc=_DUBLIN, atom=ATOM)


def atom(entries: Sequence[Entry], origin: str) -> bytes:
    """Return the Atom feed, with summaries and texts."""
    root = ElementTree.Element(f"{{{ATOM}}}feed", {"{http://www.w3.org/XML/1998/namespace}lang": _LANGUAGE})

    def put(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
        return _put(parent, f"{{{ATOM}}}{name}", text, **attributes)

    put(root, "id", f"{_TAG}:/feed")
    put(root, "title", TITLE)
    put(root, "subtitle", DESCRIPTION)
    put(root, "updated", _stamp(_newest(entries)))
    put(root, "link", href=f"{origin}/blog", rel="alternate", type="text/html")
    put(root, "link", href=f"{origin}/feed.atom", rel="self", type="application/atom+xml")
    put(put(root, "author"), "name", BRAND.name)
    put(root, "icon", f"{origin}/favicon.svg")
    for each in entries:
        item = put(root, "entry")
        put(item, "id", each.id)
        put(item, "title", each.title)
        put(item, "link", href=each.url, rel="alternate", type="text/html")
        put(item, "published", _stamp(each.published))
        put(item, "updated", _stamp(each.updated))
        put(put(item, "author"), "name", each.author)
        for category in each.categories:
            put(item, "category", term=category)
        put(item, "summary", each.summary)
        put(item, "content", each.html, type="html")
    return _serialize(root, atom=ATOM)


def jsonfeed(entries: Sequence[Entry], origin: str) -> bytes:
    """Return the feed in JSON Feed 1.1."""
    feed: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": TITLE,
        "home_page_url": f"{origin}/blog",
        "feed_url": f"{origin}/feed.json",
        "description": DESCRIPTION,
        "icon": f"{origin}/icon-512.png",
        "favicon": f"{origin}/apple-touch-icon.png",
        "language": _LANGUAGE,
        "authors": [{"name": BRAND.name, "url": f"{origin}/"}],
        "items": [
            {
                "id": each.id,
                "url": each.url,
                "title": each.title,
                "summary": each.summary,
                "content_html": each.html,
                "image": each.image,
                "date_published": _stamp(each.published),
                "date_modified": _stamp(each.updated),
                "authors": [{"name": each.author}],
                "tags": list(each.categories),
            }
            for each in entries
        ],
    }
    return json.dumps(feed, ensure_ascii=False, indent=1).encode()


def _newest(entries: Sequence[Entry]) -> datetime:
    return max(each.updated for each in entries)


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _put(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, name, {key: _writable(value) for key, value in attributes.items()})
    child.text = _writable(text) or None
    return child


def _writable(text: str) -> str:
    """Return the text without characters that XML does not allow."""
    return _UNWRITABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _serialize(root: ElementTree.Element, **prefixes: str) -> bytes:
    for prefix, namespace in prefixes.items():
        ElementTree.register_namespace("" if root.tag == f"{{{namespace}}}feed" else prefix, namespace)
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
