"""The academy's courses: every module of this folder contains one record, which is found by itself.

Email Marketing costs 20,000 on its detail page and 25,000 in the payment list; both are as the specification
writes them (readings, 6) until the owner decides.
"""

import importlib
import pkgutil
from collections.abc import Iterable

from agency_site.content.course_schema import Course
from agency_site.content.schema import Slug

_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


def find_courses() -> tuple[Course, ...]:
    """The records of this folder's modules, in the order of the payment list."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    return check_courses(
        value for module in modules for value in vars(module).values() if isinstance(value, Course)
    )


def check_courses(courses: Iterable[Course]) -> tuple[Course, ...]:
    """The same courses, sorted; ValueError when two share a slug or a place, or one names a course that does not exist."""
    found = tuple(sorted(courses, key=lambda course: (course.free, course.position)))
    slugs = [course.slug for course in found]
    for kind, values in (
        ("slug", slugs),
        ("position", [course.position for course in found]),
        ("catalogue.id", [course.catalogue.id for course in found if course.catalogue]),
        ("featured.id", [course.featured.id for course in found]),
        ("payment_name", [course.payment_name for course in found]),
    ):
        if len(set(values)) != len(values):
            raise ValueError(f"courses: a {kind} occurs twice in {values}")
    for course in found:
        if unknown := set(course.detail.related) - set(slugs):
            raise ValueError(f"{course.slug}: detail.related names unknown courses {sorted(unknown)}")
    return found


COURSES: tuple[Course, ...] = find_courses()


def number_in_words(courses: Iterable[Course] = COURSES) -> str:
    """How many courses there are, for running text: "nine"; figures above twelve."""
    number = len(tuple(courses))
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def payment_list(courses: Iterable[Course] = COURSES) -> tuple[Course, ...]:
    """Courses that cost money, in the order in which the payment page lists them."""
    return tuple(course for course in courses if not course.free)


def catalogue(courses: Iterable[Course] = COURSES) -> tuple[Course, ...]:
    """Courses of the home page's catalogue, in its order; each has a catalogue card."""
    return tuple(
        sorted(
            (course for course in courses if course.catalogue),
            key=lambda c: c.catalogue.id if c.catalogue else 0,
        )
    )


def featured(courses: Iterable[Course] = COURSES) -> tuple[Course, ...]:
    """All courses in the order of the academy's landing page."""
    return tuple(sorted(courses, key=lambda course: course.featured.id))


def related(course: Course) -> tuple[Course, ...]:
    """The courses that go well with this one, in the order of its record."""
    return tuple(found for slug in course.detail.related if (found := course_by_slug(slug)))


def course_options() -> tuple[tuple[str, str], ...]:
    """Slug and name of every course, for filters and choices."""
    return tuple((course.slug, course.payment_name) for course in COURSES)


def course_by_slug(slug: Slug) -> Course | None:
    """The course of that slug, or none."""
    return next((course for course in COURSES if course.slug == slug), None)


def course_by_payment_name(name: str) -> Course | None:
    """The course that the payment list calls by that name, or none."""
    return next((course for course in COURSES if course.payment_name == name), None)
