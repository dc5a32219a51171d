"""The academy's courses, in the order of the payment list; the free one comes last. One module each.

Email Marketing costs 20,000 on its detail page and 25,000 in the payment list; both stand as the specification
writes them (readings, 6) until the owner decides.
"""

from agency_site.content.course_schema import Course
from agency_site.content.courses.canva_design import CANVA_DESIGN
from agency_site.content.courses.digital_marketing import DIGITAL_MARKETING
from agency_site.content.courses.digital_marketing_masterclass import DIGITAL_MARKETING_MASTERCLASS
from agency_site.content.courses.digital_skills import DIGITAL_SKILLS
from agency_site.content.courses.email_marketing import EMAIL_MARKETING
from agency_site.content.courses.google_ads import GOOGLE_ADS
from agency_site.content.courses.graphic_design import GRAPHIC_DESIGN
from agency_site.content.courses.meta_ads import META_ADS
from agency_site.content.courses.social_media_marketing import SOCIAL_MEDIA_MARKETING
from agency_site.content.schema import Slug


def _checked(*courses: Course) -> tuple[Course, ...]:
    """The same courses; ValueError when two share a slug or a place, or one names a course that does not exist."""
    slugs = [course.slug for course in courses]
    places = [("catalogue", c.catalogue.id) for c in courses if c.catalogue]
    places += [("featured", course.featured.id) for course in courses]
    for kind, found in (
        ("slug", slugs),
        ("place", places),
        ("payment_name", [c.payment_name for c in courses]),
    ):
        if len(set(found)) != len(found):
            raise ValueError(f"courses: a {kind} stands twice in {found}")
    for course in courses:
        if unknown := set(course.detail.related) - set(slugs):
            raise ValueError(f"{course.slug}: detail.related names unknown courses {sorted(unknown)}")
    return courses


COURSES: tuple[Course, ...] = _checked(
    DIGITAL_MARKETING,
    SOCIAL_MEDIA_MARKETING,
    GOOGLE_ADS,
    DIGITAL_MARKETING_MASTERCLASS,
    META_ADS,
    CANVA_DESIGN,
    GRAPHIC_DESIGN,
    EMAIL_MARKETING,
    DIGITAL_SKILLS,
)


def payment_list() -> tuple[Course, ...]:
    """Courses that cost money, in the order in which the payment page lists them."""
    return tuple(course for course in COURSES if not course.free)


def catalogue() -> tuple[Course, ...]:
    """Courses of the home page's catalogue, in its order; each has a catalogue card."""
    return tuple(
        sorted(
            (course for course in COURSES if course.catalogue),
            key=lambda c: c.catalogue.id if c.catalogue else 0,
        )
    )


def featured() -> tuple[Course, ...]:
    """All courses in the order of the academy's landing page."""
    return tuple(sorted(COURSES, key=lambda course: course.featured.id))


def related(course: Course) -> tuple[Course, ...]:
    """The courses that go well with this one, in the order of its record."""
    return tuple(found for slug in course.detail.related if (found := course_by_slug(slug)))


def course_by_slug(slug: Slug) -> Course | None:
    """The course of that slug, or none."""
    return next((course for course in COURSES if course.slug == slug), None)


def course_by_payment_name(name: str) -> Course | None:
    """The course that the payment list calls by that name, or none."""
    return next((course for course in COURSES if course.payment_name == name), None)
