"""The organisation and its site as nodes of schema.org, from the brand's record and the opening hours."""

from collections.abc import Mapping

from agency_site.content.brand import BRAND
from agency_site.content.hours import group_days, hours
from agency_site.content.schema import Opening
from agency_site.settings import PLACEHOLDER_ORIGIN

Node = Mapping[str, object]

HOME = f"{PLACEHOLDER_ORIGIN}/"
ORGANISATION, SITE = f"{HOME}#organisation", f"{HOME}#site"
_COUNTRY = "KE"


def refer(identity: str) -> Node:
    """Return a reference to another node."""
    return {"@id": identity}


def website() -> Node:
    """Return the node of the site."""
    return {
        "@type": "WebSite",
        "@id": SITE,
        "url": HOME,
        "name": BRAND.name,
        "inLanguage": "en-KE",
        "publisher": refer(ORGANISATION),
    }


def brief_organisation() -> dict[str, object]:
    """Return the organisation with its name only, for most pages."""
    return {
        "@type": "Organization",
        "@id": ORGANISATION,
        "name": BRAND.name,
        "url": HOME,
        "logo": f"{PLACEHOLDER_ORIGIN}/icon-512.png",
    }


def full_organisation() -> dict[str, object]:
    """Return the organisation with address and opening hours, for pages that show them."""
    return brief_organisation() | {
        "@type": ["Organization", "LocalBusiness"],
        "slogan": BRAND.tagline,
        "description": BRAND.description,
        "foundingDate": str(BRAND.since),
        "image": f"{PLACEHOLDER_ORIGIN}/share/home.png",
        "telephone": BRAND.phone_e164,
        "email": BRAND.email,
        "address": {
            "@type": "PostalAddress",
            "streetAddress": BRAND.address,
            "addressLocality": BRAND.city,
            "addressCountry": _COUNTRY,
        },
        "geo": {"@type": "GeoCoordinates", "latitude": BRAND.latitude, "longitude": BRAND.longitude},
        "areaServed": {"@type": "Country", "name": "Kenya"},
        "currenciesAccepted": "KES",
        "openingHoursSpecification": opening_hours(hours().week),
        "sameAs": [str(link.url) for link in BRAND.social],
    }


def opening_hours(week: tuple[Opening | None, ...]) -> list[Node]:
    """Return the week, Monday first, grouped into runs of days with equal hours, without closed days."""
    return [
        {
            "@type": "OpeningHoursSpecification",
            "dayOfWeek": [f"https://schema.org/{name}" for name in days],
            "opens": f"{opening.opens:%H:%M}",
            "closes": f"{opening.closes:%H:%M}",
        }
        for days, opening in group_days(week)
        if opening
    ]
