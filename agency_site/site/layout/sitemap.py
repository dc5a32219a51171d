"""Sitemaps as sitemaps.org's protocol 0.9 writes them."""

from collections.abc import Iterable
from datetime import date
from xml.etree import ElementTree

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

Place = tuple[str, date | None]
"""A whole address and the day of its last change; None: unknown, so the sitemap names no day."""


def urlset(places: Iterable[Place]) -> bytes:
    """A list of pages."""
    return _serialize("urlset", "url", places)


def sitemap_index(places: Iterable[Place]) -> bytes:
    """A list of sitemaps."""
    return _serialize("sitemapindex", "sitemap", places)


def _serialize(root_name: str, entry_name: str, places: Iterable[Place]) -> bytes:
    root = ElementTree.Element(root_name, xmlns=NAMESPACE)
    for address, changed in places:
        entry = ElementTree.SubElement(root, entry_name)
        ElementTree.SubElement(entry, "loc").text = address
        if changed:
            ElementTree.SubElement(entry, "lastmod").text = changed.isoformat()
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
