"""The bar above the header that shows an announcement. Each server process fills it in (`web/serving/live_content.py`)."""

from collections.abc import Mapping
from pathlib import Path

import reflex as rx

from agency_site.content.announcement import Announcement
from agency_site.isolation import map_isolated
from agency_site.site.layout.served_pages import fill_regions
from agency_site.ui.elements import outside_link
from agency_site.ui.page_region import ServedRegion
from agency_site.ui.server_html import render_html

_REGION = "announcement"


def announcement_place() -> rx.Component:
    """The place of the bar in the pages of the build, which is empty."""
    # React finds a part by a digest of its content. The element around the region has another one than other empty regions.
    return rx.el.div(ServedRegion.create(name=_REGION))


def announcement_bar(bar: Announcement) -> rx.Component:
    """One line with a link."""
    line = (f"{bar.text} ", _link(bar)) if bar.href else (bar.text,)
    return rx.el.aside(rx.el.p(*line), aria_label="Announcement", class_name="announcement on-dark")


def _link(bar: Announcement) -> rx.Component:
    if bar.href.startswith("/"):
        return rx.el.a(bar.label, href=bar.href)
    return outside_link(bar.label, href=bar.href)


def announce(files: Mapping[Path, bytes], bar: Announcement) -> dict[Path, bytes]:
    """Return the pages among `files` that have a place for the bar, with the bar in it."""
    regions = {_REGION: render_html(announcement_bar(bar))}

    def fill(name: Path) -> tuple[Path, bytes]:
        return name, fill_regions(files[name].decode(), regions).encode()

    names = (name for name in files if name.name == "index.html")
    filled = map_isolated(fill, names, "page of the announcement")
    return {name: body for name, body in filled if body != files[name]}
