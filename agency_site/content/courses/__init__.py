"""The academy's courses: every module of this folder contains one record, which is discovered.

Email Marketing costs 20,000 on its detail page and 25,000 in the payment list, as in the specification (readings, 6), until
the owner decides.
"""

import importlib
import pkgutil
from collections.abc import Iterable

from agency_site.content.course_schema import Course
from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Slug

_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


def find_courses() -> tuple[Course, ...]:
    """Return the records of this folder's modules, in the order of the payment list."""
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return check_courses(
        value for module in modules for value in vars(module).values() if isinstance(value, Course)
    )


def check_courses(courses: Iterable[Course]) -> tuple[Course, ...]:
    """Return the courses, sorted. Raises ValueError for duplicate slugs or positions, and for unknown related courses."""
    ordered = tuple(sorted(courses, key=lambda course: (course.free, course.position)))
    slugs = [course.slug for course in ordered]
    for kind, values in (
        ("slug", slugs),
        ("position", [course.position for course in ordered]),
        ("catalogue.id", [course.catalogue.id for course in ordered if course.catalogue]),
        ("featured.id", [course.featured.id for course in ordered]),
        ("payment_name", [course.payment_name for course in ordered]),
    ):
        if len(set(values)) != len(values):
            raise ValueError(f"courses: a {kind} occurs twice in {values}")
    for course in ordered:
        if unknown := set(course.detail.related) - set(slugs):
            raise ValueError(f"{course.slug}: detail.related names unknown courses {sorted(unknown)}")
    return ordered


COURSES: tuple[Course, ...] = find_courses()


def courses() -> tuple[Course, ...]:
    """Return the courses that visitors see, in the order of the payment list."""
    return published(Kind.COURSE, COURSES)


def _all_or(listed: Iterable[Course] | None) -> Iterable[Course]:
    """Return the courses that a caller lists, otherwise all that visitors see."""
    return courses() if listed is None else listed


def number_in_words(listed: Iterable[object] | None = None) -> str:
    """Return the number of records, otherwise of all courses, in words, such as "nine"; in figures above twelve."""
    number = len(tuple(courses() if listed is None else listed))
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def payment_list(listed: Iterable[Course] | None = None) -> tuple[Course, ...]:
    """Return the paid courses in the order of the payment page."""
    return tuple(course for course in _all_or(listed) if not course.free)


def catalogue(listed: Iterable[Course] | None = None) -> tuple[Course, ...]:
    """Return the courses of the home page's catalogue in order; each one has a catalogue card."""
    return tuple(
        sorted(
            (course for course in _all_or(listed) if course.catalogue),
            key=lambda c: c.catalogue.id if c.catalogue else 0,
        )
    )


def featured(listed: Iterable[Course] | None = None) -> tuple[Course, ...]:
    """Return all courses in the order of the academy's landing page."""
    return tuple(sorted(_all_or(listed), key=lambda course: course.featured.id))


def related(course: Course) -> tuple[Course, ...]:
    """Return the related courses in the order of the course's record."""
    return tuple(other for slug in course.detail.related if (other := course_by_slug(slug)))


def course_options() -> tuple[tuple[str, str], ...]:
    """Return slug and name of every course, for filters and choices."""
    return tuple((course.slug, course.payment_name) for course in courses())


def course_by_slug(slug: Slug) -> Course | None:
    """Return the course of that slug, or None."""
    return next((course for course in courses() if course.slug == slug), None)


def course_by_payment_name(name: str) -> Course | None:
    """Return the course with that name in the payment list, or None."""
    return next((course for course in courses() if course.payment_name == name), None)
