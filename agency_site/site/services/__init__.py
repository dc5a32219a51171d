"""The services page and the eight pages of its services."""

from collections.abc import Callable

import reflex as rx

from agency_site.content.entries import Kind
from agency_site.content.hosting import name_lowest_price
from agency_site.content.schema import Slug
from agency_site.content.services import SEO_DESCRIPTION, SERVICES
from agency_site.content.services.schema import Service
from agency_site.site.layout.route import Route
from agency_site.site.services.content_strategy import content_strategy
from agency_site.site.services.digital_advertising import digital_advertising
from agency_site.site.services.digital_training import digital_training
from agency_site.site.services.listing import listing
from agency_site.site.services.photography import photography
from agency_site.site.services.social_media import social_media
from agency_site.site.services.software_development import software_development
from agency_site.site.services.structured_data import service_facts
from agency_site.site.services.visual_identity import visual_identity
from agency_site.site.services.web_design import web_design

_BODIES: dict[Slug, Callable[[], rx.Component]] = {
    "web-design": web_design,
    "social-media": social_media,
    "software-development": software_development,
    "digital-advertising": digital_advertising,
    "content-strategy": content_strategy,
    "visual-identity": visual_identity,
    "digital-training": digital_training,
    "photography": photography,
}


_SHOWS: dict[Slug, frozenset[Kind]] = {
    "web-design": frozenset({Kind.PLAN, Kind.PROJECT}),
    "social-media": frozenset({Kind.PROJECT}),
    "software-development": frozenset({Kind.PROJECT}),
    "visual-identity": frozenset({Kind.PROJECT}),
    "digital-training": frozenset({Kind.COURSE}),
}


def _route(service: Service) -> Route:
    return Route(
        path=service.path,
        title=service.seo_title,
        description=name_lowest_price(service.seo_description),
        body=_BODIES[service.slug],
        share_image=f"services-{service.slug}",
        label=service.name,
        above=(("Services", "/services"),),
        facts=(service_facts(service),),
        shows=_SHOWS.get(service.slug, frozenset()),
    )


def service_routes() -> tuple[Route, ...]:
    """Return the pages with the present prices."""
    overview = Route(
        path="/services",
        title="Services of our studio in Nairobi",
        description=SEO_DESCRIPTION,
        body=listing,
        share_image="services",
        label="Services",
        kind="CollectionPage",
    )
    return (overview, *(_route(service) for service in SERVICES))
