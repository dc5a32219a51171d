"""The house and its site as nodes of schema.org, from the brand's record and the hours that the contact page shows."""

from collections.abc import Mapping
from itertools import groupby

from agency_site.content.brand import BRAND
from agency_site.content.hours import HOURS
from agency_site.content.schema import Opening
from agency_site.settings import PLACEHOLDER_ORIGIN

Node = Mapping[str, object]

HOME = f"{PLACEHOLDER_ORIGIN}/"
ORGANISATION, SITE = f"{HOME}#organisation", f"{HOME}#site"
_COUNTRY = "KE"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def refer(identity: str) -> Node:
    """A pointer to another node."""
    return {"@id": identity}


def website() -> Node:
    """The site as a whole."""
    return {
        "@type": "WebSite",
        "@id": SITE,
        "url": HOME,
        "name": BRAND.name,
        "inLanguage": "en-KE",
        "publisher": refer(ORGANISATION),
    }


def brief() -> dict[str, object]:
    """Who runs the site, on pages about something else."""
    return {
        "@type": "Organization",
        "@id": ORGANISATION,
        "name": BRAND.name,
        "url": HOME,
        "logo": f"{PLACEHOLDER_ORIGIN}/icon-512.png",
    }


def whole() -> dict[str, object]:
    """The organisation with address and opening hours, for the pages that show them."""
    return brief() | {
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
        "openingHoursSpecification": opening_hours(HOURS.week),
        "sameAs": [str(link.url) for link in BRAND.social],
    }


def opening_hours(week: tuple[Opening | None, ...]) -> list[Node]:
    """The week, Monday first, in stretches of days that open and close alike; closed days are left out."""
    stretches = groupby(zip(_DAYS, week, strict=True), key=lambda day: day[1])
    return [
        {
            "@type": "OpeningHoursSpecification",
            "dayOfWeek": [f"https://schema.org/{name}" for name, _ in days],
            "opens": f"{opening.opens:%H:%M}",
            "closes": f"{opening.closes:%H:%M}",
        }
        for opening, days in stretches
        if opening
    ]
