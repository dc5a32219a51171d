"""Pages that only show content."""

from agency_site.site import article, blog
from agency_site.site.about import about_route
from agency_site.site.academy import academy_routes
from agency_site.site.feature_elements import Parts
from agency_site.site.home import home_route
from agency_site.site.hosting import hosting_route
from agency_site.site.insights import insight_routes
from agency_site.site.layout.route import Route
from agency_site.site.legal import ROUTES as LEGAL
from agency_site.site.portfolio import portfolio_routes
from agency_site.site.resources import resources
from agency_site.site.services import service_routes
from agency_site.site.webinar import webinars


def pages(parts: Parts) -> tuple[Route, ...]:
    """Return every page of this folder, in the order of the menu; `parts` are elements of features on them."""
    return (
        home_route(),
        about_route(),
        *portfolio_routes(),
        *service_routes(),
        hosting_route(),
        *academy_routes(),
        *blog.routes(parts),
        *article.routes(parts),
        *insight_routes(),
        resources(parts.newsletter_box),
        webinars(parts.newsletter_box),
        *LEGAL,
    )
