"""Menus fit their place."""

from agency_site.content.navigation import HEADER


def test_the_header_has_links_for_one_line_of_a_laptop() -> None:
    """An eighth link wraps the logo and the button at 1,024 px: the footer has room."""
    assert len(HEADER) <= 7
