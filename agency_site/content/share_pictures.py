"""Texts of the share images, which other sites show beside a link to a page: one per page, drawn by `make art`."""

from collections.abc import Iterator

from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES
from agency_site.content.hosting import PLANS
from agency_site.content.insights import INSIGHTS
from agency_site.content.schema import Record
from agency_site.content.services import SERVICES
from agency_site.content.webinars import WEBINARS, Webinar, WebinarStatus
from agency_site.picture_addresses import parse_picture_address


class SharePicture(Record):
    """One picture: large words, and the kind of page in small letters below the brand's name."""

    name: str
    """Name of its file in `assets/share`."""
    words: str
    kind: str

    @property
    def alt(self) -> str:
        """The alternative text."""
        return f"“{self.words.rstrip('.')}” in large letters beside a geometric pattern. {self.kind}, {BRAND.name}."


PAGES: dict[str, tuple[str, str]] = {
    "about": ("A studio in Karen since 2016", "About us"),
    "services": ("Eight ways to be found, liked and chosen", "Services"),
    "academy": ("Learn it on Monday. Use it on Tuesday.", "Academy"),
    "insights": ("Insights from the desk and the field", "Insights"),
    "contact": ("Come by, call or write", "Contact"),
    "book": ("Book a consultation", "Half an hour, free"),
    "payment": ("Enrol and pay with M-Pesa", "Academy"),
    "hosting": ("Hosting from KES 3,300 a month", "Hosting"),
    "blog": ("The blog", "Marketing that works in Kenya"),
    "webinar": ("Webinars, live and recorded", "Webinars"),
    "newsletter": ("One useful letter, every Wednesday", "Newsletter"),
    "portfolio": ("Work we would sign twice", "Portfolio"),
    "resources": ("Read, watch, join in", "Resources"),
    "privacy": ("What we know about you, and why", "Privacy notice"),
    "terms": ("What you can expect, and what we ask", "Terms"),
}
"""Name, words and kind of the pictures of the other pages."""


def course_picture(course: Course) -> SharePicture:
    """Return the picture of a course's page."""
    return SharePicture(name=course.slug, words=course.title, kind=f"Course, {course.weeks} weeks online")


def _list_pictures() -> Iterator[SharePicture]:
    yield SharePicture(name="home", words=BRAND.tagline, kind="Agency and academy")
    for name, (words, kind) in PAGES.items():
        yield SharePicture(name=name, words=words, kind=kind)
    yield from (course_picture(course) for course in COURSES)
    for service in SERVICES:
        words = service.share_words or service.heading
        yield SharePicture(name=f"services-{service.slug}", words=words, kind="Service")
    for article in ARTICLES:
        yield SharePicture(name=article.share_image, words=article.title, kind="Blog")
    for insight in INSIGHTS:
        yield SharePicture(name=insight.share_image, words=insight.title, kind="Insight")
    for webinar in WEBINARS:
        yield SharePicture(name=webinar.share_image, words=webinar.title, kind=_format_date(webinar))
    for plan in PLANS:
        words = f"{plan.name} hosting, {plan.price_text} a month"
        yield SharePicture(name=f"signup-{plan.slug}", words=words, kind="Sign up")


def _format_date(webinar: Webinar) -> str:
    return f"Webinar, {webinar.day}" if webinar.status is WebinarStatus.UPCOMING else "Webinar, recorded"


SHARE_PICTURES: dict[str, SharePicture] = {picture.name: picture for picture in _list_pictures()}
"""Pictures by name, in the order that decides their colours."""


def _find_uploaded(name: str) -> str:
    """Return the path of the share image of a picture that staff have uploaded; empty for another name, and for a drawing."""
    address = parse_picture_address(name)
    return address.share_src if address else ""


def describe_share_picture(name: str) -> tuple[str, str]:
    """Return the media type and the alternative text of a share image; the text is empty for a picture of staff."""
    return ("image/jpeg", "") if _find_uploaded(name) else ("image/png", find_share_picture(name).alt)


def share_address(name: str) -> str:
    """Return the path of the share image of that name, or of the one that was made of a picture of staff."""
    return _find_uploaded(name) or f"/share/{find_share_picture(name).name}.png"


def find_share_picture(name: str) -> SharePicture:
    """Return the picture of that name, or the home page's if a new page has none yet."""
    return SHARE_PICTURES.get(name, SHARE_PICTURES["home"])
