"""Pages that only show content."""

from agency_site.layout.route import Route
from agency_site.pages.home import HOME

PAGES: tuple[Route, ...] = (HOME,)
"""Every page of this folder, in the order of the menu."""
