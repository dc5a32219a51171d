"""Pages that only show content."""

from agency_site.layout.route import Route
from agency_site.pages import article, blog, insights
from agency_site.pages.about import ABOUT
from agency_site.pages.academy import ROUTES as ACADEMY
from agency_site.pages.home import HOME
from agency_site.pages.hosting import HOSTING
from agency_site.pages.legal import ROUTES as LEGAL
from agency_site.pages.parts import Parts
from agency_site.pages.portfolio import PORTFOLIO_PAGE
from agency_site.pages.resources import resources
from agency_site.pages.services import ROUTES as SERVICES
from agency_site.pages.webinar import webinars


def pages(parts: Parts) -> tuple[Route, ...]:
    """Every page of this folder, in the order of the menu; `parts` are the slices' elements that stand on them."""
    return (
        HOME,
        ABOUT,
        PORTFOLIO_PAGE,
        *SERVICES,
        HOSTING,
        *ACADEMY,
        *blog.routes(parts),
        *article.routes(parts),
        *insights.ROUTES,
        resources(parts.newsletter_box),
        webinars(parts.newsletter_box),
        *LEGAL,
    )
