"""The course records: facts of the specification by place, and rules for every record."""

import re

import pytest
from pydantic import ValidationError

from agency_site.artwork.palette import SCHEMES
from agency_site.content.academy import ACADEMY
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES, catalogue, course_by_slug, featured, payment_list, related
from agency_site.settings import ROOT

CATALOGUE = [
    ("Digital Marketing for CEOs", "marketing", "6 Weeks", "Executive", 4.9, "/digital-marketing"),
    ("Email Marketing Masterclass", "marketing", "6 Weeks", "All Levels", 4.8, "/email-marketing"),
    ("Grow Your Business with Digital Skills", "business", "4 Weeks", "Beginner", 4.7, "/digital-skills"),
    ("Social Media Marketing", "marketing", "4 Weeks", "Intermediate", 4.8, "/social-media-marketing"),
    ("Google Ads Masterclass", "marketing", "4 Weeks", "All Levels", 4.9, "/google-ads"),
    (
        "Digital Marketing Masterclass", "marketing", "4 Weeks", "Advanced", 5, "/digital-marketing-masterclass",
    ),
]  # fmt: skip
FEATURED = [
    ("/digital-marketing", 4.8),
    ("/email-marketing", 4.6),
    ("/digital-skills", 4.9),
    ("/social-media-marketing", 4.7),
    ("/google-ads", 4.5),
    ("/digital-marketing-masterclass", 4.9),
    ("/meta-ads", 4.6),
    ("/canva-design", 4.7),
    ("/graphic-design", 4.8),
]
PAYMENT = [
    ("Digital Marketing For CEOs Masterclass", 30000),
    ("Social media marketing", 15000),
    ("Google Ads Masterclass", 15000),
    ("Digital Marketing Masterclass", 15000),
    ("Meta Ads Masterclass", 15000),
    ("Canva Design Masterclass", 15000),
    ("Graphic Design Masterclass", 15000),
    ("Email Marketing Masterclass", 25000),
]
DETAIL = {
    "digital-marketing": ("KES 30,000", "6 weeks, 2 hours a week", "Executive"),
    "email-marketing": ("KES 20,000", "6 weeks, 2 hours a week", "Intermediate to Advanced"),
    "digital-skills": ("FREE", "4 weeks, 2 hours a week", "Beginner to Intermediate"),
    "social-media-marketing": ("KES 15,000", "4 weeks, 2 hours a week", "Intermediate"),
    "digital-marketing-masterclass": (
        "KES 15,000", "4 weeks, 2 hours a week", "Advanced Marketing Professionals",
    ),
    "google-ads": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Advanced"),
    "meta-ads": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Advanced"),
    "canva-design": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Advanced"),
    "graphic-design": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Intermediate"),
}  # fmt: skip

each_course = pytest.mark.parametrize("course", COURSES, ids=lambda course: course.slug)


def test_s3_the_catalogue_holds_the_six_courses_with_their_facts() -> None:
    cards = [(course, course.catalogue) for course in catalogue() if course.catalogue]
    results = [(c.title, c.category.value, c.duration, c.level, c.rating, course.path) for course, c in cards]

    assert results == CATALOGUE


def test_s2_the_academy_features_nine_courses_with_their_ratings() -> None:
    assert [(course.path, course.featured.rating) for course in featured()] == FEATURED


def test_s2_the_academy_shows_the_five_figures() -> None:
    assert [(figure.figure, figure.label) for figure in ACADEMY.figures] == [
        ("92%", "job placement"),
        ("1000+", "students trained"),
        ("120+", "industry experts"),
        ("98%", "satisfaction"),
        ("10", "certification programs"),
    ]


def test_s3_the_payment_list_keeps_names_prices_and_order() -> None:
    assert [(course.payment_name, course.payment_price) for course in payment_list()] == PAYMENT


@each_course
def test_s9_price_duration_level_and_certificate_of_the_detail_page(course: Course) -> None:
    assert (course.shown_price, course.duration, course.detail.level) == DETAIL[course.slug]
    assert course.detail.certificate == "Certification of Completion"
    assert "nline" in course.detail.format
    assert "hands-on projects" in course.detail.format


def test_only_email_marketing_has_two_prices() -> None:
    assert [course.slug for course in COURSES if course.detail_price != course.payment_price] == [
        "email-marketing"
    ]


@each_course
def test_every_picture_exists(course: Course) -> None:
    for path in (course.cover, course.head, course.detail.voice.image, f"/share/{course.slug}.png"):
        assert (ROOT / "assets" / path.lstrip("/")).is_file(), path


@each_course
def test_the_look_is_the_scheme_of_the_cover(course: Course) -> None:
    background = next(scheme.background for scheme in SCHEMES if scheme.name == course.look)
    drawn = (ROOT / "assets" / course.cover.lstrip("/")).read_text()

    assert re.findall(r'fill="(#\w+)"', drawn)[0] == background


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
    course = course_by_slug("google-ads")
    assert course is not None
    with pytest.raises(ValidationError, match=r"google-ads: detail\.weeks has 4 entries, weeks says 5"):
        Course.model_validate({**course.model_dump(), "weeks": 5})


def test_an_unknown_field_is_refused() -> None:
    course = course_by_slug("google-ads")
    assert course is not None
    with pytest.raises(ValidationError, match="prise"):
        Course.model_validate({**course.model_dump(), "prise": 1})
