"""A new course is one module in `content/courses/`: catalogue, payment list, page and pictures follow from its record."""

import re
from pathlib import Path

import pytest

from agency_site.artwork.command import course_pictures
from agency_site.content import courses
from agency_site.content.course_schema import CatalogueCard, Course, CourseCategory
from agency_site.content.share_pictures import course_picture
from agency_site.settings import ROOT
from agency_site.site.academy.course import course_route

EXAMPLE = re.compile(r"^# courses/whatsapp_for_shops\.py\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEXT = len(courses.COURSES) + 100
"""A place that no course of the academy has."""


@pytest.fixture
def ten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Course, ...]:
    """All courses after the module that `docs/content.md` shows was added to the folder."""
    example = EXAMPLE.search((ROOT / "docs" / "content.md").read_text(encoding="utf-8"))
    assert example is not None
    text = example[1].replace("whatsapp-for-shops", "example-of-the-guide")
    text = text.replace("WhatsApp for Shops", "Example of the Guide").replace("=10,", f"={NEXT},")
    (tmp_path / "example_of_the_guide.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(courses, "__path__", [*courses.__path__, str(tmp_path)])
    return courses.find_courses()


def test_the_module_is_found_and_takes_its_place_in_every_list(ten: tuple[Course, ...]) -> None:
    assert {course.slug for course in ten} - {course.slug for course in courses.COURSES} == {
        "example-of-the-guide"
    }
    assert courses.payment_list(ten)[-1].slug == courses.featured(ten)[-1].slug == "example-of-the-guide"
    assert ten[-1].free


@pytest.mark.parametrize(("count", "words"), [(9, "nine"), (10, "ten"), (13, "13")])
def test_courses_are_counted_in_words_up_to_twelve(count: int, words: str) -> None:
    assert courses.number_in_words([courses.COURSES[0]] * count) == words


def test_a_catalogue_card_puts_it_into_the_catalogue(ten: tuple[Course, ...]) -> None:
    card = CatalogueCard(
        id=NEXT, title="WhatsApp for Shops", category=CourseCategory.BUSINESS, description="Orders on one phone.",
        duration="2 Weeks", level="Beginner", rating=4.6,
    )  # fmt: skip
    new = courses.payment_list(ten)[-1].model_copy(update={"catalogue": card})
    assert courses.catalogue([*courses.COURSES, new])[-1].slug == "example-of-the-guide"


def test_it_has_a_page_and_its_pictures(ten: tuple[Course, ...]) -> None:
    new = courses.payment_list(ten)[-1]
    route = course_route(new)
    assert (route.path, route.share_image) == ("/example-of-the-guide", course_picture(new).name)
    assert all(text in str(route.body()) for text in (new.title, new.detail.voice.quote, "KES 6,000"))
    drawn = course_pictures(ten)
    assert {new.head, new.detail.voice.image} <= {f"/{path}" for path in drawn}


def test_the_pictures_of_the_other_courses_stay(ten: tuple[Course, ...]) -> None:
    before, after = course_pictures(courses.COURSES), course_pictures(ten)
    assert {path for path in before if after[path] != before[path]} == set()


def test_two_courses_in_one_place_are_refused(ten: tuple[Course, ...]) -> None:
    twice = ten[0].model_copy(update={"slug": "again", "payment_name": "Again"})
    with pytest.raises(ValueError, match="courses: a position occurs twice"):
        courses.check_courses([*ten, twice])
