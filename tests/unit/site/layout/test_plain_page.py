"""Pages without components have the frame of all others."""

import re
from pathlib import Path

import reflex as rx

from agency_site.settings import ROOT
from agency_site.site.layout import plain_page
from agency_site.site.layout.footer import site_footer
from agency_site.ui.server_html import render_html

LINK = re.compile(r'<a [^>]*href="([^"]*)"')
TEMPLATES = Path(plain_page.__file__).parent / "templates"


def test_the_footer_links_all_that_the_footer_of_other_pages_links() -> None:
    footer = plain_page.render_template(TEMPLATES, "plain_missing.html", private=True).rpartition("<footer")[
        2
    ]
    expected = LINK.findall(render_html(site_footer(rx.fragment())))
    assert {"/privacy", "/terms"} <= set(expected)
    assert set(expected) - set(LINK.findall(footer)) == set()


def test_every_template_of_a_page_has_this_frame_except_those_of_staff() -> None:
    frames = [
        path for path in (ROOT / "agency_site").rglob("templates/*.html") if "<footer" in path.read_text()
    ]
    assert {path.name for path in frames} == {"entry.html", "plain.html"}
