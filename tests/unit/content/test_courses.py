"""The course records: rules for every record."""

import re

import pytest
from pydantic import ValidationError

from agency_site.artwork.palette import SCHEMES
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES, related
from agency_site.settings import ROOT

each_course = pytest.mark.parametrize("course", COURSES, ids=lambda course: course.slug)


@each_course
def test_every_picture_exists(course: Course) -> None:
    for path in (course.cover, course.head, course.detail.voice.image, f"/share/{course.slug}.png"):
        assert (ROOT / "assets" / path.lstrip("/")).is_file(), path


def test_no_two_courses_share_a_look_or_a_sentence() -> None:
    assert len({course.look for course in COURSES}) == min(len(COURSES), len(SCHEMES))
    said = [
        text
        for course in COURSES
        for text in (
            *course.detail.overview,
            *course.detail.audience,
            *course.detail.learn,
            *(week.text for week in course.detail.weeks),
            *(week.task for week in course.detail.weeks),
            *(benefit.text for benefit in course.detail.benefits),
            course.detail.voice.quote,
            course.detail.voice.name,
            course.description,
        )
    ]
    assert len(set(said)) == len(said)


@each_course
def test_related_courses_exist_and_are_others(course: Course) -> None:
    assert len(related(course)) == len(course.detail.related)
    assert course not in related(course)


@each_course
def test_the_copy_has_no_long_dashes(course: Course) -> None:
    assert not {"\N{EM DASH}", "\N{EN DASH}"} & set(course.model_dump_json())


def test_a_plan_that_does_not_fit_the_length_is_refused() -> None:
    course = COURSES[0]
    refusal = f"{course.slug}: detail.weeks has {course.weeks} entries, weeks says {course.weeks + 1}"
    with pytest.raises(ValidationError, match=re.escape(refusal)):
        Course.model_validate({**course.model_dump(), "weeks": course.weeks + 1})


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="prise"):
        Course.model_validate({**COURSES[0].model_dump(), "prise": 1})
