"""Courses as nodes of schema.org: price, length and content from the course's page, without a rating."""

from collections.abc import Sequence

from agency_site.clock import in_nairobi
from agency_site.content.course_schema import HOURS_A_WEEK, Course
from agency_site.content.share_pictures import share_address
from agency_site.places import Offer
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.layout.organisation import ORGANISATION, Node, refer


def course_facts(course: Course, place: str = "") -> Node:
    """Return the node of a course; `place` is the path of its page if it has no page of its own."""
    address = PLACEHOLDER_ORIGIN + (place or course.path)
    return {
        "@type": "Course",
        "@id": PLACEHOLDER_ORIGIN + identity_of(course),
        "url": address,
        "name": course.title,
        "description": course.detail.lead,
        "image": PLACEHOLDER_ORIGIN + share_address(course.slug),
        "provider": refer(ORGANISATION),
        "inLanguage": "en-KE",
        "educationalLevel": course.detail.level,
        "educationalCredentialAwarded": course.detail.certificate,
        "teaches": list(course.detail.learn),
        "timeRequired": f"P{course.weeks}W",
        "offers": _offer(course, address),
        "hasCourseInstance": _instance(course),
    }


def _offer(course: Course, address: str) -> Node:
    closed = {} if course.is_open else {"availability": "https://schema.org/OutOfStock"}
    return {
        "@type": "Offer",
        "category": "Paid" if course.detail_price else "Free",
        "price": course.detail_price,
        "priceCurrency": "KES",
        "url": address,
        **closed,
    }


def course_instances(course: Course, offers: Sequence[Offer]) -> list[Node]:
    """Return the nodes of a course's open runs."""
    return [
        {**_instance(course), "startDate": in_nairobi(offer.starts_at).isoformat()} | _price(offer)
        for offer in offers
    ]


def _instance(course: Course) -> dict[str, object]:
    return {
        "@type": "CourseInstance",
        "courseMode": "Online",
        "courseSchedule": {
            "@type": "Schedule",
            "duration": f"PT{HOURS_A_WEEK}H",
            "repeatFrequency": "Weekly",
            "repeatCount": course.weeks,
        },
    }


def _price(offer: Offer) -> dict[str, object]:
    """Return the price of a run that differs from the course's."""
    if offer.price is None:
        return {}
    return {"offers": {"@type": "Offer", "category": "Paid", "price": offer.price, "priceCurrency": "KES"}}


def course_list(courses: Sequence[Course]) -> Node:
    """Return the node of all courses in the order of the landing page."""
    return {
        "@type": "ItemList",
        "@id": f"{PLACEHOLDER_ORIGIN}/academy#courses",
        "name": "Courses",
        "numberOfItems": len(courses),
        "itemListElement": [
            {
                "@type": "ListItem",
                "position": place,
                "name": course.title,
                "url": PLACEHOLDER_ORIGIN + course.path,
            }
            for place, course in enumerate(courses, 1)
        ],
    }


def identity_of(course: Course) -> str:
    """Return the `@id` of a course without the site's address."""
    return f"{course.path}#course"
