"""Sitemaps in the format of sitemaps.org, protocol 0.9."""

from collections.abc import Iterable
from datetime import date
from xml.etree import ElementTree

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

SitemapEntry = tuple[str, date | None]
"""An absolute address and the day of its last change, None if it is not known."""


def urlset(entries: Iterable[SitemapEntry]) -> bytes:
    """Return a sitemap of pages."""
    return _serialize("urlset", "url", entries)


def sitemap_index(entries: Iterable[SitemapEntry]) -> bytes:
    """Return an index of sitemaps."""
    return _serialize("sitemapindex", "sitemap", entries)


def _serialize(root_name: str, entry_name: str, entries: Iterable[SitemapEntry]) -> bytes:
    root = ElementTree.Element(root_name, xmlns=NAMESPACE)
    for address, changed in entries:
        entry = ElementTree.SubElement(root, entry_name)
        ElementTree.SubElement(entry, "loc").text = address
        if changed:
            ElementTree.SubElement(entry, "lastmod").text = changed.isoformat()
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
