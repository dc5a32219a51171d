"""Texts of the share images, which other sites show beside a link to a page: one per page, drawn by `make art`.

Prices, days and titles are drawn into them. Once staff have changed one, a neutral picture is shown instead.
"""

from collections.abc import Iterator

from agency_site.content.articles import articles
from agency_site.content.brand import BRAND
from agency_site.content.course_schema import Course
from agency_site.content.courses import courses
from agency_site.content.hosting import plans
from agency_site.content.hours import name_consultation
from agency_site.content.insights import insights
from agency_site.content.published import kept_until_changed
from agency_site.content.schema import Record
from agency_site.content.services import SERVICES
from agency_site.content.webinars import Webinar, WebinarStatus, webinars
from agency_site.money import kes
from agency_site.picture_addresses import share_address_of


class SharePicture(Record):
    """One picture: large words, and the kind of page in small letters below the brand's name."""

    name: str
    """Name of its file in `assets/share`."""
    words: str
    kind: str
    neutral: str = "home"
    """Name of the picture that is shown once these words are not those of the page any more."""

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
    "book": ("Book a consultation", "{consultation}, free"),
    "payment": ("Enrol and pay with M-Pesa", "Academy"),
    "hosting": ("Hosting from {hosting_price} a month", "Hosting"),
    "blog": ("The blog", "Marketing that works in Kenya"),
    "webinar": ("Webinars, live and recorded", "Webinars"),
    "newsletter": ("One useful letter, every Wednesday", "Newsletter"),
    "portfolio": ("Work we would sign twice", "Portfolio"),
    "resources": ("Read, watch, join in", "Resources"),
    "privacy": ("What we know about you, and why", "Privacy notice"),
    "terms": ("What you can expect, and what we ask", "Terms"),
}
"""Name, words and kind of the pictures of the other pages; names in curly brackets become present values."""


def course_picture(course: Course) -> SharePicture:
    """Return the picture of a course's page."""
    kind = f"Course, {course.weeks} weeks online"
    return SharePicture(name=course.slug, words=course.title, kind=kind, neutral="academy")


def _list_pictures() -> Iterator[SharePicture]:
    """Yield the pictures of the present records; without changes of staff they are what is drawn."""
    yield SharePicture(name="home", words=BRAND.tagline, kind="Agency and academy")
    values = {
        "consultation": name_consultation("Half an hour"),
        "hosting_price": kes(min(plan.price for plan in plans())),
    }
    for name, (words, kind) in PAGES.items():
        yield SharePicture(name=name, words=words.format_map(values), kind=kind.format_map(values))
    yield from (course_picture(course) for course in courses())
    for service in SERVICES:
        words = service.share_words or service.heading
        yield SharePicture(name=f"services-{service.slug}", words=words, kind="Service")
    for article in articles():
        yield SharePicture(name=article.share_image, words=article.title, kind="Blog", neutral="blog")
    for insight in insights():
        yield SharePicture(name=insight.share_image, words=insight.title, kind="Insight", neutral="insights")
    for webinar in webinars():
        kind = _describe_day(webinar)
        yield SharePicture(name=webinar.share_image, words=webinar.title, kind=kind, neutral="webinar")
    for plan in plans():
        words = f"{plan.name} hosting, {plan.price_text} a month"
        yield SharePicture(name=f"signup-{plan.slug}", words=words, kind="Sign up", neutral="services")


def _describe_day(webinar: Webinar) -> str:
    return f"Webinar, {webinar.day}" if webinar.status is WebinarStatus.UPCOMING else "Webinar, recorded"


SHARE_PICTURES: dict[str, SharePicture] = {picture.name: picture for picture in _list_pictures()}
"""The drawn pictures by name, in the order that decides their colours."""


@kept_until_changed(1)
def _present_pictures() -> dict[str, SharePicture]:
    return {picture.name: picture for picture in _list_pictures()}


def describe_share_picture(name: str) -> tuple[str, str]:
    """Return the media type and the alternative text of a share image; the text is empty for a picture of staff."""
    return ("image/jpeg", "") if share_address_of(name) else ("image/png", find_share_picture(name).alt)


def share_address(name: str) -> str:
    """Return the path of the share image of that name, or of the one that was made of a picture of staff."""
    return share_address_of(name) or f"/share/{find_share_picture(name).name}.png"


def find_share_picture(name: str) -> SharePicture:
    """Return the drawn picture of that name if its words are still true, otherwise a neutral one."""
    drawn, present = SHARE_PICTURES.get(name), _present_pictures().get(name)
    if drawn and drawn == present:
        return drawn
    other = present or drawn
    return SHARE_PICTURES[other.neutral if other else "home"]
