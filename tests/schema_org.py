"""A strict reader of JSON-LD graphs: the types and properties of schema.org that the site uses, and no others.

Which properties are required comes from Google's documentation of rich results (Article, Breadcrumb, Course info, Event,
FAQ, Local business, Organization); what each holds from schema.org. A misspelt name, a relative address, an invalid
date, a dangling reference and a rating are all reported.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

Check = Callable[[object], bool]
Kind = Check | tuple[str, ...]
"""A check of plain values, or the types that a node may have."""
DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DURATION = re.compile(r"^P(?=.)(\d+W|(\d+D)?(T(?=\d)(\d+H)?(\d+M)?)?)$")


def text(value: object) -> bool:
    """Words, with none of HTML's own."""
    return isinstance(value, str) and bool(value.strip()) and not re.search(r"<\w|&\w+;", value)


def address(value: object) -> bool:
    """A whole address."""
    parts = urlsplit(value) if isinstance(value, str) else None
    return bool(parts and parts.scheme in {"http", "https"} and parts.netloc)


def day(value: object) -> bool:
    """A date as ISO 8601 writes it."""
    try:
        return isinstance(value, str) and bool(date.fromisoformat(value))
    except ValueError:
        return False


def moment(value: object) -> bool:
    """A date and time with its distance from UTC."""
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).utcoffset() is not None
    except ValueError:
        return False


def clock(value: object) -> bool:
    """A time of day."""
    return isinstance(value, str) and bool(re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value))


def duration(value: object) -> bool:
    """A length of time as ISO 8601 writes it."""
    return isinstance(value, str) and bool(_DURATION.match(value))


def number(value: object) -> bool:
    """A whole number that counts something."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def price(value: object) -> bool:
    """Return whole shillings; 0 if it is free."""
    return value == 0 or number(value)


def degrees(value: object) -> bool:
    """An angle on the globe."""
    return isinstance(value, float) and -180 <= value <= 180


def one_of(*allowed: str) -> Check:
    """One of a few words."""
    return lambda value: value in allowed


def member(*names: str) -> Check:
    """A member of one of schema.org's own lists."""
    return one_of(*(f"https://schema.org/{name}" for name in names))


@dataclass(frozen=True)
class Shape:
    """Required and optional properties of a type."""

    must: Mapping[str, Kind] = field(default_factory=dict)
    may: Mapping[str, Kind] = field(default_factory=dict)


HOUSE = ("Organization", "LocalBusiness")
THING: dict[str, Kind] = {"mainEntityOfPage": ("WebPage",)}
SHAPES: dict[str, Shape] = {
    "Organization": Shape(
        {"name": text, "url": address},
        {"logo": address, "slogan": text, "description": text, "foundingDate": text, "email": text, "sameAs": address},
    ),
    "LocalBusiness": Shape(
        {
            "name": text, "address": ("PostalAddress",), "telephone": text, "image": address,
            "openingHoursSpecification": ("OpeningHoursSpecification",), "geo": ("GeoCoordinates",),
        },
        {"areaServed": ("Country",), "currenciesAccepted": text},
    ),
    "GeoCoordinates": Shape({"latitude": degrees, "longitude": degrees}),
    "PostalAddress": Shape({"streetAddress": text, "addressLocality": text, "addressCountry": one_of("KE")}),
    "OpeningHoursSpecification": Shape({"dayOfWeek": member(*DAY_NAMES), "opens": clock, "closes": clock}),
    "Country": Shape({"name": text}),
    "WebSite": Shape({"name": text, "url": address, "publisher": HOUSE}, {"inLanguage": text}),
    "WebPage": Shape(
        {
            "url": address, "name": text, "description": text, "isPartOf": ("WebSite",), "inLanguage": text,
            "breadcrumb": ("BreadcrumbList",), "primaryImageOfPage": ("ImageObject",),
        },
        {"about": ("Organization", "Course", "Event", "Service", "ItemList", "BlogPosting"), "dateModified": day},
    ),
    "AboutPage": Shape(),
    "ContactPage": Shape(),
    "CollectionPage": Shape(),
    "FAQPage": Shape({"mainEntity": ("Question",)}),
    "Question": Shape({"name": text, "acceptedAnswer": ("Answer",)}),
    "Answer": Shape({"text": text}),
    "ImageObject": Shape({"url": address, "width": number, "height": number}),
    "BreadcrumbList": Shape({"itemListElement": ("ListItem",)}),
    "ItemList": Shape({"name": text, "itemListElement": ("ListItem",)}, {"numberOfItems": number, **THING}),
    "ListItem": Shape({"position": number, "name": text}, {"item": address, "url": address}),
    "BlogPosting": Shape(
        {
            "headline": text, "image": address, "datePublished": day, "dateModified": day, "author": (*HOUSE, "Person"),
            "publisher": HOUSE, "url": address, "description": text,
        },
        {"articleSection": text, "keywords": text, "timeRequired": duration, "inLanguage": text, **THING},
    ),
    "Course": Shape(
        {
            "name": text, "description": text, "provider": HOUSE, "offers": ("Offer",), "url": address,
            "hasCourseInstance": ("CourseInstance",),
        },
        {
            "image": address, "inLanguage": text, "educationalLevel": text, "educationalCredentialAwarded": text,
            "teaches": text, "timeRequired": duration, **THING,
        },
    ),
    "CourseInstance": Shape(
        {"courseMode": one_of("Online"), "courseSchedule": ("Schedule",)}, {"startDate": moment, "offers": ("Offer",)}
    ),
    "Schedule": Shape(
        {"duration": duration, "repeatFrequency": one_of("Daily", "Weekly", "Monthly"), "repeatCount": number}
    ),
    "Offer": Shape(
        {},
        {
            "name": text, "url": address, "category": one_of("Free", "Paid"), "price": price,
            "priceCurrency": one_of("KES"), "priceSpecification": ("UnitPriceSpecification",),
            "itemOffered": ("Service",),
        },
    ),
    "UnitPriceSpecification": Shape({"price": price, "priceCurrency": one_of("KES"), "unitCode": one_of("MON")}),
    "OfferCatalog": Shape({"name": text, "itemListElement": ("Offer",)}),
    "Service": Shape(
        {"name": text, "description": text},
        {
            "url": address, "serviceType": text, "provider": HOUSE, "areaServed": ("Country",), "image": address,
            "hasOfferCatalog": ("OfferCatalog",), "offers": ("Offer",), **THING,
        },
    ),
    "Event": Shape(
        {
            "name": text, "startDate": moment, "endDate": moment, "location": ("VirtualLocation",), "image": address,
            "description": text, "organizer": HOUSE, "performer": ("Person",), "url": address,
            "eventStatus": member("EventScheduled"), "eventAttendanceMode": member("OnlineEventAttendanceMode"),
            "offers": ("Offer",),
        },
        {"maximumAttendeeCapacity": number, **THING},
    ),
    "VirtualLocation": Shape({"url": address}),
    "Person": Shape({"name": text}, {"jobTitle": text}),
}  # fmt: skip


def problems(document: Mapping[str, Any]) -> list[str]:
    """Return the problems of a graph; empty if it is valid."""
    if document.get("@context") != "https://schema.org" or not isinstance(document.get("@graph"), list):
        return ["no graph of schema.org"]
    nodes: Sequence[Mapping[str, Any]] = document["@graph"]
    named = {str(node.get("@id")): types_of(node) for node in nodes}
    results = [f"{node} has no @id" for node in nodes if not address(node.get("@id"))]
    if len(named) != len(nodes):
        results.append("an @id occurs twice")
    return [*results, *(problem for node in nodes for problem in _node_problems(node, named))]


def types_of(node: Mapping[str, Any]) -> tuple[str, ...]:
    """A node's types, one or several."""
    kinds = node.get("@type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


def _node_problems(node: Mapping[str, Any], named: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    kinds = types_of(node)
    if not kinds or set(kinds) - set(SHAPES):
        yield f"unknown type {kinds}"
        return
    must = {name: kind for each in kinds for name, kind in SHAPES[each].must.items()}
    properties = must | {name: kind for each in kinds for name, kind in SHAPES[each].may.items()}
    yield from (f"{kinds}: {name} is missing" for name in must if name not in node)
    for name, value in node.items():
        if name in ("@type", "@id"):
            continue
        if name not in properties:
            yield f"{kinds}: {name} is no property that the site uses"
            continue
        each = value if isinstance(value, list) else [value]
        if not each:
            yield f"{kinds}: {name} is empty"
        for item in each:
            yield from (
                f"{kinds}.{name}: {problem}" for problem in _value_problems(item, properties[name], named)
            )


def _value_problems(value: Any, kind: Kind, named: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if callable(kind):
        if not kind(value):
            yield f"{value!r} is no {kind.__name__}"
        return
    if not isinstance(value, dict):
        yield f"{value!r} is no node"
    elif set(value) == {"@id"}:
        if not set(named.get(value["@id"], ())) & set(kind):
            yield f"{value['@id']} points to no {kind}"
    elif not set(types_of(value)) & set(kind):
        yield f"{types_of(value)} is none of {kind}"
    else:
        yield from _node_problems(value, named)
