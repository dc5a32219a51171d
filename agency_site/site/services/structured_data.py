"""Services as nodes of schema.org, with their parts, and with prices if the page shows any."""

from agency_site.content.hosting import HostingPlan, plans
from agency_site.content.services.schema import Service
from agency_site.content.share_pictures import share_address
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.organisation import ORGANISATION, Node, refer

_MONTH = "MON"
"""The unit code of UN/CEFACT for a month."""


def service_facts(service: Service) -> Node:
    """Return the node of a service with its parts."""
    return _service(service.path, service.name, service.summary) | {
        "image": PLACEHOLDER_ORIGIN + share_address(f"services-{service.slug}"),
        "hasOfferCatalog": {
            "@type": "OfferCatalog",
            "name": service.offers_intro.title,
            "itemListElement": [
                {
                    "@type": "Offer",
                    "itemOffered": {"@type": "Service", "name": offer.title, "description": offer.text},
                }
                for offer in service.offers or service.programs
            ],
        },
    }


def hosting_facts(description: str) -> Node:
    """Return the node of hosting with its three plans."""
    return _service("/hosting", "Website hosting", description) | {
        "image": PLACEHOLDER_ORIGIN + share_address("hosting"),
        "offers": [_plan_offer(plan) for plan in plans()],
    }


def _plan_offer(plan: HostingPlan) -> Node:
    """Return the monthly price of a plan."""
    return {
        "@type": "Offer",
        "name": plan.name,
        "url": f"{PLACEHOLDER_ORIGIN}/signup/{plan.slug}",
        "price": plan.price,
        "priceCurrency": "KES",
        "priceSpecification": {
            "@type": "UnitPriceSpecification",
            "price": plan.price,
            "priceCurrency": "KES",
            "unitCode": _MONTH,
        },
    }


def _service(path: str, name: str, description: str) -> dict[str, object]:
    address = PLACEHOLDER_ORIGIN + path
    return {
        "@type": "Service",
        "@id": f"{address}#service",
        "url": address,
        "name": name,
        "serviceType": name,
        "description": description,
        "provider": refer(ORGANISATION),
        "areaServed": {"@type": "Country", "name": "Kenya"},
    }
